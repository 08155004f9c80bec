//! Sets of bytes.

/// A set of bytes, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    /// The bytes of a text.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut set = Self::default();
        for byte in text {
            if let Some(part) = set.0.get_mut(usize::from(byte >> 6)) {
                *part |= 1 << (byte & 63);
            }
        }
        set
    }

    /// With ASCII letters and digits.
    pub(crate) fn with_alphanumerics(mut self) -> Self {
        for byte in (0..=u8::MAX).filter(u8::is_ascii_alphanumeric) {
            if let Some(part) = self.0.get_mut(usize::from(byte >> 6)) {
                *part |= 1 << (byte & 63);
            }
        }
        self
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        let part = self.0.get(usize::from(byte >> 6));
        part.is_some_and(|part| part >> (byte & 63) & 1 == 1)
    }

    /// How many bytes at the start of a text are in the set.
    pub(crate) fn run(&self, text: &[u8]) -> usize {
        let end = text.iter().position(|byte| !self.contains(*byte));
        end.unwrap_or(text.len())
    }
}
