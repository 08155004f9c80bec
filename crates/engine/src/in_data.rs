//! What the index knows of a field in structured data, whose words are words of the record.
//!
//! Name and value of such a field are stretches of the structured data. Nothing says that they end where
//! words do, so a word of either is known to be within a word of the structured data, and to be one itself
//! only where what bounds it is part of the value. Words are folded one character at a time, and characters
//! may be cut where fields are: only words of ASCII letters and digits are looked for.

use std::net::IpAddr;

use model::words::{fold, is_word_byte};
use query::{Leaf, Network, Probe, Test, WordProbe};
use segment::Namespace;
use store::{ReadError, SegmentHandle};

use crate::among::Among;
use crate::evaluate::probe_rows;
use crate::limits::DATA_PAGES_MAX;
use crate::row_set::RowSet;

/// Shortest part of a word that is looked for: too many words have a shorter one.
const PART_BYTES_MIN: usize = 3;

/// What the index is asked for a field in structured data.
#[derive(Clone, Debug)]
pub(crate) struct InData {
    /// The end of its name.
    name: Option<WordProbe>,
    /// Conditions on its value, of which a row meets one and all of that; none where any value may pass.
    values: Vec<Vec<WordProbe>>,
}

impl InData {
    /// What is asked for a leaf of a field of this name.
    pub(crate) fn new(name: &str, leaf: &Leaf) -> Self {
        let mut values = match &leaf.test {
            Test::Network(network) => of_network(*network),
            _ => of_probes(leaf),
        };
        if values.iter().any(Vec::is_empty) {
            values.clear();
        }
        let before = name.bytes().rposition(|byte| !is_word_byte(byte));
        let end = name.get(before.map_or(0, |at| at + 1)..).unwrap_or("");
        Self {
            name: part(&fold(end.as_bytes())),
            values,
        }
    }

    /// The rows whose structured data may have the field, if they have it in there, and pass.
    pub(crate) fn rows(&self, segment: &SegmentHandle) -> Result<RowSet, ReadError> {
        let mut rows = match &self.name {
            Some(probe) => rows_with(probe, segment)?,
            None => RowSet::All,
        };
        if self.values.is_empty() || rows.is_empty() {
            return Ok(rows);
        }
        let mut either = RowSet::empty();
        for conditions in &self.values {
            let mut all = RowSet::All;
            for probe in conditions {
                all = all.and(rows_with(probe, segment)?);
                if all.is_empty() {
                    break;
                }
            }
            either = either.or(all);
        }
        rows = rows.and(either);
        Ok(rows)
    }
}

/// The numbers that addresses of a network have between two dots, or what stands in front of them where
/// they are written in hexadecimal digits.
fn of_network(network: Network) -> Vec<Vec<WordProbe>> {
    let IpAddr::V4(address) = network.address() else {
        return Vec::new();
    };
    let fixed = usize::from(network.prefix_len() / 8).min(3);
    let numbers = address.octets().into_iter().take(fixed).skip(1);
    let numbers = numbers.map(|number| WordProbe::Exact(number.to_string().into_bytes()));
    vec![numbers.collect(), vec![WordProbe::Exact(b"ffff".to_vec())]]
}

fn of_probes(leaf: &Leaf) -> Vec<Vec<WordProbe>> {
    let mut probes = Probe::alternatives(leaf);
    if probes.is_empty() {
        probes.push(Probe::of(leaf));
    }
    let parts = |probe: Probe| {
        let words = probe.words.iter();
        words.filter_map(|word| part(word.letters())).collect()
    };
    probes.into_iter().map(parts).collect()
}

/// That a word has some bytes in it, where that is worth looking for: numbers have their own pages, of
/// which there are many.
fn part(bytes: &[u8]) -> Option<WordProbe> {
    let is_number = bytes.iter().all(u8::is_ascii_hexdigit);
    (bytes.is_ascii() && bytes.len() >= PART_BYTES_MIN && !is_number)
        .then(|| WordProbe::Contains(bytes.to_vec()))
}

/// The rows with a word in their structured data that meets a condition; all rows where finding them takes
/// longer than a look at the columns.
fn rows_with(probe: &WordProbe, segment: &SegmentHandle) -> Result<RowSet, ReadError> {
    let namespace = Namespace::StructuredData;
    let worded = segment.footer().counts.worded(namespace);
    if matches!(probe, WordProbe::Contains(_)) && worded != Some(0) {
        let pages = segment.lexicon_pages_wanted(&namespace.key(b""), probe.letters())?;
        if pages.len() > DATA_PAGES_MAX {
            return Ok(RowSet::All);
        }
    }
    probe_rows(namespace, probe, Among::ALL, segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_data(query: &str) -> InData {
        let query = query::parse(query).into_result().expect("valid");
        let mut found = None;
        query.root.visit_leaves(&mut |leaf| {
            if let query::Target::Named(name) = &leaf.target {
                found = Some(InData::new(name, leaf));
            }
        });
        found.expect("a field")
    }

    fn shown(probes: &[WordProbe]) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let probes = probes.iter().map(|probe| match probe {
            WordProbe::Contains(bytes) => format!("*{}*", text(bytes)),
            other => text(other.letters()),
        });
        probes.collect()
    }

    #[test]
    fn the_end_of_a_name_is_within_a_word() {
        for (query, expected) in [
            ("Amount:5", Some("*amount*")),
            ("load.Amount:5", Some("*amount*")),
            (".sdata.meta.sequenceId:5", Some("*sequenceid*")),
            ("x:5", None),
            ("face:5", None),
            ("na\u{ef}ve:5", None),
        ] {
            let name = in_data(query).name;
            let name = name.map(|probe| shown(&[probe]).remove(0));
            assert_eq!(name.as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn words_of_a_value_are_within_words_but_between_dots_they_are_words() {
        for (query, expected) in [
            (
                "client:172.31.200.0/24",
                vec![vec!["31", "200"], vec!["ffff"]],
            ),
            ("client:172.31.200.7", vec![]),
            (
                "client:172.31.200.7/32",
                vec![vec!["31", "200"], vec!["ffff"]],
            ),
            ("client:172.0.0.0/8", vec![]),
            ("client:fe80::/16", vec![]),
            ("user:\"root of all\"", vec![vec!["*root*", "*all*"]]),
            ("user:12", vec![]),
            ("user:>12", vec![]),
        ] {
            let values = in_data(query).values;
            let values: Vec<_> = values.iter().map(|all| shown(all)).collect();
            assert_eq!(values, expected, "{query}");
        }
    }
}
