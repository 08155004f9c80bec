//! What end-to-end tests need: temporary servers, senders of others, and made-up logs.
//!
//! Everything runs on loopback, on free ports, in temporary folders, and is killed by its process
//! id when it is dropped. Nothing waits by sleeping: [`wait_until`] polls a condition.
//!
//! The HTTP side is deliberately not the `client` crate: tests read the bytes and the JSON that
//! scripts of others rely on, so that a mistake both ends share is seen.

mod api;
mod binary;
mod cli;
mod corpus;
mod http;
mod machine;
mod need;
pub mod peers;
mod process;
mod random;
mod relp;
mod server;
mod wait;
mod wire;

pub use api::{Api, SourceCounts, raw, text};
pub use binary::binary;
pub use cli::{Finished, run, run_with_input};
pub use corpus::{Corpus, Line};
pub use http::{Answer, Connection, encode};
pub use machine::{Tmpfs, is_root, raise_open_files, resident_bytes, resident_bytes_max};
pub use need::{need, skipped};
pub use process::{Process, Signal};
pub use random::Random;
pub use relp::RelpClient;
pub use server::{Addresses, Server, Setup};
pub use wait::{wait_for, wait_until};
pub use wire::{connect, octet_counted, send_datagrams, send_stream};
