//! One step of a route: when it is done, what it does, and what becomes of a record on which it fails.

use std::fmt;
use std::sync::Arc;

use macros::Context;
use model::Editor;
use parsers::Pairs;
use query::Query;

use crate::file::FileUser;

/// A step as it was configured.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it is called in figures and explanations: `kv`.
    pub kind: &'static str,
    /// What a record must be for the step to be done; `None` for any.
    pub when: Option<Query>,
    /// What it does.
    pub work: Work,
    /// What becomes of a record on which it fails.
    pub on_error: OnError,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Work {
    /// The route does not take a record that does not match.
    Match(Query),
    /// The record ends here.
    Drop,
    /// The first steps where the record matches, otherwise the second.
    If(Query, Vec<Step>, Vec<Step>),
    /// The first steps; where one of them fails or does not match, what they changed is undone, and the
    /// second are done.
    Try(Vec<Step>, Vec<Step>),
    /// Steps that have a name.
    Use(Vec<Step>),
    /// Reads or changes the record.
    Act(Arc<dyn Action>),
}

/// What becomes of a record on which a step fails. What the step changed is undone in any case.
#[derive(Clone, Debug, Default)]
pub enum OnError {
    /// It gets the tag [`crate::limits::FAILED_TAG`] and goes on.
    #[default]
    Tag,
    /// It goes on.
    Ignore,
    /// The route does not take it.
    Reject,
    /// It ends here.
    Drop,
    /// It takes these steps, and then goes on.
    Steps(Vec<Step>),
}

/// Reads or changes a record. Shared between threads.
pub trait Action: fmt::Debug + Send + Sync {
    /// Does it. What is left of it after a failure is undone by the caller.
    ///
    /// # Errors
    /// [`Failure::NoMatch`] where the step is a condition that the record does not meet.
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure>;

    /// The file that it works by, which must be read before.
    fn file(&self) -> Option<&dyn FileUser> {
        None
    }
}

/// Why a step did not do what it is for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The record does not meet the step's condition.
    #[error("does not match")]
    NoMatch,
    /// The step drops the record.
    #[error("dropped")]
    Drop,
    /// What is read is not there, or empty.
    #[error("there is no {0}")]
    Nothing(String),
    /// What is read is not of the form that it should have.
    #[error("{reason}, at byte {at}")]
    Malformed {
        /// What was expected, or what is wrong.
        reason: &'static str,
        /// Where, in bytes of what was read.
        at: usize,
    },
    /// What should be written cannot be a value there.
    #[error("{0}")]
    Unfit(String),
    /// The record or the batch has no room for it.
    #[error("the record has no room for it")]
    Full,
}

impl From<model::BatchFull> for Failure {
    fn from(_: model::BatchFull) -> Self {
        Self::Full
    }
}

impl From<parsers::Failed> for Failure {
    fn from(failed: parsers::Failed) -> Self {
        Self::Malformed {
            reason: failed.reason,
            at: failed.at,
        }
    }
}

/// Memory that steps use while they work, and what templates know beside the record; one for each thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// What a parser found.
    pub pairs: Pairs,
    /// Text that is being made.
    pub text: Vec<u8>,
    /// Text that is being read.
    pub input: Vec<u8>,
    /// What templates know.
    pub context: Context,
}
