//! RELP: messages are acknowledged, or refused on request.

use std::io;
use std::sync::Arc;

use syslog::frame::trim_terminator;
use syslog::relp::{Command, Decoder, DecoderOptions, Frame, Offers, Step, encode};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::sink::account::{Account, Tally};
use crate::sink::limits::READ_BYTES;
use crate::sink::trouble::Trouble;

/// Speaks with a client until it closes.
pub(crate) async fn take(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    account: Arc<Account>,
    trouble: Trouble,
) -> io::Result<()> {
    let mut decoder = Decoder::new(DecoderOptions::default());
    let mut buffer = vec![0; READ_BYTES.max(decoder.buffer_bytes_min())];
    let mut filled = 0;
    let mut answers = Vec::new();
    let mut tally = Tally::new(&account);
    loop {
        let free = buffer.get_mut(filled..).unwrap_or_default();
        let read = stream.read(free).await?;
        if read == 0 {
            return Ok(());
        }
        trouble.hold_up(read).await;
        filled += read;
        let (mut start, mut is_done) = (0, false);
        while !is_done {
            match decoder.next(buffer.get(start..filled).unwrap_or_default()) {
                Ok(Step::Frame { frame, consumed }) => {
                    start += consumed;
                    is_done = answer(&frame, &mut tally, &mut answers);
                }
                Ok(Step::NeedMore { consumed }) => {
                    start += consumed;
                    break;
                }
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            }
        }
        tally.settle(read);
        stream.write_all(&answers).await?;
        answers.clear();
        if is_done {
            return stream.shutdown().await;
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
}

/// Answers a frame; `true` where the connection ends with it.
fn answer(frame: &Frame<'_>, tally: &mut Tally, answers: &mut Vec<u8>) -> bool {
    match frame.command {
        Command::Open if Offers::parse(frame.data).is_acceptable() => {
            encode::open_accepted(frame.transaction, answers);
        }
        Command::Open => encode::refused(frame.transaction, "no syslog offered", answers),
        Command::Syslog => {
            if tally.message(trim_terminator(frame.data), !frame.is_truncated) {
                encode::ok(frame.transaction, answers);
            } else {
                encode::refused(frame.transaction, "failed on request", answers);
            }
        }
        Command::Close => {
            encode::ok(frame.transaction, answers);
            encode::server_close(answers);
            return true;
        }
        Command::Response | Command::ServerClose => {}
        Command::Unknown => encode::refused(frame.transaction, "unknown command", answers),
    }
    false
}
