//! Finds the frames of a RELP stream.
//!
//! Like the TCP framer it keeps no bytes of ordinary frames: the caller's buffer does. Only the
//! data of a frame that is longer than a message may be is collected here, up to that limit, while
//! the rest goes by: its end has to be seen before it may be answered, and refusing it would make
//! the client send it again for ever.

use model::limits::{MESSAGE_BYTES_DEFAULT, MESSAGE_BYTES_MAX};

use super::Error;
use crate::cursor::Cursor;
use crate::limits::{
    FRAME_BYTES_MAX, RELP_COMMAND_BYTES_MAX, RELP_DIGITS_MAX, RELP_HEADER_BYTES_MAX,
};

/// What a decoder may be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecoderOptions {
    /// Longest message in bytes; the rest of a longer one is cut off. Held to 1 to
    /// [`MESSAGE_BYTES_MAX`].
    pub message_bytes_max: usize,
}

impl Default for DecoderOptions {
    fn default() -> Self {
        Self {
            message_bytes_max: MESSAGE_BYTES_DEFAULT,
        }
    }
}

/// What a frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `open`: the client's offers.
    Open,
    /// `syslog`: a message.
    Syslog,
    /// `close`: the client is done.
    Close,
    /// `rsp`: the server's answer.
    Response,
    /// `serverclose`: the server will close the connection.
    ServerClose,
    /// Another word; to be answered with an error.
    Unknown,
}

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its number, to be answered with; 0 only with [`Command::ServerClose`] and
    /// [`Command::Unknown`].
    pub transaction: u32,
    /// What it asks for.
    pub command: Command,
    /// Its data, at most `message_bytes_max` long. A message's terminator, if the client sent one,
    /// is still on it (see [`crate::frame::trim_terminator`]).
    pub data: &'a [u8],
    /// Whether there was more data; then the record gets [`model::Tag::Truncated`].
    pub is_truncated: bool,
}

/// What became of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A frame. The next call gets the buffer from `consumed` on.
    Frame {
        /// The frame.
        frame: Frame<'a>,
        /// Bytes of the buffer that are done with.
        consumed: usize,
    },
    /// No complete frame. The next call gets the buffer from `consumed` on, and more behind it.
    NeedMore {
        /// Bytes of the buffer that are done with.
        consumed: usize,
    },
}

/// Finds the frames of one direction of a connection.
#[derive(Clone, Debug)]
pub struct Decoder {
    message_bytes_max: usize,
    /// The frame whose data is too long, and how many bytes of the data are still to come.
    oversized: Option<(Header, usize)>,
    /// The start of that frame's data.
    kept: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    transaction: u32,
    command: Command,
    data_bytes: usize,
    /// Length of the header itself.
    len: usize,
}

impl Decoder {
    /// A decoder at the start of a connection.
    pub fn new(options: DecoderOptions) -> Self {
        Self {
            message_bytes_max: options.message_bytes_max.clamp(1, MESSAGE_BYTES_MAX),
            oversized: None,
            kept: Vec::new(),
        }
    }

    /// The size of the caller's buffer with which every frame can be found, in bytes.
    pub fn buffer_bytes_min(&self) -> usize {
        self.message_bytes_max + RELP_HEADER_BYTES_MAX + 1
    }

    /// Finds the next frame. `buffer` is as for [`crate::frame::Framer::next`]. Behind an error
    /// the connection is of no use.
    pub fn next<'b>(&'b mut self, buffer: &'b [u8]) -> Result<Step<'b>, Error> {
        if let Some((header, left)) = self.oversized {
            return self.oversized(buffer, 0, header, left);
        }
        let Some(header) = header(buffer)? else {
            return Ok(Step::NeedMore { consumed: 0 });
        };
        if header.data_bytes > self.message_bytes_max {
            self.kept.clear();
            return self.oversized(buffer, header.len, header, header.data_bytes);
        }
        let end = header.len + header.data_bytes;
        let (Some(data), Some(trailer)) = (buffer.get(header.len..end), buffer.get(end)) else {
            return Ok(Step::NeedMore { consumed: 0 });
        };
        Ok(Step::Frame {
            frame: frame(header, *trailer, data)?,
            consumed: end + 1,
        })
    }

    /// Whether the end of the stream here would cut a frame short. `left` is what is left of the
    /// buffer when [`Self::next`] needed more.
    pub fn is_inside_frame(&self, left: &[u8]) -> bool {
        !left.is_empty() || self.oversized.is_some()
    }

    /// Goes on with the data of a frame that is too long, of which `left` bytes are missing.
    fn oversized<'b>(
        &'b mut self,
        buffer: &'b [u8],
        start: usize,
        header: Header,
        left: usize,
    ) -> Result<Step<'b>, Error> {
        let rest = buffer.get(start..).unwrap_or(&[]);
        let data = rest.get(..left).unwrap_or(rest);
        let room = self.message_bytes_max - self.kept.len();
        self.kept
            .extend_from_slice(data.get(..room).unwrap_or(data));
        let left = left - data.len();
        let end = start + data.len();
        let Some(trailer) = buffer.get(end).filter(|_| left == 0) else {
            self.oversized = Some((header, left));
            return Ok(Step::NeedMore { consumed: end });
        };
        self.oversized = None;
        Ok(Step::Frame {
            frame: Frame {
                is_truncated: true,
                ..frame(header, *trailer, &self.kept)?
            },
            consumed: end + 1,
        })
    }
}

fn frame(header: Header, trailer: u8, data: &[u8]) -> Result<Frame<'_>, Error> {
    if trailer != b'\n' {
        return Err(Error::MissingTrailer {
            transaction: header.transaction,
        });
    }
    Ok(Frame {
        transaction: header.transaction,
        command: header.command,
        data,
        is_truncated: false,
    })
}

/// Reads a header: `Ok(None)` where the buffer ends within it, an error as soon as it is wrong.
fn header(buffer: &[u8]) -> Result<Option<Header>, Error> {
    let mut at = Cursor::new(buffer);
    let Some(transaction) = number(&mut at).map_err(|()| Error::InvalidTransaction)? else {
        return Ok(None);
    };
    if !at.eat(b' ') {
        return Err(Error::InvalidTransaction);
    }
    let word = at.take_while(|byte| byte.is_ascii_alphabetic());
    if word.len() > RELP_COMMAND_BYTES_MAX || (word.is_empty() && !at.is_end()) {
        return Err(Error::InvalidCommand { transaction });
    }
    if at.is_end() {
        return Ok(None);
    }
    if !at.eat(b' ') {
        return Err(Error::InvalidCommand { transaction });
    }
    let command = command(word);
    if transaction == 0 && !matches!(command, Command::ServerClose | Command::Unknown) {
        return Err(Error::TransactionZero);
    }
    let invalid = Error::InvalidDataLength { transaction };
    let Some(data_bytes) = number(&mut at).map_err(|()| invalid)? else {
        return Ok(None);
    };
    let data_bytes = usize::try_from(data_bytes).map_err(|_| invalid)?;
    // Without data there is no space, but some write one.
    if !at.eat(b' ') && (data_bytes > 0 || at.peek() != Some(b'\n')) {
        return Err(invalid);
    }
    if data_bytes > FRAME_BYTES_MAX {
        return Err(Error::DataTooLong {
            transaction,
            data_bytes,
            data_bytes_max: FRAME_BYTES_MAX,
        });
    }
    Ok(Some(Header {
        transaction,
        command,
        data_bytes,
        len: at.at(),
    }))
}

/// Reads one to nine digits that another byte follows: `Ok(None)` where the buffer ends first.
fn number(at: &mut Cursor<'_>) -> Result<Option<u32>, ()> {
    let digits = at.take_digits();
    if digits.len() > RELP_DIGITS_MAX || (digits.is_empty() && !at.is_end()) {
        return Err(());
    }
    let value = digits.iter().fold(0_u32, |value, digit| {
        value * 10 + u32::from(digit.wrapping_sub(b'0'))
    });
    Ok((!at.is_end()).then_some(value))
}

fn command(word: &[u8]) -> Command {
    match word {
        b"open" => Command::Open,
        b"syslog" => Command::Syslog,
        b"close" => Command::Close,
        b"rsp" => Command::Response,
        b"serverclose" => Command::ServerClose,
        _ => Command::Unknown,
    }
}
