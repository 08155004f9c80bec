//! Streams of messages, plain or out of TLS.

use std::io;
use std::sync::Arc;

use memchr::memchr_iter;
use syslog::frame::{Framer, FramerOptions, Step};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::sink::account::{Account, Tally};
use crate::sink::limits::READ_BYTES;
use crate::sink::options::Mode;
use crate::sink::trouble::Trouble;

/// Takes a stream to its end, or to a message that is to fail: then the connection is closed.
pub(crate) async fn take(
    mut stream: impl AsyncRead + Unpin,
    account: Arc<Account>,
    trouble: Trouble,
) -> io::Result<()> {
    if account.mode() == Mode::Discard {
        return discard(stream, &account, &trouble).await;
    }
    let mut framer = Framer::new(FramerOptions::default());
    let mut buffer = vec![0; READ_BYTES.max(framer.buffer_bytes_min())];
    let mut filled = 0;
    let mut tally = Tally::new(&account);
    loop {
        let free = buffer.get_mut(filled..).unwrap_or_default();
        let read = stream.read(free).await?;
        trouble.hold_up(read).await;
        filled += read;
        let mut start = 0;
        if read == 0 {
            if let Some(frame) = framer.finish(buffer.get(..filled).unwrap_or_default()) {
                tally.message(frame.raw, false);
            }
            tally.settle(0);
            return Ok(());
        }
        loop {
            match framer.next(buffer.get(start..filled).unwrap_or_default()) {
                Step::Frame { frame, consumed } => {
                    start += consumed;
                    if !tally.message(frame.raw, frame.tags == 0) {
                        tally.settle(read);
                        return Ok(());
                    }
                }
                Step::NeedMore { consumed } => {
                    start += consumed;
                    break;
                }
            }
        }
        tally.settle(read);
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
}

/// Reads and counts bytes and line feeds.
async fn discard(
    mut stream: impl AsyncRead + Unpin,
    account: &Account,
    trouble: &Trouble,
) -> io::Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        trouble.hold_up(read).await;
        let lines = memchr_iter(b'\n', buffer.get(..read).unwrap_or_default()).count();
        account.add(lines as u64, read as u64, 0);
    }
}
