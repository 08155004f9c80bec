//! Problems by their codes: which HTTP status each has, and the answers that endpoints share.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

/// The code of every problem that the interface answers with, and its status.
pub(super) const CODES: [(&str, u16); 27] = [
    ("query-invalid", 400),
    ("parameter-invalid", 400),
    ("upload-broken", 400),
    ("not-local", 403),
    ("origin-foreign", 403),
    ("logspace-unknown", 404),
    ("source-unknown", 404),
    ("record-unknown", 404),
    ("search-unknown", 404),
    ("destination-unknown", 404),
    ("endpoint-unknown", 404),
    ("page-unknown", 404),
    ("request-slow", 408),
    ("directory-unsuitable", 409),
    ("searches-full", 409),
    ("destination-failed", 409),
    ("message-too-large", 413),
    ("body-too-large", 413),
    ("encoding-unsupported", 415),
    ("host-unknown", 421),
    ("backup-failed", 500),
    ("searches-damaged", 500),
    ("internal", 500),
    ("busy", 503),
    ("destination-not-kept", 503),
    ("storage-stalled", 503),
    ("searches-not-saved", 503),
];

/// The answers that problems are given with, one for each status, by name.
pub(super) fn shared(schemas: &mut SchemaGenerator) -> Map<String, Value> {
    let problem = schemas.subschema_for::<api::Problem>();
    let answer = |of_status: u16| {
        let own = CODES.iter().filter(|(_, status)| *status == of_status);
        let codes: Vec<&str> = own.map(|(code, _)| *code).collect();
        let schema = json!({
            "allOf": [problem, {"properties": {"code": {"enum": codes}}}],
        });
        let answer = json!({
            "description": "It is refused, and the problem says why.",
            "content": {"application/problem+json": {"schema": schema}},
        });
        (name(of_status), answer)
    };
    CODES.iter().map(|(_, status)| answer(*status)).collect()
}

/// What any endpoint may answer, before it looks at a request.
const OF_ALL: [&str; 2] = ["origin-foreign", "host-unknown"];

/// References to the answers of some problems, by status, and of those that all endpoints have.
pub(super) fn responses(codes: &[&str]) -> Map<String, Value> {
    let reference = |code: &&str| {
        let status = status(code);
        let path = format!("#/components/responses/{}", name(status));
        (status.to_string(), json!({"$ref": path}))
    };
    codes.iter().chain(&OF_ALL).map(reference).collect()
}

fn name(status: u16) -> String {
    format!("Problem{status}")
}

/// The HTTP status of a problem.
fn status(code: &str) -> u16 {
    let known = CODES.iter().find(|(known, _)| *known == code);
    known.map_or(500, |(_, status)| *status)
}
