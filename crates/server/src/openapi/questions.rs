//! The endpoints that answer questions about records.

use api::{
    CompleteAnswer, CountAnswer, FieldsAnswer, HistogramAnswer, ParseAnswer, PatternsAnswer,
    QueryAnswer, Row, StatsAnswer, StreamLine,
};
use schemars::{Schema, SchemaGenerator, json_schema};

use crate::limits::{
    BARS_DEFAULT, BARS_MAX, PATTERNS_DEFAULT, QUERY_ROWS_DEFAULT, QUERY_ROWS_MAX,
    SEARCH_ROWS_DEFAULT, SEARCH_ROWS_MAX, STATS_VALUES_DEFAULT, STATS_VALUES_MAX, TAIL_ROWS_MAX,
};
use crate::openapi::endpoint::{Answer, Endpoint, Kind, Parameter, Place, Shape, of};

const GROUP: &str = "questions";

/// What questions are refused for.
const PROBLEMS: &[&str] = &[
    "query-invalid",
    "parameter-invalid",
    "logspace-unknown",
    "internal",
    "busy",
];

const Q: Parameter = Parameter::new(
    "q",
    Kind::Text,
    "The query; everything where it is missing.",
);
const FROM: Parameter = Parameter::new(
    "from",
    Kind::Text,
    "At this time or later: RFC 3339, a date, UNIX seconds, or relative such as now-1h30m.",
);
const TO: Parameter = Parameter::new("to", Kind::Text, "Before this time.");
const TIME: Parameter = Parameter::new(
    "time",
    Kind::Choice(&["received", "event"]),
    "Which time of a record counts for ranges, orders and bars: that of receipt, or its sender's.",
);
const LOGSPACE: Parameter = Parameter::new(
    "logspace",
    Kind::Text,
    "Logspaces, separated by commas; all where it is missing.",
);
const TOKENS: Parameter = Parameter::new(
    "tokens",
    Kind::Text,
    "What bounds a term: words, ssb, or a list of delimiters; missing: what the logspaces say, else \
     words.",
);
const RAW: Parameter = Parameter::new("raw", Kind::Flag, "Adds the bytes as they arrived.");

const fn limit(default: usize, max: usize, about: &'static str) -> Parameter {
    Parameter::new("limit", Kind::Number { default, max }, about)
}

/// A record under the name `row`.
pub(super) fn row(schemas: &mut SchemaGenerator) -> Schema {
    let row = schemas.subschema_for::<Row>();
    json_schema!({"type": "object", "properties": {"row": row}, "required": ["row"]})
}

/// A question with one answer.
const fn question(
    path: &'static str,
    name: &'static str,
    about: &'static str,
    parameters: &'static [Parameter],
    answers: &'static [Answer],
) -> Endpoint {
    Endpoint {
        method: "get",
        path,
        name,
        group: GROUP,
        about,
        parameters,
        body: None,
        answers,
        problems: PROBLEMS,
    }
}

pub(super) const ENDPOINTS: &[Endpoint] = &[
    question(
        "/api/v1/search",
        "search",
        "Records, a page of them, the newest first.",
        &[
            Q,
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
            limit(SEARCH_ROWS_DEFAULT, SEARCH_ROWS_MAX, "Most rows."),
            Parameter::new(
                "cursor",
                Kind::Text,
                "Where to go on: the cursor of the answer before.",
            ),
            Parameter::new(
                "order",
                Kind::Choice(&["desc", "asc"]),
                "The newest first, or the oldest.",
            ),
            RAW,
        ],
        &[Answer::ok(
            Shape::Lines(of::<StreamLine>),
            "Lines `row`, and a line `end`; without it the stream broke off.",
        )],
    ),
    question(
        "/api/v1/count",
        "count",
        "How many records match.",
        &[Q, FROM, TO, TIME, LOGSPACE, TOKENS],
        &[Answer::ok(Shape::Json(of::<CountAnswer>), "The number.")],
    ),
    question(
        "/api/v1/histogram",
        "histogram",
        "How many records match over time.",
        &[
            Q,
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
            Parameter::new(
                "bars",
                Kind::Number {
                    default: BARS_DEFAULT,
                    max: BARS_MAX,
                },
                "How many bars of equal length.",
            ),
            Parameter::new(
                "progress",
                Kind::Flag,
                "Answers with lines: what has been counted now and then, and the answer.",
            ),
        ],
        &[
            Answer::ok(
                Shape::Json(of::<HistogramAnswer>),
                "The bars; with `progress`, lines, the last of which has no `counting`.",
            ),
            Answer::ok(Shape::Lines(of::<HistogramAnswer>), ""),
        ],
    ),
    question(
        "/api/v1/stats",
        "stats",
        "The most frequent values of a field.",
        &[
            Q,
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
            Parameter {
                place: Place::QueryAlways,
                ..Parameter::new("by", Kind::Text, "The field.")
            },
            limit(STATS_VALUES_DEFAULT, STATS_VALUES_MAX, "Most values."),
        ],
        &[Answer::ok(Shape::Json(of::<StatsAnswer>), "The values.")],
    ),
    question(
        "/api/v1/fields",
        "fields",
        "The fields of the records that match.",
        &[Q, FROM, TO, TIME, LOGSPACE, TOKENS],
        &[Answer::ok(Shape::Json(of::<FieldsAnswer>), "The fields.")],
    ),
    question(
        "/api/v1/patterns",
        "patterns",
        "What the messages of the records that match have in common.",
        &[
            Q,
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
            limit(PATTERNS_DEFAULT, QUERY_ROWS_MAX, "Most patterns."),
        ],
        &[Answer::ok(
            Shape::Json(of::<PatternsAnswer>),
            "The patterns.",
        )],
    ),
    question(
        "/api/v1/query",
        "query",
        "A table: what a pipe makes of the records that match.",
        &[
            Parameter::new("q", Kind::Text, "The query, which may have a pipe."),
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
            limit(QUERY_ROWS_DEFAULT, QUERY_ROWS_MAX, "Most rows."),
        ],
        &[Answer::ok(Shape::Json(of::<QueryAnswer>), "The table.")],
    ),
    question(
        "/api/v1/complete",
        "complete",
        "What can stand at a place of a query.",
        &[
            Q,
            Parameter::new(
                "at",
                Kind::Offset,
                "The place, in bytes of the query's UTF-8 text; its end where it is missing.",
            ),
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
        ],
        &[Answer::ok(
            Shape::Json(of::<CompleteAnswer>),
            "The choices.",
        )],
    ),
    question(
        "/api/v1/tail",
        "tail",
        "Records as they are stored, without end.",
        &[
            Q,
            LOGSPACE,
            TOKENS,
            Parameter::new("after", Kind::Text, "The id of the last record one has."),
            Parameter::new(
                "last",
                Kind::Upto(TAIL_ROWS_MAX),
                "How many of the newest records come first.",
            ),
            RAW,
        ],
        &[Answer::ok(
            Shape::Lines(of::<StreamLine>),
            "Lines `row`, `heartbeat` and `dropped`.",
        )],
    ),
    question(
        "/api/v1/export",
        "export",
        "Everything that matches, the oldest first.",
        &[
            Q,
            FROM,
            TO,
            TIME,
            LOGSPACE,
            TOKENS,
            RAW,
            Parameter::new(
                "format",
                Kind::Choice(&["ndjson", "csv", "raw"]),
                "How records are written.",
            ),
            Parameter::new(
                "mark",
                Kind::Text,
                "What the export is called in `searches` of `status`, at most 64 bytes.",
            ),
        ],
        &[
            Answer::ok(
                Shape::Lines(of::<StreamLine>),
                "Of `ndjson`, lines `row` and a line `end`; of `csv`, RFC 4180 with a header; of \
                 `raw`, the bytes of each record and a line feed.",
            ),
            Answer::ok(Shape::Text("text/csv"), ""),
            Answer::ok(Shape::Bytes, ""),
        ],
    ),
    Endpoint {
        problems: &["parameter-invalid", "record-unknown", "internal", "busy"],
        ..question(
            "/api/v1/records/{id}",
            "record",
            "One record, with its bytes.",
            &[Parameter::in_path("id", "Its name, such as `main:42`.")],
            &[Answer::ok(Shape::Json(row), "The record.")],
        )
    },
    Endpoint {
        problems: &["parameter-invalid"],
        ..question(
            "/api/v1/query/parse",
            "parse",
            "What a query means, and what is wrong with it.",
            &[
                Q,
                Parameter::new("pipe", Kind::Flag, "Whether it may have a pipe."),
            ],
            &[Answer::ok(Shape::Json(of::<ParseAnswer>), "Its meaning.")],
        )
    },
];
