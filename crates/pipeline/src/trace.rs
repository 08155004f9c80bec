//! What each route and step makes of one record, for whoever asks where it goes, and why.

use model::{LogspaceName, RecordRef, TextPart};

use crate::pipeline::Split;
use crate::plan::Plan;
use crate::runner::Flow;

/// What the routes make of a record.
#[derive(Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    /// The routes, in their order.
    pub routes: Vec<Traced<'a>>,
    /// Where it goes in the end, and as what.
    pub split: Split<'a>,
}

/// What a route says of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It takes it.
    Takes,
    /// It takes records of other sources.
    OtherSource,
    /// Its query does not match.
    NoMatch,
    /// One of its steps rejects it.
    Rejects,
    /// One of its steps drops it.
    Drops,
    /// A route before it is final, or has taken it where this is a fallback.
    NotReached,
}

/// A route and what it says of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced<'a> {
    /// The name of the route.
    pub route: &'a str,
    /// What it says.
    pub verdict: Verdict,
    /// Where its records go; `None` where it changes them alone.
    pub logspace: Option<&'a LogspaceName>,
    /// What its steps did, those in steps behind the one that they stand in.
    pub steps: Vec<StepTrace>,
}

/// What a step did with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepTrace {
    /// Where it stands in its route: `2`, or `2.else.1`.
    pub place: String,
    /// What it does: `kv`.
    pub kind: &'static str,
    /// What became of the record.
    pub verdict: StepVerdict,
    /// Parts and fields that it changed, with their new values; an empty value is one that is gone.
    pub changes: Vec<(String, String)>,
}

/// What a step says of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepVerdict {
    /// The record does not meet its `when`.
    Skipped,
    /// It did what it is for.
    Done,
    /// The record does not match.
    Rejects,
    /// It failed, in words.
    Failed(String),
    /// It ends the record.
    Drops,
}

impl StepVerdict {
    pub(crate) fn of(flow: Flow) -> Self {
        match flow {
            Flow::Goes => Self::Done,
            Flow::Rejected => Self::Rejects,
            Flow::Dropped => Self::Drops,
        }
    }
}

/// Writes down what happens to a record.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// What each route said, by its index; and the steps done until then.
    routes: Vec<Option<(Flow, Vec<StepTrace>)>>,
    steps: Vec<(usize, StepTrace, Option<Seen>)>,
    labels: Vec<(String, &'static str)>,
    /// The source of the record.
    source: String,
}

/// The parts and fields of a record, as text.
type Seen = Vec<(String, String)>;

impl Recorder {
    pub(crate) fn new(plan: &Plan, source: &str) -> Self {
        let labels = plan.labels.iter();
        Self {
            routes: vec![None; plan.routes.len()],
            steps: Vec::new(),
            labels: labels
                .map(|label| (label.place.clone(), label.kind))
                .collect(),
            source: source.to_owned(),
        }
    }

    /// A step is about to be done.
    pub(crate) fn enter(&mut self, id: usize, record: RecordRef<'_>) {
        self.push(id, Some(seen(record)));
    }

    /// A step has been done, or skipped.
    pub(crate) fn leave(&mut self, id: usize, record: RecordRef<'_>, verdict: StepVerdict) {
        let is_open = |(other, _, before): &&mut (usize, StepTrace, Option<Seen>)| {
            *other == id && before.is_some()
        };
        if verdict == StepVerdict::Skipped {
            self.push(id, None);
            if let Some((_, step, _)) = self.steps.last_mut() {
                step.verdict = verdict;
            }
        } else if let Some((_, step, before)) = self.steps.iter_mut().rev().find(is_open) {
            step.verdict = verdict;
            step.changes = changes(&before.take().unwrap_or_default(), &seen(record));
        }
    }

    /// A route has been walked.
    pub(crate) fn route(&mut self, index: usize, flow: Flow) {
        let steps = std::mem::take(&mut self.steps);
        if let Some(place) = self.routes.get_mut(index) {
            let steps = steps.into_iter().map(|(_, step, _)| step);
            *place = Some((flow, steps.collect()));
        }
    }

    fn push(&mut self, id: usize, before: Option<Seen>) {
        let (place, kind) = self.labels.get(id).cloned().unwrap_or_default();
        let step = StepTrace {
            place,
            kind,
            verdict: StepVerdict::Done,
            changes: Vec::new(),
        };
        self.steps.push((id, step, before));
    }

    pub(crate) fn finish<'a>(self, plan: &'a Plan, split: Split<'a>) -> Trace<'a> {
        let routes = plan.routes.iter().zip(self.routes);
        let source = self.source;
        let routes = routes.map(|(route, walked)| {
            let (verdict, steps) = match walked {
                None => (Verdict::NotReached, Vec::new()),
                Some((Flow::Goes, steps)) => (Verdict::Takes, steps),
                Some((Flow::Dropped, steps)) => (Verdict::Drops, steps),
                Some((Flow::Rejected, steps)) if !steps.is_empty() => (Verdict::Rejects, steps),
                Some((Flow::Rejected, steps)) => {
                    let verdict = match route.takes_from(&source) {
                        true => Verdict::NoMatch,
                        false => Verdict::OtherSource,
                    };
                    (verdict, steps)
                }
            };
            Traced {
                route: &route.name,
                verdict,
                logspace: route.logspace.and_then(|at| plan.logspaces.get(at)),
                steps,
            }
        });
        Trace {
            routes: routes.collect(),
            split,
        }
    }
}

/// Everything of a record that a step can change.
fn seen(record: RecordRef<'_>) -> Seen {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut seen: Seen = [
        (TextPart::Host, record.host()),
        (TextPart::Program, record.program()),
        (TextPart::Pid, record.pid()),
        (TextPart::Msgid, record.msgid()),
        (TextPart::Message, record.message()),
    ]
    .into_iter()
    .map(|(part, value)| (format!("{part:?}").to_ascii_lowercase(), text(value)))
    .collect();
    let priority = record.priority();
    seen.push(("severity".to_owned(), priority.severity().name().to_owned()));
    seen.push(("facility".to_owned(), priority.facility().name().to_owned()));
    seen.push(("time".to_owned(), record.time().to_string()));
    let tags: Vec<_> = record.tags().collect();
    seen.push(("tags".to_owned(), tags.join(" ")));
    let fields = record.fields();
    seen.extend(fields.map(|field| (field.full_name(), text(field.value))));
    seen
}

/// What is different, in the order of the newer one; what is gone comes last.
fn changes(before: &Seen, after: &Seen) -> Seen {
    let is_new = |pair: &&(String, String)| !before.contains(pair);
    let mut changes: Seen = after.iter().filter(is_new).cloned().collect();
    let is_gone = |(name, _): &&(String, String)| !after.iter().any(|(other, _)| other == name);
    let gone = before.iter().filter(is_gone);
    changes.extend(gone.map(|(name, _)| (name.clone(), String::new())));
    changes
}
