//! What is kept of each record beside its text: its time, who sent it, where it came in, its tags.
#![deny(clippy::indexing_slicing)]

use std::net::IpAddr;

use model::limits::{BATCH_SOURCES_MAX, BATCH_TAGS_MAX};
use model::{RecordBatch, RecordHead, Timestamp};

use super::{PEER_V4, PEER_V6, TimeForm, bare_head};
use crate::Corrupt;
use crate::column::Packed;
use crate::limits::STORED_NAME_BYTES_MAX;
use crate::wire::{Reader, unzigzag};

/// Values of rows of which there are few: each stands once.
#[derive(Debug)]
pub(super) struct Repeated<T> {
    table: Vec<T>,
    /// For each row the place of its value.
    places: Packed,
}

impl<T: Copy> Repeated<T> {
    /// Reads the column of the places of `rows` values in a table.
    fn decode(
        reader: &mut Reader<'_>,
        rows: usize,
        table: Vec<T>,
        what: &'static str,
    ) -> Result<Self, Corrupt> {
        let places = Packed::decode(reader, rows)?;
        let is_known = |value: &u64| *value < table.len() as u64;
        let unknown = places.first_or_all().find(|value| !is_known(value));
        match unknown {
            None => Ok(Self { table, places }),
            Some(value) => Err(Corrupt::Invalid { what, value }),
        }
    }

    /// The values of all rows, in order.
    pub(super) fn values(&self) -> impl Iterator<Item = Option<T>> {
        let places = self.places.values();
        places.map(|place| self.table.get(usize::try_from(place).ok()?).copied())
    }
}

/// The times of records, as far as they are known without those of receipt.
#[derive(Debug)]
pub(crate) enum Times {
    /// What each is behind its receipt by, in nanoseconds, zigzag.
    BehindReceipt(Packed),
    /// The times.
    Own(Vec<Timestamp>),
}

impl Times {
    /// The time of a row that was received at a time; `None` behind the last.
    pub(crate) fn get(&self, row: usize, received: Timestamp) -> Option<Timestamp> {
        match self {
            Self::BehindReceipt(behind) => Some(moved(received, behind.get(row)?)),
            Self::Own(times) => times.get(row).copied(),
        }
    }

    /// All of them, given those of receipt.
    pub(crate) fn of(self, received: impl IntoIterator<Item = Timestamp>) -> Vec<Timestamp> {
        match self {
            Self::BehindReceipt(behind) => {
                let pairs = received.into_iter().zip(behind.values());
                pairs.map(|(time, behind)| moved(time, behind)).collect()
            }
            Self::Own(times) => times,
        }
    }

    fn memory_bytes(&self) -> usize {
        match self {
            Self::BehindReceipt(behind) => behind.memory_bytes(),
            Self::Own(times) => size_of_val::<[Timestamp]>(times),
        }
    }
}

fn moved(time: Timestamp, zigzag: u64) -> Timestamp {
    Timestamp::from_nanos(time.nanos().wrapping_add(unzigzag(zigzag)))
}

/// The times of so many records.
pub(super) fn times(reader: &mut Reader<'_>, rows: usize) -> Result<Times, Corrupt> {
    let form = TimeForm::decode(reader)?;
    if form == TimeForm::Received {
        return Packed::decode(reader, rows).map(Times::BehindReceipt);
    }
    let mut time = unzigzag(reader.varint()?);
    let steps = Packed::decode(reader, rows)?;
    let step = |value| {
        time = time.wrapping_add(unzigzag(value));
        Timestamp::from_nanos(time.wrapping_mul(form.nanos()))
    };
    Ok(Times::Own(steps.values().map(step).collect()))
}

/// The tags of records.
#[derive(Debug)]
pub(super) struct Tags {
    /// For each bit of a set as it is stored the bit of its name.
    bits: Vec<u64>,
    /// For each row those it has, as they are stored.
    sets: Packed,
}

impl Tags {
    /// Those of all rows, in order.
    pub(super) fn values(&self) -> impl Iterator<Item = Option<u64>> {
        self.sets.values().map(|set| named(&self.bits, set))
    }
}

/// A set as it is stored with the bits of its names; `None` where one has no name.
fn named(bits: &[u64], set: u64) -> Option<u64> {
    if set == 0 {
        return Some(0);
    }
    if (u64::BITS - set.leading_zeros()) as usize > bits.len() {
        return None;
    }
    let bits = bits.iter().enumerate();
    let own = bits.filter(|(place, _)| set >> place & 1 == 1);
    Some(own.fold(0, |tags, (_, bit)| tags | bit))
}

/// The addresses of the senders of records.
pub(super) fn peers(
    reader: &mut Reader<'_>,
    rows: usize,
) -> Result<Repeated<Option<IpAddr>>, Corrupt> {
    let peers = peer_table(reader, rows)?;
    Repeated::decode(reader, rows, peers, "index of a peer")
}

/// The sources of records, whose names are added to the batch.
pub(super) fn sources(
    reader: &mut Reader<'_>,
    rows: usize,
    names: &mut RecordBatch,
) -> Result<Repeated<u16>, Corrupt> {
    let sources = source_table(reader, names)?;
    Repeated::decode(reader, rows, sources, "index of a source")
}

/// The sets of tags of records, whose names are added to the batch.
pub(super) fn tags(
    reader: &mut Reader<'_>,
    rows: usize,
    names: &mut RecordBatch,
) -> Result<Tags, Corrupt> {
    let bits = tag_table(reader, names)?;
    let sets = Packed::decode(reader, rows)?;
    let unknown = sets.first_or_all().find(|set| named(&bits, *set).is_none());
    match unknown {
        None => Ok(Tags { bits, sets }),
        Some(value) => Err(Corrupt::Invalid {
            what: "set of tags",
            value,
        }),
    }
}

/// No address, and those of the senders of so many rows.
fn peer_table(reader: &mut Reader<'_>, rows: usize) -> Result<Vec<Option<IpAddr>>, Corrupt> {
    let count = reader.count("number of peers", rows)?;
    let mut peers = vec![None];
    for _ in 0..count {
        peers.push(Some(match reader.byte()? {
            PEER_V4 => IpAddr::from(reader.array::<4>()?),
            PEER_V6 => IpAddr::from(reader.array::<16>()?),
            kind => {
                return Err(Corrupt::Invalid {
                    what: "kind of a peer",
                    value: u64::from(kind),
                });
            }
        }));
    }
    Ok(peers)
}

fn source_table(reader: &mut Reader<'_>, names: &mut RecordBatch) -> Result<Vec<u16>, Corrupt> {
    let count = reader.count("number of sources", BATCH_SOURCES_MAX)?;
    let mut sources = Vec::new();
    for _ in 0..count {
        let source = names.source_index(name(reader)?);
        sources.push(source.map_err(|_| Corrupt::Invalid {
            what: "number of sources",
            value: count as u64,
        })?);
    }
    Ok(sources)
}

/// For each bit of the sets that follow the bit of its name.
fn tag_table(reader: &mut Reader<'_>, names: &mut RecordBatch) -> Result<Vec<u64>, Corrupt> {
    let count = reader.count("number of tags", BATCH_TAGS_MAX)?;
    let mut bits = Vec::new();
    for _ in 0..count {
        let bit = names.tag_bit(name(reader)?);
        bits.push(bit.map_err(|_| Corrupt::Invalid {
            what: "number of tags",
            value: count as u64,
        })?);
    }
    Ok(bits)
}

fn name<'a>(reader: &mut Reader<'a>) -> Result<&'a str, Corrupt> {
    let len = reader.count("length of a name", STORED_NAME_BYTES_MAX)?;
    std::str::from_utf8(reader.bytes(len)?).map_err(|_| Corrupt::Invalid {
        what: "name",
        value: len as u64,
    })
}

/// What the rows of a chunk refer to: addresses of senders, and names of sources and tags.
#[derive(Debug)]
pub(crate) struct LooseTables {
    peers: Vec<Option<IpAddr>>,
    sources: Vec<u16>,
    tags: Vec<u64>,
    /// The names of the sources and tags, and no records.
    pub(crate) names: RecordBatch,
}

/// What is kept of rows beside their texts, with references to tables.
#[derive(Debug)]
pub(crate) struct LooseRows {
    times: Times,
    peers: Packed,
    sources: Packed,
    tags: Packed,
}

impl LooseTables {
    /// Reads those that [`super::LooseWriter`] wrote of so many rows.
    pub(crate) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let mut names = RecordBatch::new();
        Ok(Self {
            peers: peer_table(reader, rows)?,
            sources: source_table(reader, &mut names)?,
            tags: tag_table(reader, &mut names)?,
            names,
        })
    }

    /// All tags that rows have.
    pub(crate) fn all_tags(&self) -> u64 {
        self.tags.iter().fold(0, |all, bit| all | bit)
    }

    /// Memory they take, in bytes; names are few.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val::<[Option<IpAddr>]>(&self.peers)
    }
}

impl LooseRows {
    /// Reads those of a page that [`super::LooseWriter`] wrote, of so many rows.
    pub(crate) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        Ok(Self {
            times: times(reader, rows)?,
            peers: Packed::decode(reader, rows)?,
            sources: Packed::decode(reader, rows)?,
            tags: Packed::decode(reader, rows)?,
        })
    }

    /// A row that was received at a time, without its text; `None` behind the last, and where it refers to
    /// what is not there.
    pub(crate) fn get(
        &self,
        row: usize,
        received: Timestamp,
        tables: &LooseTables,
    ) -> Option<RecordHead> {
        let place = |places: &Packed| usize::try_from(places.get(row)?).ok();
        Some(RecordHead {
            time: self.times.get(row, received)?,
            peer: *tables.peers.get(place(&self.peers)?)?,
            source: *tables.sources.get(place(&self.sources)?)?,
            tags: named(&tables.tags, self.tags.get(row)?)?,
            ..bare_head(received)
        })
    }

    /// Memory they take, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let columns = [&self.peers, &self.sources, &self.tags];
        let columns = columns.map(Packed::memory_bytes);
        self.times.memory_bytes() + columns.iter().sum::<usize>()
    }
}
