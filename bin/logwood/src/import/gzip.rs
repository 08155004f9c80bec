//! Gzip as files have it: several members, zeros behind them, and sometimes something else.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::notes::Notes;

/// What a member starts with.
pub(super) const MAGIC: &[u8] = &[0x1f, 0x8b];

/// Reads the members of a file, one behind the other.
pub(super) struct Members<R> {
    decoder: Option<GzDecoder<R>>,
    notes: Notes,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(input: R, notes: &Notes) -> Self {
        Self {
            decoder: Some(GzDecoder::new(input)),
            notes: notes.clone(),
        }
    }

    /// Goes to the member behind the one that has ended. Zeros fill up blocks of tapes, and mean nothing.
    fn go_on(&mut self, mut input: R) -> io::Result<()> {
        loop {
            let rest = input.fill_buf()?;
            let zeros = rest.iter().take_while(|byte| **byte == 0).count();
            if zeros == 0 {
                break;
            }
            input.consume(zeros);
        }
        let is_member = input
            .fill_buf()?
            .iter()
            .zip(MAGIC)
            .all(|(byte, magic)| byte == magic);
        if is_member && !input.fill_buf()?.is_empty() {
            self.decoder = Some(GzDecoder::new(input));
            return Ok(());
        }
        let garbage = io::copy(&mut input, &mut io::sink())?;
        if garbage > 0 {
            self.notes.note(format!(
                "{garbage} bytes behind the end of the gzip data are none, and were left out"
            ));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if let Some(ended) = self.decoder.take() {
                self.go_on(ended.into_inner())?;
            }
        }
        Ok(0)
    }
}
