//! `logwood verify` and `logwood inspect` on the data of a real server, with real damage.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::{Finished, Server, Setup, run, text, wait_until};

const RECORDS: u64 = 4_000;
const LIMIT: Duration = Duration::from_secs(60);

/// A server that has one segment with records of two kinds, those of the second in pages of their
/// own, stopped.
fn stopped_server() -> Result<Server> {
    let mut server = Server::start_with(Setup {
        config: Some("[store]\njournal_file = \"4MiB\"\n".to_owned()),
        ..Setup::default()
    })?;
    let lines: String = (0..RECORDS)
        .map(|n| {
            let (minute, second) = (n / 60 % 60, n % 60);
            let text = match n % 2 {
                0 => "a rather long message ".repeat(6),
                _ => digests(n),
            };
            format!("<13>1 2026-03-01T10:{minute:02}:{second:02}Z h app {n} - - {text}word{n}\n")
        })
        .collect();
    let answer = server
        .api()
        .post("/api/v1/import?time=message", lines.as_bytes())?;
    assert_eq!(answer.ok()?.json()?["imported"], RECORDS);
    let answer = server
        .api()
        .post("/api/v1/ingest", b"<13>1 - h live 1 - - hello\n")?;
    answer.ok()?;
    ensure!(server.stop()?.success());
    Ok(server)
}

/// Eight digests, which nothing makes smaller.
fn digests(number: u64) -> String {
    let digest = |at: u64| (8 * number + at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..8).map(|at| format!("{:016x} ", digest(at))).collect()
}

fn data_dir(server: &Server) -> Result<&str> {
    server.data_dir().to_str().context("no UTF-8")
}

fn verify(server: &Server, words: &[&str]) -> Result<Finished> {
    let mut all = vec!["verify", "--data-dir", data_dir(server)?];
    all.extend(words);
    run(&all)
}

fn verify_json(server: &Server, words: &[&str]) -> Result<(Option<i32>, Value)> {
    let mut all = vec!["--json"];
    all.extend(words);
    let finished = verify(server, &all)?;
    let value = serde_json::from_str(&finished.output).with_context(|| finished.errors.clone())?;
    Ok((finished.code, value))
}

fn segment(server: &Server) -> Result<PathBuf> {
    let day = server.data_dir().join("logspaces/main/2026/03-01");
    let mut files = fs::read_dir(day)?;
    Ok(files.next().context("no segment")??.path())
}

fn inspect_json(path: &Path, words: &[&str]) -> Result<Value> {
    let mut all = vec!["inspect", "--json", path.to_str().context("no UTF-8")?];
    all.extend(words);
    let finished = run(&all)?;
    ensure!(finished.code == Some(0), "{}", finished.errors);
    Ok(serde_json::from_str(&finished.output)?)
}

/// Offset and length of a page of a segment.
fn page(file: &Path, name: &str, index: usize) -> Result<(usize, usize)> {
    let view = inspect_json(file, &["--pages"])?;
    let pages = view["pages"].as_array().context("no pages")?;
    let mut pages = pages.iter().filter(|page| text(page, "name") == name);
    let page = pages.nth(index).context("no such page")?;
    let number = |name: &str| page[name].as_u64().context("no number");
    Ok((number("offset")? as usize, number("bytes")? as usize))
}

fn flip(file: &Path, at: usize) -> Result<()> {
    let mut bytes = fs::read(file)?;
    bytes[at] ^= 0x10;
    Ok(fs::write(file, bytes)?)
}

#[test]
fn whole_data_is_whole_with_and_without_a_server() -> Result<()> {
    let mut server = stopped_server()?;
    for words in [&[][..], &["--deep"], &["--repair"], &["--logspace", "main"]] {
        let finished = verify(&server, words)?;
        assert_eq!(
            finished.code,
            Some(0),
            "{}{}",
            finished.output,
            finished.errors
        );
        assert_eq!(finished.output, "");
        assert!(finished.errors.contains(": whole; "), "{}", finished.errors);
    }
    server.start_again()?;
    let (code, found) = verify_json(&server, &["--deep"])?;
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(found["segment_records"], RECORDS);
    assert_eq!(found["journal_records"], 1);
    assert_eq!(found["is_whole"], true);
    let refused = verify(&server, &["--repair"])?;
    assert_eq!(refused.code, Some(2));
    assert!(refused.errors.contains("in use"), "{}", refused.errors);
    let nowhere = run(&["verify", "--data-dir", "there/is/none"])?;
    assert_eq!(nowhere.code, Some(2));
    Ok(())
}

#[test]
fn a_damaged_index_is_told_and_repaired_without_loss() -> Result<()> {
    let mut server = stopped_server()?;
    let file = segment(&server)?;
    let (offset, bytes) = page(&file, "lexicon page", 0)?;
    flip(&file, offset + bytes / 2)?;
    let (code, found) = verify_json(&server, &[])?;
    assert_eq!(code, Some(1));
    let damage = &found["damages"][0];
    assert_eq!(text(damage, "path"), file.to_str().context("no UTF-8")?);
    assert_eq!(damage["offset"], offset);
    assert_eq!(damage["records"], 0);
    assert_eq!(text(damage, "remedy"), "rebuild_index");
    let (code, repaired) = verify_json(&server, &["--repair"])?;
    assert_eq!(code, Some(0), "{repaired}");
    assert_eq!(repaired["repairs"][0]["saved_records"], RECORDS);
    assert_eq!(repaired["repairs"][0]["lost_records"], 0);
    server.start_again()?;
    server.api().wait_for_count("program:app", RECORDS)?;
    server.api().wait_for_count("word123", 1)
}

#[test]
fn a_running_server_repairs_an_index_that_a_search_found_damaged() -> Result<()> {
    let mut server = stopped_server()?;
    let file = segment(&server)?;
    let (offset, bytes) = page(&file, "lexicon page", 0)?;
    flip(&file, offset + bytes / 2)?;
    server.start_again()?;
    let api = server.api();
    // The rows are whole, so that the answer is right all the same.
    for query in [
        "word123",
        "facility:user severity:notice program:app pid:123",
    ] {
        assert_eq!(api.count(query)?, 1, "{query}");
    }
    wait_until("the index was made anew", LIMIT, || !file.exists())?;
    let status = api.status()?;
    assert_eq!(status["logspaces"][0]["damages"], serde_json::json!([]));
    assert_eq!(api.count("word123")?, 1);
    ensure!(server.stop()?.success());
    assert_eq!(verify(&server, &["--deep"])?.code, Some(0));
    Ok(())
}

#[test]
fn days_that_are_over_get_smaller_by_themselves() -> Result<()> {
    let mut server = stopped_server()?;
    server.start_again()?;
    let api = server.api();
    wait_until("the day was compacted", LIMIT, || {
        api.status()
            .is_ok_and(|status| status["logspaces"][0]["compacted_segments"] == 1)
    })?;
    let status = api.status()?;
    assert_eq!(status["logspaces"][0]["compaction_failure"], Value::Null);
    let metrics = api.get("/metrics")?.ok()?.text();
    let told = "logwood_store_compacted_segments{logspace=\"main\"} 1";
    ensure!(metrics.contains(told), "{metrics}");
    api.wait_for_count("program:app", RECORDS)?;
    assert_eq!(api.count("word123")?, 1);
    ensure!(server.stop()?.success());
    assert_eq!(verify(&server, &["--deep"])?.code, Some(0));
    let manifest = server.data_dir().join("logspaces/main/manifest");
    let view = inspect_json(&manifest, &[])?;
    assert_eq!(view["segments"][0]["is_compacted"], true);
    Ok(())
}

#[test]
fn readable_records_of_a_damaged_segment_are_saved() -> Result<()> {
    let mut server = stopped_server()?;
    let file = segment(&server)?;
    let (offset, _) = page(&file, "column page", 1)?;
    flip(&file, offset + 100)?;
    let told = verify(&server, &[])?;
    assert_eq!(told.code, Some(1));
    for words in [
        file.to_str().context("no UTF-8")?,
        "cannot be read",
        "--repair",
    ] {
        assert!(told.output.contains(words), "{words}: {}", told.output);
    }
    let (code, repaired) = verify_json(&server, &["--repair"])?;
    assert_eq!(code, Some(0), "{repaired}");
    let repair = &repaired["repairs"][0];
    let count = |name: &str| repair[name].as_u64().unwrap_or(0);
    let (saved, lost) = (count("saved_records"), count("lost_records"));
    assert!(lost > 0 && saved + lost == RECORDS, "{repair}");
    assert!(Path::new(&text(repair, "set_aside")).exists());
    server.start_again()?;
    server.api().wait_for_count("program:app", saved)?;
    server.api().wait_for_count("tag:store.lost", lost)
}

#[test]
fn a_segment_that_lost_its_end_is_saved_as_a_whole() -> Result<()> {
    let mut server = stopped_server()?;
    let file = segment(&server)?;
    let bytes = fs::read(&file)?;
    fs::write(&file, &bytes[..bytes.len() - 500])?;
    assert_eq!(verify(&server, &[])?.code, Some(1));
    let (code, repaired) = verify_json(&server, &["--repair"])?;
    assert_eq!(code, Some(0), "{repaired}");
    server.start_again()?;
    server.api().wait_for_count("program:app", RECORDS)
}

#[test]
fn a_damaged_manifest_is_told_and_written_anew() -> Result<()> {
    let mut server = stopped_server()?;
    let manifest = server.data_dir().join("logspaces/main/manifest");
    let len = fs::read(&manifest)?.len();
    flip(&manifest, len - 20)?;
    let (code, found) = verify_json(&server, &[])?;
    assert_eq!(code, Some(1));
    assert_eq!(text(&found["damages"][0], "file"), "manifest");
    let (code, repaired) = verify_json(&server, &["--repair"])?;
    assert_eq!(code, Some(0), "{repaired}");
    assert_eq!(repaired["manifests"].as_array().map(Vec::len), Some(1));
    server.start_again()?;
    server.api().wait_for_count("", RECORDS + 1)
}

#[test]
fn every_kind_of_file_can_be_looked_into() -> Result<()> {
    let server = stopped_server()?;
    let directory = inspect_json(server.data_dir(), &[])?;
    assert_eq!(directory["logspaces"][0]["days"][0]["records"], RECORDS);
    let file = segment(&server)?;
    let view = inspect_json(&file, &["--rows", "2", "--terms", "mword399"])?;
    assert_eq!(view["records"], RECORDS);
    assert_eq!(view["rows"].as_array().map(Vec::len), Some(2));
    // word399 and word3990 to word3999.
    assert_eq!(view["terms"].as_array().map(Vec::len), Some(11));
    assert_eq!(view["templates"], Value::Null);
    assert_eq!(view["text_records"], 0);
    ensure!(view["kinds"].as_u64() > Some(0));
    let kinds = inspect_json(&file, &["--templates", "3"])?;
    let kinds = &kinds["templates"];
    let top = kinds["top"].as_array().context("no kinds")?;
    let messages = top.iter().filter_map(|kind| kind["messages"].as_u64());
    assert_eq!(kinds["count"], 2, "{kinds}");
    assert_eq!(messages.sum::<u64>(), RECORDS);
    let sections = view["sections"].as_array().context("no sections")?;
    let bytes: u64 = sections.iter().filter_map(|s| s["bytes"].as_u64()).sum();
    let all = view["bytes"].as_u64().context("no size")?;
    let footer = view["footer_bytes"].as_u64().context("no size")?;
    assert_eq!(64 + bytes + footer, all);
    let manifest = inspect_json(&server.data_dir().join("logspaces/main/manifest"), &[])?;
    assert_eq!(manifest["segments"][0]["records"], RECORDS);
    let journal = server.data_dir().join("journal");
    // A stop leaves a last file that is a header alone.
    let files = fs::read_dir(journal)?.map(|entry| Ok(entry?.path()));
    let files = files.collect::<Result<Vec<_>>>()?;
    let journal = files.into_iter().min().context("no journal")?;
    let view = inspect_json(&journal, &["--pages", "--rows", "9"])?;
    assert_eq!(view["records"], 1);
    assert_eq!(view["pages"][0]["offset"], 64);
    for path in [server.data_dir(), &file, &journal] {
        let path = path.to_str().context("no UTF-8")?;
        let shown = run(&[
            "inspect",
            path,
            "--pages",
            "--rows",
            "1",
            "--templates",
            "2",
        ])?;
        assert_eq!(shown.code, Some(0), "{}", shown.errors);
        assert!(shown.output.contains(path));
    }
    Ok(())
}

#[test]
fn hostile_files_are_looked_into_without_harm() -> Result<()> {
    let server = stopped_server()?;
    let file = segment(&server)?;
    let whole = fs::read(&file)?;
    let other = server.folder().join("hostile.segment");
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        for cut in [false, true] {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            if cut {
                bytes.truncate(at);
            }
            fs::write(&other, &bytes)?;
            let path = other.to_str().context("no UTF-8")?;
            let shown = run(&[
                "inspect",
                path,
                "--rows",
                "3",
                "--terms",
                "",
                "--templates",
                "1",
            ])?;
            ensure!(shown.code == Some(0), "{at}: {}", shown.errors);
            ensure!(shown.output.contains("damaged at offset"), "{at}");
            // Where nothing is known of its records, nothing is said of them.
            ensure!(!shown.output.contains("1970-01-01"), "{at}");
        }
    }
    fs::write(server.folder().join("note"), "no file of ours")?;
    let note = server.folder().join("note");
    let refused = run(&["inspect", note.to_str().context("no UTF-8")?])?;
    assert_eq!(refused.code, Some(2));
    Ok(())
}
