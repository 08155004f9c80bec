//! What takes bytes from strangers, as functions that take bytes: those of `fuzz/` are found by a
//! fuzzer, those of its corpora and mutations of them by a test.
//!
//! None may panic, and each asserts what must be true of whatever comes out.

mod files;
mod formats;
mod messages;
mod mutations;
mod patterns;
mod queries;
mod segments;
mod templates;
mod unpacking;

pub use files::{journal, manifest};
pub use formats::{columns, dates, events, expressions, json, pairs, xml};
pub use messages::{frames, packing, proxy, relp, syslog};
pub use mutations::Mutations;
pub use patterns::patterndb;
pub use queries::query;
pub use segments::{page, segment};
pub use templates::template;
pub use unpacking::unpacking;

/// A target: its name, which is that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target there is.
pub const TARGETS: [Target; 20] = [
    ("columns", columns),
    ("dates", dates),
    ("events", events),
    ("expressions", expressions),
    ("frames", frames),
    ("journal", journal),
    ("json", json),
    ("manifest", manifest),
    ("packing", packing),
    ("page", page),
    ("pairs", pairs),
    ("patterndb", patterndb),
    ("proxy", proxy),
    ("query", query),
    ("relp", relp),
    ("segment", segment),
    ("syslog", syslog),
    ("template", template),
    ("unpacking", unpacking),
    ("xml", xml),
];
