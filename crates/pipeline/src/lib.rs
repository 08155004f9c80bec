//! Rules over records: what is read from them and changed in them, which logspaces each goes to, and the
//! tags it gets on the way.
//!
//! Routes stand in order. A record goes to the logspace of every route that takes it, until one that is
//! final; a record that none takes goes where its source says. A route has [`Step`]s, which read, change or
//! drop the record. What they change is there for the steps and routes behind them; where a route turns out
//! not to take the record, what its steps changed is undone. A logspace gets a record once, as it was when
//! the last route sent it there.
//!
//! Pure: no I/O, no clock. `raw` never changes. A batch that goes to one logspace as a whole and has no
//! steps is handed on untouched.
#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

pub mod actions;
mod counters;
mod deliveries;
mod file;
pub mod limits;
mod pipeline;
mod place;
mod plan;
mod route;
mod runner;
mod step;
#[cfg(test)]
mod tests;
mod trace;

pub use counters::StepFigures;
pub use file::{FileUser, FromFile};
pub use pipeline::{Part, Pipeline, Split};
pub use place::{Origin, Target, UnknownPlace};
pub use route::{InvalidRoute, ROUTE_TAGS_MAX, Route};
pub use step::{Action, Failure, OnError, Scratch, Step, Work};
pub use trace::{StepTrace, StepVerdict, Trace, Traced, Verdict};
