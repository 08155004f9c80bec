//! What is kept of each record beside its text: its time, who sent it, where it came in, its tags.
#![deny(clippy::indexing_slicing)]

use std::net::IpAddr;

use model::limits::{BATCH_SOURCES_MAX, BATCH_TAGS_MAX};
use model::{RecordBatch, Timestamp};

use super::{PEER_V4, PEER_V6, TimeForm};
use crate::Corrupt;
use crate::column::Packed;
use crate::limits::STORED_NAME_BYTES_MAX;
use crate::wire::{Reader, unzigzag};

/// Values of rows of which there are few: each stands once.
#[derive(Debug)]
pub(crate) struct Repeated<T> {
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

    /// The value of a row; `None` behind the last.
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        let place = usize::try_from(self.places.get(row)?).ok()?;
        self.table.get(place).copied()
    }

    /// The values of all rows, in order.
    pub(crate) fn values(&self) -> impl Iterator<Item = Option<T>> {
        let places = self.places.values();
        places.map(|place| self.table.get(usize::try_from(place).ok()?).copied())
    }

    /// Memory the values take, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val::<[T]>(&self.table) + self.places.memory_bytes()
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
    let form = reader.byte()?;
    let form = *TimeForm::ALL
        .get(usize::from(form))
        .ok_or(Corrupt::Invalid {
            what: "form of times",
            value: u64::from(form),
        })?;
    if form == TimeForm::Received {
        return Packed::decode(reader, rows).map(Times::BehindReceipt);
    }
    let mut time = unzigzag(reader.varint()?);
    let steps = Packed::decode(reader, rows)?;
    let step = |value| {
        time = time.wrapping_add(unzigzag(value));
        Timestamp::from_nanos(time.wrapping_mul(form.unit()))
    };
    Ok(Times::Own(steps.values().map(step).collect()))
}

/// The tags of records.
#[derive(Debug)]
pub(crate) struct Tags {
    /// For each bit of a set as it is stored the bit of its name.
    bits: Vec<u64>,
    /// For each row those it has, as they are stored.
    sets: Packed,
}

impl Tags {
    /// The tags of a row; `None` behind the last.
    pub(crate) fn get(&self, row: usize) -> Option<u64> {
        Some(self.named(self.sets.get(row)?))
    }

    /// Those of all rows, in order.
    pub(crate) fn values(&self) -> impl Iterator<Item = u64> {
        self.sets.values().map(|set| self.named(set))
    }

    /// A set with the bits of the names.
    fn named(&self, set: u64) -> u64 {
        let bits = self.bits.iter().enumerate();
        let own = bits.filter(|(place, _)| set >> place & 1 == 1);
        own.fold(0, |tags, (_, bit)| tags | bit)
    }

    /// Whether all bits of a set have a name.
    fn is_known(&self, set: u64) -> bool {
        (u64::BITS - set.leading_zeros()) as usize <= self.bits.len()
    }

    fn memory_bytes(&self) -> usize {
        size_of_val::<[u64]>(&self.bits) + self.sets.memory_bytes()
    }
}

/// The addresses of the senders of records.
pub(super) fn peers(
    reader: &mut Reader<'_>,
    rows: usize,
) -> Result<Repeated<Option<IpAddr>>, Corrupt> {
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
    Repeated::decode(reader, rows, peers, "index of a peer")
}

/// The sources of records, whose names are added to the batch.
pub(super) fn sources(
    reader: &mut Reader<'_>,
    rows: usize,
    names: &mut RecordBatch,
) -> Result<Repeated<u16>, Corrupt> {
    let count = reader.count("number of sources", BATCH_SOURCES_MAX)?;
    let mut sources = Vec::new();
    for _ in 0..count {
        let source = names.source_index(name(reader)?);
        sources.push(source.map_err(|_| Corrupt::Invalid {
            what: "number of sources",
            value: count as u64,
        })?);
    }
    Repeated::decode(reader, rows, sources, "index of a source")
}

/// The sets of tags of records, whose names are added to the batch.
pub(super) fn tags(
    reader: &mut Reader<'_>,
    rows: usize,
    names: &mut RecordBatch,
) -> Result<Tags, Corrupt> {
    let count = reader.count("number of tags", BATCH_TAGS_MAX)?;
    let mut bits = Vec::new();
    for _ in 0..count {
        let bit = names.tag_bit(name(reader)?);
        bits.push(bit.map_err(|_| Corrupt::Invalid {
            what: "number of tags",
            value: count as u64,
        })?);
    }
    let tags = Tags {
        bits,
        sets: Packed::decode(reader, rows)?,
    };
    let unknown = tags.sets.first_or_all().find(|set| !tags.is_known(*set));
    match unknown {
        None => Ok(tags),
        Some(value) => Err(Corrupt::Invalid {
            what: "set of tags",
            value,
        }),
    }
}

fn name<'a>(reader: &mut Reader<'a>) -> Result<&'a str, Corrupt> {
    let len = reader.count("length of a name", STORED_NAME_BYTES_MAX)?;
    std::str::from_utf8(reader.bytes(len)?).map_err(|_| Corrupt::Invalid {
        what: "name",
        value: len as u64,
    })
}

/// What is kept of each row of a chunk beside its text.
#[derive(Debug)]
pub(crate) struct Loose {
    pub(crate) times: Times,
    pub(crate) peers: Repeated<Option<IpAddr>>,
    pub(crate) sources: Repeated<u16>,
    pub(crate) tags: Tags,
    /// The names of the sources and tags, and no records.
    pub(crate) names: RecordBatch,
}

impl Loose {
    /// Reads what [`super::encode_loose`] wrote of so many rows.
    pub(crate) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let mut names = RecordBatch::new();
        Ok(Self {
            times: times(reader, rows)?,
            peers: peers(reader, rows)?,
            sources: sources(reader, rows, &mut names)?,
            tags: tags(reader, rows, &mut names)?,
            names,
        })
    }

    /// Memory it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.times.memory_bytes()
            + self.peers.memory_bytes()
            + self.sources.memory_bytes()
            + self.tags.memory_bytes()
    }
}
