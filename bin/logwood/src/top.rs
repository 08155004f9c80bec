//! What a server receives and loses, as it happens: a table that is painted anew each second.
//!
//! The figures are those of the API's status. Rates are differences of two of them, so the first
//! picture comes after the first interval. No screen library: text, and two escape sequences that
//! every terminal knows; where the output is no terminal, pictures follow each other.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use api::{SourceStatus, StatusAnswer};
use client::Client;
use serde::Serialize;

use crate::Outcome;
use crate::arguments::TopArguments;
use crate::failure::Failure;
use crate::output::{self, visible};
use crate::target;

/// Puts the cursor into the corner.
const HOME: &str = "\x1b[H";

/// Clears what is behind the cursor on its line, and below it.
const CLEAR_LINE: &str = "\x1b[K";
const CLEAR_BELOW: &str = "\x1b[J";

/// What is shown, and what `--json` prints.
#[derive(Debug, Serialize)]
struct Picture {
    version: String,
    uptime_seconds: u64,
    /// Time between the two states that the rates are made of.
    interval_seconds: f64,
    sources: Vec<SourceLine>,
    logspaces: Vec<LogspaceLine>,
    storage: api::StorageStatus,
}

#[derive(Debug, Serialize)]
struct SourceLine {
    name: String,
    received_per_second: f64,
    bytes_per_second: f64,
    dropped_per_second: f64,
    in_flight: u64,
    lag_seconds: f64,
    kernel_queue_bytes: u64,
    dropped: u64,
    /// The reasons for which something was dropped since the start.
    reasons: Vec<String>,
    connections: u64,
    refused: u64,
    senders: u64,
    level: String,
}

#[derive(Debug, Serialize)]
struct LogspaceLine {
    name: String,
    records: u64,
    records_per_second: f64,
    bytes: u64,
}

/// Paints until interrupted, or once.
pub(crate) fn top(arguments: &TopArguments) -> Result<Outcome, Failure> {
    let client = target::server(arguments.url.as_deref());
    let interval = Duration::from_secs_f64(arguments.interval);
    let is_live = io::stdout().is_terminal() && !arguments.json && !arguments.once;
    let mut before = (Instant::now(), client.status()?);
    if is_live {
        write!(io::stdout(), "{HOME}{CLEAR_BELOW}")?;
    }
    loop {
        thread::sleep(interval);
        let now = (Instant::now(), client.status()?);
        let seconds = now.0.duration_since(before.0).as_secs_f64();
        let picture = Picture::new(&before.1, &now.1, seconds);
        let mut out = output::data();
        if arguments.json {
            output::json_line(&mut out, &picture)?;
        } else if is_live {
            let text = picture.text(&client);
            let lines = text.lines().map(|line| format!("{line}{CLEAR_LINE}\n"));
            write!(out, "{HOME}{}{CLEAR_BELOW}", lines.collect::<String>())?;
        } else {
            writeln!(out, "{}", picture.text(&client))?;
        }
        out.flush()?;
        if arguments.once {
            return Ok(Outcome::Done);
        }
        before = now;
    }
}

impl Picture {
    fn new(before: &StatusAnswer, now: &StatusAnswer, seconds: f64) -> Self {
        let sources = now.sources.iter().map(|source| {
            let earlier = before.sources.iter().find(|old| old.name == source.name);
            SourceLine::new(earlier, source, seconds)
        });
        let logspaces = now.logspaces.iter().map(|logspace| {
            let mut earlier = before.logspaces.iter();
            let earlier = earlier.find(|old| old.name == logspace.name);
            let records = earlier.map_or(0, |old| old.records);
            LogspaceLine {
                name: logspace.name.clone(),
                records: logspace.records,
                records_per_second: rate(records, logspace.records, seconds),
                bytes: logspace.bytes + logspace.archived_bytes,
            }
        });
        Self {
            version: now.version.clone(),
            uptime_seconds: now.uptime_seconds,
            interval_seconds: seconds,
            sources: sources.collect(),
            logspaces: logspaces.collect(),
            storage: now.storage.clone(),
        }
    }

    fn text(&self, client: &Client) -> String {
        let mut text = String::new();
        let total: f64 = self.sources.iter().map(|s| s.received_per_second).sum();
        let dropped: f64 = self.sources.iter().map(|s| s.dropped_per_second).sum();
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "logwood {} at {}, up {}   {}/s received, {}/s dropped",
            self.version,
            client.url(),
            age(self.uptime_seconds),
            count(total),
            count(dropped)
        );
        let storage = &self.storage;
        let free = storage
            .free_bytes
            .map_or("?".to_owned(), |free| bytes(free as f64));
        _ = writeln!(
            text,
            "storage {}{}, {free} free{}, journal {}, unsynced {}\n",
            storage.state,
            storage
                .reason
                .as_ref()
                .map_or(String::new(), |why| format!(" ({})", visible(why))),
            if storage.is_low { " (low)" } else { "" },
            bytes(storage.journal_bytes as f64),
            bytes(storage.unsynced_bytes as f64),
        );
        _ = writeln!(
            text,
            "{:<20} {:>9} {:>10} {:>9} {:>8} {:>9} {:>9} {:>7} {:>7}  DROPPED FOR",
            "SOURCE", "MSG/s", "BYTES/s", "FLIGHT", "LAG", "KERNEL", "DROPPED", "CONNS", "SENDERS"
        );
        for source in &self.sources {
            source.write(&mut text);
        }
        _ = writeln!(
            text,
            "\n{:<20} {:>9} {:>14} {:>10}",
            "LOGSPACE", "REC/s", "RECORDS", "DISK"
        );
        for logspace in &self.logspaces {
            let LogspaceLine {
                name,
                records,
                records_per_second,
                bytes: disk,
            } = logspace;
            let (rate, disk) = (count(*records_per_second), bytes(*disk as f64));
            _ = writeln!(
                text,
                "{:<20} {rate:>9} {records:>14} {disk:>10}",
                visible(name)
            );
        }
        text
    }
}

impl SourceLine {
    fn new(before: Option<&SourceStatus>, now: &SourceStatus, seconds: f64) -> Self {
        let dropped_in = |source: &SourceStatus| source.dropped.values().sum::<u64>();
        let old = |figure: fn(&SourceStatus) -> u64| before.map_or(0, figure);
        let reasons = now.dropped.iter().filter(|(_, count)| **count > 0);
        Self {
            name: now.name.clone(),
            received_per_second: rate(old(|s| s.received), now.received, seconds),
            bytes_per_second: rate(old(|s| s.bytes), now.bytes, seconds),
            dropped_per_second: rate(before.map_or(0, dropped_in), dropped_in(now), seconds),
            in_flight: now.in_flight,
            lag_seconds: now.lag_seconds,
            kernel_queue_bytes: now.kernel_queue_bytes,
            dropped: dropped_in(now),
            reasons: reasons.map(|(reason, _)| reason.clone()).collect(),
            connections: now.connections,
            refused: now.connections_refused + now.connections_denied,
            senders: now.senders,
            level: now.level.clone(),
        }
    }

    fn write(&self, text: &mut String) {
        let level = match self.level.as_str() {
            "low" => "  too few",
            "high" => "  too many",
            _ => "",
        };
        _ = writeln!(
            text,
            "{:<20} {:>9} {:>10} {:>9} {:>8} {:>9} {:>9} {:>7} {:>7}  {}{level}",
            visible(&self.name),
            count(self.received_per_second),
            bytes(self.bytes_per_second),
            self.in_flight,
            format!("{:.0} ms", self.lag_seconds * 1_000.0),
            bytes(self.kernel_queue_bytes as f64),
            self.dropped,
            self.connections,
            self.senders,
            self.reasons.join(" "),
        );
    }
}

/// What a counter gained in a second. A server that was started anew has begun at zero.
fn rate(before: u64, now: u64, seconds: f64) -> f64 {
    let gained = now.checked_sub(before).unwrap_or(now);
    gained as f64 / seconds.max(0.001)
}

/// A rate as it is read best: `7`, `12.3k`, `1.2M`.
fn count(rate: f64) -> String {
    match rate {
        ..10_000.0 => format!("{rate:.0}"),
        ..1_000_000.0 => format!("{:.1}k", rate / 1e3),
        _ => format!("{:.1}M", rate / 1e6),
    }
}

/// A number of bytes with a unit.
fn bytes(number: f64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, power) in units {
        let size = f64::from(power).exp2();
        if number >= size {
            return format!("{:.1} {unit}", number / size);
        }
    }
    format!("{number:.0} B")
}

/// `3d 4h`, `5h 6m`, `7m 8s`.
fn age(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}m {}s", seconds % 60),
        (0, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(
            [count(0.4), count(9_999.0), count(12_345.0)],
            ["0", "9999", "12.3k"]
        );
        assert_eq!(count(2_500_000.0), "2.5M");
        assert_eq!([bytes(12.0), bytes(1_536.0)], ["12 B", "1.5 KiB"]);
        assert_eq!(bytes(3.0 * 1024.0 * 1024.0 * 1024.0), "3.0 GiB");
        assert_eq!(
            [age(65), age(3_700), age(90_000)],
            ["1m 5s", "1h 1m", "1d 1h"]
        );
    }

    #[test]
    fn a_rate_outlives_a_restart_of_the_server() {
        assert_eq!(rate(100, 300, 2.0), 100.0);
        assert_eq!(rate(1_000, 50, 1.0), 50.0);
    }
}
