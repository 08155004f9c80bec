//! The XML of a file as elements, texts and their lines. Text between two tags is one text, whatever
//! references, CDATA sections and comments it is made of.

use std::borrow::Cow;

use memchr::memchr_iter;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use smallvec::SmallVec;

use crate::error::{LoadError, Problem};
use crate::limits::NESTING_MAX;

/// A file that is read from its start to its end.
pub(crate) struct Xml<'x> {
    bytes: &'x [u8],
    reader: Reader<&'x [u8]>,
    /// Text since the last tag.
    text: String,
    /// What comes before anything else is read, the next one last.
    next: SmallVec<[Part; 2]>,
    depth: usize,
    /// How far lines are counted, and how many there are.
    counted: usize,
    line: usize,
}

/// A part of a file.
#[derive(Debug)]
pub(crate) enum Part {
    /// The start of an element.
    Start(Element),
    /// Text that is not empty.
    Text(String),
    /// The end of an element.
    End(String),
    /// The end of the file.
    Over,
}

/// The start of an element.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// Whether it was written as `<name/>`.
    pub(crate) is_empty: bool,
    attributes: Vec<(String, String)>,
}

impl Element {
    /// The value of an attribute.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        let found = all.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Its attributes, in their order.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.attributes.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<'x> Xml<'x> {
    pub(crate) fn new(text: &'x str) -> Self {
        Self {
            bytes: text.as_bytes(),
            reader: Reader::from_str(text),
            text: String::new(),
            next: SmallVec::new(),
            depth: 0,
            counted: 0,
            line: 1,
        }
    }

    /// The line up to which the file is read.
    pub(crate) fn line(&mut self) -> usize {
        let at = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
        let at = at.min(self.bytes.len());
        if let Some(new) = self.bytes.get(self.counted..at) {
            self.line += memchr_iter(b'\n', new).count();
            self.counted = at;
        }
        self.line
    }

    pub(crate) fn error(&mut self, problem: Problem) -> LoadError {
        LoadError::new(self.line(), problem)
    }

    /// The next part.
    pub(crate) fn next(&mut self) -> Result<Part, LoadError> {
        if let Some(part) = self.next.pop() {
            return Ok(part);
        }
        loop {
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.broken(&error)),
            };
            let part = match event {
                Event::Start(start) => {
                    self.depth += 1;
                    Part::Start(self.element(&start, false)?)
                }
                Event::Empty(start) => {
                    let element = self.element(&start, true)?;
                    return Ok(self.empty(element));
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Part::End(end.name().as_ref().to_owned())
                }
                Event::Eof if self.depth > 0 => {
                    let what = "an element has no end".to_owned();
                    return Err(self.error(Problem::Xml(what)));
                }
                Event::Eof => Part::Over,
                Event::Text(text) => {
                    self.text += &text.xml10_content();
                    continue;
                }
                Event::CData(text) => {
                    self.text += &text.xml10_content();
                    continue;
                }
                Event::GeneralRef(reference) => {
                    self.reference(&reference)?;
                    continue;
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            };
            if self.text.is_empty() {
                return Ok(part);
            }
            self.next.push(part);
            return Ok(Part::Text(std::mem::take(&mut self.text)));
        }
    }

    /// The next element; text in front of it is skipped.
    pub(crate) fn next_element(&mut self) -> Result<Option<Element>, LoadError> {
        loop {
            match self.next()? {
                Part::Start(element) => return Ok(Some(element)),
                Part::Over => return Ok(None),
                Part::Text(_) | Part::End(_) => {}
            }
        }
    }

    /// The parts that an element without content is.
    fn empty(&mut self, element: Element) -> Part {
        self.next.push(Part::End(element.name.clone()));
        if self.text.is_empty() {
            return Part::Start(element);
        }
        self.next.push(Part::Start(element));
        Part::Text(std::mem::take(&mut self.text))
    }

    fn element(&mut self, start: &BytesStart<'_>, is_empty: bool) -> Result<Element, LoadError> {
        if self.depth > NESTING_MAX {
            return Err(self.error(Problem::TooDeep));
        }
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.broken(&error))?;
            let value: Cow<'_, str> = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| self.broken(&error))?;
            attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
        }
        Ok(Element {
            name: start.name().as_ref().to_owned(),
            is_empty,
            attributes,
        })
    }

    /// `&amp;` and `&#10;`.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), LoadError> {
        let found = reference.resolve_char_ref();
        if let Some(c) = found.map_err(|error| self.broken(&error))? {
            self.text.push(c);
            return Ok(());
        }
        let name = reference.xml10_content();
        match resolve_predefined_entity(&name) {
            Some(text) => self.text += text,
            None => {
                let error = self.error(Problem::Xml(format!("there is no entity `{name}`")));
                return Err(error.with_hint("for an ampersand write `&amp;`"));
            }
        }
        Ok(())
    }

    fn broken(&mut self, error: &dyn std::error::Error) -> LoadError {
        self.error(Problem::Xml(error.to_string()))
    }
}
