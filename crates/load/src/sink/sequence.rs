//! Numbers in messages: what is missing, what came twice, what came late.
//!
//! loggen and `logwood load` write `seq: NNN, thread: NNN, runid: NNN`, numbered by thread from 0;
//! tcpflood writes `msgnum:NNN:`, numbered over all of its connections.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem::Finder;

use crate::sink::limits::{GAPS_MAX, RUNS_MAX};

/// Digits of a number of 64 bits, whatever they are.
const DIGITS_MAX: usize = 19;

/// A numbered run of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RunId {
    run: u64,
    /// None for tcpflood, which has no threads.
    thread: Option<u64>,
}

/// Finds the number of a message.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    seq: Finder<'static>,
    msgnum: Finder<'static>,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            seq: Finder::new("seq: "),
            msgnum: Finder::new("msgnum:"),
        }
    }

    /// The run and the number in it; `None` for a message without.
    pub(crate) fn read(&self, message: &[u8]) -> Option<(RunId, u64)> {
        if let Some(at) = self.seq.find(message) {
            let (number, rest) = number(message.get(at + 5..)?)?;
            let (thread, rest) = number_behind(rest, b", thread: ")?;
            let (run, _) = number_behind(rest, b", runid: ")?;
            let thread = Some(thread);
            return Some((RunId { run, thread }, number));
        }
        let at = self.msgnum.find(message)?;
        let (found, rest) = number(message.get(at + 7..)?)?;
        let run = RunId {
            run: 0,
            thread: None,
        };
        rest.starts_with(b":").then_some((run, found))
    }
}

fn number_behind<'a>(text: &'a [u8], sign: &[u8]) -> Option<(u64, &'a [u8])> {
    number(text.strip_prefix(sign)?)
}

fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    if digits == 0 || digits > DIGITS_MAX {
        return None;
    }
    let digit = |value: u64, byte: &u8| value * 10 + u64::from(byte - b'0');
    Some((number.iter().fold(0, digit), rest))
}

/// What was found wrong with numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Numbers that never came.
    pub(crate) gaps: u64,
    /// Numbers that came again.
    pub(crate) duplicates: u64,
    /// Numbers that came behind a larger one.
    pub(crate) out_of_order: u64,
}

/// The numbers of one run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    next: u64,
    /// Missing numbers, from the key to the value, itself excluded.
    missing: BTreeMap<u64, u64>,
    /// Missing numbers that are not remembered.
    lost: u64,
    duplicates: u64,
    out_of_order: u64,
}

impl Run {
    /// Takes note of a number. A run starts at 0.
    pub(crate) fn note(&mut self, number: u64) {
        if number == self.next {
            self.next += 1;
        } else if number > self.next {
            if self.missing.len() < GAPS_MAX {
                self.missing.insert(self.next, number);
            } else {
                self.lost += number - self.next;
            }
            self.next = number + 1;
        } else if self.was_missing(number) {
            self.out_of_order += 1;
        } else {
            self.duplicates += 1;
        }
    }

    /// Takes a number out of what is missing.
    fn was_missing(&mut self, number: u64) -> bool {
        let Some((start, end)) = self.missing.range(..=number).next_back() else {
            return false;
        };
        let (start, end) = (*start, *end);
        if number >= end {
            return false;
        }
        self.missing.remove(&start);
        if start < number {
            self.missing.insert(start, number);
        }
        if number + 1 < end {
            self.missing.insert(number + 1, end);
        }
        true
    }

    fn faults(&self) -> Faults {
        let missing: u64 = self.missing.iter().map(|(start, end)| end - start).sum();
        Faults {
            gaps: missing + self.lost,
            duplicates: self.duplicates,
            out_of_order: self.out_of_order,
        }
    }
}

/// All runs, whatever connection they come by: a generator may connect again.
#[derive(Debug, Default)]
pub(crate) struct Runs(Mutex<HashMap<RunId, Arc<Mutex<Run>>>>);

impl Runs {
    /// The run of that name; `None` where there are too many.
    pub(crate) fn get(&self, id: RunId) -> Option<Arc<Mutex<Run>>> {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() >= RUNS_MAX && !runs.contains_key(&id) {
            return None;
        }
        Some(Arc::clone(runs.entry(id).or_default()))
    }

    /// The faults of all runs.
    pub(crate) fn faults(&self) -> Faults {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Faults::default();
        for run in runs.values() {
            let faults = run.lock().unwrap_or_else(PoisonError::into_inner).faults();
            all.gaps += faults.gaps;
            all.duplicates += faults.duplicates;
            all.out_of_order += faults.out_of_order;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_every_generator_are_read() {
        let reader = Reader::new();
        let (id, number) = reader
            .read(
                b"<38>x prg00000[1234]: seq: 0000000017, thread: 0003, runid: 1795288138, stamp: x",
            )
            .expect("loggen");
        assert_eq!((id.run, id.thread, number), (1_795_288_138, Some(3), 17));
        let (id, number) = reader
            .read(b"<167>x tag msgnum:00000042:")
            .expect("tcpflood");
        assert_eq!((id.thread, number), (None, 42));
        for other in ["seq: x", "msgnum:12", "hello", "seq: 1, thread: 2"] {
            assert_eq!(reader.read(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn faults_are_what_a_plain_count_says(numbers in prop::collection::vec(0_u64..40, 0..120)) {
            let mut run = Run::default();
            let (mut seen, mut largest) = (std::collections::BTreeSet::new(), None);
            let mut expected = Faults::default();
            for number in &numbers {
                run.note(*number);
                if !seen.insert(*number) {
                    expected.duplicates += 1;
                } else if largest > Some(*number) {
                    expected.out_of_order += 1;
                }
                largest = largest.max(Some(*number));
            }
            let end = largest.map_or(0, |largest| largest + 1);
            expected.gaps = end - seen.len() as u64;
            prop_assert_eq!(run.faults(), expected);
        }
    }
}
