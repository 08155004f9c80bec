//! From the parameters of a URL to what the engine is asked.

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;

use engine::{Scope, TimeKind};
use model::{LogspaceName, TimeRange, Timestamp};
use query::{Query, Question, Tokens};
use store::Store;

use crate::problem::Refusal;

/// The parameters of a request, by name; the last of a name counts.
#[derive(Clone, Debug, Default)]
pub struct Parameters(HashMap<String, String>);

impl Parameters {
    /// From pairs of name and value.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(
            pairs
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .collect(),
        )
    }

    /// The value of a parameter; `None` where it is missing or empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A number between 1 and `max`.
    pub(crate) fn number(&self, name: &str, default: usize, max: usize) -> Result<usize, Refusal> {
        let Some(text) = self.get(name) else {
            return Ok(default);
        };
        usize::from_str(text)
            .ok()
            .filter(|number| (1..=max).contains(number))
            .ok_or_else(|| {
                let detail = format!("{text:?} is no number from 1 to {max}");
                Refusal::parameter(name, detail, "leave it out for the default")
            })
    }

    /// Whether a switch is on.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(text) => {
                let detail = format!("{text:?} is neither true nor false");
                Err(Refusal::parameter(name, detail, "use true or false"))
            }
        }
    }

    /// With what bounds terms in the logspaces that are asked for, where the request does not say, and
    /// they do not say different things.
    #[must_use]
    pub(crate) fn or_tokens(mut self, known: &HashMap<LogspaceName, Tokens>) -> Self {
        if self.get("tokens").is_some() {
            return self;
        }
        let list = self.get("logspace");
        let is_asked = |name: &LogspaceName| {
            list.is_none_or(|list| list.split(',').any(|asked| asked.trim() == name.as_str()))
        };
        let mut said = known.iter().filter(|(name, _)| is_asked(name));
        let said = said
            .next()
            .filter(|(_, first)| said.all(|(_, tokens)| tokens == *first));
        if let Some((_, tokens)) = said {
            self.0.insert("tokens".to_owned(), tokens.to_string());
        }
        self
    }

    /// What bounds terms; words unless it is said.
    fn tokens(&self) -> Result<Tokens, Refusal> {
        let tokens = self.get("tokens").map_or(Ok(Tokens::Words), Tokens::parse);
        tokens.map_err(|error| {
            let hint = "use words, ssb, or a list of delimiters such as :=,;";
            Refusal::parameter("tokens", error.to_string(), hint)
        })
    }

    /// The query; everything where there is none.
    pub(crate) fn query(&self) -> Result<Query, Refusal> {
        let text = self.get("q").unwrap_or_default();
        let query = query::parse(text).into_result();
        let query = query.map_err(|error| Refusal::query(&error))?;
        Ok(query.bounded_by(self.tokens()?))
    }

    /// The query and its pipe; everything where there is none.
    pub(crate) fn question(&self) -> Result<Question, Refusal> {
        let text = self.get("q").unwrap_or_default();
        let question = query::parse_question(text).into_result();
        let Question { query, stages } = question.map_err(|error| Refusal::query(&error))?;
        Ok(Question {
            query: query.bounded_by(self.tokens()?),
            stages,
        })
    }

    /// The range of time; unbounded where it is not given.
    pub(crate) fn range(&self, now: Timestamp) -> Result<TimeRange, Refusal> {
        let (from, to) = (self.moment("from", now)?, self.moment("to", now)?);
        if let (Some(from), Some(to)) = (from, to)
            && to <= from
        {
            return Err(self.empty_range(from, to));
        }
        Ok(TimeRange {
            start: from.unwrap_or(Timestamp::MIN),
            end: to.unwrap_or(Timestamp::MAX),
        })
    }

    /// Nothing can lie between two times that are the same or the wrong way round.
    fn empty_range(&self, from: Timestamp, to: Timestamp) -> Refusal {
        let text = |name: &str| self.get(name).unwrap_or_default().trim().to_owned();
        let detail = format!("the range of time is empty: {to} is not after {from}");
        let hint = match to < from {
            true => format!("swap them: from {} to {}", text("to"), text("from")),
            false => "a range ends before to: choose a later one, or leave it out".to_owned(),
        };
        Refusal::parameter("to", detail, &hint)
    }

    /// A time, if it is given.
    pub(crate) fn moment(&self, name: &str, now: Timestamp) -> Result<Option<Timestamp>, Refusal> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let time = query::parse_time(text, now).map_err(|error| {
            let hint = "a time without a zone is read in UTC; + has to be written as %2B in a URL";
            Refusal::parameter(name, error.to_string(), hint)
        });
        time.map(Some)
    }

    /// Which of its two times stands for a record.
    pub(crate) fn time(&self) -> Result<TimeKind, Refusal> {
        parse_time_kind(self.get("time").unwrap_or_default())
    }

    /// The logspaces asked for, each once however often it is named, as they are now, and the range
    /// of time.
    pub(crate) fn scope(&self, store: &Store, now: Timestamp) -> Result<Scope, Refusal> {
        let known = store.logspaces();
        let names: BTreeSet<LogspaceName> = match self.get("logspace") {
            None => known.iter().cloned().collect(),
            Some(list) => list
                .split(',')
                .map(|name| parse_logspace(name.trim(), &known))
                .collect::<Result<_, _>>()?,
        };
        let snapshots = names
            .iter()
            .map(|name| {
                store
                    .snapshot(name)
                    .ok_or_else(|| Refusal::unknown_logspace(name.as_str(), &known))
            })
            .collect::<Result<_, _>>()?;
        Ok(Scope {
            snapshots,
            range: self.range(now)?,
            time: self.time()?,
        })
    }

    /// The one logspace that records go to; `main` where none is named.
    pub(crate) fn target(&self, store: &Store) -> Result<LogspaceName, Refusal> {
        let known = store.logspaces();
        let name = self.get("logspace").unwrap_or(LogspaceName::MAIN);
        let parsed = parse_logspace(name, &known)?;
        if known.contains(&parsed) {
            return Ok(parsed);
        }
        Err(Refusal::unknown_logspace(name, &known))
    }
}

/// Which of its two times stands for a record; receipt where nothing is said.
pub(crate) fn parse_time_kind(text: &str) -> Result<TimeKind, Refusal> {
    match text {
        "" | "received" => Ok(TimeKind::Received),
        "event" => Ok(TimeKind::Event),
        text => {
            let detail = format!("{text:?} is no kind of time");
            let hint =
                "use received, when records came, or event, when their senders say they happened";
            Err(Refusal::parameter("time", detail, hint))
        }
    }
}

fn parse_logspace(name: &str, known: &[LogspaceName]) -> Result<LogspaceName, Refusal> {
    LogspaceName::parse(name).map_err(|_| Refusal::unknown_logspace(name, known))
}
