//! Received pages: the first time, and how much later each further one is, in the largest unit of which all are
//! multiples.
//!
//! ```text
//! page = unit (u8), as the form of times; zigzag of the first time; column of the steps
//! ```
#![deny(clippy::indexing_slicing)]

use model::Timestamp;
use model::limits::BATCH_RECORDS_MAX;

use super::check_count;
use crate::Corrupt;
use crate::column::{self, Packed};
use crate::page::{PageEntry, open};
use crate::rows::TimeForm;
use crate::wire::{Reader, put_varint, unzigzag, zigzag};

/// Of so many times of receipt one is known without those before it.
const MARK_ROWS: usize = 16;

/// Appends a page of times, which do not go back; others are kept as well, in more bytes.
pub(crate) fn encode_page(received: &[Timestamp], out: &mut Vec<u8>) {
    let unit = TimeForm::largest(|| received.iter().map(|time| time.nanos()));
    let in_units = |time: &Timestamp| unit.in_units(time.nanos());
    out.push(unit as u8);
    put_varint(zigzag(received.first().map_or(0, in_units)), out);
    let later = received.iter().skip(1);
    let steps = received.iter().zip(later);
    let steps = steps.map(|(time, later)| in_units(later).wrapping_sub(in_units(time)) as u64);
    column::encode(&steps.collect::<Vec<_>>(), out);
}

/// Reads a page of so many times.
pub(crate) fn decode_page(bytes: &[u8], rows: usize) -> Result<Vec<Timestamp>, Corrupt> {
    Steps::decode(bytes, rows).map(|steps| steps.all())
}

/// Times of receipt that are looked up one by one.
#[derive(Clone, Debug)]
pub struct ReceivedTimes(Form);

#[derive(Clone, Debug)]
enum Form {
    Each(Vec<Timestamp>),
    /// As they are written, which takes half of that or less, and each [`MARK_ROWS`]-th.
    Packed(Steps, Vec<i64>),
}

impl ReceivedTimes {
    /// These.
    pub fn of(times: Vec<Timestamp>) -> Self {
        Self(Form::Each(times))
    }

    /// Reads a received page from its stored bytes, for few looks.
    ///
    /// # Errors
    /// When the bytes are not what was written.
    pub fn decode(entry: &PageEntry, stored: &[u8]) -> Result<Self, Corrupt> {
        let bytes = open("received page", entry, stored)?;
        let steps = Steps::decode(&bytes, entry.rows as usize)?;
        let marks = steps.marks();
        Ok(Self(Form::Packed(steps, marks)))
    }

    /// The same for looks at most of them.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        match &self.0 {
            Form::Each(_) => self.clone(),
            Form::Packed(steps, _) => Self::of(steps.all()),
        }
    }

    /// The time of a row.
    pub fn get(&self, row: usize) -> Option<Timestamp> {
        match &self.0 {
            Form::Each(times) => times.get(row).copied(),
            Form::Packed(steps, marks) => {
                if row > steps.steps.len() {
                    return None;
                }
                let marked = row / MARK_ROWS;
                let later = steps.steps.sum(marked * MARK_ROWS..row);
                Some(steps.behind(*marks.get(marked)?, later))
            }
        }
    }

    /// How many rows were received before a time, where none was received before the one before it.
    pub fn count_before(&self, time: Timestamp) -> usize {
        match &self.0 {
            Form::Each(times) => times.partition_point(|received| *received < time),
            Form::Packed(steps, marks) => {
                let is_before = |mark: &i64| steps.behind(*mark, 0) < time;
                let Some(last) = marks.partition_point(is_before).checked_sub(1) else {
                    return 0;
                };
                let mut count = last * MARK_ROWS + 1;
                while self.get(count).is_some_and(|received| received < time) {
                    count += 1;
                }
                count
            }
        }
    }

    /// Memory they take, in bytes.
    pub fn memory_bytes(&self) -> usize {
        match &self.0 {
            Form::Each(times) => size_of_val::<[Timestamp]>(times),
            Form::Packed(steps, marks) => steps.steps.memory_bytes() + size_of_val::<[i64]>(marks),
        }
    }
}

/// A time, and how much later each further one is than the one before.
#[derive(Clone, Debug)]
struct Steps {
    unit: TimeForm,
    /// The first time, in units.
    first: i64,
    steps: Packed,
}

impl Steps {
    /// Reads those of so many times, one at least.
    fn decode(bytes: &[u8], rows: usize) -> Result<Self, Corrupt> {
        check_count(rows, BATCH_RECORDS_MAX)?;
        let Some(later) = rows.checked_sub(1) else {
            return Err(Corrupt::Short {
                what: "times of receipt",
            });
        };
        let mut reader = Reader::new("times of receipt", bytes);
        let unit = TimeForm::decode(&mut reader)?;
        if unit == TimeForm::Received {
            return Err(Corrupt::Invalid {
                what: "unit of times of receipt",
                value: unit as u64,
            });
        }
        let first = unzigzag(reader.varint()?);
        let steps = Packed::decode(&mut reader, later)?;
        reader.finish()?;
        Ok(Self { unit, first, steps })
    }

    /// The time that is so many units behind another, which is in units as well.
    fn behind(&self, time: i64, later: u64) -> Timestamp {
        let time = time.wrapping_add(later as i64);
        Timestamp::from_nanos(time.wrapping_mul(self.unit.nanos()))
    }

    /// All times.
    fn all(&self) -> Vec<Timestamp> {
        let mut times = Vec::with_capacity(self.steps.len() + 1);
        let mut later = 0_u64;
        times.push(self.behind(self.first, later));
        self.steps.each(|step| {
            later = later.wrapping_add(step);
            times.push(self.behind(self.first, later));
        });
        times
    }

    /// Each [`MARK_ROWS`]-th time from the first on, in units.
    fn marks(&self) -> Vec<i64> {
        let rows = self.steps.len() + 1;
        let mut marks = Vec::with_capacity(rows.div_ceil(MARK_ROWS));
        let mut time = self.first;
        for row in (0..rows).step_by(MARK_ROWS) {
            marks.push(time);
            let later = self.steps.sum(row..row + MARK_ROWS);
            time = time.wrapping_add(later as i64);
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageWriter;
    use proptest::prelude::*;

    /// A page of so many times.
    fn page(raw: &[u8], rows: usize) -> ReceivedTimes {
        let mut file = Vec::new();
        let placed = PageWriter::new(1).append(raw, &mut file);
        let entry = PageEntry {
            rows: rows as u32,
            ..placed
        };
        ReceivedTimes::decode(&entry, &file).expect("valid")
    }

    /// The same times in each form.
    fn forms(times: &[Timestamp]) -> Vec<ReceivedTimes> {
        let mut raw = Vec::new();
        encode_page(times, &mut raw);
        let own = page(&raw, times.len());
        vec![own.unpacked(), own, ReceivedTimes::of(times.to_vec())]
    }

    proptest! {
        #[test]
        fn times_are_looked_up_without_the_others(
            nanos in prop::collection::vec(any::<i64>(), 1..200),
            shift in 0..64_u32,
            unit in prop::sample::select(vec![1, 1_000, 1_000_000, 1_000_000_000]),
            sought in any::<i64>(),
        ) {
            let time = |nanos: i64| Timestamp::from_nanos((nanos >> shift) / unit * unit);
            let mut times: Vec<_> = nanos.iter().map(|nanos| time(*nanos)).collect();
            for form in forms(&times) {
                let found: Vec<_> = (0..times.len()).filter_map(|row| form.get(row)).collect();
                prop_assert_eq!(&found, &times);
                prop_assert_eq!(form.get(times.len()), None);
            }
            let mut raw = Vec::new();
            encode_page(&times, &mut raw);
            prop_assert_eq!(decode_page(&raw, times.len()), Ok(times.clone()));
            times.sort();
            let among = times.get(sought as usize % times.len()).copied();
            for form in forms(&times) {
                for time in among.into_iter().chain([time(sought)]) {
                    let expected = times.iter().filter(|own| **own < time).count();
                    prop_assert_eq!(form.count_before(time), expected);
                }
            }
        }

        #[test]
        fn any_bytes_are_survived(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            rows in 0..9_usize,
        ) {
            if let Ok(times) = decode_page(&bytes, rows) {
                prop_assert_eq!(times.len(), rows);
            }
        }
    }

    #[test]
    fn what_has_a_unit_takes_few_bytes() {
        let micros = (0..1_000_i64).map(|row| row * 26_000 + row * row % 7_919);
        let times: Vec<_> = micros
            .map(|micros| Timestamp::from_nanos(micros * 1_000))
            .collect();
        let mut raw = Vec::new();
        encode_page(&times, &mut raw);
        assert!(raw.len() < 2 * times.len() + 16, "{} bytes", raw.len());
    }
}
