//! What Logwood says about itself as records of its own, to be searched like any other.
//!
//! Events go through a short queue to a task that hands them to the receivers. Nothing here waits
//! or fails: when the queue is full, as while the disk does not answer, events are left out and
//! counted, and the next record says how many. They are on standard error in any case.
//!
//! Events below `info` are left out: keeping a record may cause some, and they would go round.

use std::fmt::{self, Write as _};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ingest::Ingest;
use model::{LogspaceName, Priority};
use store::{Clock as _, SystemClock};
use syslog::write::{Rfc5424, rfc5424, sd_element};
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Events that may wait to become records.
const QUEUE_EVENTS: usize = 1_024;

/// Longest value of a field that is kept, in bytes.
const VALUE_BYTES_MAX: usize = 1_024;

/// Most fields of an event that are kept.
const FIELDS_MAX: usize = 16;

/// Name of the structured data. The number is the one for examples (RFC 5612): Logwood has none.
const SD_ID: &[u8] = b"logwood@32473";

/// Takes events as they happen.
pub(super) struct Records {
    queue: mpsc::Sender<Vec<u8>>,
    left_out: Arc<AtomicU64>,
    host: Vec<u8>,
    pid: Vec<u8>,
}

/// Makes records of them.
pub(crate) struct Internal {
    queue: mpsc::Receiver<Vec<u8>>,
    logspace: LogspaceName,
}

/// Both ends, for records in a logspace.
pub(super) fn records(logspace: LogspaceName) -> (Records, Internal) {
    let (sender, queue) = mpsc::channel(QUEUE_EVENTS);
    let host = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let records = Records {
        queue: sender,
        left_out: Arc::default(),
        host: host.trim_ascii().to_vec(),
        pid: std::process::id().to_string().into_bytes(),
    };
    (records, Internal { queue, logspace })
}

impl Internal {
    /// Hands events over until nobody listens any more.
    pub(super) async fn keep(mut self, ingest: Arc<Ingest>) {
        let mut lines = Vec::new();
        while self.queue.recv_many(&mut lines, QUEUE_EVENTS).await > 0 {
            let messages = lines.iter().map(Vec::as_slice);
            // Why it fails has been said where it failed.
            _ = ingest.submit_internal(messages, &self.logspace).await;
            lines.clear();
        }
    }
}

impl<S: Subscriber> Layer<S> for Records {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = *event.metadata().level();
        if level > Level::INFO {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            fields.add("left_out", &left_out);
        }
        if self.queue.try_send(self.line(level, &fields)).is_err() {
            self.left_out.fetch_add(left_out + 1, Ordering::Relaxed);
        }
    }
}

impl Records {
    /// The event as a message.
    fn line(&self, level: Level, fields: &Fields) -> Vec<u8> {
        let mut structured_data = Vec::new();
        if !fields.others.is_empty() {
            let others = fields.others.iter();
            let others = others.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            sd_element(SD_ID, others, &mut structured_data);
        }
        let mut line = Vec::new();
        rfc5424(
            &Rfc5424 {
                priority: priority(level),
                time: Some(SystemClock.now()),
                host: &self.host,
                program: b"logwood",
                pid: &self.pid,
                msgid: b"",
                structured_data: &structured_data,
                has_bom: false,
                message: fields.message.as_bytes(),
            },
            &mut line,
        );
        line
    }
}

/// Facility `syslog` and the severity of a level.
fn priority(level: Level) -> Priority {
    const SYSLOG: u8 = 5;
    let severity = match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        _ => 6,
    };
    Priority::from_number(SYSLOG * 8 + severity).unwrap_or(Priority::DEFAULT)
}

/// The fields of an event as text.
#[derive(Default)]
struct Fields {
    message: String,
    others: Vec<(&'static str, String)>,
}

impl Fields {
    fn add(&mut self, name: &'static str, value: &dyn fmt::Display) {
        if self.others.len() < FIELDS_MAX {
            let mut text = String::new();
            // Writing to a string cannot fail; whose text fails to be made is cut there.
            _ = write!(text, "{value}");
            let end = text.floor_char_boundary(VALUE_BYTES_MAX);
            text.truncate(end);
            self.others.push((name, text));
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.add(field.name(), &format_args!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field.name(), &value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(level: Level, fields: &Fields) -> String {
        let (mut records, _) = records(LogspaceName::main());
        records.host = b"h".to_vec();
        records.pid = b"7".to_vec();
        let line = String::from_utf8(records.line(level, fields)).expect("text");
        let (head, rest) = line.split_once(' ').expect("words");
        let (_, rest) = rest.split_once(' ').expect("a time");
        format!("{head} {rest}")
    }

    #[test]
    fn an_event_is_a_message_with_structured_data() {
        let mut fields = Fields {
            message: "connection refused".to_owned(),
            ..Fields::default()
        };
        assert_eq!(
            line(Level::INFO, &fields),
            "<46>1 h logwood 7 - - connection refused"
        );
        fields.add("source", &"tcp");
        fields.add("why", &"a \"quote\"]");
        assert_eq!(
            line(Level::WARN, &fields),
            "<44>1 h logwood 7 - [logwood@32473 source=\"tcp\" why=\"a \\\"quote\\\"\\]\"] \
             connection refused"
        );
    }
}
