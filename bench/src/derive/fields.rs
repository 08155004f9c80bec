//! Fields of the text, `name=value`, that any reader of the log would agree on.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use super::choose::is_address;
use super::text::{Bounds, Place, Text, is_word};
use crate::manifest::Query;

/// Lines that names are taken from.
const SAMPLE_LINES: usize = 50_000;

/// Names that are tried, the most frequent first. Each is a pass over the log.
const NAMES_MAX: usize = 60;

/// Names that are also those of parts of a record, or of a format.
const RESERVED: &str = " message host program pid msgid facility severity priority tag source peer ip id \
    received time logspace nvpair pattern vhost client ident user method url path protocol status bytes \
    referrer agent devicevendor deviceproduct deviceversion deviceeventclassid name vendor product version \
    eventid ";

/// A field in the lines that have it, each with its one value.
struct Field<'a> {
    name: String,
    values: Vec<&'a [u8]>,
}

/// A question for a word, a number and a network in a field, where the log has them.
pub(super) fn queries(text: &Text) -> Vec<Query> {
    let (mut word, mut number, mut network) = (None, None, None);
    for name in names(text) {
        let Some(field) = field(text, &name) else {
            continue;
        };
        let all = |is_so: fn(&[u8]) -> bool| field.values.iter().all(|value| is_so(value));
        if all(is_number) {
            number.get_or_insert_with(|| number_query(&field));
        } else if all(is_address) {
            network.get_or_insert_with(|| network_query(&field));
        } else if all(|value| value.iter().all(|byte| is_word(*byte))) {
            word.get_or_insert_with(|| word_query(&field, text.messages()));
        }
        if word.is_some() && number.is_some() && network.is_some() {
            break;
        }
    }
    [word, number, network].into_iter().flatten().collect()
}

/// Names in front of `=`, the most frequent first.
fn names(text: &Text) -> Vec<String> {
    let mut all: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for body in text.bodies().take(SAMPLE_LINES) {
        for piece in body.split(|byte| *byte == b' ') {
            let Some(end) = piece.iter().position(|byte| *byte == b'=') else {
                continue;
            };
            let name = piece[..end].to_ascii_lowercase();
            let is_plain = name.iter().all(u8::is_ascii_alphabetic) && name.len() >= 3;
            let is_reserved = || RESERVED.contains(&format!(" {} ", name.escape_ascii()));
            if is_plain && !is_reserved() {
                *all.entry(name).or_default() += 1;
            }
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    let names = all.into_iter().take(NAMES_MAX);
    names
        .filter_map(|(name, _)| String::from_utf8(name).ok())
        .collect()
}

/// The field of a name; `None` where it is not plain everywhere what its value is.
fn field<'a>(text: &'a Text, name: &str) -> Option<Field<'a>> {
    let mut values = Vec::new();
    let (mut last, mut spelling) = (None, None);
    for place in text.places(name) {
        if !place.has(Bounds::WORD)? {
            continue;
        }
        match place.after.first() {
            // A key of JSON, perhaps.
            Some(b'"' | b':') => return None,
            Some(b'=') => {}
            _ => continue,
        }
        let value = plain_value(&place)?;
        let is_spelled_so = *spelling.get_or_insert(place.spelled) == place.spelled;
        if !is_spelled_so || last == Some(place.line) {
            return None;
        }
        last = Some(place.line);
        values.push(value);
    }
    let name = String::from_utf8(spelling?.to_vec()).ok()?;
    Some(Field { name, values })
}

/// The value of a pair that stands between spaces, outside of quotes and behind the header.
fn plain_value<'a>(place: &Place<'a>) -> Option<&'a [u8]> {
    let quotes = place.before.iter().filter(|byte| **byte == b'"').count();
    let is_escaped = place.before.contains(&b'\\');
    let is_apart = place.before.last() == Some(&b' ');
    if place.is_early() || !quotes.is_multiple_of(2) || is_escaped || !is_apart {
        return None;
    }
    let rest = place.after.get(1..)?;
    let end = rest.iter().position(|byte| *byte == b' ');
    let value = &rest[..end.unwrap_or(rest.len())];
    let is_plain = |byte: &u8| is_word(*byte) || *byte == b'.';
    (!value.is_empty() && value.iter().all(is_plain)).then_some(value)
}

/// The value that comes nearest to one in a hundred messages.
fn word_query(field: &Field<'_>, messages: u64) -> Query {
    let mut counts: BTreeMap<&[u8], u64> = BTreeMap::new();
    for value in &field.values {
        *counts.entry(value).or_default() += 1;
    }
    let nearest = counts
        .iter()
        .min_by_key(|(_, count)| count.abs_diff(messages / 100));
    let value = nearest.map(|(value, _)| *value).unwrap_or_default();
    let is_it = |other: &&&[u8]| other.eq_ignore_ascii_case(value);
    let count = field.values.iter().filter(is_it).count();
    let value = value.escape_ascii();
    let pattern = format!(" {}={value}( |$)", field.name);
    query(
        "field",
        format!("{}:{value}", field.name),
        Some(pattern),
        count,
    )
}

/// The largest twentieth of the numbers.
fn number_query(field: &Field<'_>) -> Query {
    let mut numbers: Vec<u64> = field.values.iter().map(|value| number(value)).collect();
    numbers.sort_unstable();
    let least = numbers[numbers.len() - 1 - numbers.len() / 20];
    let count = numbers.iter().filter(|number| **number >= least).count();
    query(
        "field_number",
        format!("{}:>={least}", field.name),
        None,
        count,
    )
}

/// The network of half an address that comes nearest to one in a hundred of its messages.
fn network_query(field: &Field<'_>) -> Query {
    let mut counts: BTreeMap<[u8; 2], usize> = BTreeMap::new();
    for value in &field.values {
        let text = String::from_utf8_lossy(value);
        let address: Ipv4Addr = text.parse().unwrap_or(Ipv4Addr::UNSPECIFIED);
        let [a, b, ..] = address.octets();
        *counts.entry([a, b]).or_default() += 1;
    }
    let aim = field.values.len() / 100;
    let nearest = counts.iter().min_by_key(|(_, count)| count.abs_diff(aim));
    let (network, count) = nearest.map_or(([0, 0], 0), |(network, count)| (*network, *count));
    let [a, b] = network;
    query(
        "field_network",
        format!("{}:{a}.{b}.0.0/16", field.name),
        None,
        count,
    )
}

fn query(name: &str, query: String, pattern: Option<String>, count: usize) -> Query {
    Query {
        name: name.to_owned(),
        query,
        pattern,
        count: count as u64,
    }
}

/// Whether this is a whole number that every reader takes exactly.
fn is_number(value: &[u8]) -> bool {
    value.len() <= 15 && value.iter().all(u8::is_ascii_digit)
}

fn number(value: &[u8]) -> u64 {
    let digits = value.iter().map(|digit| u64::from(digit - b'0'));
    digits.fold(0, |number, digit| number * 10 + digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bodies: &[&str]) -> Vec<(String, u64)> {
        let header = "<13>Oct  1 2026 00:00:01 UTC: host tag: x";
        let lines = bodies.iter().map(|body| format!("{header} {body}\n"));
        let text = Text::new(lines.collect::<String>().into_bytes());
        let queries = queries(&text).into_iter();
        queries.map(|query| (query.query, query.count)).collect()
    }

    #[test]
    fn fields_are_words_numbers_and_addresses() {
        let bodies = [
            "say action=deny srcip=10.1.0.1 took=7",
            "say action=deny srcip=10.1.0.2 took=70 and action too",
            "say action=deny srcip=10.2.0.2 took=8",
        ];
        let expected = [
            ("action:deny".to_owned(), 3),
            ("took:>=70".to_owned(), 1),
            ("srcip:10.2.0.0/16".to_owned(), 1),
        ];
        assert_eq!(told(&bodies), expected);
    }

    #[test]
    fn what_is_no_field_for_all_is_not_asked_for() {
        for other in [
            "a text=\"with action=deny in it\"",
            "GET /x?action=deny",
            "{\"action\":\"deny\"}",
            "say action=deny, later",
            "say Action=deny",
            "say action=deny and action=allow",
            "say \\ action=deny",
        ] {
            assert!(told(&["say action=deny", other]).is_empty(), "{other}");
        }
        assert!(told(&["say status=500"]).is_empty());
    }
}
