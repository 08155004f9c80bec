//! The TAG of RFC 3164 section 4.1.3: `prog: `, `prog[pid]: `, `prog[pid] `.

use model::Span;

use super::words::{BARE, PROGRAM, is, is_event, is_level, is_name};
use crate::cursor::Cursor;

/// A TAG, taken apart.
pub(super) struct ReadTag {
    pub(super) program: Span,
    pub(super) pid: Span,
    /// Whether brackets stand behind the program.
    pub(super) is_numbered: bool,
    /// Whether it can hardly be the start of a sentence: `name[123]:` or `%FACILITY-1-MNEMONIC:`.
    pub(super) is_certain: bool,
}

/// Reads `prog:`, `prog[pid]:` or `prog[pid]`, and `prog[part][pid]` as sssd writes it.
pub(super) fn read_tag(at: &mut Cursor<'_>) -> Option<ReadTag> {
    let start = at.at();
    let mut ahead = *at;
    let first = ahead.peek();
    let is_cisco = first == Some(b'%');
    if is_event(ahead.rest()) {
        return None;
    }
    let name = ahead.take_while(|byte| is(byte, PROGRAM));
    if !is_name(name) {
        return None;
    }
    // `Foo::Bar[12]: text`
    while ahead.eat_text(b"::") {
        ahead.take_while(|byte| is(byte, PROGRAM));
    }
    let mut program = ahead.span_from(start);
    let mut pid = Span::default();
    let is_numbered = ahead.peek() == Some(b'[');
    if is_numbered {
        pid = bracketed(&mut ahead)?;
        if ahead.peek() == Some(b'[') {
            program = ahead.span_from(start);
            pid = bracketed(&mut ahead)?;
            if ahead.peek() != Some(b':') {
                return None;
            }
        }
    }
    let has_colon = ahead.eat(b':');
    let is_end = match (is_numbered, has_colon) {
        (_, true) if ahead.rest().starts_with(b"//") => false, // A URL.
        (true, true) => true,
        // A search for `error` finds it in the message alone.
        (false, true) => !is_level(name),
        (true, false) => matches!(ahead.peek(), None | Some(b' ')),
        (false, false) => false,
    };
    if !is_end {
        return None;
    }
    *at = ahead;
    Some(ReadTag {
        program,
        pid,
        is_numbered,
        is_certain: has_colon && (is_numbered || is_cisco),
    })
}

/// Reads `[12]` and returns what is in it.
#[inline]
fn bracketed(at: &mut Cursor<'_>) -> Option<Span> {
    at.eat(b'[');
    let start = at.at();
    at.take_while(|byte| !matches!(byte, b' ' | b'[' | b']'));
    let inner = at.span_from(start);
    at.eat(b']').then_some(inner)
}

/// Reads a word that can be a program and that a space ends.
pub(super) fn read_bare<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let mut ahead = *at;
    let word = ahead.take_while(|byte| is(byte, BARE));
    let is_program = is_name(word) && ahead.peek() == Some(b' ') && !word.starts_with(super::BOM);
    is_program.then(|| {
        *at = ahead;
        word
    })
}
