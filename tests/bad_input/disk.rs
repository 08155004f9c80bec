//! A full disk, a damaged file, a second process.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use testkit::{Api, Random, RelpClient, Server, Setup, Tmpfs, run, skipped, text, wait_until};

const DISK_BYTES: u64 = 96 << 20;
const MESSAGE_BYTES: usize = 8_000;
const LIMIT: Duration = Duration::from_secs(120);
/// How long nothing may be acknowledged until writes count as stalled.
const SILENCE: Duration = Duration::from_secs(1);

const SMALL_FILES: &str =
    "[store]\njournal_file = \"4MiB\"\nmemory_max = \"32MiB\"\nsegment_rows_max = 1024\n";
/// Writing goes on until the disk has no byte left.
const NO_RESERVE: &str = "free_min = \"0B\"\n";
/// Writing stops while there is still some room.
const RESERVE: &str = "free_min = \"16MiB\"\n";
const RESERVE_BYTES: u64 = 16 << 20;

#[test]
fn a_full_disk_stalls_writes_and_resumes_when_there_is_room() -> Result<()> {
    stalls_and_resumes(NO_RESERVE, 0)
}

#[test]
fn writes_stall_before_the_reserve_of_the_disk_is_touched() -> Result<()> {
    stalls_and_resumes(RESERVE, RESERVE_BYTES)
}

/// Lets others fill the disk up to `left` bytes while messages come in.
fn stalls_and_resumes(reserve: &str, left: u64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let disk = match Tmpfs::mount(folder.path(), DISK_BYTES) {
        Ok(disk) => disk,
        Err(error) => return skipped(&format!("{error:#}")),
    };
    let server = Server::start_with(Setup {
        data_dir: Some(disk.path().join("data")),
        config: Some(format!("{SMALL_FILES}{reserve}")),
        ..Setup::default()
    })?;
    let (api, relp) = (server.api(), server.addresses().relp);
    ensure!(api.get("/readyz")?.status == 200);

    let (stop, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let sender = scope.spawn(|| send(relp, &stop, &acknowledged));
        let outcome = fill_and_free(api, &disk, left, &acknowledged);
        stop.store(true, Ordering::Relaxed);
        let sent = sender.join().map_err(|_| anyhow!("the sender panicked"))?;
        outcome?;
        let sent = sent?;
        // The sender waited for all its answers, so everything is there exactly once, in order.
        let rows = api.export("program:disk", &[])?;
        ensure!(rows.len() as u64 == sent, "{} of {sent} found", rows.len());
        for (number, row) in rows.iter().enumerate() {
            ensure!(
                text(row, "msgid") == number.to_string(),
                "{number}: {}",
                row["msgid"]
            );
        }
        Ok(())
    })?;
    let counts = api.conserved("relp")?;
    ensure!(counts.dropped == 0, "{counts:?}");
    Ok(())
}

/// Fills the disk, looks at the stalled server, makes room, and waits until it goes on.
fn fill_and_free(api: Api, disk: &Tmpfs, left: u64, acknowledged: &AtomicU64) -> Result<()> {
    let now = || acknowledged.load(Ordering::Relaxed);
    wait_until("the first messages were acknowledged", LIMIT, || {
        now() > 100
    })?;
    let ballast = disk.path().join("ballast");
    fill(&ballast, disk, left)?;
    wait_until("readiness was withdrawn", LIMIT, || {
        api.get("/readyz").is_ok_and(|answer| answer.status == 503)
    })?;
    let mut last = (now(), Instant::now());
    wait_until("no more was acknowledged", LIMIT, || {
        if now() != last.0 {
            last = (now(), Instant::now());
        }
        last.1.elapsed() > SILENCE
    })?;
    let stalled = now();
    ensure!(
        api.get("/healthz")?.status == 200,
        "a full disk is not death"
    );
    ensure!(
        api.count("program:disk")? >= stalled,
        "what is acknowledged is found meanwhile"
    );
    let status = api.status()?;
    ensure!(status["storage"]["state"] == "stalled", "{status}");
    ensure!(!text(&status["storage"], "reason").is_empty(), "{status}");
    ensure!(
        now() == stalled,
        "something was acknowledged that cannot be durable"
    );

    fs::remove_file(&ballast)?;
    wait_until("it was ready again", LIMIT, || {
        api.get("/readyz").is_ok_and(|answer| answer.status == 200)
    })?;
    wait_until("it went on", LIMIT, || now() > stalled + 100)
}

/// Writes a file until the disk has no more than `left` bytes left.
fn fill(path: &Path, disk: &Tmpfs, left: u64) -> Result<()> {
    let mut file = File::create(path)?;
    let mut chunk = 1 << 20;
    while chunk > 0 && (left == 0 || disk.free_bytes()? > left) {
        match file.write(&vec![b'x'; chunk]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::StorageFull => chunk /= 2,
            Err(error) => return Err(error).context("cannot fill the disk"),
        }
    }
    Ok(())
}

/// Sends numbered messages that do not compress well until told to stop; returns how many.
fn send(relp: SocketAddr, stop: &AtomicBool, acknowledged: &AtomicU64) -> Result<u64> {
    let mut random = Random::new(5);
    let mut client = RelpClient::connect(relp, 16)?;
    let mut sent = 0;
    while !stop.load(Ordering::Relaxed) {
        let mut message = format!("<13>1 - - disk - {sent} - ");
        while message.len() < MESSAGE_BYTES {
            message.push_str(&format!("{:016x}", random.bits()));
        }
        // While the disk is full this waits, up to a minute for each answer.
        client.send(message.as_bytes())?;
        sent += 1;
        acknowledged.store(client.acknowledged().len() as u64, Ordering::Relaxed);
    }
    client.flush()?;
    Ok(sent)
}

#[test]
fn a_second_process_on_the_same_data_is_refused() -> Result<()> {
    let server = Server::start()?;
    let data_dir = server
        .data_dir()
        .to_str()
        .context("a path that is not UTF-8")?;
    let mut words = vec!["serve", "--data-dir", data_dir];
    for listener in ["--http", "--udp", "--tcp", "--tls", "--relp"] {
        words.extend([listener, "127.0.0.1:0"]);
    }
    let second = run(&words)?;
    assert_eq!(second.code, Some(2), "{}", second.errors);
    assert!(second.errors.contains(data_dir), "{}", second.errors);
    assert!(second.output.is_empty());
    // The first one goes on.
    assert_eq!(server.api().get("/readyz")?.status, 200);
    Ok(())
}

const PER_DAY: u64 = 2_000;
/// Places of a segment, evenly spread, and its very ends.
const PLACES: usize = 14;

#[test]
fn a_flipped_byte_is_reported_and_the_rest_is_found() -> Result<()> {
    let mut server = Server::start()?;
    for day in ["2026-03-01", "2026-03-02"] {
        let body = lines_of(day).concat();
        let answer = server
            .api()
            .post("/api/v1/import?time=message", body.as_bytes())?;
        assert_eq!(answer.ok()?.json()?["imported"], PER_DAY);
    }
    ensure!(server.stop()?.success());
    let data_dir = server.data_dir().to_owned();
    let file = segment(&data_dir.join("logspaces/main/2026/03-01"))?;
    let whole = fs::read(&file)?;
    let last = whole.len() - 1;
    let mut told = 0;
    // A server mends what can be mended, and writes days that are over anew.
    let before = server.folder().join("before");
    copy_dir(&data_dir, &before)?;
    for place in 0..=PLACES {
        let index = last * place / PLACES;
        let mut damaged = whole.clone();
        fs::remove_dir_all(&data_dir)?;
        copy_dir(&before, &data_dir)?;
        damaged[index] ^= 0x10;
        fs::write(&file, damaged)?;
        let at = || format!("byte {index} of {}", whole.len());
        server.start_again().with_context(at)?;
        told += u64::from(look_at_damage(server.api()).with_context(at)?);
        server.kill()?;
    }
    // What the index lost is answered from the rows, but lost rows must be told.
    ensure!(told >= 3, "only {told} damages were told");
    fs::remove_dir_all(&data_dir)?;
    copy_dir(&before, &data_dir)?;
    server.start_again()?;
    server.api().wait_for_count("", 2 * PER_DAY)
}

fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_dir(&entry.path(), &target)?,
            false => _ = fs::copy(entry.path(), target)?,
        }
    }
    Ok(())
}

fn lines_of(day: &str) -> Vec<String> {
    (0..PER_DAY)
        .map(|n| {
            let (minute, second) = (n / 60 % 60, n % 60);
            format!("<13>1 {day}T10:{minute:02}:{second:02}Z h day{day} {n} - - word{n}\n")
        })
        .collect()
}

/// The one file of a day.
fn segment(day: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(day).with_context(|| format!("no {}", day.display()))?;
    Ok(entries.next().context("the day is empty")??.path())
}

/// Asserts that the second day is whole and that every answer about the first is right or says
/// that it is not complete. Returns whether the damage was told.
fn look_at_damage(api: Api) -> Result<bool> {
    let second_day = [
        ("from", "2026-03-02T00:00:00Z"),
        ("to", "2026-03-03T00:00:00Z"),
    ];
    ensure!(api.export("", &second_day)?.len() as u64 == PER_DAY);
    let mut told = false;
    let words = (0..PER_DAY)
        .step_by(20)
        .map(|n| (format!("word{n} pid:{n}"), 2));
    let all = [
        "word*",
        "pid:*",
        "host:h",
        "program:day*",
        "severity:notice facility:user",
    ];
    let all = all.map(|query| (query.to_owned(), 2 * PER_DAY));
    for (query, expected) in words.chain(all) {
        let answer = api.ask("count", &[("q", &query)])?.json()?;
        let is_told = answer["complete"] == false;
        ensure!(answer["count"] == expected || is_told, "{query}: {answer}");
        told |= is_told;
    }
    let lines = api
        .ask("search", &[("limit", "10000"), ("order", "asc")])?
        .lines()?;
    let (end, rows) = lines.split_last().context("an empty answer")?;
    for row in rows {
        let row = &row["row"];
        ensure!(
            text(row, "message") == format!("word{}", text(row, "pid")),
            "{row}"
        );
    }
    let end = &end["end"];
    ensure!(
        rows.len() as u64 == 2 * PER_DAY || end["complete"] == false,
        "{} rows, {end}",
        rows.len()
    );
    let status = api.status()?;
    let damages = status["logspaces"][0]["damages"]
        .as_array()
        .context("no damages")?;
    Ok(told || end["complete"] == false || !damages.is_empty())
}
