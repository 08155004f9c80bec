//! What steps of a route can be, and their keys: a table with `do` and the keys of that kind.

use super::{DAY, KeySpec, Kind, SectionSpec, key};

const WHEN: KeySpec = key(
    "when",
    Kind::Query,
    Some("\"\""),
    "Search expression that a record must match for the step to be done; empty matches every record.",
)
.also(&["if", "match", "filter", "condition"]);

const ON_ERROR: KeySpec = key(
    "on_error",
    Kind::OnError,
    Some("\"tag\""),
    "What becomes of a record on which the step fails; what it had changed is undone. `tag`: it gets the tag \
     `processing.failed` and goes on. `ignore`: it goes on. `reject`: the route does not take it. `drop`: it ends \
     here, counted. Any other name is that of a `[steps.NAME]` that is done then.",
)
.also(&["error", "otherwise", "on_failure"]);

const FROM: KeySpec = key(
    "from",
    Kind::Place,
    Some("\"message\""),
    "What is read: `message`, `raw`, `host`, `program`, `pid`, `msgid`, or the name of a field.",
)
.also(&["input", "source", "template", "field"]);

const PREFIX: KeySpec = key(
    "prefix",
    Kind::Text,
    None,
    "Put in front of the names of the fields, with a dot: with `fw` a field `action` is called `fw.action`. Not \
     set: they are called as they are.",
)
.also(&["group", "namespace"]);

const IGNORE_CASE: KeySpec = key(
    "ignore_case",
    Kind::Bool,
    Some("false"),
    "Whether small and capital letters of ASCII are the same.",
)
.also(&["icase", "case_insensitive"]);

const STEPS: KeySpec = key("steps", Kind::Steps, Some("[]"), "The steps that are done.");

const ELSE: KeySpec = key(
    "else",
    Kind::Steps,
    Some("[]"),
    "The steps that are done otherwise.",
)
.also(&["otherwise", "elif"]);

const fn step(
    path: &'static [&'static str],
    doc: &'static str,
    keys: &'static [KeySpec],
) -> SectionSpec {
    SectionSpec {
        path,
        doc,
        named: false,
        keys,
    }
}

/// Every kind of step, in the order of the reference.
pub(crate) const KINDS: &[SectionSpec] = &[
    step(
        &["step", "match"],
        "A condition: the route takes only records that match; of others everything that the route changed is undone.",
        &[
            key("query", Kind::Query, None, "Search expression.").required().also(&["match", "when", "filter"]),
        ],
    ),
    step(
        &["step", "drop"],
        "The record ends here: no later step or route sees it. If no earlier route sent it anywhere, it is counted as \
         dropped for the reason `rule`.",
        &[WHEN],
    ),
    step(
        &["step", "if"],
        "One of two lists of steps.",
        &[
            key("when", Kind::Query, None, "Search expression that decides.").required().also(&["if", "query", "condition"]),
            STEPS,
            ELSE,
        ],
    ),
    step(
        &["step", "try"],
        "Steps that belong together: where one of them fails or does not match, what they changed is undone, and those of \
         `else` are done.",
        &[WHEN, STEPS, ELSE],
    ),
    step(
        &["step", "use"],
        "The steps of a `[steps.NAME]`, as if they stood here.",
        &[WHEN, key("name", Kind::Logspace, None, "Which steps.").required().also(&["steps", "use"])],
    ),
    step(
        &["step", "set"],
        "Sets parts and fields.",
        &[
            WHEN,
            key(
                "values",
                Kind::Templates,
                None,
                "What is set, with a template of what it is set to: `{ host = \"${fw.devname}\", \"fw.zone\" = \"dmz\" }`. The \
                 names are those of fields, and `host`, `program`, `pid`, `msgid`, `message`, `severity`, `facility`, \
                 `time`. An empty text leaves nothing there.",
            )
            .required()
            .also(&["fields", "value", "set"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "subst"],
        "Replaces what a regular expression matches.",
        &[
            WHEN,
            key("field", Kind::Place, Some("\"message\""), "Where: a part or a field.").also(&["value", "from"]),
            key("pattern", Kind::Text, None, "Regular expression.").required().also(&["regex", "regexp", "match"]),
            key(
                "with",
                Kind::Line,
                Some("\"\""),
                "What stands there then. `$1` and `${name}` are groups of the expression, `$$` is a dollar sign.",
            )
            .also(&["replacement", "template", "to"]),
            key("global", Kind::Bool, Some("true"), "Whether all matches are replaced, and not the first alone."),
            IGNORE_CASE,
            ON_ERROR,
        ],
    ),
    step(
        &["step", "unset"],
        "Takes off parts and fields.",
        &[
            WHEN,
            key(
                "fields",
                Kind::Texts,
                None,
                "Their names. `fw.*` means all fields whose names begin with `fw.`.",
            )
            .required()
            .also(&["field", "names", "values"]),
        ],
    ),
    step(
        &["step", "rename"],
        "Gives fields other names.",
        &[
            WHEN,
            key(
                "fields",
                Kind::Table,
                None,
                "Old names and new ones: `{ srcip = \"source.ip\" }`. A new name may be that of a part.",
            )
            .required()
            .also(&["names", "from", "map"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "map"],
        "Looks a value up in a table.",
        &[
            WHEN,
            key("from", Kind::Place, None, "What is looked up: a part or a field.").required().also(&["field", "key", "input"]),
            key("to", Kind::Place, None, "What is set.").required().also(&["target", "output", "value"]),
            key("table", Kind::Table, None, "Values and what is set: `{ \"0\" = \"accept\", \"1\" = \"deny\" }`.")
                .required()
                .also(&["values", "map", "entries"]),
            key("default", Kind::Line, None, "What is set for other values. Not set: nothing changes.").also(&["otherwise"]),
            IGNORE_CASE,
            ON_ERROR,
        ],
    ),
    step(
        &["step", "tag"],
        "Adds tags.",
        &[
            WHEN,
            key("tags", Kind::Tags, None, "Which ones.").required().also(&["tag", "set_tag", "add"]),
        ],
    ),
    step(
        &["step", "untag"],
        "Takes tags off.",
        &[
            WHEN,
            key("tags", Kind::Tags, None, "Which ones.").required().also(&["tag", "clear_tag", "remove"]),
        ],
    ),
    step(
        &["step", "mask"],
        "Makes values unreadable. The bytes that arrived stay as they are; who may see those must be few.",
        &[
            WHEN,
            key("fields", Kind::Texts, Some("[\"message\"]"), "Where: parts and fields.").also(&["field", "from", "values"]),
            key("pattern", Kind::Text, None, "Regular expression of what is masked there. Not set: all of it.")
                .also(&["regex", "regexp", "match"]),
            key(
                "how",
                Kind::Choice(&["redact", "keep-last-4", "hash"]),
                Some("\"redact\""),
                "`redact` puts `with` there; `keep-last-4` puts asterisks in the place of all but the last four characters; \
                 `hash` puts 16 hexadecimal digits there that are the same for the same value.",
            )
            .also(&["mode", "method", "type"]),
            key("with", Kind::Line, Some("\"***\""), "What `redact` puts there.").also(&["replacement", "text"]),
            key("secret", Kind::Secret, None, "Key of `hash`, without which nobody can try out values.").also(&["key", "salt"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "rate_limit"],
        "Lets so many records pass in a period, and drops the others, counted for the reason `rule`.",
        &[
            WHEN,
            key("records", Kind::Integer(1..=1_000_000_000), None, "How many pass.").required().also(&["rate", "limit", "messages"]),
            key("period", Kind::Duration(1..=DAY), Some("\"1s\""), "In which time.").also(&["per", "interval"]),
            key("key", Kind::Template, Some("\"${HOST}\""), "Template: records of each value have a limit of their own.")
                .also(&["by", "template"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "dedupe"],
        "Drops a record where an equal one passed a short time ago, counted for the reason `rule`.",
        &[
            WHEN,
            key("period", Kind::Duration(1..=DAY), Some("\"10s\""), "How long ago.").also(&["suppress", "time", "interval"]),
            key(
                "key",
                Kind::Template,
                Some("\"${HOST} ${PROGRAM} ${MSG}\""),
                "Template: records of which it makes the same are equal.",
            )
            .also(&["by", "template"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "sample"],
        "Lets some of the records pass, and drops the others, counted for the reason `rule`.",
        &[
            WHEN,
            key("one_of", Kind::Integer(1..=1_000_000_000), None, "One of so many values of `key` passes.")
                .required()
                .also(&["rate", "ratio", "n"]),
            key("key", Kind::Template, Some("\"${MSG}\""), "Template: records of a value pass or are dropped together.")
                .also(&["by", "template"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "kv"],
        "Fields of pairs such as `user=root action=\"log in\"`.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key("value_separator", Kind::Line, Some("\"=\""), "What stands between name and value.").also(&["value-separator"]),
            key("pair_separator", Kind::Line, None, "What stands between pairs beside white space. Not set: a comma.")
                .also(&["pair-separator", "delimiter"]),
            key("stray_words", Kind::Text, None, "Name of a field for text that is no part of a pair. Not set: it is passed over."),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "json"],
        "Fields of a JSON object; those of objects in it have dotted names.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key("marker", Kind::Line, None, "What must stand in front of it, such as `@cee:`. Not set: nothing.").also(&["cookie"]),
            key("extract", Kind::Text, None, "Dotted name of the inner object that is read. Not set: all.").also(&["extract_prefix", "path"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "csv"],
        "Fields of columns.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key("columns", Kind::Texts, None, "Names of the columns, in order; an empty one is passed over.")
                .required()
                .also(&["names", "fields", "header"]),
            key("delimiters", Kind::Line, Some("\",\""), "Characters of which any stands between columns.").also(&["delimiter", "separator"]),
            key(
                "quotes",
                Kind::Line,
                Some("\"\\\"\\\"\""),
                "Quotation marks in pairs, one that opens and one that closes, around a column which has delimiters.",
            )
            .also(&["quote", "quote_pairs"]),
            key(
                "escape",
                Kind::Choice(&["double", "backslash", "none"]),
                Some("\"double\""),
                "How a quote stands in quotes: twice, behind a backslash, or not at all.",
            )
            .also(&["dialect", "escaping"]),
            key("greedy", Kind::Bool, Some("false"), "Whether the last column has all that is left."),
            key("strict", Kind::Bool, Some("false"), "Whether another number of columns is a failure.").also(&["drop_invalid", "drop-invalid"]),
            key("strip", Kind::Bool, Some("true"), "Whether white space around a column is no part of it.").also(&["strip_whitespace", "trim"]),
            key("null", Kind::Line, None, "Text of a column that has no value, such as `-`.").also(&["null_value"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "regex"],
        "Fields of the named groups of a regular expression, `(?<user>\\w+)`.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key(
                "pattern",
                Kind::Text,
                None,
                "Regular expression with named groups; `(?i)` at its begin makes case no difference.",
            )
            .required()
            .also(&["regex", "regexp", "patterns", "expression"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "cef"],
        "Fields of an event in ArcSight's Common Event Format, wherever it begins in the text.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key(
                "labels",
                Kind::Bool,
                Some("true"),
                "Whether `cs1=x cs1Label=Rule` becomes a field `Rule`.",
            )
            .also(&["use_labels"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "leef"],
        "Fields of an event in QRadar's Log Event Extended Format, versions 1.0 and 2.0, wherever it begins in the text.",
        &[WHEN, FROM, PREFIX, ON_ERROR],
    ),
    step(
        &["step", "access_log"],
        "Fields of a line of a web server in the common or combined format, with or without a virtual host in front.",
        &[WHEN, FROM, PREFIX, ON_ERROR],
    ),
    step(
        &["step", "grok"],
        "Fields of a pattern of named expressions, `%{IP:client} %{WORD:method}`; the stock patterns of Logstash are known.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key("pattern", Kind::Text, None, "The pattern.").required().also(&["match", "patterns"]),
            key("patterns", Kind::Table, Some("{}"), "Expressions of your own by name: `{ QUEUE = \"[0-9A-F]{10}\" }`.")
                .also(&["pattern_definitions", "custom"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "split"],
        "Makes several fields of one name of a list.",
        &[
            WHEN,
            key("from", Kind::Place, None, "What is read: a part or a field.").required().also(&["field", "input"]),
            key("to", Kind::Text, None, "Name of the fields.").required().also(&["name", "target"]),
            key("delimiters", Kind::Line, Some("\",\""), "Characters of which any stands between the members.").also(&["separator", "delimiter"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "xml"],
        "Fields of the elements and attributes of an XML document, by their paths.",
        &[
            WHEN,
            FROM,
            PREFIX,
            key("exclude_tags", Kind::Texts, Some("[]"), "Names of elements that are left out; `*` and `?` are wildcards.")
                .also(&["exclude", "exclude-tags"]),
            key("strip", Kind::Bool, Some("true"), "Whether white space around texts is no part of them.").also(&["strip_whitespaces"]),
            key(
                "windows_event",
                Kind::Bool,
                Some("false"),
                "Whether `<Data Name=\"User\">` inside of `<EventData>` is called `EventData.User`.",
            )
            .also(&["windows", "eventlog"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "date"],
        "Sets the time of the record.",
        &[
            WHEN,
            key("from", Kind::Place, None, "What is read: a part or a field; all of it must be the time.").required().also(&["field", "input"]),
            key(
                "formats",
                Kind::Texts,
                None,
                "How times are written, of which the first that fits is taken: `[\"%Y-%m-%d %H:%M:%S.%f\", \"%s\"]`, in the letters of \
                 `strptime`.",
            )
            .required()
            .also(&["format", "patterns"]),
            key(
                "zone",
                Kind::Zone,
                Some("\"local\""),
                "Time zone of times that name none: an IANA name, `UTC`, an offset such as `+02:00`, or `local`.",
            )
            .also(&["time_zone", "timezone", "tz"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "syslog"],
        "Reads a syslog header that stands inside of a text, as a relay or a container leaves it there: time, priority, host, \
         program and message become those of the record.",
        &[
            WHEN,
            FROM,
            key(
                "zone",
                Kind::Zone,
                Some("\"local\""),
                "Time zone of time stamps that name none.",
            )
            .also(&["time_zone", "timezone", "tz"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "patterndb"],
        "Classifies messages by a pattern database of syslog-ng, version 1 to 6: fields `.classifier.class` and \
         `.classifier.rule_id`, the values and tags of the rule. The file is read again when it changes.",
        &[
            WHEN,
            key("file", Kind::Path, None, "The XML file.").required().also(&["path", "database"]),
            PREFIX,
            key("strict", Kind::Bool, Some("false"), "Whether the route rejects records that no rule is of. `false` gives them the class `unknown`.")
                .also(&["drop_unmatched", "drop-unmatched"]),
            ON_ERROR,
        ],
    ),
    step(
        &["step", "lookup"],
        "Makes fields of the row of a table that has a value in its first column. The file is CSV with names in its first \
         row, and read again when it changes.",
        &[
            WHEN,
            key("file", Kind::Path, None, "The CSV file.").required().also(&["path", "database", "table"]),
            key("from", Kind::Place, None, "What is looked up: a part or a field.").required().also(&["key", "selector", "field"]),
            PREFIX,
            IGNORE_CASE,
            ON_ERROR,
        ],
    ),
    step(
        &["step", "in_list"],
        "A condition: the route takes only records of which a value is a line of a file. The file is read again when it \
         changes; what stands behind `#` in it is a comment.",
        &[
            WHEN,
            key("file", Kind::Path, None, "The file.").required().also(&["path", "list"]),
            key("from", Kind::Place, None, "What must be in the list: a part or a field.").required().also(&["value", "field"]),
            key("not", Kind::Bool, Some("false"), "Whether it must not be there instead.").also(&["negate", "invert"]),
        ],
    ),
];
