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
    "[store]\njournal_file = \"4MiB\"\ntail_max = \"4MiB\"\nsegment_rows_max = 1024\n";

#[test]
fn a_full_disk_stalls_writes_and_resumes_when_there_is_room() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let disk = match Tmpfs::mount(folder.path(), DISK_BYTES) {
        Ok(disk) => disk,
        Err(error) => return skipped(&format!("{error:#}")),
    };
    let server = Server::start_with(Setup {
        data_dir: Some(disk.path().join("data")),
        config: Some(SMALL_FILES.to_owned()),
        ..Setup::default()
    })?;
    let (api, relp) = (server.api(), server.addresses().relp);
    ensure!(api.get("/readyz")?.status == 200);

    let (stop, acknowledged) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        let sender = scope.spawn(|| send(relp, &stop, &acknowledged));
        let outcome = fill_and_free(api, disk.path(), &acknowledged);
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
fn fill_and_free(api: Api, disk: &Path, acknowledged: &AtomicU64) -> Result<()> {
    let now = || acknowledged.load(Ordering::Relaxed);
    wait_until("the first messages were acknowledged", LIMIT, || {
        now() > 100
    })?;
    let ballast = disk.join("ballast");
    fill(&ballast)?;
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

/// Writes a file until the disk has no byte left.
fn fill(path: &Path) -> Result<()> {
    let mut file = File::create(path)?;
    let mut chunk = 1 << 20;
    while chunk > 0 {
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

#[test]
fn a_flipped_byte_is_reported_and_the_rest_is_found() -> Result<()> {
    for place in [Place::Start, Place::Middle, Place::End] {
        check_damage(place).with_context(|| format!("{place:?}"))?;
    }
    Ok(())
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Start,
    Middle,
    End,
}

const PER_DAY: u64 = 2_000;

/// Imports two days, damages the segment of the first, and looks at what is left.
fn check_damage(place: Place) -> Result<()> {
    let mut server = Server::start()?;
    for day in ["2026-03-01", "2026-03-02"] {
        let lines: Vec<String> = (0..PER_DAY)
            .map(|n| {
                let (minute, second) = (n / 60 % 60, n % 60);
                format!("<13>1 {day}T10:{minute:02}:{second:02}Z h day{day} {n} - - word{n}\n")
            })
            .collect();
        let answer = server
            .api()
            .post("/api/v1/import?time=message", lines.concat().as_bytes())?;
        assert_eq!(answer.ok()?.json()?["imported"], PER_DAY);
    }
    ensure!(server.stop()?.success());
    let damaged = segments(&server.data_dir().join("logspaces/main/2026/03-01"))?;
    ensure!(!damaged.is_empty(), "no segment of the first day");
    for file in &damaged {
        flip(file, place)?;
    }

    server
        .start_again()
        .context("a damaged file must not keep the server from starting")?;
    let api = server.api();
    // The other day is whole.
    let day = [
        ("from", "2026-03-02T00:00:00Z"),
        ("to", "2026-03-03T00:00:00Z"),
    ];
    ensure!(api.export("", &day)?.len() as u64 == PER_DAY);
    // Reading everything meets the damage, and says so; what comes back is true.
    let answer = api
        .ask("search", &[("limit", "10000"), ("order", "asc")])?
        .lines()?;
    let (end, rows) = answer.split_last().context("an empty answer")?;
    for row in rows {
        let row = &row["row"];
        ensure!(
            text(row, "message") == format!("word{}", text(row, "pid")),
            "{row}"
        );
    }
    let is_whole = rows.len() as u64 == 2 * PER_DAY;
    let status = api.status()?;
    let damages = status["logspaces"][0]["damages"]
        .as_array()
        .map_or(0, Vec::len);
    let is_told = end["end"]["complete"] == false || damages > 0;
    // A byte of the index may be damaged while all rows can be read.
    ensure!(is_told || is_whole, "{} rows, {end}, {status}", rows.len());
    if is_whole {
        let answer = api.ask("count", &[("q", "word7")])?.json()?;
        ensure!(
            answer["count"] == 2 || answer["complete"] == false,
            "{answer}"
        );
    }
    Ok(())
}

/// The files of a day.
fn segments(day: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(day).with_context(|| format!("no {}", day.display()))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn flip(file: &Path, place: Place) -> Result<()> {
    let mut bytes = fs::read(file)?;
    let index = match place {
        Place::Start => 40,
        Place::Middle => bytes.len() / 2,
        Place::End => bytes.len() - 10,
    };
    bytes[index] ^= 0x10;
    fs::write(file, bytes).with_context(|| format!("cannot damage {}", file.display()))
}
