//! Senders that outlive the server: a stream of numbered messages over many sessions.
//!
//! A session ends with the server. The next one starts with the first message that was not
//! acknowledged, as a real sender does, so that the same number can be stored in two sessions and
//! never twice in one. Every byte of a message follows from its stream, session and number.

use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};
use testkit::{Addresses, Api, Random, RelpClient, connect};

/// How a stream sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// One frame a message; answered one by one.
    Relp,
    /// `POST /api/v1/ingest`; answered by batch.
    Http,
    /// Lines, never answered.
    Tcp,
}

/// What a stream is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The stream's name, and the PROCID of its messages.
    pub(crate) name: &'static str,
    /// How it sends.
    pub(crate) transport: Transport,
    /// Where its messages are stored.
    pub(crate) logspace: &'static str,
    /// Length of the padding, at most.
    pub(crate) padding_max: u64,
    /// Messages that may be sent and not acknowledged.
    pub(crate) window_max: u64,
    /// Messages of one session, at most: what is checked after a kill is bounded.
    pub(crate) session_max: u64,
}

/// One session: numbers `first..sent` were sent, `first..acknowledged` acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    pub(crate) first: u64,
    pub(crate) sent: u64,
    pub(crate) acknowledged: u64,
    /// How many were found after it, from `first` on; known once it was checked.
    pub(crate) stored: u64,
}

/// All sessions of a sender.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) kind: Kind,
    pub(crate) sessions: Vec<Session>,
}

impl Stream {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            sessions: Vec::new(),
        }
    }

    /// The message with this number, the same whenever it is asked for.
    pub(crate) fn message(&self, session: usize, number: u64) -> String {
        let mut random = Random::new(number ^ ((session as u64) << 40));
        let length = random.below(self.kind.padding_max + 1);
        let mut text = format!(
            "<134>1 - - crash {} s{session} - seq {number} ",
            self.kind.name
        );
        let noise = noise();
        let start = usize::try_from(random.below(NOISE_BYTES as u64 - length)).unwrap_or(0);
        let length = usize::try_from(length).unwrap_or(0);
        text.push_str(&noise[start..start + length]);
        text.push('.');
        text
    }

    /// Opens a session and sends until the server is gone, it was told to stop, or the session
    /// has its most messages. Only a wrong answer is an error; a broken connection is what the
    /// test is about.
    pub(crate) fn run(
        &mut self,
        addresses: Addresses,
        stop: &AtomicBool,
        random: &mut Random,
    ) -> Result<()> {
        let first = match (self.sessions.last(), self.kind.transport) {
            (None, _) => 0,
            // Nobody knows what arrived; sending it again would only blur the picture.
            (Some(last), Transport::Tcp) => last.sent,
            (Some(last), _) => last.acknowledged,
        };
        self.sessions.push(Session {
            first,
            sent: first,
            acknowledged: first,
            stored: 0,
        });
        match self.kind.transport {
            Transport::Relp => self.run_relp(addresses, stop, random),
            Transport::Http => self.run_http(addresses, stop, random),
            Transport::Tcp => self.run_tcp(addresses, stop),
        }
    }

    /// The session that is running, or ran last.
    fn session(&mut self) -> (usize, Session) {
        let index = self.sessions.len() - 1;
        (index, self.sessions[index])
    }

    fn may_send(&self, session: Session, stop: &AtomicBool) -> bool {
        session.sent - session.first < self.kind.session_max && !stop.load(Ordering::Relaxed)
    }

    fn run_relp(
        &mut self,
        addresses: Addresses,
        stop: &AtomicBool,
        random: &mut Random,
    ) -> Result<()> {
        let (index, mut session) = self.session();
        // Small windows wait for many commits, large ones fill them.
        let window = 1 << random.below(1 + u64::from(self.kind.window_max.ilog2()));
        let Ok(mut client) = RelpClient::connect(addresses.relp, window) else {
            return Ok(());
        };
        while self.may_send(session, stop) {
            let message = self.message(index, session.sent);
            session.sent += 1;
            self.sessions[index].sent = session.sent;
            if client.send(message.as_bytes()).is_err() {
                break;
            }
        }
        // What was acknowledged before the kill may still lie in our socket.
        client.drain();
        // `open` was transaction 1; answers come in the order of the messages.
        for (answered, transaction) in client.acknowledged().iter().enumerate() {
            ensure!(
                u64::from(*transaction) == answered as u64 + 2,
                "{}: answer {answered} is to transaction {transaction}",
                self.kind.name
            );
        }
        self.sessions[index].acknowledged += client.acknowledged().len() as u64;
        Ok(())
    }

    fn run_http(
        &mut self,
        addresses: Addresses,
        stop: &AtomicBool,
        random: &mut Random,
    ) -> Result<()> {
        let (index, mut session) = self.session();
        let api = Api::new(addresses.http);
        while self.may_send(session, stop) {
            let batch = 1 + random.below(self.kind.window_max);
            let lines: Vec<String> = (session.sent..session.sent + batch)
                .map(|number| self.message(index, number))
                .collect();
            session.sent += batch;
            self.sessions[index].sent = session.sent;
            let Ok(answer) = api.post("/api/v1/ingest", lines.join("\n").as_bytes()) else {
                return Ok(());
            };
            let accepted = &answer.ok()?.json()?["accepted"];
            ensure!(*accepted == batch, "{batch} sent, {accepted} accepted");
            self.sessions[index].acknowledged = session.sent;
        }
        Ok(())
    }

    fn run_tcp(&mut self, addresses: Addresses, stop: &AtomicBool) -> Result<()> {
        let (index, mut session) = self.session();
        let Ok(mut stream) = connect(addresses.tcp) else {
            return Ok(());
        };
        while self.may_send(session, stop) {
            let line = self.message(index, session.sent) + "\n";
            session.sent += 1;
            self.sessions[index].sent = session.sent;
            if stream.write_all(line.as_bytes()).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Letters and digits at random: what does not compress makes large segments. Messages are parts
/// of it, for it takes long to make.
fn noise() -> &'static str {
    static NOISE: OnceLock<String> = OnceLock::new();
    NOISE.get_or_init(|| {
        let mut random = Random::new(1);
        (0..NOISE_BYTES)
            .map(|_| char::from(*random.pick(LETTERS)))
            .collect()
    })
}

/// So much that the parts in one segment seldom overlap.
const NOISE_BYTES: usize = 8 << 20;

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
