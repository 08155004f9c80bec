//! The interface as an OpenAPI 3.1 document, made of the types that are sent and of a table that
//! says which endpoint takes and answers what.
//!
//! The table names every route that there is, and the answers of a running server are compared with
//! the document, so neither can fall behind the other.

mod endpoint;
mod problems;
mod questions;
mod service;

use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use endpoint::{Body, Endpoint, Kind, Parameter, Place, Shape};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    // Strings, numbers and maps with string keys always serialise.
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
});

/// The document as text.
pub(crate) fn text() -> &'static str {
    &DOCUMENT
}

/// Answers with the document.
pub(crate) async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text()).into_response()
}

/// The names of the parameters behind a path; `None` where the endpoint takes none, or there is none.
pub(crate) fn parameters(method: &str, path: &str) -> Option<Vec<&'static str>> {
    let is_asked = |endpoint: &&Endpoint| endpoint.method == method && is_at(endpoint.path, path);
    let parameters = endpoints().find(is_asked)?.parameters.iter();
    let names: Vec<&str> = parameters
        .filter(|parameter| !matches!(parameter.place, Place::Path))
        .map(|parameter| parameter.name)
        .collect();
    (!names.is_empty()).then_some(names)
}

/// Whether a path is one of those that a template with `{name}` stands for.
fn is_at(template: &str, path: &str) -> bool {
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    loop {
        match (template.next(), path.next()) {
            (None, None) => return true,
            (Some(expected), Some(_)) if expected.starts_with('{') => {}
            (Some(expected), Some(found)) if expected == found => {}
            _ => return false,
        }
    }
}

/// Every endpoint, in the order of the document.
fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    questions::ENDPOINTS.iter().chain(service::ENDPOINTS)
}

fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    for endpoint in endpoints() {
        let operation = operation(endpoint, &mut schemas);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method] = operation;
    }
    let problems = problems::shared(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Logwood",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Finds, follows and takes log records. Members of answers are only ever \
                            added. Times are RFC 3339 in UTC with nanoseconds.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"responses": problems, "schemas": schemas.take_definitions(true)},
    })
}

fn operation(endpoint: &Endpoint, schemas: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    for answer in endpoint.answers {
        let response = responses
            .entry(answer.status.to_string())
            .or_insert_with(|| json!({"description": answer.about}));
        let mut content = media(&answer.shape, schemas);
        if let (Some(own), Some(Value::Object(more))) =
            (content.as_object_mut(), response.get("content"))
        {
            own.append(&mut more.clone());
        }
        if !matches!(answer.shape, Shape::Nothing) {
            response["content"] = content;
        }
    }
    responses.append(&mut problems::responses(endpoint.problems));
    let mut operation = json!({
        "operationId": endpoint.name,
        "tags": [endpoint.group],
        "summary": endpoint.about,
        "parameters": endpoint.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "responses": responses,
    });
    if let Some(Body { about, shapes }) = &endpoint.body {
        let mut content = Map::new();
        for shape in *shapes {
            // What is taken is not always what is answered: members may be left out.
            let mut inlined = SchemaSettings::draft2020_12().for_deserialize();
            inlined.inline_subschemas = true;
            inlined.meta_schema = None;
            if let Value::Object(mut own) = media(shape, &mut inlined.into_generator()) {
                content.append(&mut own);
            }
        }
        operation["requestBody"] =
            json!({"description": about, "required": true, "content": content});
    }
    operation
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Offset => json!({"type": "integer", "minimum": 0}),
        Kind::Number { default, max } => {
            json!({"type": "integer", "minimum": 1, "maximum": max, "default": default})
        }
        Kind::Upto(max) => json!({"type": "integer", "minimum": 1, "maximum": max}),
        Kind::Flag => json!({"type": "boolean", "default": false}),
        Kind::Choice(choices) => json!({"enum": choices, "default": choices.first()}),
    };
    let (place, is_required) = match parameter.place {
        Place::Path => ("path", true),
        Place::Query => ("query", false),
        Place::QueryAlways => ("query", true),
    };
    json!({
        "name": parameter.name,
        "in": place,
        "required": is_required,
        "description": parameter.about,
        "schema": schema,
    })
}

/// The media types of a shape, with their schemas.
fn media(shape: &Shape, schemas: &mut SchemaGenerator) -> Value {
    match shape {
        Shape::Json(schema) => json!({"application/json": {"schema": schema(schemas)}}),
        Shape::Lines(schema) => json!({"application/x-ndjson": {"schema": schema(schemas)}}),
        Shape::Text(media_type) => json!({*media_type: {"schema": {"type": "string"}}}),
        Shape::Bytes => json!({"application/octet-stream": {}}),
        Shape::Nothing => json!({}),
    }
}

#[cfg(test)]
mod tests;
