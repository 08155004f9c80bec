//! Saved searches.

use api::{SavedSearch, SavedSearches, SavedView};
use axum::Json;
use axum::extract::Path;
use axum::http::StatusCode;

use crate::http::Context;
use crate::problem::Refusal;
use crate::routes::ask;
use crate::upload::Upload;

pub(crate) async fn list(context: Context) -> Result<Json<SavedSearches>, Refusal> {
    let listed = ask(&context, |app, _| app.saved.list(&app.store));
    Ok(Json(listed.await??))
}

pub(crate) async fn put(
    context: Context,
    Path(name): Path<String>,
    upload: Upload,
) -> Result<Json<SavedSearch>, Refusal> {
    let hint = "send JSON, with its content type: {\"q\": \"error\", \"from\": \"now-1h\"}";
    let view: SavedView = upload.json(hint).await?;
    let saved = ask(&context, move |app, _| {
        app.saved.put(&app.store, &name, view, app.clock.now())
    });
    Ok(Json(saved.await??))
}

pub(crate) async fn delete(
    context: Context,
    Path(name): Path<String>,
) -> Result<StatusCode, Refusal> {
    let deleted = ask(&context, move |app, _| app.saved.delete(&app.store, &name));
    deleted.await??;
    Ok(StatusCode::NO_CONTENT)
}
