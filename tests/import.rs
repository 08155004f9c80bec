//! Files as other programs leave them: packed, damaged, in other encodings, with holes, of other years.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use testkit::{Server, need, peers, raw, run, run_with_input, text};

const PACKERS: [&str; 4] = ["gzip", "xz", "bzip2", "zstd"];

fn words(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is not UTF-8")
}

/// The file as a program packs it.
fn packed(program: &str, plain: &Path) -> Result<Option<Vec<u8>>> {
    let package = if program == "xz" { "xz-utils" } else { program };
    let Some(found) = need(peers::program(program, package))? else {
        return Ok(None);
    };
    let output = Command::new(found).arg("-c").arg(plain).output()?;
    ensure!(output.status.success(), "{program} failed");
    Ok(Some(output.stdout))
}

fn set_time(path: &Path, time: &str) -> Result<()> {
    let time = model::Timestamp::parse_rfc3339(time.as_bytes())?;
    let seconds = u64::try_from(time.nanos() / 1_000_000_000)?;
    let file = File::options().write(true).open(path)?;
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))?;
    Ok(())
}

fn times(server: &Server) -> Result<Vec<String>> {
    let rows = server.api().export("", &[])?;
    let times = rows.iter().map(|row| text(row, "time").get(..10));
    let mut times: Vec<String> = times.flatten().map(str::to_owned).collect();
    times.sort();
    Ok(times)
}

#[test]
fn what_programs_pack_is_imported_whole_cut_and_from_standard_input() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let plain = folder.path().join("log");
    let mut state = 1_u64;
    let lines: String = (0..40_000)
        .map(|number| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            format!("<13>1 2024-05-05T10:00:00Z h p - - - {number} {state:016x}\n")
        })
        .collect();
    fs::write(&plain, &lines)?;
    for program in PACKERS {
        let Some(bytes) = packed(program, &plain)? else {
            continue;
        };
        let server = Server::start()?;
        let url = server.url();
        let whole = run_with_input(&["import", "-", "--url", &url], &bytes)?;
        assert_eq!(whole.code, Some(0), "{program}: {}", whole.errors);
        let count = || server.api().count("");
        assert_eq!(count()?, 40_000, "{program}");
        let file = folder.path().join("cut");
        fs::write(&file, bytes.get(..bytes.len() / 2).unwrap_or_default())?;
        let cut = run(&["import", words(&file)?, "--url", &url])?;
        assert_eq!(cut.code, Some(1), "{program}: {}", cut.errors);
        ensure!(cut.errors.contains("missing"), "{program}: {}", cut.errors);
        ensure!(count()? > 48_000, "{program}: {}", cut.errors);
    }
    Ok(())
}

#[test]
fn lines_come_back_byte_for_byte() -> Result<()> {
    let server = Server::start()?;
    let file = server.folder().join("crlf");
    let kept =
        "<13>Nov 28 10:00:00 h a: one\r\nno header\r\n  indented\ttext \r\n\u{feff}<14>x\r\nlast";
    fs::write(&file, kept)?;
    let finished = run(&["import", words(&file)?, "--url", &server.url()])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let exported = server.api().get("/api/v1/export?format=raw")?;
    assert_eq!(exported.text(), format!("{kept}\n"));
    let rows = server.api().export("", &[])?;
    ensure!(rows.iter().all(|row| !text(row, "message").contains('\r')));
    Ok(())
}

#[test]
fn holes_and_empty_lines_are_left_out_and_said() -> Result<()> {
    let server = Server::start()?;
    let file = server.folder().join("log");
    let line = b"<13>Nov 28 10:00:00 h1 app: behind the hole\n\n\r\n";
    fs::write(&file, [&[0; 4096][..], line].concat())?;
    let finished = run(&["import", words(&file)?, "--url", &server.url()])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let said = &finished.errors;
    ensure!(
        said.contains("4096 NULs") && said.contains("2 empty lines"),
        "{said}"
    );
    let rows = server.api().export("", &[])?;
    assert_eq!(rows.len(), 1);
    let row = rows.first().context("a row")?;
    assert_eq!((text(row, "host"), text(row, "program")), ("h1", "app"));
    assert_eq!(
        raw(row)?,
        line.split(|byte| *byte == b'\n').next().unwrap_or_default()
    );
    Ok(())
}

#[test]
fn other_files_are_refused_and_do_not_keep_lines_out() -> Result<()> {
    let server = Server::start()?;
    let folder = server.folder();
    let (good, tar, zip) = (
        folder.join("good"),
        folder.join("a.tgz"),
        folder.join("b.zip"),
    );
    fs::write(&good, "<13>1 - h p - - - good\n")?;
    let mut made = Command::new("tar");
    made.arg("-czf").arg(&tar).arg("-C").arg(folder).arg("good");
    ensure!(made.status()?.success());
    fs::write(&zip, b"PK\x03\x04\x14\0")?;
    let missing = folder.join("missing");
    let paths = [words(&tar)?, words(&missing)?, words(&good)?, words(&zip)?];
    let url = server.url();
    let finished = run(&[&["import"], &paths[..], &["--url", &url]].concat())?;
    assert_eq!(finished.code, Some(2), "{}", finished.errors);
    for said in [
        "a tar archive",
        "tar -xOf",
        "a zip archive",
        "unzip -p",
        "missing",
        "imported 1 ",
    ] {
        ensure!(
            finished.errors.contains(said),
            "{said}: {}",
            finished.errors
        );
    }
    assert_eq!(server.api().count("good")?, 1);
    Ok(())
}

#[test]
fn stamps_without_a_year_are_of_the_file() -> Result<()> {
    let lines = "Dec 31 12:00:00 h a: x\nFeb 28 12:00:00 h a: x\nFeb 29 12:00:00 h a: x\nMar  1 12:00:00 h a: x\n";
    let expected = ["2019-12-31", "2020-02-28", "2020-02-29", "2020-03-01"];
    let server = Server::start()?;
    let url = server.url();
    let file = server.folder().join("log");
    fs::write(&file, lines)?;
    set_time(&file, "2020-03-02T00:00:00Z")?;
    let finished = run(&["import", words(&file)?, "--url", &url])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    assert_eq!(times(&server)?, expected);

    // The header of gzip has the time, whatever that of the file is; without a server too.
    ensure!(Command::new("gzip").arg(&file).status()?.success());
    let gz = server.folder().join("log.gz");
    set_time(&gz, "2026-01-02T00:00:00Z")?;
    let data = server.folder().join("data of its own");
    let finished = run(&["import", words(&gz)?, "--data-dir", words(&data)?])?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    let counted = run(&[
        "count",
        "",
        "--from",
        "2019-12-31",
        "--to",
        "2020-03-02",
        "--data-dir",
        words(&data)?,
    ])?;
    assert_eq!(counted.output, "4\n", "{}", counted.errors);

    let server = Server::start()?;
    let words = ["import", "-", "--year", "2011", "--url", &server.url()];
    let finished = run_with_input(&words, b"Dec 31 12:00:00 h a: x\nJan  1 12:00:00 h a: x\n")?;
    assert_eq!(finished.code, Some(0), "{}", finished.errors);
    assert_eq!(times(&server)?, ["2011-12-31", "2012-01-01"]);
    let path = "/api/v1/import?anchor=2005-06-01T00:00:00Z";
    server.api().post(path, b"May 31 12:00:00 h a: x\n")?.ok()?;
    assert_eq!(
        times(&server)?.first().map(String::as_str),
        Some("2005-05-31")
    );
    for wrong in ["year=12", "year=x", "anchor=soon"] {
        let path = format!("/api/v1/import?{wrong}");
        assert_eq!(server.api().post(&path, b"x\n")?.status, 400, "{wrong}");
    }
    Ok(())
}
