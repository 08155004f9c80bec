//! Values that are the same but for their digits: integers, addresses, times, ports, versions.
//!
//! The digits of a value are cut from the rest: `10.0.0.1:80` has five runs of them, with `.`, `.`,
//! `.` and `:` between. Where the rest is the same in all values it is written once, and each run is
//! a series of integers. What zeros a run starts with is kept by its width: none where no value has
//! any, one width for all, or one for each. A `-` in front of a run that not all values have is the
//! sign of the numbers.
#![deny(clippy::indexing_slicing)]

use super::ColumnSummary;
use super::series::{self, Plan, Series};
use super::summary::spaces;
use crate::limits::{NUMBER_RUNS_MAX, PAGE_RAW_BYTES_MAX};
use crate::wire::{Reader, put_bytes, unzigzag, zigzag};
use crate::{Corrupt, column};

/// Digits of the largest number that a run may be.
const DIGITS_MAX: usize = 20;
/// Width byte of runs that start with no zeros, but for 0 itself.
const WIDTH_LEAST: u8 = 0;
/// Width byte of runs whose widths are a series of their own.
const WIDTH_VARIES: u8 = 0x7f;
/// Set in the width byte of numbers with a sign, which are zigzag coded.
const SIGNED: u8 = 0x80;

/// Values read as numbers, to be written.
#[derive(Debug)]
pub(super) struct Numbers<'a> {
    /// What stands before the first run, between each and the next, and behind the last, without a
    /// `-` in front of a run.
    fixed: Vec<&'a [u8]>,
    /// The same with the `-` that the first value has.
    fixed_of_first: Vec<&'a [u8]>,
    runs: Vec<Digits>,
    /// What the values are going to take after compression, roughly.
    pub(super) bytes: u64,
}

/// One run of digits in each value.
#[derive(Debug, Default)]
struct Digits {
    values: Vec<u64>,
    /// How many digits each has, once one starts with a zero that says nothing. Before, numbers
    /// tell.
    widths: Vec<u8>,
    /// The rows with a `-` in front.
    negative: Vec<usize>,
    /// Some rows have a `-` and others do not, so that the values are zigzag coded.
    is_signed: bool,
    /// Some value starts with a zero that says nothing.
    has_padding: bool,
    plan: Option<(Plan, Option<Plan>)>,
}

impl<'a> Numbers<'a> {
    /// Reads values; `None` where they differ in more than digits.
    pub(super) fn read(values: &[&'a [u8]]) -> Option<Self> {
        let mut numbers = Self::of_first(values.first()?, values.len())?;
        for value in values {
            numbers.push(value)?;
        }
        let fixed = numbers.fixed.iter_mut().zip(&numbers.fixed_of_first);
        for (run, (fixed, of_first)) in numbers.runs.iter_mut().zip(fixed) {
            if run.negative.len() == values.len() {
                *fixed = of_first;
            } else if !run.negative.is_empty() {
                run.make_signed()?;
            }
        }
        numbers.bytes = numbers.runs.iter_mut().map(Digits::judge).sum();
        Some(numbers)
    }

    fn of_first(value: &'a [u8], rows: usize) -> Option<Self> {
        let mut fixed_of_first = Vec::new();
        let mut rest = value;
        loop {
            let start = rest.iter().position(u8::is_ascii_digit);
            let (text, digits) = rest.split_at_checked(start.unwrap_or(rest.len()))?;
            fixed_of_first.push(text);
            if start.is_none() {
                break;
            }
            rest = digits.get(run_len(digits)..)?;
        }
        let run_count = fixed_of_first.len() - 1;
        let mut fixed = fixed_of_first.clone();
        for text in fixed.iter_mut().take(run_count) {
            *text = text.strip_suffix(b"-").unwrap_or(text);
        }
        let new_run = || Digits {
            values: Vec::with_capacity(rows),
            ..Digits::default()
        };
        (1..=NUMBER_RUNS_MAX).contains(&run_count).then(|| Self {
            fixed,
            fixed_of_first,
            runs: (0..run_count).map(|_| new_run()).collect(),
            bytes: 0,
        })
    }

    fn push(&mut self, value: &[u8]) -> Option<()> {
        let (first, others) = self.fixed.split_first()?;
        let mut rest = strip(value, first)?;
        for (run, fixed) in self.runs.iter_mut().zip(others) {
            if let [b'-', digits @ ..] = rest {
                run.negative.push(run.values.len());
                rest = digits;
            }
            rest = strip(run.push(rest)?, fixed)?;
        }
        rest.is_empty().then_some(())
    }

    /// Whether they are one number of one byte: numbers of what is different among them would be no
    /// smaller.
    pub(super) fn is_narrow(&self) -> bool {
        let [run] = self.runs.as_slice() else {
            return false;
        };
        let (min, max) = column::range(&run.values);
        max - min <= u64::from(u8::MAX) && run.width() != WIDTH_VARIES
    }

    /// Writes the values.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.runs.len() as u8);
        for fixed in &self.fixed {
            put_bytes(fixed, out);
        }
        for run in &self.runs {
            run.encode(out);
        }
    }
}

/// What is behind a fixed text, which mostly is so short that a comparison of slices would take
/// several times as long.
#[inline]
fn strip<'v>(value: &'v [u8], fixed: &[u8]) -> Option<&'v [u8]> {
    match fixed {
        [] => Some(value),
        [byte] => value
            .split_first()
            .filter(|(first, _)| *first == byte)
            .map(|(_, rest)| rest),
        _ => value.strip_prefix(fixed),
    }
}

fn run_len(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(bytes.len())
}

/// The number of more digits than always fit; `None` where they do not.
#[cold]
fn checked_value(digits: &[u8]) -> Option<u64> {
    if digits.len() > DIGITS_MAX {
        return None;
    }
    let mut digits = digits.iter().map(|byte| u64::from(byte - b'0'));
    digits.try_fold(0_u64, |value, digit| {
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Digits of a number.
fn width_of(value: u64) -> u8 {
    value.checked_ilog10().unwrap_or_default() as u8 + 1
}

impl Digits {
    /// Takes the digits at the start of a text, at least one; what is behind them.
    #[inline]
    fn push<'v>(&mut self, text: &'v [u8]) -> Option<&'v [u8]> {
        let mut value = 0_u64;
        let mut len = 0;
        for byte in text {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            len += 1;
        }
        // Nineteen digits always fit.
        if len >= DIGITS_MAX {
            value = checked_value(text.get(..len)?)?;
        }
        if len == 0 {
            return None;
        }
        if len > 1 && text.first() == Some(&b'0') && !self.has_padding {
            self.has_padding = true;
            self.widths.reserve(self.values.capacity());
            self.widths
                .extend(self.values.iter().map(|value| width_of(*value)));
        }
        if self.has_padding {
            self.widths.push(len as u8);
        }
        self.values.push(value);
        text.get(len..)
    }

    /// Makes zigzag codes of the values; `None` where one has none: -0, or more than 63 bits.
    fn make_signed(&mut self) -> Option<()> {
        let mut negative = self.negative.iter().copied().peekable();
        for (row, value) in self.values.iter_mut().enumerate() {
            let number = i64::try_from(*value).ok()?;
            let is_negative = negative.next_if_eq(&row).is_some();
            if is_negative && number == 0 {
                return None;
            }
            *value = zigzag(if is_negative { -number } else { number });
        }
        self.is_signed = true;
        Some(())
    }

    /// The width byte, without the sign.
    fn width(&self) -> u8 {
        let first = self.widths.first().copied().unwrap_or_default();
        if !self.has_padding {
            WIDTH_LEAST
        } else if self.widths.iter().all(|width| *width == first) {
            first
        } else {
            WIDTH_VARIES
        }
    }

    fn judge(&mut self) -> u64 {
        let values = series::plan(&self.values);
        let varies = self.width() == WIDTH_VARIES;
        let widths = varies.then(|| series::plan(&self.wide_widths()));
        self.plan = Some((values, widths));
        values.bytes + widths.map_or(0, |plan| plan.bytes)
    }

    fn wide_widths(&self) -> Vec<u64> {
        self.widths.iter().map(|width| u64::from(*width)).collect()
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let Some((values, widths)) = self.plan else {
            return;
        };
        out.push(self.width() | if self.is_signed { SIGNED } else { 0 });
        if let Some(widths) = widths {
            series::encode(&self.wide_widths(), widths, out);
        }
        series::encode(&self.values, values, out);
    }
}

/// Values that are the same but for numbers, decoded.
#[derive(Clone, Debug)]
pub(super) struct NumberColumn {
    before: Box<[u8]>,
    runs: Box<[Run]>,
}

#[derive(Clone, Debug)]
struct Run {
    is_signed: bool,
    width: Width,
    values: Series,
    /// What stands behind it.
    behind: Box<[u8]>,
}

#[derive(Clone, Debug)]
enum Width {
    /// At least so many digits.
    AtLeast(usize),
    /// For each value so many.
    Each(Series),
}

impl NumberColumn {
    /// Reads what [`Numbers::encode`] wrote of `rows` values. The caller bounds them.
    pub(super) fn decode(reader: &mut Reader<'_>, rows: usize) -> Result<Self, Corrupt> {
        let run_count = usize::from(reader.byte()?);
        if !(1..=NUMBER_RUNS_MAX).contains(&run_count) {
            return Err(Corrupt::Invalid {
                what: "number of runs of digits",
                value: run_count as u64,
            });
        }
        let mut fixed = || -> Result<Box<[u8]>, Corrupt> {
            let len = reader.count("length of a fixed text", PAGE_RAW_BYTES_MAX)?;
            Ok(reader.bytes(len)?.into())
        };
        let before = fixed()?;
        let mut behind = Vec::with_capacity(run_count);
        for _ in 0..run_count {
            behind.push(fixed()?);
        }
        let mut runs = Vec::with_capacity(run_count);
        for behind in behind {
            runs.push(Run::decode(reader, rows, behind)?);
        }
        Ok(Self {
            before,
            runs: runs.into(),
        })
    }

    /// Whether some values have a `-` in front of a run and others do not.
    pub(super) fn have_signs(&self) -> bool {
        self.runs.iter().any(|run| run.is_signed)
    }

    /// Adds what is known of all values.
    pub(super) fn summarise(&self, summary: &mut ColumnSummary) {
        let mut stretches = vec![first_byte(&self.before)];
        for run in &self.runs {
            stretches.push(if run.is_signed {
                b"0123456789-"
            } else {
                b"0123456789"
            });
            stretches.push(&run.behind);
        }
        stretches.push(&self.before);
        summary.add_stretches(&stretches);
    }

    /// How many spaces each value has.
    pub(super) fn spaces(&self) -> usize {
        let behind = self.runs.iter().map(|run| spaces(&run.behind));
        spaces(&self.before) + behind.sum::<usize>()
    }

    /// The text of all values but for their digits, where all have as many of them in each run.
    pub(super) fn shape(&self) -> Option<Vec<u8>> {
        let mut shape = self.before.to_vec();
        for run in &self.runs {
            let digits = run.digits()?;
            shape.resize(shape.len() + digits, b'0');
            shape.extend_from_slice(&run.behind);
        }
        Some(shape)
    }

    /// The number that a value is, where it is one and nothing else.
    pub(super) fn integer(&self, index: usize) -> Option<i64> {
        let run = self.number().filter(|run| index < run.values.len())?;
        let number = run.values.get(index);
        if run.is_signed {
            return Some(unzigzag(number));
        }
        i64::try_from(number).ok()
    }

    /// The numbers that all values are, where they are numbers of 32 bits and nothing else.
    pub(super) fn integers(&self) -> Option<Vec<i64>> {
        let run = self.number()?;
        let numbers = run.narrow()?.into_iter().map(u64::from);
        Some(match run.is_signed {
            true => numbers.map(unzigzag).collect(),
            false => numbers.map(u64::cast_signed).collect(),
        })
    }

    /// The whole parts of all values, where each is digits, a point and digits, and no part has more than 32 bits.
    pub(super) fn whole_parts(&self) -> Option<Vec<u32>> {
        let [whole, fraction] = &*self.runs else {
            return None;
        };
        let is_decimal =
            self.before.is_empty() && *whole.behind == *b"." && fraction.behind.is_empty();
        if !is_decimal || whole.is_signed || fraction.is_signed {
            return None;
        }
        whole.narrow()
    }

    /// The run of digits, where the values have one and nothing else.
    fn number(&self) -> Option<&Run> {
        match &*self.runs {
            [run] if self.before.is_empty() && run.behind.is_empty() => Some(run),
            _ => None,
        }
    }

    /// A number that a value has and no other, where the values differ in one run of digits alone.
    pub(super) fn key(&self, index: usize) -> Option<u64> {
        match &self.runs[..] {
            [run] if matches!(run.width, Width::AtLeast(_)) => Some(run.values.get(index)),
            _ => None,
        }
    }

    /// Appends a value.
    pub(super) fn append(&self, index: usize, out: &mut Vec<u8>) {
        put_few(&self.before, out);
        for run in &self.runs {
            run.append(index, out);
        }
    }
}

/// The first byte as a text; of no bytes, none.
fn first_byte(bytes: &[u8]) -> &[u8] {
    bytes.get(..1).unwrap_or_default()
}

impl Run {
    /// The numbers as they are kept, where none has more than 32 bits or the highest of 32.
    fn narrow(&self) -> Option<Vec<u32>> {
        let mut narrow = Vec::with_capacity(self.values.len());
        self.values.narrow_into(&mut narrow);
        // That one may stand for any larger one.
        (!narrow.contains(&u32::MAX)).then_some(narrow)
    }

    /// Appends the digits of a value, and what stands behind them.
    fn append(&self, index: usize, out: &mut Vec<u8>) {
        let width = match &self.width {
            Width::AtLeast(width) => *width,
            Width::Each(widths) => widths.get(index) as usize,
        };
        self.put(self.values.get(index), width, out);
    }

    /// Appends a number, as it is stored, of at least so many digits, and what stands behind it.
    #[inline]
    fn put(&self, mut number: u64, width: usize, out: &mut Vec<u8>) {
        if self.is_signed {
            let signed = unzigzag(number);
            number = signed.unsigned_abs();
            if signed < 0 {
                out.push(b'-');
            }
        }
        append_decimal(number, width, out);
        put_few(&self.behind, out);
    }

    /// How many digits its numbers have, where all have as many and none has a sign.
    fn digits(&self) -> Option<usize> {
        let Width::AtLeast(width) = self.width else {
            return None;
        };
        let numbers = (0..self.values.len()).map(|index| self.values.get(index));
        let (least, most) = numbers.fold((u64::MAX, 0), |(least, most), number| {
            (least.min(number), most.max(number))
        });
        let len = |number: u64| {
            let digits = number.checked_ilog10().map_or(1, |log| log as usize + 1);
            digits.max(width).min(DIGITS_MAX)
        };
        (!self.is_signed && len(least) == len(most)).then(|| len(most))
    }

    fn decode(reader: &mut Reader<'_>, rows: usize, behind: Box<[u8]>) -> Result<Self, Corrupt> {
        let byte = reader.byte()?;
        let width = match byte & !SIGNED {
            WIDTH_VARIES => {
                let widths = Series::decode(reader, rows)?;
                widths.check("width of a number", DIGITS_MAX as u64)?;
                Width::Each(widths)
            }
            width if usize::from(width) <= DIGITS_MAX => Width::AtLeast(usize::from(width)),
            width => {
                return Err(Corrupt::Invalid {
                    what: "width of numbers",
                    value: u64::from(width),
                });
            }
        };
        Ok(Self {
            is_signed: byte & SIGNED != 0,
            width,
            values: Series::decode(reader, rows)?,
            behind,
        })
    }
}

/// Appends what is mostly no byte or one, which takes less than to call a copy.
#[inline]
fn put_few(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes {
        [] => {}
        [byte] => out.push(*byte),
        _ => out.extend_from_slice(bytes),
    }
}

/// Appends a number with at least so many digits, at most [`DIGITS_MAX`].
fn append_decimal(mut value: u64, digits_min: usize, out: &mut Vec<u8>) {
    if value < 10 && digits_min <= 1 {
        return out.push(b'0' + value as u8);
    }
    let mut digits = [b'0'; DIGITS_MAX];
    let mut len = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
        len += 1;
        if value == 0 {
            break;
        }
    }
    let len = len.max(digits_min).min(DIGITS_MAX);
    out.extend_from_slice(digits.get(DIGITS_MAX - len..).unwrap_or(&[]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::assert_values;

    fn is_read(values: &[&str]) -> bool {
        let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
        let Some(numbers) = Numbers::read(&values) else {
            return false;
        };
        let mut out = Vec::new();
        numbers.encode(&mut out);
        let mut reader = Reader::new("test", &out);
        let column = NumberColumn::decode(&mut reader, values.len()).expect("valid");
        assert_eq!(reader.finish(), Ok(()));
        assert_values(&values, |index, out| column.append(index, out));
        for (index, value) in values.iter().enumerate() {
            let text = std::str::from_utf8(value).expect("UTF-8");
            if let Some(number) = column.integer(index) {
                assert_eq!(text.parse(), Ok(number));
            }
        }
        assert_eq!(column.integer(values.len()), None);
        true
    }

    #[test]
    fn numbers_alone_are_integers() {
        for (values, integers) in [
            (["0", "7", "18446744073709551615"], [Some(0), Some(7), None]),
            (["007", "010", "999"], [Some(7), Some(10), Some(999)]),
            (["-5", "0", "17"], [Some(-5), Some(0), Some(17)]),
            (["0.5", "12.25", "3.075"], [None; 3]),
            (["-1", "-2", "-3"], [None; 3]),
            (["1s", "2s", "3s"], [None; 3]),
        ] {
            let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
            let mut out = Vec::new();
            Numbers::read(&values).expect("numbers").encode(&mut out);
            let column = NumberColumn::decode(&mut Reader::new("test", &out), 3).expect("valid");
            let found = [0, 1, 2].map(|index| column.integer(index));
            assert_eq!(found, integers, "{values:?}");
        }
    }

    #[test]
    fn what_differs_in_digits_is_numbers() {
        for values in [
            ["0", "7", "18446744073709551615"],
            ["007", "010", "999"],
            ["0.5", "12.25", "3.075"],
            ["10.0.0.1:80", "192.168.1.200:65535", "0.0.0.0:0"],
            ["pts/0", "pts/1", "pts/12"],
            ["12:34:56.000001Z", "23:59:59.999999Z", "00:00:00.500000Z"],
            ["00", "0", "000"],
            ["-5", "0", "17"],
            ["5", "-9223372036854775807", "9223372036854775807"],
            ["blk_-16", "blk_8", "blk_-3"],
            ["-1", "-2", "-0"],
            ["2026-11-22", "2026-01-02", "2025-12-31"],
            ["1--2", "1-3", "5--7"],
        ] {
            assert!(is_read(&values), "{values:?}");
        }
    }

    #[test]
    fn all_else_is_not() {
        for values in [
            ["a", "b"],
            ["", "1"],
            ["1", ""],
            ["1a", "1b"],
            ["1", "1 "],
            ["1.2", "1"],
            ["1", "18446744073709551616"],
            ["1", "000000000000000000001"],
            ["1", "-0"],
            ["-1", "9223372036854775808"],
            [
                "1.2.3.4.5.6.7.8.9.10.11.12.13",
                "1.2.3.4.5.6.7.8.9.10.11.12.13",
            ],
        ] {
            assert!(!is_read(&values), "{values:?}");
        }
    }
}
