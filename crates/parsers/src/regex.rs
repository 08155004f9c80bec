//! Regular expressions: each named group that took part in the match is a pair.
//!
//! A text that has no match is not taken apart. The expression is found anywhere in the text, unless it says
//! where by `^` and `$`; where it matches more than once, the first match counts.

use regex_automata::meta::{BuildError, Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Input, PatternID};

use crate::limits::{
    REGEX_BYTES_MAX, REGEX_CACHE_BYTES_MAX, REGEX_ONE_PASS_BYTES_MAX, REGEX_TEXT_BYTES_MAX,
};
use crate::names::Names;
use crate::{Error, Failed, Pairs, Parser, Piece};

/// Takes texts apart by the named groups of a regular expression.
#[derive(Clone, Debug)]
pub struct RegexParser {
    regex: Regex,
    names: Names,
    /// The number of each group that has a name, of all groups.
    groups: Box<[usize]>,
    slots: usize,
}

impl RegexParser {
    /// Compiles an expression with named groups, `(?<name>...)` or `(?P<name>...)`.
    ///
    /// Classes such as `\w` and case are those of ASCII, and `.` is any byte, which is quick; an expression
    /// that needs more, such as `\p{L}`, is one of characters as a whole.
    pub fn new(text: &str) -> Result<Self, Error> {
        Self::with_names(text, |name| Some(name.to_owned()))
    }

    /// The same with other names for the groups; those without one are none.
    pub(crate) fn with_names(
        text: &str,
        name_of: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let remedy = "write a regular expression with named groups";
        Error::check_filled("pattern", text, REGEX_TEXT_BYTES_MAX, remedy)?;
        let regex = compile(text, false).or_else(|_| compile(text, true))?;
        let mut names = Names::default();
        let mut groups = Vec::new();
        let all = regex.group_info().pattern_names(PatternID::ZERO);
        for (number, group) in all.enumerate() {
            if let Some(name) = group.and_then(&name_of) {
                names.push("pattern", &name)?;
                groups.push(number);
            }
        }
        if groups.is_empty() {
            return Err(Error::NoGroups);
        }
        Ok(Self {
            slots: regex.group_info().slot_len(),
            regex,
            names,
            groups: groups.into(),
        })
    }
}

fn compile(text: &str, is_unicode: bool) -> Result<Regex, Error> {
    let config = Config::new()
        .nfa_size_limit(Some(REGEX_BYTES_MAX))
        .onepass_size_limit(Some(REGEX_ONE_PASS_BYTES_MAX))
        .hybrid_cache_capacity(REGEX_CACHE_BYTES_MAX)
        .utf8_empty(false);
    let syntax = syntax::Config::new().utf8(false).unicode(is_unicode);
    let built = Regex::builder()
        .configure(config)
        .syntax(syntax)
        .build(text);
    built.map_err(|error| to_error(&error))
}

fn to_error(error: &BuildError) -> Error {
    if error.size_limit().is_some() {
        return Error::RegexTooLarge;
    }
    let whole = match error.syntax_error() {
        Some(error) => error.to_string(),
        None => error.to_string(),
    };
    let reason = whole.lines().last().unwrap_or_default();
    Error::Regex {
        reason: reason.trim_start_matches("error: ").to_owned(),
    }
}

impl Parser for RegexParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let mut slots = std::mem::take(&mut pairs.scratch.slots);
        slots.clear();
        slots.resize(self.slots, None);
        let found = self.regex.search_slots(&Input::new(input), &mut slots);
        let is_match = found.is_some();
        if is_match && let Some(names) = self.names.add_to(pairs) {
            let place = |slot: usize| slots.get(slot).copied().flatten().map(|at| at.get());
            for (name, group) in names.pieces().zip(&self.groups) {
                if let (Some(start), Some(end)) = (place(2 * group), place(2 * group + 1)) {
                    pairs.push(name, Piece::input(start, end));
                }
            }
        }
        pairs.scratch.slots = slots;
        if is_match {
            Ok(())
        } else {
            Err(Failed::new(0, "the regular expression does not match"))
        }
    }
}

#[cfg(test)]
mod tests;
