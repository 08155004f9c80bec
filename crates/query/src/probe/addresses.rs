//! What an index that has addresses ([`model::addresses`]) is asked for a pattern.

use model::addresses::{Address, AddressKey, AddressReader, addresses, number};

use super::{Probe, WordProbe, literal_words};
use crate::Tokens;
use crate::ast::{Pattern, Piece};

/// Fewest numbers that addresses are looked up by: with one, there may be millions in a segment, and the
/// number is one word.
const NUMBERS_MIN: usize = 2;

/// The addresses of a pattern, and those of its words that are not in them; `None` where it has no address.
/// They decide where the pattern is one address, or the start of one and `*`, if `may_decide`.
pub(super) fn of_pattern(pattern: &Pattern, may_decide: bool) -> Option<Box<Probe>> {
    let (mut found, mut beside) = (Vec::new(), Vec::new());
    for piece in 0..pattern.pieces().len() {
        of_literal(pattern, piece, &mut found, &mut beside);
    }
    if found.is_empty() {
        return None;
    }
    let mut words: Vec<WordProbe> = Vec::new();
    for probe in found.into_iter().chain(beside) {
        if !words.contains(&probe) {
            words.push(probe);
        }
    }
    Some(Box::new(Probe {
        words,
        is_exact: may_decide && is_one_address(pattern),
        with_addresses: None,
    }))
}

/// That of the addresses which start with some numbers, each as it is written.
pub(super) fn of_numbers(numbers: &[u8]) -> Option<Box<Probe>> {
    let probe = WordProbe::Address(AddressKey::of(numbers));
    (numbers.len() >= NUMBERS_MIN).then(|| {
        Box::new(Probe {
            words: vec![probe],
            is_exact: false,
            with_addresses: None,
        })
    })
}

/// Adds the addresses of a piece that is a literal, and the words of it that are in none.
fn of_literal(
    pattern: &Pattern,
    piece: usize,
    found: &mut Vec<WordProbe>,
    beside: &mut Vec<WordProbe>,
) {
    let Some(Piece::Literal(bytes)) = pattern.pieces().get(piece) else {
        return;
    };
    let (mut reader, mut end) = (AddressReader::default(), 0);
    let mut run = Run::default();
    for (range, probe) in literal_words(pattern, piece) {
        if bytes.get(end..range.start) != Some(b".") {
            run.take(reader.finish(bytes));
            std::mem::take(&mut run).end(found, beside);
        }
        end = range.end;
        // Of a word that may go on, it is not known whether it is a number.
        let address = match probe {
            WordProbe::Exact(_) => reader.word(bytes, range),
            _ => reader.finish(bytes),
        };
        run.take(address);
        run.words.push(probe);
    }
    run.take(reader.finish(bytes));
    run.end(found, beside);
}

/// Words with one dot between each two.
#[derive(Default)]
struct Run {
    words: Vec<WordProbe>,
    addresses: Vec<WordProbe>,
}

impl Run {
    fn take(&mut self, address: Option<Address>) {
        let probe = address.map(|address| WordProbe::Address(AddressKey::from(address)));
        self.addresses.extend(probe);
    }

    /// Adds what it has: of its numbers, addresses say enough.
    fn end(self, found: &mut Vec<WordProbe>, beside: &mut Vec<WordProbe>) {
        let has_addresses = !self.addresses.is_empty();
        let is_number = |probe: &WordProbe| number(probe.letters()).is_some();
        let words = self.words.into_iter();
        beside.extend(words.filter(|probe| !(has_addresses && is_number(probe))));
        found.extend(self.addresses);
    }
}

/// Whether the pattern is an address, or three numbers with a dot behind each and `*`, which stops at nothing
/// that an address ends with. Of tokens words do not tell where they end.
fn is_one_address(pattern: &Pattern) -> bool {
    let (literal, is_open) = match pattern.pieces() {
        [Piece::Literal(literal)] => (literal, false),
        [Piece::Literal(literal), Piece::AnyRun] => (literal, true),
        _ => return false,
    };
    let is_written = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    pattern.tokens() == Tokens::Words
        && literal.iter().all(is_written)
        && match addresses(literal).as_slice() {
            [Address::Whole(_)] => !is_open && !literal.ends_with(b"."),
            [Address::Start(_)] => is_open && literal.ends_with(b"."),
            _ => false,
        }
        && literal.first().is_some_and(u8::is_ascii_digit)
        && literal.split(|byte| *byte == b'.').count() == 4
}
