//! Bodies that come compressed: unpacked as they are read, a bounded step at a time.

use axum::http::{HeaderMap, header};
use bytes::{Buf as _, Bytes};
use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::Write as _;
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation as _, OutBuffer};

use crate::limits::{
    UNPACK_RATIO_FROM_BYTES, UNPACK_RATIO_MAX, UNPACK_STEP_BYTES, UNPACKED_PIECE_BYTES,
    ZSTD_WINDOW_LOG_MAX,
};
use crate::problem::Refusal;

/// What is unpacked, as a header says it.
pub(crate) const ENCODINGS: &str = "gzip, deflate, zstd";

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Not at all.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 1950; or RFC 1951 bare, as some send it.
    Deflate,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// What the headers of a request say of its body.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let mut found = Self::Identity;
        for value in headers.get_all(header::CONTENT_ENCODING) {
            for name in value.as_bytes().split(|byte| *byte == b',') {
                let name = name.trim_ascii().to_ascii_lowercase();
                let next = match name.as_slice() {
                    b"" | b"identity" => continue,
                    b"gzip" | b"x-gzip" if found == Self::Identity => Self::Gzip,
                    b"deflate" if found == Self::Identity => Self::Deflate,
                    b"zstd" if found == Self::Identity => Self::Zstd,
                    _ => return Err(unsupported(&String::from_utf8_lossy(value.as_bytes()))),
                };
                found = next;
            }
        }
        Ok(found)
    }
}

fn unsupported(encoding: &str) -> Refusal {
    let title = "the body has an encoding that is not unpacked";
    let detail = format!("Content-Encoding {encoding:?} is not known");
    api::Problem::new(415, "encoding-unsupported", title, detail)
        .with_hint(format!("use one of {ENCODINGS}, or none"))
        .into()
}

/// A compressed body at work. What it makes of a step is bounded, whatever the body says of itself.
pub(crate) struct Unpacker {
    kind: Kind,
    packed_bytes: u64,
    bytes: u64,
}

enum Kind {
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Deflate(Box<Deflate>),
    Zstd(Box<Zstd>),
}

struct Deflate {
    /// Made when its first byte tells whether there is a header.
    state: Option<Decompress>,
    is_at_end: bool,
    is_full: bool,
}

struct Zstd {
    decoder: Decoder<'static>,
    is_at_end: bool,
    is_full: bool,
}

impl Unpacker {
    /// One for an encoding; `None` where there is nothing to unpack.
    pub(crate) fn new(encoding: Encoding) -> Result<Option<Self>, Refusal> {
        let kind = match encoding {
            Encoding::Identity => return Ok(None),
            Encoding::Gzip => Kind::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            Encoding::Deflate => Kind::Deflate(Box::new(Deflate {
                state: None,
                is_at_end: false,
                is_full: false,
            })),
            Encoding::Zstd => {
                let failed = |error: std::io::Error| Refusal::internal(error.to_string());
                let mut decoder = Decoder::new().map_err(failed)?;
                let window = DParameter::WindowLogMax(ZSTD_WINDOW_LOG_MAX);
                decoder.set_parameter(window).map_err(failed)?;
                Kind::Zstd(Box::new(Zstd {
                    decoder,
                    is_at_end: false,
                    is_full: false,
                }))
            }
        };
        Ok(Some(Self {
            kind,
            packed_bytes: 0,
            bytes: 0,
        }))
    }

    /// Takes a step; empty where more of the body is needed.
    ///
    /// # Errors
    /// When the body is damaged, or grows more than any log does.
    pub(crate) fn step(&mut self, packed: &mut Bytes) -> Result<Vec<u8>, Refusal> {
        let before = packed.len();
        let stepped = match &mut self.kind {
            Kind::Gzip(gzip) => step_gzip(gzip, packed),
            Kind::Deflate(deflate) => deflate.step(packed),
            Kind::Zstd(zstd) => zstd.step(packed),
        };
        let piece = stepped.map_err(|reason| self.damaged(&reason))?;
        self.packed_bytes += (before - packed.len()) as u64;
        self.bytes += piece.len() as u64;
        let is_beyond = self.bytes / UNPACK_RATIO_MAX > self.packed_bytes;
        if self.bytes > UNPACK_RATIO_FROM_BYTES && is_beyond {
            let detail = format!("it grows more than {UNPACK_RATIO_MAX} times when unpacked");
            let title = "the body is too large";
            return Err(api::Problem::new(413, "body-too-large", title, detail).into());
        }
        Ok(piece)
    }

    /// The last piece.
    ///
    /// # Errors
    /// When the body ends before its own end.
    pub(crate) fn finish(&mut self) -> Result<Vec<u8>, Refusal> {
        let is_at_end = match &mut self.kind {
            Kind::Gzip(gzip) => {
                if self.packed_bytes == 0 {
                    return Ok(Vec::new());
                }
                match gzip.try_finish() {
                    Ok(()) => return Ok(std::mem::take(gzip.get_mut())),
                    Err(_) => false,
                }
            }
            Kind::Deflate(deflate) => deflate.is_at_end,
            Kind::Zstd(zstd) => zstd.is_at_end,
        };
        if is_at_end || self.packed_bytes == 0 {
            return Ok(Vec::new());
        }
        Err(self.damaged("it ends before its end"))
    }

    fn damaged(&self, reason: &str) -> Refusal {
        let bytes = self.bytes;
        Refusal::broken(format!(
            "the compressed body is damaged behind {bytes} bytes, unpacked: {reason}"
        ))
    }
}

fn step_gzip(gzip: &mut MultiGzDecoder<Vec<u8>>, packed: &mut Bytes) -> Result<Vec<u8>, String> {
    while !packed.is_empty() && gzip.get_ref().len() < UNPACKED_PIECE_BYTES {
        let step = packed.split_to(packed.len().min(UNPACK_STEP_BYTES));
        gzip.write_all(&step).map_err(|error| error.to_string())?;
    }
    Ok(std::mem::take(gzip.get_mut()))
}

impl Deflate {
    fn step(&mut self, packed: &mut Bytes) -> Result<Vec<u8>, String> {
        let Some(first) = packed.first().copied() else {
            if !self.is_full {
                return Ok(Vec::new());
            }
            return self.run(packed);
        };
        // A header of zlib has method 8 in its first byte, and a window of at most 32 KiB; a bare
        // stream cannot start like that but with a stored block, which nobody sends first.
        let has_header = first & 0x0f == 8 && first >> 4 <= 7;
        self.state
            .get_or_insert_with(|| Decompress::new(has_header));
        self.run(packed)
    }

    fn run(&mut self, packed: &mut Bytes) -> Result<Vec<u8>, String> {
        let Some(state) = &mut self.state else {
            return Ok(Vec::new());
        };
        if self.is_at_end {
            return Err("something follows its end".to_owned());
        }
        let mut piece = Vec::with_capacity(UNPACKED_PIECE_BYTES);
        let before = state.total_in();
        let status = state.decompress_vec(packed, &mut piece, FlushDecompress::None);
        let status = status.map_err(|error| error.to_string())?;
        let taken = usize::try_from(state.total_in() - before).unwrap_or(packed.len());
        packed.advance(taken.min(packed.len()));
        self.is_at_end = status == Status::StreamEnd;
        self.is_full = piece.len() == piece.capacity() && !self.is_at_end;
        if taken == 0 && piece.is_empty() && !packed.is_empty() && !self.is_at_end {
            return Err("it cannot be read on".to_owned());
        }
        Ok(piece)
    }
}

impl Zstd {
    fn step(&mut self, packed: &mut Bytes) -> Result<Vec<u8>, String> {
        if packed.is_empty() && !self.is_full {
            return Ok(Vec::new());
        }
        let mut piece = Vec::with_capacity(UNPACKED_PIECE_BYTES);
        let mut input = InBuffer::around(packed);
        let mut output = OutBuffer::around(&mut piece);
        let run = self.decoder.run(&mut input, &mut output);
        let left = run.map_err(|error| error.to_string())?;
        let taken = input.pos();
        self.is_at_end = left == 0;
        self.is_full = piece.len() == piece.capacity();
        let is_stuck = taken == 0 && piece.is_empty();
        packed.advance(taken);
        if is_stuck && !packed.is_empty() {
            return Err("it cannot be read on".to_owned());
        }
        Ok(piece)
    }
}
