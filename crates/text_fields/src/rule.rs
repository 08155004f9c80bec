//! What the bytes at a place of a text may be so that all else that is found in it stays the same.

use crate::pairs::is_key_byte;

/// How a stretch of a text was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It decides: other bytes give other fields.
    Fixed,
    /// It was not understood well enough to say.
    Unknown,
    /// What holds parts together; its parts are said beside it, and all else of it is fixed.
    Frame,
    /// Bytes that may stand in a name, and in any value without quotes.
    Key,
    /// What stands between double quotes.
    Quoted,
    /// What stands between single quotes.
    Single,
    /// A word of an access log.
    Word,
    /// The request of an access log, which is cut at spaces.
    Request,
    /// Digits where digits are; the rest as it is.
    Like,
    /// Digits, or `-`.
    NumberOrDash,
    /// A number, `true` or `false` in JSON.
    Scalar,
    /// What lies between fields.
    Gap,
}

/// Bytes, one bit each: bit `byte % 64` of number `byte / 64`.
pub type Bytes = [u64; 4];

/// What is known of all values at a place. What takes a look at each is asked for where a rule needs it.
pub trait Summary {
    /// The bytes that they may have.
    fn bytes(&self) -> Bytes;

    /// The bytes that they may start with.
    fn first(&self) -> Bytes;

    /// Whether one may be empty.
    fn has_empty(&self) -> bool;

    /// How many spaces each has at least.
    fn spaces_min(&self) -> usize;

    /// Whether all of them are known to be this, with `0` for each digit.
    fn are_like(&self, shape: &[u8]) -> bool;
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The bytes that it may have.
    allowed: Bytes,
    may_be_empty: bool,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Any,
    /// This, with `0` for each digit.
    Like(Box<[u8]>),
    /// As it says.
    NumberOrDash,
    Scalar,
    /// Three parts with spaces between.
    Request,
}

/// Spaces of a request, at least.
const REQUEST_SPACES_MIN: usize = 2;

impl Rule {
    /// A rule that all values keep but for a bar, which may make an event of a text.
    pub(crate) fn new() -> Self {
        Self {
            allowed: set(|byte| byte != b'|'),
            may_be_empty: true,
            form: Form::Any,
        }
    }

    /// Adds what follows from a part that the values are in; `is_all_of_it` says that they are the
    /// whole part, `value` is one of them. `None` where no other value is known to be as good.
    pub(crate) fn and(mut self, part: Part, value: &[u8], is_all_of_it: bool) -> Option<Self> {
        let (allowed, may_be_empty) = match part {
            Part::Fixed | Part::Unknown => return None,
            Part::Frame => return Some(self),
            Part::Key => (set(is_key_byte), false),
            Part::Quoted => (set(|byte| !matches!(byte, b'"' | b'\\')), true),
            Part::Single => (set(|byte| !matches!(byte, b'\'' | b'"' | b'=')), true),
            Part::Word => (
                set(|byte| byte > b' ' && !matches!(byte, b'"' | b'[' | b'\\')),
                false,
            ),
            Part::Request if is_all_of_it => {
                self.form = Form::Request;
                (set(|byte| !matches!(byte, b'"' | b'\\')), false)
            }
            Part::Request => (
                set(|byte| byte > b' ' && !matches!(byte, b'"' | b'\\')),
                false,
            ),
            Part::Gap => (
                set(|byte| !matches!(byte, b'=' | b'{' | b'}' | b'"' | b'\\')),
                false,
            ),
            Part::Like => {
                self.form = Form::Like(shape_of(value));
                (set(|_| true), false)
            }
            Part::NumberOrDash | Part::Scalar if !is_all_of_it => {
                (set(|byte| byte.is_ascii_digit()), false)
            }
            Part::NumberOrDash => {
                self.form = Form::NumberOrDash;
                (set(|byte| byte.is_ascii_digit() || byte == b'-'), false)
            }
            Part::Scalar => {
                self.form = Form::Scalar;
                (set(is_scalar_byte), false)
            }
        };
        for (own, other) in self.allowed.iter_mut().zip(allowed) {
            *own &= other;
        }
        self.may_be_empty &= may_be_empty;
        Some(self)
    }

    /// Whether a value keeps it.
    pub fn holds(&self, value: &[u8]) -> bool {
        if value.is_empty() {
            return self.may_be_empty;
        }
        let is_allowed = value.iter().all(|byte| has(&self.allowed, *byte));
        is_allowed
            && match &self.form {
                Form::Any => true,
                Form::Like(shape) => {
                    let mut pairs = value.iter().zip(shape);
                    value.len() == shape.len()
                        && pairs.all(|(byte, own)| digit_as_zero(*byte) == *own)
                }
                Form::Request => {
                    let spaces = value.iter().filter(|byte| **byte == b' ');
                    spaces.count() >= REQUEST_SPACES_MIN
                }
                Form::NumberOrDash => value == b"-" || value.iter().all(u8::is_ascii_digit),
                Form::Scalar => match value {
                    b"true" | b"false" => true,
                    [b'-', rest @ ..] => rest.first().is_some_and(u8::is_ascii_digit),
                    _ => value.first().is_some_and(u8::is_ascii_digit),
                },
            }
    }

    /// Whether all values keep it of which this is known; `false` also where that cannot be told.
    pub fn holds_for(&self, all: &impl Summary) -> bool {
        let within = |bytes: &Bytes, outer: &Bytes| {
            let mut pairs = bytes.iter().zip(outer);
            pairs.all(|(own, outer)| own & !outer == 0)
        };
        let digits = set(|byte| byte.is_ascii_digit());
        within(&all.bytes(), &self.allowed)
            && (self.may_be_empty || !all.has_empty())
            && match &self.form {
                Form::Any => true,
                Form::Like(shape) => all.are_like(shape),
                Form::Request => all.spaces_min() >= REQUEST_SPACES_MIN,
                Form::NumberOrDash => within(&all.bytes(), &digits),
                Form::Scalar => within(&all.first(), &digits),
            }
    }
}

fn is_scalar_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

fn digit_as_zero(byte: u8) -> u8 {
    if byte.is_ascii_digit() { b'0' } else { byte }
}

fn shape_of(value: &[u8]) -> Box<[u8]> {
    value.iter().copied().map(digit_as_zero).collect()
}

fn has(bytes: &Bytes, byte: u8) -> bool {
    let word = bytes.get(usize::from(byte / 64)).copied();
    word.unwrap_or_default() >> (byte % 64) & 1 == 1
}

fn set(is_in: impl Fn(u8) -> bool) -> Bytes {
    let mut bytes = Bytes::default();
    for byte in (0..=u8::MAX).filter(|byte| is_in(*byte)) {
        if let Some(word) = bytes.get_mut(usize::from(byte / 64)) {
            *word |= 1 << (byte % 64);
        }
    }
    bytes
}
