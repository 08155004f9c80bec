//! Health, status and metrics.

use api::{
    ListenerStatus, LogspaceStatus, SealedStatus, SenderStatus, SendersAnswer, SourceStatus,
    StatusAnswer, StepStatus, StorageStatus,
};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use store::{State as StoreState, Status};

use crate::app::App;
use crate::http::Context;
use crate::metrics;
use crate::problem::Refusal;
use crate::routes::destinations;

/// The process runs.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Records can be made durable.
pub(crate) async fn readyz(State(context): State<Context>) -> Result<&'static str, Refusal> {
    match context.app.store.status().state {
        StoreState::Working => Ok("ok\n"),
        StoreState::Stalled(reason) => Err(Refusal::storage(reason)),
    }
}

pub(crate) async fn status(State(context): State<Context>) -> Json<StatusAnswer> {
    Json(status_of(&context.app, &context.app.store.status()))
}

pub(crate) async fn senders(
    State(context): State<Context>,
    Path(source): Path<String>,
) -> Result<Json<SendersAnswer>, Refusal> {
    let Some(senders) = context.app.ingest.senders(&source) else {
        let sources = context.app.ingest.sources();
        let known = sources.iter().map(|source| source.name.as_str());
        return Err(Refusal::unknown_source(&source, known));
    };
    let senders = senders.iter().map(sender).collect();
    Ok(Json(SendersAnswer { source, senders }))
}

pub(crate) async fn metrics(State(context): State<Context>) -> Response {
    let store = context.app.store.status();
    let seconds = store.commit_nanos as f64 / 1e9;
    let status = status_of(&context.app, &store);
    let mut text = metrics::render(&status, store.commits, seconds);
    text += &metrics::questions(&context.app.questions);
    text += &metrics::render_http(&context.connections, &context.admission);
    let media_type = "text/plain; version=0.0.4; charset=utf-8";
    (StatusCode::OK, [(header::CONTENT_TYPE, media_type)], text).into_response()
}

fn status_of(app: &App, store: &Status) -> StatusAnswer {
    let uptime = app.clock.now().nanos().saturating_sub(app.started.nanos()) / 1_000_000_000;
    let (state, reason) = match &store.state {
        StoreState::Working => ("ok", None),
        StoreState::Stalled(reason) => ("stalled", Some(reason.clone())),
    };
    StatusAnswer {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        uptime_seconds: u64::try_from(uptime).unwrap_or(0),
        listeners: app.ingest.listeners().into_iter().map(listener).collect(),
        sources: app.ingest.sources().into_iter().map(source).collect(),
        logspaces: store.logspaces.iter().map(logspace).collect(),
        destinations: destinations::all(app),
        steps: app.ingest.step_figures().into_iter().map(step).collect(),
        searches: app.running.list(),
        storage: StorageStatus {
            state: state.to_owned(),
            reason,
            data_dir: app.store.data_dir().display().to_string(),
            free_bytes: store.free_bytes,
            is_low: store.is_disk_low,
            journal_bytes: store.journal_bytes,
            unsynced_bytes: store.unsynced_bytes,
        },
    }
}

fn step(figures: pipeline::StepFigures) -> StepStatus {
    StepStatus {
        route: figures.route,
        place: figures.place,
        kind: figures.kind.to_owned(),
        seen: figures.seen,
        skipped: figures.skipped,
        done: figures.done,
        unmatched: figures.unmatched,
        failed: figures.failed,
        dropped: figures.dropped,
    }
}

fn listener(listener: ingest::ListenerStatus) -> ListenerStatus {
    ListenerStatus {
        source: listener.source,
        transport: listener.transport.name().to_owned(),
        address: listener.address.to_string(),
    }
}

fn source(source: ingest::SourceStatus) -> SourceStatus {
    let dropped = source.dropped_by_reason();
    SourceStatus {
        received: source.received,
        stored: source.stored,
        dropped: dropped
            .map(|(reason, count)| (reason.name().to_owned(), count))
            .collect(),
        in_flight: source.in_flight,
        lag_seconds: source.lag.as_secs_f64(),
        kernel_queue_bytes: source.kernel_queue_bytes,
        bytes: source.bytes,
        connections: source.connections,
        connections_refused: source.connections_refused,
        connections_denied: source.connections_denied,
        level: source.level.name().to_owned(),
        senders: source.senders,
        senders_low: source.senders_low,
        senders_high: source.senders_high,
        missing: source.missing,
        name: source.name,
    }
}

fn sender(sender: &ingest::SenderStatus) -> SenderStatus {
    SenderStatus {
        peer: sender.peer.to_string(),
        received: sender.received,
        dropped: sender.dropped,
        bytes: sender.bytes,
        first: sender.first.to_string(),
        last: sender.last.to_string(),
        level: sender.level.name().to_owned(),
    }
}

fn logspace(logspace: &store::LogspaceStatus) -> LogspaceStatus {
    LogspaceStatus {
        name: logspace.name.to_string(),
        records: logspace.records,
        segments: logspace.segments as u64,
        bytes: logspace.disk_bytes,
        keep_seconds: logspace.retention.age_max.map(|age| age.as_secs()),
        keep_bytes: logspace.retention.bytes_max,
        sealed: SealedStatus {
            records: logspace.records.saturating_sub(logspace.tail_records),
            raw_bytes: logspace.raw_bytes,
            data_bytes: logspace.data_bytes,
            index_bytes: (logspace.disk_bytes + logspace.archived_bytes)
                .saturating_sub(logspace.data_bytes),
        },
        expired: logspace.expired_records,
        archived_segments: logspace.archived_segments as u64,
        archived_bytes: logspace.archived_bytes,
        archive_failure: logspace.archive_failure.clone(),
        compacted_segments: logspace.compacted_segments as u64,
        compaction_saved_bytes: logspace.compaction_saved_bytes,
        compaction_failure: logspace.compaction_failure.clone(),
        first: logspace.first_received.map(|time| time.to_string()),
        last: logspace.last_received.map(|time| time.to_string()),
        clock_steps_back: logspace.clock_steps_back,
        damages: logspace.damages.iter().map(ToString::to_string).collect(),
    }
}
