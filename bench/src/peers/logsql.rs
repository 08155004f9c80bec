//! Queries of a manifest in LogsQL, the language of VictoriaLogs.
//!
//! Words are asked for as they were planted, in lower case, which its bloom filters answer; without
//! regard to case (`i(...)`) it reads every message, and counts the same.

/// The structured data element that planted fields stand in; a part of their names there.
const ELEMENT: &str = "load@32473";

/// The query; `None` where there is no way to say it.
pub(crate) fn logsql(name: &str, query: &str) -> Option<String> {
    let field = |name: &str| format!("\"{ELEMENT}.{name}\"");
    match name.split(' ').next().unwrap_or_default() {
        "phrase" | "needle" => Some(query.to_owned()),
        // Fields of the text are columns here only where they are unpacked for each question.
        "field" | "field_number" | "field_network" => None,
        "uuid" | "address" | "id" => Some(format!("\"{query}\"")),
        "regex" => Some(format!("~`{}`", query.trim_matches('/'))),
        "number" => {
            let (name, test) = query.split_once(':')?;
            Some(format!("{}:{test}", field(name)))
        }
        "cidr" => {
            let (name, network) = query.split_once(':')?;
            Some(format!("{}:ipv4_range(\"{network}\")", field(name)))
        }
        _ => {
            let words: Vec<String> = query.split(' ').map(word).collect();
            Some(words.join(" "))
        }
    }
}

/// An operator, which is the same, or a word with its wildcards.
fn word(word: &str) -> String {
    let inner = word.trim_matches('*');
    match (word.starts_with('*'), word.ends_with('*')) {
        _ if inner.is_empty() => "*".to_owned(),
        _ if word == "*?" => "_msg:*".to_owned(),
        (false, has_more) if inner.contains('?') => {
            let end = if has_more { "" } else { "\\b" };
            format!("~`\\b{}{end}`", inner.replace('?', "."))
        }
        (true, true) => format!("~`{inner}`"),
        // Not `\b`: behind a literal its expressions begin anew, without what stands in front.
        (true, false) => format!("~`{inner}(\\W|$)`"),
        _ if matches!(word, "AND" | "OR" | "NOT") => word.to_owned(),
        // In quotes, since it has words of its own.
        (false, true) => format!("\"{inner}\"*"),
        (false, false) => format!("\"{word}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_query_is_spelled() {
        for (name, query, spelled) in [
            ("all", "*", "*"),
            ("any_character", "*?", "_msg:*"),
            ("rare", "zircon", "\"zircon\""),
            (
                "and_not",
                "garnet AND NOT topaz",
                "\"garnet\" AND NOT \"topaz\"",
            ),
            ("phrase", "\"beryl gate\"", "\"beryl gate\""),
            ("prefix", "appl*", "\"appl\"*"),
            ("suffix", "*pple", "~`pple(\\W|$)`"),
            ("inner", "*ppl*", "~`ppl`"),
            ("one_character", "us?r", "~`\\bus.r\\b`"),
            ("one_character_and_more", "us?r*", "~`\\bus.r`"),
            ("regex", "/lamp-[0-9]{4}/", "~`lamp-[0-9]{4}`"),
            ("network", "172.31.254.*", "\"172.31.254.\"*"),
            ("number", "amount:>=500", "\"load@32473.amount\":>=500"),
            (
                "cidr",
                "client:172.31.200.0/24",
                "\"load@32473.client\":ipv4_range(\"172.31.200.0/24\")",
            ),
            ("users_2", "*jade OR opal17", "~`jade(\\W|$)` OR \"opal17\""),
            ("uuid 2", "a-b", "\"a-b\""),
            ("address", "10.0.0.1", "\"10.0.0.1\""),
        ] {
            assert_eq!(logsql(name, query).unwrap(), spelled, "{name}");
        }
    }
}
