//! Questions with one answer.

use api::{Problem, StreamLine};
use axum::Json;
use axum::extract::{Path, Query};
use axum::response::Response;
use serde::Serialize;

use crate::answer::{self, Asked};
use crate::body;
use crate::http::Context;
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::{JSON, NDJSON, ask, ask_to_hold};

/// The parameters of a URL as pairs.
pub(crate) type Pairs = Query<Vec<(String, String)>>;

/// Asks a question and answers with one JSON object.
async fn answer<T: Serialize + 'static>(
    context: &Context,
    pairs: Pairs,
    question: fn(&Asked<'_>, &Parameters) -> Result<T, Box<Problem>>,
) -> Result<Response, Refusal> {
    respond(context, pairs, JSON, move |asked, parameters| {
        let answer = question(asked, parameters)?;
        serde_json::to_vec(&answer)
            .map_err(|error| Refusal::internal(error.to_string()).into_problem())
    })
    .await
}

/// Asks a question whose answer is written on the thread that finds it.
async fn respond(
    context: &Context,
    pairs: Pairs,
    media_type: &'static str,
    question: impl FnOnce(&Asked<'_>, &Parameters) -> Result<Vec<u8>, Box<Problem>> + Send + 'static,
) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let answered = ask_to_hold(context, move |app, cancel| {
        let _answering = app.running.start(parameters.get("q").unwrap_or_default());
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel,
        };
        question(&asked, &parameters)
    });
    let (answer, pass) = answered.await?;
    Ok(body::answer(media_type, answer?, pass))
}

pub(crate) async fn search(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    respond(&context, pairs, NDJSON, |asked, parameters| {
        let (rows, end) = asked.search(parameters)?;
        let mut lines = Vec::new();
        for row in rows {
            write_line(&StreamLine::Row(Box::new(row)), &mut lines);
        }
        write_line(&StreamLine::End(end), &mut lines);
        Ok(lines)
    })
    .await
}

/// Appends a line of a stream.
pub(crate) fn write_line(line: &StreamLine, out: &mut Vec<u8>) {
    // Strings, numbers and maps with string keys always serialise.
    if serde_json::to_writer(&mut *out, line).is_ok() {
        out.push(b'\n');
    }
}

pub(crate) async fn count(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    answer(&context, pairs, |asked, parameters| asked.count(parameters)).await
}

pub(crate) async fn stats(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    answer(&context, pairs, |asked, parameters| asked.stats(parameters)).await
}

pub(crate) async fn fields(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    answer(&context, pairs, |asked, parameters| {
        asked.fields(parameters)
    })
    .await
}

pub(crate) async fn patterns(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    answer(&context, pairs, |asked, parameters| {
        asked.patterns(parameters)
    })
    .await
}

pub(crate) async fn record(
    context: Context,
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

pub(crate) async fn query(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    answer(&context, pairs, |asked, parameters| asked.query(parameters)).await
}

pub(crate) async fn complete(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    answer(&context, pairs, |asked, parameters| {
        asked.complete(parameters)
    })
    .await
}

pub(crate) async fn parse(
    context: Context,
    pairs: Pairs,
) -> Result<Json<api::ParseAnswer>, Refusal> {
    let parameters = Parameters::new(pairs.0);
    let takes_pipe = parameters.flag("pipe")?;
    let parsed = ask(&context, move |_, _| {
        answer::parse(parameters.get("q").unwrap_or_default(), takes_pipe)
    });
    Ok(Json(parsed.await?))
}
