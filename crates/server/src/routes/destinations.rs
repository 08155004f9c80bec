//! Destinations: how far they are, and what they are told to do.

use std::sync::Arc;

use api::{
    DestinationPosition, DestinationRequest, DestinationStatus, DestinationsAnswer, Problem,
};
use axum::Json;
use axum::extract::Path;
use axum::http::HeaderMap;
use model::{LogspaceName, RecordNumber, Timestamp};
use outputs::{Destinations, Error, Place, Start, State, Status};

use crate::app::App;
use crate::http::Context;
use crate::problem::Refusal;
use crate::routes::admin::check_origin;
use crate::upload::Upload;

/// What a destination can be told, for whoever says something else.
const ACTIONS: &str = "use pause, resume, rewind, skip or test";

/// All of them.
pub(crate) async fn list(context: Context) -> Json<DestinationsAnswer> {
    Json(DestinationsAnswer {
        destinations: all(&context.app),
    })
}

/// Tells one what to do, and waits until it does.
pub(crate) async fn act(
    context: Context,
    headers: HeaderMap,
    Path((name, action)): Path<(String, String)>,
    upload: Upload,
) -> Result<Json<DestinationStatus>, Refusal> {
    check_origin(context.peer, &headers)?;
    let hint = "send JSON, with its content type: {} or {\"to\": \"beginning\"}";
    let request: DestinationRequest = upload.json(hint).await?;
    let Some(destinations) = context.app.destinations().cloned() else {
        return Err(unknown(&name, &[]));
    };
    let now = context.app.clock.now();
    // A batch in flight is waited for.
    let work = tokio::task::spawn_blocking(move || {
        let done = tell(&destinations, (&name, &action), &request, now);
        done.and_then(|()| one(&destinations, &name))
    });
    let done = work.await;
    done.map_err(|_| Refusal::internal("that crashed; the server's log says where"))?
        .map(Json)
}

fn tell(
    destinations: &Arc<Destinations>,
    (name, action): (&str, &str),
    request: &DestinationRequest,
    now: Timestamp,
) -> Result<(), Refusal> {
    let done = match action {
        "pause" => destinations.pause(name),
        "resume" => destinations.resume(name),
        "rewind" | "skip" => {
            let logspace = request.logspace.as_deref().map(|logspace| {
                LogspaceName::parse(logspace).map_err(|error| {
                    Refusal::parameter("logspace", error.to_string(), "name one that it reads")
                })
            });
            let logspace = logspace.transpose()?;
            let default = match action {
                "rewind" => "beginning",
                _ => "now",
            };
            let place = place(request.to.as_deref().unwrap_or(default), now)?;
            destinations.set(name, logspace.as_ref(), place)
        }
        "test" => {
            let message = request.message.as_deref().unwrap_or("a test of Logwood");
            destinations.test(name, message.as_bytes())
        }
        other => {
            let detail = format!("{other:?} is nothing that a destination can be told");
            return Err(Refusal::parameter("action", detail, ACTIONS));
        }
    };
    done.map_err(|error| refusal(name, destinations, &error))
}

/// Where to go.
fn place(text: &str, now: Timestamp) -> Result<Place, Refusal> {
    match text {
        "now" => return Ok(Place::Start(Start::Now)),
        "beginning" => return Ok(Place::Start(Start::Beginning)),
        _ => {}
    }
    // A bare number is a time in UNIX seconds.
    if let Some(number) = text.strip_prefix('#') {
        let number = number.parse().map(RecordNumber);
        return number.map(Place::Number).map_err(|_| {
            let detail = format!("{text:?} is no number of a record");
            Refusal::parameter("to", detail, "write it as #12345")
        });
    }
    let time = query::parse_time(text, now).map_err(|error| {
        let hint = "use beginning, now, a time such as 2026-01-31T00:00:00Z or now-1h, or the number of a record such as #12345";
        Refusal::parameter("to", error.to_string(), hint)
    })?;
    Ok(Place::Start(Start::Time(time)))
}

fn refusal(name: &str, destinations: &Destinations, error: &Error) -> Refusal {
    let detail = error.to_string();
    match error {
        Error::Unknown { .. } => {
            let known = destinations.status().into_iter().map(|status| status.name);
            unknown(name, &known.collect::<Vec<_>>())
        }
        Error::Ambiguous { .. } | Error::OtherLogspace { .. } | Error::NotDelivered { .. } => {
            Problem::new(409, "destination-failed", "that was not done", detail).into()
        }
        _ => {
            let title = "the position could not be kept";
            Problem::new(503, "destination-not-kept", title, detail)
                .with_hint("it goes on as before; `logwood verify` says what is damaged")
                .into()
        }
    }
}

fn unknown(name: &str, known: &[String]) -> Refusal {
    let detail = format!("there is no destination {name:?}");
    let hint = match known {
        [] => "the configuration has none".to_owned(),
        known => format!("the destinations are: {}", known.join(", ")),
    };
    Problem::new(404, "destination-unknown", "no such destination", detail)
        .with_hint(hint)
        .into()
}

fn one(destinations: &Destinations, name: &str) -> Result<DestinationStatus, Refusal> {
    let full = destinations.find(name);
    let full = full.map_err(|error| refusal(name, destinations, &error))?;
    let mut all = destinations.status().into_iter();
    let found = all.find(|status| status.name == full);
    found.map(told).ok_or_else(|| unknown(name, &[]))
}

/// What is told of all.
pub(crate) fn all(app: &App) -> Vec<DestinationStatus> {
    let destinations = app.destinations();
    let all = destinations.map(|destinations| destinations.status());
    all.unwrap_or_default().into_iter().map(told).collect()
}

fn told(status: Status) -> DestinationStatus {
    let dropped = status.totals.dropped.by_reason();
    let (last_error_at, last_error) = status.last_error.unzip();
    let positions = status.sources.iter().map(|source| DestinationPosition {
        logspace: source.logspace.to_string(),
        settled: source.settled.0,
        behind: source.behind,
    });
    DestinationStatus {
        state: status.state.name().to_owned(),
        positions: positions.collect(),
        reason: match status.state {
            State::Broken(reason) => Some(reason),
            _ => None,
        },
        name: status.name,
        matched: status.totals.matched,
        delivered: status.totals.delivered,
        dropped: dropped
            .map(|(reason, records)| (reason.to_owned(), records))
            .into(),
        pending: status.pending,
        pending_bytes: status.pending_bytes,
        unread: status.unread,
        oldest: status.oldest.map(|time| time.to_string()),
        bytes: status.totals.bytes,
        retries: status.retries,
        last_error,
        last_error_at: last_error_at.map(|time| time.to_string()),
        last_delivered: status.last_delivered.map(|time| time.to_string()),
    }
}
