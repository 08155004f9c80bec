//! The reading side of a connection: waits, takes from the budget, reads, unpacks.

use std::io::{self, ErrorKind};
use std::time::Duration;

use syslog::packing::{Packing, of_stream};
use tokio::select;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use crate::budget::{Budget, Permit};
use crate::control::{Control, Order};
use crate::limits::{DRAIN_QUIET, DRAIN_TIMEOUT, PACKED_READ_BYTES, READ_BUDGET_BYTES, READ_BYTES};
use crate::relp::Violation;
use crate::sink::Sink;
use crate::stream::Stream;
use crate::unpack::{UnpackError, Unpacker};

/// Reads in a row before other tasks get their turn: about a millisecond of work.
const READS_IN_A_ROW: u32 = 4;

/// What a connection has sent and nobody has used yet.
pub(crate) struct Input<'a> {
    stream: &'a Stream,
    budget: &'a Budget,
    control: Control,
    idle_timeout: Option<Duration>,
    buffer: Vec<u8>,
    coding: Coding,
    /// Memory for unpacking.
    unpacking: &'a Budget,
    /// Size of the buffer with which every message can be found.
    buffer_bytes_min: usize,
    reads_in_a_row: u32,
    /// When to end even if more has arrived; set when the word to stop has come.
    drain_until: Option<Instant>,
}

/// How the bytes of the connection become those of the buffer.
enum Coding {
    /// The first bytes will tell.
    Unknown,
    /// As they are.
    Plain,
    /// Unpacked.
    Packed(Box<Unpacker>),
}

/// Why nothing more will come.
#[derive(Debug)]
pub(crate) enum End {
    /// The peer has closed the connection.
    Closed,
    /// The peer has been silent for too long.
    Idle,
    /// We have been told to stop, and what had arrived is read.
    Stopped,
    /// The peer may no longer send.
    Denied,
    /// The connection is broken.
    Broken(io::Error),
    /// What the peer has compressed cannot be unpacked.
    Packed(UnpackError),
    /// The peer has done what the protocol does not allow.
    Violation(Violation),
    /// What the peer has sent could not be stored, and so cannot be acknowledged.
    NotStored,
}

/// Why nothing was read.
enum Unread {
    Io(io::Error),
    Packed(UnpackError),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<UnpackError> for Unread {
    fn from(error: UnpackError) -> Self {
        Self::Packed(error)
    }
}

/// What came of an attempt to read.
enum Attempt {
    Read,
    Nothing,
    Again,
}

/// A share of the budget for what is read.
pub(crate) trait Share: Sized {
    async fn take(input: &mut Input<'_>) -> Result<Self, End>;
}

/// One that is waited for.
impl Share for Permit {
    async fn take(input: &mut Input<'_>) -> Result<Self, End> {
        input.share().await
    }
}

/// One that is not: where there is none, what is read is to be dropped.
impl Share for Option<Permit> {
    async fn take(input: &mut Input<'_>) -> Result<Self, End> {
        input.share_at_once()
    }
}

enum Wake {
    Readable(io::Result<()>),
    Idle,
    Told(Order),
}

impl<'a> Input<'a> {
    pub(crate) fn new(
        stream: &'a Stream,
        sink: &'a Sink,
        control: Control,
        idle_timeout: Option<Duration>,
        buffer_bytes_min: usize,
    ) -> Self {
        Self {
            stream,
            budget: sink.budget(),
            unpacking: sink.unpacking(),
            coding: Coding::Plain,
            control,
            idle_timeout,
            buffer: Vec::new(),
            buffer_bytes_min,
            reads_in_a_row: 0,
            drain_until: None,
        }
    }

    /// The same where the stream may be compressed.
    pub(crate) fn may_be_packed(mut self, may_be: bool) -> Self {
        self.coding = if may_be {
            Coding::Unknown
        } else {
            Coding::Plain
        };
        self
    }

    /// What has been read and not consumed.
    pub(crate) fn buffer(&self) -> &[u8] {
        &self.buffer
    }

    /// Forgets the first bytes of the buffer.
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.buffer.drain(..bytes.min(self.buffer.len()));
    }

    /// Reads more, and returns a share of the budget to use it with, which nobody holds while the
    /// peer is silent.
    pub(crate) async fn read_more<S: Share>(&mut self) -> Result<S, End> {
        loop {
            let share = S::take(self).await?;
            match self.attempt()? {
                Attempt::Read => {
                    self.take_turns().await;
                    return Ok(share);
                }
                Attempt::Nothing => {
                    drop(share);
                    self.wait().await?;
                }
                Attempt::Again => {}
            }
        }
    }

    /// Reads what there is, without waiting.
    fn attempt(&mut self) -> Result<Attempt, End> {
        self.make_room();
        match self.read() {
            Ok(0) => Err(End::Closed),
            Ok(_) if matches!(self.coding, Coding::Unknown) => Ok(Attempt::Again),
            Ok(_) => Ok(Attempt::Read),
            Err(Unread::Io(error)) if error.kind() == ErrorKind::WouldBlock => Ok(Attempt::Nothing),
            Err(Unread::Io(error)) if error.kind() == ErrorKind::Interrupted => Ok(Attempt::Again),
            Err(Unread::Io(error)) => Err(End::Broken(error)),
            Err(Unread::Packed(error)) => Err(End::Packed(error)),
        }
    }

    /// Reads what has arrived into the buffer; finds out how it is packed, if that is not known.
    fn read(&mut self) -> Result<usize, Unread> {
        if let Coding::Unknown = self.coding {
            let read = self.stream.try_read(&mut self.buffer)?;
            match of_stream(&self.buffer) {
                None => return Ok(read),
                Some(Packing::Plain) => {
                    self.coding = Coding::Plain;
                    return Ok(read);
                }
                Some(packing) => {
                    let wire = std::mem::take(&mut self.buffer);
                    let unpacker = Unpacker::new(packing, wire, self.unpacking)?;
                    self.coding = Coding::Packed(Box::new(unpacker));
                    self.make_room();
                }
            }
        }
        let Coding::Packed(unpacker) = &mut self.coding else {
            return Ok(self.stream.try_read(&mut self.buffer)?);
        };
        let start = self.buffer.len();
        loop {
            unpacker.unpack(&mut self.buffer)?;
            if self.buffer.len() > start {
                return Ok(self.buffer.len() - start);
            }
            match self.stream.try_read(unpacker.wire(PACKED_READ_BYTES))? {
                0 => return Ok(0),
                read => unpacker.added(read),
            }
        }
    }

    /// Grows the buffer by doubling, to what the longest message needs and one read at most.
    fn make_room(&mut self) {
        let (len, capacity) = (self.buffer.len(), self.buffer.capacity());
        if capacity - len < READ_BYTES {
            let capacity_max = self.buffer_bytes_min.max(len) + READ_BYTES;
            let wanted = (2 * capacity).max(len + READ_BYTES).min(capacity_max);
            self.buffer.reserve_exact(wanted - len);
        }
    }

    /// A share of the budget for a read's messages. When told to stop, only if it is there at
    /// once: senders keep what we do not read.
    async fn share(&mut self) -> Result<Permit, End> {
        if !self.is_draining() {
            select! {
                biased;
                order = self.control.order() => {
                    if order == Order::Deny {
                        return Err(End::Denied);
                    }
                }
                permit = self.budget.acquire(READ_BUDGET_BYTES) => {
                    return Ok(permit);
                }
            }
        }
        let is_late = self.drain_deadline() <= Instant::now();
        let permit = self.budget.try_acquire(READ_BUDGET_BYTES);
        permit.filter(|_| !is_late).ok_or(End::Stopped)
    }

    /// A share of the budget if it is there now.
    fn share_at_once(&mut self) -> Result<Option<Permit>, End> {
        if self.control.is_denied() {
            return Err(End::Denied);
        }
        if self.is_draining() && self.drain_deadline() <= Instant::now() {
            return Err(End::Stopped);
        }
        Ok(self.budget.try_acquire(READ_BUDGET_BYTES))
    }

    async fn wait(&mut self) -> Result<(), End> {
        // Thousands of connections may be silent; none keeps more than it needs meanwhile.
        self.buffer.shrink_to_fit();
        if let Coding::Packed(unpacker) = &mut self.coding {
            unpacker.relax();
        }
        self.reads_in_a_row = 0;
        if self.is_draining() {
            return match timeout(DRAIN_QUIET, self.stream.readable()).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(End::Broken(error)),
                Err(_) => Err(End::Stopped),
            };
        }
        match self.wake().await {
            Wake::Readable(Ok(())) | Wake::Told(Order::Stop) => Ok(()),
            Wake::Told(Order::Deny) => Err(End::Denied),
            Wake::Readable(Err(error)) => Err(End::Broken(error)),
            Wake::Idle => Err(End::Idle),
        }
    }

    async fn wake(&mut self) -> Wake {
        let Self {
            control, stream, ..
        } = self;
        let wake = async {
            select! {
                biased;
                order = control.order() => Wake::Told(order),
                result = stream.readable() => Wake::Readable(result),
            }
        };
        match self.idle_timeout {
            Some(limit) => timeout(limit, wake).await.unwrap_or(Wake::Idle),
            None => wake.await,
        }
    }

    async fn take_turns(&mut self) {
        self.reads_in_a_row += 1;
        if self.reads_in_a_row == READS_IN_A_ROW {
            self.reads_in_a_row = 0;
            yield_now().await;
        }
    }

    fn is_draining(&self) -> bool {
        self.drain_until.is_some() || self.control.is_stopped()
    }

    fn drain_deadline(&mut self) -> Instant {
        *self
            .drain_until
            .get_or_insert_with(|| Instant::now() + DRAIN_TIMEOUT)
    }
}
