//! How a source reads what arrives, in the words of the API.

use api::{
    ExplainAnswer, ExplainedChange, ExplainedDecision, ExplainedDestination, ExplainedFraming,
    ExplainedMessage, ExplainedRoute, ExplainedSending, ExplainedStep, ExplainedTime, PartPlace,
    Row,
};
use ingest::{Explained, Explainer, HostOrigin};
use model::{LogspaceName, RecordId, RecordNumber, RecordRef, Span, Tag};
use pipeline::{StepTrace, StepVerdict, Trace, Traced, Verdict};
use syslog::{Context, Header, ParseMode, StampForm};

/// What destinations say of a record.
pub type Sending<'a> = &'a dyn Fn(outputs::Item<'_>) -> Vec<outputs::Explained>;

/// Who explains.
pub struct Explaining<'a> {
    /// Reads as a source does.
    pub explainer: &'a mut Explainer,
    /// Knows the destinations.
    pub sending: Sending<'a>,
    /// Most messages that are told.
    pub most: usize,
}

/// Explains what has arrived, up to so many messages, and says how many bytes are done with; see
/// [`Explainer::read`].
pub fn explain(
    explaining: Explaining<'_>,
    input: &[u8],
    is_end: bool,
    context: &Context,
) -> (ExplainAnswer, usize) {
    let Explaining {
        explainer,
        sending,
        most,
    } = explaining;
    let (messages, consumed) = explainer.read(input, is_end, context, most);
    let told = messages.iter();
    let told = told.filter_map(|message| explained((explainer, sending), message, input));
    let answer = ExplainAnswer {
        source: explainer.source().to_owned(),
        transport: explainer.transport().to_owned(),
        messages: told.collect(),
        more: consumed < input.len(),
    };
    (answer, consumed)
}

/// `None` where it is too long to be a record.
fn explained(
    (explainer, sending): (&Explainer, Sending<'_>),
    message: &Explained,
    input: &[u8],
) -> Option<ExplainedMessage> {
    let record = message.record()?;
    let Trace { routes, split } = explainer.trace(record);
    let arrived = split.parts.iter();
    let arrived = arrived.filter_map(|part| Some((part.logspace, part.batch.get(0)?)));
    let sent = arrived
        .clone()
        .flat_map(|(logspace, record)| sent(sending, logspace, record))
        .collect();
    let destinations = arrived.map(|(logspace, record)| ExplainedDestination {
        logspace: logspace.to_string(),
        tags: record.tags().map(str::to_owned).collect(),
        row: Row {
            id: String::new(),
            ..Row::new(&nowhere(logspace), record, false)
        },
    });
    let decisions = message.layout.decisions.iter();
    let decisions = decisions.map(|decision| ExplainedDecision {
        name: decision.name().to_owned(),
        reason: decision.reason().to_owned(),
    });
    Some(ExplainedMessage {
        framing: framing(explainer, message, record, input),
        header: header(message.layout.header).to_owned(),
        decisions: decisions.collect(),
        row: row(message, record),
        time: time(explainer, message, record),
        host_from: message.host.map(|origin| host(origin).to_owned()),
        admitted: message.is_admitted,
        routes: routes.into_iter().map(route).collect(),
        destinations: destinations.collect(),
        sent,
    })
}

/// What destinations would make of a record in a logspace.
fn sent(
    sending: Sending<'_>,
    logspace: &LogspaceName,
    record: RecordRef<'_>,
) -> Vec<ExplainedSending> {
    let item = outputs::Item {
        logspace,
        number: RecordNumber(0),
        record,
    };
    let told = sending(item).into_iter().filter_map(|explained| {
        let verdict = match explained.verdict {
            outputs::Verdict::Takes => "takes",
            outputs::Verdict::NoMatch => "no_match",
            outputs::Verdict::OtherLogspace => return None,
        };
        let preview = explained.preview.unwrap_or_default();
        Some(ExplainedSending {
            destination: explained.name,
            logspace: logspace.to_string(),
            verdict: verdict.to_owned(),
            to: preview.to,
            text: String::from_utf8_lossy(&preview.bytes).into_owned(),
        })
    });
    told.collect()
}

fn framing(
    explainer: &Explainer,
    message: &Explained,
    record: RecordRef<'_>,
    input: &[u8],
) -> ExplainedFraming {
    let cut = &message.cut;
    let bytes = |range: &std::ops::Range<usize>| input.get(range.clone()).unwrap_or_default();
    let text = |range| String::from_utf8_lossy(bytes(range)).into_owned();
    let terminator = bytes(&cut.terminator);
    let by = if !cut.count.is_empty() {
        "octet_count"
    } else if !explainer.is_stream() {
        "length"
    } else if terminator.contains(&b'\n') {
        "line_feed"
    } else if !terminator.is_empty() {
        "nul"
    } else if has(record, Tag::Truncated) {
        "limit"
    } else {
        "end"
    };
    ExplainedFraming {
        by: by.to_owned(),
        count: text(&cut.count),
        start: cut.message.start,
        end: cut.message.end,
        terminator: text(&cut.terminator),
        compressed: message.was_packed,
    }
}

/// The record with its bytes, and the places of what only the layout knows.
/// The id of a record that is not stored.
fn nowhere(logspace: &LogspaceName) -> RecordId {
    RecordId {
        logspace: logspace.clone(),
        number: RecordNumber(0),
    }
}

fn row(message: &Explained, record: RecordRef<'_>) -> Row {
    let id = nowhere(&LogspaceName::main());
    let mut row = Row {
        id: String::new(),
        logspace: String::new(),
        ..Row::new(&id, record, true)
    };
    let layout = &message.layout;
    let stamp = layout.stamp.map_or(Span::default(), |stamp| stamp.span);
    let parts = [
        ("facility", layout.priority),
        ("severity", layout.priority),
        ("time", stamp),
    ];
    let there = parts.into_iter().filter(|(_, span)| !span.is_empty());
    let places = there.map(|(part, span)| PartPlace {
        part: part.to_owned(),
        start: span.start,
        end: span.start + span.len,
    });
    row.places.splice(0..0, places);
    row
}

fn time(explainer: &Explainer, message: &Explained, record: RecordRef<'_>) -> ExplainedTime {
    let options = explainer.parse_options();
    let found = message.layout.stamp;
    let used = found.filter(|_| !has(record, Tag::InvalidTimestamp));
    let from = |is_there| if is_there { "stamp" } else { "receipt" }.to_owned();
    let zone = |has_zone| if has_zone { "stamp" } else { "source" }.to_owned();
    let text = |span: Span| String::from_utf8_lossy(span.of(record.raw())).into_owned();
    ExplainedTime {
        from: from(used.is_some()),
        stamp: found.map(|stamp| text(stamp.span)),
        form: found.map(|stamp| form(stamp.form).to_owned()),
        year_from: used.map(|stamp| from(stamp.has_year)),
        zone_from: used.map(|stamp| zone(stamp.has_zone)),
        source_zone: match options.mode {
            ParseMode::Syslog => options.zone_name(),
            ParseMode::None => String::new(),
        },
    }
}

fn has(record: RecordRef<'_>, tag: Tag) -> bool {
    record.head().tags & tag.bit() != 0
}

fn header(header: Header) -> &'static str {
    match header {
        Header::Rfc5424 => "rfc5424",
        Header::Rfc3164 => "rfc3164",
        Header::None => "none",
    }
}

fn form(form: StampForm) -> &'static str {
    match form {
        StampForm::MonthFirst => "month_first",
        StampForm::YearFirst => "year_first",
        StampForm::Iso => "iso",
        StampForm::Slashes => "slashes",
        StampForm::Epoch => "epoch",
    }
}

fn host(origin: HostOrigin) -> &'static str {
    match origin {
        HostOrigin::Message => "message",
        HostOrigin::Peer => "peer",
        HostOrigin::Source => "source",
    }
}

fn route(traced: Traced<'_>) -> ExplainedRoute {
    let logspace = traced.logspace.map(ToString::to_string);
    ExplainedRoute {
        name: traced.route.to_owned(),
        verdict: verdict(traced.verdict).to_owned(),
        logspace: logspace.unwrap_or_default(),
        steps: traced.steps.into_iter().map(step).collect(),
    }
}

fn step(traced: StepTrace) -> ExplainedStep {
    let (verdict, reason) = match traced.verdict {
        StepVerdict::Done => ("done", String::new()),
        StepVerdict::Skipped => ("skipped", String::new()),
        StepVerdict::Rejects => ("rejects", String::new()),
        StepVerdict::Drops => ("drops", String::new()),
        StepVerdict::Failed(reason) => ("failed", reason),
    };
    let changes = traced.changes.into_iter();
    let changes = changes.map(|(name, value)| ExplainedChange { name, value });
    ExplainedStep {
        place: traced.place,
        kind: traced.kind.to_owned(),
        verdict: verdict.to_owned(),
        reason,
        changes: changes.collect(),
    }
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Takes => "takes",
        Verdict::OtherSource => "other_source",
        Verdict::NoMatch => "no_match",
        Verdict::Rejects => "rejects",
        Verdict::Drops => "drops",
        Verdict::NotReached => "not_reached",
    }
}
