//! Which pairs are written, and under which names.

use regex::bytes::Regex;
use smallvec::SmallVec;

use super::{Found, Kind, Member, name_of, tree, write_full_name};
use crate::arguments::{Argument, Arguments};
use crate::compile::{Compiler, value};
use crate::condition::glob;
use crate::error::TemplateError;
use crate::macro_name::{self, Macro};
use crate::nearest::nearest;
use crate::output::Output;
use crate::template::{Piece, Template, Value};
use crate::view::View;

/// The macros of syslog-ng's smallest scope.
const CORE: [&str; 7] = [
    "FACILITY", "PRIORITY", "HOST", "PROGRAM", "PID", "MESSAGE", "DATE",
];

/// What it calls values rather than macros.
const VALUES: [&str; 8] = [
    "HOST",
    "HOST_FROM",
    "MESSAGE",
    "PROGRAM",
    "PID",
    "MSGID",
    "SOURCE",
    "LEGACY_MSGHDR",
];

/// Other names for the same that no scope has.
const ALIASES: [&str; 4] = ["FULLHOST", "FULLHOST_FROM", "MSGONLY", "PEERIP"];

const SCOPES: [&str; 14] = [
    "none",
    "rfc3164",
    "core",
    "base",
    "rfc5424",
    "syslog-proto",
    "selected-macros",
    "all-macros",
    "nv-pairs",
    "dot-nv-pairs",
    "all-nv-pairs",
    "sdata",
    "everything",
    "fields",
];

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default)]
struct Scopes {
    core: bool,
    msgid: bool,
    selected: bool,
    all_macros: bool,
    values: bool,
    /// Fields without a group, whose names start with no dot.
    plain_fields: bool,
    /// Fields whose names start with a dot.
    dot_fields: bool,
    /// Fields with a group.
    grouped_fields: bool,
}

impl Scopes {
    fn add(&mut self, name: &str) -> bool {
        match name {
            "none" => {}
            "rfc3164" | "core" | "base" => self.core = true,
            "rfc5424" | "syslog-proto" => {
                (self.core, self.msgid, self.grouped_fields) = (true, true, true);
            }
            "selected-macros" => (self.core, self.selected) = (true, true),
            "all-macros" => self.all_macros = true,
            "nv-pairs" => (self.values, self.plain_fields) = (true, true),
            "dot-nv-pairs" => (self.dot_fields, self.grouped_fields) = (true, true),
            "sdata" => self.grouped_fields = true,
            "fields" => {
                (self.plain_fields, self.dot_fields, self.grouped_fields) = (true, true, true);
            }
            "all-nv-pairs" | "everything" => {
                self.values = true;
                (self.plain_fields, self.dot_fields, self.grouped_fields) = (true, true, true);
                self.all_macros |= name == "everything";
            }
            _ => return false,
        }
        true
    }

    fn has_macro(self, name: &str, found: Macro) -> bool {
        self.core && CORE.contains(&name)
            || self.msgid && name == "MSGID"
            || self.selected && matches!(name, "TAGS" | "SOURCEIP" | "SEQNUM")
            || self.values && VALUES.contains(&name)
            // The whole message a second time is what nobody means by everything.
            || self.all_macros && found != Macro::Raw && !ALIASES.contains(&name)
    }

    fn has_fields(self) -> bool {
        self.plain_fields || self.dot_fields || self.grouped_fields
    }

    fn has_field(self, is_grouped: bool, name: &[u8]) -> bool {
        match (is_grouped, name.first()) {
            (true, _) => self.grouped_fields,
            (false, Some(b'.')) => self.dot_fields,
            (false, _) => self.plain_fields,
        }
    }
}

/// A pattern of names, and whether it adds or takes away.
#[derive(Debug)]
struct Pattern {
    expression: Regex,
    adds: bool,
}

/// New names for those of a pattern.
#[derive(Debug)]
struct Rekey {
    expression: Regex,
    changes: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    Shift(usize),
    ShiftLevels(usize),
    AddPrefix(Vec<u8>),
    ReplacePrefix(Vec<u8>, Vec<u8>),
    Upper,
    Lower,
}

impl Change {
    /// Reads an option that changes names, and its value.
    fn read(
        option: &Argument,
        mut value: impl FnMut() -> Result<Argument, TemplateError>,
    ) -> Result<Self, TemplateError> {
        Ok(match option.text.as_str() {
            name @ ("--shift" | "--shift-levels") => {
                let argument = value()?;
                let count = argument.text.parse().map_err(|_| {
                    let what = format!("`{}` is no number", argument.text);
                    TemplateError::argument(argument.span.clone(), what)
                })?;
                match name {
                    "--shift" => Self::Shift(count),
                    _ => Self::ShiftLevels(count),
                }
            }
            "--add-prefix" => Self::AddPrefix(value()?.text.into_bytes()),
            "--replace" | "--replace-prefix" => {
                let argument = value()?;
                let (old, new) = argument.text.split_once('=').ok_or_else(|| {
                    let what = "an old and a new prefix are wanted";
                    TemplateError::argument(argument.span.clone(), what)
                        .with_hint("write `--replace-prefix old.=new.`")
                })?;
                Self::ReplacePrefix(old.into(), new.into())
            }
            "--upper" => Self::Upper,
            "--lower" => Self::Lower,
            _ => return Err(unknown(option)),
        })
    }
}

impl Rekey {
    fn change(&self, name: &mut Vec<u8>) {
        if !self.expression.is_match(name) {
            return;
        }
        for change in &self.changes {
            match change {
                Change::Shift(count) => {
                    name.drain(..(*count).min(name.len()));
                }
                Change::ShiftLevels(count) => {
                    for _ in 0..*count {
                        let dot = name.iter().position(|byte| *byte == b'.');
                        let Some(dot) = dot else {
                            break;
                        };
                        name.drain(..=dot);
                    }
                }
                Change::AddPrefix(prefix) => {
                    name.splice(0..0, prefix.iter().copied());
                }
                Change::ReplacePrefix(old, new) => {
                    if name.starts_with(old) {
                        name.splice(..old.len(), new.iter().copied());
                    }
                }
                Change::Upper => name.make_ascii_uppercase(),
                Change::Lower => name.make_ascii_lowercase(),
            }
        }
    }
}

/// What is written, compiled.
#[derive(Debug, Default)]
pub(super) struct Selection {
    scopes: Scopes,
    patterns: Vec<Pattern>,
    rekeys: Vec<Rekey>,
    pub(super) omits_empty: bool,
    pub(super) keeps_first_dot: bool,
    /// Those known of the template, by name.
    pub(super) members: Vec<Member>,
}

impl Selection {
    pub(super) fn compile(
        mut arguments: Arguments,
        compiler: &mut Compiler<'_>,
    ) -> Result<Self, TemplateError> {
        let mut selection = Self::default();
        let mut literal_keys = Vec::new();
        while let Some(argument) = arguments.next() {
            match argument.text.as_str() {
                option if option.starts_with("--") => {
                    selection.option(&argument, &mut arguments, &mut literal_keys, compiler)?;
                }
                text if text.contains('=') => selection.pair(&argument, compiler)?,
                _ => selection.keys(&argument, &mut literal_keys)?,
            }
        }
        selection.add_macros(&literal_keys);
        for member in &mut selection.members {
            member.keeps_empty &= !selection.omits_empty;
            let mut name = std::mem::take(&mut member.name).into_vec();
            for rekey in &selection.rekeys {
                rekey.change(&mut name);
            }
            member.name = name.into();
        }
        // The order keeps those of one name as they were written; the last of them is meant.
        selection
            .members
            .sort_by(|left, right| tree::order(&left.name, &right.name));
        selection.members.reverse();
        selection
            .members
            .dedup_by(|next, kept| next.name == kept.name);
        selection.members.reverse();
        Ok(selection)
    }

    fn option(
        &mut self,
        option: &Argument,
        arguments: &mut Arguments,
        literal_keys: &mut Vec<String>,
        compiler: &mut Compiler<'_>,
    ) -> Result<(), TemplateError> {
        let mut value = || {
            arguments.next().ok_or_else(|| {
                let what = format!("`{}` has no value", option.text);
                TemplateError::argument(option.span.clone(), what)
            })
        };
        match option.text.as_str() {
            "--scope" => self.scope(&value()?),
            "--key" => self.keys(&value()?, literal_keys),
            "--exclude" => {
                let argument = value()?;
                let expression = glob(&argument.text, false, argument.span)?;
                let adds = false;
                self.patterns.push(Pattern { expression, adds });
                Ok(())
            }
            "--pair" => self.pair(&value()?, compiler),
            "--rekey" => {
                let argument = value()?;
                let expression = glob(&argument.text, false, argument.span)?;
                let changes = Vec::new();
                self.rekeys.push(Rekey {
                    expression,
                    changes,
                });
                Ok(())
            }
            "--omit-empty-values" => {
                self.omits_empty = true;
                Ok(())
            }
            "--leave-initial-dot" => {
                self.keeps_first_dot = true;
                Ok(())
            }
            // There are no types to keep or to lose, and nothing that is bytes alone.
            "--no-cast" | "--include-bytes" => Ok(()),
            _ => {
                let change = Change::read(option, value)?;
                let rekey = self.rekeys.last_mut().ok_or_else(|| {
                    let what = format!("`{}` changes the names of a `--rekey`", option.text);
                    TemplateError::argument(option.span.clone(), what)
                        .with_hint("write `--rekey PATTERN` before it")
                })?;
                rekey.changes.push(change);
                Ok(())
            }
        }
    }

    fn scope(&mut self, argument: &Argument) -> Result<(), TemplateError> {
        for name in argument
            .text
            .split([',', ' '])
            .filter(|name| !name.is_empty())
        {
            if !self.scopes.add(name) {
                let what = format!("there is no scope `{name}`");
                let error = TemplateError::argument(argument.span.clone(), what);
                return Err(match nearest(name, SCOPES.into_iter()) {
                    Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                    None => error.with_hint(format!("scopes are {}", SCOPES.join(", "))),
                });
            }
        }
        Ok(())
    }

    /// Patterns of names with commas between.
    fn keys(
        &mut self,
        argument: &Argument,
        literal_keys: &mut Vec<String>,
    ) -> Result<(), TemplateError> {
        for name in argument.text.split(',').filter(|name| !name.is_empty()) {
            if !name.contains(['*', '?']) {
                literal_keys.push(name.to_owned());
            }
            self.patterns.push(Pattern {
                expression: glob(name, false, argument.span.clone())?,
                adds: true,
            });
        }
        Ok(())
    }

    /// `name=template`, or `name=kind(template)`.
    fn pair(
        &mut self,
        argument: &Argument,
        compiler: &mut Compiler<'_>,
    ) -> Result<(), TemplateError> {
        let Some((name, text)) = argument.text.split_once('=') else {
            let what = "a name and a value are wanted";
            let error = TemplateError::argument(argument.span.clone(), what);
            return Err(error.with_hint("write `name=$HOST`"));
        };
        let (kind, inner) = kind_of(text);
        let before = argument.text.len() - text.len() + inner.start;
        let value = Argument {
            text: text.get(inner).unwrap_or_default().to_owned(),
            start: argument.start.map(|start| start + before),
            span: argument.span.clone(),
        };
        self.members.push(Member {
            name: name.as_bytes().into(),
            value: Template::of_argument(&value, compiler)?,
            kind,
            keeps_empty: true,
        });
        Ok(())
    }

    /// The macros that scopes and patterns choose.
    fn add_macros(&mut self, literal_keys: &[String]) {
        let named = literal_keys.iter().filter_map(|name| {
            // Names of queries, such as `host`, are chosen by their whole name alone.
            let is_small = name.starts_with(|c: char| c.is_ascii_lowercase());
            let found = value(name).ok().filter(|_| is_small)?;
            match found {
                Value::Macro(found) => Some((name.clone(), found)),
                Value::Field(_) => None,
            }
        });
        let all: Vec<(String, Macro)> = macro_name::all().chain(named).collect();
        let mut chosen = Vec::new();
        for (name, found) in all {
            let is_in_scope = self.scopes.has_macro(&name, found);
            if self.is_chosen(is_in_scope, name.as_bytes()) {
                chosen.push(Member {
                    name: name.as_bytes().into(),
                    value: Template::of_pieces(
                        &name,
                        vec![Piece::Value(Value::Macro(found), Box::default())],
                    ),
                    kind: Kind::Text,
                    keeps_empty: false,
                });
            }
        }
        // Pairs are stronger than what patterns choose.
        chosen.append(&mut self.members);
        self.members = chosen;
    }

    /// The last pattern that a name has says whether it is chosen; without one, its scope.
    fn is_chosen(&self, is_in_scope: bool, name: &[u8]) -> bool {
        let mut patterns = self.patterns.iter().rev();
        let last = patterns.find(|pattern| pattern.expression.is_match(name));
        last.map_or(is_in_scope, |pattern| pattern.adds)
    }

    /// The fields of a record that are chosen, in the order of their names, which are made behind the
    /// output.
    pub(super) fn find<'a>(
        &self,
        view: &View<'a>,
        out: &mut Output<'_>,
    ) -> SmallVec<[Found<'a>; 32]> {
        let mut found = SmallVec::new();
        let may_have = self.scopes.has_fields() || self.patterns.iter().any(|pattern| pattern.adds);
        if !may_have || view.field_spans.is_empty() {
            return found;
        }
        for field in view.fields() {
            let start = out.len();
            write_full_name(&field, out);
            let name = out.since(start);
            let is_in_scope = self.scopes.has_field(!field.group.is_empty(), name);
            if name.is_empty() || !self.is_chosen(is_in_scope, name) {
                out.truncate(start);
                continue;
            }
            if !self.rekeys.is_empty() {
                let mut name = name.to_vec();
                for rekey in &self.rekeys {
                    rekey.change(&mut name);
                }
                out.replace(start, &name);
            }
            found.push(Found {
                name: (start, out.len()),
                value: field.value,
            });
        }
        // Of those with one name the last is meant.
        found.sort_by(|left, right| tree::order(name_of(left, out), name_of(right, out)));
        found.reverse();
        found.dedup_by(|next, kept| name_of(next, out) == name_of(kept, out));
        found.reverse();
        found
    }
}

fn unknown(option: &Argument) -> TemplateError {
    const OPTIONS: [&str; 14] = [
        "--scope",
        "--key",
        "--exclude",
        "--pair",
        "--rekey",
        "--shift",
        "--shift-levels",
        "--add-prefix",
        "--replace-prefix",
        "--upper",
        "--lower",
        "--omit-empty-values",
        "--leave-initial-dot",
        "--no-cast",
    ];
    let what = format!("there is no option `{}`", option.text);
    let error = TemplateError::argument(option.span.clone(), what);
    match (
        option.text.as_str(),
        nearest(&option.text, OPTIONS.into_iter()),
    ) {
        ("--cast" | "--auto-cast", _) => error.with_hint("say which: `name=int($PID)`"),
        (_, Some(near)) => error.with_hint(format!("did you mean `{near}`?")),
        (_, None) => error.with_hint(format!("options are {}", OPTIONS.join(", "))),
    }
}

/// The kind of a value, and where its template stands in it.
fn kind_of(text: &str) -> (Kind, std::ops::Range<usize>) {
    let whole = (Kind::Text, 0..text.len());
    let Some((name, _)) = text.split_once('(').filter(|_| text.ends_with(')')) else {
        return whole;
    };
    let kind = match name {
        "int" | "int32" | "int64" => Kind::Whole,
        "float" | "double" => Kind::Fraction,
        "boolean" | "bool" => Kind::Boolean,
        "list" => Kind::List,
        "literal" | "json" => Kind::Literal,
        "string" | "datetime" | "bytes" => Kind::Text,
        _ => return whole,
    };
    (kind, name.len() + 1..text.len() - 1)
}
