//! The values of a slot, in the order of their lines, into a distribution.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::learn::limits::{NUMBER_POINTS_MAX, VALUES_MAX};
use crate::learn::profile::Slot;
use crate::learn::token::Kind;

/// Up to so many different values are kept as they are, whatever they look like.
const FEW_VALUES: usize = 64;

/// Up to so many are kept where each of them comes often.
const SOME_VALUES: usize = 256;

/// So many values are remembered to come again; see [`crate::learn::tables::RECENT`].
const RECENT: usize = 16;

/// Fewest values of which one can say that they only grow.
const COUNTER_VALUES_MIN: usize = 8;

/// Learns how values of a kind are distributed; there is at least one.
pub(crate) fn learn(kind: &Kind, values: &[&str]) -> Slot {
    if let Kind::Stamp(format) = kind {
        return Slot::Stamp {
            format: format.clone(),
        };
    }
    let distinct = values.iter().collect::<BTreeSet<_>>().len();
    // A value that was seen once says that there are more of its kind; words cannot be made up.
    let is_set = match kind {
        Kind::Word | Kind::Text => true,
        _ if distinct <= FEW_VALUES => distinct * 2 <= values.len(),
        _ => distinct <= SOME_VALUES && distinct * 8 <= values.len(),
    };
    match kind {
        Kind::Hex if !is_set => hex(values),
        Kind::Code if !is_set => Slot::Code {
            digits: lengths(values),
            recent: recent(values),
        },
        Kind::Uuid if !is_set => Slot::Uuid {
            recent: recent(values),
        },
        Kind::Address if !is_set => addresses(values),
        Kind::Number if !is_set => numbers(values),
        _ => value_set(values),
    }
}

fn value_set(values: &[&str]) -> Slot {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counted: Vec<(String, u64)> = counts
        .into_iter()
        .map(|(value, count)| (value.to_owned(), count))
        .collect();
    counted.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    counted.truncate(VALUES_MAX);
    Slot::Values {
        repeat: repeats(values, &counted),
        values: counted,
    }
}

/// In how many of 1000 messages a value is that of the message before, beyond what drawing each
/// for itself would give.
fn repeats(values: &[&str], counted: &[(String, u64)]) -> u16 {
    let total = values.len().max(1) as f64;
    let same = values.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64;
    let seen = same / (total - 1.0).max(1.0);
    let by_chance: f64 = counted
        .iter()
        .map(|(_, count)| (*count as f64 / total).powi(2))
        .sum();
    let beyond = (seen - by_chance) / (1.0 - by_chance).max(1e-9);
    (beyond.clamp(0.0, 1.0) * 1_000.0) as u16
}

/// In how many of 1000 messages a value is one of the last few.
fn recent(values: &[&str]) -> u16 {
    let mut last: VecDeque<&str> = VecDeque::new();
    let mut again = 0;
    for value in values {
        if last.contains(value) {
            again += 1;
            continue;
        }
        if last.len() == RECENT {
            last.pop_front();
        }
        last.push_back(value);
    }
    u16::try_from(again * 1_000 / values.len().max(1)).unwrap_or(0)
}

fn numbers(values: &[&str]) -> Slot {
    let mut numbers: Vec<u64> = values.iter().filter_map(|text| text.parse().ok()).collect();
    let first_len = values.first().map_or(0, |text| text.len());
    let has_zeros = values
        .iter()
        .any(|text| text.len() > 1 && text.starts_with('0'));
    let is_fixed = values.iter().all(|text| text.len() == first_len);
    let width = if has_zeros && is_fixed {
        u8::try_from(first_len).unwrap_or(0)
    } else {
        0
    };
    if let Some(counter) = counter(&numbers, width) {
        return counter;
    }
    numbers.sort_unstable();
    let points = NUMBER_POINTS_MAX.min(numbers.len().max(2));
    let last = numbers.len().saturating_sub(1);
    let point = |place: usize| numbers.get(place * last / (points - 1)).copied();
    Slot::Number {
        points: (0..points).map(|place| point(place).unwrap_or(0)).collect(),
        width,
        recent: recent(values),
    }
}

/// Numbers that never go back and mostly go on.
fn counter(numbers: &[u64], width: u8) -> Option<Slot> {
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let steps = numbers.len() as u64 - 1;
    let is_counter = numbers.len() >= COUNTER_VALUES_MIN && numbers.is_sorted() && last > first;
    is_counter.then(|| Slot::Counter {
        start: first,
        step: ((last - first) / steps.max(1)).max(1),
        width,
    })
}

fn hex(values: &[&str]) -> Slot {
    Slot::Hex {
        digits: lengths(values),
        is_upper: values
            .iter()
            .any(|text| text.contains(|c: char| c.is_ascii_uppercase())),
        recent: recent(values),
    }
}

/// How long values are, and how often.
fn lengths(values: &[&str]) -> Vec<(u8, u64)> {
    let mut lengths: BTreeMap<u8, u64> = BTreeMap::new();
    for value in values {
        let length = u8::try_from(value.len()).unwrap_or(u8::MAX);
        *lengths.entry(length).or_default() += 1;
    }
    lengths.into_iter().collect()
}

fn addresses(values: &[&str]) -> Slot {
    let mut networks: BTreeMap<(u8, u8), u64> = BTreeMap::new();
    for value in values {
        if let Ok(address) = value.parse::<std::net::Ipv4Addr>() {
            let [one, two, ..] = address.octets();
            *networks.entry((one, two)).or_default() += 1;
        }
    }
    let mut networks: Vec<_> = networks
        .into_iter()
        .map(|((one, two), count)| (one, two, count))
        .collect();
    networks.sort_by_key(|(one, two, count)| (std::cmp::Reverse(*count), *one, *two));
    networks.truncate(VALUES_MAX);
    if networks.is_empty() {
        networks.push((10, 0, 1));
    }
    Slot::Address {
        networks,
        recent: recent(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_kept_with_their_counts() {
        let values = ["a", "b", "a", "a", "b", "a"];
        let Slot::Values { values, repeat } = learn(&Kind::Word, &values) else {
            panic!("a set");
        };
        assert_eq!(values, [("a".to_owned(), 4), ("b".to_owned(), 2)]);
        assert_eq!(repeat, 0);
    }

    #[test]
    fn numbers_keep_their_spread_and_width() {
        let texts: Vec<String> = (0..100)
            .map(|n| format!("{:04}", n * 7_919 % 1_000))
            .collect();
        let values: Vec<&str> = texts.iter().map(String::as_str).collect();
        let Slot::Number { points, width, .. } = learn(&Kind::Number, &values) else {
            panic!("numbers");
        };
        assert_eq!(width, 4);
        assert_eq!(points.len(), NUMBER_POINTS_MAX);
        assert!(points[0] < 20 && points[8] > 400 && points[8] < 600 && points[16] > 980);
    }

    #[test]
    fn what_only_grows_is_a_counter() {
        let texts: Vec<String> = (0..50).map(|n| (1_000 + n * 3).to_string()).collect();
        let values: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(
            learn(&Kind::Number, &values),
            Slot::Counter {
                start: 1_000,
                step: 3,
                width: 0
            }
        );
    }

    #[test]
    fn ids_that_come_again_are_seen_to() {
        let values = ["9ea2f6", "9ea2f6", "7bc3d1", "7bc3d1", "1a2b3c", "4d5e6f"];
        let Slot::Hex { digits, recent, .. } = learn(&Kind::Hex, &values) else {
            panic!("ids");
        };
        assert_eq!((digits, recent), (vec![(6, 6)], 333));
    }
}
