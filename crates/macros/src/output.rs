//! The bytes that a template makes, bounded. What functions need for themselves stands behind what is
//! made already and is taken away again, so that nothing is allocated.

use crate::limits::OUTPUT_BYTES_MAX;

/// A vector that grows up to a bound.
#[derive(Debug)]
pub(crate) struct Output<'o> {
    bytes: &'o mut Vec<u8>,
    end_max: usize,
    is_full: bool,
}

impl<'o> Output<'o> {
    pub(crate) fn new(bytes: &'o mut Vec<u8>) -> Self {
        let end_max = bytes.len().saturating_add(OUTPUT_BYTES_MAX);
        Self {
            bytes,
            end_max,
            is_full: false,
        }
    }

    /// Whether something did not fit.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.bytes.len() + bytes.len() > self.end_max {
            self.is_full = true;
            return;
        }
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.push(&[byte]);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What was made from a place on.
    pub(crate) fn since(&self, start: usize) -> &[u8] {
        self.bytes.get(start..).unwrap_or_default()
    }

    /// The same, to be changed in place.
    pub(crate) fn since_mut(&mut self, start: usize) -> &mut [u8] {
        self.bytes.get_mut(start..).unwrap_or_default()
    }

    /// Takes back what was made from a place on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Takes away a stretch in the middle.
    pub(crate) fn remove(&mut self, start: usize, end: usize) {
        let end = end.min(self.bytes.len());
        if start < end {
            self.bytes.drain(start..end);
        }
    }

    /// Appends a copy of a stretch that was made.
    pub(crate) fn repeat(&mut self, start: usize, end: usize) {
        let end = end.min(self.bytes.len());
        if start >= end {
            return;
        }
        if self.bytes.len() + (end - start) > self.end_max {
            self.is_full = true;
            return;
        }
        self.bytes.extend_from_within(start..end);
    }

    /// Puts other bytes in place of all that was made from a place on.
    pub(crate) fn replace(&mut self, start: usize, bytes: &[u8]) {
        self.truncate(start);
        self.push(bytes);
    }

    /// Appends a number.
    pub(crate) fn decimal(&mut self, number: u64) {
        self.padded(number, 1);
    }

    /// Appends a number with zeros in front.
    pub(crate) fn padded(&mut self, mut number: u64, digits_min: usize) {
        let mut digits = [b'0'; 20];
        let mut start = digits.len();
        for (at, digit) in digits.iter_mut().enumerate().rev() {
            if number == 0 {
                break;
            }
            *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
            start = at;
        }
        let start = start.min(digits.len() - digits_min.min(digits.len()));
        self.push(digits.get(start..).unwrap_or_default());
    }

    /// Appends a number that may be below zero.
    pub(crate) fn signed(&mut self, number: i64) {
        if number < 0 {
            self.byte(b'-');
        }
        self.decimal(number.unsigned_abs());
    }
}
