//! Frames around messages, and compression of single messages.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use syslog::write::{decimal, octet_counted};

use super::target::Target;
use crate::Error;
use crate::limits::COMPRESS_BYTES_MIN;
use crate::message::Format;

/// What tells one message from the next (RFC 6587).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A line feed behind each.
    Lf,
    /// An octet count before each.
    Octet,
    /// An octet count that counts a line feed, as loggen and tcpflood write it.
    OctetLf,
    /// A NUL behind each.
    Nul,
    /// Nothing.
    None,
}

/// What is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// Nothing.
    #[default]
    None,
    /// Each message by itself where that makes it shorter: `z` and a zlib stream, as rsyslog does.
    Message,
    /// A whole connection as one zlib stream, flushed at the end of each batch.
    Stream,
}

impl Framing {
    /// What a format has over a transport unless told otherwise: loggen and tcpflood do as they
    /// do; RFC 5424 is counted, as RFC 5425 asks for; the rest are lines, and datagrams bare.
    pub fn usual(format: Option<Format>, target: &Target, packing: Packing) -> Self {
        if target.is_relp() {
            return Self::None;
        }
        if target.is_file() {
            return Self::Lf;
        }
        match format {
            _ if packing == Packing::Message && !target.is_datagram() => Self::Octet,
            Some(Format::LoggenIetf) => Self::OctetLf,
            Some(Format::Loggen | Format::Tcpflood | Format::TcpfloodIetf) => Self::Lf,
            _ if target.is_datagram() => Self::None,
            Some(Format::Rfc5424) => Self::Octet,
            _ => Self::Lf,
        }
    }

    /// Refuses what the receiver could not take apart.
    pub(super) fn check(self, target: &Target, packing: Packing) -> Result<(), Error> {
        if target.is_relp() && self != Self::None {
            return Err(Error::Contradiction {
                what: "framing".to_owned(),
                with: target.to_string(),
                remedy: "RELP has frames of its own; leave framing out",
            });
        }
        if packing == Packing::Message
            && !target.is_datagram()
            && !matches!(self, Self::Octet | Self::OctetLf)
            && !target.is_relp()
        {
            return Err(Error::Contradiction {
                what: "compression of single messages".to_owned(),
                with: "framing without octet counts".to_owned(),
                remedy: "compressed bytes hold line ends; leave framing out or take octet",
            });
        }
        Ok(())
    }

    /// Bytes of the line end that counts as a part of a message.
    pub fn line_end_bytes(self) -> usize {
        match self {
            Self::Lf | Self::OctetLf | Self::Nul => 1,
            Self::Octet | Self::None => 0,
        }
    }
}

/// Puts messages into frames.
#[derive(Debug)]
pub(super) struct Framer {
    framing: Framing,
    is_packing: bool,
    /// The last count with its space, and what it counted.
    head: Vec<u8>,
    head_counts: usize,
    packed: Vec<u8>,
}

impl Framer {
    pub(super) fn new(framing: Framing, packing: Packing) -> Self {
        Self {
            framing,
            is_packing: packing == Packing::Message,
            head: Vec::new(),
            head_counts: usize::MAX,
            packed: Vec::new(),
        }
    }

    /// Makes a place before a message that is about to be appended; hand it to [`Self::close`].
    pub(super) fn open(&mut self, out: &mut Vec<u8>) -> usize {
        let start = out.len();
        if matches!(self.framing, Framing::Octet | Framing::OctetLf) && !self.is_packing {
            // Most messages are as long as the one before.
            out.extend_from_slice(&self.head);
        }
        start
    }

    /// Completes the frame of the message that was appended behind [`Self::open`].
    pub(super) fn close(&mut self, start: usize, out: &mut Vec<u8>) {
        match self.framing {
            Framing::Lf | Framing::OctetLf => out.push(b'\n'),
            Framing::Nul => out.push(b'\0'),
            Framing::Octet | Framing::None => {}
        }
        let is_counted = matches!(self.framing, Framing::Octet | Framing::OctetLf);
        if self.is_packing {
            self.pack(start, is_counted, out);
        } else if is_counted {
            let counts = out.len() - start - self.head.len();
            if counts != self.head_counts {
                let end = start + self.head.len();
                self.head.clear();
                decimal(counts as u64, &mut self.head);
                self.head.push(b' ');
                self.head_counts = counts;
                out.splice(start..end, self.head.iter().copied());
            }
        }
    }

    /// Compresses the message behind `start` if that makes it shorter.
    fn pack(&mut self, start: usize, is_counted: bool, out: &mut Vec<u8>) {
        let plain = out.get(start..).unwrap_or_default();
        self.packed.clear();
        if plain.len() > COMPRESS_BYTES_MIN {
            self.packed.push(b'z');
            let mut encoder = ZlibEncoder::new(&mut self.packed, Compression::default());
            // Writing to a vector cannot fail.
            let written = encoder.write_all(plain).and_then(|()| encoder.try_finish());
            drop(encoder);
            if written.is_err() || self.packed.len() >= plain.len() {
                self.packed.clear();
            }
        }
        if self.packed.is_empty() {
            self.packed.extend_from_slice(plain);
        }
        out.truncate(start);
        if is_counted {
            octet_counted(&self.packed, out);
        } else {
            out.extend_from_slice(&self.packed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn framed(framing: Framing, packing: Packing, messages: &[&[u8]]) -> Vec<u8> {
        let mut framer = Framer::new(framing, packing);
        let mut out = Vec::new();
        for message in messages {
            let start = framer.open(&mut out);
            out.extend_from_slice(message);
            framer.close(start, &mut out);
        }
        out
    }

    #[test]
    fn each_framing_is_as_rfc_6587_and_loggen_have_it() {
        let messages: &[&[u8]] = &[b"ab", b"cd", b"123456789", b"1234567890", b"", b"x"];
        for (framing, expected) in [
            (Framing::Lf, "ab\ncd\n123456789\n1234567890\n\nx\n"),
            (Framing::Octet, "2 ab2 cd9 12345678910 12345678900 1 x"),
            (
                Framing::OctetLf,
                "3 ab\n3 cd\n10 123456789\n11 1234567890\n1 \n2 x\n",
            ),
            (Framing::Nul, "ab\0cd\x00123456789\x001234567890\0\0x\0"),
            (Framing::None, "abcd1234567891234567890x"),
        ] {
            let out = framed(framing, Packing::None, messages);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{framing:?}");
        }
    }

    #[test]
    fn a_message_is_compressed_only_where_that_makes_it_shorter() {
        let long = [b'x'; 300];
        let out = framed(Framing::None, Packing::Message, &[&long]);
        assert!(out.len() < 60 && out[0] == b'z');
        let mut plain = Vec::new();
        let mut decoder = flate2::read::ZlibDecoder::new(&out[1..]);
        decoder.read_to_end(&mut plain).expect("zlib");
        assert_eq!(plain, long);
        let short = [b'x'; 60];
        assert_eq!(framed(Framing::None, Packing::Message, &[&short]), short);
        let counted = framed(Framing::Octet, Packing::Message, &[&long]);
        let (count, rest) = counted.split_at(3);
        assert_eq!(count, format!("{} ", rest.len()).as_bytes());
    }
}
