//! Messages as datagrams.
//!
//! Over UDP, datagrams of one size go to the kernel together, which cuts them apart at the last
//! moment (generic segmentation offload): one system call and one way through the stack for 64 of
//! them. Where a network cannot do that, they go one by one.

use std::io;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{setsockopt, sockopt};
use tokio::net::{UdpSocket, UnixDatagram};

use super::feed::{Batch, Feed};
use crate::limits::{BATCH_BYTES, DATAGRAMS_BYTES_MAX, DATAGRAMS_PER_CALL};

/// Fewer datagrams of one size than this go one by one: telling the kernel their size costs as
/// much as it saves.
const TOGETHER_MIN: usize = 4;

/// How long to wait where the kernel has no room for a datagram and cannot say when it will.
const NO_ROOM_PAUSE: Duration = Duration::from_millis(1);

/// A socket of datagrams.
pub(super) struct Datagrams {
    socket: Socket,
    can_segment: bool,
    /// The size at which the kernel cuts; 0 where it does not.
    segment: usize,
}

enum Socket {
    Udp(UdpSocket),
    Unix(UnixDatagram),
}

impl Datagrams {
    pub(super) fn udp(socket: UdpSocket) -> Self {
        Self {
            socket: Socket::Udp(socket),
            can_segment: true,
            segment: 0,
        }
    }

    pub(super) fn unix(socket: UnixDatagram) -> Self {
        Self {
            socket: Socket::Unix(socket),
            can_segment: false,
            segment: 0,
        }
    }

    /// Sends until there is nothing left or the peer is gone. A UDP socket has no peer that could
    /// be gone: what is refused has failed, and the next datagram is tried.
    pub(super) async fn send(&mut self, feed: &mut Feed) -> io::Result<()> {
        let mut batch = Batch::default();
        let mut refusal = None;
        while feed.next_batch(&mut batch, BATCH_BYTES).await {
            let mut first = 0;
            while first < batch.ends.len() {
                let run = self.run_at(&batch, first);
                let sent = tokio::select! {
                    biased;
                    sent = self.send_run(&run) => sent,
                    () = feed.overdue() => Err(io::ErrorKind::TimedOut.into()),
                };
                match sent {
                    Ok(()) => feed.account.sent(run.messages, run.bytes.len()),
                    Err(error) if self.is_passing(&error) => refusal = Some(error),
                    Err(error) => return Err(error),
                }
                first += run.messages;
            }
        }
        refusal.map_or(Ok(()), Err)
    }

    /// The datagrams from `first` on that may go together.
    fn run_at<'a>(&self, batch: &'a Batch, first: usize) -> Together<'a> {
        let start = first
            .checked_sub(1)
            .and_then(|before| batch.ends.get(before))
            .map_or(0, |end| *end);
        let rest = batch.ends.get(first..).unwrap_or_default();
        let size = rest.first().map_or(0, |end| end - start);
        let room = (DATAGRAMS_BYTES_MAX / size.max(1)).min(DATAGRAMS_PER_CALL);
        let is_equal = |(index, end): (usize, &usize)| *end == start + (index + 1) * size;
        let mut messages = rest
            .iter()
            .take(room)
            .enumerate()
            .take_while(|one| is_equal(*one))
            .count();
        if !self.can_segment || messages < TOGETHER_MIN {
            messages = 1;
        }
        let end = start + messages * size;
        Together {
            bytes: batch.bytes.get(start..end).unwrap_or_default(),
            size,
            messages,
        }
    }

    async fn send_run(&mut self, run: &Together<'_>) -> io::Result<()> {
        let wanted = match run.messages {
            // Nothing is cut off a single datagram that is no longer than the others.
            1 if self.segment == 0 || run.size <= self.segment => self.segment,
            1 => 0,
            _ => run.size,
        };
        let sent = match self.set_segment(wanted) {
            Ok(()) => self.send_bytes(run.bytes).await,
            Err(error) => Err(error),
        };
        match sent {
            Err(error) if run.messages > 1 && is_no_offload(&error) => {
                self.set_segment(0)?;
                self.can_segment = false;
                for datagram in run.bytes.chunks(run.size.max(1)) {
                    self.send_bytes(datagram).await?;
                }
                Ok(())
            }
            sent => sent,
        }
    }

    fn set_segment(&mut self, size: usize) -> io::Result<()> {
        if let Socket::Udp(socket) = &self.socket
            && self.segment != size
        {
            let value = i32::try_from(size).unwrap_or(0);
            setsockopt(socket, sockopt::UdpGsoSegment, &value)?;
            self.segment = size;
        }
        Ok(())
    }

    async fn send_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        loop {
            let sent = match &self.socket {
                Socket::Udp(socket) => socket.send(bytes).await,
                Socket::Unix(socket) => socket.send(bytes).await,
            };
            match sent {
                Ok(_) => return Ok(()),
                Err(error) if errno(&error) == Errno::ENOBUFS => {
                    tokio::time::sleep(NO_ROOM_PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether the next datagram may fare better.
    fn is_passing(&self, error: &io::Error) -> bool {
        matches!(self.socket, Socket::Udp(_)) && errno(error) == Errno::ECONNREFUSED
    }
}

/// Datagrams of one size that lie one behind the other.
struct Together<'a> {
    bytes: &'a [u8],
    size: usize,
    messages: usize,
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(0))
}

/// Whether the kernel or the network card cannot cut, or not at that size.
fn is_no_offload(error: &io::Error) -> bool {
    matches!(
        errno(error),
        Errno::EINVAL | Errno::EIO | Errno::EMSGSIZE | Errno::ENOPROTOOPT | Errno::EOPNOTSUPP
    )
}
