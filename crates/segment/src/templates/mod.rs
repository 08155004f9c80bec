//! Templates: what messages of one kind have in common, found while they pass.

pub(crate) mod cut;
pub(crate) mod outline;
mod pattern;
mod pattern_outline;

use std::collections::HashMap;
use std::ops::Range;

use crate::limits::TEMPLATES_MAX;
use cut::SLOT;
pub use pattern::Patterns;
pub use pattern_outline::PatternOutline;

/// Messages by what they have in common.
#[derive(Debug, Default)]
pub struct Templates {
    /// The number of each shape.
    known: HashMap<Box<[u8]>, u32>,
    templates: Vec<Template>,
    shape: Vec<u8>,
    slots: Vec<Range<usize>>,
}

/// What messages of one kind have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    shape: Box<[u8]>,
    /// How many messages are of this kind.
    pub messages: u64,
    /// Bytes of those messages.
    pub bytes: u64,
}

impl Templates {
    /// No messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a message: the number of its template, and where it differs from others with the same
    /// one. `None` where there are [`TEMPLATES_MAX`] others already.
    pub fn add(&mut self, message: &[u8]) -> Option<(u32, &[Range<usize>])> {
        cut::cut(message, &mut self.shape, &mut self.slots);
        let number = match self.known.get(self.shape.as_slice()) {
            Some(number) => *number,
            None if self.templates.len() == TEMPLATES_MAX => return None,
            None => self.insert(),
        };
        let template = self.templates.get_mut(number as usize)?;
        template.messages += 1;
        template.bytes += message.len() as u64;
        Some((number, &self.slots))
    }

    /// All of them, in the order of their first messages.
    pub fn all(&self) -> &[Template] {
        &self.templates
    }

    fn insert(&mut self) -> u32 {
        let number = self.templates.len() as u32;
        let shape: Box<[u8]> = self.shape.as_slice().into();
        self.known.insert(shape.clone(), number);
        self.templates.push(Template {
            shape,
            messages: 0,
            bytes: 0,
        });
        number
    }
}

impl Template {
    /// The parts that do not vary; between each and the next is a slot.
    pub fn fixed(&self) -> impl Iterator<Item = &[u8]> {
        self.shape.split(|byte| *byte == SLOT)
    }

    /// How many slots it has.
    pub fn slots(&self) -> usize {
        self.fixed().count() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_kind_share_a_template() {
        let mut templates = Templates::new();
        let numbers: Vec<_> = ["took 5 ms", "took 77 ms", "took long", "took 5 ms"]
            .iter()
            .map(|message| templates.add(message.as_bytes()).map(|(number, _)| number))
            .collect();
        assert_eq!(numbers, [Some(0), Some(0), Some(1), Some(0)]);
        let [first, second] = templates.all() else {
            panic!("two templates: {:?}", templates.all());
        };
        assert_eq!((first.messages, first.bytes, first.slots()), (3, 28, 1));
        let fixed: Vec<&[u8]> = first.fixed().collect();
        assert_eq!(fixed, [b"took ".as_slice(), b" ms"]);
        assert_eq!((second.messages, second.slots()), (1, 0));
    }

    #[test]
    fn slots_are_where_messages_differ() {
        let mut templates = Templates::new();
        let found = templates.add(b"from 10.0.0.1 to web-1");
        assert_eq!(found, Some((0, [5..13, 17..22].as_slice())));
    }

    #[test]
    fn there_are_only_so_many() {
        let mut templates = Templates::new();
        let word = |mut number: usize| {
            let mut word = Vec::new();
            for _ in 0..5 {
                word.push(b'a' + (number % 26) as u8);
                number /= 26;
            }
            word
        };
        for number in 0..TEMPLATES_MAX {
            assert!(templates.add(&word(number)).is_some());
        }
        assert_eq!(templates.add(&word(TEMPLATES_MAX)), None);
        assert!(templates.add(&word(3)).is_some());
        assert_eq!(templates.all().len(), TEMPLATES_MAX);
    }
}
