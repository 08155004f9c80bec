//! Where a text holds a literal.

use memchr::memmem::Finder;

use super::folded::{FoldedText, folds_to_ascii};

/// A literal made ready.
#[derive(Clone, Debug)]
pub(super) struct LiteralSearch {
    finder: Finder<'static>,
    case: Case,
}

/// What a literal is looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// The text: case counts, or there are no letters.
    AsWritten,
    /// The text with its ASCII letters in lower case. `is_whole` where no letter of the literal can
    /// come from a character that is not ASCII.
    Letters { is_whole: bool },
    /// The folded text: the literal is not ASCII.
    Full,
}

impl LiteralSearch {
    /// A literal to be found as written.
    pub(super) fn exact(bytes: &[u8]) -> Self {
        Self {
            finder: Finder::new(bytes).into_owned(),
            case: Case::AsWritten,
        }
    }

    /// A folded literal, to be found in either case.
    pub(super) fn folded(bytes: &[u8]) -> Self {
        let case = if !bytes.is_ascii() {
            Case::Full
        } else if bytes.iter().any(u8::is_ascii_alphabetic) {
            let is_whole = !bytes.iter().any(|byte| matches!(byte, b'i' | b'k'));
            Case::Letters { is_whole }
        } else {
            Case::AsWritten
        };
        Self {
            finder: Finder::new(bytes).into_owned(),
            case,
        }
    }

    /// Whether it is nowhere in the folded text that it is not in the text with its ASCII letters
    /// in lower case.
    pub(super) fn needs_letters_only(&self) -> bool {
        matches!(
            self.case,
            Case::AsWritten | Case::Letters { is_whole: true }
        )
    }

    /// Length in bytes.
    pub(super) fn len(&self) -> usize {
        self.finder.needle().len()
    }

    /// Where it stands in bytes that are what it is looked for in, overlapping ones too.
    pub(super) fn occurrences<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = from + self.finder.find(bytes.get(from..)?)?;
            from = start + 1;
            Some(start)
        })
    }

    /// Whether it stands in the text at a place that `accepts` it. That is asked of the bytes that
    /// were searched, the text or a lower case of it, and the start of the place in them. A byte's
    /// being of a word is the same in all.
    pub(super) fn is_in(
        &self,
        text: &[u8],
        folded: &mut FoldedText,
        accepts: impl Fn(&[u8], usize) -> bool,
    ) -> bool {
        let is_accepted = |bytes: &[u8]| self.occurrences(bytes).any(|start| accepts(bytes, start));
        match self.case {
            Case::AsWritten => is_accepted(text),
            Case::Letters { is_whole } => {
                is_accepted(folded.letters(text))
                    || !is_whole
                        && !folded.is_ascii(text)
                        && folds_to_ascii(text)
                        && is_accepted(folded.full(text))
            }
            // What stands in lower case already is found before the text is folded.
            Case::Full => {
                !folded.is_ascii(text)
                    && (is_accepted(folded.letters(text)) || is_accepted(folded.full(text)))
            }
        }
    }
}
