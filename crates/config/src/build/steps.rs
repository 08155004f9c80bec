//! Steps of routes, of their sections.

mod parsers;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ::parsers::DatePatterns;
use ::pipeline::actions::{
    Classify, Date, Dedupe, Header, InList, Lookup, Map, Mask, Masking, RateLimit, Rename, Sample,
    Set, Subst, Tag, Unset, Untag,
};
use ::pipeline::{Action, OnError, Origin, Step, Target, Work};
use jiff::tz::TimeZone;
use macros::Template;
use query::Query;
use syslog::ParseOptions;

use super::Values;
use crate::document::{Document, Section};
use crate::limits::STEP_LISTS_DEPTH_MAX;
use crate::nearest::{list, nearest};
use crate::value::{Placed, Value};

/// Steps cannot be made of a section: which one, which of its keys, and why.
#[derive(Debug)]
pub(crate) struct BadStep<'a> {
    pub(crate) step: &'a Section,
    pub(crate) key: &'static str,
    pub(crate) problem: Problem,
}

/// What is wrong with the value of a key.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Where the string begins in the file that is meant, if not at the key's value, and the bytes of it
    /// that are meant.
    pub(crate) inner: Option<(Option<Range<usize>>, Range<usize>)>,
}

impl Problem {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "errors and texts are handed over alike"
    )]
    fn new(message: impl ToString, hint: impl Into<Option<&'static str>>) -> Self {
        Self {
            message: message.to_string(),
            hint: hint.into().map(str::to_owned),
            inner: None,
        }
    }
}

/// What a kind of step makes, or the key that is wrong.
type Made = Result<Arc<dyn Action>, (&'static str, Problem)>;

/// Makes steps; knows those that have a name.
pub(crate) struct Steps<'a> {
    lists: HashMap<&'a str, &'a [Section]>,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        let lists = document.of_kind("steps");
        Self {
            lists: lists
                .map(|section| (section.name(), section.steps("steps")))
                .collect(),
        }
    }

    /// The steps of a list; the first one that is wrong.
    pub(crate) fn all(&self, sections: &'a [Section]) -> Result<Vec<Step>, BadStep<'a>> {
        self.list(sections, 0)
    }

    fn list(&self, sections: &'a [Section], depth: usize) -> Result<Vec<Step>, BadStep<'a>> {
        let steps = sections.iter().map(|section| self.step(section, depth));
        steps.collect()
    }

    fn step(&self, section: &'a Section, depth: usize) -> Result<Step, BadStep<'a>> {
        let values = Values(Some(section));
        let kind = section.kind();
        let work = match kind {
            "match" => Work::Match(query(values.text("query"))),
            "drop" => Work::Drop,
            "if" => Work::If(
                query(values.text("when")),
                self.list(section.steps("steps"), depth)?,
                self.list(section.steps("else"), depth)?,
            ),
            "try" => Work::Try(
                self.list(section.steps("steps"), depth)?,
                self.list(section.steps("else"), depth)?,
            ),
            "use" => Work::Use(self.named(section, "name", values.text("name"), depth)?),
            _ => {
                let made = action(kind, &values);
                Work::Act(made.map_err(|(key, problem)| BadStep {
                    step: section,
                    key,
                    problem,
                })?)
            }
        };
        let when = section.entry("when").filter(|_| kind != "if");
        let when = when.map(|_| values.text("when").trim());
        Ok(Step {
            kind,
            when: when.filter(|when| !when.is_empty()).map(query),
            work,
            on_error: self.on_error(section, depth)?,
        })
    }

    fn on_error(&self, section: &'a Section, depth: usize) -> Result<OnError, BadStep<'a>> {
        let Some(entry) = section.entry("on_error") else {
            return Ok(OnError::Tag);
        };
        Ok(match &entry.value {
            Value::Text(word) => match word.as_str() {
                "tag" => OnError::Tag,
                "ignore" => OnError::Ignore,
                "reject" => OnError::Reject,
                "drop" => OnError::Drop,
                name => OnError::Steps(self.named(section, "on_error", name, depth)?),
            },
            _ => OnError::Tag,
        })
    }

    /// The steps of a name.
    fn named(
        &self,
        section: &'a Section,
        key: &'static str,
        name: &str,
        depth: usize,
    ) -> Result<Vec<Step>, BadStep<'a>> {
        let bad = |message: String, hint: String| BadStep {
            step: section,
            key,
            problem: Problem {
                message,
                hint: Some(hint),
                inner: None,
            },
        };
        let Some(steps) = self.lists.get(name) else {
            let mut names: Vec<_> = self.lists.keys().copied().collect();
            names.sort_unstable();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None if names.is_empty() => format!("declare them: `[steps.{name}]`"),
                None => format!("there are {}", list(names)),
            };
            return Err(bad(format!("there are no steps {name:?}"), hint));
        };
        if depth == STEP_LISTS_DEPTH_MAX {
            return Err(bad(
                format!("the steps {name:?} use themselves, or are used too deep"),
                format!("{STEP_LISTS_DEPTH_MAX} levels are possible"),
            ));
        }
        self.list(steps, depth + 1)
    }
}

/// The action of a kind of step.
fn action(kind: &str, values: &Values<'_>) -> Made {
    Ok(match kind {
        "set" => return set(values),
        "subst" => {
            let pattern = (values.text("pattern"), values.bool("ignore_case"));
            let made = Subst::new(
                target(values, "field")?,
                pattern,
                values.text("with"),
                values.bool("global"),
            );
            Arc::new(made.map_err(|error| ("pattern", Problem::new(error, REGEX_HINT)))?)
        }
        "unset" => {
            let made = Unset::new(&values.texts("fields"));
            Arc::new(made.map_err(|error| ("fields", Problem::new(error, None)))?)
        }
        "rename" => return rename(values),
        "map" => map(values)?,
        "tag" => Arc::new(Tag(values.names("tags"))),
        "untag" => Arc::new(Untag(values.names("tags"))),
        "mask" => return mask(values),
        "rate_limit" => Arc::new(RateLimit::new(
            template(values, "key")?,
            u32::try_from(values.number("records")).unwrap_or(u32::MAX),
            values.duration("period").unwrap_or_default(),
        )),
        "dedupe" => Arc::new(Dedupe::new(
            template(values, "key")?,
            values.duration("period").unwrap_or_default(),
        )),
        "sample" => Arc::new(Sample {
            key: template(values, "key")?,
            one_of: u32::try_from(values.number("one_of")).unwrap_or(u32::MAX),
        }),
        "date" => {
            let patterns = DatePatterns::new(&values.texts("formats"));
            Arc::new(Date {
                origin: (origin(values, "from"), values.text("from").to_owned()),
                patterns: patterns.map_err(|error| ("formats", Problem::new(error, None)))?,
                zone: zone_only(values).zone,
            })
        }
        "syslog" => {
            let from = (origin(values, "from"), values.text("from").to_owned());
            Arc::new(Header::new(from, zone_only(values)))
        }
        "patterndb" => {
            let (file, prefix) = (file(values), values.text("prefix"));
            Arc::new(Classify::new(file, prefix, values.bool("strict")))
        }
        "lookup" => Arc::new(Lookup::new(
            origin(values, "from"),
            file(values),
            values.text("prefix"),
            values.bool("ignore_case"),
        )),
        "in_list" => {
            let from = origin(values, "from");
            Arc::new(InList::new(from, file(values), values.bool("not")))
        }
        kind => return parsers::parse(kind, values),
    })
}

const REGEX_HINT: &str = "in 'single quotes' a backslash stands for itself";

/// Each name and what it is set to.
fn set(values: &Values<'_>) -> Made {
    let mut all: Vec<Arc<dyn Action>> = Vec::new();
    for (name, template) in values.table("values") {
        let target = named_target("values", name, template)?;
        let value = compiled("values", &template.item, template.span.clone())?;
        all.push(Arc::new(Set { target, value }));
    }
    Ok(several(all))
}

fn rename(values: &Values<'_>) -> Made {
    let mut all: Vec<Arc<dyn Action>> = Vec::new();
    for (name, new) in values.table("fields") {
        let from = named_target("fields", name, new)?;
        let to = named_target("fields", &new.item, new)?;
        all.push(Arc::new(Rename { from, to }));
    }
    Ok(several(all))
}

fn map(values: &Values<'_>) -> Made {
    let ignores_case = values.bool("ignore_case");
    let rows = values.table("table").iter().map(|(name, value)| {
        let mut key = name.as_bytes().to_vec();
        if ignores_case {
            key.make_ascii_lowercase();
        }
        (key, vec![value.item.clone()])
    });
    Ok(Arc::new(Map {
        origin: origin(values, "from"),
        targets: vec![target(values, "to")?],
        table: Arc::new(rows.collect()),
        default: values.set_text("default"),
        ignores_case,
    }))
}

fn mask(values: &Values<'_>) -> Made {
    let targets = values.texts("fields");
    let targets = targets
        .iter()
        .map(|name| Target::parse(name).map_err(|error| ("fields", Problem::new(error, None))));
    let targets = targets.collect::<Result<_, _>>()?;
    let masking = match (values.text("how"), values.secret_text("secret")) {
        ("hash", Some(secret)) => Masking::hash(secret),
        ("hash", None) => {
            let hint = "without one, whoever has a list of values finds out which are meant";
            let problem = Problem::new("`hash` needs a `secret`", hint);
            return Err(("how", problem));
        }
        ("keep-last-4", _) => Masking::KeepLastFour,
        _ => Masking::Redact(values.text("with").to_owned()),
    };
    let pattern = values.set_text("pattern");
    let made = Mask::new(targets, pattern.as_deref(), masking);
    Ok(Arc::new(made.map_err(|error| {
        ("pattern", Problem::new(error, REGEX_HINT))
    })?))
}

/// Actions one behind the other.
#[derive(Debug)]
struct Several(Vec<Arc<dyn Action>>);

impl Action for Several {
    fn apply(
        &self,
        record: &mut model::Editor<'_>,
        scratch: &mut ::pipeline::Scratch,
    ) -> Result<(), ::pipeline::Failure> {
        let mut all = self.0.iter();
        all.try_for_each(|action| action.apply(record, scratch))
    }
}

fn several(all: Vec<Arc<dyn Action>>) -> Arc<dyn Action> {
    match <[_; 1]>::try_from(all) {
        Ok([one]) => one,
        Err(all) => Arc::new(Several(all)),
    }
}

/// How messages are read, of which a step says the zone alone.
fn zone_only(values: &Values<'_>) -> ParseOptions {
    let zone = match values.value("zone") {
        Some(Value::Zone(zone)) => zone.zone.clone(),
        _ => TimeZone::UTC,
    };
    ParseOptions {
        zone,
        ..ParseOptions::default()
    }
}

fn file(values: &Values<'_>) -> PathBuf {
    values.path("file").unwrap_or_default()
}

fn query(expression: &str) -> Query {
    ::query::parse(expression).query
}

fn origin(values: &Values<'_>, key: &str) -> Origin {
    // It was read by the same rule.
    Origin::parse(values.text(key)).unwrap_or(Origin::Raw)
}

fn target(values: &Values<'_>, key: &'static str) -> Result<Target, (&'static str, Problem)> {
    match Origin::parse(values.text(key)) {
        Ok(Origin::Place(target)) => Ok(target),
        _ => Err((
            key,
            Problem::new("`raw` never changes", "name another part, or a field"),
        )),
    }
}

fn named_target(
    key: &'static str,
    name: &str,
    place: &Placed<String>,
) -> Result<Target, (&'static str, Problem)> {
    let problem = |message: String| {
        let inner = Some((place.span.clone(), 0..0));
        let hint = None;
        (
            key,
            Problem {
                message,
                hint,
                inner,
            },
        )
    };
    match name {
        "raw" => Err(problem("`raw` never changes".to_owned())),
        name => Target::parse(name).map_err(|error| problem(error.to_string())),
    }
}

fn template(values: &Values<'_>, key: &'static str) -> Result<Template, (&'static str, Problem)> {
    compiled(key, values.text(key), None)
}

/// `span` is where the text stands, where that is not all of the key's value.
fn compiled(
    key: &'static str,
    text: &str,
    span: Option<Range<usize>>,
) -> Result<Template, (&'static str, Problem)> {
    Template::compile(text).map_err(|error| {
        let problem = Problem {
            message: error.problem.to_string(),
            hint: error.hint,
            inner: Some((span, error.span)),
        };
        (key, problem)
    })
}

impl<'a> Values<'a> {
    fn secret_text(&self, key: &str) -> Option<&'a str> {
        match self.value(key) {
            Some(Value::Secret(secret)) => Some(secret),
            _ => None,
        }
    }
}
