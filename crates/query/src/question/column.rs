//! What a table has columns of: parts and fields of records, and what was computed.

use std::fmt;

use crate::ast::Target;
use crate::fields;
use crate::scan::is_plain_name;

/// A part or field of a record, as the stages of a pipe name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FieldName {
    /// What the record is called for ever.
    Id,
    /// The time of receipt.
    Received,
    /// When the sender says that it happened.
    Time,
    /// The logspace.
    Logspace,
    /// What a query looks at by this name; never [`Target::Text`].
    Part(Target),
}

/// A text that names no field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidFieldName;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// Values of records.
    Field(FieldName),
    /// How many records there are.
    Count,
    /// How many values there are.
    Distinct,
    /// A number made of others.
    Measure(Measure),
    /// The start of a bar.
    Start,
    /// What messages have in common.
    Pattern,
    /// When the first message of a pattern was received.
    First,
    /// That message.
    Example,
    /// How many messages of a pattern there are in each bar.
    Bars,
}

/// A number made of the numbers in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Their sum.
    Sum,
    /// Their mean.
    Avg,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The smallest that so many thousandths of them do not exceed: 990 for `p99`.
    Percentile(u16),
}

/// The columns of a list of records for which none were named.
const DEFAULT_COLUMNS: [&str; 7] = [
    "id", "received", "host", "program", "pid", "severity", "message",
];

/// Parts of a record that only stages name.
const NAMES: [(&str, FieldName); 4] = [
    ("id", FieldName::Id),
    ("received", FieldName::Received),
    ("time", FieldName::Time),
    ("logspace", FieldName::Logspace),
];

/// Words of stages that stand where names do.
pub(crate) const KEYWORDS: [&str; 3] = ["by", "desc", "asc"];

/// Columns that are computed, but for measures.
const COMPUTED: [(&str, Column); 7] = [
    ("count", Column::Count),
    ("distinct", Column::Distinct),
    ("start", Column::Start),
    ("pattern", Column::Pattern),
    ("first", Column::First),
    ("example", Column::Example),
    ("bars", Column::Bars),
];

/// The columns of a list of records for which none were named.
pub fn default_columns() -> Vec<Column> {
    let fields = DEFAULT_COLUMNS
        .iter()
        .flat_map(|name| FieldName::parse(name));
    fields.map(Column::Field).collect()
}

impl FieldName {
    /// Reads a name as the stages of a pipe have it: `host`, `priority`, `received`, or the name of
    /// a field such as `meta.sequenceId`, also as `nvpair:NAME`.
    ///
    /// # Errors
    /// When nothing is named.
    pub fn parse(text: &str) -> Result<Self, InvalidFieldName> {
        let text = text.trim();
        let pair = text
            .split_once(':')
            .filter(|(prefix, _)| prefix.eq_ignore_ascii_case(fields::PAIR));
        if let Some((_, name)) = pair {
            return Self::named(name);
        }
        match Self::own(text) {
            Some(own) => Ok(own),
            None => Self::named(text),
        }
    }

    /// A field of the records.
    ///
    /// # Errors
    /// When the name is empty.
    pub fn named(name: &str) -> Result<Self, InvalidFieldName> {
        if name.is_empty() {
            return Err(InvalidFieldName);
        }
        Ok(Self::Part(Target::Named(name.into())))
    }

    /// The part of every record that has this name.
    pub(crate) fn own(name: &str) -> Option<Self> {
        let of_stages = NAMES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        of_stages
            .map(|(_, field)| field.clone())
            .or_else(|| fields::target(name).map(Self::Part))
    }

    /// Whether it is a time.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::Received | Self::Time)
    }

    /// Whether both name the same; the names of fields do so in any case.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Part(Target::Named(one)), Self::Part(Target::Named(two))) => {
                one.eq_ignore_ascii_case(two)
            }
            _ => self == other,
        }
    }
}

impl Column {
    /// The column of this name that is computed.
    pub(crate) fn computed(name: &str) -> Option<Self> {
        let named = COMPUTED
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        named
            .map(|(_, column)| column.clone())
            .or_else(|| Measure::parse(name).map(Self::Measure))
    }

    /// Whether both name the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Field(one), Self::Field(two)) => one.is_same(two),
            _ => self == other,
        }
    }
}

impl Measure {
    /// Reads `sum`, `avg`, `min`, `max`, and percentiles from `p0.1` to `p99.9`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        match text.as_str() {
            "sum" => Some(Self::Sum),
            "avg" => Some(Self::Avg),
            "min" => Some(Self::Min),
            "max" => Some(Self::Max),
            _ => percentile(text.strip_prefix('p')?).map(Self::Percentile),
        }
    }

    /// Whether it is one of the values themselves, so that times have it too.
    pub fn is_value(self) -> bool {
        matches!(self, Self::Min | Self::Max)
    }
}

/// Thousandths: `99.9` is 999.
fn percentile(text: &str) -> Option<u16> {
    let (whole, tenths) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(tenths) || tenths.len() > 1 {
        return None;
    }
    let whole: u16 = whole.parse().ok().filter(|whole| *whole < 100)?;
    let thousandths = whole * 10 + tenths.parse::<u16>().ok()?;
    (thousandths > 0).then_some(thousandths)
}

/// The name as a stage takes it.
impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Part(Target::Named(name)) => name,
            Self::Part(target) => return f.write_str(fields::name(target).unwrap_or_default()),
            own => {
                let mut names = NAMES.iter().filter(|(_, field)| field == own);
                return f.write_str(names.next().map_or("", |(name, _)| name));
            }
        };
        let is_taken = Self::own(name).is_some()
            || name.eq_ignore_ascii_case(fields::PAIR)
            || KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
            || Column::computed(name).is_some();
        if !is_plain_name(name) {
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            write!(f, "{}:\"{name}\"", fields::PAIR)
        } else if is_taken {
            write!(f, "{}:{name}", fields::PAIR)
        } else {
            f.write_str(name)
        }
    }
}

impl fmt::Display for InvalidFieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no field is named: write one such as host, program or severity")
    }
}

impl std::error::Error for InvalidFieldName {}

/// The name as a stage takes it, and as an answer has it.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => field.fmt(f),
            Self::Measure(measure) => measure.fmt(f),
            computed => {
                let mut names = COMPUTED.iter().filter(|(_, column)| column == computed);
                f.write_str(names.next().map_or("", |(name, _)| name))
            }
        }
    }
}

/// The word it is asked for by.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sum => f.write_str("sum"),
            Self::Avg => f.write_str("avg"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Percentile(thousandths) => match (thousandths / 10, thousandths % 10) {
                (whole, 0) => write!(f, "p{whole}"),
                (whole, tenths) => write!(f, "p{whole}.{tenths}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_have_one_decimal_at_most() {
        for (text, measure) in [
            ("p50", Some(Measure::Percentile(500))),
            ("P99.9", Some(Measure::Percentile(999))),
            ("p0.1", Some(Measure::Percentile(1))),
            ("p0", None),
            ("p100", None),
            ("p99.99", None),
            ("p", None),
            ("p5x", None),
            ("median", None),
        ] {
            assert_eq!(Measure::parse(text), measure, "{text}");
        }
    }

    #[test]
    fn names_of_fields_are_printed_so_that_they_are_read() {
        for (text, printed) in [
            ("Priority", "severity"),
            ("ip", "peer"),
            ("RECEIVED", "received"),
            ("meta.Seq", "meta.Seq"),
            ("nvpair:host", "nvpair:host"),
            ("nvpair:size", "size"),
            ("count", "nvpair:count"),
            ("p99", "nvpair:p99"),
            ("by", "nvpair:by"),
            ("two words", "nvpair:\"two words\""),
        ] {
            let field = FieldName::parse(text).expect("a name");
            assert_eq!(field.to_string(), printed, "{text}");
        }
        assert_eq!(FieldName::parse(" "), Err(InvalidFieldName));
        assert_eq!(FieldName::parse("nvpair:"), Err(InvalidFieldName));
    }
}
