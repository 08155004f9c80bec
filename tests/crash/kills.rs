//! SIGKILL at random moments, on several servers side by side.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};

use super::lane::Lane;
use super::number;
use super::oracle::Tally;

/// Kills on one data directory.
const KILLS_PER_LANE: u64 = 50;
/// Servers side by side: while one starts, another is under load.
const LANES_AT_ONCE: u64 = 4;
/// Kills from which on the logspace that forgets must have forgotten something.
const KILLS_UNTIL_EXPIRED: u64 = 40;

#[test]
fn kills_lose_nothing_acknowledged() -> Result<()> {
    let kills = number("LOGWOOD_CRASH_KILLS", 200)?;
    let seed = number("LOGWOOD_CRASH_SEED", 20_261_121)?;
    let lanes = kills.div_ceil(KILLS_PER_LANE);
    let started = Instant::now();
    let (next, total) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    thread::scope(|scope| {
        let workers: Vec<_> = (0..LANES_AT_ONCE.min(lanes))
            .map(|_| scope.spawn(|| work(seed, kills, &next, &total)))
            .collect();
        // The first failure that is found ends the test; every other one is told as well.
        let mut outcome = Ok(());
        for worker in workers {
            let ended = worker.join().map_err(|_| anyhow!("a lane panicked"));
            match (ended.and_then(|result| result), &outcome) {
                (Err(error), Ok(())) => outcome = Err(error),
                (Err(error), Err(_)) => println!("also: {error:#}"),
                (Ok(()), _) => {}
            }
        }
        outcome
    })?;
    let tally = *total.lock().map_err(|_| anyhow!("a lane panicked"))?;
    ensure!(
        tally.acknowledged > kills,
        "hardly anything was sent: {tally:?}"
    );
    println!(
        "result: 0 of {} acknowledged lost, {} stored, {} stored twice, compacted days at {} starts, \
         seed {seed}, {} s",
        tally.acknowledged,
        tally.stored,
        tally.duplicates,
        tally.compacted,
        started.elapsed().as_secs(),
    );
    Ok(())
}

/// Takes lanes until there are no more.
fn work(seed: u64, kills: u64, next: &AtomicU64, total: &Mutex<Tally>) -> Result<()> {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let first = number * KILLS_PER_LANE;
        if first >= kills {
            return Ok(());
        }
        let here = KILLS_PER_LANE.min(kills - first);
        let tally = run_lane(seed.wrapping_add(number), here)
            .with_context(|| format!("seed {seed}, lane {number}"));
        // Other lanes need not go on for long when one has failed.
        if tally.is_err() {
            next.store(kills, Ordering::Relaxed);
        }
        let tally = tally?;
        total
            .lock()
            .map_err(|_| anyhow!("a lane panicked"))?
            .add(tally);
    }
}

fn run_lane(seed: u64, kills: u64) -> Result<Tally> {
    let mut lane = Lane::start(seed)?;
    for kill in 0..kills {
        lane.cycle(kill).with_context(|| format!("kill {kill}"))?;
    }
    ensure!(
        kills < KILLS_UNTIL_EXPIRED || lane.expired() > 0,
        "retention deleted nothing in {kills} kills"
    );
    let tally = lane.finish()?;
    ensure!(
        kills < KILLS_UNTIL_EXPIRED || tally.compacted > 0,
        "nothing was compacted in {kills} kills"
    );
    Ok(tally)
}
