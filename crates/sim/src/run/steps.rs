//! What a seed does, step by step.

use std::time::Duration;

use model::{LogspaceName, Timestamp};
use store::{Clock, Durability, Options, Retention};

use crate::disk::{Call, Fault, Plan};
use crate::random::Random;
use crate::records;
use crate::run::Failure;
use crate::run::drive::{COMPRESSION_LEVEL, Drive, End, data_dir};

/// `aged` and `sized` are bounded at times, and only `main` and `aged` get imports.
const LOGSPACES: [&str; 3] = ["main", "aged", "sized"];

/// How many times a start is disturbed in a row.
const DISTURBED_STARTS_MAX: u64 = 2;

const HOUR_SECONDS: u64 = 3_600;
const NANOS: i64 = 1_000_000_000;

/// Runs one seed.
///
/// # Errors
/// When a promise was not kept, with the steps that led to it.
pub fn run_seed(seed: u64) -> Result<(), Failure> {
    let mut random = Random::new(seed ^ 0x5eed);
    let options = Options {
        threads: usize::try_from(random.between(1, 3)).unwrap_or(1),
        segment_rows: usize::try_from(random.between(3, 40)).unwrap_or(3),
        journal_file_bytes: random.pick(&[2_048, 4_096, 16_384]).unwrap_or(4_096),
        memory_bytes: 8 * 1024 * 1024,
        free_bytes_min: random.pick(&[0, 0, 4_096]).unwrap_or(0),
        free_bytes_warn: 0,
        compression_level: COMPRESSION_LEVEL,
        ..Options::new(data_dir())
    };
    let mut drive = Drive::new(random.bits(), options, &LOGSPACES)?;
    let steps = random.between(10, 28);
    let mut run = Run {
        drive: &mut drive,
        in_lock_step: !seed.is_multiple_of(4),
        in_all_modes: seed.is_multiple_of(3),
        documents: Random::new(seed ^ 0xd0c),
    };
    let result = run.all(steps);
    result.map_err(|failure| drive.explain(failure))
}

struct Run<'a> {
    drive: &'a mut Drive,
    in_lock_step: bool,
    /// Whether some records are acknowledged before they are synced.
    in_all_modes: bool,
    /// Decides when documents are written, so that they change nothing else.
    documents: Random,
}

impl Run<'_> {
    fn all(&mut self, steps: u64) -> Result<(), Failure> {
        self.restart()?;
        for _ in 0..steps {
            self.step()?;
            self.drive.read()?;
            if self.documents.percent(25) {
                self.drive.put_document()?;
            }
            if self.in_lock_step {
                self.drive.settle()?;
            }
            if self.drive.machine.is_down() {
                let end = self.crash();
                self.end_and_restart(end)?;
            }
        }
        self.drive.check()?;
        let last = End::PowerCut(0);
        self.end_and_restart(last)
    }

    fn step(&mut self) -> Result<(), Failure> {
        match self.drive.random.below(100) {
            0..38 => self.append()?,
            38..52 => {
                for _ in 0..self.drive.random.between(2, 8) {
                    self.hand_over()?;
                }
            }
            52..60 => self.import()?,
            60..66 => self.retention()?,
            66..72 => self.clock(),
            72..80 => self.drive.check()?,
            80..83 => self.close()?,
            83..84 => {
                // What waits while the disk refuses is refused as a whole.
                self.plan_fault(4);
                for _ in 0..4 {
                    self.hand_over()?;
                }
                self.end_and_restart(End::Close)?;
            }
            84..90 => {
                let end = self.crash();
                self.end_and_restart(end)?;
            }
            90..92 => {
                let room = self.drive.random.below(12_000);
                self.drive.note(format!("the disk has {room} bytes left"));
                self.drive.machine.set_room(Some(room));
            }
            92..93 if self.in_all_modes => self.wait_for_sync()?,
            92..96 => self.plan_fault(60),
            _ => self.plan_stop(60),
        }
        Ok(())
    }

    /// Asks the store to end, with something that is not synced yet, and sometimes with the power
    /// going meanwhile or right behind it.
    fn close(&mut self) -> Result<(), Failure> {
        if self.in_all_modes {
            self.hand_over_as(Durability::Fast)?;
            self.drive.wait()?;
        }
        let random = &mut self.drive.random;
        let kept = random.pick(&[0, 50, 100]).unwrap_or(0);
        let end = match random.below(3) {
            0 => End::Close,
            _ => End::CloseThenPowerCut(kept),
        };
        if random.percent(30) {
            self.plan_stop(10);
        }
        self.end_and_restart(end)
    }

    fn crash(&mut self) -> End {
        let random = &mut self.drive.random;
        match random.below(4) {
            0 => End::Kill,
            _ => End::PowerCut(random.pick(&[0, 10, 50, 90, 100]).unwrap_or(0)),
        }
    }

    fn plan_fault(&mut self, calls: u64) {
        let random = &mut self.drive.random;
        let calls_before = random.below(calls);
        let fault = random.pick(&Fault::ALL).unwrap_or(Fault::Io);
        let only = match random.below(4) {
            0 => vec![Call::Sync],
            1 => {
                let calls = [Call::Write, Call::SyncDir, Call::Rename, Call::Allocate];
                random.pick(&calls).into_iter().collect()
            }
            _ => Vec::new(),
        };
        let plan = Plan {
            calls_before: if only.is_empty() {
                calls_before
            } else {
                calls_before / 8
            },
            fault: Some((random.between(1, 4), fault)),
            only,
            stop_after: random.percent(25).then(|| random.below(2 * calls)),
        };
        self.drive.note(format!("plan: {plan:?}"));
        self.drive.machine.set_plan(plan);
    }

    fn plan_stop(&mut self, calls: u64) {
        let plan = Plan {
            stop_after: Some(self.drive.random.below(calls)),
            ..Plan::default()
        };
        self.drive.note(format!("plan: {plan:?}"));
        self.drive.machine.set_plan(plan);
    }

    /// Ends the store and starts it again, sometimes with trouble on the way, and looks at it.
    fn end_and_restart(&mut self, end: End) -> Result<(), Failure> {
        self.drive.end(end)?;
        self.restart()?;
        self.drive.check()
    }

    fn restart(&mut self) -> Result<(), Failure> {
        self.drive.machine.mend();
        for _ in 0..DISTURBED_STARTS_MAX {
            match self.drive.random.below(10) {
                0 => self.plan_stop(30),
                1 => self.plan_fault(30),
                _ => break,
            }
            // A segment that could not be opened counts as damaged until the next start.
            self.drive.start()?;
            let end = self.crash();
            self.drive.end(end)?;
        }
        if self.drive.start()? {
            return Ok(());
        }
        Err(Failure::new(
            "the store does not start on a disk that works",
        ))
    }

    fn append(&mut self) -> Result<(), Failure> {
        self.hand_over()?;
        self.drive.wait()
    }

    /// Time alone makes durable what is acknowledged.
    fn wait_for_sync(&mut self) -> Result<(), Failure> {
        self.hand_over_as(Durability::Normal)?;
        self.drive.wait_for_sync()
    }

    fn hand_over(&mut self) -> Result<(), Failure> {
        let random = &mut self.drive.random;
        let durability = match self.in_all_modes {
            true => random.pick(&Durability::ALL).unwrap_or_default(),
            false => Durability::Strict,
        };
        self.hand_over_as(durability)
    }

    fn hand_over_as(&mut self, durability: Durability) -> Result<(), Failure> {
        let Some(name) = self.some_logspace(LOGSPACES.len()) else {
            return Ok(());
        };
        let count = self.drive.random.between(1, 12);
        let now = self.drive.clock.now();
        let first = self.drive.oracle.next(&name);
        let count = usize::try_from(count).unwrap_or(1);
        let batch = records::batch(&mut self.drive.random, first, count, |_| now);
        let mode = durability.name();
        self.drive
            .note(format!("append {name} {first}+{count}, {mode}"));
        self.drive.append(&name, batch, durability)
    }

    fn import(&mut self) -> Result<(), Failure> {
        let Some(name) = self.some_logspace(2) else {
            return Ok(());
        };
        let count = usize::try_from(self.drive.random.between(1, 20)).unwrap_or(1);
        let now = self.drive.clock.now();
        let first = self.drive.oracle.next(&name);
        let batch = records::batch(&mut self.drive.random, first, count, |random| {
            let seconds = i64::try_from(random.below(48 * HOUR_SECONDS)).unwrap_or(0);
            Timestamp::from_nanos(now.nanos() - seconds * NANOS)
        });
        self.drive.note(format!("import {name} {first}+{count}"));
        self.drive.import(&name, batch)
    }

    fn retention(&mut self) -> Result<(), Failure> {
        let random = &mut self.drive.random;
        let (index, retention) = if random.percent(50) {
            let age = Duration::from_secs(random.between(1, 72) * HOUR_SECONDS);
            let age_max = Some(age);
            (
                1,
                Retention {
                    age_max,
                    ..Retention::default()
                },
            )
        } else {
            let bytes_max = Some(random.between(500, 20_000));
            (
                2,
                Retention {
                    bytes_max,
                    ..Retention::default()
                },
            )
        };
        self.drive.note(format!("{retention:?}"));
        self.drive.bound(index, retention)
    }

    /// Time passes, sometimes much of it, sometimes backwards.
    fn clock(&mut self) {
        let random = &mut self.drive.random;
        let most = random
            .pick(&[10, HOUR_SECONDS, 30 * HOUR_SECONDS])
            .unwrap_or(10);
        let seconds = i64::try_from(random.below(most)).unwrap_or(0);
        let seconds = if random.percent(20) {
            -seconds
        } else {
            seconds
        };
        // What the oracle takes for too old counts from the latest of times.
        self.drive.oracle.pass_time(self.drive.clock.now());
        self.drive.note(format!("{seconds} seconds pass"));
        self.drive.clock.advance(seconds * NANOS);
    }

    fn some_logspace(&mut self, count: usize) -> Option<LogspaceName> {
        let index = self.drive.random.below(count as u64);
        self.drive.logspace(usize::try_from(index).unwrap_or(0))
    }
}
