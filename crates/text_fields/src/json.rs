//! JSON objects in a text. The name of a field is its path, `src.ip`; elements of an array have the name
//! of the array. Values are what stands there: texts without their escapes, numbers, `true` and `false`
//! as they are written; `null` is no value.
//!
//! An object that breaks off, or is none from some place on, gives the fields before that place.

use memchr::memchr;

use crate::limits::{DEPTH_MAX, NAME_BYTES_MAX};
use crate::out::{Out, Sink};
use crate::pairs::closing_quote;
use crate::rule::Part;
use crate::unescape::Escapes;

/// Whether a text starts with an object: a brace, and a name or the end of it.
pub(crate) fn is_object(text: &[u8]) -> bool {
    let inside = text.get(1..).unwrap_or_default().trim_ascii_start();
    matches!(inside.first(), Some(b'"' | b'}'))
}

/// Reads the object at a place, whose members have `path` in front; returns the place behind what was
/// read, from which on the text goes on.
pub(crate) fn read<S: Sink>(
    start: usize,
    path: &mut Vec<u8>,
    buffer: &mut Vec<u8>,
    out: &mut Out<'_, '_, S>,
) -> usize {
    let path_len = path.len();
    let mut reader = Reader { path, buffer, out };
    let end = reader.object(start, 1);
    path.truncate(path_len);
    let (Ok(end) | Err(end)) = end;
    // With the byte at which it broke off.
    out.read(start..end + 1, Part::Frame);
    end
}

/// The place behind what was read, or where it broke off.
type Read = Result<usize, usize>;

struct Reader<'r, 'm, 's, S> {
    path: &'r mut Vec<u8>,
    buffer: &'r mut Vec<u8>,
    out: &'r mut Out<'m, 's, S>,
}

impl<S: Sink> Reader<'_, '_, '_, S> {
    /// An object, whose brace is at `at`.
    fn object(&mut self, at: usize, depth: usize) -> Read {
        if depth > DEPTH_MAX {
            return Err(self.out.text.len());
        }
        let mut at = self.space(at + 1);
        if self.out.byte(at) == Some(b'}') {
            return Ok(at + 1);
        }
        let path_len = self.path.len();
        loop {
            if self.out.is_full() {
                return Err(self.out.text.len());
            }
            let (start, end) = self.string(at)?;
            let colon = self.space(end + 1);
            self.expect(b':', colon)?;
            self.enter(start, end);
            let value = self.space(colon + 1);
            let read = self.value(value, depth);
            self.path.truncate(path_len);
            at = self.space(read?);
            match self.out.byte(at) {
                Some(b',') => at = self.space(at + 1),
                Some(b'}') => return Ok(at + 1),
                _ => return Err(at),
            }
        }
    }

    fn array(&mut self, at: usize, depth: usize) -> Read {
        if depth > DEPTH_MAX {
            return Err(self.out.text.len());
        }
        let mut at = self.space(at + 1);
        if self.out.byte(at) == Some(b']') {
            return Ok(at + 1);
        }
        loop {
            if self.out.is_full() {
                return Err(self.out.text.len());
            }
            at = self.value(at, depth)?;
            at = self.space(at);
            match self.out.byte(at) {
                Some(b',') => at = self.space(at + 1),
                Some(b']') => return Ok(at + 1),
                _ => return Err(at),
            }
        }
    }

    /// The value of the field that `path` names, a dot behind it.
    fn value(&mut self, at: usize, depth: usize) -> Read {
        match self.out.byte(at) {
            Some(b'{') => self.object(at, depth + 1),
            Some(b'[') => self.array(at, depth + 1),
            Some(b'"') => {
                let (start, end) = self.string(at)?;
                let value = self.out.part(start, end);
                self.out.read(start..end, Part::Quoted);
                let name = self.path.strip_suffix(b".").unwrap_or_default();
                self.out.escaped(name, value, Escapes::Json, self.buffer);
                Ok(end + 1)
            }
            _ => self.scalar(at),
        }
    }

    /// A number, `true`, `false` or `null`. Where nothing stands behind it, it may be torn.
    fn scalar(&mut self, at: usize) -> Read {
        let rest = self.out.from(at);
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let len = rest.iter().take_while(|byte| is_part(byte)).count();
        let value = rest.get(..len).unwrap_or_default();
        let is_number = match value {
            [b'-', rest @ ..] => rest.first().is_some_and(u8::is_ascii_digit),
            _ => value.first().is_some_and(u8::is_ascii_digit),
        };
        let is_scalar = is_number || matches!(value, b"true" | b"false" | b"null");
        let is_whole = rest
            .get(len)
            .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']'));
        if !is_scalar || !is_whole {
            self.out.read(at..at + len + 1, Part::Fixed);
            return Err(at);
        }
        self.out.read(at..at + len, Part::Scalar);
        if value != b"null" {
            let name = self.path.strip_suffix(b".").unwrap_or_default();
            self.out.plain(name, value);
        }
        Ok(at + len)
    }

    /// Where the string at a place starts and ends, without its quotation marks.
    fn string(&mut self, at: usize) -> Result<(usize, usize), usize> {
        self.expect(b'"', at)?;
        match closing_quote(self.out.from(at + 1)) {
            Some(len) => Ok((at + 1, at + 1 + len)),
            // Without an end it goes on to the end of the message.
            None => {
                self.out.read(at..self.out.text.len(), Part::Fixed);
                Err(self.out.text.len())
            }
        }
    }

    /// Appends the name of a member to the path.
    fn enter(&mut self, start: usize, end: usize) {
        let name = self.out.part(start, end);
        self.out.read(start..end, Part::Fixed);
        // A path that is too long is no name, however much longer it would be.
        if self.path.len() <= NAME_BYTES_MAX {
            if memchr(b'\\', name).is_none() {
                self.path.extend_from_slice(name);
            } else {
                let name = Escapes::Json.undo(name, self.buffer);
                self.path.extend_from_slice(name);
            }
        }
        self.path.push(b'.');
    }

    fn expect(&self, wanted: u8, at: usize) -> Result<(), usize> {
        if self.out.byte(at) == Some(wanted) {
            Ok(())
        } else {
            Err(at)
        }
    }

    /// The next place where no white space stands.
    fn space(&self, at: usize) -> usize {
        let rest = self.out.from(at);
        let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        at + space.count()
    }
}
