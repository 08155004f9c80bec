//! Text with pairs and JSON objects in it, wherever they stand.

use memchr::memchr2;

use crate::out::{Out, Sink};
use crate::rule::Part;
use crate::{json, pairs};

/// Reads a message from a place on.
pub(crate) fn read<S: Sink>(
    start: usize,
    path: &mut Vec<u8>,
    buffer: &mut Vec<u8>,
    out: &mut Out<'_, '_, S>,
) {
    // What is before `from` belongs to what was read already.
    let (mut from, mut at) = (start, start);
    while !out.is_full() {
        let Some(found) = memchr2(b'=', b'{', out.from(at)) else {
            return;
        };
        let place = at + found;
        let behind = place + 1;
        at = behind;
        if out.byte(place) == Some(b'{') {
            note_brace(place, out);
            if json::is_object(out.from(place)) {
                at = json::read(place, path, buffer, out);
                from = at;
            }
            continue;
        }
        if S::OUTLINES {
            let run = pairs::run_before(out.text, from, place);
            out.read(run.saturating_sub(1)..behind, Part::Fixed);
        }
        let Some(name) = pairs::name_before(out.text, from, place) else {
            continue;
        };
        if out.byte(behind) == Some(b'{') {
            note_brace(behind, out);
        }
        if out.byte(behind) == Some(b'{') && json::is_object(out.from(behind)) {
            // The members of an object that is a value have its name in front.
            path.extend_from_slice(name);
            path.push(b'.');
            at = json::read(behind, path, buffer, out);
            path.clear();
            from = at;
        } else if let Some(end) = pairs::value(behind, name, buffer, out) {
            at = end;
            from = end;
        }
    }
}

/// Whether an object starts at a brace is told by the first byte behind it that is no white space.
fn note_brace<S: Sink>(place: usize, out: &mut Out<'_, '_, S>) {
    if S::OUTLINES {
        let inside = out.from(place + 1);
        let space = inside.iter().take_while(|byte| byte.is_ascii_whitespace());
        out.read(place..place + 2 + space.count(), Part::Fixed);
    }
}
