//! A RELP session: each record is answered, and counts as delivered then.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use syslog::relp::encode;
use syslog::relp::{Command, Decoder, DecoderOptions, Offers, Response, Step, next_transaction};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::connection::Connection;
use crate::limits::{RELP_ANSWER_BYTES_MAX, RELP_WINDOW};
use crate::sink::Failure;

/// A session that is open.
#[derive(Debug)]
pub(super) struct Session {
    connection: Connection,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// The last number that was used.
    transaction: u32,
}

/// What the other side said of a record.
#[derive(Debug)]
pub(super) enum Answer {
    Taken,
    Refused(String),
}

impl Session {
    /// Opens a session on a connection.
    pub(super) async fn open(connection: Connection, patience: Duration) -> Result<Self, Failure> {
        let options = DecoderOptions {
            message_bytes_max: RELP_ANSWER_BYTES_MAX,
        };
        let mut session = Self {
            connection,
            decoder: Decoder::new(options),
            buffer: Vec::new(),
            transaction: 0,
        };
        let failed = |error: io::Error| Failure::new(format!("no RELP session: {error}"));
        let mut frame = Vec::new();
        session.transaction = next_transaction(session.transaction);
        encode::open(session.transaction, &mut frame);
        session.send(&frame, patience).await.map_err(failed)?;
        let (_, answer) = session.answer(patience).await.map_err(failed)?;
        let response = Response::parse(&answer);
        match response {
            Some(response) if response.is_ok() => {
                // What says nothing of commands, as old servers, is taken at its word.
                let offers = Offers::parse(response.rest);
                let is_good = response.rest.is_empty() || offers.is_acceptable();
                is_good
                    .then_some(session)
                    .ok_or_else(|| Failure::new("the RELP server takes no syslog"))
            }
            _ => {
                let text = String::from_utf8_lossy(&answer);
                Err(Failure::new(format!(
                    "the RELP server refuses the session: {text}"
                )))
            }
        }
    }

    /// Sends records and tells of each answer, by index. Those without are not known to be there, also where it
    /// fails.
    pub(super) async fn deliver(
        &mut self,
        records: &[Vec<u8>],
        patience: Duration,
        mut on_answer: impl FnMut(usize, Answer),
    ) -> io::Result<()> {
        let mut open: VecDeque<(u32, usize)> = VecDeque::new();
        let mut next = 0;
        let mut frames = Vec::new();
        loop {
            frames.clear();
            while open.len() < RELP_WINDOW
                && let Some(record) = records.get(next)
            {
                self.transaction = next_transaction(self.transaction);
                encode::syslog(self.transaction, record, &mut frames);
                open.push_back((self.transaction, next));
                next += 1;
            }
            if !frames.is_empty() {
                self.send(&frames, patience).await?;
            }
            if open.is_empty() {
                return Ok(());
            }
            let (transaction, answer) = self.answer(patience).await?;
            let place = open.iter().position(|(known, _)| *known == transaction);
            let Some((_, index)) = place.and_then(|place| open.remove(place)) else {
                return Err(io::Error::other("it answers what it was not asked"));
            };
            let response = Response::parse(&answer);
            let answer = match response {
                Some(response) if response.is_ok() => Answer::Taken,
                _ => Answer::Refused(String::from_utf8_lossy(&answer).into_owned()),
            };
            on_answer(index, answer);
        }
    }

    /// Ends it in order.
    pub(super) async fn close(&mut self, patience: Duration) {
        let mut frame = Vec::new();
        self.transaction = next_transaction(self.transaction);
        encode::close(self.transaction, &mut frame);
        if self.send(&frame, patience).await.is_ok() {
            _ = self.answer(patience).await;
        }
        self.connection.close(patience).await;
    }

    /// Whether the other side is still there.
    pub(super) async fn check_open(&mut self) -> io::Result<()> {
        // Between batches nothing is expected but that it closes.
        self.connection.check_open().await
    }

    async fn send(&mut self, bytes: &[u8], patience: Duration) -> io::Result<()> {
        let written = async {
            self.connection.write_all(bytes).await?;
            self.connection.flush().await
        };
        let written = timeout(patience, written).await;
        written.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// The next answer: to which frame, and its data.
    async fn answer(&mut self, patience: Duration) -> io::Result<(u32, Vec<u8>)> {
        loop {
            let broken = |error: syslog::relp::Error| io::Error::other(error.to_string());
            match self.decoder.next(&self.buffer).map_err(broken)? {
                Step::Frame { frame, consumed } => {
                    let found = (frame.transaction, frame.command, frame.data.to_vec());
                    self.buffer.drain(..consumed);
                    match found {
                        (transaction, Command::Response, data) => return Ok((transaction, data)),
                        (_, Command::ServerClose, _) => {
                            return Err(io::Error::other("the RELP server ends the session"));
                        }
                        _ => {}
                    }
                }
                Step::NeedMore { consumed } => {
                    self.buffer.drain(..consumed);
                    let read = self.connection.read_buf(&mut self.buffer);
                    let read = timeout(patience, read).await;
                    let read = read.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
                    if read == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
    }
}
