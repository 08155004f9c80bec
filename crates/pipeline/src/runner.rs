//! Steps, done on one record.

use model::{Editor, Mark};
use query::Matcher;

use crate::counters::Counts;
use crate::limits::FAILED_TAG;
use crate::plan::{Plan, PlannedOnError, PlannedStep, PlannedWork};
use crate::step::{Failure, Scratch};
use crate::trace::{Recorder, StepVerdict};

/// What one thread needs to run a plan.
#[derive(Debug)]
pub(crate) struct Runner {
    matchers: Vec<Matcher>,
    pub(crate) scratch: Scratch,
    marks: Vec<Mark>,
    pub(crate) counts: Vec<Counts>,
    /// Writes down what happens, for whoever asks about one record.
    pub(crate) recorder: Option<Recorder>,
}

/// How a record goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To the next step.
    Goes,
    /// The route does not take it.
    Rejected,
    /// It ends here.
    Dropped,
}

impl Runner {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            matchers: plan.matchers.clone(),
            scratch: Scratch::default(),
            marks: Vec::new(),
            counts: vec![Counts::default(); plan.labels.len()],
            recorder: None,
        }
    }

    /// Whether a record meets a condition.
    pub(crate) fn meets(&mut self, condition: Option<usize>, record: model::RecordRef<'_>) -> bool {
        let matcher = condition.and_then(|at| self.matchers.get_mut(at));
        matcher.is_none_or(|matcher| matcher.matches(record))
    }

    /// Does the steps of a route; where the record is rejected, what they changed is undone.
    pub(crate) fn run(&mut self, steps: &[PlannedStep], record: &mut Editor<'_>) -> Flow {
        self.undoing(record, |runner, record| runner.steps(steps, record, false))
    }

    /// Takes back what was changed where the record is rejected.
    fn undoing(
        &mut self,
        record: &mut Editor<'_>,
        work: impl FnOnce(&mut Self, &mut Editor<'_>) -> Flow,
    ) -> Flow {
        let mut mark = self.marks.pop().unwrap_or_default();
        record.mark(&mut mark);
        let flow = work(self, record);
        if flow == Flow::Rejected {
            record.restore(&mark);
        }
        self.marks.push(mark);
        flow
    }

    /// `is_tried`: a step that fails ends the others, whatever its `on_error` is.
    fn steps(&mut self, steps: &[PlannedStep], record: &mut Editor<'_>, is_tried: bool) -> Flow {
        for step in steps {
            let flow = self.step(step, record, is_tried);
            if flow != Flow::Goes {
                return flow;
            }
        }
        Flow::Goes
    }

    fn step(&mut self, step: &PlannedStep, record: &mut Editor<'_>, is_tried: bool) -> Flow {
        if !self.meets(step.condition, record.record()) {
            self.note(step, record, StepVerdict::Skipped);
            return Flow::Goes;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.enter(step.id, record.record());
        }
        let flow = match &step.work {
            PlannedWork::Match(condition) => match self.meets(Some(*condition), record.record()) {
                true => Flow::Goes,
                false => Flow::Rejected,
            },
            PlannedWork::Drop => Flow::Dropped,
            PlannedWork::If(condition, then, otherwise) => {
                let is_met = self.meets(Some(*condition), record.record());
                let branch = if is_met { then } else { otherwise };
                self.steps(branch, record, is_tried)
            }
            PlannedWork::Try(steps, otherwise) => {
                let tried =
                    self.undoing(record, |runner, record| runner.steps(steps, record, true));
                match tried {
                    Flow::Rejected => self.steps(otherwise, record, is_tried),
                    flow => flow,
                }
            }
            PlannedWork::Use(steps) => self.steps(steps, record, is_tried),
            PlannedWork::Act(action) => {
                let mut failure = None;
                let acted = self.undoing(record, |runner, record| {
                    failure = action.apply(record, &mut runner.scratch).err();
                    match failure {
                        None => Flow::Goes,
                        Some(_) => Flow::Rejected,
                    }
                });
                match failure {
                    None => acted,
                    Some(failure) => return self.failed(step, record, &failure, is_tried),
                }
            }
        };
        self.note(step, record, StepVerdict::of(flow));
        flow
    }

    /// What becomes of a record on which an action failed.
    fn failed(
        &mut self,
        step: &PlannedStep,
        record: &mut Editor<'_>,
        failure: &Failure,
        is_tried: bool,
    ) -> Flow {
        match failure {
            Failure::NoMatch => {
                self.note(step, record, StepVerdict::Rejects);
                return Flow::Rejected;
            }
            Failure::Drop => {
                self.note(step, record, StepVerdict::Drops);
                return Flow::Dropped;
            }
            _ => {}
        }
        let tags = matches!(step.on_error, PlannedOnError::Tag) && !is_tried;
        if tags {
            // A batch that has all tags it can have is no reason to lose the record.
            _ = record.add_tag(FAILED_TAG);
        }
        self.note(step, record, StepVerdict::Failed(failure.to_string()));
        match &step.on_error {
            PlannedOnError::Drop => Flow::Dropped,
            PlannedOnError::Steps(steps) => self.steps(steps, record, is_tried),
            PlannedOnError::Ignore => Flow::Goes,
            PlannedOnError::Reject => Flow::Rejected,
            PlannedOnError::Tag if is_tried => Flow::Rejected,
            PlannedOnError::Tag => Flow::Goes,
        }
    }

    /// Counts what a step did.
    fn note(&mut self, step: &PlannedStep, record: &Editor<'_>, verdict: StepVerdict) {
        if let Some(counts) = self.counts.get_mut(step.id) {
            match verdict {
                StepVerdict::Skipped => counts.skipped += 1,
                StepVerdict::Done => counts.done += 1,
                StepVerdict::Rejects => counts.unmatched += 1,
                StepVerdict::Failed(_) => counts.failed += 1,
                StepVerdict::Drops => counts.dropped += 1,
            }
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.leave(step.id, record.record(), verdict);
        }
    }
}
