//! What each byte means to a format: a table, since a look at it costs the same whatever the options are.

/// The classes of all bytes, a bit each.
#[derive(Clone, Debug)]
pub(crate) struct Classes(Box<[u8; 256]>);

impl Default for Classes {
    fn default() -> Self {
        Self(Box::new([0; 256]))
    }
}

impl Classes {
    /// Puts a byte into a class.
    pub(crate) fn mark(&mut self, byte: u8, class: u8) {
        if let Some(classes) = self.0.get_mut(usize::from(byte)) {
            *classes |= class;
        }
    }

    /// The classes of a byte.
    pub(crate) fn of(&self, byte: u8) -> u8 {
        self.0.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// How many bytes a text starts with that are of a class. Four are looked at together, for a branch
    /// costs more than a byte.
    #[inline]
    pub(crate) fn run(&self, text: &[u8], class: u8) -> usize {
        let is_other = |byte: u8| self.of(byte) & class == 0;
        let (fours, rest) = text.as_chunks::<4>();
        let mut len = 0;
        for four in fours {
            let [a, b, c, d] = *four;
            if self.of(a) & self.of(b) & self.of(c) & self.of(d) & class == 0 {
                return len + first_of(*four, is_other);
            }
            len += four.len();
        }
        len + rest.iter().take_while(|byte| !is_other(**byte)).count()
    }

    /// How many bytes stand before the first that is of one of these classes.
    #[inline]
    pub(crate) fn before(&self, text: &[u8], classes: u8) -> usize {
        let is_one = |byte: u8| self.of(byte) & classes != 0;
        let (fours, rest) = text.as_chunks::<4>();
        let mut len = 0;
        for four in fours {
            let [a, b, c, d] = *four;
            if (self.of(a) | self.of(b) | self.of(c) | self.of(d)) & classes != 0 {
                return len + first_of(*four, is_one);
            }
            len += four.len();
        }
        len + rest.iter().take_while(|byte| !is_one(**byte)).count()
    }

    /// How many bytes a text ends with that are of one of these classes.
    pub(crate) fn run_at_end(&self, text: &[u8], classes: u8) -> usize {
        let mut rest = text;
        while let [before @ .., last] = rest
            && self.of(*last) & classes != 0
        {
            rest = before;
        }
        text.len() - rest.len()
    }

    /// Whether a byte is there, and of one of these classes.
    pub(crate) fn is(&self, byte: Option<&u8>, classes: u8) -> bool {
        byte.is_some_and(|byte| self.of(*byte) & classes != 0)
    }
}

/// The place of the first byte of four that is one, as one of them is.
#[inline]
fn first_of([a, b, c, _]: [u8; 4], is_one: impl Fn(u8) -> bool) -> usize {
    if is_one(a) {
        0
    } else if is_one(b) {
        1
    } else if is_one(c) {
        2
    } else {
        3
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_are_as_long_as_byte_by_byte(text in "[ab =]{0,20}") {
            let mut classes = Classes::default();
            b"ab".iter().for_each(|byte| classes.mark(*byte, 1));
            classes.mark(b' ', 2);
            classes.mark(b'=', 4);
            let text = text.as_bytes();
            let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic());
            prop_assert_eq!(classes.run(text, 1), letters.count());
            let others = text.iter().take_while(|byte| !b" =".contains(byte));
            prop_assert_eq!(classes.before(text, 2 | 4), others.count());
            let last = text.iter().rev().take_while(|byte| **byte == b'=');
            prop_assert_eq!(classes.run_at_end(text, 4), last.count());
        }
    }
}
