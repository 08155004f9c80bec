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

/// The times of records.
pub(super) fn times(
    reader: &mut Reader<'_>,
    received: &[Timestamp],
) -> Result<Vec<Timestamp>, Corrupt> {
    let form = reader.byte()?;
    let form = *TimeForm::ALL
        .get(usize::from(form))
        .ok_or(Corrupt::Invalid {
            what: "form of times",
            value: u64::from(form),
        })?;
    let mut values = Vec::new();
    if form == TimeForm::Received {
        column::decode(reader, received.len(), &mut values)?;
        let pairs = received.iter().zip(values);
        let time = |(received, value): (&Timestamp, u64)| {
            Timestamp::from_nanos(received.nanos().wrapping_add(unzigzag(value)))
        };
        return Ok(pairs.map(time).collect());
    }
    let mut time = unzigzag(reader.varint()?);
    column::decode(reader, received.len(), &mut values)?;
    let step = |value| {
        time = time.wrapping_add(unzigzag(value));
        Timestamp::from_nanos(time.wrapping_mul(form.unit()))
    };
    Ok(values.into_iter().map(step).collect())
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
    pub(crate) times: Vec<Timestamp>,
    pub(crate) peers: Repeated<Option<IpAddr>>,
    pub(crate) sources: Repeated<u16>,
    pub(crate) tags: Repeated<u64>,
    /// The names of the sources and tags, and no records.
    pub(crate) names: RecordBatch,
}

impl Loose {
    /// Reads what [`super::encode_loose`] wrote.
    pub(crate) fn decode(reader: &mut Reader<'_>, received: &[Timestamp]) -> Result<Self, Corrupt> {
        let rows = received.len();
        let mut names = RecordBatch::new();
        Ok(Self {
            times: times(reader, received)?,
            peers: peers(reader, rows)?,
            sources: sources(reader, rows, &mut names)?,
            tags: Repeated::of(tags(reader, rows, &mut names)?),
            names,
        })
    }

    /// Memory it takes, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val::<[Timestamp]>(&self.times)
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
