//! Why options do not make a parser, and what to write instead.

/// Options that make no parser.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option that needs a value.
    #[error("`{option}` is empty: {remedy}")]
    Empty {
        /// The name of the option.
        option: &'static str,
        /// What to write.
        remedy: &'static str,
    },
    /// An option whose text is too long.
    #[error("`{option}` has {bytes} bytes: write at most {bytes_max}")]
    TooLong {
        /// The name of the option.
        option: &'static str,
        /// What it has.
        bytes: usize,
        /// What it may have.
        bytes_max: usize,
    },
    /// An option with too many members.
    #[error("`{option}` has {count} members: write at most {count_max}")]
    TooMany {
        /// The name of the option.
        option: &'static str,
        /// What it has.
        count: usize,
        /// What it may have.
        count_max: usize,
    },
    /// A value that an option cannot have.
    #[error("`{option}` cannot be {value:?}: {remedy}")]
    Unfit {
        /// The name of the option.
        option: &'static str,
        /// What it has.
        value: String,
        /// Why not, or what to write.
        remedy: &'static str,
    },
    /// A regular expression that is none.
    #[error("the regular expression cannot be read: {reason}")]
    Regex {
        /// What its reader says.
        reason: String,
    },
    /// A regular expression whose compiled form is too large.
    #[error("the regular expression is too large: make its repetitions smaller or cut it in two")]
    RegexTooLarge,
    /// A letter behind a percent sign that stands for nothing in a pattern of a time.
    #[error(
        "`%{conversion}` stands for no part of a time: use %Y %y %m %b %d %j %H %I %p %M %S %f %z %Z %a %s, and `%%` for a percent sign"
    )]
    UnknownConversion {
        /// The letter; a space where there is none.
        conversion: char,
    },
    /// A pattern of grok that is not there.
    #[error("there is no pattern `{name}`: define it, or use a stock pattern such as `DATA`")]
    UnknownPattern {
        /// Its name.
        name: String,
    },
    /// A pattern of grok that stands in itself.
    #[error("the pattern `{name}` stands in itself: define it without")]
    PatternInItself {
        /// Its name.
        name: String,
    },
    /// A pattern of grok whose name is not written as one.
    #[error("`{text}` names no pattern: write `%{{NAME}}` or `%{{NAME:field}}`")]
    NoPattern {
        /// The text, from `%{` on.
        text: String,
    },
    /// A regular expression without named groups.
    #[error("the regular expression names no group: write `(?<name>...)` around each part to keep")]
    NoGroups,
}

impl Error {
    /// Checks the length of an option that may be empty.
    pub(crate) fn check_length(
        option: &'static str,
        text: &str,
        bytes_max: usize,
    ) -> Result<(), Self> {
        let bytes = text.len();
        if bytes > bytes_max {
            return Err(Self::TooLong {
                option,
                bytes,
                bytes_max,
            });
        }
        Ok(())
    }

    /// Checks the length of an option that must say something.
    pub(crate) fn check_filled(
        option: &'static str,
        text: &str,
        bytes_max: usize,
        remedy: &'static str,
    ) -> Result<(), Self> {
        if text.is_empty() {
            return Err(Self::Empty { option, remedy });
        }
        Self::check_length(option, text, bytes_max)
    }

    /// Checks the number of members of an option.
    pub(crate) fn check_count(
        option: &'static str,
        count: usize,
        count_max: usize,
    ) -> Result<(), Self> {
        if count > count_max {
            return Err(Self::TooMany {
                option,
                count,
                count_max,
            });
        }
        Ok(())
    }

    /// A value that does not fit.
    pub(crate) fn unfit(option: &'static str, value: &str, remedy: &'static str) -> Self {
        Self::Unfit {
            option,
            value: value.to_owned(),
            remedy,
        }
    }
}
