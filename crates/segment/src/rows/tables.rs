//! What few records differ in, each once: addresses of senders, and names of sources and tags. Rows
//! refer to them by numbers.

use std::collections::HashMap;
use std::net::IpAddr;

use model::{RecordBatch, RecordHead};

use super::{PEER_V4, PEER_V6};
use crate::hash::Seeds;
use crate::wire::{put_bytes, put_varint};

/// What rows refer to, in the order in which it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Table {
    Peers,
    Sources,
    Tags,
}

impl Table {
    pub(super) const ALL: [Self; 3] = [Self::Peers, Self::Sources, Self::Tags];
}

/// The tables of some rows, which grow as rows are numbered.
pub(super) struct Tables<'b> {
    names: &'b RecordBatch,
    /// Addresses in the order of their first use; 0 stands for none, so the first is 1.
    peers: Vec<IpAddr>,
    known_peers: HashMap<IpAddr, u64, Seeds>,
    /// Sources in the order of their first use.
    sources: Vec<u16>,
    known_sources: HashMap<u16, u64>,
    /// The names of tags, sorted, each with its bit in the batch: which bits those are depends on what else
    /// went through it.
    tags: Vec<(&'b str, u32)>,
}

impl<'b> Tables<'b> {
    /// For rows that have some tags and refer to the names of a batch.
    pub(super) fn new(names: &'b RecordBatch, tags: u64) -> Self {
        let of_bits = names.tags().iter().zip(0..u64::BITS);
        let used = of_bits.filter(|(_, bit)| tags >> bit & 1 == 1);
        let mut used: Vec<_> = used.map(|(name, bit)| (&**name, bit)).collect();
        used.sort_unstable();
        Self {
            names,
            peers: Vec::new(),
            known_peers: HashMap::with_hasher(Seeds::of_process()),
            sources: Vec::new(),
            known_sources: HashMap::new(),
            tags: used,
        }
    }

    /// Replaces the column by what rows refer to in a table.
    pub(super) fn number(&mut self, table: Table, heads: &[RecordHead], column: &mut Vec<u64>) {
        column.clear();
        match table {
            Table::Peers => self.number_peers(heads, column),
            Table::Sources => self.number_sources(heads, column),
            Table::Tags => self.number_tags(heads, column),
        }
    }

    fn number_peers(&mut self, heads: &[RecordHead], column: &mut Vec<u64>) {
        let mut last = (None, 0);
        for head in heads {
            if head.peer != last.0 {
                let number = head.peer.map_or(0, |peer| {
                    *self.known_peers.entry(peer).or_insert_with(|| {
                        self.peers.push(peer);
                        self.peers.len() as u64
                    })
                });
                last = (head.peer, number);
            }
            column.push(last.1);
        }
    }

    fn number_sources(&mut self, heads: &[RecordHead], column: &mut Vec<u64>) {
        let mut last = None;
        for head in heads {
            let number = match last {
                Some((source, number)) if source == head.source => number,
                _ => *self.known_sources.entry(head.source).or_insert_with(|| {
                    self.sources.push(head.source);
                    self.sources.len() as u64 - 1
                }),
            };
            last = Some((head.source, number));
            column.push(number);
        }
    }

    fn number_tags(&self, heads: &[RecordHead], column: &mut Vec<u64>) {
        column.extend(heads.iter().map(|head| {
            let bits = self.tags.iter().enumerate();
            bits.fold(0, |set, (place, (_, bit))| {
                set | (head.tags >> bit & 1) << place
            })
        }));
    }

    /// Appends a table.
    pub(super) fn encode(&self, table: Table, out: &mut Vec<u8>) {
        match table {
            Table::Peers => {
                put_varint(self.peers.len() as u64, out);
                self.peers.iter().for_each(|peer| put_peer(peer, out));
            }
            Table::Sources => {
                put_varint(self.sources.len() as u64, out);
                for source in &self.sources {
                    let name = self.names.sources().get(usize::from(*source));
                    put_bytes(name.map_or(b"", |name| name.as_bytes()), out);
                }
            }
            Table::Tags => {
                put_varint(self.tags.len() as u64, out);
                for (name, _) in &self.tags {
                    put_bytes(name.as_bytes(), out);
                }
            }
        }
    }
}

fn put_peer(peer: &IpAddr, out: &mut Vec<u8>) {
    match peer {
        IpAddr::V4(address) => {
            out.push(PEER_V4);
            out.extend_from_slice(&address.octets());
        }
        IpAddr::V6(address) => {
            out.push(PEER_V6);
            out.extend_from_slice(&address.octets());
        }
    }
}
