//! A batch in requests of bounded size, several at a time, until what became of each record is known.

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tokio::task::JoinSet;

use crate::sink::{Failure, Outcome};

/// Records as the bytes of bodies, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    bytes: Bytes,
    items: Vec<Item>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    /// The place of the record in the batch.
    place: usize,
    start: usize,
    end: usize,
}

/// Records of a request.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    encoded: Arc<Encoded>,
    items: Range<usize>,
}

/// What became of a run. Records are counted from its start.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// All are where they should be.
    Taken,
    /// So many from the start are there, the next is refused for good, and the rest has to come again.
    Refused { taken: usize, reason: String },
    /// So many from the start are there, and the rest has to wait.
    Later { taken: usize, failure: Failure },
    /// So many from the start are there, and another URL may take the rest.
    Again { taken: usize },
    /// Something among them is refused, or they are too many: halves are tried, and a single one is refused.
    Split(String),
    /// Each has its own: those refused for good, and those that have to wait.
    Each {
        rejected: Vec<(usize, String)>,
        left: Vec<usize>,
        failure: Option<Failure>,
    },
    /// The record at this place is refused; all others have to come again.
    Without { refused: usize, reason: String },
}

/// How a batch is cut into requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Most bytes of a request, but one record at least.
    pub(crate) bytes: usize,
    /// Most records of a request.
    pub(crate) records: usize,
    /// Most requests that are under way; with one, records arrive in order.
    pub(crate) in_flight: usize,
}

/// Sends the records of a run.
pub(crate) trait Carrier: Send + Sync + 'static {
    /// What became of them, with the bytes that went out.
    fn carry(&self, run: Run) -> impl Future<Output = (Verdict, u64)> + Send;
}

impl Encoded {
    /// Puts records together. `write` appends the bytes of the record at a place, or says why it cannot be sent.
    pub(crate) fn of<'i, I>(
        items: impl Iterator<Item = I> + 'i,
        outcome: &mut Outcome,
        mut write: impl FnMut(I, &mut Vec<u8>) -> Result<(), String>,
    ) -> Self {
        let mut bytes = Vec::new();
        let mut all = Vec::new();
        for (place, item) in items.enumerate() {
            let start = bytes.len();
            match write(item, &mut bytes) {
                Ok(()) => all.push(Item {
                    place,
                    start,
                    end: bytes.len(),
                }),
                Err(reason) => {
                    bytes.truncate(start);
                    outcome.reject(place, reason);
                }
            }
        }
        Self {
            bytes: bytes.into(),
            items: all,
        }
    }

    /// All of them as one run.
    pub(crate) fn whole(self) -> Run {
        let items = 0..self.items.len();
        Run::new(&Arc::new(self), items)
    }

    /// Runs of at most so many bytes and records, but one record at least.
    fn runs(self, bytes_max: usize, records_max: usize) -> VecDeque<Run> {
        let encoded = Arc::new(self);
        let mut runs = VecDeque::new();
        let (mut first, mut start) = (0, 0);
        for (index, item) in encoded.items.iter().enumerate() {
            let is_full = item.end - start > bytes_max || index - first == records_max;
            if is_full && index > first {
                runs.push_back(Run::new(&encoded, first..index));
                first = index;
            }
            if index == first {
                start = item.start;
            }
        }
        if first < encoded.items.len() {
            runs.push_back(Run::new(&encoded, first..encoded.items.len()));
        }
        runs
    }
}

impl Run {
    fn new(encoded: &Arc<Encoded>, items: Range<usize>) -> Self {
        Self {
            encoded: Arc::clone(encoded),
            items,
        }
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Their bytes.
    pub(crate) fn body(&self) -> Bytes {
        let items = self.encoded.items.get(self.items.clone());
        let (first, last) = (items.and_then(<[_]>::first), items.and_then(<[_]>::last));
        match (first, last) {
            (Some(first), Some(last)) => self.encoded.bytes.slice(first.start..last.end),
            _ => Bytes::new(),
        }
    }

    /// The bytes of each.
    pub(crate) fn records(&self) -> impl Iterator<Item = &[u8]> {
        let items = self.encoded.items.get(self.items.clone());
        let items = items.unwrap_or_default().iter();
        items.filter_map(|item| self.encoded.bytes.get(item.start..item.end))
    }

    fn places(&self, part: Range<usize>) -> impl Iterator<Item = usize> {
        let items = self.encoded.items.get(self.items.clone());
        let items = items.and_then(|items| items.get(part));
        items.unwrap_or_default().iter().map(|item| item.place)
    }

    fn place(&self, at: usize) -> Option<usize> {
        self.places(at..at + 1).next()
    }

    /// A part of it, counted from its start.
    fn part(&self, part: Range<usize>) -> Option<Self> {
        let start = (self.items.start + part.start).min(self.items.end);
        let end = (self.items.start + part.end).min(self.items.end);
        (start < end).then(|| Self::new(&self.encoded, start..end))
    }
}

/// Carries all, and says what became of each record.
pub(crate) async fn carry_all<C: Carrier>(
    carrier: &Arc<C>,
    encoded: Encoded,
    bounds: Bounds,
    mut outcome: Outcome,
) -> Outcome {
    let mut waiting = encoded.runs(bounds.bytes, bounds.records);
    let mut tasks = JoinSet::new();
    let mut under_way = HashMap::new();
    loop {
        while under_way.len() < bounds.in_flight && outcome.failure.is_none() {
            let Some(run) = waiting.pop_front() else {
                break;
            };
            let (carrier, carried) = (Arc::clone(carrier), run.clone());
            let task = tasks.spawn(async move { carrier.carry(carried).await });
            under_way.insert(task.id(), run);
        }
        let Some(joined) = tasks.join_next_with_id().await else {
            break;
        };
        let (id, (verdict, bytes)) = joined.unwrap_or_else(|error| {
            let failure = Failure::new(format!("sending broke off: {error}"));
            (error.id(), (Verdict::Later { taken: 0, failure }, 0))
        });
        outcome.bytes += bytes;
        if let Some(run) = under_way.remove(&id) {
            settle(&run, verdict, &mut waiting, &mut outcome);
        }
    }
    for run in waiting {
        outcome.left.extend(run.places(0..run.len()));
    }
    outcome.left.sort_unstable();
    outcome
}

/// Notes what became of a run; what has to come again at once waits in front.
fn settle(run: &Run, verdict: Verdict, waiting: &mut VecDeque<Run>, outcome: &mut Outcome) {
    match verdict {
        Verdict::Taken => {}
        Verdict::Refused { taken, reason } => {
            reject(run, taken, reason, outcome);
            let rest = run.part(taken + 1..run.len());
            rest.into_iter().for_each(|rest| waiting.push_front(rest));
        }
        Verdict::Without { refused, reason } => {
            reject(run, refused, reason, outcome);
            let parts = [refused + 1..run.len(), 0..refused];
            let parts = parts.into_iter().filter_map(|part| run.part(part));
            parts.for_each(|part| waiting.push_front(part));
        }
        Verdict::Later { taken, failure } => {
            outcome.left.extend(run.places(taken..run.len()));
            outcome.failure = Some(failure);
        }
        Verdict::Again { taken } => {
            let rest = run.part(taken..run.len());
            rest.into_iter().for_each(|rest| waiting.push_front(rest));
        }
        Verdict::Split(reason) if run.len() <= 1 => reject(run, 0, reason, outcome),
        Verdict::Split(_) => {
            let middle = run.len() / 2;
            let parts = [middle..run.len(), 0..middle];
            let parts = parts.into_iter().filter_map(|part| run.part(part));
            parts.for_each(|part| waiting.push_front(part));
        }
        Verdict::Each {
            rejected,
            left,
            failure,
        } => {
            for (at, reason) in rejected {
                reject(run, at, reason, outcome);
            }
            outcome
                .left
                .extend(left.iter().filter_map(|at| run.place(*at)));
            outcome.failure = failure.or(outcome.failure.take());
        }
    }
}

fn reject(run: &Run, at: usize, reason: String, outcome: &mut Outcome) {
    if let Some(place) = run.place(at) {
        outcome.reject(place, reason);
    }
}
