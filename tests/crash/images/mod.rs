//! Power cuts under a real ext4: 200 states a disk may be in, each mounted and recovered.
//!
//! A server writes strictly to a recorded disk while senders note at which length of the trace
//! each of their messages was acknowledged. An image is made for a random place of the trace; what
//! was acknowledged before it must be found in it. The control runs the same with syncs that do
//! nothing, and must be caught, or the test would prove nothing.

mod device; // The recorded disk.
mod trace; // From a recording to images.
mod workload; // What the server does meanwhile, and what was acknowledged when.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;
use testkit::{Api, Random, Server, Setup, peers::daemon, raw, run, skipped};

use self::device::Mount;
use self::trace::Images;
use self::workload::{Recording, record};
use super::number;

/// Images of one recording; more are made of further ones.
const IMAGES_PER_RECORDING: u64 = 500;
/// Every so many images a server starts on it too, and not only a reader.
const SERVE_EVERY: u64 = 8;
const WORKERS: usize = 2;
const CONTROL_IMAGES: u64 = 40;

#[test]
fn power_cuts_lose_nothing_acknowledged() -> Result<()> {
    if let Err(error) = device::check_tools() {
        return skipped(&format!("power cuts: {error:#}"));
    }
    let images = number("LOGWOOD_CRASH_IMAGES", 200)?;
    let seed = number("LOGWOOD_CRASH_SEED", 20_261_121)?;
    let started = Instant::now();
    let mut acknowledged = 0;
    let mut done = 0;
    while done < images {
        let seed = seed.wrapping_add(done);
        let here = IMAGES_PER_RECORDING.min(images - done);
        let recording = record(&[])?;
        let outcome = sweep(&recording, here, seed)?;
        if !outcome.losses.is_empty() {
            let all = outcome.losses.len();
            let told: Vec<&str> = outcome.losses.iter().take(3).map(String::as_str).collect();
            bail!(
                "{all} of {here} images are wrong, seed {seed}: {}",
                told.join("; ")
            );
        }
        acknowledged += recording.acknowledged();
        done += here;
    }
    println!(
        "result: 0 of {acknowledged} acknowledged lost in any of {images} images, seed {seed}, {} s",
        started.elapsed().as_secs()
    );
    Ok(())
}

#[test]
fn a_server_whose_syncs_do_nothing_is_caught() -> Result<()> {
    if let Err(error) = device::check_tools() {
        return skipped(&format!("power cuts: {error:#}"));
    }
    let Some(library) = eatmydata() else {
        return skipped("the control of power cuts: no Debian package libeatmydata1 here");
    };
    let recording = record(&[("LD_PRELOAD".to_owned(), library)])?;
    let outcome = sweep(&recording, CONTROL_IMAGES, 1)?;
    let lost = outcome
        .losses
        .iter()
        .filter(|loss| loss.contains(" acknowledged, "));
    let caught = lost.count() as u64;
    println!("without syncs {caught} of {CONTROL_IMAGES} images have lost something");
    ensure!(
        caught * 10 > CONTROL_IMAGES,
        "only {caught} of {CONTROL_IMAGES} images without syncs were caught"
    );
    Ok(())
}

/// The library that makes syncs do nothing.
fn eatmydata() -> Option<String> {
    let folders = fs::read_dir("/usr/lib").ok()?;
    folders
        .filter_map(|entry| entry.ok().map(|entry| entry.path().join("libeatmydata.so")))
        .find(|file| file.is_file())
        .and_then(|file| file.to_str().map(str::to_owned))
}

/// What images have shown: each loss in words.
#[derive(Debug, Default)]
struct Outcome {
    losses: Vec<String>,
}

/// Makes images at random places of a recording and looks at each.
fn sweep(recording: &Recording, images: u64, seed: u64) -> Result<Outcome> {
    let mut random = Random::new(seed);
    let entries = recording.trace.len() as u64;
    ensure!(entries > 0, "nothing was written to the disk");
    let mut cuts: Vec<(usize, u64)> = (0..images)
        .map(|_| Ok((usize::try_from(random.below(entries))?, random.bits())))
        .collect::<Result<_>>()?;
    cuts.sort_unstable();
    let (total, served) = (Mutex::new(Outcome::default()), AtomicU64::new(0));
    thread::scope(|scope| {
        let workers: Vec<_> = cuts
            .chunks(cuts.len().div_ceil(WORKERS))
            .map(|cuts| scope.spawn(|| look_at_all(recording, cuts, &total, &served)))
            .collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow!("a worker panicked"))??;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    total.into_inner().map_err(|_| anyhow!("a worker panicked"))
}

fn look_at_all(
    recording: &Recording,
    cuts: &[(usize, u64)],
    total: &Mutex<Outcome>,
    count: &AtomicU64,
) -> Result<()> {
    let folder = device::memory_folder()?;
    let image = folder.path().join("image");
    let mounted = folder.path().join("mounted");
    fs::create_dir(&mounted)?;
    let durable = folder.path().join("durable");
    let mut images = Images::new(&recording.trace, &recording.device.base(), &durable)?;
    for (entry, seed) in cuts {
        images.cut(*entry, &image, &mut Random::new(*seed))?;
        let mount = mount_checked(&image, &mounted)?;
        let serves = count
            .fetch_add(1, Ordering::Relaxed)
            .is_multiple_of(SERVE_EVERY);
        let looked = look(recording, *entry, &mounted.join("data"), serves);
        mount.unmount()?;
        if let Err(loss) = looked {
            let loss = format!("behind entry {entry}, seed {seed}: {loss:#}");
            let mut total = total.lock().map_err(|_| anyhow!("a worker panicked"))?;
            total.losses.push(loss);
        }
    }
    Ok(())
}

/// Mounts an image; where its own journal is torn, ext4's checker mends it first, as a start of a
/// machine would.
fn mount_checked(image: &Path, mounted: &Path) -> Result<Mount> {
    if let Ok(mount) = Mount::new(image, mounted) {
        return Ok(mount);
    }
    let checker = daemon("e2fsck", "e2fsprogs")?;
    // Its exit code says what it mended.
    let output = Command::new(checker).arg("-fy").arg(image).output()?;
    Mount::new(image, mounted).with_context(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compares what is found in a mounted image with what was acknowledged before it.
fn look(recording: &Recording, entry: usize, data_dir: &Path, serves: bool) -> Result<()> {
    let position = recording.trace.end(entry);
    let rows = if data_dir.join("logspaces").is_dir() {
        read(data_dir)?
    } else {
        // The first start was cut short; a reader rightly says that this is no data directory.
        Vec::new()
    };
    recording.check(position, &rows)?;
    if serves {
        serve(recording, position, data_dir, &rows)?;
    }
    Ok(())
}

/// What a reader finds, the oldest first.
fn read(data_dir: &Path) -> Result<Vec<Value>> {
    let path = data_dir.to_str().context("a path that is not UTF-8")?;
    let words = [
        "search",
        "--data-dir",
        path,
        "--json",
        "--raw",
        "--limit",
        "1000000",
    ];
    let found = run(&words)?;
    let is_answered = match found.code {
        Some(0) => found.errors.is_empty(),
        Some(1) => found.errors.trim() == "no records match: none are stored yet",
        _ => false,
    };
    ensure!(is_answered, "search: {:?}, {}", found.code, found.errors);
    let mut rows = Vec::new();
    for line in found.output.lines() {
        let mut line: Value = serde_json::from_str(line)?;
        match line.get_mut("row") {
            Some(row) => rows.push(row.take()),
            None => ensure!(line["end"]["complete"] == true, "{line}"),
        }
    }
    rows.reverse();
    Ok(rows)
}

/// A server finds the same, nothing damaged, and goes on.
fn serve(recording: &Recording, position: u64, data_dir: &Path, before: &[Value]) -> Result<()> {
    let server = Server::start_with(Setup {
        data_dir: Some(data_dir.to_owned()),
        config: Some(workload::CONFIG.to_owned()),
        ..Setup::default()
    })?;
    let api: Api = server.api();
    let rows = api.export("program:crash", &[])?;
    recording.check(position, &rows)?;
    ensure!(
        rows.len() == before.len(),
        "a server finds {} records and a reader {}",
        rows.len(),
        before.len()
    );
    for (row, before) in rows.iter().zip(before) {
        ensure!(raw(row)? == raw(before)?, "{row}, {before} for a reader");
    }
    let status = api.status()?;
    for logspace in status["logspaces"].as_array().context("no logspaces")? {
        let is_whole = logspace["damages"].as_array().is_some_and(Vec::is_empty);
        ensure!(is_whole, "{logspace}");
    }
    let answer = api.post("/api/v1/ingest", b"<13>1 - - after - - - the cut")?;
    ensure!(answer.status == 200, "{}", answer.text());
    ensure!(api.count("program:after")? == 1);
    Ok(())
}
