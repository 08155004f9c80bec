//! Questions with one answer.

use api::{Problem, StreamLine};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::answer::{self, Asked};
use crate::http::Context;
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::{NDJSON, ask};

/// The parameters of a URL as pairs.
pub(crate) type Pairs = Query<Vec<(String, String)>>;

/// Asks a question and answers with one JSON object.
async fn answer<T: Serialize + Send + 'static>(
    context: &Context,
    pairs: Pairs,
    question: fn(&Asked<'_>, &Parameters) -> Result<T, Box<Problem>>,
) -> Result<Json<T>, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let answered = ask(context, move |app, cancel| {
        let _answering = app.running.start(parameters.get("q").unwrap_or_default());
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel,
        };
        question(&asked, &parameters)
    });
    Ok(Json(answered.await??))
}

pub(crate) async fn search(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let answered = ask(&context, move |app, cancel| {
        let _answering = app.running.start(parameters.get("q").unwrap_or_default());
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel,
        };
        let (rows, end) = asked.search(&parameters)?;
        let mut lines = Vec::new();
        for row in rows {
            write_line(&StreamLine::Row(Box::new(row)), &mut lines);
        }
        write_line(&StreamLine::End(end), &mut lines);
        Ok::<_, Box<Problem>>(lines)
    });
    Ok(([(header::CONTENT_TYPE, NDJSON)], answered.await??).into_response())
}

/// Appends a line of a stream.
pub(crate) fn write_line(line: &StreamLine, out: &mut Vec<u8>) {
    // Strings, numbers and maps with string keys always serialise.
    if serde_json::to_writer(&mut *out, line).is_ok() {
        out.push(b'\n');
    }
}

pub(crate) async fn count(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Json<api::CountAnswer>, Refusal> {
    answer(&context, pairs, |asked, parameters| asked.count(parameters)).await
}

pub(crate) async fn stats(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Json<api::StatsAnswer>, Refusal> {
    answer(&context, pairs, |asked, parameters| asked.stats(parameters)).await
}

pub(crate) async fn fields(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Json<api::FieldsAnswer>, Refusal> {
    answer(&context, pairs, |asked, parameters| {
        asked.fields(parameters)
    })
    .await
}

pub(crate) async fn patterns(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Json<api::PatternsAnswer>, Refusal> {
    answer(&context, pairs, |asked, parameters| {
        asked.patterns(parameters)
    })
    .await
}

pub(crate) async fn record(
    State(context): State<Context>,
    Path(id): Path<String>,
) -> Result<Json<StreamLine>, Refusal> {
    let answered = ask(&context, move |app, cancel| {
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel,
        };
        asked.record(&id)
    });
    Ok(Json(answered.await??))
}

pub(crate) async fn query(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Json<api::QueryAnswer>, Refusal> {
    answer(&context, pairs, |asked, parameters| asked.query(parameters)).await
}

pub(crate) async fn complete(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Json<api::CompleteAnswer>, Refusal> {
    answer(&context, pairs, |asked, parameters| {
        asked.complete(parameters)
    })
    .await
}

pub(crate) async fn parse(pairs: Pairs) -> Result<Json<api::ParseAnswer>, Refusal> {
    let parameters = Parameters::new(pairs.0);
    let text = parameters.get("q").unwrap_or_default();
    Ok(Json(answer::parse(text, parameters.flag("pipe")?)))
}
