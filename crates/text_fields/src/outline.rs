//! The fields that all texts have which are the same but at some places.
//!
//! One such text is read, as any message is, and the reader says beside the fields how it read each
//! stretch. From that follows for each place that varies which other values would be read alike: a
//! rule. Texts whose values keep the rules have the fields of the outline, and no others; of texts
//! whose values do not, an outline says nothing. Where too much depends on what varies, there is none.
//!
//! Of a field that texts can have by their place in an access log alone, most of a text says nothing:
//! there are rules for what stands before it, and for none in texts that cannot be one.

use std::ops::Range;

use crate::Detector;
use crate::access_log;
use crate::limits::FIELDS_MAX;
use crate::out::{Note, Sink, place_of};
use crate::pairs::is_key_byte;
use crate::rule::{Part, Rule};

/// A stretch of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch<'a> {
    /// All have these bytes.
    Fixed(&'a [u8]),
    /// Each has bytes of its own, of which these are an example.
    Varying(&'a [u8]),
}

/// What all texts have whose values keep the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// For each stretch that varies its rule.
    pub rules: Vec<Rule>,
    /// The fields, in order.
    pub fields: Vec<FieldOutline>,
}

/// A field of many texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldOutline {
    /// Its name.
    pub name: Box<[u8]>,
    /// Its value.
    pub value: Vec<Piece>,
    lack: Lack,
    /// The number of the part of a request that it is.
    part: Option<usize>,
    up_to: Option<u8>,
}

/// A piece of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Bytes(Box<[u8]>),
    /// All of what varies at the place of this number.
    Varying(usize),
}

/// Which values say that there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lack {
    #[default]
    None,
    Dash,
    DashOrEmpty,
}

impl FieldOutline {
    /// Whether every text has the field, whatever its value.
    pub fn is_always_there(&self) -> bool {
        self.lack == Lack::None
    }

    /// Whether the value is one thing that varies, all of it, unless that says that there is none.
    pub fn is_all_that_varies(&self) -> bool {
        matches!(*self.value, [Piece::Varying(_)]) && self.part.is_none() && self.up_to.is_none()
    }

    /// The value, given what its pieces are together; `None` where that says that there is no such
    /// field.
    pub fn of<'v>(&self, value: &'v [u8]) -> Option<&'v [u8]> {
        let value = match self.part {
            Some(number) => value.splitn(3, |byte| *byte == b' ').nth(number)?,
            None => value,
        };
        let end = self.up_to.and_then(|byte| memchr::memchr(byte, value));
        let value = value.get(..end.unwrap_or(value.len()))?;
        let is_lacking = match self.lack {
            Lack::None => false,
            Lack::Dash => value == b"-",
            Lack::DashOrEmpty => value == b"-" || value.is_empty(),
        };
        (!is_lacking).then_some(value)
    }
}

impl Outline {
    /// The outline of texts; `None` where other fields may be in them for most values.
    pub fn of(stretches: &[Stretch<'_>]) -> Option<Self> {
        // What is seldom fit for a rule may be no good example, unless it stands in quotes.
        Self::of_example(&Example::of(stretches, b""))
            .or_else(|| Self::of_example(&Example::of(stretches, b"=|{}\"\\'")))
    }

    /// Whether no text can be an access log, whatever varies.
    pub fn is_never_a_log(stretches: &[Stretch<'_>]) -> bool {
        Example::of(stretches, b"").end_of_log_start(&[]).is_some()
    }

    /// The same of texts that have a field of a name by their place in an access log or not at all, and
    /// are no events. There are rules for the first stretches only, as far as they matter.
    pub fn of_log_field(name: &[u8], stretches: &[Stretch<'_>]) -> Option<Self> {
        let example = Example::of(stretches, b"");
        let tracer = Tracer::of(&example.text);
        let words = example.words_to_bracket();
        if let Some(end) = example.end_of_log_start(&words) {
            return Some(Self {
                rules: example.rules(&words, end)?,
                fields: Vec::new(),
            });
        }
        let end = tracer.end_of_log(name)?;
        let mut fields = tracer.fields.into_iter();
        let own = fields.find(|(_, field)| field.name.eq_ignore_ascii_case(name));
        let fields = match own.filter(|(range, _)| range.end <= end) {
            Some((range, field)) => {
                let value = example.pieces(range)?;
                vec![FieldOutline { value, ..field }]
            }
            // Whether there are quoted parts depends on what is behind.
            None if access_log::is_quoted(name) => return None,
            None => Vec::new(),
        };
        Some(Self {
            rules: example.rules(&tracer.read, end)?,
            fields,
        })
    }

    fn of_example(example: &Example) -> Option<Self> {
        // Events are read in another way.
        if memchr::memchr(b'|', &example.text).is_some() {
            return None;
        }
        let tracer = Tracer::of(&example.text);
        if tracer.fields.len() >= FIELDS_MAX / 2 || tracer.is_lost {
            return None;
        }
        let rules = example.rules(&tracer.read, example.text.len())?;
        if !tracer.is_log && !example.is_never_a_log(&tracer.read) {
            return None;
        }
        let fields = tracer.fields.into_iter();
        let fields = fields.map(|(range, field)| {
            let value = example.pieces(range)?;
            Some(FieldOutline { value, ..field })
        });
        Some(Self {
            rules,
            fields: fields.collect::<Option<_>>()?,
        })
    }
}

/// A text of those.
struct Example {
    text: Vec<u8>,
    /// What varies.
    varying: Vec<Range<usize>>,
}

impl Example {
    /// The one of the values given, but for those that are empty or have an odd byte.
    fn of(stretches: &[Stretch<'_>], odd: &[u8]) -> Self {
        let (mut text, mut varying) = (Vec::new(), Vec::new());
        for stretch in stretches {
            match stretch {
                Stretch::Fixed(bytes) => text.extend_from_slice(bytes),
                Stretch::Varying(bytes) => {
                    let start = text.len();
                    let is_odd = bytes.is_empty() || bytes.iter().any(|byte| odd.contains(byte));
                    text.extend_from_slice(if is_odd { b"x" } else { bytes });
                    varying.push(start..text.len());
                }
            }
        }
        Self { text, varying }
    }

    fn value(&self, range: &Range<usize>) -> &[u8] {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// The byte at a place, unless it varies.
    fn fixed(&self, at: usize) -> Option<u8> {
        let varies = self.varying.iter().any(|range| range.contains(&at));
        self.text.get(at).copied().filter(|_| !varies)
    }

    /// The rules of what varies before a place.
    fn rules(&self, read: &[(Range<usize>, Part)], end: usize) -> Option<Vec<Rule>> {
        let before = self.varying.iter().take_while(|range| range.start < end);
        let rules = before.map(|varying| {
            let value = self.value(varying);
            let mut rule = Rule::new();
            let (mut is_framed, mut is_keyed, mut is_known) = (false, false, false);
            for (range, part) in read {
                if range.end <= varying.start || varying.end <= range.start {
                    continue;
                }
                let is_inside = range.start <= varying.start && varying.end <= range.end;
                match part {
                    Part::Frame => is_framed = true,
                    Part::Key => is_keyed = true,
                    _ if is_inside => is_known = true,
                    _ => return None,
                }
                rule = rule.and(*part, value, range == varying)?;
            }
            if !is_known && is_framed {
                return None;
            }
            if !is_known && !is_keyed {
                let part = if self.is_free(varying) {
                    Part::Gap
                } else {
                    Part::Key
                };
                rule = rule.and(part, value, false)?;
            }
            rule.holds(value).then_some(rule)
        });
        rules.collect()
    }

    /// Whether neither what is before nor what is behind is read together with it.
    fn is_free(&self, varying: &Range<usize>) -> bool {
        let before = match varying.start.checked_sub(1) {
            None => true,
            Some(at) => self
                .fixed(at)
                .is_some_and(|byte| byte.is_ascii_whitespace()),
        };
        let behind = varying.end == self.text.len()
            || self
                .fixed(varying.end)
                .is_some_and(|byte| !is_key_byte(byte) && !matches!(byte, b'=' | b'{' | b'"'));
        before && behind
    }

    /// Whether no text is an access log. One starts with words, a bracket, and later has what closes it
    /// in front of a quotation mark.
    fn is_never_a_log(&self, read: &[(Range<usize>, Part)]) -> bool {
        if self.end_of_log_start(read).is_some() {
            return true;
        }
        memchr::memchr_iter(b'"', &self.text).all(|quote| {
            // What varies there may be what closes it.
            let before = [1, 2].map(|back| quote.checked_sub(back).and_then(|at| self.fixed(at)));
            matches!(before, [Some(one), _] if one != b' ')
                || matches!(before, [Some(b' '), Some(two)] if two != b']')
        })
    }

    /// The place up to which a text has to be read to know that it is no access log by what stands before
    /// a bracket, as far as that is fixed; `None` where it may be one.
    fn end_of_log_start(&self, read: &[(Range<usize>, Part)]) -> Option<usize> {
        let mut words = 0;
        let mut is_start = true;
        for (at, byte) in self.text.iter().enumerate() {
            if self.fixed(at).is_none() {
                // Of these it is known that they are part of a word.
                let is_of_word = |(range, part): &(Range<usize>, Part)| {
                    matches!(part, Part::Key | Part::Word) && range.contains(&at)
                };
                if !read.iter().any(is_of_word) {
                    return None;
                }
                is_start = false;
                continue;
            }
            match byte {
                b'[' if is_start => return (words < 3).then_some(at + 1),
                b' ' if is_start => return Some(at + 1),
                b' ' => {
                    words += 1;
                    is_start = true;
                    if words > 4 {
                        return Some(at + 1);
                    }
                }
                byte if *byte < b' ' || *byte == b'"' => return Some(at + 1),
                _ => is_start = false,
            }
        }
        Some(self.text.len())
    }

    /// What varies before the first bracket, each as part of a word of an access log.
    fn words_to_bracket(&self) -> Vec<(Range<usize>, Part)> {
        let bracket = memchr::memchr(b'[', &self.text).unwrap_or(self.text.len());
        let before = self.varying.iter().filter(|range| range.end <= bracket);
        before.map(|range| (range.clone(), Part::Word)).collect()
    }

    /// The pieces of a part of the text; `None` where it starts or ends in what varies.
    fn pieces(&self, range: Range<usize>) -> Option<Vec<Piece>> {
        let (mut pieces, mut at) = (Vec::new(), range.start);
        for (number, varying) in self.varying.iter().enumerate() {
            if varying.end <= range.start || range.end <= varying.start {
                continue;
            }
            if varying.start < at || range.end < varying.end {
                return None;
            }
            self.push_fixed(at..varying.start, &mut pieces);
            pieces.push(Piece::Varying(number));
            at = varying.end;
        }
        self.push_fixed(at..range.end, &mut pieces);
        Some(pieces)
    }

    fn push_fixed(&self, range: Range<usize>, pieces: &mut Vec<Piece>) {
        if !range.is_empty() {
            pieces.push(Piece::Bytes(self.value(&range).into()));
        }
    }
}

/// Writes down what a reader says.
#[derive(Default)]
struct Tracer<'t> {
    text: &'t [u8],
    read: Vec<(Range<usize>, Part)>,
    fields: Vec<(Range<usize>, FieldOutline)>,
    lack: Lack,
    part: Option<usize>,
    up_to: Option<u8>,
    is_log: bool,
    /// A value was not found in the text.
    is_lost: bool,
}

impl<'t> Tracer<'t> {
    /// What a reader says of a text.
    fn of(text: &'t [u8]) -> Self {
        let mut tracer = Self {
            text,
            ..Self::default()
        };
        Detector::default().scan(text, &mut tracer);
        tracer
    }

    /// Where what an access log says of a field ends: the quoted parts stand behind all others. `None`
    /// where the text is none.
    fn end_of_log(&self, name: &[u8]) -> Option<usize> {
        let end_of = |wanted: Part| {
            let read = self.read.iter().find(|(_, part)| *part == wanted);
            read.map(|(range, _)| range.end)
        };
        let end = end_of(match access_log::is_quoted(name) {
            true => Part::Frame,
            false => Part::NumberOrDash,
        });
        end.filter(|_| self.is_log)
    }
}

impl Sink for Tracer<'_> {
    const OUTLINES: bool = true;

    fn wants(&mut self, _: &[u8]) -> bool {
        true
    }

    fn found(&mut self, name: &[u8], value: &[u8]) {
        let field = FieldOutline {
            name: name.into(),
            value: Vec::new(),
            lack: std::mem::take(&mut self.lack),
            part: self.part.take(),
            up_to: self.up_to.take(),
        };
        match place_of(value, self.text) {
            Some(range) => self.fields.push((range, field)),
            None => self.is_lost = true,
        }
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::Read(range, part) => {
                // Nothing else of an access log is read like this.
                self.is_log |= part == Part::Like;
                self.read.push((range, part));
            }
            Note::UnlessDash => self.lack = Lack::DashOrEmpty,
            Note::IfNotDash => self.lack = Lack::Dash,
            Note::RequestPart(number) => self.part = Some(number),
            Note::UpTo(byte) => self.up_to = Some(byte),
        }
    }
}

#[cfg(test)]
mod tests;
