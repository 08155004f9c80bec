//! Steps that take texts apart.

use std::sync::Arc;

use ::parsers::{
    AccessLogParser, CefOptions, CefParser, CsvEscapes, CsvOptions, CsvParser, Error, GrokOptions,
    GrokParser, JsonOptions, JsonParser, KvOptions, KvParser, LeefParser, ListOptions, ListParser,
    Parser, RegexParser, XmlOptions, XmlParser,
};
use ::pipeline::actions::Parse;

use super::{Made, Problem, origin};
use crate::build::Values;

/// The action of a kind of step that parses.
pub(super) fn parse(kind: &str, values: &Values<'_>) -> Made {
    let parser: Result<Arc<dyn Parser>, Error> = match kind {
        "json" => JsonParser::new(&JsonOptions {
            marker: values.text("marker").to_owned(),
            extract: values.text("extract").to_owned(),
            ..JsonOptions::default()
        })
        .map(shared),
        "regex" => RegexParser::new(values.text("pattern")).map(shared),
        "csv" => csv(values).map(shared),
        "cef" => Ok(shared(CefParser::new(&CefOptions {
            use_labels: values.bool("labels"),
        }))),
        "leef" => Ok(shared(LeefParser)),
        "access_log" => Ok(shared(AccessLogParser)),
        "grok" => grok(values).map(shared),
        "xml" => XmlParser::new(&XmlOptions {
            strip_white_space: values.bool("strip"),
            exclude_tags: values.texts("exclude_tags"),
            is_windows_event: values.bool("windows_event"),
        })
        .map(shared),
        "split" => ListParser::new(&ListOptions {
            name: values.text("to").to_owned(),
            delimiters: values.text("delimiters").to_owned(),
            ..ListOptions::default()
        })
        .map(shared),
        _ => kv(values).map(shared),
    };
    let parser = parser.map_err(|error| (key_of(kind, &error), Problem::new(error, None)))?;
    let from = (origin(values, "from"), values.text("from"));
    let prefix = match kind {
        "split" => "",
        _ => values.text("prefix"),
    };
    Ok(Arc::new(Parse::new(from, parser, prefix)))
}

fn kv(values: &Values<'_>) -> Result<KvParser, Error> {
    let default = KvOptions::default();
    KvParser::new(&KvOptions {
        value_separator: values.text("value_separator").to_owned(),
        pair_separator: values
            .set_text("pair_separator")
            .unwrap_or(default.pair_separator),
        stray_words: values.set_text("stray_words"),
        ..KvOptions::default()
    })
}

fn csv(values: &Values<'_>) -> Result<CsvParser, Error> {
    CsvParser::new(&CsvOptions {
        columns: values.texts("columns"),
        delimiters: values.text("delimiters").to_owned(),
        quote_pairs: values.text("quotes").to_owned(),
        escapes: match values.text("escape") {
            "backslash" => CsvEscapes::Backslash,
            "none" => CsvEscapes::None,
            _ => CsvEscapes::Double,
        },
        is_greedy: values.bool("greedy"),
        drop_invalid: values.bool("strict"),
        null: values.set_text("null"),
        strip_white_space: values.bool("strip"),
        ..CsvOptions::default()
    })
}

fn grok(values: &Values<'_>) -> Result<GrokParser, Error> {
    let own = values.table("patterns").iter();
    GrokParser::new(&GrokOptions {
        pattern: values.text("pattern").to_owned(),
        patterns: own
            .map(|(name, pattern)| (name.clone(), pattern.item.clone()))
            .collect(),
    })
}

fn shared<P: Parser + 'static>(parser: P) -> Arc<dyn Parser> {
    Arc::new(parser)
}

/// The key that an error of a parser is about.
fn key_of(kind: &str, error: &Error) -> &'static str {
    match error {
        Error::Empty { option, .. }
        | Error::TooLong { option, .. }
        | Error::TooMany { option, .. }
        | Error::Unfit { option, .. } => match (kind, *option) {
            (_, "quote_pairs") => "quotes",
            ("split", "name") => "to",
            (_, option) => option,
        },
        _ => "pattern",
    }
}
