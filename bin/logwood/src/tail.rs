//! Records as they arrive.

use std::io::Write as _;

use api::StreamLine;
use client::Parameters;

use crate::Outcome;
use crate::arguments::TailArguments;
use crate::ask::Source;
use crate::doubts;
use crate::failure::Failure;
use crate::output;
use crate::record_line::RecordLines;
use crate::searches;
use crate::target;
use crate::times::Zone;

/// Prints until the server stops or the reader has enough.
pub(crate) fn tail(arguments: &TailArguments) -> Result<Outcome, Failure> {
    let client = target::server(arguments.url.as_deref())?;
    let source = Source::Server(client.clone());
    let saved = arguments.saved.as_deref();
    let saved = saved
        .map(|name| searches::named(&source, name))
        .transpose()?;
    let (query, logspace) = match saved {
        Some(search) => (search.view.q, Some(search.view.logspace)),
        None => (arguments.query.clone(), None),
    };
    let logspace = arguments.logspace.clone().or(logspace);
    // As for tail(1), no record is as good as none asked for.
    let last = arguments.last.filter(|last| *last > 0);
    let parameters = Parameters::query(&query)
        .with_some("logspace", logspace.filter(|names| !names.is_empty()))
        .with_some("tokens", arguments.tokens.clone())
        .with_some("after", arguments.after.clone())
        .with_some("last", last.map(|last| last.to_string()));
    doubts::warn_of_query(&query, false);
    let zone = Zone::new(arguments.utc);
    let lines = RecordLines::new(zone, false, arguments.color, &query);
    // Lines and JSON have nothing in them that a terminal obeys but the colours of lines.
    let mut out = output::bytes();
    let tail = client.tail(&parameters);
    for line in tail.map_err(|error| Failure::from(error).in_query(&query))? {
        let line = match line {
            Ok(line) => line,
            Err(client::Error::BrokeOff) => {
                output::words("the server has closed the connection");
                break;
            }
            Err(error) => return Err(error.into()),
        };
        match &line {
            _ if arguments.json => output::json_line(&mut out, &line)?,
            StreamLine::Row(row) => writeln!(out, "{}", lines.line(row))?,
            StreamLine::Dropped(dropped) => {
                output::words(&format!(
                    "skipped {} records: too slow a reader",
                    dropped.count
                ));
            }
            StreamLine::Heartbeat(_) | StreamLine::End(_) => {}
        }
        out.flush()?;
    }
    Ok(Outcome::Done)
}
