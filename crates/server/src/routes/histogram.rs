//! The histogram, at once or as it grows.

use api::{HistogramAnswer, Problem};
use axum::Json;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use crate::answer::Asked;
use crate::body::{self, ChunkSender};
use crate::http::Context;
use crate::limits::{BARS_DEFAULT, BARS_MAX};
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::query::Pairs;
use crate::routes::{NDJSON, ask};

pub(crate) async fn histogram(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    if !parameters.flag("progress")? {
        let answer = count(&context, parameters, |_| ()).await??;
        return Ok(Json(answer).into_response());
    }
    parameters.number("bars", BARS_DEFAULT, BARS_MAX)?;
    // What is wrong with the request is said before the stream starts.
    let checked = ask(&context, move |app, _| {
        parameters.query()?;
        parameters.scope(&app.store, app.clock.now())?;
        Ok::<_, Refusal>(parameters)
    });
    let parameters = checked.await??;
    let (sender, body) = body::channel();
    tokio::spawn(stream(context, parameters, sender));
    Ok(([(header::CONTENT_TYPE, NDJSON)], body).into_response())
}

async fn count(
    context: &Context,
    parameters: Parameters,
    mut tell: impl FnMut(HistogramAnswer) + Send + 'static,
) -> Result<Result<HistogramAnswer, Box<Problem>>, Refusal> {
    ask(context, move |app, cancel| {
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel,
        };
        asked.growing_histogram(&parameters, &mut tell)
    })
    .await
}

/// Sends what is counted, a line at a time, and the answer. A client that goes away drops the
/// question, which cancels it; one that reads slowly misses lines between and no more.
async fn stream(context: Context, parameters: Parameters, sender: ChunkSender) {
    let parts = sender.clone();
    let answered = count(&context, parameters, move |part| {
        _ = parts.try_send(Ok(line(&part)));
    });
    tokio::select! {
        answered = answered => match answered {
            Ok(Ok(answer)) => _ = sender.send(Ok(line(&answer))).await,
            // A stream without its last line tells that it broke off.
            Ok(Err(problem)) => tracing::warn!(problem = %problem.detail, "a histogram broke off"),
            Err(refusal) => tracing::warn!(?refusal, "a histogram broke off"),
        },
        () = sender.closed() => {}
    }
}

fn line(answer: &HistogramAnswer) -> Bytes {
    let mut line = serde_json::to_vec(answer).unwrap_or_default();
    line.push(b'\n');
    Bytes::from(line)
}
