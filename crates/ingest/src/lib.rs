//! Listens to syslog over UDP, TCP, TLS, RELP and unix sockets, and hands what comes to the store.
//!
//! The way of a message: a task reads as much as its share of the byte budget allows, cuts the
//! bytes into messages, parses them into one batch per read, asks the routes where it goes, and
//! hands it to the store. The share of the budget comes back when the batch is durable; until
//! then it is missing, and when all of it is missing nobody reads: that is the back-pressure,
//! and the bound on memory. RELP answers leave when their batch is durable, HTTP answers too.
//!
//! What must stay true:
//! - received = stored + dropped + in flight, for every source, at every instant;
//! - what is acknowledged is durable;
//! - nobody waits for a share of the budget with a share in hand;
//! - one peer cannot make another wait, nor take more memory than its limits say.
//!
//! Start with [`Ingest`].

mod accept;
mod address;
mod assembler;
mod budget;
mod certificate;
mod certificate_facts;
mod client_names;
mod connections;
mod control;
mod datagrams;
mod error;
mod examine;
mod expected;
mod explain;
mod fingerprint;
mod gatherer;
mod handshake;
mod hosts;
mod import;
mod importer;
mod ingest;
mod input;
pub mod limits;
mod lines;
mod listener;
mod listening;
mod log_limit;
mod names;
mod opener;
mod options;
mod passed;
mod peer;
mod proxy;
mod recvmmsg;
mod relp;
mod remedy;
mod senders;
mod sequence;
mod sink;
mod socket;
mod socket_file;
mod source;
mod stream;
mod submit;
mod tls;
mod unpack;
mod verifier;
mod watch;

pub use address::Address;
pub use budget::Budget;
pub use certificate::{CertificateFiles, own_names};
pub use certificate_facts::{CertificateFacts, day};
pub use client_names::check_client_pattern;
pub use error::{Error, SubmitError, TlsError};
pub use examine::{Examined, Subject, Trouble, examine};
pub use expected::{Bounds, Expected, Level};
pub use explain::{Cut, Explained, Explainer, HostOrigin};
pub use fingerprint::Fingerprint;
pub use hosts::HostLists;
pub use import::Import;
pub use importer::{ImportProgress, ImportTime, Importer, LineFeed, YearScan, Years};
pub use ingest::{Ingest, NotDurable};
pub use listener::ListenerStatus;
pub use options::{
    ClientCertificates, ClientChecks, HttpOptions, ListenerOptions, Options, SocketFileOptions,
    TlsIdentity, TlsOptions, Transport,
};
pub use passed::PassedSocket;
pub use remedy::{bind_remedy, is_passing};
pub use senders::SenderStatus;
pub use socket_file::SocketFileError;
pub use source::{DropReason, SourceStatus};
pub use submit::Submission;
pub use unpack::{UnpackError, Unpacker};
