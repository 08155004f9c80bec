//! The time stamp that was read last, as the next message mostly has the same.
//!
//! Reading a stamp takes a fifth of what parsing a message does, and the stamps of a second are the
//! same bytes. What is behind a stamp matters to reading it, because a zone, a year or `PM` may stand
//! there; a small letter, with which the names of most hosts start, begins few of those.

use model::Timestamp;

use super::stamp::{self, Stamp};
use super::zone::Zone;

/// Longest stamp that is remembered, in bytes: `2026-11-21T19:12:18.123456789+01:00`.
const BYTES_MAX: usize = 35;

/// A stamp, the text that said it, and what follows from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastStamp {
    text: [u8; BYTES_MAX],
    stamp: Option<Stamp>,
}

impl Default for LastStamp {
    fn default() -> Self {
        Self {
            text: [0; BYTES_MAX],
            stamp: None,
        }
    }
}

impl LastStamp {
    /// Reads a stamp of any form, as [`stamp::any`] does.
    #[inline]
    pub(super) fn any(&mut self, text: &[u8], zone: &Zone, received: Timestamp) -> Option<Stamp> {
        if let Some(known) = self.stamp
            && self.text.get(..known.len) == text.get(..known.len)
            && is_behind(text, known.len)
            && known.is_still_right(received)
        {
            return Some(known);
        }
        let read = stamp::any(text, zone, received)?;
        if read.is_certain
            && is_behind(text, read.len)
            && let Some(own) = self.text.get_mut(..read.len)
            && let Some(said) = text.get(..read.len)
            // Of a zone in small letters it matters what is behind it.
            && !said.last().is_some_and(u8::is_ascii_lowercase)
        {
            own.copy_from_slice(said);
            self.stamp = Some(read);
        }
        Some(read)
    }
}

/// Whether a space, a small letter and no zone, `am` or `pm` stand behind a stamp of this length.
#[inline]
fn is_behind(text: &[u8], len: usize) -> bool {
    let behind = text.get(len..).unwrap_or_default();
    let Some(&[b' ', b'a'..=b'z', _, third, fourth, fifth]) = behind.first_chunk() else {
        return false;
    };
    // Names of zones have two to four letters, those of hosts mostly more.
    let is_end = |byte| matches!(byte, b' ' | b':' | b'.');
    if !is_end(third) && !is_end(fourth) && !is_end(fifth) {
        return true;
    }
    !is_zone(behind)
}

/// Whether a zone, `am` or `pm` in small letters stands behind a space.
#[cold]
fn is_zone(behind: &[u8]) -> bool {
    let word = behind.get(1..).unwrap_or_default();
    let end = word.iter().position(|byte| !byte.is_ascii_alphabetic());
    let word = word.get(..end.unwrap_or(word.len())).unwrap_or_default();
    matches!(word, [b'a' | b'p', b'm' | b'M']) || stamp::small_zone_offset(word).is_some()
}
