//! What each step did, since the pipeline was made.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::plan::Plan;

/// What a step did. `seen` = `skipped` + `done` + `unmatched` + `failed` + `dropped`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepFigures {
    /// The route that it stands in.
    pub route: String,
    /// Where it stands there: `2`, or `2.else.1` for the first step of the other branch of the second.
    pub place: String,
    /// What it does: `kv`.
    pub kind: &'static str,
    /// Records that came to it.
    pub seen: u64,
    /// Records that did not meet its `when`.
    pub skipped: u64,
    /// Records on which it did what it is for.
    pub done: u64,
    /// Records that did not meet the condition that it is, or whose inner steps rejected them.
    pub unmatched: u64,
    /// Records on which it failed.
    pub failed: u64,
    /// Records that it dropped.
    pub dropped: u64,
}

/// What a step is called.
#[derive(Clone, Debug)]
pub(crate) struct StepLabel {
    pub(crate) route: String,
    pub(crate) place: String,
    pub(crate) kind: &'static str,
}

/// The counts of one step in one batch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) skipped: u32,
    pub(crate) done: u32,
    pub(crate) unmatched: u32,
    pub(crate) failed: u32,
    pub(crate) dropped: u32,
}

/// The counts of all steps, of all threads.
#[derive(Debug, Default)]
pub(crate) struct Counters(Vec<[AtomicU64; 5]>);

impl Counters {
    pub(crate) fn new(steps: usize) -> Self {
        Self((0..steps).map(|_| Default::default()).collect())
    }

    /// Adds the counts of a batch, and sets them back.
    pub(crate) fn add(&self, counts: &mut [Counts]) {
        for (total, own) in self.0.iter().zip(counts) {
            let Counts {
                skipped,
                done,
                unmatched,
                failed,
                dropped,
            } = std::mem::take(own);
            for (total, own) in total
                .iter()
                .zip([skipped, done, unmatched, failed, dropped])
            {
                if own > 0 {
                    total.fetch_add(u64::from(own), Ordering::Relaxed);
                }
            }
        }
    }

    pub(crate) fn figures(&self, plan: &Plan) -> Vec<StepFigures> {
        let figures = self.0.iter().zip(&plan.labels).map(|(total, label)| {
            let [skipped, done, unmatched, failed, dropped] =
                total.each_ref().map(|count| count.load(Ordering::Relaxed));
            StepFigures {
                route: label.route.clone(),
                place: label.place.clone(),
                kind: label.kind,
                seen: skipped + done + unmatched + failed + dropped,
                skipped,
                done,
                unmatched,
                failed,
                dropped,
            }
        });
        figures.collect()
    }
}
