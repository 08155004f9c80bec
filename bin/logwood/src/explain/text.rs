//! An explained message as lines: a name, where it stands, and what it says.

use std::io::{self, Write};

use api::{
    ExplainedFraming, ExplainedMessage, ExplainedStep, ExplainedTime, FieldValue, PartPlace, Row,
};

use crate::output::visible;

/// Prints a message. Places are offsets in its bytes, those of the framing in what arrived.
pub(super) fn print(
    out: &mut impl Write,
    source: &str,
    transport: &str,
    message: &ExplainedMessage,
) -> io::Result<()> {
    let mut lines = Lines {
        out,
        row: &message.row,
    };
    lines.add("source", &format!("{source} ({transport})"))?;
    if !message.admitted {
        lines.add(
            "",
            "it does not take messages of this peer: see its `allow` and `deny`",
        )?;
    }
    let ExplainedFraming { start, end, .. } = message.framing;
    let framing = framing(&message.framing, transport);
    lines.at("framing", Some((start, end)), &framing)?;
    lines.add("header", header(&message.header))?;
    for decision in &message.decisions {
        lines.add("decision", &decision.reason)?;
    }
    lines.parts(message)?;
    lines.routes(message)
}

struct Lines<'a, W> {
    out: &'a mut W,
    row: &'a Row,
}

impl<W: Write> Lines<'_, W> {
    fn add(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.at(name, None, value)
    }

    fn at(&mut self, name: &str, place: Option<(usize, usize)>, value: &str) -> io::Result<()> {
        let place = place.map_or_else(String::new, |(start, end)| format!("{start}..{end}"));
        writeln!(self.out, "{name:>10}  {place:>9}  {}", visible(value))
    }

    /// A part with its place in the message.
    fn part(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.at(name, self.place(name, 0), value)
    }

    /// Where the `nth` value of this name stands.
    fn place(&self, name: &str, nth: usize) -> Option<(usize, usize)> {
        let named = |place: &&PartPlace| place.part == name;
        let place = self.row.places.iter().filter(named).nth(nth)?;
        Some((place.start as usize, place.end as usize))
    }

    fn parts(&mut self, message: &ExplainedMessage) -> io::Result<()> {
        let row = self.row;
        let raw = row.raw_bytes().unwrap_or_default();
        self.add("raw", &String::from_utf8_lossy(&raw))?;
        self.part("facility", &row.facility)?;
        self.part("severity", &row.severity)?;
        self.time(&message.time)?;
        let host = match message.host_from.as_deref() {
            Some("peer") => format!("{}, the address of the peer", row.host),
            Some("source") => format!("{}, as the source says", row.host),
            _ => row.host.clone(),
        };
        let parts = [
            ("host", &host),
            ("program", &row.program),
            ("pid", &row.pid),
            ("msgid", &row.msgid),
            ("message", &row.message),
        ];
        for (name, value) in parts {
            self.part(name, if value.is_empty() { "-" } else { value })?;
        }
        for (name, values) in &row.fields {
            self.fields(name, values)?;
        }
        for tag in &row.tags {
            self.add("tag", tag)?;
        }
        Ok(())
    }

    fn time(&mut self, time: &ExplainedTime) -> io::Result<()> {
        let text = &self.row.time;
        if time.from == "stamp" {
            self.part("time", text)?;
        } else {
            let why = match &time.stamp {
                Some(_) => "the time stamp is of no time that exists",
                None => "there is no time stamp",
            };
            self.part("time", &format!("{text}, that of receipt: {why}"))?;
        }
        if let Some(form) = time.form.as_deref().and_then(form) {
            self.add("stamp", form)?;
        }
        if time.year_from.as_deref() == Some("receipt") {
            let why = "the last one that puts it at most a week ahead of its receipt";
            self.add("year", why)?;
        }
        if time.zone_from.as_deref() == Some("source") {
            self.add("zone", &format!("{}, that of the source", time.source_zone))?;
        }
        Ok(())
    }

    fn fields(&mut self, name: &str, values: &FieldValue) -> io::Result<()> {
        let values = match values {
            FieldValue::One(value) => std::slice::from_ref(value),
            FieldValue::Many(values) => values,
        };
        let is_text = self.row.text_fields.iter().any(|field| field == name);
        let kind = if is_text { "text field" } else { "field" };
        for (nth, value) in values.iter().enumerate() {
            self.at(kind, self.place(name, nth), &format!("{name}={value}"))?;
        }
        Ok(())
    }

    fn step(&mut self, step: &ExplainedStep) -> io::Result<()> {
        self.add("step", &step_text(step))
    }

    fn routes(&mut self, message: &ExplainedMessage) -> io::Result<()> {
        for route in &message.routes {
            let verdict = match route.verdict.as_str() {
                "takes" if route.logspace.is_empty() => "takes it, and hands it on".to_owned(),
                "takes" => format!("takes it, to {}", route.logspace),
                "rejects" => "no: one of its steps rejects it".to_owned(),
                "drops" => "one of its steps drops it".to_owned(),
                "other_source" => "no: it takes other sources (`from`)".to_owned(),
                "no_match" => "no: its query does not match (`match`)".to_owned(),
                _ => "not reached: a route before it is final".to_owned(),
            };
            self.add("route", &format!("{}: {verdict}", route.name))?;
            for step in &route.steps {
                self.step(step)?;
            }
        }
        if message.destinations.is_empty() {
            self.add("logspace", "none: it is dropped, and counted")?;
        }
        let is_taken = message
            .routes
            .iter()
            .any(|route| route.verdict == "takes" && !route.logspace.is_empty());
        for destination in &message.destinations {
            let mut text = destination.logspace.clone();
            if !is_taken {
                text.push_str(", that of the source");
            }
            if !is_taken && !message.routes.is_empty() {
                text.push_str(", as no route takes it");
            }
            let own = |tag: &&String| !self.row.tags.contains(tag);
            let added: Vec<_> = destination.tags.iter().filter(own).cloned().collect();
            if !added.is_empty() {
                text.push_str(&format!(", with the tags {}", added.join(", ")));
            }
            self.add("logspace", &text)?;
        }
        for sent in &message.sent {
            let name = &sent.destination;
            match sent.verdict.as_str() {
                "takes" => {
                    let text = sent.text.escape_debug();
                    self.add("sent", &format!("{name} to {}: {text}", sent.to))?;
                }
                _ => self.add("not sent", &format!("{name}: its query does not match"))?,
            }
        }
        Ok(())
    }
}

fn step_text(step: &ExplainedStep) -> String {
    let verdict = match step.verdict.as_str() {
        "skipped" => " (not done: its `when` does not match)".to_owned(),
        "rejects" => " rejects it".to_owned(),
        "drops" => " drops it".to_owned(),
        "failed" => format!(" fails: {}", step.reason),
        _ => String::new(),
    };
    let changes = step
        .changes
        .iter()
        .map(|change| match change.value.as_str() {
            "" => format!("{} is gone", change.name),
            value => format!("{}={value}", change.name),
        });
    let changes: Vec<_> = changes.collect();
    let changes = match changes.is_empty() {
        true => String::new(),
        false => format!(": {}", changes.join(", ")),
    };
    format!("{} {}{verdict}{changes}", step.place, step.kind)
}

fn framing(framing: &ExplainedFraming, transport: &str) -> String {
    let end = framing.terminator.escape_debug();
    let mut text = match framing.by.as_str() {
        "octet_count" => format!("octet count {}", framing.count.trim_end()),
        "line_feed" => format!("a line, ended by {end}"),
        "nul" => "ended by a NUL".to_owned(),
        "limit" => "a line, longer than `message_max`".to_owned(),
        "end" => "a line, ended by the end of the input".to_owned(),
        _ if transport == "relp" => "a frame of RELP".to_owned(),
        _ => "a datagram".to_owned(),
    };
    if framing.compressed {
        text.push_str("; compressed, below is what was in it");
    }
    text
}

/// The form of a time stamp, unless it is one of those that the RFCs have.
fn form(form: &str) -> Option<&'static str> {
    match form {
        "year_first" => Some("the year stands in front of the month"),
        "slashes" => Some("numbers of month, day and year, as NetScaler writes it"),
        "epoch" => Some("seconds since 1970, or parts of them, told by the number of digits"),
        _ => None,
    }
}

fn header(header: &str) -> &str {
    match header {
        "rfc5424" => "RFC 5424",
        "rfc3164" => "RFC 3164, or a dialect of it",
        _ => "none",
    }
}
