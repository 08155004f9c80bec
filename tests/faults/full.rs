//! A disk that others fill at twenty random moments, and a server that is killed while it is full.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use testkit::{Api, Random, Server, Setup, Tmpfs, skipped, wait_until};

use super::LIMIT;
use crate::crash::oracle;
use crate::crash::stream::{Kind, Stream, Transport};

const DISK_BYTES: u64 = 384 << 20;
const ROUNDS: u64 = 4;
const MOMENTS_PER_ROUND: u64 = 5;
/// How soon receiving goes on when there is room again.
const RESUME: Duration = Duration::from_secs(10);

const CONFIG: &str = "[store]\njournal_file = \"4MiB\"\nmemory_max = \"32MiB\"\n\
     segment_rows_max = 1024\nfree_min = \"0B\"\nfree_warn = \"1MiB\"\n";

const KIND: Kind = Kind {
    name: "full0",
    transport: Transport::Relp,
    logspace: "main",
    padding_max: 8_000,
    window_max: 128,
    session_max: u64::MAX,
};

#[test]
fn a_disk_that_is_full_at_random_moments_loses_nothing_acknowledged() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let disk = match Tmpfs::mount(folder.path(), DISK_BYTES) {
        Ok(disk) => disk,
        Err(error) => return skipped(&format!("{error:#}")),
    };
    let mut server = Server::start_with(Setup {
        data_dir: Some(disk.path().join("data")),
        config: Some(CONFIG.to_owned()),
        ..Setup::default()
    })?;
    let mut random = Random::new(20_261_121);
    let mut stream = Stream::new(KIND);
    for round in 0..ROUNDS {
        run_round(&mut server, &disk, &mut stream, &mut random)
            .with_context(|| format!("round {round}"))?;
        // It was killed on a full disk: it starts there all the same, and answers.
        server.start_again().context("on a full disk")?;
        let api = server.api();
        oracle::check_session(api, &mut stream).with_context(|| format!("round {round}"))?;
        free(&disk)?;
        wait_until_ready(api, RESUME)?;
    }
    oracle::check_all(server.api(), &stream, false)?;
    ensure!(server.stop()?.success());
    Ok(())
}

/// Fills and frees the disk under load, and leaves it full, with the server killed.
fn run_round(
    server: &mut Server,
    disk: &Tmpfs,
    stream: &mut Stream,
    random: &mut Random,
) -> Result<()> {
    let (addresses, api) = (server.addresses(), server.api());
    let stop = AtomicBool::new(false);
    let mut theirs = Random::new(random.bits());
    thread::scope(|scope| {
        let sender = scope.spawn(|| stream.run(addresses, &stop, &mut theirs));
        let outcome = (1..=MOMENTS_PER_ROUND).try_for_each(|moment| {
            pass(random.below(100))?;
            fill(disk)?;
            if moment == MOMENTS_PER_ROUND {
                // The reserve of allocated files is used up first.
                wait_until("writing stalled", LIMIT, || !is_ready(api))?;
                return api.count("program:crash").map(|_| ());
            }
            pass(random.below(300))?;
            free(disk)?;
            wait_until_ready(api, RESUME)
        });
        stop.store(true, Ordering::Relaxed);
        server.kill()?;
        sender
            .join()
            .map_err(|_| anyhow!("the sender panicked"))??;
        outcome
    })
}

fn is_ready(api: Api) -> bool {
    api.get("/readyz").is_ok_and(|answer| answer.status == 200)
}

fn wait_until_ready(api: Api, limit: Duration) -> Result<()> {
    wait_until("it was ready again", limit, || is_ready(api))
}

/// Lets so many milliseconds of load pass.
fn pass(milliseconds: u64) -> Result<()> {
    let started = Instant::now();
    let moment = Duration::from_millis(milliseconds);
    wait_until("the moment came", LIMIT, || started.elapsed() >= moment)
}

fn ballast(disk: &Tmpfs) -> std::path::PathBuf {
    disk.path().join("ballast")
}

fn fill(disk: &Tmpfs) -> Result<()> {
    fill_file(&ballast(disk)).context("cannot fill the disk")
}

fn fill_file(path: &Path) -> Result<()> {
    let mut file = File::create(path)?;
    let mut chunk = vec![b'x'; 1 << 20];
    while !chunk.is_empty() {
        match file.write(&chunk) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::StorageFull => chunk.truncate(chunk.len() / 2),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn free(disk: &Tmpfs) -> Result<()> {
    Ok(fs::remove_file(ballast(disk))?)
}
