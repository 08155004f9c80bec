//! The state of the server in Prometheus's text format.
//!
//! Names follow the conventions of prometheus.io: base units, `_total` for counters, no label
//! whose values a sender could choose.

use std::fmt::Write as _;

use api::StatusAnswer;
use engine::Budget;

use crate::admission::{Admission, Gate};
use crate::connections::Connections;

/// Kinds of metric.
const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

/// What questions have of their memory, to be added to the text of `/metrics`.
pub(crate) fn questions(budget: &Budget) -> String {
    let mut page = Page::default();
    let figures: [(&str, &str, &str, u64); 3] = [
        (
            "logwood_questions_memory_bytes",
            GAUGE,
            "What questions have of their memory.",
            budget.taken_bytes() as u64,
        ),
        (
            "logwood_questions_memory_max_bytes",
            GAUGE,
            "That memory.",
            budget.bytes() as u64,
        ),
        (
            "logwood_questions_out_of_memory_total",
            COUNTER,
            "Questions ended because there was none left.",
            budget.refused(),
        ),
    ];
    for (name, kind, help, value) in figures {
        page.metric(name, kind, help);
        page.sample("", value);
    }
    page.text
}

/// The text of `/metrics`.
pub(crate) fn render(status: &StatusAnswer, commits: u64, commit_seconds: f64) -> String {
    let mut page = Page::default();
    page.sources(status);
    page.logspaces(status);
    page.destinations(status);
    page.steps(status);
    page.metric(
        "logwood_commits_total",
        COUNTER,
        "Groups of records made durable.",
    );
    page.sample("", commits);
    page.metric(
        "logwood_commit_seconds_total",
        COUNTER,
        "Time spent making records durable.",
    );
    page.sample("", commit_seconds);
    let stalled = u8::from(status.storage.state != "ok");
    page.metric(
        "logwood_storage_stalled",
        GAUGE,
        "1 while records cannot be made durable.",
    );
    page.sample("", stalled);
    page.metric(
        "logwood_journal_bytes",
        GAUGE,
        "Journal that holds unsealed records.",
    );
    page.sample("", status.storage.journal_bytes);
    page.metric(
        "logwood_unsynced_bytes",
        GAUGE,
        "Journal that is acknowledged and not yet synced.",
    );
    page.sample("", status.storage.unsynced_bytes);
    if let Some(free) = status.storage.free_bytes {
        page.metric(
            "logwood_disk_free_bytes",
            GAUGE,
            "Bytes that can still be written.",
        );
        page.sample("", free);
    }
    page.metric(
        "logwood_disk_low",
        GAUGE,
        "1 while less is free than store.free_warn.",
    );
    page.sample("", u64::from(status.storage.is_low));
    page.metric("logwood_uptime_seconds", GAUGE, "Time since the start.");
    page.sample("", status.uptime_seconds);
    page.metric("logwood_build_info", GAUGE, "The version of the program.");
    page.sample(&format!("{{version=\"{}\"}}", status.version), 1);
    page.text
}

/// What is said of those who ask.
pub(crate) fn render_http(connections: &Connections, admission: &Admission) -> String {
    let mut page = Page::default();
    let (open, refused) = connections.figures();
    let gates = admission.gates().map(Gate::figures);
    page.metric(
        "logwood_http_connections",
        GAUGE,
        "Connections that are open.",
    );
    page.sample("", open);
    let about = "Work that is going on for clients, by its kind.";
    page.metric("logwood_http_active", GAUGE, about);
    for (kind, active, _, _) in gates {
        page.sample(&format!("{{kind=\"{kind}\"}}"), active);
    }
    let about = "Clients that wait for such work.";
    page.metric("logwood_http_waiting", GAUGE, about);
    for (kind, _, waiting, _) in gates {
        page.sample(&format!("{{kind=\"{kind}\"}}"), waiting);
    }
    let about = "Clients that were refused with 503 for want of room.";
    page.metric("logwood_http_refused_total", COUNTER, about);
    page.sample("{kind=\"connections\"}", refused);
    for (kind, _, _, refused) in gates {
        page.sample(&format!("{{kind=\"{kind}\"}}"), refused);
    }
    page.text
}

/// Takes a figure out of a source's status.
type SourceFigure = fn(&api::SourceStatus) -> u64;

/// Takes a figure out of a logspace's status.
type Figure = fn(&api::LogspaceStatus) -> u64;

#[derive(Default)]
struct Page {
    text: String,
    name: String,
}

impl Page {
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        name.clone_into(&mut self.name);
        _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, labels: &str, value: impl std::fmt::Display) {
        _ = writeln!(self.text, "{}{labels} {value}", self.name);
    }

    /// A metric with one sample for each source.
    fn by_source<T: std::fmt::Display>(
        &mut self,
        status: &StatusAnswer,
        name: &str,
        kind: &str,
        help: &str,
        value: impl Fn(&api::SourceStatus) -> T,
    ) {
        self.metric(name, kind, help);
        for source in &status.sources {
            self.sample(
                &format!("{{source=\"{}\"}}", escaped(&source.name)),
                value(source),
            );
        }
    }

    fn sources(&mut self, status: &StatusAnswer) {
        let received = "logwood_ingest_received_records_total";
        self.by_source(status, received, COUNTER, "Messages read.", |s| s.received);
        let stored = "logwood_ingest_stored_records_total";
        self.by_source(status, stored, COUNTER, "Messages made durable.", |s| {
            s.stored
        });
        let in_flight = "logwood_ingest_in_flight_records";
        self.by_source(
            status,
            in_flight,
            GAUGE,
            "Messages on their way to disk.",
            |s| s.in_flight,
        );
        let lag = "logwood_ingest_lag_seconds";
        let help = "How long the oldest of these has been on its way.";
        self.by_source(status, lag, GAUGE, help, |s| s.lag_seconds);
        let queue = "logwood_ingest_kernel_queue_bytes";
        let help =
            "What waits in the kernel to be read: memory of datagrams, bytes of connections.";
        self.by_source(status, queue, GAUGE, help, |s| s.kernel_queue_bytes);
        let bytes = "logwood_ingest_received_bytes_total";
        self.by_source(status, bytes, COUNTER, "Bytes of messages read.", |s| {
            s.bytes
        });
        let connections = "logwood_ingest_connections";
        self.by_source(status, connections, GAUGE, "Open connections.", |s| {
            s.connections
        });
        let refused = "logwood_ingest_refused_connections_total";
        let help = "Connections turned away.";
        self.by_source(status, refused, COUNTER, help, |s| s.connections_refused);
        let denied = "logwood_ingest_denied_connections_total";
        let help = "Connections of peers that may not send.";
        self.by_source(status, denied, COUNTER, help, |s| s.connections_denied);
        self.expected(status);
        let dropped = "logwood_ingest_dropped_records_total";
        self.metric(dropped, COUNTER, "Messages given up, by reason.");
        for source in &status.sources {
            for (reason, count) in &source.dropped {
                let name = escaped(&source.name);
                self.sample(&format!("{{source=\"{name}\",reason=\"{reason}\"}}"), count);
            }
        }
    }

    /// What is unusual about the sources.
    fn expected(&mut self, status: &StatusAnswer) {
        let figures: [(&str, &str, &str, SourceFigure); 6] = [
            (
                "logwood_ingest_low",
                GAUGE,
                "1 after too few messages.",
                |s| u64::from(s.level == "low"),
            ),
            (
                "logwood_ingest_high",
                GAUGE,
                "1 after too many messages.",
                |s| u64::from(s.level == "high"),
            ),
            (
                "logwood_ingest_senders",
                GAUGE,
                "Addresses that sent.",
                |s| s.senders,
            ),
            (
                "logwood_ingest_low_senders",
                GAUGE,
                "Addresses that sent too few messages.",
                |s| s.senders_low,
            ),
            (
                "logwood_ingest_high_senders",
                GAUGE,
                "Addresses that sent too many messages.",
                |s| s.senders_high,
            ),
            (
                "logwood_ingest_missing_records",
                GAUGE,
                "Messages that did not come, by the numbers of those that did.",
                |s| s.missing,
            ),
        ];
        for (name, kind, help, figure) in figures {
            self.by_source(status, name, kind, help, figure);
        }
    }

    fn destinations(&mut self, status: &StatusAnswer) {
        for (name, kind, help, figure) in DESTINATION_FIGURES {
            self.metric(name, kind, help);
            for destination in &status.destinations {
                let labels = format!("{{destination=\"{}\"}}", escaped(&destination.name));
                self.sample(&labels, figure(destination));
            }
        }
        self.metric(
            "logwood_destination_dropped_total",
            COUNTER,
            "Records that are never delivered, by reason.",
        );
        for destination in &status.destinations {
            for (reason, records) in &destination.dropped {
                let name = escaped(&destination.name);
                let labels = format!("{{destination=\"{name}\",reason=\"{reason}\"}}");
                self.sample(&labels, records);
            }
        }
    }

    fn steps(&mut self, status: &StatusAnswer) {
        self.metric(
            "logwood_step_records_total",
            COUNTER,
            "Records that came to a step of a route, by what became of them.",
        );
        for step in &status.steps {
            let figures = [
                ("skipped", step.skipped),
                ("done", step.done),
                ("unmatched", step.unmatched),
                ("failed", step.failed),
                ("dropped", step.dropped),
            ];
            let (route, place, kind) = (escaped(&step.route), &step.place, &step.kind);
            for (result, records) in figures {
                let labels = format!(
                    "{{route=\"{route}\",step=\"{place}\",kind=\"{kind}\",result=\"{result}\"}}"
                );
                self.sample(&labels, records);
            }
        }
    }

    fn logspaces(&mut self, status: &StatusAnswer) {
        let figures: [(&str, &str, Figure); 11] = [
            ("logwood_store_records", "Records kept.", |l| l.records),
            ("logwood_store_segments", "Segments kept.", |l| l.segments),
            (
                "logwood_store_bytes",
                "Bytes of the segments on disk.",
                |l| l.bytes,
            ),
            (
                "logwood_store_archived_bytes",
                "Bytes of the segments in the archive.",
                |l| l.archived_bytes,
            ),
            (
                "logwood_store_archive_failed",
                "1 while segments cannot be archived, or the archive not be read.",
                |l| u64::from(l.archive_failure.is_some()),
            ),
            (
                "logwood_store_compacted_segments",
                "Segments of days that are over and as small as they get.",
                |l| l.compacted_segments,
            ),
            (
                "logwood_store_compaction_saved_bytes",
                "Bytes that compacting has saved since the start.",
                |l| l.compaction_saved_bytes,
            ),
            (
                "logwood_store_compaction_failed",
                "1 while a segment that is due cannot be compacted.",
                |l| u64::from(l.compaction_failure.is_some()),
            ),
            (
                "logwood_store_expired_records",
                "Records deleted since the start because they need not be kept.",
                |l| l.expired,
            ),
            (
                "logwood_store_clock_steps_back",
                "How often since the start times of receipt went back, as the clock had been ahead.",
                |l| l.clock_steps_back,
            ),
            (
                "logwood_store_damages",
                "Places on disk that cannot be read.",
                |l| l.damages.len() as u64,
            ),
        ];
        for (name, help, value) in figures {
            self.metric(name, GAUGE, help);
            for logspace in &status.logspaces {
                self.sample(
                    &format!("{{logspace=\"{}\"}}", logspace.name),
                    value(logspace),
                );
            }
        }
    }
}

/// A label's value with the characters escaped that the format gives a meaning.
/// A figure of a destination.
type DestinationFigure = fn(&api::DestinationStatus) -> u64;

/// Name, type, meaning and value of what is told of each destination.
const DESTINATION_FIGURES: [(&str, &str, &str, DestinationFigure); 9] = [
    (
        "logwood_destination_matched_total",
        COUNTER,
        "Records that a destination takes, and that were gone before it could ask.",
        |d| d.matched,
    ),
    (
        "logwood_destination_delivered_total",
        COUNTER,
        "Records that are where they should be.",
        |d| d.delivered,
    ),
    (
        "logwood_destination_bytes_total",
        COUNTER,
        "Bytes that went out.",
        |d| d.bytes,
    ),
    (
        "logwood_destination_pending_records",
        GAUGE,
        "Matched records that are under way.",
        |d| d.pending,
    ),
    (
        "logwood_destination_pending_bytes",
        GAUGE,
        "Memory of records that are under way.",
        |d| d.pending_bytes,
    ),
    (
        "logwood_destination_unread_records",
        GAUGE,
        "Records that were not asked yet whether they match.",
        |d| d.unread,
    ),
    (
        "logwood_destination_retries_total",
        COUNTER,
        "How often records were tried again since the start.",
        |d| d.retries,
    ),
    (
        "logwood_destination_failing",
        GAUGE,
        "1 while a destination does not take records.",
        |d| u64::from(matches!(d.state.as_str(), "failing" | "broken")),
    ),
    (
        "logwood_destination_paused",
        GAUGE,
        "1 while a destination rests.",
        |d| u64::from(d.state == "paused"),
    ),
];

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
