//! What syslog-ng's `pdbtool` does, as functions that return text.

mod dump;
mod examples;
mod merge;
mod trial;

pub use dump::{programs, rules};
pub use examples::{Report, Verdict, test};
pub use merge::{MergeError, merge};
pub use trial::try_messages;
