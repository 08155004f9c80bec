//! One fixed workload, in which any one call can be the one that goes wrong.

use model::Timestamp;
use store::{Clock, Durability, Options, Retention};

use crate::disk::{Fault, Plan};
use crate::records;
use crate::run::Failure;
use crate::run::drive::{COMPRESSION_LEVEL, Drive, End, data_dir};

/// How many steps there are.
const ROUNDS: usize = 16;

/// What goes wrong in a fixed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Nothing.
    None,
    /// The call behind so many fails, and so many in all.
    Fault(u64, u64, Fault),
    /// The power goes in the place of the call behind so many; of what was not flushed, each part
    /// stays with so many percent.
    PowerCut(u64, u64),
    /// The process dies in the place of the call behind so many; later the power goes.
    Kill(u64),
}

/// Runs the fixed workload; returns how many calls it made.
///
/// # Errors
/// When a promise was not kept.
pub fn run_fixed(mishap: Mishap) -> Result<u64, Failure> {
    let options = Options {
        threads: 2,
        segment_rows: 4,
        journal_file_bytes: 2_048,
        memory_bytes: 8 * 1024 * 1024,
        free_bytes_min: 0,
        free_bytes_warn: 0,
        compression_level: COMPRESSION_LEVEL,
        ..Options::new(data_dir())
    };
    let mut drive = Drive::new(7, options, &["main", "other"])?;
    let result = run(&mut drive, mishap);
    result.map_err(|failure| drive.explain(failure))
}

fn run(drive: &mut Drive, mishap: Mishap) -> Result<u64, Failure> {
    drive.machine.set_plan(match mishap {
        Mishap::None => Plan::default(),
        Mishap::Fault(calls_before, times, fault) => Plan {
            calls_before,
            fault: Some((times, fault)),
            ..Plan::default()
        },
        Mishap::PowerCut(calls, _) | Mishap::Kill(calls) => Plan {
            stop_after: Some(calls),
            ..Plan::default()
        },
    });
    let kept = match mishap {
        Mishap::PowerCut(_, kept) => kept,
        _ => 0,
    };
    start(drive, kept)?;
    let mut has_happened = mishap == Mishap::None;
    for round in 0..ROUNDS {
        work(drive, round)?;
        let is_down = drive.machine.is_down();
        if is_down && !matches!(mishap, Mishap::Kill(_)) {
            drive.end(End::PowerCut(kept))?;
            start(drive, kept)?;
            drive.check()?;
        } else if is_down || (!has_happened && drive.machine.is_over()) {
            // Whatever is only in the page cache now must not be built upon.
            has_happened = true;
            drive.end(if is_down { End::Kill } else { End::Close })?;
            start(drive, kept)?;
            drive.settle()?;
            drive.end(End::PowerCut(0))?;
            start(drive, kept)?;
            drive.check()?;
        }
    }
    let calls = drive.machine.calls();
    drive.check()?;
    drive.end(End::Kill)?;
    start(drive, kept)?;
    drive.check()?;
    drive.end(End::PowerCut(kept))?;
    start(drive, kept)?;
    drive.check()?;
    Ok(calls)
}

/// Starts the store, a second time where the first fell victim to what is planned.
fn start(drive: &mut Drive, kept: u64) -> Result<(), Failure> {
    if drive.start()? && !drive.machine.is_down() {
        return Ok(());
    }
    drive.end(End::PowerCut(kept))?;
    if drive.start()? {
        return Ok(());
    }
    Err(Failure::new(
        "the store does not start on a disk that works",
    ))
}

fn work(drive: &mut Drive, round: usize) -> Result<(), Failure> {
    let index = usize::from(round % 3 == 2);
    let Some(name) = drive.logspace(index) else {
        return Ok(());
    };
    let first = drive.oracle.next(&name);
    let now = drive.clock.now();
    drive.note(format!("round {round}"));
    match round {
        6 => {
            let batch = records::batch(&mut drive.random, first, 3, |random| {
                let days = i64::try_from(random.below(2)).unwrap_or(0);
                Timestamp::from_nanos(now.nanos() - days * 86_400 * 1_000_000_000)
            });
            drive.import(&name, batch)?;
        }
        9 => {
            let bytes_max = Some(1_000);
            let retention = Retention {
                bytes_max,
                ..Retention::default()
            };
            drive.bound(1, retention)?;
        }
        // The day is over, and what is of it gets compacted.
        13 => drive.clock.advance(86_400 * 1_000_000_000),
        15 => drive.wake()?,
        11 => {
            // What a stop made durable is not written once more, and still there without power.
            drive.end(End::Close)?;
            start(drive, 0)?;
            drive.settle()?;
            drive.end(End::PowerCut(0))?;
            return start(drive, 0);
        }
        _ => {
            let batch = records::batch(&mut drive.random, first, 2 + round % 3, |_| now);
            let durability = match round {
                10 => Durability::Fast,
                _ => Durability::Strict,
            };
            drive.append(&name, batch, durability)?;
        }
    }
    drive.read()?;
    if matches!(round, 3 | 8) {
        drive.put_document()?;
    }
    drive.settle()
}
