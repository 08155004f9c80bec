//! Compression on the wire: how streams and messages that are packed are told from others.
//!
//! Only the first bytes are looked at here; unpacking is for whoever has the library for it.
//!
//! A zlib stream starts with `x` and one of four bytes, a zstd frame with `(` and three bytes that
//! are no text. Messages start with `<` or a digit, and text that starts so is not read wrong
//! unless it is `x^`: the head of zlib at levels 2 to 5 too.

use crate::limits::ZSTD_WINDOW_BYTES_DEFAULT;

/// What a zstd frame starts with (RFC 8878 section 3.1.1).
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// What rsyslog puts in front of a message that it compressed by itself.
const MESSAGE_MARK: u8 = b'z';

/// How a stream is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// As one zlib stream (RFC 1950), or several.
    Zlib,
    /// As zstd frames (RFC 8878).
    Zstd {
        /// Memory that the first frame says unpacking takes, in bytes.
        window_bytes: u64,
    },
}

/// Tells from its start how a stream is packed; `None` where more bytes are needed.
pub fn of_stream(start: &[u8]) -> Option<Packing> {
    match start {
        [] | [b'x'] => None,
        [first, second, ..] if is_zlib_head(*first, *second) => Some(Packing::Zlib),
        _ if ZSTD_MAGIC.starts_with(start) => None,
        _ => match start.strip_prefix(ZSTD_MAGIC) {
            None => Some(Packing::Plain),
            Some(frame) => zstd_window(frame).map(|window_bytes| Packing::Zstd { window_bytes }),
        },
    }
}

/// The zlib stream in a message that rsyslog compressed by itself: `z` in front of it.
pub fn of_message(raw: &[u8]) -> Option<&[u8]> {
    let (mark, packed) = raw.split_first()?;
    let [first, second, ..] = *packed else {
        return None;
    };
    (*mark == MESSAGE_MARK && is_zlib_head(first, second)).then_some(packed)
}

/// Whether two bytes are the head of a zlib stream as programs write them: the largest window, no
/// dictionary, and a checksum that fits (RFC 1950 section 2.2).
fn is_zlib_head(first: u8, second: u8) -> bool {
    const HAS_DICTIONARY: u8 = 0x20;
    first == 0x78
        && second & HAS_DICTIONARY == 0
        && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

/// The window of a frame (RFC 8878 section 3.1.1.1.2) from what stands behind its magic.
fn zstd_window(frame: &[u8]) -> Option<u64> {
    const SINGLE_SEGMENT: u8 = 0x20;
    let descriptor = *frame.first()?;
    if descriptor & SINGLE_SEGMENT != 0 {
        // The window is as large as the content, which senders of streams do not know.
        return Some(ZSTD_WINDOW_BYTES_DEFAULT);
    }
    let window = *frame.get(1)?;
    let (exponent, mantissa) = (window >> 3, u64::from(window & 7));
    let base = 1_u64 << (10 + exponent);
    Some(base + base / 8 * mantissa)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn streams_are_told_by_their_start() {
        for head in [b"x\x01", b"x\x5e", b"x\x9c", b"x\xda"] {
            assert_eq!(of_stream(head), Some(Packing::Zlib), "{head:?}");
        }
        let two_mib = Packing::Zstd {
            window_bytes: 2 << 20,
        };
        assert_eq!(of_stream(b"\x28\xb5\x2f\xfd\x04\x58"), Some(two_mib));
        let single = of_stream(b"\x28\xb5\x2f\xfd\x24");
        let window_bytes = ZSTD_WINDOW_BYTES_DEFAULT;
        assert_eq!(single, Some(Packing::Zstd { window_bytes }));
        for start in [
            b"".as_slice(),
            b"x",
            b"\x28",
            b"\x28\xb5\x2f\xfd",
            b"\x28\xb5\x2f\xfd\x04",
        ] {
            assert_eq!(of_stream(start), None, "{start:?}");
        }
        for start in [
            b"<34>x".as_slice(),
            b"9 <34>x",
            b"\n",
            b"x ",
            b"xml",
            b"x\xbb",
            b"(a",
            b"\x28\xb5\x2f\xfc",
            b"\x16\x03\x01",
        ] {
            assert_eq!(of_stream(start), Some(Packing::Plain), "{start:?}");
        }
    }

    #[test]
    fn messages_are_told_by_their_mark() {
        assert_eq!(of_message(b"zx\x9cabc"), Some(b"x\x9cabc".as_slice()));
        for raw in [b"".as_slice(), b"z", b"zx", b"zoo", b"x\x9cabc", b"zx\xbb"] {
            assert_eq!(of_message(raw), None, "{raw:?}");
        }
    }

    proptest! {
        #[test]
        fn more_bytes_never_change_what_was_told(start in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..12),
            prop::collection::vec(any::<u8>(), 0..4)
                .prop_map(|more| [ZSTD_MAGIC, &more].concat()),
            prop::collection::vec(any::<u8>(), 0..4).prop_map(|more| [b"x", &*more].concat()),
        ]) {
            let whole = of_stream(&start);
            for end in 0..start.len() {
                let early = of_stream(&start[..end]);
                prop_assert!(early.is_none() || early == whole);
            }
        }
    }
}
