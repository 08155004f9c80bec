//! Text in UTF-16, as some programs of Windows write their logs, into UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, Encoding};

use super::notes::Notes;

/// Bytes that are read at once.
const READ_BYTES: usize = 16 * 1024;

/// Fewest bytes of room that are decoded into: a character of four, and what replaces half of one.
const ROOM_BYTES_MIN: usize = 16;

/// Decodes what it reads; the mark at the start is left out.
pub(super) struct Utf16<R> {
    inner: R,
    decoder: Decoder,
    input: Vec<u8>,
    output: Vec<u8>,
    given: usize,
    is_over: bool,
    has_replaced: bool,
    notes: Notes,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(inner: R, encoding: &'static Encoding, notes: &Notes) -> Self {
        Self {
            inner,
            decoder: encoding.new_decoder_with_bom_removal(),
            input: Vec::new(),
            output: Vec::new(),
            given: 0,
            is_over: false,
            has_replaced: false,
            notes: notes.clone(),
        }
    }

    /// Decodes more, unless all is decoded.
    fn fill(&mut self) -> io::Result<()> {
        self.input.resize(READ_BYTES, 0);
        let read = self.inner.read(&mut self.input)?;
        self.input.truncate(read);
        self.is_over = read == 0;
        self.output.clear();
        self.given = 0;
        let most = self.decoder.max_utf8_buffer_length(read);
        self.output
            .resize(most.unwrap_or(4 * READ_BYTES).max(ROOM_BYTES_MIN), 0);
        let (_, _, written, has_replaced) =
            self.decoder
                .decode_to_utf8(&self.input, &mut self.output, self.is_over);
        self.output.truncate(written);
        if has_replaced && !self.has_replaced {
            self.has_replaced = true;
            self.notes.note(
                "some of it is no UTF-16: it was replaced by U+FFFD in the records".to_owned(),
            );
        }
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() && !self.is_over {
            self.fill()?;
        }
        let left = self.output.get(self.given..).unwrap_or(&[]);
        let len = left.len().min(buffer.len());
        let (given, _) = left.split_at(len);
        if let Some(room) = buffer.get_mut(..len) {
            room.copy_from_slice(given);
        }
        self.given += len;
        Ok(len)
    }
}
