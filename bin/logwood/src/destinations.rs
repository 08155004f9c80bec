//! Destinations of a running server: how far they are, and what they are told to do.

use std::io::Write as _;

use api::{DestinationRequest, DestinationStatus};
use client::Client;

use crate::Outcome;
use crate::arguments::{DestinationArguments, DestinationsCommand, MoveArguments};
use crate::failure::Failure;
use crate::output::{self, visible};
use crate::target;

/// Lists, shows, or tells one what to do.
pub(crate) fn destinations(command: &DestinationsCommand) -> Result<Outcome, Failure> {
    match command {
        DestinationsCommand::List { json, url } => list(&target::server(url.as_deref())?, *json),
        DestinationsCommand::Show { json, destination } => show(destination, *json),
        DestinationsCommand::Pause(destination) => {
            tell(destination, "pause", &DestinationRequest::default())
        }
        DestinationsCommand::Resume(destination) => {
            tell(destination, "resume", &DestinationRequest::default())
        }
        DestinationsCommand::Rewind(moved) => tell(&moved.destination, "rewind", &request(moved)),
        DestinationsCommand::Skip(moved) => tell(&moved.destination, "skip", &request(moved)),
        DestinationsCommand::Test {
            destination,
            message,
        } => {
            let request = DestinationRequest {
                message: message.clone(),
                ..DestinationRequest::default()
            };
            let client = target::server(destination.url.as_deref())?;
            let status = client.tell_destination(&destination.name, "test", &request)?;
            output::words(&format!("{} has taken it", visible(&status.name)));
            Ok(Outcome::Done)
        }
    }
}

fn request(moved: &MoveArguments) -> DestinationRequest {
    DestinationRequest {
        to: moved.to.clone(),
        logspace: moved.logspace.clone(),
        message: None,
    }
}

fn tell(
    destination: &DestinationArguments,
    action: &str,
    request: &DestinationRequest,
) -> Result<Outcome, Failure> {
    let client = target::server(destination.url.as_deref())?;
    let status = client.tell_destination(&destination.name, action, request)?;
    output::words(&format!(
        "{}: {}, {} to go",
        visible(&status.name),
        status.state,
        status.pending + status.unread
    ));
    Ok(Outcome::Done)
}

fn list(client: &Client, is_json: bool) -> Result<Outcome, Failure> {
    let destinations = client.destinations()?.destinations;
    let mut out = output::data();
    let names = destinations
        .iter()
        .map(|one| visible(&one.name).chars().count());
    let width = names.max().unwrap_or(0).max("DESTINATION".len());
    if !is_json && !destinations.is_empty() {
        writeln!(
            out,
            "{:width$}  {:8} {:>12} {:>10} {:>12}  LAST ERROR",
            "DESTINATION", "STATE", "DELIVERED", "DROPPED", "TO GO"
        )?;
    }
    for one in &destinations {
        if is_json {
            output::json_line(&mut out, one)?;
            continue;
        }
        let line = format!(
            "{:width$}  {:8} {:>12} {:>10} {:>12}  {}",
            visible(&one.name),
            one.state,
            one.delivered,
            one.dropped.values().sum::<u64>(),
            one.pending + one.unread,
            visible(why(one).unwrap_or_default())
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(match destinations.is_empty() {
        true => Outcome::NothingFound,
        false => Outcome::Done,
    })
}

/// Why it does not work.
fn why(one: &DestinationStatus) -> Option<&str> {
    let error = one.last_error.as_deref();
    one.reason
        .as_deref()
        .or(error.filter(|_| one.state == "failing"))
}

fn show(arguments: &DestinationArguments, is_json: bool) -> Result<Outcome, Failure> {
    let client = target::server(arguments.url.as_deref())?;
    let all = client.destinations()?.destinations;
    let name = arguments.name.as_str();
    let is_named = |one: &&DestinationStatus| {
        let short = one.name.split_once('.').map(|(_, short)| short);
        one.name == name || short == Some(name)
    };
    let Some(one) = all.iter().find(is_named) else {
        let known: Vec<_> = all.iter().map(|one| one.name.as_str()).collect();
        let failure = Failure::new(format!("there is no destination {name:?}"));
        return Err(failure.hint(format!("the destinations are: {}", known.join(", "))));
    };
    let mut out = output::data();
    if is_json {
        output::json_line(&mut out, one)?;
        out.flush()?;
        return Ok(Outcome::Done);
    }
    let mut line = |name: &str, value: &str| writeln!(out, "{name:<15} {}", visible(value));
    line("name", &one.name)?;
    line("state", &one.state)?;
    line("matched", &one.matched.to_string())?;
    line("delivered", &one.delivered.to_string())?;
    for (reason, records) in one.dropped.iter().filter(|(_, records)| **records > 0) {
        line("dropped", &format!("{records} {reason}"))?;
    }
    line("pending", &one.pending.to_string())?;
    line("unread", &one.unread.to_string())?;
    line("bytes", &one.bytes.to_string())?;
    line("retries", &one.retries.to_string())?;
    for position in &one.positions {
        let text = format!(
            "{}:{}, {} behind",
            position.logspace, position.settled, position.behind
        );
        line("position", &text)?;
    }
    let texts = [
        ("oldest", &one.oldest),
        ("last delivered", &one.last_delivered),
        ("last error", &one.last_error),
        ("last error at", &one.last_error_at),
        ("broken", &one.reason),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            line(name, text)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Done)
}
