//! The HTTP interface: routes, the embedded page, metrics; thin.
//!
//! [`answer`] turns the parameters of a request into the engine's questions and its answers into
//! the types of [`api`]; it is synchronous and knows no HTTP, so the CLI uses it on a data
//! directory without a server. The routes around it stream, cancel what nobody waits for any more,
//! and wake tails when records are committed.

mod admission;
pub mod answer;
mod app;
mod aside;
mod assets;
pub mod backup;
mod body;
mod connections;
mod cutter;
mod explain;
mod guard;
mod http;
pub mod limits;
mod listener;
mod metrics;
mod ndjson;
mod openapi;
mod parameters;
mod patient;
mod problem;
mod routes;
mod running;
mod saved;
mod tail;
#[cfg(test)]
mod tests;
mod unknown;
mod unpack;
mod upload;

pub use app::App;
pub use explain::{Explaining, Sending, explain};
pub use http::{Error, Server};
pub use parameters::Parameters;
