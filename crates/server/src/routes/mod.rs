//! One file for each group of endpoints.

use std::sync::Arc;

use engine::Cancel;

use crate::app::App;
use crate::http::Context;
use crate::limits::QUERY_TIME_MAX;
use crate::problem::Refusal;

pub(crate) mod admin;
pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod histogram;
pub(crate) mod ingest;
pub(crate) mod query;
pub(crate) mod saved;
pub(crate) mod state;
pub(crate) mod tail;

/// The media type of streams.
pub(crate) const NDJSON: &str = "application/x-ndjson";

/// Cancels a question when the request that asked it is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs a question on a thread of its own. It is cancelled when the client goes away or the time
/// for one question is up.
pub(crate) async fn ask<T: Send + 'static>(
    context: &Context,
    question: impl FnOnce(&App, &Cancel) -> T + Send + 'static,
) -> Result<T, Refusal> {
    let cancel = Cancel::within(&context.app.questions);
    let guard = CancelOnDrop(cancel.clone());
    let app = Arc::clone(&context.app);
    let mut work = tokio::task::spawn_blocking(move || question(&app, &cancel));
    let result = match tokio::time::timeout(QUERY_TIME_MAX, &mut work).await {
        Ok(result) => result,
        Err(_) => {
            guard.0.expire();
            work.await
        }
    };
    result.map_err(|_| Refusal::internal("the query crashed; the server's log says where"))
}
