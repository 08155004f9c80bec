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

    /// Whether a byte is there, and of one of these classes.
    pub(crate) fn is(&self, byte: Option<&u8>, classes: u8) -> bool {
        byte.is_some_and(|byte| self.of(*byte) & classes != 0)
    }
}
