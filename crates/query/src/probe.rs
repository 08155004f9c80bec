//! What an index of words can say about a leaf without seeing the text.
//!
//! Words are those of [`model::words`], folded. Where a leaf matches a text,
//! each of its probes is met by some word of that same text; so rows that lack one can be left out.
//!
//! A literal is cut into its words. A word with a byte around it that is no word byte, inside the
//! literal or because a match cuts no word at its ends, is a whole word of the text; at the edge of
//! a wildcard, which may run on over word bytes, it is only the start, the end or the inside of one.

mod addresses;
mod wildcards;

use std::net::IpAddr;
use std::ops::Range;

use memchr::memmem;
use model::addresses::AddressKey;
use model::words::{Alphabet, fold, is_of_words, word_ranges};

use crate::Tokens;
use crate::ast::{Leaf, Network, Pattern, Piece, RegexPattern, Test};
use crate::required::Required;

pub use wildcards::WordPattern;

/// Shortest part of a word that an expression is looked up by: too many words have a shorter one.
const PART_BYTES_MIN: usize = 3;

/// A condition on a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WordProbe {
    /// The word is this.
    Exact(Vec<u8>),
    /// The word starts with this.
    Prefix(Vec<u8>),
    /// The word ends with this.
    Suffix(Vec<u8>),
    /// The word holds this.
    Contains(Vec<u8>),
    /// The word is this, with wildcards in it.
    Pattern(WordPattern),
    /// No word: an address of the text, or the start of one ([`model::addresses`]), starts with these numbers.
    /// Only where a probe is of an index that has addresses ([`Probe::with_addresses`]).
    Address(AddressKey),
}

impl WordProbe {
    /// Bytes that every word, or key of an address, starts with which meets it.
    pub fn prefix(&self) -> &[u8] {
        match self {
            Self::Exact(bytes) | Self::Prefix(bytes) => bytes,
            Self::Suffix(_) | Self::Contains(_) => &[],
            Self::Pattern(pattern) => pattern.prefix(),
            Self::Address(key) => key.digits(),
        }
    }

    /// Bytes that every word, or key of an address, holds which meets it.
    pub fn letters(&self) -> &[u8] {
        match self {
            Self::Exact(bytes)
            | Self::Prefix(bytes)
            | Self::Suffix(bytes)
            | Self::Contains(bytes) => bytes,
            Self::Pattern(pattern) => pattern.letters(),
            Self::Address(key) => key.digits(),
        }
    }

    /// Whether it is a look-up: a term or, of addresses, terms beside each other, and no search among words.
    pub fn is_look_up(&self) -> bool {
        matches!(self, Self::Exact(_) | Self::Address(_))
    }

    /// The same as [`Self::matches`], made ready to be asked of many words.
    pub fn search(&self) -> impl Fn(&[u8]) -> bool + '_ {
        let finder = match self {
            Self::Contains(bytes) => Some(memmem::Finder::new(bytes)),
            _ => None,
        };
        move |word| match &finder {
            Some(finder) => finder.find(word).is_some(),
            None => self.matches(word),
        }
    }

    /// Whether all words meet it that start so and go on with bytes of an alphabet, one at least; `None` where some
    /// may and others not.
    pub fn is_met_by_start(&self, start: &[u8], left_out: Alphabet) -> Option<bool> {
        let goes_on = |bytes: &[u8]| goes_on(start, bytes, left_out);
        let may_end_behind = |bytes: &[u8]| may_end_behind(start, bytes, left_out);
        let may_be = match self {
            Self::Exact(bytes) => goes_on(bytes),
            Self::Prefix(bytes) if start.starts_with(bytes) => return Some(true),
            Self::Prefix(bytes) => goes_on(bytes),
            Self::Address(key) if start.starts_with(key.digits()) => return Some(true),
            Self::Address(key) => goes_on(key.digits()),
            Self::Contains(bytes) if memmem::find(start, bytes).is_some() => return Some(true),
            Self::Contains(bytes) | Self::Suffix(bytes) => may_end_behind(bytes),
            Self::Pattern(pattern) => {
                let (prefix, letters) = (pattern.prefix(), pattern.letters());
                let has_prefix = start.starts_with(prefix) || goes_on(prefix);
                has_prefix && (memmem::find(start, letters).is_some() || may_end_behind(letters))
            }
        };
        match may_be {
            true => None,
            false => Some(false),
        }
    }

    /// Whether a folded word meets it; the key of an address, where it is of those.
    pub fn matches(&self, word: &[u8]) -> bool {
        match self {
            Self::Exact(bytes) => word == bytes,
            Self::Prefix(bytes) => word.starts_with(bytes),
            Self::Suffix(bytes) => word.ends_with(bytes),
            Self::Contains(bytes) => memmem::find(word, bytes).is_some(),
            Self::Pattern(pattern) => pattern.matches(word),
            Self::Address(key) => word.starts_with(key.digits()),
        }
    }
}

/// Whether some bytes are these and bytes of an alphabet behind them, one at least.
fn goes_on(start: &[u8], bytes: &[u8], left_out: Alphabet) -> bool {
    let behind = bytes.strip_prefix(start);
    behind.is_some_and(|behind| !behind.is_empty() && left_out.has_all(behind))
}

/// Whether some bytes may stand in a word that starts so and goes on with bytes of an alphabet, with one of those as
/// the last of them.
fn may_end_behind(start: &[u8], bytes: &[u8], left_out: Alphabet) -> bool {
    let behind = bytes.iter().rev();
    let behind = behind.take_while(|byte| left_out.has(**byte)).count();
    let fixed = bytes.len() - behind;
    let mut starts = (fixed..bytes.len()).filter_map(|cut| bytes.get(..cut));
    fixed == 0 || starts.any(|own| start.ends_with(own))
}

/// What an index of words can say about a leaf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// Each must be met by a word of the text. None says nothing: any text may match.
    pub words: Vec<WordProbe>,
    /// Whether the words decide: a text whose words meet all probes matches, without a look at it.
    pub is_exact: bool,
    /// What is better asked of an index that has addresses as well; it has no further such.
    pub with_addresses: Option<Box<Self>>,
}

impl Probe {
    /// Several probes of a leaf that are closer together: a text that matches meets all words of one of
    /// them. None where there are no better ones than [`Self::of`] has.
    pub fn alternatives(leaf: &Leaf) -> Vec<Self> {
        match &leaf.test {
            Test::Term(pattern) => wildcards::alternatives(pattern),
            Test::Regex(pattern) => of_expression(pattern),
            Test::Network(network) => of_network(*network),
            _ => Vec::new(),
        }
    }

    /// The probes of a leaf. [`Target::Text`](crate::Target::Text) asks them of the message and of
    /// the structured data, each on its own; the other targets of each of their texts.
    ///
    /// Comparisons, ranges, networks, expressions and presence have none; for severity and facility
    /// see [`codes`](crate::codes()).
    pub fn of(leaf: &Leaf) -> Self {
        match &leaf.test {
            Test::Term(pattern) => Self {
                words: words(pattern),
                is_exact: is_one_word(pattern),
                with_addresses: addresses::of_pattern(pattern, true),
            },
            // The index holds folded words: they cannot tell one case from another.
            Test::Exact(pattern) => {
                let pattern = pattern.clone().folded();
                Self {
                    words: words(&pattern),
                    is_exact: false,
                    with_addresses: addresses::of_pattern(&pattern, false),
                }
            }
            Test::Present
            | Test::Compare { .. }
            | Test::Between { .. }
            | Test::Network(_)
            | Test::Regex(_) => Self::default(),
        }
    }
}

/// Whether the pattern is one word, with or without `*` around it. `*` stops at white space and
/// delimiters, which end words too, so it always can run on to the end of the word and no further
/// condition is left. Of tokens words do not tell where they end: it needs `*` on both sides.
fn is_one_word(pattern: &Pattern) -> bool {
    let is_of_whole_words = pattern.tokens() == Tokens::Words;
    let is_open = matches!(
        pattern.pieces(),
        [Piece::AnyRun, Piece::Literal(_), Piece::AnyRun]
    );
    if !is_of_whole_words && !is_open {
        return false;
    }
    let ([Piece::Literal(word)]
    | [Piece::AnyRun, Piece::Literal(word)]
    | [Piece::Literal(word), Piece::AnyRun]
    | [Piece::AnyRun, Piece::Literal(word), Piece::AnyRun]) = pattern.pieces()
    else {
        return false;
    };
    is_of_words(word)
}

/// For a network of IPv4: the numbers that all its addresses start with. An address that is written as
/// one of IPv6 may have them in hexadecimal digits, behind `ffff`.
fn of_network(network: Network) -> Vec<Probe> {
    let IpAddr::V4(address) = network.address() else {
        return Vec::new();
    };
    let fixed = usize::from(network.prefix_len() / 8);
    let mut words: Vec<WordProbe> = Vec::new();
    for number in address.octets().iter().take(fixed) {
        let word = WordProbe::Exact(number.to_string().into_bytes());
        if !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() {
        return Vec::new();
    }
    let written = Probe {
        words,
        is_exact: false,
        with_addresses: addresses::of_numbers(address.octets().get(..fixed).unwrap_or(&[])),
    };
    let in_hexadecimal = Probe {
        words: vec![WordProbe::Exact(b"ffff".to_vec())],
        ..Probe::default()
    };
    vec![written, in_hexadecimal]
}

/// For the literals that an expression requires one of, those that are cheapest to look up.
fn of_expression(pattern: &RegexPattern) -> Vec<Probe> {
    let mut cheap: Vec<Vec<Vec<WordProbe>>> = Vec::new();
    let mut dear: Vec<Vec<Vec<WordProbe>>> = Vec::new();
    for one_of in Required::of(pattern).all {
        let open = |literal: Vec<u8>| {
            Pattern::new([Piece::AnyRun, Piece::Literal(literal), Piece::AnyRun])
        };
        let words = |literal| open(literal).map(|pattern| words(&pattern));
        let probes: Vec<Vec<WordProbe>> = one_of.into_iter().filter_map(words).collect();
        let found: Option<Vec<_>> = probes.iter().map(|own| pick(own, is_cheap)).collect();
        match found {
            Some(found) => cheap.push(found),
            None => dear.extend(
                probes
                    .iter()
                    .map(|own| pick(own, is_long))
                    .collect::<Option<Vec<_>>>(),
            ),
        }
    }
    let found = if cheap.is_empty() { dear } else { cheap };
    // Those that are one alone are met by every match, whichever of the others is.
    let (ones, choices): (Vec<_>, Vec<_>) = found.into_iter().partition(|of| of.len() == 1);
    let ones: Vec<WordProbe> = ones.into_iter().flatten().flatten().collect();
    let choice = choices.into_iter().min_by_key(Vec::len);
    let choice = choice.unwrap_or_else(|| vec![Vec::new()]);
    let joined = choice.into_iter().map(|own| Probe {
        words: ones.iter().cloned().chain(own).collect(),
        ..Probe::default()
    });
    joined.filter(|probe| !probe.words.is_empty()).collect()
}

/// The probes of a literal that are of a sort; `None` where none is.
fn pick(probes: &[WordProbe], is_wanted: fn(&WordProbe) -> bool) -> Option<Vec<WordProbe>> {
    let wanted: Vec<_> = probes
        .iter()
        .filter(|probe| is_wanted(probe))
        .cloned()
        .collect();
    (!wanted.is_empty()).then_some(wanted)
}

/// Whether the word is found without a look at all others.
fn is_cheap(probe: &WordProbe) -> bool {
    match probe {
        WordProbe::Exact(_) => true,
        WordProbe::Prefix(bytes) => bytes.len() >= PART_BYTES_MIN,
        _ => false,
    }
}

/// Whether few words have the part.
fn is_long(probe: &WordProbe) -> bool {
    match probe {
        WordProbe::Suffix(bytes) | WordProbe::Contains(bytes) => bytes.len() >= PART_BYTES_MIN,
        _ => false,
    }
}

fn words(pattern: &Pattern) -> Vec<WordProbe> {
    let mut probes = Vec::new();
    for piece in 0..pattern.pieces().len() {
        for (_, probe) in literal_words(pattern, piece) {
            if !probes.contains(&probe) {
                probes.push(probe);
            }
        }
    }
    probes
}

/// What is left of a literal without the parts of characters at those of its ends where it may go on:
/// whether such a character ends words is not known.
fn whole_characters(
    bytes: &[u8],
    is_bounded_before: bool,
    is_bounded_behind: bool,
) -> Range<usize> {
    let is_inside = |byte: &&u8| matches!(byte, 0x80..=0xbf);
    let start = match is_bounded_before {
        true => 0,
        false => bytes.iter().take_while(is_inside).count(),
    };
    let rest = bytes.get(start..).unwrap_or(&[]);
    let last = rest
        .utf8_chunks()
        .last()
        .map_or(&[][..], |chunk| chunk.invalid());
    let is_cut = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    match is_cut && !is_bounded_behind {
        true => start..bytes.len() - last.len(),
        false => start..bytes.len(),
    }
}

/// The words of a piece of a pattern that is a literal, and where they stand in it.
fn literal_words(pattern: &Pattern, piece: usize) -> Vec<(Range<usize>, WordProbe)> {
    let pieces = pattern.pieces();
    let keeps_words = pattern.tokens().keeps_words();
    let Some(Piece::Literal(bytes)) = pieces.get(piece) else {
        return Vec::new();
    };
    let is_bounded_before = piece == 0 && keeps_words;
    let is_bounded_behind = piece + 1 == pieces.len() && keeps_words;
    let mut found = Vec::new();
    let whole = whole_characters(bytes, is_bounded_before, is_bounded_behind);
    let characters = bytes.get(whole.clone()).unwrap_or(&[]);
    for range in word_ranges(characters) {
        let is_start = range.start > 0 || whole.start == 0 && is_bounded_before;
        let is_end = range.end < characters.len() || whole.end == bytes.len() && is_bounded_behind;
        let word = fold(characters.get(range.clone()).unwrap_or(&[])).into_owned();
        let (start, end) = (whole.start + range.start, whole.start + range.end);
        let probe = match (is_start, is_end) {
            (true, true) => WordProbe::Exact(word),
            (true, false) => WordProbe::Prefix(word),
            (false, true) => WordProbe::Suffix(word),
            (false, false) => WordProbe::Contains(word),
        };
        found.push((start..end, probe));
    }
    found
}

#[cfg(test)]
mod tests;
