//! Messages of one connection on their way into batches, each covered by its share of the budget.

use std::net::IpAddr;

use model::{BatchFull, Timestamp};

use crate::assembler::Assembler;
use crate::budget::Permit;
use crate::limits::READ_BUDGET_BYTES;
use crate::listening::Listening;
use crate::senders::Run;
use crate::sink::Durable;
use crate::source::DropReason;

/// Gathers messages until their share of the budget is used up.
pub(crate) struct Gatherer<'a> {
    listening: &'a Listening,
    peer: Option<IpAddr>,
    assembler: Assembler,
    permit: Option<Permit>,
    /// Whether there is no share, and nobody waits for one.
    is_dropping: bool,
    received: Timestamp,
}

impl<'a> Gatherer<'a> {
    pub(crate) fn new(listening: &'a Listening, peer: Option<IpAddr>) -> Self {
        Self {
            listening,
            peer,
            assembler: listening.assembler(),
            permit: None,
            is_dropping: false,
            received: Timestamp::default(),
        }
    }

    /// Starts on so many bytes that have been read, with a share of the budget for them.
    pub(crate) fn begin(&mut self, permit: Permit, bytes: usize) {
        self.assembler.expect(bytes, permit.bytes());
        self.permit = Some(permit);
        self.refresh();
    }

    /// Starts on bytes that have been read although the budget is used up.
    pub(crate) fn begin_dropping(&mut self) {
        self.is_dropping = true;
        self.refresh();
        self.listening.tell_memory_full();
    }

    /// Stamps the messages to come with the time now.
    pub(crate) fn refresh(&mut self) {
        self.received = self.listening.sink.now();
    }

    /// Adds a message.
    ///
    /// # Errors
    /// When the share or the batch has no room for it: hand over, take another share with
    /// [`Self::refill`] and add it with [`Self::add_first`]. In this order nobody waits with a
    /// share in hand.
    pub(crate) fn add(&mut self, raw: &[u8], tags: u64) -> Result<(), BatchFull> {
        if self.is_dropping {
            self.drop_for(DropReason::MemoryFull, raw);
            return Ok(());
        }
        let share = self.permit.as_ref().map_or(0, Permit::bytes);
        if self.assembler.memory_bytes() + Assembler::message_bytes(raw.len()) > share {
            return Err(BatchFull);
        }
        self.assembler.push(raw, tags, self.received, self.peer)
    }

    /// Takes a share for a message of this length and more like it; where the source does not wait,
    /// only if it is there.
    pub(crate) async fn refill(&mut self, raw_len: usize) {
        let wanted = Assembler::message_bytes(raw_len).max(READ_BUDGET_BYTES);
        let budget = self.listening.sink.budget();
        if self.listening.options.flow_control {
            self.permit = Some(budget.acquire(wanted).await);
            return;
        }
        self.permit = budget.try_acquire(wanted);
        if self.permit.is_none() {
            self.begin_dropping();
        }
    }

    /// Adds a message to an empty batch, whatever the share: the first always gets through.
    ///
    /// # Errors
    /// When no batch can hold it; it is counted as dropped.
    pub(crate) fn add_first(&mut self, raw: &[u8], tags: u64) -> Result<(), BatchFull> {
        if self.is_dropping {
            self.drop_for(DropReason::MemoryFull, raw);
            return Ok(());
        }
        let added = self.assembler.push(raw, tags, self.received, self.peer);
        if added.is_err() {
            self.drop_for(DropReason::TooLarge, raw);
        }
        added
    }

    /// Hands over what is gathered, if anything.
    pub(crate) fn hand_over(&mut self) -> Option<Durable> {
        self.is_dropping = false;
        let permit = self.permit.take()?;
        if self.assembler.is_empty() {
            return None;
        }
        let gathered = self.assembler.take();
        let run = self.peer.map(|peer| Run {
            peer,
            messages: gathered.batch.len() as u64,
            bytes: gathered.raw_bytes,
        });
        Some(self.listening.hand_over(gathered, run.as_slice(), permit))
    }

    fn drop_for(&self, reason: DropReason, raw: &[u8]) {
        let (source, bytes) = (&self.listening.source, raw.len() as u64);
        source.drop_from(self.peer, reason, bytes, self.received);
    }
}
