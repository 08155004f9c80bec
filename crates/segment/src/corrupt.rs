//! What a decoder says of bytes that no writer of ours can have written.

use thiserror::Error;

/// Bytes that do not decode. `what` names the part of the format as FORMAT.md does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Corrupt {
    /// More bytes are needed than there are.
    #[error("{what} ends too early")]
    Short {
        /// The part that was being read.
        what: &'static str,
    },
    /// Bytes follow where the part should end.
    #[error("{count} bytes are left over behind {what}")]
    Trailing {
        /// The part that should have ended.
        what: &'static str,
        /// How many bytes follow.
        count: usize,
    },
    /// A length or count beyond its limit.
    #[error("{what} is {value}, more than {max}")]
    TooLarge {
        /// The length or count.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The limit.
        max: u64,
    },
    /// A value that the format does not allow there.
    #[error("{what} has the impossible value {value}")]
    Invalid {
        /// The value's name.
        what: &'static str,
        /// The value.
        value: u64,
    },
    /// A checksum that does not fit its bytes.
    #[error("checksum of {what} at offset {offset} is {actual:#010x}, expected {expected:#010x}")]
    Checksum {
        /// The part.
        what: &'static str,
        /// Where it starts in the file, in bytes.
        offset: u64,
        /// The checksum of the bytes as they are.
        actual: u32,
        /// The checksum that was stored.
        expected: u32,
    },
    /// A page that zstd refuses or that gives another length than stored.
    #[error("{what} at offset {offset} does not decompress to {raw_len} bytes")]
    Compression {
        /// The part.
        what: &'static str,
        /// Where it starts in the file, in bytes.
        offset: u64,
        /// The length it should have, in bytes.
        raw_len: u32,
    },
    /// The bytes are no segment.
    #[error("{what} does not start with the magic bytes of a segment")]
    Magic {
        /// The part.
        what: &'static str,
    },
    /// A segment of a development version before the first release.
    #[error("{what} is of a development version before the first release")]
    Development {
        /// The part.
        what: &'static str,
    },
    /// A segment of another version than this code reads.
    #[error("format version is {found}, this program reads {known}", known = crate::FORMAT_VERSION)]
    Version {
        /// The version of the file.
        found: u16,
    },
}
