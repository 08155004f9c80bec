//! Datagrams into batches.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, PoisonError};

use model::Tag;
use syslog::frame::trim_counted;
use tokio::io::Interest;
use tokio::net::{UdpSocket, UnixDatagram};
use tokio::select;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};

use crate::assembler::Assembler;
use crate::budget::Permit;
use crate::control::Control;
use crate::hosts::HostLists;
use crate::limits::{
    ACCEPT_PAUSE, DATAGRAM_BYTES_MAX, DATAGRAMS_JOINED_MAX, DATAGRAMS_NAP, DATAGRAMS_PER_CALL,
    DRAIN_QUIET, DRAIN_TIMEOUT, KERNEL_DROPS_INTERVAL,
};
use crate::listening::Listening;
use crate::opener::Opener;
use crate::recvmmsg::Datagrams;
use crate::senders::{Run, add_to_runs};
use crate::socket;
use crate::socket_file::SocketFile;
use crate::source::{DropReason, Source};

/// Calls in a row before other tasks get their turn: about a millisecond of work.
const CALLS_IN_A_ROW: u32 = 16;

/// A bound socket, and how many of the kernel's drops at it have been counted.
pub(crate) struct Receiver {
    socket: DatagramSocket,
    drops_counted: Mutex<u32>,
}

/// A socket for datagrams.
pub(crate) enum DatagramSocket {
    Udp(UdpSocket),
    /// With its file, where we have made it.
    Unix(UnixDatagram, Option<SocketFile>),
}

impl DatagramSocket {
    async fn readable(&self) -> io::Result<()> {
        match self {
            Self::Udp(socket) => socket.readable().await,
            Self::Unix(socket, _) => socket.readable().await,
        }
    }

    /// Receives without waiting.
    fn receive(&self, datagrams: &mut Datagrams) -> io::Result<()> {
        match self {
            Self::Udp(socket) => socket.try_io(Interest::READABLE, || datagrams.receive(socket)),
            Self::Unix(socket, _) => {
                socket.try_io(Interest::READABLE, || datagrams.receive(socket))
            }
        }
    }

    /// Whether its queue holds enough that it may fill up for a while. Those of unix sockets hold
    /// a few hundred messages, and their senders would wait.
    fn may_fill(&self) -> bool {
        matches!(self, Self::Udp(_))
    }
}

impl AsFd for DatagramSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Udp(socket) => socket.as_fd(),
            Self::Unix(socket, _) => socket.as_fd(),
        }
    }
}

impl Receiver {
    pub(crate) fn new(socket: DatagramSocket) -> Self {
        Self {
            socket,
            drops_counted: Mutex::new(0),
        }
    }

    pub(crate) fn socket(&self) -> &DatagramSocket {
        &self.socket
    }

    /// Counts what the kernel has dropped since the last time, and returns how much that was.
    pub(crate) fn count_kernel_drops(&self, source: &Source) -> u32 {
        let mut counted = self
            .drops_counted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Ok(drops) = socket::kernel_drops(&self.socket) else {
            return 0;
        };
        let fresh = drops.wrapping_sub(*counted);
        *counted = drops;
        source.drop_arrived(DropReason::KernelBufferFull, fresh.into(), 0);
        fresh
    }
}

/// Receives until told to stop, then what has already arrived.
pub(crate) async fn run(listening: Arc<Listening>, receiver: Arc<Receiver>, mut control: Control) {
    let mut reception = Reception {
        assembler: listening.assembler(),
        // What is packed in a datagram gets no more of the budget than a datagram.
        opener: listening.opener(listening.options.message_bytes_max.min(DATAGRAM_BYTES_MAX)),
        datagrams: Datagrams::new(listening.options.message_bytes_max, listening.options.gro),
        listening: &listening,
        receiver: &receiver,
        runs: Vec::new(),
        hosts: control.hosts(),
    };
    let mut calls_in_a_row = 0;
    let mut last_call = Instant::now();
    let mut drops_due = last_call;
    while let Some(permit) = reception.wait(&mut control).await {
        reception.hosts = control.hosts();
        reception.receive(permit).await;
        let since_last_call = last_call.elapsed();
        last_call += since_last_call;
        calls_in_a_row += 1;
        let may_fill = receiver.socket.may_fill() && !reception.datagrams.is_full();
        if may_fill && since_last_call < DATAGRAMS_NAP {
            sleep(DATAGRAMS_NAP).await;
            calls_in_a_row = 0;
        } else if calls_in_a_row == CALLS_IN_A_ROW {
            yield_now().await;
            calls_in_a_row = 0;
        }
        if drops_due <= last_call {
            drops_due = last_call + KERNEL_DROPS_INTERVAL;
            tell_kernel_drops(&listening, receiver.count_kernel_drops(&listening.source));
        }
    }
    reception.drain().await;
    receiver.count_kernel_drops(&listening.source);
}

/// One socket at work.
struct Reception<'a> {
    listening: &'a Listening,
    receiver: &'a Receiver,
    datagrams: Datagrams,
    assembler: Assembler,
    opener: Opener,
    /// Who sent what is gathered.
    runs: Vec<Run>,
    /// Who may send now.
    hosts: Arc<HostLists>,
}

impl Reception<'_> {
    /// Waits for datagrams and a share of the budget for them, if that is to be waited for; `None`
    /// when told to stop.
    async fn wait(&self, control: &mut Control) -> Option<Option<Permit>> {
        let ready = async {
            // An error shows itself again when we receive.
            _ = self.receiver.socket.readable().await;
            let budget = self.listening.sink.budget();
            match self.listening.options.flow_control {
                true => Some(budget.acquire(self.call_bytes()).await),
                false => budget.try_acquire(self.call_bytes()),
            }
        };
        select! {
            biased;
            _ = control.order() => None,
            permit = ready => Some(permit),
        }
    }

    /// Receives what has arrived, for a while at most.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN_TIMEOUT;
        while Instant::now() < deadline {
            let ready = timeout(DRAIN_QUIET, self.receiver.socket.readable()).await;
            let permit = self.listening.sink.budget().try_acquire(self.call_bytes());
            match (ready, permit) {
                (Ok(_), Some(permit)) => self.receive(Some(permit)).await,
                _ => break,
            }
        }
    }

    /// Receives once and hands over what there was; without a share it is dropped.
    async fn receive(&mut self, permit: Option<Permit>) {
        match self.receiver.socket.receive(&mut self.datagrams) {
            Ok(()) => {
                self.gather(permit.is_none());
                if let Some(permit) = permit
                    && !self.assembler.is_empty()
                {
                    let gathered = self.assembler.take();
                    self.listening.hand_over(gathered, &self.runs, permit);
                    self.runs.clear();
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => {
                let source = self.listening.source.name();
                if let Some(unsaid) = self.listening.trouble.note() {
                    tracing::warn!(source, %error, unsaid, "cannot receive datagrams");
                }
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }

    fn gather(&mut self, is_dropping: bool) {
        if is_dropping {
            self.listening.tell_memory_full();
        }
        let received = self.listening.sink.now();
        let source = &self.listening.source;
        let bytes = self
            .datagrams
            .iter()
            .map(|datagram| datagram.bytes.len())
            .sum();
        let share = self.call_bytes();
        self.assembler.expect(bytes, share);
        for datagram in self.datagrams.iter() {
            let is_admitted = |peer| self.hosts.admits(peer);
            if !datagram.peer.is_none_or(is_admitted) {
                let bytes = datagram.bytes.len() as u64;
                source.drop_arrived(DropReason::Denied, 1, bytes);
                continue;
            }
            let raw = trim_counted(datagram.bytes);
            if raw.is_empty() {
                source.drop_arrived(DropReason::EmptyDatagram, 1, 0);
                continue;
            }
            if is_dropping {
                let bytes = raw.len() as u64;
                source.drop_from(datagram.peer, DropReason::MemoryFull, bytes, received);
                continue;
            }
            let (raw, mut tags) = self.opener.open(raw);
            if datagram.is_truncated {
                tags |= Tag::Truncated.bit();
            }
            // One call's datagrams always fit a batch; if that changes, it will be seen here.
            let pushed = self.assembler.push(raw, tags, received, datagram.peer);
            let bytes = raw.len() as u64;
            if pushed.is_err() {
                source.drop_from(datagram.peer, DropReason::TooLarge, bytes, received);
            } else if let Some(peer) = datagram.peer {
                add_to_runs(&mut self.runs, peer, bytes);
            }
        }
    }

    /// Memory that the datagrams of one call can take, in bytes.
    fn call_bytes(&self) -> usize {
        let longest = self
            .listening
            .options
            .message_bytes_max
            .min(DATAGRAM_BYTES_MAX);
        let datagrams = match self.listening.options.gro {
            // As many of the same bytes as can be joined, each with what a record takes.
            true => DATAGRAMS_JOINED_MAX,
            false => 1,
        };
        let heads = (datagrams - 1) * Assembler::message_bytes(0);
        DATAGRAMS_PER_CALL * (Assembler::message_bytes(longest) + heads)
    }
}

fn tell_kernel_drops(listening: &Listening, drops: u32) {
    if drops > 0
        && let Some(unsaid) = listening.trouble.note()
    {
        let source = listening.source.name();
        tracing::warn!(
            source,
            drops,
            unsaid,
            "the kernel dropped datagrams: the receive buffer was full"
        );
    }
}
