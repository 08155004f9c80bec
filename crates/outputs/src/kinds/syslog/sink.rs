//! Sending batches to one of several servers.

use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Instant;

use tokio::net::UdpSocket;

use super::connection::Connection;
use super::relp::{Answer, Session};
use super::stream::{Encoded, write};
use super::{Framing, Spread, Syslog, Target, Transport};
use crate::limits::{DATAGRAM_BYTES_MAX, RELP_TRIES_MAX, TARGET_PAUSE};
use crate::render::Scene;
use crate::sink::{Batch, Failure, Outcome, Promise, Sink};

/// The connections of one worker.
pub(super) struct SyslogSink {
    options: Syslog,
    scene: Scene,
    slots: Vec<Slot>,
    /// The one that was used last.
    last: usize,
    /// How often a RELP server has answered records with an error, by number.
    refusals: HashMap<u64, u32>,
}

/// A server and the way to it.
struct Slot {
    target: Target,
    link: Option<Link>,
    /// Until when others are preferred.
    down_until: Option<Instant>,
}

enum Link {
    Stream(Connection),
    Relp(Box<Session>),
    Datagrams(UdpSocket),
}

impl SyslogSink {
    pub(super) fn new(options: Syslog, worker: usize) -> Self {
        let slots = options.targets.iter().map(|target| Slot {
            target: target.clone(),
            link: None,
            down_until: None,
        });
        Self {
            slots: slots.collect(),
            options,
            scene: Scene::now(),
            // Workers begin with different ones.
            last: worker,
            refusals: HashMap::new(),
        }
    }

    async fn send(&mut self, batch: &Batch) -> Outcome {
        self.scene.refresh();
        let mut outcome = Outcome::default();
        let (encoded, messages) = self.encode(batch, &mut outcome);
        if encoded.ends.is_empty() {
            return outcome;
        }
        let index = match self.connect().await {
            Ok(index) => index,
            Err(failure) => {
                outcome.left = encoded.behind(0);
                outcome.failure = Some(failure);
                return outcome;
            }
        };
        let sent = match self.options.transport {
            Transport::Udp => self.send_datagrams(index, &encoded, &mut outcome).await,
            Transport::Relp => {
                self.send_relp(index, batch, (&encoded, &messages), &mut outcome)
                    .await
            }
            Transport::Tcp | Transport::Tls => {
                self.send_stream(index, &encoded, &mut outcome).await
            }
        };
        if let Err(failure) = sent {
            outcome.failure = Some(failure);
            if let Some(slot) = self.slots.get_mut(index) {
                slot.link = None;
                slot.down_until = Some(Instant::now() + TARGET_PAUSE);
            }
        }
        let all = encoded.ends.len().max(1);
        let there = all - outcome.left.len().min(all);
        outcome.bytes = (encoded.bytes.len() * there / all) as u64;
        outcome
    }

    /// The records as they go over the wire; one by one for RELP.
    fn encode(&mut self, batch: &Batch, outcome: &mut Outcome) -> (Encoded, Vec<Vec<u8>>) {
        let mut encoded = Encoded::default();
        let mut messages = Vec::new();
        let mut message = Vec::new();
        for (place, item) in batch.iter().enumerate() {
            message.clear();
            self.scene.count();
            let rendered = self
                .options
                .rendering
                .render(item, &self.scene, &mut message);
            if let Err(reason) = rendered {
                outcome.reject(place, reason);
                continue;
            }
            match (self.options.transport, self.options.framing) {
                (Transport::Udp, _) => {
                    if message.len() > DATAGRAM_BYTES_MAX {
                        let bytes = message.len();
                        outcome.reject(place, format!("{bytes} bytes do not fit in a datagram"));
                        continue;
                    }
                    encoded.bytes.extend_from_slice(&message);
                }
                (Transport::Relp, _) => messages.push(message.clone()),
                (_, Framing::Octets) => syslog::write::octet_counted(&message, &mut encoded.bytes),
                (_, Framing::Lines) => push_line(&message, &mut encoded.bytes),
            }
            if self.options.transport == Transport::Relp {
                encoded.bytes.extend_from_slice(&message);
            }
            encoded.ends.push((place, encoded.bytes.len()));
        }
        (encoded, messages)
    }

    /// A server that takes records, by its index: the first that works, or the next one.
    async fn connect(&mut self) -> Result<usize, Failure> {
        let count = self.slots.len();
        let first = match self.options.spread {
            Spread::Failover => 0,
            Spread::Balance => self.last + 1,
        };
        let order: Vec<_> = (0..count).map(|step| (first + step) % count).collect();
        let now = Instant::now();
        let is_down = |slot: &Slot| slot.down_until.is_some_and(|until| until > now);
        let (down, up): (Vec<_>, Vec<_>) =
            { order.into_iter() }.partition(|index| self.slots.get(*index).is_some_and(is_down));
        let mut failures = Vec::new();
        for index in up.into_iter().chain(down) {
            match self.link(index).await {
                Ok(()) => {
                    self.last = index;
                    return Ok(index);
                }
                Err(failure) => failures.push(failure.what),
            }
        }
        Err(Failure::new(failures.join("; ")))
    }

    /// Opens the way to a server where it is not open.
    async fn link(&mut self, index: usize) -> Result<(), Failure> {
        let Some(slot) = self.slots.get_mut(index) else {
            return Err(Failure::new("there is no target"));
        };
        let is_open = match &mut slot.link {
            None => false,
            Some(Link::Datagrams(_)) => true,
            Some(Link::Stream(connection)) => connection.check_open().await.is_ok(),
            Some(Link::Relp(session)) => session.check_open().await.is_ok(),
        };
        if is_open {
            return Ok(());
        }
        slot.link = None;
        let opened = open(&self.options, &slot.target).await;
        slot.down_until = opened.is_err().then(|| Instant::now() + TARGET_PAUSE);
        slot.link = Some(opened?);
        Ok(())
    }

    fn link_at(&mut self, index: usize) -> Option<(&Target, &mut Link)> {
        let slot = self.slots.get_mut(index)?;
        Some((&slot.target, slot.link.as_mut()?))
    }

    async fn send_stream(
        &mut self,
        index: usize,
        encoded: &Encoded,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let patience = self.options.timeout;
        let Some((target, Link::Stream(connection))) = self.link_at(index) else {
            outcome.left = encoded.behind(0);
            return Err(Failure::new("there is no connection"));
        };
        let mut arrived = 0;
        let written = write(connection, &encoded.bytes, patience, &mut arrived).await;
        outcome.left = encoded.behind(arrived);
        written.map_err(|error| Failure::new(format!("{target}: {error}")))
    }

    async fn send_datagrams(
        &mut self,
        index: usize,
        encoded: &Encoded,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let Some((target, Link::Datagrams(socket))) = self.link_at(index) else {
            outcome.left = encoded.behind(0);
            return Err(Failure::new("there is no socket"));
        };
        let mut start = 0;
        for (place, end) in &encoded.ends {
            let bytes = encoded.bytes.get(start..*end).unwrap_or_default();
            match socket.send(bytes).await {
                Ok(_) => start = *end,
                Err(error) if error.raw_os_error() == Some(libc::EMSGSIZE) => {
                    outcome.reject(*place, format!("{} bytes are too long here", bytes.len()));
                    start = *end;
                }
                Err(error) => {
                    outcome.left = encoded.behind(start);
                    return Err(Failure::new(format!("{target}: {error}")));
                }
            }
        }
        Ok(())
    }

    async fn send_relp(
        &mut self,
        index: usize,
        batch: &Batch,
        (encoded, messages): (&Encoded, &[Vec<u8>]),
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        let patience = self.options.timeout;
        let Some((target, Link::Relp(session))) = self.link_at(index) else {
            outcome.left = encoded.behind(0);
            return Err(Failure::new("there is no session"));
        };
        let mut answers: Vec<Option<Answer>> = messages.iter().map(|_| None).collect();
        let delivered = session.deliver(messages, patience, |index, answer| {
            if let Some(slot) = answers.get_mut(index) {
                *slot = Some(answer);
            }
        });
        let delivered = delivered.await;
        let mut result = delivered.map_err(|error| Failure::new(format!("{target}: {error}")));
        for ((place, _), answer) in encoded.ends.iter().zip(answers) {
            let number = batch.get(*place).map_or(0, |item| item.number.0);
            match answer {
                Some(Answer::Taken) => _ = self.refusals.remove(&number),
                None => outcome.left.push(*place),
                Some(Answer::Refused(reason)) => {
                    // It may be out of room for a moment; a record that it cannot take must not stop all others.
                    let tries = self.refusals.entry(number).or_default();
                    *tries += 1;
                    if *tries < RELP_TRIES_MAX {
                        outcome.left.push(*place);
                        result = result.and(Err(Failure::new(reason)));
                    } else {
                        self.refusals.remove(&number);
                        outcome.reject(*place, reason);
                    }
                }
            }
        }
        result
    }

    async fn close_all(&mut self) {
        let patience = self.options.timeout;
        for slot in &mut self.slots {
            match slot.link.take() {
                Some(Link::Stream(mut connection)) => connection.close(patience).await,
                Some(Link::Relp(mut session)) => session.close(patience).await,
                Some(Link::Datagrams(_)) | None => {}
            }
        }
    }

    /// Lets go of connections that the other side has closed.
    async fn look_after(&mut self) {
        for slot in &mut self.slots {
            let is_open = match &mut slot.link {
                Some(Link::Stream(connection)) => connection.check_open().await.is_ok(),
                Some(Link::Relp(session)) => session.check_open().await.is_ok(),
                Some(Link::Datagrams(_)) | None => true,
            };
            if !is_open {
                slot.link = None;
            }
        }
    }
}

/// Opens the way to a server.
async fn open(options: &Syslog, target: &Target) -> Result<Link, Failure> {
    match options.transport {
        Transport::Tcp | Transport::Tls => {
            Ok(Link::Stream(Connection::open(options, target).await?))
        }
        Transport::Relp => {
            let connection = Connection::open(options, target).await?;
            let session = Session::open(connection, options.timeout).await;
            let session =
                session.map_err(|failure| Failure::new(format!("{target}: {failure}")))?;
            Ok(Link::Relp(Box::new(session)))
        }
        Transport::Udp => {
            let failed = |error| Failure::new(format!("cannot send to {target}: {error}"));
            let host = (target.host.as_str(), target.port);
            let mut found = tokio::net::lookup_host(host).await.map_err(failed)?;
            let found = found.next();
            let address = found.ok_or_else(|| Failure::new(format!("{target} has no address")))?;
            let own: SocketAddr = match address {
                SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
                SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
            };
            let socket = UdpSocket::bind(own).await.map_err(failed)?;
            socket.connect(address).await.map_err(failed)?;
            Ok(Link::Datagrams(socket))
        }
    }
}

/// A record as a line. A line feed in it would make two of it; it is written as rsyslog does.
fn push_line(message: &[u8], out: &mut Vec<u8>) {
    let message = message.strip_suffix(b"\n").unwrap_or(message);
    for (index, part) in message.split(|byte| *byte == b'\n').enumerate() {
        if index > 0 {
            out.extend_from_slice(b"#012");
        }
        out.extend_from_slice(part);
    }
    out.push(b'\n');
}

impl Sink for SyslogSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(self.send(batch))
    }

    fn idle(&mut self) -> Promise<'_, ()> {
        Box::pin(self.look_after())
    }

    fn close(&mut self) -> Promise<'_, ()> {
        Box::pin(self.close_all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line() {
        let line = |message: &[u8]| {
            let mut out = Vec::new();
            push_line(message, &mut out);
            String::from_utf8(out).expect("a text")
        };
        assert_eq!(line(b"one"), "one\n");
        assert_eq!(line(b"one\n"), "one\n");
        assert_eq!(line(b"one\ntwo\n\nthree"), "one#012two#012#012three\n");
        assert_eq!(line(b""), "\n");
    }
}
