//! Flipped bits: every bit of a journal, a manifest and a segment, one at a time.
//!
//! A flip must be found and located, or change nothing. What the last commit of a journal file
//! looks like with a flip cannot be told from a commit that did not finish: it is dropped as such,
//! which the log says and no damage does; those cases are counted by themselves.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;

use engine::{Cancel, Scope};
use model::{LogspaceName, Timestamp};
use store::{Clock, Durability, Options, Part, Store};

use crate::clock::SimClock;
use crate::disk::Machine;
use crate::random::Random;
use crate::records;
use crate::side_by_side::side_by_side;

/// What came of all flips.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Flips that were made.
    pub flips: u64,
    /// The damage was reported with the file, or answers were marked as not complete.
    pub found: u64,
    /// All answers were the same as before.
    pub harmless: u64,
    /// The last commit of a journal file counted as not finished.
    pub torn: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} flips: {} found, {} harmless, {} taken for a commit that did not finish, 0 silent",
            self.flips, self.found, self.harmless, self.torn
        )
    }
}

/// What a store says, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Answers {
    rows: Vec<(u64, Timestamp, Vec<u8>)>,
    counts: Vec<u64>,
}

/// An answer, and what was reported with it.
struct Seen {
    answers: Answers,
    reports: Vec<String>,
}

struct Specimen {
    machine: Machine,
    clock: Arc<SimClock>,
    whole: Answers,
    /// The records of the last commit.
    last_commit: u64,
}

/// Flips every bit whose number leaves `rest` when divided by `every`, of every file of a
/// specimen, and looks at it through a store that only reads and one that may mend.
///
/// # Errors
/// Where an answer changed and nothing was reported, or the store did not open.
pub fn run(every: u64, rest: u64) -> Result<Tally, String> {
    let specimen = Specimen::new()?;
    let tally = Mutex::new(Tally::default());
    for (path, len) in specimen.machine.files() {
        if path.ends_with("lock") {
            continue;
        }
        let rest = rest % every;
        let count = (len * 8).saturating_sub(rest).div_ceil(every);
        side_by_side(count, |case| {
            let bit = case * every + rest;
            let outcome = specimen.flip(&path, bit);
            let outcome =
                outcome.map_err(|what| format!("bit {bit} of {}: {what}", path.display()))?;
            let mut tally = tally.lock().map_err(|error| error.to_string())?;
            tally.flips += 1;
            match outcome {
                Outcome::Found => tally.found += 1,
                Outcome::Harmless => tally.harmless += 1,
                Outcome::Torn => tally.torn += 1,
            }
            Ok(())
        })?;
    }
    tally.into_inner().map_err(|error| error.to_string())
}

enum Outcome {
    Found,
    Harmless,
    Torn,
}

impl Specimen {
    /// A data directory with a segment, a manifest and a journal of several commits.
    fn new() -> Result<Self, String> {
        let clock = Arc::new(SimClock::new(Timestamp::from_seconds(1_700_000_000)));
        let machine = Machine::new(1, Arc::clone(&clock));
        let mut random = Random::new(1);
        let now = clock.now();
        let mut first = 0;
        let mut fill = |options: Options, batches: &[usize]| -> Result<(), String> {
            let clock: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
            let store = Store::open(options, machine.disk(), clock).map_err(|e| e.to_string())?;
            let main = LogspaceName::main();
            store.create_logspace(&main).map_err(|e| e.to_string())?;
            for count in batches {
                let batch = records::batch(&mut random, first, *count, |_| now);
                first += count;
                let (sender, outcome) = std::sync::mpsc::channel();
                store.append(
                    &main,
                    batch,
                    Durability::Strict,
                    Box::new(move |result| _ = sender.send(result)),
                );
                let result = outcome.recv().map_err(|e| e.to_string())?;
                result.map_err(|e| e.to_string())?;
                while !store.is_idle() {
                    std::thread::yield_now();
                }
            }
            Ok(())
        };
        fill(options(40), &[40, 40])?;
        fill(options(1_000), &[20, 1, 15])?;
        let mut specimen = Self {
            machine,
            clock,
            whole: Answers {
                rows: Vec::new(),
                counts: Vec::new(),
            },
            last_commit: 15,
        };
        let seen = specimen.look(&specimen.machine, true)?;
        if !seen.reports.is_empty() || seen.answers.rows.len() != 116 {
            return Err(format!("the specimen is not whole: {:?}", seen.reports));
        }
        specimen.whole = seen.answers;
        Ok(specimen)
    }

    fn flip(&self, path: &Path, bit: u64) -> Result<Outcome, String> {
        let copy = self.machine.copy();
        copy.flip(path, bit);
        let read_only = self.judge(path, &self.look(&copy, true)?)?;
        // What is written anew at a start must not hide what a reader would have found.
        let opened = self.judge(path, &self.look(&copy, false)?)?;
        Ok(match (read_only, opened) {
            (Outcome::Torn, _) | (_, Outcome::Torn) => Outcome::Torn,
            (Outcome::Harmless, Outcome::Harmless) => Outcome::Harmless,
            _ => Outcome::Found,
        })
    }

    fn judge(&self, path: &Path, seen: &Seen) -> Result<Outcome, String> {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        if !seen.reports.is_empty() {
            let is_located = seen.reports.iter().any(|report| report.contains(&name));
            // A newer format and a missing manifest are said of the file as well.
            return if is_located {
                Ok(Outcome::Found)
            } else {
                Err(format!("reported elsewhere: {:?}", seen.reports))
            };
        }
        if seen.answers == self.whole {
            return Ok(Outcome::Harmless);
        }
        let whole = self.whole.rows.len();
        let kept = seen.answers.rows.len();
        let is_start = self.whole.rows.starts_with(&seen.answers.rows);
        let is_last = whole - kept <= usize::try_from(self.last_commit).unwrap_or(0);
        if is_start && is_last && name.ends_with(".journal") {
            return Ok(Outcome::Torn);
        }
        Err("the answer is another one, and nothing was said".to_owned())
    }

    /// All rows and some counts, by a store that only reads or one that may mend.
    fn look(&self, machine: &Machine, is_read_only: bool) -> Result<Seen, String> {
        let clock: Arc<dyn Clock> = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let mut seen = Seen {
            answers: Answers {
                rows: Vec::new(),
                counts: Vec::new(),
            },
            reports: Vec::new(),
        };
        let open = if is_read_only {
            Store::open_read_only
        } else {
            Store::open
        };
        let store = match open(options(1_000), machine.disk(), clock) {
            Ok(store) => store,
            Err(error) => {
                seen.reports.push(error.to_string());
                return Ok(seen);
            }
        };
        let main = LogspaceName::main();
        let snapshot = store.snapshot(&main).ok_or("the logspace is gone")?;
        seen.reports
            .extend(snapshot.damages.iter().map(ToString::to_string));
        for part in &snapshot.parts {
            read(part, &mut seen);
        }
        let scope = Scope::new(vec![snapshot]);
        for text in records::QUERIES {
            let query = query::parse(text)
                .into_result()
                .map_err(|e| e.to_string())?;
            let found = engine::count(&scope, &query, &Cancel::new());
            seen.answers.counts.push(found.count);
            seen.reports
                .extend(found.completeness.reason().map(str::to_owned));
        }
        Ok(seen)
    }
}

fn read(part: &Part, seen: &mut Seen) {
    let mut number = part.first_number().0;
    let mut add = |batch: &model::RecordBatch| {
        for record in batch.iter() {
            let bytes = format!("{:?} {:?}", record.raw(), record.priority()).into_bytes();
            seen.answers.rows.push((number, record.received(), bytes));
            number += 1;
        }
    };
    match part {
        Part::Tail(chunk) => add(&chunk.batch),
        Part::Segment(segment) => {
            for index in 0..segment.chunks() {
                match segment.chunk_records(index) {
                    Ok(records) => add(&records),
                    Err(error) => seen.reports.push(error.to_string()),
                }
            }
        }
    }
}

fn options(segment_rows: usize) -> Options {
    Options {
        threads: 2,
        segment_rows,
        journal_file_bytes: 12 * 1024,
        memory_bytes: 8 * 1024 * 1024,
        free_bytes_min: 0,
        ..Options::new(PathBuf::from("/data"))
    }
}
