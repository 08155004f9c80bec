//! What a receiver has made of a message: its parts, each as text, in a form that all three share.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use model::Timestamp;
use serde_json::Value;
use testkit::text;

/// What is compared of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Whether it was read as a message at all, which is `read` or `refused`.
    Fate,
    Facility,
    Severity,
    /// An instant in UTC, or `receipt`.
    Time,
    Host,
    Program,
    Pid,
    Msgid,
    /// Parameters of structured data.
    Data,
    Message,
}

impl Part {
    pub(super) const ALL: [Self; 10] = [
        Self::Fate,
        Self::Facility,
        Self::Severity,
        Self::Time,
        Self::Host,
        Self::Program,
        Self::Pid,
        Self::Msgid,
        Self::Data,
        Self::Message,
    ];

    /// Its name on the page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fate => "message",
            Self::Facility => "facility",
            Self::Severity => "severity",
            Self::Time => "time",
            Self::Host => "host",
            Self::Program => "program",
            Self::Pid => "pid",
            Self::Msgid => "msgid",
            Self::Data => "data",
            Self::Message => "text",
        }
    }
}

/// The parts of one message as one receiver has them; what is not there is empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Parsed {
    parts: BTreeMap<Part, String>,
    /// The message as the receiver says that it came; empty where it does not say.
    pub(super) raw: Vec<u8>,
    /// Whether the text starts with the space that RFC 3164 puts behind the TAG. It is no part of
    /// the text here.
    pub(super) has_space: bool,
}

/// What stands in tables for a value that is no use, whatever it is: rsyslog's fractions of more than
/// six digits.
pub(super) const NONSENSE: &str = "(nonsense)";

/// The time of a message without one that is readable.
pub(super) const RECEIPT: &str = "receipt";

/// In the order of their numbers.
const FACILITIES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv",
    "ftp", "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4",
    "local5", "local6", "local7",
];

/// In the order of their numbers.
const SEVERITIES: [&str; 8] = [
    "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug",
];

/// The name of a severity's number.
pub(super) fn severity(number: u64) -> String {
    let index = usize::try_from(number).unwrap_or(usize::MAX);
    SEVERITIES
        .get(index)
        .map_or_else(|| number.to_string(), |name| (*name).to_owned())
}

impl Parsed {
    pub(super) fn part(&self, part: Part) -> &str {
        self.parts.get(&part).map_or("", String::as_str)
    }

    /// A row of Logwood's.
    pub(super) fn of_logwood(row: &Value) -> Result<Self> {
        let time = match text(row, "time") {
            time if time == text(row, "received") => RECEIPT.to_owned(),
            time => instant(time),
        };
        // Fields of the text are found in it later; no other receiver has them.
        let is_in_text = |name: &str| {
            let names = row["text_fields"].as_array();
            names.is_some_and(|names| names.iter().any(|own| own == name))
        };
        let fields = row["fields"].as_object().into_iter().flatten();
        let own = fields.filter(|(name, _)| !is_in_text(name));
        let data =
            own.map(|(name, value)| (name.clone(), value.as_str().unwrap_or("?").to_owned()));
        let mut parsed = Self::read(row, &time, &shown(&data.collect()));
        parsed.set(Part::Facility, text(row, "facility"));
        parsed.set(Part::Severity, text(row, "severity"));
        parsed.raw = testkit::raw(row)?;
        Ok(parsed)
    }

    /// A line of JSON that our template for syslog-ng makes.
    pub(super) fn of_syslog_ng(line: &str) -> Result<Self> {
        let row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let error = "Error processing log message: ";
        if text(&row, "program") == "syslog-ng" && text(&row, "message").starts_with(error) {
            // It keeps such messages as notes of its own.
            let parts = [(Part::Fate, "refused".to_owned())].into();
            return Ok(Self {
                parts,
                ..Self::default()
            });
        }
        let time = match text(&row, "time") {
            time if time == text(&row, "received") => RECEIPT.to_owned(),
            time => {
                let (seconds, micros) = time.split_once('.').context("no microseconds")?;
                let start = Timestamp::from_seconds(seconds.parse()?);
                let time = start.plus_nanos(micros.parse::<i64>()? * 1_000);
                instant(&time.to_string())
            }
        };
        let mut parsed = Self::read(&row, &time, &data(text(&row, "data")));
        parsed.number(&row);
        parsed.raw = text(&row, "raw").as_bytes().to_vec();
        Ok(parsed)
    }

    /// A line of JSON that our template for rsyslog makes.
    pub(super) fn of_rsyslog(line: &str) -> Result<Self> {
        let mut row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        for part in ["host", "program", "pid", "msgid", "data"] {
            if text(&row, part) == "-" {
                row[part] = "".into();
            }
        }
        let mut has_space = false;
        if text(&row, "version") == "0"
            && let Some(rest) = text(&row, "message").strip_prefix(' ')
        {
            has_space = true;
            row["message"] = rest.to_owned().into();
        }
        let time = match text(&row, "time") {
            time if time == text(&row, "received") => RECEIPT.to_owned(),
            time => instant(time),
        };
        let mut parsed = Self::read(&row, &time, &data(text(&row, "data")));
        parsed.number(&row);
        parsed.raw = text(&row, "raw").as_bytes().to_vec();
        parsed.has_space = has_space;
        Ok(parsed)
    }

    /// What all three call the same.
    fn read(row: &Value, time: &str, data: &str) -> Self {
        let mut parsed = Self::default();
        parsed.set(Part::Fate, "read");
        parsed.set(Part::Time, time);
        parsed.set(Part::Host, text(row, "host"));
        parsed.set(Part::Program, text(row, "program"));
        parsed.set(Part::Pid, text(row, "pid"));
        parsed.set(Part::Msgid, text(row, "msgid"));
        parsed.set(Part::Data, data);
        parsed.set(Part::Message, text(row, "message"));
        parsed
    }

    fn set(&mut self, part: Part, value: &str) {
        self.parts.insert(part, value.to_owned());
    }

    /// Sets facility and severity, which the others say as numbers.
    fn number(&mut self, row: &Value) {
        for (part, member, names) in [
            (Part::Facility, "facility", FACILITIES.as_slice()),
            (Part::Severity, "severity", &SEVERITIES),
        ] {
            let said = text(row, member);
            let number = said.parse().ok();
            let name = number.and_then(|number: usize| names.get(number));
            self.set(part, name.unwrap_or(&said));
        }
    }
}

/// A time stamp in UTC, without zeros at the end of its fraction. What is none stays as it is.
fn instant(stamp: &str) -> String {
    match Timestamp::parse_rfc3339(stamp.as_bytes()) {
        Ok(time) => {
            let text = time.to_string();
            let text = text.trim_end_matches('Z').trim_end_matches('0');
            format!("{}Z", text.trim_end_matches('.'))
        }
        Err(_) => stamp.to_owned(),
    }
}

/// Structured data as text in the form that [`shown`] gives it, or as it is where it breaks RFC 5424.
fn data(text: &str) -> String {
    match parameters(text) {
        Some(found) => shown(&found),
        None => text.to_owned(),
    }
}

fn shown(parameters: &BTreeMap<String, String>) -> String {
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Reads `[id name="value"][id]`, as plainly as can be: this is what our own reading is held to.
fn parameters(text: &str) -> Option<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix('[') {
        let end = inner.find([' ', ']'])?;
        let id = &inner[..end];
        rest = &inner[end..];
        if rest.starts_with(']') {
            found.insert(id.to_owned(), String::new());
        }
        while let Some(parameter) = rest.strip_prefix(' ') {
            let (name, quoted) = parameter.split_once("=\"")?;
            let mut value = String::new();
            let mut characters = quoted.char_indices();
            let end = loop {
                match characters.next()? {
                    (end, '"') => break end,
                    (_, '\\') => match characters.next()?.1 {
                        escaped @ ('"' | '\\' | ']') => value.push(escaped),
                        other => value.extend(['\\', other]),
                    },
                    (_, other) => value.push(other),
                }
            };
            found.insert(format!("{id}.{name}"), value);
            rest = &quoted[end + 1..];
        }
        rest = rest.strip_prefix(']')?;
    }
    rest.is_empty().then_some(found)
}

#[test]
fn structured_data_is_read_as_the_rfc_has_it() {
    let text = r#"[a@1 b="c \"d\" \\ \] \n" e=""][f]"#;
    assert_eq!(data(text), "a@1.b=c \"d\" \\ ] \\n a@1.e= f=");
    assert_eq!(data("[a b=c]"), "[a b=c]");
    assert_eq!(data(""), "");
}
