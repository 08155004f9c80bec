//! The stages of a pipe, from text to tree.
//!
//! ```text
//! question := query ( '|' stage )*
//! stage    := 'count' [by] | 'top' name [N] | 'bars' [N] ['by' name] | 'distinct' name
//!           | measure name [by] | 'patterns' [N] ['bars' [N]]
//!           | 'fields' names | 'sort' name ['desc' | 'asc'] | 'head' N
//! measure  := 'sum' | 'avg' | 'min' | 'max' | 'p50' and the like
//! by       := 'by' names
//! names    := name ( [','] name )*
//! name     := word | 'nvpair:' ( word | phrase )
//! ```
//! A stage that is wrong is reported and left out; the next one is read on.

use std::ops::Range;

use crate::ast::Target;
use crate::fields;
use crate::limits::{
    BARS_DEFAULT, BARS_MAX, BY_FIELDS_MAX, COLUMNS_MAX, PATTERN_BARS_MAX, STAGE_ROWS_DEFAULT,
    STAGE_ROWS_MAX, STAGES_MAX,
};
use crate::parse::{Parser, TokenKind};
use crate::question::{Column, FieldName, Measure, Stage};
use crate::scan::is_plain_name;

/// A command, and how it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its word.
    pub name: &'static str,
    /// What stands behind it.
    pub usage: &'static str,
    /// What it gives.
    pub gives: &'static str,
}

/// The commands of a pipe. Percentiles from `p0.1` to `p99.9` are one of them.
pub const COMMANDS: [Command; 13] = [
    command(
        "count",
        "count [by FIELD, FIELD]",
        "how many records there are",
    ),
    command("top", "top FIELD [N]", "the most frequent values"),
    command(
        "bars",
        "bars [N] [by FIELD]",
        "how many records there are over time",
    ),
    command(
        "distinct",
        "distinct FIELD",
        "how many different values there are",
    ),
    command("sum", "sum FIELD [by FIELD, FIELD]", "the sum of numbers"),
    command("avg", "avg FIELD [by FIELD, FIELD]", "the mean of numbers"),
    command(
        "min",
        "min FIELD [by FIELD, FIELD]",
        "the smallest number or time",
    ),
    command(
        "max",
        "max FIELD [by FIELD, FIELD]",
        "the largest number or time",
    ),
    command(
        "p95",
        "p95 FIELD [by FIELD, FIELD]",
        "a percentile of numbers",
    ),
    command(
        "patterns",
        "patterns [N] [bars [N]]",
        "what messages have in common",
    ),
    command("fields", "fields COLUMN, COLUMN", "these columns"),
    command("sort", "sort COLUMN [desc]", "in another order"),
    command("head", "head N", "the first rows"),
];

const fn command(name: &'static str, usage: &'static str, gives: &'static str) -> Command {
    Command { name, usage, gives }
}

/// What others call our commands: SQL, Splunk, Kusto, `LogQL`.
const OTHER_COMMANDS: [(&str, &str); 22] = [
    ("limit", "head"),
    ("take", "head"),
    ("first", "head"),
    ("select", "fields"),
    ("project", "fields"),
    ("table", "fields"),
    ("columns", "fields"),
    ("order", "sort"),
    ("orderby", "sort"),
    ("uniq", "distinct"),
    ("dcount", "distinct"),
    ("stats", "count"),
    ("summarize", "count"),
    ("aggregate", "count"),
    ("wc", "count"),
    ("dedup", "distinct"),
    ("unique", "distinct"),
    ("group", "count"),
    ("histogram", "bars"),
    ("timechart", "bars"),
    ("mean", "avg"),
    ("median", "p50"),
];

/// Commands of others for what stands in front of the pipe here.
const CONDITIONS: [&str; 4] = ["where", "filter", "search", "grep"];

/// Commands of others that make fields of messages, which is done here without being asked.
const EXTRACTIONS: [&str; 9] = [
    "json", "logfmt", "unpack", "parse", "extract", "rex", "kv", "spath", "regexp",
];

/// What there is for a stage to work on.
enum Input {
    Records,
    Table(Vec<Column>),
    /// A stage before could not be read.
    Unknown,
}

/// The name of a field or column, as it is written.
struct Name {
    text: String,
    /// Whether it can only be a field of the records.
    is_pair: bool,
    span: Range<usize>,
}

impl Parser<'_> {
    /// The stages behind a query; the first pipe stands here, or nothing.
    pub(crate) fn stages(&mut self) -> Vec<Stage> {
        let mut stages = Vec::new();
        let mut input = Input::Records;
        let mut count = 0;
        loop {
            self.scanner.skip_space();
            let Some(pipe) = self.scanner.eat("|", TokenKind::Operator) else {
                return stages;
            };
            if count == STAGES_MAX {
                let message = format!("the pipe has more than {STAGES_MAX} stages");
                self.give_up(pipe, message, "leave some of them out");
                return stages;
            }
            count += 1;
            match self.stage(pipe, &input, count == 1) {
                Some(stage) => {
                    self.end_of_stage(&stage);
                    if let Some(columns) = stage.columns() {
                        input = Input::Table(columns);
                    }
                    stages.push(stage);
                }
                None => {
                    self.scanner.skip_to_pipe();
                    if let Input::Records = input {
                        input = Input::Unknown;
                    }
                }
            }
        }
    }

    fn stage(&mut self, pipe: Range<usize>, input: &Input, is_first: bool) -> Option<Stage> {
        self.scanner.skip_space();
        let word = self.scanner.stage_word(TokenKind::Command);
        let name = self.text_of(word.clone()).to_ascii_lowercase();
        if name.is_empty() && self.scanner.next_char() == Some('|') {
            let hint = "for either of two terms write `OR`";
            self.error(pipe, "expected a command behind `|`", hint);
            return None;
        }
        if name.is_empty() {
            let hint = format!("write one of {}, such as `| top host`", command_names());
            self.error(pipe, "expected a command behind `|`", hint);
            return None;
        }
        match name.as_str() {
            "fields" => return self.fields_stage(input),
            "sort" => return self.sort_stage(input),
            "head" => return self.count_of_rows(word, "head", None).map(Stage::Head),
            _ => {}
        }
        let measure = Measure::parse(&name);
        if measure.is_none() && !COMMANDS.iter().any(|command| command.name == name) {
            self.unknown_command(&name, word);
            return None;
        }
        if !is_first && !matches!(input, Input::Unknown) {
            let message = format!("`{name}` has to be the first stage");
            let hint = "records are summarised once; `fields`, `sort` and `head` may follow";
            self.error(word, message, hint);
            return None;
        }
        match (measure, name.as_str()) {
            (Some(measure), _) => self.measure_stage(measure, &name),
            (None, "count") => Some(Stage::Count {
                by: self.by(BY_FIELDS_MAX)?,
            }),
            (None, "top") => {
                self.no_number_first(&name)?;
                let field = self.field_of(&name)?;
                let limit = self.count_of_rows(word, "top", Some(STAGE_ROWS_DEFAULT))?;
                Some(Stage::Top { field, limit })
            }
            (None, "bars") => {
                let bars = self.number_of_stage(word, "bars", BARS_MAX, Some(BARS_DEFAULT))?;
                let by = self.by(1)?.pop();
                Some(Stage::Bars { bars, by })
            }
            (None, "distinct") => Some(Stage::Distinct {
                field: self.field_of(&name)?,
            }),
            (None, _) => {
                let rows = Some(STAGE_ROWS_DEFAULT);
                let limit = self.count_of_rows(word.clone(), "patterns", rows)?;
                let bars = match self.keyword("bars") {
                    false => None,
                    true => {
                        let bars = Some(BARS_DEFAULT);
                        Some(self.number_of_stage(word, "patterns", PATTERN_BARS_MAX, bars)?)
                    }
                };
                Some(Stage::Patterns { limit, bars })
            }
        }
    }

    fn unknown_command(&mut self, name: &str, span: Range<usize>) {
        let is_condition = CONDITIONS.contains(&name) || name.starts_with(['=', '~', '!']);
        if is_condition || EXTRACTIONS.contains(&name) {
            let hint = match is_condition {
                true => "write conditions in front of the first `|`",
                false => "fields in the text of messages are there without a command",
            };
            self.error(span, format!("`{name}` is no command of a pipe"), hint);
            return;
        }
        let is_percentile = name
            .strip_prefix('p')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let other = OTHER_COMMANDS.iter().find(|(other, _)| *other == name);
        let near = || fields::nearest(name, COMMANDS.iter().map(|command| command.name));
        let rest = self.scanner.rest().split('|').next().unwrap_or_default();
        let hint = if let Some(stage) = foreign::stage(name, rest) {
            format!("write `| {stage}`")
        } else if is_percentile {
            "percentiles go from `p0.1` to `p99.9`; `min` and `max` are the ends".to_owned()
        } else if let Some(meant) = other.map(|(_, ours)| *ours).or_else(near) {
            format!("did you mean `{meant}`?")
        } else {
            format!("it is one of {}", command_names())
        };
        self.error(span, format!("there is no command `{name}`"), hint);
    }

    /// Reports a number in front of the field of `top`, where others have it.
    fn no_number_first(&mut self, command: &str) -> Option<()> {
        let rest = self.scanner.rest().split('|').next().unwrap_or_default();
        let Some(stage) = foreign::stage(command, rest) else {
            return Some(());
        };
        let start = self.scanner.at();
        self.scanner.skip_to_pipe();
        let span = self.trimmed(start);
        let message = format!("expected a name behind `{command}`");
        self.error(span, message, format!("write `| {stage}`"));
        None
    }

    fn measure_stage(&mut self, measure: Measure, command: &str) -> Option<Stage> {
        let start = self.scanner.at();
        let field = self.field_of(command)?;
        if field.is_time() && !measure.is_value() {
            let span = self.trimmed(start);
            let hint = "`min` and `max` are the first and the last time";
            self.error(span, format!("times have no `{command}`"), hint);
            return None;
        }
        let by = self.by(BY_FIELDS_MAX)?;
        Some(Stage::Measure { measure, field, by })
    }

    fn fields_stage(&mut self, input: &Input) -> Option<Stage> {
        let names = self.names("fields", COLUMNS_MAX)?;
        let columns = names.iter().map(|name| self.column(name, input));
        let columns: Vec<Column> = columns.collect::<Option<_>>()?;
        self.no_doubles(&columns, &names)?;
        Some(Stage::Fields(columns))
    }

    fn sort_stage(&mut self, input: &Input) -> Option<Stage> {
        if let Some(stage) = foreign::stage("sort", self.scanner.rest()) {
            let start = self.scanner.at();
            self.scanner.skip_to_pipe();
            let span = self.trimmed(start);
            let message = "expected the name of a column behind `sort`";
            self.error(span, message, format!("write `| {stage}`"));
            return None;
        }
        let name = self.name("sort", None)?;
        let column = self.column(&name, input)?;
        let is_descending = self.keyword("desc");
        if !is_descending {
            self.keyword("asc");
        }
        Some(Stage::Sort {
            column,
            is_descending,
        })
    }

    /// The column of a name, in what there is.
    fn column(&mut self, name: &Name, input: &Input) -> Option<Column> {
        let computed = || Column::computed(&name.text).filter(|_| !name.is_pair);
        let Input::Table(columns) = input else {
            let is_unknown = matches!(input, Input::Unknown);
            if let Some(column) = computed().filter(|_| is_unknown) {
                return Some(column);
            }
            return Some(Column::Field(self.field_name(name)));
        };
        let wanted = [computed(), Some(Column::Field(field_name(name)))];
        let mut wanted = wanted.iter().flatten();
        let found = wanted.find_map(|wanted| columns.iter().find(|own| own.is_same(wanted)));
        if found.is_none() {
            let known: Vec<String> = columns.iter().map(|own| format!("`{own}`")).collect();
            let message = format!("there is no column `{}` here", name.text);
            let hint = format!("the columns are {}", known.join(", "));
            self.error(name.span.clone(), message, hint);
        }
        found.cloned()
    }

    /// `by` and names, or nothing.
    fn by(&mut self, max: usize) -> Option<Vec<FieldName>> {
        if !self.keyword("by") {
            return Some(Vec::new());
        }
        let names = self.names("by", max)?;
        let fields: Vec<FieldName> = names.iter().map(|name| self.field_name(name)).collect();
        let columns: Vec<Column> = fields.iter().cloned().map(Column::Field).collect();
        self.no_doubles(&columns, &names)?;
        Some(fields)
    }

    fn no_doubles(&mut self, columns: &[Column], names: &[Name]) -> Option<()> {
        for (index, (column, name)) in columns.iter().zip(names).enumerate() {
            if columns
                .iter()
                .take(index)
                .any(|earlier| earlier.is_same(column))
            {
                let message = format!("`{}` is named twice", name.text);
                self.error(name.span.clone(), message, "leave out one of them");
                return None;
            }
        }
        Some(())
    }

    /// One or more names, with commas or white space between them.
    fn names(&mut self, behind: &str, max: usize) -> Option<Vec<Name>> {
        let mut names = vec![self.name(behind, None)?];
        loop {
            self.scanner.skip_space();
            let comma = self.scanner.eat(",", TokenKind::Operator);
            self.scanner.skip_space();
            if comma.is_none() && matches!(self.scanner.next_char(), None | Some('|')) {
                return Some(names);
            }
            let name = self.name(behind, comma)?;
            if names.len() == max {
                let message = format!("more than {max} names behind `{behind}`");
                self.error(name.span, message, "leave some of them out");
                return None;
            }
            names.push(name);
        }
    }

    fn field_of(&mut self, command: &str) -> Option<FieldName> {
        let name = self.name(command, None)?;
        Some(self.field_name(&name))
    }

    /// A name; reports where there is none. `comma` is what stands in front of it in a list.
    fn name(&mut self, behind: &str, comma: Option<Range<usize>>) -> Option<Name> {
        let before = self.scanner.at();
        self.scanner.skip_space();
        if let Some((text, span)) = self.scanner.quoted_pair_name(fields::PAIR) {
            return Some(Name {
                text,
                is_pair: true,
                span,
            });
        }
        let word = self.scanner.peek_stage_word().to_owned();
        let pair = pair_of(&word);
        if !pair.map_or_else(|| is_name(&word), is_plain_name) {
            let usage = COMMANDS.iter().find(|command| command.name == behind);
            let usage = usage.map_or("by FIELD, FIELD", |command| command.usage);
            let plain = word.trim_end_matches(':');
            let (span, hint) = if word.is_empty() {
                let span = comma.unwrap_or_else(|| self.word_before(before));
                (
                    span,
                    format!("write `{usage}`, with a field such as `host`"),
                )
            } else if is_name(plain) {
                (self.scanner.here(word.len()), format!("write `{plain}`"))
            } else {
                let hint = format!("write `{usage}`; other names are written `nvpair:\"a name\"`");
                (self.scanner.here(word.len()), hint)
            };
            self.error(span, format!("expected a name behind `{behind}`"), hint);
            return None;
        }
        Some(Name {
            text: pair.unwrap_or(&word).to_owned(),
            is_pair: pair.is_some(),
            span: self.scanner.stage_word(TokenKind::Field),
        })
    }

    /// The field of a name, with a warning where it may be misspelt.
    fn field_name(&mut self, name: &Name) -> FieldName {
        let field = field_name(name);
        if let FieldName::Part(Target::Named(text)) = &field
            && !name.is_pair
        {
            self.warn_of_misspelt(text, name.span.clone());
        }
        field
    }

    fn count_of_rows(
        &mut self,
        word: Range<usize>,
        command: &str,
        default: Option<usize>,
    ) -> Option<usize> {
        self.number_of_stage(word, command, STAGE_ROWS_MAX, default)
    }

    /// A number from 1 to `max`; the default where none stands here.
    fn number_of_stage(
        &mut self,
        word: Range<usize>,
        command: &str,
        max: usize,
        default: Option<usize>,
    ) -> Option<usize> {
        self.scanner.skip_space();
        let text = self.scanner.peek_stage_word().to_owned();
        if !text.starts_with(|c: char| c.is_ascii_digit()) && default.is_some() {
            return default;
        }
        let span = match text.is_empty() {
            true => word,
            false => self.scanner.stage_word(TokenKind::Term),
        };
        let number = text
            .parse()
            .ok()
            .filter(|number| (1..=max).contains(number));
        if number.is_none() {
            let message = format!("expected a number from 1 to {max} behind `{command}`");
            let usage = COMMANDS.iter().find(|known| known.name == command);
            let usage = usage.map_or(command, |known| known.usage);
            self.error(span, message, format!("write `{usage}`"));
        }
        number
    }

    fn keyword(&mut self, keyword: &str) -> bool {
        self.scanner.skip_space();
        let is_here = self.scanner.peek_stage_word().eq_ignore_ascii_case(keyword);
        if is_here {
            self.scanner.stage_word(TokenKind::Operator);
        }
        is_here
    }

    /// Reports what stands between a stage and the next pipe.
    fn end_of_stage(&mut self, stage: &Stage) {
        self.scanner.skip_space();
        if matches!(self.scanner.next_char(), None | Some('|')) {
            return;
        }
        let start = self.scanner.at();
        self.scanner.skip_to_pipe();
        let span = self.trimmed(start);
        let name = stage.command();
        let is_measure = |known: &&Command| known.name == name;
        let usage = COMMANDS
            .iter()
            .find(is_measure)
            .map_or("p95 FIELD [by FIELD, FIELD]", |c| c.usage);
        let message = format!("expected `|` or the end behind `{stage}`");
        self.error(span, message, format!("write `{usage}`"));
    }

    /// From a place to here, without the white space around it.
    fn trimmed(&self, start: usize) -> Range<usize> {
        let text = self.text_of(start..self.scanner.at());
        let start = start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    }

    /// The word that ends at a place.
    fn word_before(&self, end: usize) -> Range<usize> {
        let text = self.text_of(0..end);
        let text = text.trim_end();
        let word = text.rsplit(|c: char| c.is_whitespace() || c == '|').next();
        text.len() - word.unwrap_or_default().len()..text.len()
    }
}

fn field_name(name: &Name) -> FieldName {
    let named = || FieldName::Part(Target::Named(name.text.clone()));
    match FieldName::own(&name.text) {
        Some(own) if !name.is_pair => own,
        _ => named(),
    }
}

fn is_name(word: &str) -> bool {
    let is_keyword = crate::question::column::KEYWORDS
        .iter()
        .any(|keyword| keyword.eq_ignore_ascii_case(word));
    is_plain_name(word) && !is_keyword
}

/// The name behind `nvpair:`.
fn pair_of(word: &str) -> Option<&str> {
    let (prefix, name) = word.split_once(':')?;
    prefix.eq_ignore_ascii_case(fields::PAIR).then_some(name)
}

fn command_names() -> String {
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    names.join(", ")
}

mod foreign;
#[cfg(test)]
mod tests;
