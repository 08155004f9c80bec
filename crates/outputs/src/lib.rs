//! Destinations, each a durable cursor into the store.
//!
//! The store is the queue: what a destination has not taken yet lies in its logspace, durable and searchable. A
//! destination is a thread that follows logspaces ([`Options::from`]), asks its query, puts batches together, gives
//! them to workers, and keeps how far it is in a document of the store. What goes out is the business of a [`Kind`].
//!
//! | to | see |
//! |---|---|
//! | add a kind | [`Kind`], [`Sink`], and [`kinds::File`] for an example |
//! | know when a record counts as delivered | `feeder.rs` |
//! | know what is tried again | `worker.rs` |
//! | know what survives | `position.rs` |
//!
//! What must stay true: a position never passes a record that is not settled; matched = delivered + dropped (by
//! reason) + pending, at every moment and over restarts; a destination that does not take records keeps nobody else.

mod account;
mod backoff;
mod dead_letter;
mod destinations;
mod error;
mod feeder;
mod gather;
pub mod http;
pub mod kinds;
pub mod limits;
mod opening;
mod options;
mod position;
mod render;
mod running;
mod secret;
mod sink;
mod status;
mod stop;
#[cfg(test)]
mod tests;
mod tls;
mod trouble;
mod worker;

pub use account::{Dropped, Totals};
pub use destinations::{Destinations, Place};
pub use error::Error;
pub use options::{BatchBounds, Options, OrderBy, Retry, Start};
pub use render::{BadTemplate, Rendering, Scene};
pub use secret::Secret;
pub use sink::{
    Batch, Failure, Item, KeepState, Kind, Opening, Outcome, Preview, Promise, Rejected, Row, Sink,
    Trouble,
};
pub use status::{Explained, State, Status, StatusSource, Verdict};
pub use tls::TlsOptions;
