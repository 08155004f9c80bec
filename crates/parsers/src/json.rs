//! JSON objects (RFC 8259). The name of a pair is the path of a member, `src.ip`; elements of an array have
//! the name of the array. Values are texts without their escapes; numbers, `true` and `false` as they are
//! written; `null` is no value.
//!
//! The reader is strict, for a text that is not quite JSON may mean anything, but for two things that
//! senders do and that nobody misunderstands: bytes that are not UTF-8, and control characters in texts.

use memchr::memchr2;
use text_fields::Escapes;

use crate::limits::{DEPTH_MAX, NAME_BYTES_MAX, SEPARATOR_BYTES_MAX};
use crate::{Error, Failed, Pairs, Parser, Piece};

/// Options of [`JsonParser`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    /// What stands in front of the object, such as `@cee:`. White space may surround it.
    pub marker: String,
    /// What joins the names of a path.
    pub key_delimiter: String,
    /// The path of the part to take: names with dots between, and `[2]` for an element of an array. Empty
    /// for all of it.
    pub extract: String,
}

impl Default for JsonOptions {
    fn default() -> Self {
        Self {
            marker: String::new(),
            key_delimiter: ".".to_owned(),
            extract: String::new(),
        }
    }
}

/// Takes objects apart.
#[derive(Clone, Debug)]
pub struct JsonParser {
    marker: Box<[u8]>,
    key_delimiter: Box<[u8]>,
    extract: Box<[Step]>,
}

/// A step of the path of the part to take.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(Box<[u8]>),
    Element(usize),
}

impl JsonParser {
    /// Checks the options.
    pub fn new(options: &JsonOptions) -> Result<Self, Error> {
        let marker = options.marker.trim_ascii();
        Error::check_length("marker", marker, SEPARATOR_BYTES_MAX)?;
        Error::check_filled(
            "key_delimiter",
            &options.key_delimiter,
            SEPARATOR_BYTES_MAX,
            "write what joins the names of a path, such as \".\"",
        )?;
        Error::check_length("extract", &options.extract, NAME_BYTES_MAX)?;
        Ok(Self {
            marker: marker.as_bytes().into(),
            key_delimiter: options.key_delimiter.as_bytes().into(),
            extract: steps(&options.extract)?,
        })
    }
}

/// The steps of a path such as `event.hits[0].source`.
fn steps(path: &str) -> Result<Box<[Step]>, Error> {
    let remedy = "write names with dots between, and the number of an element in brackets";
    let wrong = || Error::unfit("extract", path, remedy);
    let mut steps = Vec::new();
    for part in path.split('.').filter(|_| !path.is_empty()) {
        let (name, elements) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        // The whole may be an array, and then there is no name in front.
        if !name.is_empty() {
            steps.push(Step::Member(name.as_bytes().into()));
        } else if elements.is_empty() || !steps.is_empty() {
            return Err(wrong());
        }
        let mut rest = elements;
        while let Some((number, behind)) = rest
            .strip_prefix('[')
            .and_then(|element| element.split_once(']'))
        {
            let number = number.parse().map_err(|_| wrong())?;
            steps.push(Step::Element(number));
            rest = behind;
        }
        if !rest.is_empty() {
            return Err(wrong());
        }
    }
    Error::check_count("extract", steps.len(), DEPTH_MAX)?;
    Ok(steps.into())
}

impl Parser for JsonParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let mut path = std::mem::take(&mut pairs.scratch.path);
        path.clear();
        let mut reader = Reader {
            delimiter: &self.key_delimiter,
            input,
            pairs,
            path,
            is_extracted: false,
        };
        let read = reader.document(&self.marker, &self.extract);
        let is_extracted = reader.is_extracted;
        pairs.scratch.path = reader.path;
        read?;
        if !is_extracted {
            return Err(Failed::new(0, "expected the part to extract"));
        }
        Ok(())
    }
}

/// The place behind what was read.
type Read = Result<usize, Failed>;

/// What is wanted of a value.
#[derive(Clone, Copy)]
enum Want<'p> {
    /// Its pairs.
    Pairs,
    /// The part that these steps lead to.
    Part(&'p [Step]),
    /// Nothing, but that it is well formed.
    Nothing,
}

impl<'p> Want<'p> {
    /// What is wanted at the end of a path.
    fn at(steps: &'p [Step]) -> Self {
        if steps.is_empty() {
            Self::Pairs
        } else {
            Self::Part(steps)
        }
    }
}

/// The name of a value: the path around it, and this.
#[derive(Clone, Copy, Default)]
struct Name {
    /// The name of a member. The part that is taken has none, nor have elements of such an array.
    member: Option<Text>,
    /// Both together, once an element of an array has asked for it.
    whole: Option<Piece>,
}

struct Reader<'a> {
    delimiter: &'a [u8],
    input: &'a [u8],
    pairs: &'a mut Pairs,
    /// The names of the objects around the place at hand, each with a delimiter behind it.
    path: Vec<u8>,
    is_extracted: bool,
}

impl Reader<'_> {
    fn document(&mut self, marker: &[u8], extract: &[Step]) -> Result<(), Failed> {
        let mut at = self.space(0);
        if !marker.is_empty() {
            let rest = self.input.get(at..).unwrap_or_default();
            if !rest.starts_with(marker) {
                return Err(Failed::new(at, "expected the marker"));
            }
            at = self.space(at + marker.len());
        }
        let is_start = match self.byte(at) {
            Some(b'{') => true,
            // An array has no name, but one of its elements may be wanted.
            Some(b'[') => matches!(extract.first(), Some(Step::Element(_))),
            _ => false,
        };
        if !is_start {
            return Err(Failed::new(at, "expected `{`"));
        }
        let end = self.value(at, 0, &mut Name::default(), Want::at(extract))?;
        let end = self.space(end);
        if end < self.input.len() {
            return Err(Failed::new(end, "expected the end behind the object"));
        }
        Ok(())
    }

    fn value(&mut self, at: usize, depth: usize, name: &mut Name, want: Want<'_>) -> Read {
        let first = self.byte(at);
        if let (Want::Pairs, Some(b'{' | b'[')) = (want, first) {
            self.is_extracted = true;
        }
        match first {
            Some(b'{') => self.object(at, depth, *name, want),
            Some(b'[') => self.array(at, depth, name, want),
            Some(b'"') => {
                let text = self.text(at)?;
                if let Want::Pairs = want
                    && let Some(name) = self.name(name)
                    && let Some(value) = self.unescaped(text)
                {
                    self.pairs.push(name, value);
                }
                Ok(text.end + 1)
            }
            _ => {
                let end = self.scalar(at)?;
                if let Want::Pairs = want
                    && first != Some(b'n')
                    && let Some(name) = self.name(name)
                {
                    self.pairs.push(name, Piece::input(at, end));
                }
                Ok(end)
            }
        }
    }

    fn object(&mut self, at: usize, depth: usize, name: Name, want: Want<'_>) -> Read {
        check_depth(at, depth)?;
        let path_len = self.path.len();
        if let (Want::Pairs, Some(member)) = (want, name.member) {
            self.enter(member);
        }
        let mut at = self.space(at + 1);
        if self.byte(at) == Some(b'}') {
            self.path.truncate(path_len);
            return Ok(at + 1);
        }
        loop {
            if self.byte(at) != Some(b'"') {
                return Err(Failed::new(at, "expected a name in double quotes"));
            }
            let key = self.text(at)?;
            at = self.space(key.end + 1);
            if self.byte(at) != Some(b':') {
                return Err(Failed::new(at, "expected `:` behind the name"));
            }
            at = self.space(at + 1);
            let (want, mut name) = self.member(want, key);
            at = self.value(at, depth + 1, &mut name, want)?;
            at = self.space(at);
            match self.byte(at) {
                Some(b',') => at = self.space(at + 1),
                Some(b'}') => {
                    self.path.truncate(path_len);
                    return Ok(at + 1);
                }
                _ => return Err(Failed::new(at, "expected `,` or `}`")),
            }
        }
    }

    fn array(&mut self, at: usize, depth: usize, name: &mut Name, want: Want<'_>) -> Read {
        check_depth(at, depth)?;
        let mut at = self.space(at + 1);
        if self.byte(at) == Some(b']') {
            return Ok(at + 1);
        }
        for index in 0_usize.. {
            let (want, name) = match want {
                Want::Part([Step::Element(number), rest @ ..]) if *number == index => {
                    (Want::at(rest), &mut Name::default())
                }
                Want::Pairs => (Want::Pairs, &mut *name),
                _ => (Want::Nothing, &mut Name::default()),
            };
            at = self.value(at, depth + 1, name, want)?;
            at = self.space(at);
            match self.byte(at) {
                Some(b',') => at = self.space(at + 1),
                Some(b']') => break,
                _ => return Err(Failed::new(at, "expected `,` or `]`")),
            }
        }
        Ok(at + 1)
    }

    /// What is wanted of a member of an object of which so much is wanted, and its name.
    fn member<'p>(&mut self, want: Want<'p>, key: Text) -> (Want<'p>, Name) {
        match want {
            Want::Pairs => {
                let name = Name {
                    member: Some(key),
                    whole: None,
                };
                (Want::Pairs, name)
            }
            Want::Part([Step::Member(name), rest @ ..]) if self.is(key, name) => {
                (Want::at(rest), Name::default())
            }
            _ => (Want::Nothing, Name::default()),
        }
    }

    /// Whether a text is this without its escapes.
    fn is(&mut self, text: Text, wanted: &[u8]) -> bool {
        let path_len = self.path.len();
        self.append(text);
        let is_it = self.path.get(path_len..) == Some(wanted);
        self.path.truncate(path_len);
        is_it
    }

    /// Appends a text without its escapes to the path. Of one that is too long for a name anyway, only so
    /// much is kept that it stays too long.
    fn append(&mut self, text: Text) {
        let own = self.input.get(text.start..text.end).unwrap_or_default();
        if text.has_escapes && own.len() <= ESCAPED_NAME_BYTES_MAX {
            Escapes::Json.append(own, &mut self.path);
        } else {
            let own = own.get(..NAME_BYTES_MAX + 1).unwrap_or(own);
            self.path.extend_from_slice(own);
        }
    }

    /// Appends the name of a member to the path.
    fn enter(&mut self, member: Text) {
        // A path that is too long makes no names, however much longer it would be.
        if self.path.len() <= NAME_BYTES_MAX {
            self.append(member);
            self.path.extend_from_slice(self.delimiter);
        }
    }

    /// The name of a value, put together once for all elements of an array.
    fn name(&mut self, name: &mut Name) -> Option<Piece> {
        if name.whole.is_none() {
            let member = name.member?;
            name.whole = if self.path.is_empty() && !member.has_escapes {
                Some(Piece::input(member.start, member.end))
            } else {
                self.own_name(member)
            };
        }
        name.whole
    }

    fn own_name(&mut self, member: Text) -> Option<Piece> {
        let path_len = self.path.len();
        if path_len <= NAME_BYTES_MAX {
            self.append(member);
        }
        let is_whole = path_len <= NAME_BYTES_MAX && self.path.len() <= NAME_BYTES_MAX;
        let piece = if is_whole {
            self.pairs.push_own(&self.path)
        } else {
            self.pairs.note_truncated();
            None
        };
        self.path.truncate(path_len);
        piece
    }

    /// The text whose quotation mark is at a place.
    fn text(&self, at: usize) -> Result<Text, Failed> {
        let start = at + 1;
        let mut end = start;
        let mut has_escapes = false;
        loop {
            let rest = self.input.get(end..).unwrap_or_default();
            let Some(len) = memchr2(b'"', b'\\', rest) else {
                return Err(Failed::new(at, "this text has no end"));
            };
            end += len;
            if self.byte(end) == Some(b'"') {
                return Ok(Text {
                    start,
                    end,
                    has_escapes,
                });
            }
            has_escapes = true;
            end += self.escape_len(end)?;
        }
    }

    /// The length of the escape at a place.
    fn escape_len(&self, at: usize) -> Read {
        match self.byte(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') => {
                let digits = self.input.get(at + 2..at + 6).unwrap_or_default();
                let is_escape = digits.len() == 4 && digits.iter().all(u8::is_ascii_hexdigit);
                is_escape.then_some(6).ok_or(Failed::new(
                    at,
                    "expected four hexadecimal digits behind `\\u`",
                ))
            }
            _ => Err(Failed::new(at, "expected an escape of JSON behind `\\`")),
        }
    }

    fn unescaped(&mut self, text: Text) -> Option<Piece> {
        if !text.has_escapes {
            return Some(Piece::input(text.start, text.end));
        }
        let own = self.input.get(text.start..text.end).unwrap_or_default();
        let append = |out: &mut Vec<u8>| Escapes::Json.append(own, out);
        self.pairs.push_own_with(own.len(), append)
    }

    /// Where the number, `true`, `false` or `null` at a place ends.
    fn scalar(&self, at: usize) -> Read {
        let rest = self.input.get(at..).unwrap_or_default();
        let len = match rest.first() {
            Some(b't') if rest.starts_with(b"true") => 4,
            Some(b'f') if rest.starts_with(b"false") => 5,
            Some(b'n') if rest.starts_with(b"null") => 4,
            Some(b'-' | b'0'..=b'9') => {
                number_len(rest).ok_or(Failed::new(at, "this number is not one of JSON"))?
            }
            _ => return Err(Failed::new(at, "expected a value")),
        };
        Ok(at + len)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.input.get(at).copied()
    }

    /// The next place where no white space stands.
    fn space(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte(at) {
            at += 1;
        }
        at
    }
}

/// A text of JSON, without its quotation marks.
#[derive(Clone, Copy)]
struct Text {
    start: usize,
    end: usize,
    has_escapes: bool,
}

/// Longest text that may be a name without its escapes: `\u0041` is one byte of it.
const ESCAPED_NAME_BYTES_MAX: usize = 6 * NAME_BYTES_MAX;

fn check_depth(at: usize, depth: usize) -> Result<(), Failed> {
    if depth >= DEPTH_MAX {
        return Err(Failed::new(at, "this is nested too deep"));
    }
    Ok(())
}

/// The length of the number that a text starts with; `None` where it is none. What stands behind it is
/// looked at by others.
fn number_len(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut at = usize::from(text.first() == Some(&b'-'));
    at += match (text.get(at)?, digits(at)) {
        (_, 0) => return None,
        (b'0', _) => 1,
        (_, count) => count,
    };
    if text.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        (count > 0).then_some(())?;
        at += 1 + count;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let count = digits(at + 1 + sign);
        (count > 0).then_some(())?;
        at += 1 + sign + count;
    }
    Some(at)
}

#[cfg(test)]
mod tests;
