//! One file for each group of endpoints.

use std::sync::Arc;

use engine::Cancel;

use crate::admission::Pass;
use crate::app::App;
use crate::aside;
use crate::http::{Context, stopping};
use crate::limits::{QUERY_TIME_MAX, QUESTION_NICENESS};
use crate::problem::Refusal;

pub(crate) mod admin;
pub(crate) mod check;
pub(crate) mod destinations;
pub(crate) mod export;
pub(crate) mod histogram;
pub(crate) mod ingest;
pub(crate) mod query;
pub(crate) mod saved;
pub(crate) mod state;
pub(crate) mod tail;

/// The media type of streams.
pub(crate) const NDJSON: &str = "application/x-ndjson";

/// The media type of single answers.
pub(crate) const JSON: &str = "application/json";

/// Cancels a question when the request that asked it is dropped.
pub(crate) struct CancelOnDrop(pub(crate) Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Looks at a query in front of a stream, on a thread of its own: expressions take long to compile, and the
/// threads of the runtime receive. The place is held meanwhile.
pub(crate) async fn prepare<T: Send + 'static>(
    context: &Context,
    pass: Pass,
    prepare: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
) -> Result<(T, Pass), Refusal> {
    let app = Arc::clone(&context.app);
    let prepared = aside::run(QUESTION_NICENESS, move || {
        prepare(&app).map(|prepared| (prepared, pass))
    });
    prepared.await?
}

/// Runs a question when it is its turn. It is cancelled when the client goes away, the time for one
/// question is up, or the server stops.
pub(crate) async fn ask<T: Send + 'static>(
    context: &Context,
    question: impl FnOnce(&App, &Cancel) -> T + Send + 'static,
) -> Result<T, Refusal> {
    Ok(ask_to_hold(context, question).await?.0)
}

/// The same, with the place among the questions, which the answer may go on to hold.
pub(crate) async fn ask_to_hold<T: Send + 'static>(
    context: &Context,
    question: impl FnOnce(&App, &Cancel) -> T + Send + 'static,
) -> Result<(T, Pass), Refusal> {
    let pass = context.admission.questions.enter(context.peer).await?;
    let cancel = Cancel::within(&context.app.questions);
    let guard = CancelOnDrop(cancel.clone());
    let app = Arc::clone(&context.app);
    let mut stop = context.stop.clone();
    // The place is held by the thread: a question that nobody waits for is one until it ends.
    let work = aside::run(QUESTION_NICENESS, move || (question(&app, &cancel), pass));
    let mut work = std::pin::pin!(work);
    tokio::select! {
        answered = &mut work => return answered,
        () = tokio::time::sleep(QUERY_TIME_MAX) => guard.0.expire(),
        () = stopping(&mut stop) => guard.0.cancel(),
    }
    work.await
}
