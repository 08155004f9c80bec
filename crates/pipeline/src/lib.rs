//! Rules over records: which logspaces each record goes to, and the tags it gets on the way.
//!
//! Routes stand in order. A record goes to the logspace of every route that matches, until one
//! that is final; a record that none matches goes where its source says. A logspace gets a record
//! once, with the tags of all routes that sent it there.
//!
//! Pure: no I/O, no clock. A batch that goes to one logspace as a whole is handed on untouched;
//! only a batch whose records part ways is copied.

mod pipeline;
mod route;

pub use pipeline::{Part, Pipeline, Traced, Verdict};
pub use route::{InvalidRoute, ROUTE_TAGS_MAX, Route};
