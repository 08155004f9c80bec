//! What can be wrong with files, profiles and needles.

use std::io;

/// Why something cannot be learned, read or planted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The reader failed.
    #[error("cannot read: {0}")]
    Read(#[source] io::Error),
    /// The writer failed.
    #[error("cannot write: {0}")]
    Write(#[source] io::Error),
    /// There is nothing to learn from.
    #[error("there is no line with text to learn from")]
    Empty,
    /// The file is no profile.
    #[error("this is no profile: {0}")]
    NotAProfile(#[source] serde_json::Error),
    /// The file is larger than any profile.
    #[error("the profile is larger than {bytes_max} bytes")]
    TooLarge {
        /// The bound.
        bytes_max: u64,
    },
    /// The profile was written by a newer program.
    #[error("the profile has version {found}, this program reads {known}: learn it again")]
    Version {
        /// What the file says.
        found: u32,
        /// What this program reads.
        known: u32,
    },
    /// A template of the profile cannot be used.
    #[error("template {template} of the profile cannot be used: {reason}")]
    Template {
        /// Which one, counted from 0.
        template: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A needle cannot be planted so that its count is exact.
    #[error("needle `{needle}` cannot be planted: {reason}")]
    Needle {
        /// Its text.
        needle: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}
