//! Saved searches.

use api::{SavedSearch, SavedSearches, SavedView};
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use crate::http::Context;
use crate::problem::Refusal;
use crate::routes::ask;

pub(crate) async fn list(State(context): State<Context>) -> Result<Json<SavedSearches>, Refusal> {
    let listed = ask(&context, |app, _| app.saved.list(&app.store));
    Ok(Json(listed.await??))
}

pub(crate) async fn put(
    State(context): State<Context>,
    Path(name): Path<String>,
    body: Result<Json<SavedView>, JsonRejection>,
) -> Result<Json<SavedSearch>, Refusal> {
    let Json(view) = body.map_err(|error| {
        let hint = "send JSON, with its content type: {\"q\": \"error\", \"from\": \"now-1h\"}";
        Refusal::parameter("body", error.body_text(), hint)
    })?;
    let saved = ask(&context, move |app, _| {
        app.saved.put(&app.store, &name, view, app.clock.now())
    });
    Ok(Json(saved.await??))
}

pub(crate) async fn delete(
    State(context): State<Context>,
    Path(name): Path<String>,
) -> Result<StatusCode, Refusal> {
    let deleted = ask(&context, move |app, _| app.saved.delete(&app.store, &name));
    deleted.await??;
    Ok(StatusCode::NO_CONTENT)
}
