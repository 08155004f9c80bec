//! Streams that come compressed: unpacked as they are read, within bounds.
//!
//! What must stay true: a stream takes no more memory than its share, whatever it says of itself;
//! output is made only where there is room for it, so that the byte budget bounds it as it does
//! everything else; any split of the packed stream gives the same bytes.

use std::fmt;
use std::io;

use flate2::{Decompress, FlushDecompress, Status};
use syslog::packing::{self, Packing};
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use crate::budget::{Budget, Permit};
use crate::limits::{
    UNPACK_RATIO_FROM_BYTES, UNPACK_RATIO_MAX, ZLIB_STATE_BYTES, ZSTD_STATE_BYTES,
    ZSTD_WINDOW_BYTES_MAX,
};

/// Why a packed stream cannot be read on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// It is damaged, or something else.
    #[error("the compressed stream is damaged behind {bytes} bytes: {reason}")]
    Damaged {
        /// Bytes that were unpacked before.
        bytes: u64,
        /// What the library says.
        reason: String,
    },
    /// It says that unpacking takes more memory than it may.
    #[error(
        "the zstd stream needs a window of {0} bytes, {ZSTD_WINDOW_BYTES_MAX} are possible: use a \
         lower level, or no long mode"
    )]
    Window(u64),
    /// Other streams have taken all memory for unpacking.
    #[error("there is no memory left to unpack another connection")]
    Memory,
    /// It becomes larger than any log.
    #[error("the compressed stream grows more than {UNPACK_RATIO_MAX} times when unpacked")]
    Ratio,
}

/// A packed stream at work.
pub struct Unpacker {
    kind: Kind,
    /// What has been read; unpacked up to `used`.
    wire: Vec<u8>,
    used: usize,
    /// Whether output was left inside for want of room.
    is_full: bool,
    /// What was found behind bytes that had to be handed on first.
    failure: Option<UnpackError>,
    wire_bytes: u64,
    bytes: u64,
    _memory: Permit,
}

enum Kind {
    Zlib(Box<Decompress>),
    Zstd(Box<Decoder<'static>>),
}

impl Unpacker {
    /// Starts on a stream of which the first bytes are known, and takes a share of the memory for
    /// as long as it lives.
    ///
    /// # Errors
    /// When the stream needs more memory than there is or than one may have.
    pub fn new(packing: Packing, wire: Vec<u8>, memory: &Budget) -> Result<Self, UnpackError> {
        let window = match packing {
            Packing::Zstd { window_bytes } => window_bytes,
            Packing::Zlib | Packing::Plain => 0,
        };
        if window > ZSTD_WINDOW_BYTES_MAX {
            return Err(UnpackError::Window(window));
        }
        let share = match packing {
            Packing::Zstd { .. } => {
                ZSTD_STATE_BYTES + usize::try_from(window).unwrap_or(usize::MAX)
            }
            Packing::Zlib | Packing::Plain => ZLIB_STATE_BYTES,
        };
        let share = memory.try_acquire(share).ok_or(UnpackError::Memory)?;
        let kind = match packing {
            Packing::Zstd { .. } => Kind::Zstd(Box::new(zstd_decoder(window)?)),
            Packing::Zlib | Packing::Plain => Kind::Zlib(Box::new(Decompress::new(true))),
        };
        Ok(Self {
            kind,
            wire_bytes: wire.len() as u64,
            wire,
            used: 0,
            is_full: false,
            failure: None,
            bytes: 0,
            _memory: share,
        })
    }

    /// Where to put more of the stream, behind what is there; then tell how much with
    /// [`Self::added`].
    pub fn wire(&mut self, room: usize) -> &mut Vec<u8> {
        self.wire.drain(..self.used);
        self.used = 0;
        self.wire.reserve(room);
        &mut self.wire
    }

    /// So many bytes have been added.
    pub fn added(&mut self, bytes: usize) {
        self.wire_bytes += bytes as u64;
    }

    /// Gives back memory that is not needed while nothing comes.
    pub fn relax(&mut self) {
        self.wire(0).shrink_to_fit();
    }

    /// Appends what can be unpacked, up to the capacity of the buffer. Nothing is appended where
    /// more of the stream is needed. What comes before damage is appended first.
    ///
    /// # Errors
    /// When the stream is damaged, or grows more than any log does.
    pub fn unpack(&mut self, buffer: &mut Vec<u8>) -> Result<(), UnpackError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let start = buffer.len();
        let result = self.fill(buffer);
        self.bytes += (buffer.len() - start) as u64;
        match result {
            Err(failure) if buffer.len() > start => self.failure = Some(failure),
            result => return result,
        }
        Ok(())
    }

    fn fill(&mut self, buffer: &mut Vec<u8>) -> Result<(), UnpackError> {
        let start = buffer.len();
        while buffer.len() < buffer.capacity() && (self.is_full || self.used < self.wire.len()) {
            let before = (self.used, buffer.len());
            let input = self.wire.get(self.used..).unwrap_or_default();
            let step = match &mut self.kind {
                Kind::Zlib(zlib) => step_zlib(zlib, input, buffer),
                Kind::Zstd(zstd) => step_zstd(zstd, input, buffer),
            };
            let bytes = self.bytes + (buffer.len() - start) as u64;
            self.used += step.map_err(|reason| UnpackError::Damaged { bytes, reason })?;
            self.is_full = buffer.len() == buffer.capacity();
            if before == (self.used, buffer.len()) {
                break;
            }
        }
        let bytes = self.bytes + (buffer.len() - start) as u64;
        if bytes > UNPACK_RATIO_FROM_BYTES && bytes / UNPACK_RATIO_MAX > self.wire_bytes {
            return Err(UnpackError::Ratio);
        }
        Ok(())
    }
}

fn zstd_decoder(window: u64) -> Result<Decoder<'static>, UnpackError> {
    let damaged = |error: io::Error| UnpackError::Damaged {
        bytes: 0,
        reason: error.to_string(),
    };
    let mut decoder = Decoder::new().map_err(damaged)?;
    // A later frame may not ask for more than the first: its memory would not be accounted for.
    let log = window.next_power_of_two().ilog2().max(10);
    decoder
        .set_parameter(DParameter::WindowLogMax(log))
        .map_err(damaged)?;
    Ok(decoder)
}

/// One step of zlib; returns how many bytes it took. Another stream may follow one that has ended.
fn step_zlib(zlib: &mut Decompress, input: &[u8], buffer: &mut Vec<u8>) -> Result<usize, String> {
    let before = zlib.total_in();
    let status = zlib
        .decompress_vec(input, buffer, FlushDecompress::None)
        .map_err(|error| error.to_string())?;
    let taken = usize::try_from(zlib.total_in() - before).unwrap_or(input.len());
    if status == Status::StreamEnd {
        zlib.reset(true);
        let rest = input.get(taken..).unwrap_or_default();
        match packing::of_stream(rest) {
            None | Some(Packing::Zlib) => {}
            Some(Packing::Plain | Packing::Zstd { .. }) => {
                return Err("something else follows its end".to_owned());
            }
        }
    }
    Ok(taken)
}

/// One step of zstd; returns how many bytes it took.
fn step_zstd(
    zstd: &mut Decoder<'static>,
    input: &[u8],
    buffer: &mut Vec<u8>,
) -> Result<usize, String> {
    let mut input = InBuffer::around(input);
    let start = buffer.len();
    let mut output = OutBuffer::around_pos(buffer, start);
    let stepped = zstd.run(&mut input, &mut output);
    stepped.map_err(|error| error.to_string())?;
    Ok(input.pos())
}

impl fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker")
            .field("wire_bytes", &self.wire_bytes)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
