//! Records as they arrive.

use std::io::Write as _;

use api::StreamLine;
use client::Parameters;

use crate::Outcome;
use crate::arguments::TailArguments;
use crate::failure::Failure;
use crate::output;
use crate::target;

/// Prints until the server stops or the reader has enough.
pub(crate) fn tail(arguments: &TailArguments) -> Result<Outcome, Failure> {
    let parameters = Parameters::query(&arguments.query)
        .with_some("logspace", arguments.logspace.clone())
        .with_some("tokens", arguments.tokens.clone())
        .with_some("after", arguments.after.clone());
    let client = target::server(arguments.url.as_deref());
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
