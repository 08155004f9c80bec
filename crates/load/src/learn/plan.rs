//! Which messages hold which needles: by their number, so that counts are known without looking.
//!
//! A needle stands once in each block of so many messages, at a place that depends on seed,
//! connection and block. Each connection counts its own messages from 0; counts of connections
//! add.

use std::collections::BTreeSet;

use crate::learn::error::Error;
use crate::learn::limits::{NEEDLE_BYTES_MAX, NEEDLES_MAX};
use crate::learn::reserved::{clean, is_distinguished, letter_runs};
use crate::learn::tables::{Style, Tables};
use crate::random::mix;

/// Words of standard needles, which occur nowhere else, not even in other words; those of `*ppl*`
/// and `us?r` are kept out by their letters.
pub(crate) const RESERVED_WORDS: [&str; 13] = [
    "zircon", "garnet", "topaz", "beryl", "jasper", "agate", "pearl", "coral", "lamp", "opal",
    "ruby", "jade", "amount",
];

/// Different values of the numbered words `opal0`, `ruby0` and so on.
pub(crate) const NUMBERED: u64 = 100;

/// The amount from which on a query looks for it.
pub(crate) const AMOUNT_LIMIT: u64 = 500;

/// The third byte of the network of clients that a query looks for. Not that of the addresses in
/// messages, or a wildcard would find both.
pub(crate) const CLIENT_NETWORK: u8 = 200;

/// Words of the structured data that is planted.
const DATA_WORDS: [&str; 2] = ["load", "client"];

/// What follows the text of a needle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    Nothing,
    /// A UUID, another one each time.
    Uuid,
    /// A number below this one, without zeros in front.
    Below(u64),
    /// Four digits.
    FourDigits,
    /// Not in the message but in structured data: `amount="n"` in these bounds.
    Amount(u64, u64),
    /// In structured data too: `client="172.31.n.m"` with this third byte.
    Client(u8),
}

/// A text and the messages it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needle {
    pub(crate) text: String,
    pub(crate) tail: Tail,
    /// By connection; the last one holds for all further ones.
    places: Vec<Places>,
}

/// Once in each block of so many messages, in so many blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) period: u64,
    pub(crate) blocks: u64,
}

/// Which needles are planted and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(crate) seed: u64,
    pub(crate) needles: Vec<Needle>,
}

impl Plan {
    /// No needles.
    pub fn empty(seed: u64) -> Self {
        Self {
            seed,
            needles: Vec::new(),
        }
    }

    /// The standard needles; see `docs/guide/load.md`. Those in structured data are planted only
    /// where messages have it.
    pub fn standard(seed: u64, style: Style) -> Self {
        let mut plan = Self::empty(seed);
        for (text, tail, period) in STANDARD {
            if tail.is_data() && style != Style::Rfc5424 {
                continue;
            }
            plan.needles.push(Needle {
                text: (*text).to_owned(),
                tail: *tail,
                places: vec![Places {
                    period: *period,
                    blocks: u64::MAX,
                }],
            });
        }
        plan
    }

    /// Plants a text in exactly so many messages, spread over all connections; `shares` are the
    /// messages that each of them will write.
    pub fn plant(
        &mut self,
        text: &str,
        count: u64,
        shares: &[u64],
        tables: &Tables,
    ) -> Result<(), Error> {
        let refuse = |reason| {
            Err(Error::Needle {
                needle: text.to_owned(),
                reason,
            })
        };
        if text.is_empty()
            || text.len() > NEEDLE_BYTES_MAX
            || text.contains(|c: char| c.is_control())
        {
            return refuse("a needle is a text of 1 to 1024 bytes on one line");
        }
        if self.needles.len() >= NEEDLES_MAX {
            return refuse("there are too many needles");
        }
        if clean(text) != text {
            return refuse("it holds a word of a standard needle");
        }
        let others: BTreeSet<String> = letter_runs(text).collect();
        let mut custom = self.needles.iter().filter(|n| !is_standard(&n.text));
        if custom.any(|needle| !is_distinguished(&needle.text, &others)) {
            return refuse("it could be taken for a needle before it");
        }
        let mut known = tables.letters.clone();
        known.extend(DATA_WORDS.map(str::to_owned));
        for needle in &self.needles {
            known.extend(letter_runs(&needle.text));
        }
        if !is_distinguished(text, &known) {
            return refuse(
                "other messages could hold it too; it needs a word of its own, of 3 letters or more, one a vowel",
            );
        }
        let total: u64 = shares.iter().sum();
        if count > total {
            return refuse("there are fewer messages than it should stand in");
        }
        let mut places = Vec::with_capacity(shares.len() + 1);
        let (mut messages, mut planted) = (0_u64, 0_u64);
        for share in shares {
            messages += share;
            let until = u128::from(count) * u128::from(messages) / u128::from(total.max(1));
            let until = u64::try_from(until).unwrap_or(count);
            let blocks = until - planted;
            planted = until;
            places.push(Places {
                period: share.checked_div(blocks).unwrap_or(1).max(1),
                blocks,
            });
        }
        // Connections that were not announced hold none.
        places.push(Places {
            period: 1,
            blocks: 0,
        });
        self.needles.push(Needle {
            text: text.to_owned(),
            tail: Tail::Nothing,
            places,
        });
        Ok(())
    }

    /// Where the needle stands in the messages of a connection.
    pub(crate) fn track(&self, needle: usize, connection: usize) -> Option<Track> {
        let places = &self.needles.get(needle)?.places;
        let places = places.get(connection).or(places.last())?;
        let salt = mix(self.seed ^ mix(connection as u64 ^ mix(needle as u64 + 1)));
        Some(Track {
            salt,
            places: *places,
        })
    }
}

/// Text, what follows it, and how many messages a block has.
const STANDARD: &[(&str, Tail, u64)] = &[
    ("zircon", Tail::Nothing, 1_000_000),
    ("garnet", Tail::Nothing, 100),
    ("topaz", Tail::Nothing, 10),
    ("apple", Tail::Nothing, 500),
    ("pineapple", Tail::Nothing, 800),
    ("applied", Tail::Nothing, 400),
    ("supplies", Tail::Nothing, 1_000),
    ("user", Tail::Nothing, 300),
    ("usar", Tail::Nothing, 900),
    ("uster", Tail::Nothing, 700),
    ("beryl gate is closed", Tail::Nothing, 2_000),
    ("beryl gate was closed", Tail::Nothing, 1_500),
    ("jasper", Tail::Nothing, 400),
    ("agate", Tail::Nothing, 450),
    ("pearl", Tail::Nothing, 500),
    ("coral", Tail::Nothing, 550),
    ("trace=", Tail::Uuid, 10_000),
    ("lamp-", Tail::FourDigits, 1_000),
    ("from 172.31.254.", Tail::Below(256), 600),
    ("opal", Tail::Below(NUMBERED), 50),
    ("ruby", Tail::Below(NUMBERED), 50),
    ("blackjade", Tail::Nothing, 2_500),
    ("", Tail::Amount(0, AMOUNT_LIMIT - 1), 50),
    ("", Tail::Amount(AMOUNT_LIMIT, 999), 250),
    ("", Tail::Client(CLIENT_NETWORK), 700),
    // Those that a query for the network must not find.
    ("", Tail::Client(CLIENT_NETWORK - 1), 350),
];

/// The places of a needle in the messages of one connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Track {
    salt: u64,
    places: Places,
}

impl Track {
    /// The number of the message in a block that holds the needle.
    pub(crate) fn place(&self, block: u64) -> Option<u64> {
        if block >= self.places.blocks {
            return None;
        }
        let wide = u128::from(mix(self.salt ^ mix(block))) * u128::from(self.places.period);
        let offset = u64::try_from(wide >> 64).unwrap_or(0);
        block.checked_mul(self.places.period)?.checked_add(offset)
    }

    /// The block that a message belongs to.
    pub(crate) fn block(&self, message: u64) -> u64 {
        message / self.places.period
    }

    /// Whether a message holds the needle.
    pub(crate) fn holds(&self, message: u64) -> bool {
        self.place(self.block(message)) == Some(message)
    }

    /// 64 bits that belong to the needle in a block.
    pub(crate) fn value(&self, block: u64) -> u64 {
        mix(self.salt.rotate_left(32) ^ mix(block ^ 0x5bf0_3635))
    }
}

impl Tail {
    /// Whether it stands in structured data.
    pub(crate) fn is_data(self) -> bool {
        matches!(self, Self::Amount(..) | Self::Client(_))
    }

    /// Appends what follows the text, for the bits of a block.
    pub(crate) fn write(self, value: u64, out: &mut Vec<u8>) {
        match self {
            Self::Nothing => {}
            Self::Uuid => uuid(value, out),
            Self::Below(end) => syslog::write::decimal(below(value, end), out),
            Self::FourDigits => syslog::write::padded(below(value, 10_000), 4, out),
            Self::Amount(first, last) => {
                out.extend_from_slice(b"amount=\"");
                syslog::write::decimal(first + below(value, last - first + 1), out);
                out.push(b'"');
            }
            Self::Client(third) => {
                out.extend_from_slice(b"client=\"172.31.");
                syslog::write::decimal(third.into(), out);
                out.push(b'.');
                syslog::write::decimal(below(value, 256), out);
                out.push(b'"');
            }
        }
    }
}

/// A number below `end` for 64 bits.
pub(crate) fn below(value: u64, end: u64) -> u64 {
    let wide = u128::from(value) * u128::from(end);
    u64::try_from(wide >> 64).unwrap_or(0)
}

/// Appends a UUID of version 4 for 64 bits: another one for each value.
pub(crate) fn uuid(value: u64, out: &mut Vec<u8>) {
    let mut digits = [0_u8; 32];
    digits_of(value, Alphabet::LowerHex, &mut digits);
    // Version and variant (RFC 9562 section 5.4).
    digits[12] = b'4';
    digits[16] = b"89ab"[usize::from(digits[16] & 3)];
    for (place, digit) in digits.iter().enumerate() {
        if matches!(place, 8 | 12 | 16 | 20) {
            out.push(b'-');
        }
        out.push(*digit);
    }
}

/// What digits are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alphabet {
    LowerHex,
    UpperHex,
    /// Digits, and letters of both cases without vowels, so that no word appears by chance.
    Code,
}

/// Fills in digits for 64 bits; the first 12 differ for almost each value.
pub(crate) fn digits_of(value: u64, alphabet: Alphabet, digits: &mut [u8]) {
    let (alphabet, width): (&[u8], u32) = match alphabet {
        Alphabet::LowerHex => (b"0123456789abcdef", 4),
        Alphabet::UpperHex => (b"0123456789ABCDEF", 4),
        Alphabet::Code => (b"BCDFGHJKLMNQRSTVWXYZbcdfghjkmz23", 5),
    };
    let mask = (1 << width) - 1;
    let mut seed = value;
    for chunk in digits.chunks_mut(12) {
        let mut bits = seed;
        for digit in chunk {
            let place = usize::try_from(bits & mask).unwrap_or(0);
            *digit = alphabet.get(place).copied().unwrap_or(b'0');
            bits >>= width;
        }
        seed = mix(seed ^ 0x1234_5678);
    }
}

/// Whether a text is that of a standard needle.
pub(crate) fn is_standard(text: &str) -> bool {
    STANDARD.iter().any(|(standard, ..)| *standard == text)
}
