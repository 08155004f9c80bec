//! The routes made ready for batches.

mod trace;

use std::sync::{Mutex, MutexGuard};

use model::limits::NAME_BYTES_MAX;
use model::{LogspaceName, RecordBatch, RecordRef, SYSLOG_TAG_NAMES};
use query::{Matcher, Query};

use crate::route::{InvalidRoute, ROUTE_TAGS_MAX, Route};
pub use trace::{Traced, Verdict};

/// Routes in order. Shared between threads; replaced as a whole when the configuration changes.
#[derive(Debug, Default)]
pub struct Pipeline {
    steps: Vec<Step>,
}

/// Records for one logspace.
#[derive(Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// Where they go.
    pub logspace: &'a LogspaceName,
    /// The records, in their order.
    pub batch: RecordBatch,
    /// How many of them are in no part before this one. Over all parts these add up to the
    /// records that came in, so that each can be counted once.
    pub firsts: usize,
}

#[derive(Debug)]
struct Step {
    name: String,
    from: Vec<String>,
    condition: Option<Condition>,
    logspace: LogspaceName,
    tags: Vec<String>,
    is_final: bool,
}

/// A query asked of records by several threads.
#[derive(Debug)]
struct Condition {
    /// Warm scratch memory for whoever comes first.
    shared: Mutex<Matcher>,
    /// What others clone rather than wait.
    prototype: Matcher,
}

enum Borrowed<'a> {
    Shared(MutexGuard<'a, Matcher>),
    Own(Box<Matcher>),
}

/// One copy that a verdict asks for.
struct RecordCopy {
    /// Index of the part it goes to.
    part: usize,
    /// Bits of the tags it gets there.
    tags: u64,
}

/// For each record the indexes of the steps that take it.
#[derive(Debug, Default)]
struct Verdicts {
    steps: Vec<usize>,
    ends: Vec<usize>,
}

impl Pipeline {
    /// Checks the routes and makes them ready.
    pub fn new(routes: Vec<Route>) -> Result<Self, InvalidRoute> {
        check_tags(&routes)?;
        let ready = |query: Query| (query != Query::all()).then(|| Condition::new(&query));
        let steps = routes.into_iter().map(|route| Step {
            name: route.name,
            from: route.from,
            condition: route.matching.and_then(ready),
            logspace: route.logspace,
            tags: route.tags,
            is_final: route.is_final,
        });
        Ok(Self {
            steps: steps.collect(),
        })
    }

    /// Every logspace that a route leads to, each once, in order.
    pub fn logspaces(&self) -> Vec<&LogspaceName> {
        let mut names: Vec<_> = self.steps.iter().map(|step| &step.logspace).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Splits a batch into what each logspace gets, in order of first appearance; records
    /// that no route matches go to `otherwise`. An empty batch has no parts.
    ///
    /// Where more tags meet in a batch than one can hold, which needs tags that neither the
    /// parser nor these routes made, the routes' tags are left off.
    pub fn split<'a>(&'a self, batch: RecordBatch, otherwise: &'a LogspaceName) -> Vec<Part<'a>> {
        if batch.is_empty() {
            return Vec::new();
        }
        if let Some(steps) = self.unconditional(&batch) {
            return hand_on(batch, &steps, otherwise);
        }
        let verdicts = self.judge(&batch);
        if verdicts.are_equal() {
            let steps = self.steps_at(verdicts.of(0));
            return hand_on(batch, &steps, otherwise);
        }
        self.divide(&batch, &verdicts, otherwise)
    }

    /// The steps that take all of the batch, where that can be said without looking at a record.
    fn unconditional(&self, batch: &RecordBatch) -> Option<Vec<&Step>> {
        let [source] = batch.sources() else {
            return self.steps.is_empty().then(Vec::new);
        };
        let mut taking = Vec::new();
        for step in self.steps.iter().filter(|step| step.takes_from(source)) {
            if step.condition.is_some() {
                return None;
            }
            taking.push(step);
            if step.is_final {
                break;
            }
        }
        Some(taking)
    }

    /// Which steps take each record.
    fn judge(&self, batch: &RecordBatch) -> Verdicts {
        let mut verdicts = Verdicts::default();
        let mut matchers: Vec<_> = self.steps.iter().map(Step::borrow_matcher).collect();
        for record in batch.iter() {
            for ((index, step), matcher) in self.steps.iter().enumerate().zip(&mut matchers) {
                let met = |matcher: &mut Borrowed<'_>| matcher.matches(record);
                if step.takes_from(record.source()) && matcher.as_mut().is_none_or(met) {
                    verdicts.taken_by(index);
                    if step.is_final {
                        break;
                    }
                }
            }
            verdicts.next_record();
        }
        verdicts
    }

    fn steps_at(&self, indexes: &[usize]) -> Vec<&Step> {
        indexes
            .iter()
            .filter_map(|index| self.steps.get(*index))
            .collect()
    }

    /// Copy each record to the batches of its logspaces.
    fn divide<'a>(
        &'a self,
        batch: &RecordBatch,
        verdicts: &Verdicts,
        otherwise: &'a LogspaceName,
    ) -> Vec<Part<'a>> {
        let mut parts: Vec<Part<'a>> = Vec::new();
        // A batch knows few different verdicts, so what follows from one is worked out once.
        let mut known: Vec<(&[usize], Vec<RecordCopy>)> = Vec::new();
        for (row, record) in batch.iter().enumerate() {
            let verdict = verdicts.of(row);
            let at = known.iter().position(|(other, _)| *other == verdict);
            let at = at.unwrap_or_else(|| {
                let targets = targets(&self.steps_at(verdict), otherwise);
                known.push((verdict, copies(targets, &mut parts)));
                known.len() - 1
            });
            let copies = known.get(at).map_or(&[][..], |(_, copies)| copies);
            for (at, copy) in copies.iter().enumerate() {
                let Some(part) = parts.get_mut(copy.part) else {
                    continue;
                };
                // A selection of a batch fits an empty one: its limits are the same.
                let pushed = part.batch.push_record(record);
                debug_assert!(pushed.is_ok(), "a selection fits");
                part.batch
                    .add_tags(part.batch.len().saturating_sub(1), copy.tags);
                part.firsts += usize::from(at == 0);
            }
        }
        parts
    }
}

impl Step {
    fn takes_from(&self, source: &str) -> bool {
        self.from.is_empty() || self.from.iter().any(|name| name == source)
    }

    /// A matcher for the length of a batch: the shared one where it is free.
    fn borrow_matcher(&self) -> Option<Borrowed<'_>> {
        let condition = self.condition.as_ref()?;
        Some(match condition.shared.try_lock() {
            Ok(guard) => Borrowed::Shared(guard),
            Err(_) => Borrowed::Own(Box::new(condition.prototype.clone())),
        })
    }
}

impl Condition {
    fn new(query: &Query) -> Self {
        let prototype = Matcher::new(query);
        Self {
            shared: Mutex::new(prototype.clone()),
            prototype,
        }
    }
}

impl Verdicts {
    fn taken_by(&mut self, step: usize) {
        self.steps.push(step);
    }

    fn next_record(&mut self) {
        self.ends.push(self.steps.len());
    }

    fn of(&self, row: usize) -> &[usize] {
        let start = row.checked_sub(1).and_then(|before| self.ends.get(before));
        let end = self.ends.get(row).copied().unwrap_or_default();
        self.steps
            .get(start.copied().unwrap_or_default()..end)
            .unwrap_or(&[])
    }

    fn are_equal(&self) -> bool {
        (1..self.ends.len()).all(|row| self.of(row) == self.of(0))
    }
}

impl Borrowed<'_> {
    fn matches(&mut self, record: RecordRef<'_>) -> bool {
        match self {
            Self::Shared(matcher) => matcher.matches(record),
            Self::Own(matcher) => matcher.matches(record),
        }
    }
}

/// The whole batch to each of the steps' logspaces; the last gets it without a copy.
fn hand_on<'a>(
    batch: RecordBatch,
    steps: &[&'a Step],
    otherwise: &'a LogspaceName,
) -> Vec<Part<'a>> {
    let mut targets = targets(steps, otherwise);
    let Some((last, last_tags)) = targets.pop() else {
        return Vec::new();
    };
    let part = |logspace, mut batch: RecordBatch, tags: &[&str]| {
        let set = tag_set(&mut batch, tags);
        if set != 0 {
            (0..batch.len()).for_each(|row| batch.add_tags(row, set));
        }
        Part {
            logspace,
            batch,
            firsts: 0,
        }
    };
    let firsts = batch.len();
    let mut parts: Vec<_> = targets
        .into_iter()
        .map(|(logspace, tags)| part(logspace, batch.clone(), &tags))
        .collect();
    parts.push(part(last, batch, &last_tags));
    if let Some(first) = parts.first_mut() {
        first.firsts = firsts;
    }
    parts
}

/// The logspaces that steps lead to, each once, with the tags it is sent.
fn targets<'a>(
    steps: &[&'a Step],
    otherwise: &'a LogspaceName,
) -> Vec<(&'a LogspaceName, Vec<&'a str>)> {
    let mut targets: Vec<(&LogspaceName, Vec<&str>)> = Vec::new();
    for step in steps {
        let tags = step.tags.iter().map(String::as_str);
        match targets.iter_mut().find(|(name, _)| *name == &step.logspace) {
            Some((_, known)) => known.extend(tags),
            None => targets.push((&step.logspace, tags.collect())),
        }
    }
    if targets.is_empty() {
        targets.push((otherwise, Vec::new()));
    }
    targets
}

/// The parts and tags of targets; new logspaces get a part.
fn copies<'a>(
    targets: Vec<(&'a LogspaceName, Vec<&str>)>,
    parts: &mut Vec<Part<'a>>,
) -> Vec<RecordCopy> {
    let mut copies = Vec::new();
    for (logspace, tags) in targets {
        let known = parts.iter().position(|part| part.logspace == logspace);
        let index = known.unwrap_or(parts.len());
        if known.is_none() {
            parts.push(Part {
                logspace,
                batch: RecordBatch::new(),
                firsts: 0,
            });
        }
        if let Some(part) = parts.get_mut(index) {
            let tags = tag_set(&mut part.batch, &tags);
            copies.push(RecordCopy { part: index, tags });
        }
    }
    copies
}

fn tag_set(batch: &mut RecordBatch, tags: &[&str]) -> u64 {
    let bits = tags.iter().filter_map(|tag| batch.tag_bit(tag).ok());
    bits.fold(0, |set, bit| set | bit)
}

fn check_tags(routes: &[Route]) -> Result<(), InvalidRoute> {
    let mut known: Vec<&str> = Vec::new();
    for route in routes {
        for tag in &route.tags {
            let (route, tag_name) = (route.name.clone(), tag.clone());
            if tag.is_empty() || tag.len() > NAME_BYTES_MAX {
                return Err(InvalidRoute::TagLength {
                    route,
                    tag: tag_name,
                });
            }
            if known.contains(&tag.as_str()) || SYSLOG_TAG_NAMES.contains(&tag.as_str()) {
                continue;
            }
            if known.len() == ROUTE_TAGS_MAX {
                return Err(InvalidRoute::TooManyTags {
                    route,
                    tag: tag_name,
                });
            }
            known.push(tag);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
