//! Routes, lists of steps that they share, and messages that must go their way.

use super::{KeySpec, Kind, SectionSpec, key};

const ROUTE: &[KeySpec] = &[
    key(
        "from",
        Kind::Sources,
        Some("[]"),
        "Names of the sources whose records are looked at; empty means all.",
    )
    .also(&["source", "sources", "input", "inputs"]),
    key(
        "match",
        Kind::Query,
        Some("\"\""),
        "Search expression that a record must match; empty matches every record.",
    )
    .also(&["filter", "query", "when", "if"]),
    key(
        "steps",
        Kind::Steps,
        Some("[]"),
        "What is done with the records that match, in order; see [Steps](#steps).",
    )
    .also(&["step", "parsers", "rewrite", "process", "pipeline"]),
    key(
        "logspace",
        Kind::Logspace,
        None,
        "Logspace that the records which match go to. Not set: they go on to the routes behind this one, as its \
         steps have changed them.",
    )
    .also(&["to", "destination", "target", "index"]),
    key(
        "tags",
        Kind::Tags,
        Some("[]"),
        "Tags put on these records there: letters, digits, `-`, `_` and `.`.",
    )
    .also(&["tag", "add_tags", "labels"]),
    key(
        "final",
        Kind::Bool,
        Some("false"),
        "Whether later routes leave these records alone.",
    )
    .also(&["stop", "last"]),
    key(
        "fallback",
        Kind::Bool,
        Some("false"),
        "Whether the route is asked behind all others, and only of records that none of them sent anywhere.",
    )
    .also(&["default", "otherwise"]),
];

const STEP_LIST: &[KeySpec] = &[key(
    "steps",
    Kind::Steps,
    Some("[]"),
    "The steps, in order; see [Steps](#steps).",
)
.also(&["step"])];

const TEST: &[KeySpec] = &[
    key(
        "message",
        Kind::Line,
        None,
        "What is received, as `logwood explain` takes it: with header, without framing.",
    )
    .required()
    .also(&["text", "input", "raw"]),
    key(
        "source",
        Kind::Source,
        None,
        "The source that receives it. Not set: the first that takes connections over TCP.",
    )
    .also(&["from"]),
    key(
        "logspaces",
        Kind::Logspaces,
        None,
        "The logspaces that it goes to; `[]` for none, as it is dropped. Not set: any.",
    )
    .also(&["logspace", "to", "route"]),
    key(
        "fields",
        Kind::Table,
        Some("{}"),
        "Parts and fields that it has in each of them: `{ host = \"edge-1\", \"fw.action\" = \"deny\" }`. An empty text says \
         that there is none.",
    )
    .also(&["expect", "expected", "values"]),
    key(
        "tags",
        Kind::Tags,
        None,
        "Exactly the tags that it has in each of them. Not set: any.",
    )
    .also(&["tag"]),
    key(
        "sent",
        Kind::Table,
        Some("{}"),
        "What destinations send of it, by kind and name: `{ \"syslog.central\" = \"<13>...\" }`. An empty text says that \
         they send nothing.",
    )
    .also(&["destinations"]),
];

/// Routes.
pub(super) const ROUTES: SectionSpec = SectionSpec {
    path: &["route"],
    doc: "Sends records to a logspace. Routes are asked in the order of the file; a record goes to \
          the logspace of each that matches, up to one that is final, and to that of its source \
          if none does. What the steps of a route change is there for the routes behind it, too.",
    named: true,
    keys: ROUTE,
};

/// Steps with a name.
pub(super) const STEP_LISTS: SectionSpec = SectionSpec {
    path: &["steps"],
    doc: "Steps that several routes use, by `{ do = \"use\", name = \"NAME\" }`, or where a step fails, by `on_error`.",
    named: true,
    keys: STEP_LIST,
};

/// Tests of a configuration.
pub(super) const TESTS: SectionSpec = SectionSpec {
    path: &["test"],
    doc: "A message, and what must become of it. `logwood check --test` tries all of them and shows what is \
          different.",
    named: true,
    keys: TEST,
};
