//! What syslog-ng's `pdbtool` does, as functions that return text.

mod dump;

pub use dump::{programs, rules};
