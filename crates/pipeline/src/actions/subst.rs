//! What a regular expression finds in a place is replaced.

use model::Editor;
use regex::bytes::{Regex, RegexBuilder};

use crate::place::{Origin, Target};
use crate::step::{Action, Failure, Scratch};

/// Most bytes that a compiled expression may take.
pub(super) const REGEX_BYTES_MAX: usize = 4 << 20;

/// Replaces what matches.
#[derive(Clone, Debug)]
pub struct Subst {
    target: Target,
    pattern: Regex,
    replacement: Vec<u8>,
    is_global: bool,
}

/// An expression that cannot be used, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRegex(pub String);

/// Compiles an expression; its time is linear in the text whatever it is.
pub(super) fn compile(pattern: &str, ignores_case: bool) -> Result<Regex, InvalidRegex> {
    RegexBuilder::new(pattern)
        .case_insensitive(ignores_case)
        .size_limit(REGEX_BYTES_MAX)
        .build()
        .map_err(|error| {
            let text = error.to_string();
            let reason = text.lines().rev().find(|line| !line.trim().is_empty());
            InvalidRegex(reason.unwrap_or(&text).trim().to_owned())
        })
}

impl Subst {
    /// `replacement` may name groups as `$1` or `${name}`; `$$` is a dollar sign.
    ///
    /// # Errors
    /// When the pattern is no regular expression.
    pub fn new(
        target: Target,
        (pattern, ignores_case): (&str, bool),
        replacement: &str,
        is_global: bool,
    ) -> Result<Self, InvalidRegex> {
        Ok(Self {
            target,
            pattern: compile(pattern, ignores_case)?,
            replacement: replacement.as_bytes().to_vec(),
            is_global,
        })
    }
}

impl Action for Subst {
    fn apply(&self, record: &mut Editor<'_>, scratch: &mut Scratch) -> Result<(), Failure> {
        scratch.input.clear();
        let origin = Origin::Place(self.target.clone());
        origin.read(record.record(), &mut scratch.input);
        let most = if self.is_global { 0 } else { 1 };
        let replaced = self
            .pattern
            .replacen(&scratch.input, most, self.replacement.as_slice());
        match replaced {
            std::borrow::Cow::Borrowed(_) => Ok(()),
            std::borrow::Cow::Owned(text) => self.target.write(record, &text),
        }
    }
}
