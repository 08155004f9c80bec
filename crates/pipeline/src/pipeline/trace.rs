//! What each route says of one record, for whoever asks where it goes, and why.

use model::{LogspaceName, RecordRef};

use super::{Pipeline, Step};

/// What a route says of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It takes it.
    Takes,
    /// It takes records of other sources.
    OtherSource,
    /// Its query does not match.
    NoMatch,
    /// A route before it is final.
    NotReached,
}

/// A route and what it says of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced<'a> {
    /// The name of the route.
    pub route: &'a str,
    /// What it says.
    pub verdict: Verdict,
    /// Where its records go.
    pub logspace: &'a LogspaceName,
}

impl Pipeline {
    /// What each route says of a record, in their order; the same that [`Pipeline::split`] goes by.
    pub fn trace(&self, record: RecordRef<'_>) -> Vec<Traced<'_>> {
        let mut is_over = false;
        let traced = self.steps.iter().map(|step| {
            let verdict = if is_over {
                Verdict::NotReached
            } else {
                step.verdict(record)
            };
            is_over |= verdict == Verdict::Takes && step.is_final;
            Traced {
                route: &step.name,
                verdict,
                logspace: &step.logspace,
            }
        });
        traced.collect()
    }
}

impl Step {
    fn verdict(&self, record: RecordRef<'_>) -> Verdict {
        if !self.takes_from(record.source()) {
            return Verdict::OtherSource;
        }
        let is_match = self
            .borrow_matcher()
            .is_none_or(|mut matcher| matcher.matches(record));
        if is_match {
            Verdict::Takes
        } else {
            Verdict::NoMatch
        }
    }
}
