//! What can be typed next.

use api::{CompleteAnswer, Completion, CompletionKind, Cost, Problem};
use engine::{Scope, StatsField};
use model::{Facility, Severity, Timestamp};
use query::{Expected, FieldName, Query, Target};

use crate::answer::Asked;
use crate::limits::{COMPLETE_CHOICES_MAX, COMPLETE_RECORDS_MAX};
use crate::parameters::Parameters;
use crate::problem::Refusal;

/// Choices, records looked at for them, and what that cost.
struct Found {
    choices: Vec<Completion>,
    records: u64,
    cost: Option<Cost>,
}

/// Names that only stages know.
const STAGE_NAMES: [&str; 4] = ["id", "received", "time", "logspace"];

impl Asked<'_> {
    /// What can stand at a place of a query.
    ///
    /// # Errors
    /// When a parameter is wrong.
    pub fn complete(&self, parameters: &Parameters) -> Result<CompleteAnswer, Box<Problem>> {
        self.refusable(|start| {
            let text = parameters.get("q").unwrap_or_default();
            let at = offset(parameters, text)?;
            let scope = parameters.scope(self.store, start)?;
            let completion = query::complete(text, at);
            let mut answer = CompleteAnswer {
                start: completion.span.start,
                end: completion.span.end,
                choices: Vec::new(),
                records: 0,
                cost: self.cost(
                    start,
                    &engine::Cost::default(),
                    &engine::Completeness::default(),
                ),
            };
            for expected in &completion.expected {
                let found = self.choices(expected, &completion.typed, &scope, start);
                answer.choices.extend(found.choices);
                answer.records = answer.records.max(found.records);
                answer.cost = found.cost.unwrap_or(answer.cost);
            }
            Ok(answer)
        })
    }

    fn choices(&self, expected: &Expected, typed: &str, scope: &Scope, start: Timestamp) -> Found {
        let without_records = |choices| Found {
            choices,
            records: 0,
            cost: None,
        };
        match expected {
            Expected::Keyword(word) if starts_with(word, typed) => {
                without_records(vec![choice(word, CompletionKind::Keyword)])
            }
            Expected::Keyword(_) => without_records(Vec::new()),
            Expected::Command => {
                let commands = query::commands(typed).map(|command| Completion {
                    usage: Some(format!("{}: {}", command.usage, command.gives)),
                    ..choice(command.name, CompletionKind::Command)
                });
                without_records(commands.collect())
            }
            Expected::Column(column) => {
                let name = column.to_string();
                let column =
                    starts_with(&name, typed).then(|| choice(&name, CompletionKind::Column));
                without_records(column.into_iter().collect())
            }
            Expected::Field => self.names(typed, scope, start, false),
            Expected::Name => self.names(typed, scope, start, true),
            Expected::Value(target) => self.values(target, typed, scope, start),
        }
    }

    /// Names of fields: those that every record has, then those of the newest records, the most
    /// frequent first.
    fn names(&self, typed: &str, scope: &Scope, start: Timestamp, is_in_stage: bool) -> Found {
        let recent = engine::recent_fields(scope, COMPLETE_RECORDS_MAX, self.cancel);
        let is_own = |name: &str| query::field_names().any(|own| own == name);
        let (own, mut others): (Vec<_>, Vec<_>) = recent
            .found
            .into_iter()
            .partition(|field| is_own(&field.name));
        others.sort_by_key(|field| std::cmp::Reverse(field.count));
        let stage_names = STAGE_NAMES.iter().filter(|_| is_in_stage);
        let named = own.iter().chain(&others);
        let counted = named.map(|field| (field.name.as_str(), Some(field.count)));
        let all = counted.chain(stage_names.map(|name| (*name, None)));
        let choices = all
            .filter(|(name, _)| starts_with(name, typed))
            .take(COMPLETE_CHOICES_MAX)
            .map(|(name, count)| Completion {
                count,
                ..choice(
                    &written(name, is_own(name), is_in_stage),
                    CompletionKind::Field,
                )
            });
        Found {
            choices: choices.collect(),
            records: recent.records,
            cost: Some(self.cost(start, &recent.cost, &recent.completeness)),
        }
    }

    fn values(&self, target: &Target, typed: &str, scope: &Scope, start: Timestamp) -> Found {
        let codes = match target {
            Target::Severity => Some(StatsField::Severity),
            Target::Facility => Some(StatsField::Facility),
            _ => None,
        };
        if let Some(codes) = codes {
            return self.codes(&codes, typed, scope, start);
        }
        let recent = engine::recent_values(
            scope,
            &FieldName::Part(target.clone()),
            typed,
            COMPLETE_CHOICES_MAX,
            COMPLETE_RECORDS_MAX,
            self.cancel,
        );
        let choices = recent.found.iter().map(|value| Completion {
            count: Some(value.count),
            ..choice(&query::value_text(&value.value), CompletionKind::Value)
        });
        Found {
            choices: choices.collect(),
            records: recent.records,
            cost: Some(self.cost(start, &recent.cost, &recent.completeness)),
        }
    }

    /// The names of severities or facilities, in their order, with the counts that the index has.
    fn codes(&self, field: &StatsField, typed: &str, scope: &Scope, start: Timestamp) -> Found {
        let names: Vec<&str> = match field {
            StatsField::Severity => Severity::all().map(Severity::name).collect(),
            _ => Facility::all().map(Facility::name).collect(),
        };
        let stats = engine::stats(
            scope.clone(),
            &Query::all(),
            field,
            names.len(),
            self.cancel,
        );
        let count = |name: &str| {
            let known = stats.values.iter().find(|value| value.value == name);
            known.map_or(0, |value| value.count)
        };
        let fitting = names.into_iter().filter(|name| starts_with(name, typed));
        let choices = fitting.map(|name| Completion {
            count: Some(count(name)),
            ..choice(name, CompletionKind::Value)
        });
        Found {
            choices: choices.collect(),
            records: stats.total,
            cost: Some(self.cost(start, &stats.cost, &stats.completeness)),
        }
    }
}

/// The place in the text, in bytes; its end where none is given.
fn offset(parameters: &Parameters, text: &str) -> Result<usize, Refusal> {
    let Some(at) = parameters.get("at") else {
        return Ok(text.len());
    };
    let offset = at.parse().ok().filter(|at| text.is_char_boundary(*at));
    offset.ok_or_else(|| {
        let detail = format!("{at:?} is no place between two characters of the query");
        let hint = "give the offset in bytes of UTF-8, or leave it out for the end";
        Refusal::parameter("at", detail, hint)
    })
}

fn written(name: &str, is_own: bool, is_in_stage: bool) -> String {
    match (is_in_stage, FieldName::named(name)) {
        // A field that is called as something else.
        (true, _) if name.starts_with("nvpair:") => name.to_owned(),
        (false, _) if name.starts_with("nvpair:") => format!("{name}="),
        (false, _) => query::field_prefix(name),
        (true, Ok(field)) if !is_own && !STAGE_NAMES.contains(&name) => field.to_string(),
        (true, _) => name.to_owned(),
    }
}

fn choice(text: &str, kind: CompletionKind) -> Completion {
    Completion {
        text: text.to_owned(),
        kind,
        count: None,
        usage: None,
    }
}

fn starts_with(name: &str, typed: &str) -> bool {
    let start = name.get(..typed.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(typed))
}
