//! What some senders wrap a message into, taken off: rsyslog's compression of single messages, and
//! encodings other than UTF-8.

use flate2::{Decompress, FlushDecompress, Status};
use model::Tag;
use syslog::frame::trim_terminator;
use syslog::{Encoding, packing};

use crate::limits::OPENED_BYTES_KEPT;

/// Opens the messages of one connection or socket. Those that are as they should be pass untouched.
#[derive(Debug)]
pub(crate) struct Opener {
    unpacks: bool,
    encoding: Option<Encoding>,
    bytes_max: usize,
    zlib: Option<Box<Decompress>>,
    unpacked: Vec<u8>,
    converted: String,
}

impl Opener {
    /// An opener whose messages have at most so many bytes when they are open.
    pub(crate) fn new(unpacks: bool, encoding: Option<Encoding>, bytes_max: usize) -> Self {
        Self {
            unpacks,
            encoding,
            bytes_max,
            zlib: None,
            unpacked: Vec::new(),
            converted: String::new(),
        }
    }

    /// The message as it is to be read, and bits of tags to be added to its own. What cannot be
    /// opened is returned as it is, without the terminator that was left to it (see
    /// [`syslog::frame::trim_counted`]).
    pub(crate) fn open<'a>(&'a mut self, raw: &'a [u8]) -> (&'a [u8], u64) {
        let Self {
            unpacks,
            encoding,
            bytes_max,
            zlib,
            unpacked,
            converted,
        } = self;
        let (mut message, mut tags) = (raw, 0);
        if let Some(packed) = packing::of_message(raw) {
            let opened = unpacks.then(|| unpack(zlib, packed, unpacked, *bytes_max));
            match opened.flatten() {
                Some(is_cut) => {
                    message = unpacked.as_slice();
                    tags |= truncated(is_cut);
                }
                None => {
                    message = trim_terminator(raw);
                    if *unpacks {
                        tags |= Tag::InvalidCompression.bit();
                    }
                }
            }
        }
        if let Some(encoding) = encoding
            && std::str::from_utf8(message).is_err()
            && encoding.decode(message, converted)
        {
            let end = converted.floor_char_boundary(*bytes_max);
            tags |= Tag::Converted.bit() | truncated(end < converted.len());
            message = converted.get(..end).unwrap_or_default().as_bytes();
        }
        (message, tags)
    }

    /// Gives back what a large message has taken. For when nothing is to be done.
    pub(crate) fn relax(&mut self) {
        if self.unpacked.capacity() > OPENED_BYTES_KEPT {
            self.unpacked = Vec::new();
        }
        if self.converted.capacity() > OPENED_BYTES_KEPT {
            self.converted = String::new();
        }
    }
}

fn truncated(is_cut: bool) -> u64 {
    if is_cut { Tag::Truncated.bit() } else { 0 }
}

/// Replaces `unpacked` by what a zlib stream holds, and says whether the end of it was cut off;
/// `None` where it is broken, or has no end.
fn unpack(
    zlib: &mut Option<Box<Decompress>>,
    packed: &[u8],
    unpacked: &mut Vec<u8>,
    bytes_max: usize,
) -> Option<bool> {
    let zlib = zlib.get_or_insert_with(|| Box::new(Decompress::new(true)));
    zlib.reset(true);
    unpacked.clear();
    let room = bytes_max + syslog::limits::TERMINATOR_BYTES_MAX;
    // Text is packed to a quarter or so; doubling does the rest.
    unpacked.reserve(room.min(4 * packed.len()));
    let is_whole = loop {
        let taken = usize::try_from(zlib.total_in()).ok()?;
        let before = (taken, unpacked.len());
        let rest = packed.get(taken..)?;
        let status = zlib.decompress_vec(rest, unpacked, FlushDecompress::None);
        match status.ok()? {
            Status::StreamEnd => break true,
            Status::Ok | Status::BufError => {}
        }
        if unpacked.len() >= room {
            break false;
        }
        if unpacked.len() == unpacked.capacity() {
            let more = unpacked.capacity().min(room - unpacked.len());
            unpacked.reserve_exact(more.max(1));
        } else if before == (usize::try_from(zlib.total_in()).ok()?, unpacked.len()) {
            return None;
        }
    };
    let whole_len = trim_terminator(unpacked).len();
    unpacked.truncate(whole_len.min(bytes_max));
    Some(!is_whole || whole_len > bytes_max)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    const BYTES_MAX: usize = 1_000;

    /// As rsyslog does it.
    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(vec![b'z'], Compression::default());
        encoder.write_all(text).expect("writes");
        encoder.finish().expect("writes")
    }

    fn check(opener: &mut Opener, raw: &[u8], expected: &[u8], tags: &[Tag]) {
        let (message, found) = opener.open(raw);
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(shown(message), shown(expected), "{}", shown(raw));
        let expected = tags.iter().fold(0, |tags, tag| tags | tag.bit());
        assert_eq!(found, expected, "{}", shown(raw));
    }

    #[test]
    fn packed_messages_are_unpacked() {
        let mut opener = Opener::new(true, None, BYTES_MAX);
        for text in ["", "<34>x", "<34>line\n", &"<34>abc ".repeat(100)] {
            let raw = packed(text.as_bytes());
            check(
                &mut opener,
                &raw,
                text.trim_end_matches('\n').as_bytes(),
                &[],
            );
        }
        for text in ["", "z", "zebra", "<34>zx\u{9c}", "zx^ is text", "zx^_"] {
            let tags: &[Tag] = if text.starts_with("zx^") {
                &[Tag::InvalidCompression]
            } else {
                &[]
            };
            check(&mut opener, text.as_bytes(), text.as_bytes(), tags);
        }
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let mut opener = Opener::new(true, None, BYTES_MAX);
        for (len, tags) in [
            (BYTES_MAX - 1, &[][..]),
            (BYTES_MAX, &[]),
            (BYTES_MAX + 1, &[Tag::Truncated]),
            (BYTES_MAX + 4, &[Tag::Truncated]),
            (50 * BYTES_MAX, &[Tag::Truncated]),
        ] {
            let text = vec![b'x'; len];
            let expected = &text[..len.min(BYTES_MAX)];
            check(&mut opener, &packed(&text), expected, tags);
        }
        assert!(opener.unpacked.capacity() < 2 * BYTES_MAX);
    }

    #[test]
    fn what_is_broken_is_kept_as_it_came() {
        let mut opener = Opener::new(true, None, BYTES_MAX);
        let whole = packed(&b"<34>some message ".repeat(20));
        for end in 3..whole.len() {
            let raw = &whole[..end];
            let kept = trim_terminator(raw);
            check(&mut opener, raw, kept, &[Tag::InvalidCompression]);
        }
        let mut broken = whole.clone();
        let last = broken.len() - 1;
        broken[last] ^= 1;
        let kept = trim_terminator(&broken);
        check(&mut opener, &broken, kept, &[Tag::InvalidCompression]);
        check(&mut opener, &whole, &b"<34>some message ".repeat(20), &[]);
        let mut off = Opener::new(false, None, BYTES_MAX);
        check(&mut off, b"zx\x9cab\n", b"zx\x9cab", &[]);
        check(
            &mut opener,
            b"zx\x9c\xff\n",
            b"zx\x9c\xff",
            &[Tag::InvalidCompression],
        );
    }

    #[test]
    fn messages_that_are_not_utf8_are_converted() {
        let latin1 = Encoding::parse("latin1");
        let mut opener = Opener::new(true, latin1, BYTES_MAX);
        check(
            &mut opener,
            b"caf\xe9",
            "caf\u{e9}".as_bytes(),
            &[Tag::Converted],
        );
        let utf8 = "caf\u{e9}".as_bytes();
        check(&mut opener, utf8, utf8, &[]);
        check(&mut opener, &packed(b"caf\xe9"), utf8, &[Tag::Converted]);
        let long = [b'\xe9'; BYTES_MAX];
        let cut = "\u{e9}".repeat(BYTES_MAX / 2);
        let tags = [Tag::Converted, Tag::Truncated];
        check(&mut opener, &long, cut.as_bytes(), &tags);
        let mut opener = Opener::new(true, Encoding::parse("gb18030"), BYTES_MAX);
        check(&mut opener, b"\xff", b"\xff", &[]);
    }
}
