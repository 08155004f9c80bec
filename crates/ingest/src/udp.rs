//! Datagrams into batches.

use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};

use model::Tag;
use syslog::frame::trim_terminator;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::select;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};

use crate::assembler::Assembler;
use crate::budget::Permit;
use crate::limits::{
    ACCEPT_PAUSE, DATAGRAM_BYTES_MAX, DATAGRAMS_PER_CALL, DRAIN_QUIET, DRAIN_TIMEOUT,
    KERNEL_DROPS_INTERVAL,
};
use crate::listening::Listening;
use crate::socket::{self, Datagrams};
use crate::source::{DropReason, Source};
use crate::stop::Stop;

/// Calls in a row before other tasks get their turn: about a millisecond of work.
const CALLS_IN_A_ROW: u32 = 16;

/// A bound socket, and how many of the kernel's drops at it have been counted.
pub(crate) struct UdpReceiver {
    socket: UdpSocket,
    drops_counted: Mutex<u32>,
}

impl UdpReceiver {
    pub(crate) fn new(socket: std::net::UdpSocket) -> io::Result<Self> {
        Ok(Self {
            socket: UdpSocket::from_std(socket)?,
            drops_counted: Mutex::new(0),
        })
    }

    pub(crate) fn socket(&self) -> &UdpSocket {
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
pub(crate) async fn run(listening: Arc<Listening>, receiver: Arc<UdpReceiver>, mut stop: Stop) {
    let mut assembler = listening.assembler();
    let mut datagrams = Datagrams::new(listening.options.message_bytes_max);
    let mut calls_in_a_row = 0;
    let mut drops_due = Instant::now();
    while let Some(permit) = wait(&listening, &receiver, &mut stop).await {
        receive(
            &listening,
            &receiver,
            &mut datagrams,
            &mut assembler,
            permit,
        )
        .await;
        if drops_due <= Instant::now() {
            drops_due = Instant::now() + KERNEL_DROPS_INTERVAL;
            tell_kernel_drops(&listening, receiver.count_kernel_drops(&listening.source));
        }
        calls_in_a_row += 1;
        if calls_in_a_row == CALLS_IN_A_ROW {
            calls_in_a_row = 0;
            yield_now().await;
        }
    }
    let deadline = Instant::now() + DRAIN_TIMEOUT;
    while Instant::now() < deadline
        && timeout(DRAIN_QUIET, receiver.socket.readable())
            .await
            .is_ok()
        && let Some(permit) = listening.sink.budget().try_acquire(call_bytes(&listening))
    {
        receive(
            &listening,
            &receiver,
            &mut datagrams,
            &mut assembler,
            permit,
        )
        .await;
    }
    receiver.count_kernel_drops(&listening.source);
}

/// Waits for datagrams and a share of the budget for them; `None` when told to stop.
async fn wait(listening: &Listening, receiver: &UdpReceiver, stop: &mut Stop) -> Option<Permit> {
    let ready = async {
        // An error shows itself again when we receive.
        _ = receiver.socket.readable().await;
        listening.sink.budget().acquire(call_bytes(listening)).await
    };
    select! {
        biased;
        () = stop.given() => None,
        permit = ready => Some(permit),
    }
}

/// Receives once.
async fn receive(
    listening: &Listening,
    receiver: &UdpReceiver,
    datagrams: &mut Datagrams,
    assembler: &mut Assembler,
    permit: Permit,
) {
    let socket = &receiver.socket;
    match socket.try_io(Interest::READABLE, || datagrams.receive(socket)) {
        Ok(()) => {
            gather(listening, datagrams, assembler);
            if !assembler.is_empty() {
                listening.hand_over(assembler.take(), permit);
            }
        }
        Err(error) if error.kind() == ErrorKind::WouldBlock => {}
        Err(error) => {
            let source = listening.source.name();
            if let Some(unsaid) = listening.trouble.note() {
                tracing::warn!(source, %error, unsaid, "cannot receive datagrams");
            }
            sleep(ACCEPT_PAUSE).await;
        }
    }
}

fn gather(listening: &Listening, datagrams: &Datagrams, assembler: &mut Assembler) {
    let received = listening.sink.now();
    let source = &listening.source;
    assembler.expect(datagrams.iter().map(|datagram| datagram.bytes.len()).sum());
    for datagram in datagrams.iter() {
        let raw = trim_terminator(datagram.bytes);
        if raw.is_empty() {
            source.drop_arrived(DropReason::EmptyDatagram, 1, 0);
            continue;
        }
        let tags = if datagram.is_truncated {
            Tag::Truncated.bit()
        } else {
            0
        };
        // One call's datagrams always fit a batch; if that changes, it will be seen here.
        if assembler.push(raw, tags, received, datagram.peer).is_err() {
            source.drop_arrived(DropReason::TooLarge, 1, raw.len() as u64);
        }
    }
}

/// Memory that the datagrams of one call can take, in bytes.
fn call_bytes(listening: &Listening) -> usize {
    let longest = listening.options.message_bytes_max.min(DATAGRAM_BYTES_MAX);
    DATAGRAMS_PER_CALL * Assembler::message_bytes(longest)
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
