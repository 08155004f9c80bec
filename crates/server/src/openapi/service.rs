//! The endpoints that take records, keep searches, and tell of the server.

use api::{
    Accepted, BackupAnswer, BackupRequest, CheckAnswer, ConfigAnswer, DestinationRequest,
    DestinationStatus, DestinationsAnswer, ExplainAnswer, Imported, SavedSearch, SavedSearches,
    SavedView, SendersAnswer, StatusAnswer,
};

use crate::ndjson::Line;
use crate::openapi::endpoint::{Answer, Body, Endpoint, Kind, Parameter, Shape, of};

const NAME: Parameter = Parameter::in_path("name", "Its name.");
const TO_LOGSPACE: Parameter = Parameter::new(
    "logspace",
    Kind::Text,
    "The logspace that the records go to.",
);

/// An endpoint without parameters, body and problems.
const fn plain(
    method: &'static str,
    path: &'static str,
    name: &'static str,
    group: &'static str,
    about: &'static str,
    answers: &'static [Answer],
) -> Endpoint {
    Endpoint {
        method,
        path,
        name,
        group,
        about,
        parameters: &[],
        body: None,
        answers,
        problems: &[],
    }
}

pub(super) const ENDPOINTS: &[Endpoint] = &[
    INGEST,
    IMPORT,
    Endpoint {
        problems: &["searches-damaged", "internal", "busy"],
        ..plain(
            "get",
            "/api/v1/searches",
            "savedSearches",
            "searches",
            "The searches that people saved.",
            &[Answer::ok(
                Shape::Json(of::<SavedSearches>),
                "All of them, by name.",
            )],
        )
    },
    Endpoint {
        parameters: &[NAME],
        body: Some(Body {
            about: "Parameters of the page's address, empty where they are not given.",
            shapes: &[Shape::Json(of::<SavedView>)],
        }),
        problems: &[
            "parameter-invalid",
            "query-invalid",
            "upload-broken",
            "request-slow",
            "body-too-large",
            "encoding-unsupported",
            "busy",
            "searches-full",
            "searches-damaged",
            "searches-not-saved",
            "internal",
        ],
        ..plain(
            "put",
            "/api/v1/searches/{name}",
            "saveSearch",
            "searches",
            "Saves a search in the place of the one of that name.",
            &[Answer::ok(
                Shape::Json(of::<SavedSearch>),
                "The saved search.",
            )],
        )
    },
    Endpoint {
        parameters: &[NAME],
        problems: &[
            "search-unknown",
            "busy",
            "searches-damaged",
            "searches-not-saved",
            "internal",
        ],
        ..plain(
            "delete",
            "/api/v1/searches/{name}",
            "deleteSearch",
            "searches",
            "Deletes a saved search.",
            &[Answer {
                status: 204,
                about: "It is gone.",
                shape: Shape::Nothing,
            }],
        )
    },
    Endpoint {
        parameters: &[
            Parameter::new(
                "source",
                Kind::Text,
                "The source; the first that takes connections over TCP where none is named.",
            ),
            Parameter::new("peer", Kind::Text, "The address that sends."),
            Parameter::new(
                "received",
                Kind::Text,
                "When it arrives; now where nothing is said.",
            ),
        ],
        body: Some(Body {
            about: "What arrives, of at most 2 MiB: a stream of messages, or one.",
            shapes: &[Shape::Bytes],
        }),
        problems: &[
            "parameter-invalid",
            "source-unknown",
            "upload-broken",
            "request-slow",
            "body-too-large",
            "encoding-unsupported",
            "busy",
            "internal",
        ],
        ..plain(
            "post",
            "/api/v1/explain",
            "explain",
            "configuration",
            "How a source reads what arrives, and where it would go. Nothing is stored.",
            &[Answer::ok(
                Shape::Json(of::<ExplainAnswer>),
                "The messages; at most 100.",
            )],
        )
    },
    plain(
        "get",
        "/api/v1/config",
        "config",
        "configuration",
        "The configuration in force.",
        &[Answer::ok(
            Shape::Json(of::<ConfigAnswer>),
            "It, as a file.",
        )],
    ),
    Endpoint {
        body: Some(Body {
            about: "A configuration file.",
            shapes: &[Shape::Text("text/plain")],
        }),
        problems: &[
            "parameter-invalid",
            "upload-broken",
            "request-slow",
            "body-too-large",
            "encoding-unsupported",
            "busy",
            "internal",
        ],
        ..plain(
            "post",
            "/api/v1/config/check",
            "checkConfig",
            "configuration",
            "What is wrong with a configuration. Nothing is applied.",
            &[Answer::ok(Shape::Json(of::<CheckAnswer>), "What is wrong.")],
        )
    },
    plain(
        "get",
        "/api/v1/status",
        "status",
        "state",
        "The state of the server.",
        &[Answer::ok(Shape::Json(of::<StatusAnswer>), "The state.")],
    ),
    plain(
        "get",
        "/api/v1/destinations",
        "destinations",
        "destinations",
        "Where records are sent, and how far each destination is.",
        &[Answer::ok(
            Shape::Json(of::<DestinationsAnswer>),
            "All of them, by name.",
        )],
    ),
    Endpoint {
        parameters: &[
            Parameter::in_path("name", "Its name, with its kind in front or without."),
            Parameter::in_path("action", "`pause`, `resume`, `rewind`, `skip` or `test`."),
        ],
        body: Some(Body {
            about: "Where to, of which logspace, or the message; an empty object for the others.",
            shapes: &[Shape::Json(of::<DestinationRequest>)],
        }),
        problems: &[
            "parameter-invalid",
            "not-local",
            "destination-unknown",
            "destination-failed",
            "destination-not-kept",
            "upload-broken",
            "request-slow",
            "body-too-large",
            "encoding-unsupported",
            "busy",
            "internal",
        ],
        ..plain(
            "post",
            "/api/v1/destinations/{name}/{action}",
            "actOnDestination",
            "destinations",
            "Has a destination rest, go on, go to another place, or deliver a message; for programs on the \
             server's machine only.",
            &[Answer::ok(
                Shape::Json(of::<DestinationStatus>),
                "How it is now.",
            )],
        )
    },
    Endpoint {
        parameters: &[Parameter::in_path("name", "The name of the source.")],
        problems: &["source-unknown"],
        ..plain(
            "get",
            "/api/v1/sources/{name}/senders",
            "senders",
            "state",
            "The senders of a source.",
            &[Answer::ok(Shape::Json(of::<SendersAnswer>), "Its senders.")],
        )
    },
    Endpoint {
        body: Some(Body {
            about: "Where to.",
            shapes: &[Shape::Json(of::<BackupRequest>)],
        }),
        problems: &[
            "parameter-invalid",
            "upload-broken",
            "request-slow",
            "body-too-large",
            "encoding-unsupported",
            "busy",
            "not-local",
            "directory-unsuitable",
            "backup-failed",
            "internal",
        ],
        ..plain(
            "post",
            "/api/v1/admin/backup",
            "backup",
            "administration",
            "Makes a backup, for programs on the server's machine only.",
            &[Answer::ok(
                Shape::Json(of::<BackupAnswer>),
                "It is durable.",
            )],
        )
    },
    plain(
        "get",
        "/api/v1/openapi.json",
        "openapi",
        "state",
        "This document.",
        &[Answer::ok(
            Shape::Json(of::<serde_json::Map<String, serde_json::Value>>),
            "OpenAPI 3.1.",
        )],
    ),
    plain(
        "get",
        "/healthz",
        "healthz",
        "state",
        "Whether the process runs.",
        &[Answer::ok(Shape::Text("text/plain"), "It does.")],
    ),
    Endpoint {
        problems: &["storage-stalled"],
        ..plain(
            "get",
            "/readyz",
            "readyz",
            "state",
            "Whether records can be made durable.",
            &[Answer::ok(Shape::Text("text/plain"), "They can.")],
        )
    },
    plain(
        "get",
        "/metrics",
        "metrics",
        "state",
        "Metrics in the text format of Prometheus.",
        &[Answer::ok(Shape::Text("text/plain"), "The metrics.")],
    ),
];

const INGEST: Endpoint = Endpoint {
    parameters: &[
        TO_LOGSPACE,
        Parameter::new(
            "format",
            Kind::Choice(&["lines", "ndjson"]),
            "Messages, one a line, or objects, one a line.",
        ),
    ],
    body: Some(Body {
        about: "Records, 64 MiB at the most, unpacked. The media type says nothing, `format` does.",
        shapes: &[Shape::Text("text/plain"), Shape::Lines(of::<Line>)],
    }),
    problems: &[
        "parameter-invalid",
        "upload-broken",
        "request-slow",
        "body-too-large",
        "encoding-unsupported",
        "busy",
        "logspace-unknown",
        "message-too-large",
        "storage-stalled",
    ],
    ..plain(
        "post",
        "/api/v1/ingest",
        "ingest",
        "records",
        "Takes records. They are durable when it answers.",
        &[Answer::ok(Shape::Json(of::<Accepted>), "They are durable.")],
    )
};

const IMPORT: Endpoint = Endpoint {
    parameters: &[
        TO_LOGSPACE,
        Parameter::new(
            "time",
            Kind::Choice(&["message", "now"]),
            "Under which time lines are filed: their own, or that of the import.",
        ),
        Parameter::new(
            "anchor",
            Kind::Text,
            "When the file was written last, by default now: a stamp without a year is of the year \
             before, or at most a week ahead of it.",
        ),
        Parameter::new(
            "year",
            Kind::Offset,
            "The year of the first stamp without one, from 1970 to 2199; years go on at their turns.",
        ),
    ],
    body: Some(Body {
        about: "Messages, one a line.",
        shapes: &[Shape::Text("text/plain")],
    }),
    problems: &[
        "parameter-invalid",
        "upload-broken",
        "request-slow",
        "body-too-large",
        "encoding-unsupported",
        "busy",
        "logspace-unknown",
        "message-too-large",
        "internal",
        "storage-stalled",
    ],
    ..plain(
        "post",
        "/api/v1/import",
        "import",
        "records",
        "Takes a file of lines. They are durable when it answers.",
        &[Answer::ok(Shape::Json(of::<Imported>), "They are durable.")],
    )
};
