//! Records as they arrive.

use std::io::Write as _;

use api::StreamLine;
use client::Parameters;

use crate::Outcome;
use crate::arguments::TailArguments;
use crate::ask::Source;
use crate::failure::Failure;
use crate::output;
use crate::searches;
use crate::target;

/// Prints until the server stops or the reader has enough.
pub(crate) fn tail(arguments: &TailArguments) -> Result<Outcome, Failure> {
    let client = target::server(arguments.url.as_deref());
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
    let parameters = Parameters::query(&query)
        .with_some("logspace", logspace.filter(|names| !names.is_empty()))
        .with_some("tokens", arguments.tokens.clone())
        .with_some("after", arguments.after.clone());
    let mut out = output::data();
    for line in client.tail(&parameters)? {
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
            StreamLine::Row(row) => writeln!(out, "{}", output::row_line(row))?,
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
