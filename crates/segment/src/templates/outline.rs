//! What makes another text be cut like one that was.
//!
//! A text that has the same fixed bytes, and between them slots that are found in the same way, is
//! cut into the same shape: a token depends on no more than its own bytes, the one before it and the
//! break behind it, and what stands in quotes on no more than its bytes and the one behind them. Where
//! fixed bytes depend on what stands behind them, there is no outline: a quote that is closed beyond
//! a slot or never, or a short word and a colon before a slot, which may be an address.
#![deny(clippy::indexing_slicing)]

use super::cut::{BREAK, HEX, SLOT, kind, quoted};

/// Most letters before a colon that are taken for the start of an address.
const ADDRESS_LETTERS_MAX: usize = 4;

/// How a slot is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Find {
    /// It is the token behind the fixed bytes.
    Token,
    /// It ends where the quote ends that the fixed bytes end with.
    Quoted,
}

/// How each slot of a shape is found, in order; `None` where its fixed bytes do not suffice.
pub(crate) fn outline(shape: &[u8]) -> Option<Vec<Find>> {
    let mut found = Vec::new();
    let mut runs = shape.split(|byte| *byte == SLOT).peekable();
    let mut before = None;
    while let Some(run) = runs.next() {
        let has_slot_behind = runs.peek().is_some();
        let find = behind(run, before, has_slot_behind)?;
        before = Some(find);
        if has_slot_behind {
            found.push(find);
        }
    }
    Some(found)
}

/// How the slot behind a run of fixed bytes is found, given how the one before it was.
fn behind(run: &[u8], before: Option<Find>, has_slot_behind: bool) -> Option<Find> {
    let mut at = 0;
    if before == Some(Find::Quoted) {
        at = matches!(run.first(), Some(b'"' | b'\'')).then_some(1)?;
    }
    while let Some(byte) = run.get(at) {
        let last = at.checked_sub(1).and_then(|last| run.get(last));
        let is_open = match byte {
            b'"' => true,
            b'\'' => last.map_or(before.is_none(), |last| kind(*last) & BREAK != 0),
            _ => false,
        };
        if is_open && has_slot_behind && at + 1 == run.len() {
            return Some(Find::Quoted);
        }
        let is_empty = *byte == b'\'' && run.get(at + 1) == Some(byte);
        if !is_open || is_empty {
            at += 1;
            continue;
        }
        let (None, next) = quoted(run, at, &mut 0)? else {
            return None;
        };
        at = next;
    }
    (!has_slot_behind || !may_be_address(run)).then_some(Find::Token)
}

/// Whether the end of a run is part of an address if a digit follows.
fn may_be_address(run: &[u8]) -> bool {
    let Some(word) = run.strip_suffix(b":") else {
        return false;
    };
    let letters = word.iter().rev();
    let letters = letters.take_while(|byte| kind(**byte) & BREAK == 0);
    let is_hex = letters.clone().all(|byte| kind(*byte) & HEX != 0);
    is_hex && (1..=ADDRESS_LETTERS_MAX).contains(&letters.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Find::{Quoted, Token};

    #[test]
    fn slots_are_found_by_what_is_before_them() {
        for (shape, expected) in [
            ("", Some(vec![])),
            ("all fixed", Some(vec![])),
            ("took $ ms of $", Some(vec![Token, Token])),
            ("user '$' isn't $", Some(vec![Quoted, Token])),
            (
                r#"{"level":"$","n":$,"":$}"#,
                Some(vec![Quoted, Token, Token]),
            ),
            ("size:$ fade:$", None),
            ("abcdef:$", Some(vec![Token])),
            ("fe:$", None),
            (r#"an open " quote"#, None),
            (r#"an open " $"#, None),
        ] {
            let shape: Vec<u8> = shape.replace('$', "\0").into_bytes();
            assert_eq!(outline(&shape), expected, "{shape:?}");
        }
    }
}
