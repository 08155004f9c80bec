//! Questions: search, count, histogram, stats.

use std::io::Write as _;
use std::path::Path;

use api::{Cost, End, Problem, Row, SavedView, StreamLine};
use client::{Client, Parameters};
use engine::Cancel;
use server::answer::Asked;
use store::SystemClock;

use crate::Outcome;
use crate::arguments::{
    CountArguments, HistogramArguments, QuestionArguments, SearchArguments, StatsArguments,
    TargetArguments, TimeArgument,
};
use crate::doubts;
use crate::failure::Failure;
use crate::output;
use crate::record_line::RecordLines;
use crate::searches;
use crate::target::{self, Target};
use crate::times::Zone;

/// Most rows asked for at once.
const PAGE_ROWS: usize = 1_000;

/// Parameters by name, for either target.
pub(crate) type Pairs = Vec<(&'static str, String)>;

/// Prints the records that match, page by page.
pub(crate) fn search(arguments: &SearchArguments) -> Result<Outcome, Failure> {
    let question = &arguments.question;
    let (source, mut pairs) = open(question, false)?;
    let asked = pairs.clone();
    let lines = lines(arguments, &asked);
    pairs.push(("raw", arguments.raw.to_string()));
    // Lines and JSON have nothing in them that a terminal obeys but the colours of lines.
    let mut out = output::bytes();
    let mut left = arguments.limit;
    let mut found = 0;
    let mut end = End::default();
    while left > 0 {
        let mut page = pairs.clone();
        page.push(("limit", left.min(PAGE_ROWS).to_string()));
        if let Some(cursor) = &end.cursor {
            page.push(("cursor", cursor.clone()));
        }
        let rows;
        (rows, end) = source.search(&page)?;
        found += rows.len();
        left -= rows.len().min(left);
        for row in rows {
            write_row(&mut out, row, arguments, &lines)?;
        }
        if end.cursor.is_none() {
            break;
        }
    }
    warn_if_partial(&end.cost);
    if question.json {
        end.rows = found as u64;
        output::json_line(&mut out, &StreamLine::End(end))?;
    }
    out.flush()?;
    if found == 0 {
        doubts::say_nothing_found(&source, &asked, &Zone::new(question.utc))?;
    }
    Ok(outcome(found as u64))
}

/// How records look on lines, for what is asked.
fn lines(arguments: &SearchArguments, asked: &Pairs) -> RecordLines {
    let value = |name: &str| asked.iter().find(|(known, _)| *known == name);
    let is_event = value("time").is_some_and(|(_, time)| time == "event");
    let query = value("q").map_or("", |(_, query)| query);
    let zone = Zone::new(arguments.question.utc);
    RecordLines::new(zone, is_event, arguments.color, query)
}

fn write_row(
    out: &mut impl std::io::Write,
    row: Row,
    arguments: &SearchArguments,
    lines: &RecordLines,
) -> Result<(), Failure> {
    if arguments.question.json {
        output::json_line(out, &StreamLine::Row(Box::new(row)))?;
    } else if arguments.raw {
        out.write_all(&row.raw_bytes().unwrap_or_default())?;
        out.write_all(b"\n")?;
    } else {
        writeln!(out, "{}", lines.line(&row))?;
    }
    Ok(())
}

/// Prints how many records match.
pub(crate) fn count(arguments: &CountArguments) -> Result<Outcome, Failure> {
    let question = &arguments.question;
    let (source, pairs) = open(question, false)?;
    let answer = source.ask(
        &pairs,
        |client, parameters| client.count(parameters),
        |asked, parameters| asked.count(parameters),
    )?;
    warn_if_partial(&answer.cost);
    let mut out = output::data();
    if question.json {
        output::json_line(&mut out, &answer)?;
    } else {
        writeln!(out, "{}", answer.count)?;
    }
    out.flush()?;
    Ok(outcome(answer.count))
}

/// Prints how many records match over time.
pub(crate) fn histogram(arguments: &HistogramArguments) -> Result<Outcome, Failure> {
    let question = &arguments.question;
    let (source, mut pairs) = open(question, false)?;
    pairs.push(("bars", arguments.bars.to_string()));
    let answer = source.ask(
        &pairs,
        |client, parameters| client.histogram(parameters),
        |asked, parameters| asked.histogram(parameters),
    )?;
    warn_if_partial(&answer.cost);
    let mut out = output::data();
    for bar in &answer.bars {
        if question.json {
            output::json_line(&mut out, bar)?;
        } else {
            writeln!(out, "{} {}", bar.start, bar.count)?;
        }
    }
    out.flush()?;
    Ok(outcome(answer.total))
}

/// Prints the most frequent values of a field.
pub(crate) fn stats(arguments: &StatsArguments) -> Result<Outcome, Failure> {
    let question = &arguments.question;
    let (source, mut pairs) = open(question, false)?;
    let asked = pairs.clone();
    pairs.push(("by", arguments.by.clone()));
    pairs.push(("limit", arguments.limit.to_string()));
    let answer = source.ask(
        &pairs,
        |client, parameters| client.stats(parameters),
        |asked, parameters| asked.stats(parameters),
    )?;
    warn_if_partial(&answer.cost);
    let mut out = output::data();
    for value in &answer.values {
        if question.json {
            output::json_line(&mut out, value)?;
        } else {
            writeln!(out, "{} {}", value.count, output::visible(&value.value))?;
        }
    }
    out.flush()?;
    match (answer.values.is_empty(), answer.total) {
        (false, _) => {}
        (true, 0) => doubts::say_nothing_found(&source, &asked, &Zone::new(question.utc))?,
        (true, total) => doubts::say_no_values(&arguments.by, total),
    }
    Ok(outcome(answer.values.len() as u64))
}

/// Whom a question goes to, and its parameters: those of a saved search, but for what flags say. Says
/// what is doubtful in the query, which may have a pipe.
pub(crate) fn open(
    arguments: &QuestionArguments,
    takes_pipe: bool,
) -> Result<(Source, Pairs), Failure> {
    let zone = Zone::new(arguments.utc);
    let read = |flag: &str, time: &str| zone.read(flag, time);
    let source = Source::open(&arguments.target)?;
    let view = match &arguments.saved {
        Some(name) => searches::named(&source, name)?.view,
        None => SavedView {
            q: arguments.query.clone(),
            ..SavedView::default()
        },
    };
    let time = arguments.time.map(|time| match time {
        TimeArgument::Event => "event".to_owned(),
        TimeArgument::Received => String::new(),
    });
    doubts::warn_of_query(&view.q, takes_pipe);
    let from = read("from", arguments.from.as_ref().unwrap_or(&view.from))?;
    let to = read("to", arguments.to.as_ref().unwrap_or(&view.to))?;
    let bounds = [
        ("logspace", arguments.logspace.clone(), view.logspace),
        ("from", Some(from), String::new()),
        ("to", Some(to), String::new()),
        ("tokens", arguments.tokens.clone(), String::new()),
        ("time", time, view.time),
    ];
    let bounds = bounds
        .into_iter()
        .map(|(name, flag, saved)| (name, flag.unwrap_or(saved)))
        .filter(|(_, value)| !value.is_empty());
    let pairs = std::iter::once(("q", view.q)).chain(bounds).collect();
    Ok((source, pairs))
}

fn outcome(found: u64) -> Outcome {
    if found == 0 {
        Outcome::NothingFound
    } else {
        Outcome::Done
    }
}

pub(crate) fn warn_if_partial(cost: &Cost) {
    if let Some(reason) = cost.reason.as_deref().filter(|_| !cost.complete) {
        output::words(&format!("warning: the answer is not complete: {reason}"));
    }
}

/// Whom the question goes to, open.
pub(crate) enum Source {
    Server(Client),
    Directory(Box<store::Store>),
}

impl Source {
    pub(crate) fn open(target: &TargetArguments) -> Result<Self, Failure> {
        let open = |path: &Path| target::open_read_only(path).map(Box::new);
        Ok(match Target::find(target)? {
            Target::Server(client) => Self::Server(client),
            Target::Directory(path) => Self::Directory(open(&path)?),
        })
    }

    /// Asks whichever it is, in its own words.
    pub(crate) fn ask<T>(
        &self,
        pairs: &Pairs,
        server: impl FnOnce(&Client, &Parameters) -> Result<T, client::Error>,
        directory: impl FnOnce(&Asked<'_>, &server::Parameters) -> Result<T, Box<Problem>>,
    ) -> Result<T, Failure> {
        let query = pairs
            .iter()
            .find(|(name, _)| *name == "q")
            .map_or("", |(_, query)| query);
        let in_query = |failure: Failure| failure.in_query(query);
        match self {
            Self::Server(client) => {
                let parameters = pairs
                    .iter()
                    .fold(Parameters::default(), |all, (name, value)| {
                        all.with(name, value)
                    });
                server(client, &parameters).map_err(|error| in_query(error.into()))
            }
            Self::Directory(store) => {
                let owned = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
                let parameters = server::Parameters::new(pairs.iter().map(owned));
                let cancel = Cancel::new();
                let asked = Asked {
                    store,
                    clock: &SystemClock,
                    cancel: &cancel,
                };
                directory(&asked, &parameters).map_err(|problem| in_query(problem.into()))
            }
        }
    }

    /// One page of records.
    pub(crate) fn search(&self, pairs: &Pairs) -> Result<(Vec<Row>, End), Failure> {
        self.ask(
            pairs,
            |client, parameters| {
                let mut rows = Vec::new();
                for line in client.search(parameters)? {
                    match line? {
                        StreamLine::Row(row) => rows.push(*row),
                        StreamLine::End(end) => return Ok((rows, end)),
                        StreamLine::Heartbeat(_) | StreamLine::Dropped(_) => {}
                    }
                }
                Err(client::Error::BrokeOff)
            },
            |asked, parameters| asked.search(parameters),
        )
    }
}
