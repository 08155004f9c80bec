//! Messages over RELP: a window of frames without an answer, and how long answers take.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use syslog::relp::{Command, Decoder, DecoderOptions, Response, Step, encode, next_transaction};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf, split};
use tokio::time::{Instant, sleep_until, timeout};

use super::account::Account;
use super::connect::{Duplex, Stream};
use super::feed::{Batch, Due, Feed};
use crate::limits::{ANSWER_TIMEOUT, BATCH_BYTES, CLOSE_TIMEOUT};

/// The number of the frame that opens a session.
const OPEN: u32 = 1;

/// An open session.
pub(super) struct Session {
    answers: Answers,
    writer: WriteHalf<Box<dyn Duplex>>,
    /// Frames on their way, and how many of their bytes are written.
    frames: Batch,
    written: usize,
    is_flushed: bool,
    next: u32,
}

/// What comes back.
struct Answers {
    reader: ReadHalf<Box<dyn Duplex>>,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// Frames without an answer, in order, and when they were made.
    waiting: VecDeque<(u32, Instant)>,
    /// When an answer was last seen, or waiting began.
    heard: Instant,
}

impl Session {
    /// Exchanges offers.
    pub(super) async fn open(stream: Stream) -> io::Result<Self> {
        let (reader, writer) = split(stream.bytes);
        let mut session = Self {
            answers: Answers {
                reader,
                decoder: Decoder::new(DecoderOptions::default()),
                buffer: Vec::new(),
                waiting: VecDeque::from([(OPEN, Instant::now())]),
                heard: Instant::now(),
            },
            writer,
            frames: Batch::default(),
            written: 0,
            is_flushed: true,
            next: next_transaction(OPEN),
        };
        let mut bytes = Vec::new();
        encode::open(OPEN, &mut bytes);
        session.writer.write_all(&bytes).await?;
        session.writer.flush().await?;
        while !session.answers.waiting.is_empty() {
            session.answers.read().await?;
            let mut taken = Taken::default();
            session.answers.take(&mut taken)?;
            if taken.refused > 0 {
                return Err(io::Error::other("the server refused the session"));
            }
        }
        Ok(session)
    }

    /// Sends until there is nothing left and everything is answered, or the connection is lost.
    pub(super) async fn send(&mut self, feed: &mut Feed, window: usize) -> io::Result<()> {
        let mut batch = Batch::default();
        loop {
            let mut wake = None;
            if self.is_idle() {
                let room = window.saturating_sub(self.answers.waiting.len());
                match feed.due() {
                    Due::Now(messages) if room > 0 => {
                        feed.fill(messages.min(room as u64), &mut batch, BATCH_BYTES);
                        self.frame(&batch);
                    }
                    Due::Now(_) => {}
                    Due::At(time) => wake = Some(time),
                    Due::Never if self.answers.waiting.is_empty() => return Ok(()),
                    Due::Never => {}
                }
            }
            self.step(wake, feed).await?;
        }
    }

    /// Waits for whatever comes first: bytes taken, answers, the time of the next message.
    async fn step(&mut self, wake: Option<Instant>, feed: &mut Feed) -> io::Result<()> {
        let is_idle = self.is_idle();
        let is_waiting = !self.answers.waiting.is_empty();
        let patience = self.answers.heard + ANSWER_TIMEOUT;
        let before = self.written;
        let stepped = tokio::select! {
            read = self.answers.read() => {
                read?;
                self.answers.account(&feed.account)
            }
            written = push(&mut self.writer, &self.frames.bytes, &mut self.written, &mut self.is_flushed),
                if !is_idle => written,
            () = sleep_until(wake.unwrap_or(patience)), if wake.is_some() => Ok(()),
            () = sleep_until(patience), if is_waiting => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the server has not answered for a minute",
            )),
            () = feed.stop.cancelled(), if wake.is_some() => Ok(()),
        };
        let (messages, bytes) = self.frames.whole_in(self.written);
        let (messages_before, bytes_before) = self.frames.whole_in(before);
        feed.account
            .sent(messages - messages_before, bytes - bytes_before);
        stepped
    }

    /// Whether all frames are with the operating system.
    fn is_idle(&self) -> bool {
        self.written == self.frames.bytes.len() && self.is_flushed
    }

    /// Makes frames of a batch of messages.
    fn frame(&mut self, batch: &Batch) {
        self.frames.clear();
        self.written = 0;
        let now = Instant::now();
        if self.answers.waiting.is_empty() {
            self.answers.heard = now;
        }
        for message in batch.messages() {
            encode::syslog(self.next, message, &mut self.frames.bytes);
            self.frames.ends.push(self.frames.bytes.len());
            self.answers.waiting.push_back((self.next, now));
            self.next = next_transaction(self.next);
        }
    }

    /// Says goodbye and waits a little for the answer.
    pub(super) async fn close(mut self) {
        let goodbye = async {
            let mut bytes = Vec::new();
            encode::close(self.next, &mut bytes);
            self.writer.write_all(&bytes).await?;
            self.writer.flush().await?;
            self.answers.read().await?;
            self.writer.shutdown().await
        };
        // All is answered; how the session ends is no failure.
        _ = timeout(CLOSE_TIMEOUT, goodbye).await;
    }
}

/// Writes and flushes; may be given up and called again.
async fn push(
    writer: &mut WriteHalf<Box<dyn Duplex>>,
    bytes: &[u8],
    written: &mut usize,
    is_flushed: &mut bool,
) -> io::Result<()> {
    if let Some(rest) = bytes.get(*written..)
        && !rest.is_empty()
    {
        match writer.write(rest).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            more => *written += more,
        }
        *is_flushed = false;
    }
    writer.flush().await?;
    *is_flushed = true;
    Ok(())
}

/// Answers of one read.
#[derive(Default)]
struct Taken {
    latencies: Vec<Duration>,
    refused: u64,
}

impl Answers {
    async fn read(&mut self) -> io::Result<()> {
        self.buffer.reserve(BATCH_BYTES / 4);
        match self.reader.read_buf(&mut self.buffer).await? {
            0 => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the server closed the session",
            )),
            _ => Ok(()),
        }
    }

    /// Takes the answers that are complete and counts them.
    fn account(&mut self, account: &Account) -> io::Result<()> {
        let mut taken = Taken::default();
        let outcome = self.take(&mut taken);
        if !taken.latencies.is_empty() {
            account.acknowledged(&taken.latencies);
        }
        outcome
    }

    /// Takes the answers that are complete, up to a wrong one.
    fn take(&mut self, taken: &mut Taken) -> io::Result<()> {
        let now = Instant::now();
        let mut at = 0;
        loop {
            let rest = self.buffer.get(at..).unwrap_or_default();
            let (frame, consumed) = match self.decoder.next(rest).map_err(invalid)? {
                Step::Frame { frame, consumed } => (frame, consumed),
                Step::NeedMore { consumed } => {
                    at += consumed;
                    break;
                }
            };
            if frame.command == Command::ServerClose {
                let said = "the server ended the session";
                return Err(io::Error::new(io::ErrorKind::ConnectionAborted, said));
            }
            let Some((transaction, made)) = self.waiting.pop_front() else {
                return Err(invalid("an answer to nothing"));
            };
            if frame.command != Command::Response || frame.transaction != transaction {
                return Err(invalid("an answer out of order"));
            }
            if Response::parse(frame.data).is_some_and(|response| response.is_ok()) {
                taken.latencies.push(now - made);
            } else {
                taken.refused += 1;
            }
            at += consumed;
        }
        self.buffer.drain(..at);
        if !taken.latencies.is_empty() || taken.refused > 0 {
            self.heard = now;
        }
        Ok(())
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
