//! XML. The name of a pair is the path of an element, `Event.System.Computer`, that of an attribute has `_`
//! in front of its own name, `Event.System.Provider._Name`, as in syslog-ng. Elements of one name are pairs
//! of one name; so are the texts before and behind an element inside. Text that is white space only is
//! none.
//!
//! Values are as they are written, but for entities: line ends and white space are not normalised. No entity
//! but the five of XML and those of characters is expanded, nothing is read from anywhere else, and a
//! document type says nothing; so a text stays as large as it is.

mod text;

use quick_xml::events::{BytesStart, Event};

use crate::glob::Glob;
use crate::limits::{DEPTH_MAX, EXCLUDED_TAGS_MAX, NAME_BYTES_MAX, SEPARATOR_BYTES_MAX};
use crate::{Error, Failed, Pairs, Parser};

use text::{Text, unescape};

/// Options of [`XmlParser`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlOptions {
    /// Whether white space around texts is no part of them.
    pub strip_white_space: bool,
    /// Names of elements that are left out with all that is in them; `*` and `?` stand for any characters
    /// and for any one byte.
    pub exclude_tags: Vec<String>,
    /// Whether `<Data Name="User">` inside `<EventData>` is called `EventData.User`, as in events of Windows.
    pub is_windows_event: bool,
}

impl Default for XmlOptions {
    fn default() -> Self {
        Self {
            strip_white_space: true,
            exclude_tags: Vec::new(),
            is_windows_event: false,
        }
    }
}

/// Takes a document apart.
#[derive(Clone, Debug)]
pub struct XmlParser {
    strip_white_space: bool,
    exclude_tags: Box<[Glob]>,
    is_windows_event: bool,
}

impl XmlParser {
    /// Checks the options.
    pub fn new(options: &XmlOptions) -> Result<Self, Error> {
        let (option, tags) = ("exclude_tags", &options.exclude_tags);
        Error::check_count(option, tags.len(), EXCLUDED_TAGS_MAX)?;
        for tag in tags {
            let remedy = "write the name of an element, such as \"Debug*\"";
            Error::check_filled(option, tag, SEPARATOR_BYTES_MAX, remedy)?;
        }
        Ok(Self {
            strip_white_space: options.strip_white_space,
            exclude_tags: tags.iter().map(|tag| Glob::new(tag)).collect(),
            is_windows_event: options.is_windows_event,
        })
    }
}

impl Parser for XmlParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let mut path = std::mem::take(&mut pairs.scratch.path);
        let mut joined = std::mem::take(&mut pairs.scratch.text);
        path.clear();
        joined.clear();
        let mut reader = Reader {
            parser: self,
            input,
            pairs,
            path,
            ends: [0; DEPTH_MAX],
            depth: 0,
            excluded_depth: None,
            has_root: false,
            text: Text::new(joined),
        };
        let read = reader.document();
        let path = reader.path;
        let joined = reader.text.into_memory();
        pairs.scratch.path = path;
        pairs.scratch.text = joined;
        read
    }
}

struct Reader<'a> {
    parser: &'a XmlParser,
    input: &'a [u8],
    pairs: &'a mut Pairs,
    /// The names of the elements around the place at hand, each with a dot behind it.
    path: Vec<u8>,
    /// How long the path was in front of each of them.
    ends: [usize; DEPTH_MAX],
    depth: usize,
    /// The depth of the element that is left out.
    excluded_depth: Option<usize>,
    has_root: bool,
    text: Text,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Failed> {
        let mut xml = quick_xml::Reader::from_reader(self.input);
        let len = self.input.len();
        let place = |at: u64| usize::try_from(at).map_or(len, |at| at.min(len));
        loop {
            let at = place(xml.buffer_position());
            match xml.read_event() {
                Ok(Event::Start(element)) => self.open(at, &element)?,
                Ok(Event::Empty(element)) => {
                    self.open(at, &element)?;
                    self.close();
                }
                Ok(Event::End(_)) => self.close(),
                Ok(Event::Text(text)) => self.add(at, &text)?,
                Ok(Event::CData(text)) => self.add(at, &text)?,
                Ok(Event::GeneralRef(name)) => {
                    self.check_inside(at)?;
                    if self.excluded_depth.is_none() {
                        self.text.push_entity(&name, self.input);
                    }
                }
                Ok(Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::DocType(_)) => {}
                Ok(Event::Eof) if self.depth > 0 => {
                    return Err(Failed::new(at, "expected the end of an element"));
                }
                Ok(Event::Eof) if !self.has_root => {
                    return Err(Failed::new(at, "expected an element"));
                }
                Ok(Event::Eof) => return Ok(()),
                Err(error) => {
                    let at = match error {
                        quick_xml::Error::Encoding(_) => at,
                        _ => place(xml.error_position()),
                    };
                    return Err(Failed::new(at, reason(&error)));
                }
            }
        }
    }

    /// Enters an element and takes its attributes.
    fn open(&mut self, at: usize, element: &BytesStart<'_>) -> Result<(), Failed> {
        self.end_text();
        if self.depth == 0 && self.has_root {
            return Err(Failed::new(at, "expected the end behind the element"));
        }
        let Some(end) = self.ends.get_mut(self.depth) else {
            return Err(Failed::new(at, "this is nested too deep"));
        };
        *end = self.path.len();
        self.depth += 1;
        self.has_root = true;
        if self.excluded_depth.is_some() {
            return Ok(());
        }
        let name = element.name().0.as_bytes();
        if self.parser.exclude_tags.iter().any(|tag| tag.matches(name)) {
            self.excluded_depth = Some(self.depth);
            return Ok(());
        }
        let is_data = self.parser.is_windows_event
            && matches!(name, b"Data" | b"ComplexData")
            && self.path.ends_with(b".EventData.");
        let has_more = if is_data && let Some(has_more) = self.enter_data(element) {
            has_more
        } else {
            self.enter(name);
            !element.attributes_raw().is_empty()
        };
        if has_more {
            self.attributes(at, element, is_data)?;
        }
        Ok(())
    }

    /// Appends a name to the path.
    fn enter(&mut self, name: &[u8]) {
        // A path that is too long makes no names, however much longer it would be.
        if self.path.len() <= NAME_BYTES_MAX {
            let name = name.get(..NAME_BYTES_MAX + 1).unwrap_or(name);
            self.path.extend_from_slice(name);
            self.path.push(b'.');
        }
    }

    /// Appends what an element of event data says that it is called, if it does; returns whether it may have
    /// other attributes.
    fn enter_data(&mut self, element: &BytesStart<'_>) -> Option<bool> {
        let mut attributes = element.attributes();
        let attributes = attributes.with_checks(false);
        let name = attributes.flatten().find(is_name)?;
        if name.value.is_empty() {
            return None;
        }
        if name.value.contains('&') {
            let mut own = Vec::new();
            unescape(name.value.as_bytes(), &mut own);
            self.enter(&own);
        } else {
            self.enter(name.value.as_bytes());
        }
        // Nearly all have that one, and end behind its quotation mark.
        let rest = element.attributes_raw().trim_ascii();
        Some(rest.len() > "Name=''".len() + name.value.len())
    }

    fn attributes(
        &mut self,
        at: usize,
        element: &BytesStart<'_>,
        is_data: bool,
    ) -> Result<(), Failed> {
        let mut attributes = element.attributes();
        // Looking for one that is there twice takes the square of their number.
        for attribute in attributes.with_checks(false) {
            let Ok(attribute) = attribute else {
                return Err(Failed::new(
                    at,
                    "expected attributes such as name=\"value\"",
                ));
            };
            if is_data && is_name(&attribute) {
                continue;
            }
            let path_len = self.path.len();
            if path_len <= NAME_BYTES_MAX {
                let name = attribute.key.0.as_bytes();
                self.path.push(b'_');
                let name = name.get(..NAME_BYTES_MAX + 1).unwrap_or(name);
                self.path.extend_from_slice(name);
            }
            let value = attribute.value.as_bytes();
            let value = self.pairs.piece_with(value, self.input, b'&', unescape);
            if let Some(value) = value {
                self.pairs.push_named(&self.path, value);
            }
            self.path.truncate(path_len);
        }
        Ok(())
    }

    fn close(&mut self) {
        self.end_text();
        if self.excluded_depth == Some(self.depth) {
            self.excluded_depth = None;
        }
        self.depth = self.depth.saturating_sub(1);
        let end = self.ends.get(self.depth).copied();
        self.path.truncate(end.unwrap_or_default());
    }

    /// Takes a part of a text.
    fn add(&mut self, at: usize, text: &str) -> Result<(), Failed> {
        if self.depth == 0 {
            if text.trim_ascii().is_empty() {
                return Ok(());
            }
            self.check_inside(at)?;
        }
        if self.excluded_depth.is_none() {
            self.text.push(text.as_bytes(), self.input);
        }
        Ok(())
    }

    fn check_inside(&self, at: usize) -> Result<(), Failed> {
        match (self.depth, self.has_root) {
            (0, true) => Err(Failed::new(at, "expected the end behind the element")),
            (0, false) => Err(Failed::new(at, "expected an element")),
            _ => Ok(()),
        }
    }

    /// Makes a pair of the text that is over.
    fn end_text(&mut self) {
        let value = self
            .text
            .take(self.parser.strip_white_space, self.input, self.pairs);
        if let Some(value) = value
            && let Some(name) = self.path.strip_suffix(b".")
        {
            self.pairs.push_named(name, value);
        }
    }
}

/// Whether an attribute says what an element of event data is called.
fn is_name(attribute: &quick_xml::events::attributes::Attribute<'_>) -> bool {
    attribute.key.0 == "Name"
}

/// What is wrong with a document.
fn reason(error: &quick_xml::Error) -> &'static str {
    use quick_xml::errors::IllFormedError;
    match error {
        quick_xml::Error::IllFormed(IllFormedError::UnclosedReference) => "expected `;` behind `&`",
        quick_xml::Error::Encoding(_) => "expected UTF-8",
        quick_xml::Error::IllFormed(_) => "this ends another element than the one that is open",
        _ => "expected the end of what begins here",
    }
}

#[cfg(test)]
mod tests;
