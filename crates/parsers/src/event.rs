//! Events of security devices, CEF (ArcSight) and LEEF (QRadar), which may stand behind a header of their
//! own. The names are those that the same text has at search time, but for labels:
//!
//! ```text
//! CEF:0|vendor|product|version|class|name|severity|src=10.0.0.1 cs1=deny-all cs1Label=Rule
//! LEEF:2.0|vendor|product|version|event|^|src=10.0.0.1^usrName=root
//! ```

use model::limits::RECORD_FIELDS_MAX;
use text_fields::Origin;

use crate::{Failed, Pairs, Parser};

/// Options of [`CefParser`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CefOptions {
    /// Whether a field that its sender names by a label, as `cs1` is named by `cs1Label`, gets that name in
    /// place of both. Bytes of a label that are no letter, digit, `_`, `.` or `-` become `_`.
    pub use_labels: bool,
}

/// Takes CEF events apart.
#[derive(Clone, Debug)]
pub struct CefParser {
    use_labels: bool,
}

impl CefParser {
    /// All options fit.
    pub fn new(options: &CefOptions) -> Self {
        Self {
            use_labels: options.use_labels,
        }
    }
}

impl Parser for CefParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let start = pairs.pairs().len();
        parse(input, pairs, Origin::Cef)?;
        if self.use_labels {
            rename_by_labels(start, input, pairs);
        }
        Ok(())
    }
}

/// Takes LEEF events apart, of version 1.0 and 2.0; there are no options.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeefParser;

impl Parser for LeefParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        parse(input, pairs, Origin::Leef)
    }
}

fn parse(input: &[u8], pairs: &mut Pairs, wanted: Origin) -> Result<(), Failed> {
    let mut detector = std::mem::take(&mut pairs.scratch.detector);
    let mut count = 0;
    let event = detector.each_of_event(input, &mut |name, value| {
        count += 1;
        pairs.push_texts(name, value, input);
    });
    pairs.scratch.detector = detector;
    if count >= RECORD_FIELDS_MAX {
        pairs.note_truncated();
    }
    match event {
        Some(event) if event.origin != wanted => Err(none_of(wanted)),
        Some(event) if event.is_whole => Ok(()),
        Some(_) => Err(Failed::new(
            input.len(),
            "expected more parts of the header",
        )),
        None => Err(none_of(wanted)),
    }
}

fn none_of(wanted: Origin) -> Failed {
    let reason = match wanted {
        Origin::Leef => "expected `LEEF:1.0|` or `LEEF:2.0|`",
        _ => "expected `CEF:0|`",
    };
    Failed::new(0, reason)
}

/// The fields that senders name by labels; CEF has these and no others.
const LABELLED: [&str; 24] = [
    "cs1",
    "cs2",
    "cs3",
    "cs4",
    "cs5",
    "cs6",
    "cn1",
    "cn2",
    "cn3",
    "cfp1",
    "cfp2",
    "cfp3",
    "cfp4",
    "c6a1",
    "c6a2",
    "c6a3",
    "c6a4",
    "flexString1",
    "flexString2",
    "flexNumber1",
    "flexNumber2",
    "flexDate1",
    "deviceCustomDate1",
    "deviceCustomDate2",
];

/// What stands behind the name of a field in that of its label.
const LABEL: &[u8] = b"Label";

/// Where a field and its label are.
#[derive(Clone, Copy, Default)]
struct Labelled {
    field: Option<usize>,
    label: Option<usize>,
}

fn rename_by_labels(start: usize, input: &[u8], pairs: &mut Pairs) {
    let mut found = [Labelled::default(); LABELLED.len()];
    for (at, pair) in pairs.pairs().iter().enumerate().skip(start) {
        let name = pairs.get(pair.name, input);
        let (name, is_label) = match name.strip_suffix(LABEL) {
            Some(name) => (name, true),
            None => (name, false),
        };
        let mut known = LABELLED.iter().zip(&mut found);
        if let Some((_, places)) = known.find(|(known, _)| known.as_bytes() == name) {
            let place = if is_label {
                &mut places.label
            } else {
                &mut places.field
            };
            *place = Some(at);
        }
    }
    let mut name = std::mem::take(&mut pairs.scratch.path);
    let mut used = [None; LABELLED.len()];
    for (Labelled { field, label }, used) in found.into_iter().zip(&mut used) {
        let (Some(field), Some(label)) = (field, label) else {
            continue;
        };
        let text = pairs.pairs().get(label).map(|pair| pair.value);
        name.clear();
        name.extend_from_slice(
            text.map_or(&b""[..], |text| pairs.get(text, input))
                .trim_ascii(),
        );
        name.iter_mut().for_each(replace);
        if pairs.rename(field, &name) {
            *used = Some(label);
        }
    }
    pairs.scratch.path = name;
    pairs.remove(|at| used.contains(&Some(at)));
}

/// Puts `_` for what would have to be quoted in a query.
fn replace(byte: &mut u8) {
    let is_kept = byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_.-".contains(byte);
    if !is_kept {
        *byte = b'_';
    }
}

#[cfg(test)]
mod tests;
