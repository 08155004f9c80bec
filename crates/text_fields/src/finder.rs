//! The fields of one name.

use std::borrow::Cow;

use memchr::{memchr, memchr2_iter};

use crate::out::Sink;
use crate::{Detector, Origin};
use crate::{access_log, event};

/// Finds the values of the fields of a name, in any ASCII case. Looks for the name first, and reads
/// a message only where it may have such a field. Cheap to make; holds buffers, hence `&mut`.
#[derive(Clone, Debug)]
pub struct FieldFinder<'n> {
    name: Cow<'n, [u8]>,
    /// What stands behind the last dot of the name: in front of `=`, or at the end of a quoted name.
    last_len: usize,
    is_of_log: bool,
    is_of_event: bool,
    detector: Detector,
}

impl<'n> FieldFinder<'n> {
    /// A finder of the fields of this name.
    pub fn new(name: impl Into<Cow<'n, [u8]>>) -> Self {
        let name = name.into();
        let last = name.rsplit(|byte| *byte == b'.').next();
        let last_len = last.map_or(0, <[u8]>::len);
        let (mut is_of_log, mut is_of_event) = (false, false);
        for origin in Origin::of(&name) {
            match origin {
                Origin::AccessLog => is_of_log = true,
                Origin::Cef | Origin::Leef => is_of_event = true,
            }
        }
        Self {
            name,
            last_len,
            is_of_log,
            is_of_event,
            detector: Detector::default(),
        }
    }

    /// The name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Calls `visit` with the value of each field of the name in a message, as [`Detector::each`] would.
    pub fn each(&mut self, message: &[u8], visit: &mut dyn FnMut(&[u8])) {
        struct Named<'n, 'v>(&'n [u8], &'v mut dyn FnMut(&[u8]));
        impl Sink for Named<'_, '_> {
            fn wants(&mut self, name: &[u8]) -> bool {
                name.eq_ignore_ascii_case(self.0)
            }
            fn found(&mut self, _: &[u8], value: &[u8]) {
                (self.1)(value);
            }
        }
        if self.may_have(message) {
            self.detector.scan(message, &mut Named(&self.name, visit));
        }
    }

    /// Whether the message may have a field of the name, as far as that is quickly seen.
    fn may_have(&self, message: &[u8]) -> bool {
        let start = self.name.len() - self.last_len;
        let last = self.name.get(start..).unwrap_or_default();
        let is_name = |end: usize| {
            let start = end.checked_sub(last.len());
            let before = start.and_then(|start| message.get(start..end));
            before.is_some_and(|before| before.eq_ignore_ascii_case(last))
        };
        memchr2_iter(b'=', b'"', message).any(is_name)
            || self.is_of_log && access_log::is_one(message)
            || self.is_of_event && event::has_mark(message)
            // A name may be written with escapes.
            || memchr(b'\\', message).is_some() && memchr(b'{', message).is_some()
    }
}
