//! What is kept of each record beside its text: its time, who sent it, where it came in, its tags.
#![deny(clippy::indexing_slicing)]

use std::net::IpAddr;

use model::limits::{BATCH_SOURCES_MAX, BATCH_TAGS_MAX};
use model::{RecordBatch, Timestamp};

use super::{PEER_V4, PEER_V6, TimeForm};
use crate::Corrupt;
use crate::column;
use crate::limits::STORED_NAME_BYTES_MAX;
use crate::wire::{Reader, unzigzag};

/// Values of rows of which there are few: each stands once.
#[derive(Debug)]
pub(crate) struct Repeated<T> {
    table: Vec<T>,
    /// For each row the place of its value; none where all have the first.
    places: Vec<u32>,
}

impl<T: Copy> Repeated<T> {
    /// Reads the column of the places of `rows` values in a table.
    fn decode(
        reader: &mut Reader<'_>,
        rows: usize,
        table: Vec<T>,
        what: &'static str,
    ) -> Result<Self, Corrupt> {
        let known = |value: u64| {
            let place = u32::try_from(value).ok();
            let known = place.filter(|place| (*place as usize) < table.len());
            known.ok_or(Corrupt::Invalid { what, value })
        };
        let mut values = Vec::new();
        let Some(constant) = column::decode_varying(reader, rows, &mut values)? else {
            let places = values.into_iter().map(known).collect::<Result<_, _>>()?;
            return Ok(Self { table, places });
        };
        // Without rows there is no value, and any number stands for that.
        let value = match rows {
            0 => None,
            _ => table.get(known(constant)? as usize).copied(),
        };
        Ok(Self {
            table: value.into_iter().collect(),
            places: Vec::new(),
        })
    }

    /// The value of a row; `None` behind the last.
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        if self.places.is_empty() {
            return self.table.first().copied();
        }
        let place = self.places.get(row)?;
        self.table.get(*place as usize).copied()
    }

    /// Memory the values take, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val::<[T]>(&self.table) + size_of_val::<[u32]>(&self.places)
    }
}

/// The times of records, as far as they are known without those of receipt.
#[derive(Debug)]
pub(crate) enum Times {
    /// What each is behind its receipt by, in nanoseconds.
    BehindReceipt(Vec<i64>),
    /// The times.
    Own(Vec<Timestamp>),
}

impl Times {
    /// The time of a row that was received at a time; `None` behind the last.
    pub(crate) fn get(&self, row: usize, received: Timestamp) -> Option<Timestamp> {
        match self {
            Self::BehindReceipt(behind) => Some(moved(received, *behind.get(row)?)),
            Self::Own(times) => times.get(row).copied(),
        }
    }

    /// All of them, given those of receipt.
    pub(crate) fn of(self, received: impl IntoIterator<Item = Timestamp>) -> Vec<Timestamp> {
        match self {
            Self::BehindReceipt(behind) => {
                let pairs = received.into_iter().zip(behind);
                pairs.map(|(time, behind)| moved(time, behind)).collect()
            }
            Self::Own(times) => times,
        }
    }

    fn memory_bytes(&self) -> usize {
        match self {
            Self::BehindReceipt(behind) => size_of_val::<[i64]>(behind),
            Self::Own(times) => size_of_val::<[Timestamp]>(times),
        }
    }
}

fn moved(time: Timestamp, nanos: i64) -> Timestamp {
    Timestamp::from_nanos(time.nanos().wrapping_add(nanos))
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
    let mut values = Vec::new();
    if form == TimeForm::Received {
        column::decode(reader, rows, &mut values)?;
        let behind = values.into_iter().map(unzigzag);
        return Ok(Times::BehindReceipt(behind.collect()));
    }
    let mut time = unzigzag(reader.varint()?);
    column::decode(reader, rows, &mut values)?;
    let step = |value| {
        time = time.wrapping_add(unzigzag(value));
        Timestamp::from_nanos(time.wrapping_mul(form.unit()))
    };
    Ok(Times::Own(values.into_iter().map(step).collect()))
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
) -> Result<Vec<u64>, Corrupt> {
    let count = reader.count("number of tags", BATCH_TAGS_MAX)?;
    let mut bits = Vec::new();
    for _ in 0..count {
        let bit = names.tag_bit(name(reader)?);
        bits.push(bit.map_err(|_| Corrupt::Invalid {
            what: "number of tags",
            value: count as u64,
        })?);
    }
    let mut values = Vec::new();
    column::decode(reader, rows, &mut values)?;
    for value in &mut values {
        let (mut rest, mut tags) = (*value, 0);
        while rest != 0 {
            let bit = bits.get(rest.trailing_zeros() as usize);
            tags |= bit.ok_or(Corrupt::Invalid {
                what: "set of tags",
                value: *value,
            })?;
            rest &= rest - 1;
        }
        *value = tags;
    }
    Ok(values)
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
    pub(crate) tags: Repeated<u64>,
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
            tags: Repeated::of(tags(reader, rows, &mut names)?),
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

impl Repeated<u64> {
    /// Values that are nearly always the same.
    fn of(values: Vec<u64>) -> Self {
        let first = values.first().copied();
        if values.iter().all(|value| Some(*value) == first) {
            let table = first.into_iter().collect();
            let places = Vec::new();
            return Self { table, places };
        }
        Self {
            places: (0..values.len() as u32).collect(),
            table: values,
        }
    }
}
