//! Text with pairs and JSON objects in it, wherever they stand.

use memchr::memchr2;

use crate::out::{Out, Sink};
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
            if json::is_object(out.from(place)) {
                at = json::read(place, path, buffer, out);
                from = at;
            }
            continue;
        }
        let Some(name) = pairs::name_before(out.text, from, place) else {
            continue;
        };
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
