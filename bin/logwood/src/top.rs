//! What a server receives and loses, as it happens: a table that is painted anew each second.
//!
//! The figures are those of the API's status. Rates are differences of two of them, so the first
//! picture comes after the first interval. No screen library: text, and two escape sequences that
//! every terminal knows; where the output is no terminal, pictures follow each other.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use api::{DestinationStatus, RunningSearch, SenderStatus, SourceStatus, StatusAnswer};
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

/// Senders that are shown: what fits below the sources of most terminals.
const SENDERS_SHOWN: usize = 10;

/// How a table is laid out: a name to the left, figures to the right, words behind them.
struct Layout {
    name: (&'static str, usize),
    /// Heads and widths.
    figures: &'static [(&'static str, usize)],
    words: &'static str,
}

const SOURCES: Layout = Layout {
    name: ("SOURCE", 20),
    figures: &[
        ("MSG/s", 9),
        ("BYTES/s", 10),
        ("FLIGHT", 9),
        ("LAG", 8),
        ("KERNEL", 9),
        ("DROPPED", 9),
        ("CONNS", 7),
        ("SENDERS", 7),
    ],
    words: "DROPPED FOR",
};

const SENDERS: Layout = Layout {
    name: ("SENDER", 40),
    figures: &[
        ("MSG/s", 9),
        ("BYTES/s", 10),
        ("RECEIVED", 12),
        ("DROPPED", 9),
    ],
    words: "SOURCE",
};

const DESTINATIONS: Layout = Layout {
    name: ("DESTINATION", 20),
    figures: &[
        ("REC/s", 9),
        ("BYTES/s", 10),
        ("TO GO", 12),
        ("DROPPED", 9),
        ("STATE", 8),
    ],
    words: "LAST ERROR",
};

const LOGSPACES: Layout = Layout {
    name: ("LOGSPACE", 20),
    figures: &[("REC/s", 9), ("RECORDS", 14), ("DISK", 10)],
    words: "",
};

/// The state of a server at one moment.
struct Seen {
    at: Instant,
    status: StatusAnswer,
    /// Sources and their senders.
    senders: Vec<(String, SenderStatus)>,
}

/// What is shown, and what `--json` prints.
#[derive(Debug, Serialize)]
struct Picture {
    version: String,
    uptime_seconds: u64,
    /// Time between the two states that the rates are made of.
    interval_seconds: f64,
    sources: Vec<SourceLine>,
    /// The busiest, over all sources.
    senders: Vec<SenderLine>,
    logspaces: Vec<LogspaceLine>,
    destinations: Vec<DestinationLine>,
    /// What is being answered, the longest running first.
    searches: Vec<RunningSearch>,
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
struct SenderLine {
    peer: String,
    source: String,
    received_per_second: f64,
    bytes_per_second: f64,
    received: u64,
    dropped: u64,
    level: String,
}

#[derive(Debug, Serialize)]
struct DestinationLine {
    name: String,
    state: String,
    delivered_per_second: f64,
    bytes_per_second: f64,
    to_go: u64,
    dropped: u64,
    error: Option<String>,
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
    let client = target::server(arguments.url.as_deref())?;
    let interval = Duration::from_secs_f64(arguments.interval);
    let is_live = io::stdout().is_terminal() && !arguments.json && !arguments.once;
    let mut before = Seen::ask(&client)?;
    if is_live {
        write!(io::stdout(), "{HOME}{CLEAR_BELOW}")?;
    }
    loop {
        thread::sleep(interval);
        let now = Seen::ask(&client)?;
        let picture = Picture::new(&before, &now);
        let mut out = output::data();
        if arguments.json {
            output::json_line(&mut out, &picture)?;
        } else if is_live {
            let text = output::visible_lines(&picture.text(&client));
            let lines = text.lines().map(|line| format!("{line}{CLEAR_LINE}\n"));
            write!(
                output::bytes(),
                "{HOME}{}{CLEAR_BELOW}",
                lines.collect::<String>()
            )?;
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

impl Seen {
    fn ask(client: &Client) -> Result<Self, Failure> {
        let (at, status) = (Instant::now(), client.status()?);
        let mut senders = Vec::new();
        for source in status.sources.iter().filter(|source| source.senders > 0) {
            let answer = client.senders(&source.name)?;
            let named = answer.senders.into_iter();
            senders.extend(named.map(|sender| (answer.source.clone(), sender)));
        }
        Ok(Self {
            at,
            status,
            senders,
        })
    }
}

impl Picture {
    fn new(before: &Seen, now: &Seen) -> Self {
        let seconds = now.at.duration_since(before.at).as_secs_f64();
        let senders = SenderLine::busiest(&before.senders, &now.senders, seconds);
        let (before, now) = (&before.status, &now.status);
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
            senders,
            logspaces: logspaces.collect(),
            destinations: { now.destinations.iter() }
                .map(|one| {
                    let mut earlier = before.destinations.iter();
                    let earlier = earlier.find(|old| old.name == one.name);
                    DestinationLine::new(earlier, one, seconds)
                })
                .collect(),
            searches: now.searches.clone(),
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
        SOURCES.write_head(&mut text);
        for source in &self.sources {
            source.write(&mut text);
        }
        if !self.senders.is_empty() {
            text.push('\n');
            SENDERS.write_head(&mut text);
        }
        for sender in &self.senders {
            sender.write(&mut text);
        }
        text.push('\n');
        LOGSPACES.write_head(&mut text);
        for logspace in &self.logspaces {
            logspace.write(&mut text);
        }
        if !self.destinations.is_empty() {
            text.push('\n');
            DESTINATIONS.write_head(&mut text);
        }
        for destination in &self.destinations {
            destination.write(&mut text);
        }
        self.write_searches(&mut text);
        text
    }

    fn write_searches(&self, text: &mut String) {
        if self.searches.is_empty() {
            return;
        }
        _ = writeln!(text, "\n{:>9}  SEARCH", "FOR");
        for search in &self.searches {
            let query = visible(&search.query);
            _ = writeln!(text, "{:>7.1} s  {query}", search.seconds);
        }
    }
}

impl Layout {
    fn write_head(&self, text: &mut String) {
        let heads: Vec<&str> = self.figures.iter().map(|(head, _)| *head).collect();
        self.write(text, self.name.0, &heads, self.words);
    }

    fn write(&self, text: &mut String, name: &str, figures: &[impl AsRef<str>], words: &str) {
        let mut line = format!("{:<width$}", visible(name), width = self.name.1);
        for ((_, width), figure) in self.figures.iter().zip(figures) {
            // Writing to a string cannot fail.
            _ = write!(line, " {:>width$}", figure.as_ref());
        }
        _ = write!(line, "  {words}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

impl DestinationLine {
    fn new(earlier: Option<&DestinationStatus>, one: &DestinationStatus, seconds: f64) -> Self {
        let old = |figure: fn(&DestinationStatus) -> u64| earlier.map_or(0, figure);
        let error = one.reason.clone().or(one.last_error.clone());
        Self {
            name: one.name.clone(),
            state: one.state.clone(),
            delivered_per_second: rate(old(|d| d.delivered), one.delivered, seconds),
            bytes_per_second: rate(old(|d| d.bytes), one.bytes, seconds),
            to_go: one.pending + one.unread,
            dropped: one.dropped.values().sum(),
            error: error.filter(|_| matches!(one.state.as_str(), "failing" | "broken")),
        }
    }

    fn write(&self, text: &mut String) {
        let figures = [
            count(self.delivered_per_second),
            bytes(self.bytes_per_second),
            self.to_go.to_string(),
            self.dropped.to_string(),
            self.state.clone(),
        ];
        let error = self.error.as_deref().unwrap_or_default();
        DESTINATIONS.write(text, &self.name, &figures, &visible(error));
    }
}

impl SenderLine {
    /// The senders of whom most came between two moments.
    fn busiest(
        before: &[(String, SenderStatus)],
        now: &[(String, SenderStatus)],
        seconds: f64,
    ) -> Vec<Self> {
        let known: HashMap<(&str, &str), &SenderStatus> = before
            .iter()
            .map(|(source, sender)| ((source.as_str(), sender.peer.as_str()), sender))
            .collect();
        let line = |(source, sender): &(String, SenderStatus)| {
            let earlier = known.get(&(source.as_str(), sender.peer.as_str()));
            let old = |figure: fn(&SenderStatus) -> u64| earlier.map_or(0, |old| figure(old));
            Self {
                peer: sender.peer.clone(),
                source: source.clone(),
                received_per_second: rate(old(|s| s.received), sender.received, seconds),
                bytes_per_second: rate(old(|s| s.bytes), sender.bytes, seconds),
                received: sender.received,
                dropped: sender.dropped,
                level: sender.level.clone(),
            }
        };
        let mut lines: Vec<Self> = now.iter().map(line).collect();
        lines.sort_by(|a, b| {
            let by_rate = b.received_per_second.total_cmp(&a.received_per_second);
            by_rate.then(b.received.cmp(&a.received))
        });
        lines.truncate(SENDERS_SHOWN);
        lines
    }

    fn write(&self, text: &mut String) {
        let figures = [
            count(self.received_per_second),
            bytes(self.bytes_per_second),
            self.received.to_string(),
            self.dropped.to_string(),
        ];
        let words = format!("{}{}", visible(&self.source), in_words(&self.level));
        SENDERS.write(text, &self.peer, &figures, &words);
    }
}

impl LogspaceLine {
    fn write(&self, text: &mut String) {
        let figures = [
            count(self.records_per_second),
            self.records.to_string(),
            bytes(self.bytes as f64),
        ];
        LOGSPACES.write(text, &self.name, &figures, "");
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
        let figures = [
            count(self.received_per_second),
            bytes(self.bytes_per_second),
            self.in_flight.to_string(),
            format!("{:.0} ms", self.lag_seconds * 1_000.0),
            bytes(self.kernel_queue_bytes as f64),
            self.dropped.to_string(),
            self.connections.to_string(),
            self.senders.to_string(),
        ];
        let words = format!("{}{}", self.reasons.join(" "), in_words(&self.level));
        SOURCES.write(text, &self.name, &figures, &words);
    }
}

/// What is unusual about how many messages came.
fn in_words(level: &str) -> &'static str {
    match level {
        "low" => "  too few",
        "high" => "  too many",
        _ => "",
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
    fn the_busiest_senders_come_first_each_with_its_source() {
        let sender = |source: &str, peer: &str, received| {
            let status = SenderStatus {
                peer: peer.to_owned(),
                received,
                bytes: received * 100,
                ..SenderStatus::default()
            };
            (source.to_owned(), status)
        };
        let before = [
            sender("tcp", "192.0.2.1", 500),
            sender("udp", "192.0.2.1", 7),
        ];
        let mut now = vec![
            sender("tcp", "192.0.2.1", 510),
            sender("udp", "192.0.2.1", 207),
            sender("tcp", "192.0.2.2", 40),
        ];
        now.extend((0..20).map(|number| sender("udp", &format!("192.0.2.{}", 10 + number), 0)));
        let lines = SenderLine::busiest(&before, &now, 2.0);
        assert_eq!(lines.len(), SENDERS_SHOWN);
        let found: Vec<_> = lines
            .iter()
            .map(|line| (line.source.as_str(), line.received_per_second))
            .take(3)
            .collect();
        assert_eq!(found, [("udp", 100.0), ("tcp", 20.0), ("tcp", 5.0)]);
    }

    #[test]
    fn figures_stand_under_their_heads() {
        let line = SenderLine {
            peer: "192.0.2.1".to_owned(),
            source: "udp".to_owned(),
            received_per_second: 12_345.0,
            bytes_per_second: 2_048.0,
            received: 70,
            dropped: 3,
            level: "low".to_owned(),
        };
        let mut text = String::new();
        SENDERS.write_head(&mut text);
        line.write(&mut text);
        let expected = [
            "SENDER                                       MSG/s    BYTES/s     RECEIVED   DROPPED  SOURCE",
            "192.0.2.1                                    12.3k    2.0 KiB           70         3  udp  too few",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_rate_outlives_a_restart_of_the_server() {
        assert_eq!(rate(100, 300, 2.0), 100.0);
        assert_eq!(rate(1_000, 50, 1.0), 50.0);
    }
}
