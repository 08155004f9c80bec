//! Dotted names as objects inside each other: `a.b` and `a.c` become `{"a":{"b":..,"c":..}}`.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::{Pair, write_json_value};
use crate::context::Scene;
use crate::json::{self, Invalid};
use crate::output::Output;

/// The order in which names are written: a dot comes before all other bytes, so that what belongs to an
/// object stands together, right behind a value of the object's name.
pub(super) fn order(left: &[u8], right: &[u8]) -> Ordering {
    let rank = |byte: &u8| (*byte != b'.', *byte);
    left.iter().map(rank).cmp(right.iter().map(rank))
}

/// The objects that are open while members are written in order.
#[derive(Default)]
pub(super) struct Tree {
    /// The names of the open objects, each with a dot behind it.
    path: SmallVec<[u8; 64]>,
    depth: usize,
    has_members: bool,
    /// The last name that was written in whole. What has it as a prefix cannot be an object of its name.
    last: SmallVec<[u8; 64]>,
}

impl Tree {
    /// Writes a member, in the objects of its name.
    pub(super) fn member(
        &mut self,
        pair: Pair<'_>,
        scene: &Scene<'_>,
        keeps_first_dot: bool,
        out: &mut Output<'_>,
    ) {
        let mut name: SmallVec<[u8; 64]> = SmallVec::from_slice(pair.name(out));
        if let Some(first) = name
            .first_mut()
            .filter(|byte| **byte == b'.' && !keeps_first_dot)
        {
            *first = b'_';
        }
        let leaf = self.objects(&name, out);
        self.comma(out);
        let key = name.get(leaf..).unwrap_or_default();
        json::string(key.strip_suffix(b".").unwrap_or(key), Invalid::Escape, out);
        out.byte(b':');
        write_json_value(pair, scene, out);
    }

    /// Closes and opens objects for a name; where its last part starts.
    fn objects(&mut self, name: &[u8], out: &mut Output<'_>) -> usize {
        while !name.starts_with(&self.path) {
            self.pop(out);
        }
        let is_below_value = |name: &[u8], value: &[u8]| {
            !value.is_empty() && name.starts_with(value) && name.get(value.len()) == Some(&b'.')
        };
        let mut leaf = self.path.len();
        if is_below_value(name, &self.last) {
            return leaf;
        }
        while let Some(len) = first_part(name.get(leaf..).unwrap_or_default()) {
            self.comma(out);
            let part = name.get(leaf..leaf + len).unwrap_or_default();
            json::string(part, Invalid::Escape, out);
            out.push(b":{");
            self.has_members = false;
            self.depth += 1;
            leaf += len + 1;
            self.path = SmallVec::from_slice(name.get(..leaf).unwrap_or_default());
        }
        self.last = SmallVec::from_slice(name);
        leaf
    }

    /// Closes the innermost object.
    fn pop(&mut self, out: &mut Output<'_>) {
        let inner = self.path.strip_suffix(b".").unwrap_or_default();
        let mut outer = 0;
        while let Some(len) = first_part(inner.get(outer..).unwrap_or_default()) {
            outer += len + 1;
        }
        self.path.truncate(outer);
        self.depth -= 1;
        self.has_members = true;
        out.byte(b'}');
    }

    fn comma(&mut self, out: &mut Output<'_>) {
        if self.has_members {
            out.byte(b',');
        }
        self.has_members = true;
    }

    /// Closes all objects.
    pub(super) fn close(&self, out: &mut Output<'_>) {
        for _ in 0..=self.depth {
            out.byte(b'}');
        }
    }
}

/// The length of the first part of a name if another one follows; dots at its start belong to it.
fn first_part(name: &[u8]) -> Option<usize> {
    let start = name.iter().position(|byte| *byte != b'.')?;
    let dot = name.get(start..)?.iter().position(|byte| *byte == b'.')?;
    let end = start + dot;
    (end + 1 < name.len()).then_some(end)
}
