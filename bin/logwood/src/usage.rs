//! What is said of flags and words that other programs have and `logwood` has not.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Flags of other programs, and what to write here.
const FLAGS: &[(&[&str], &str)] = &[
    (
        &[
            "--server",
            "--host",
            "--address",
            "--addr",
            "--endpoint",
            "-H",
            "-s",
        ],
        "--url names the server, such as --url http://127.0.0.1:8514",
    ),
    (
        &[
            "--last",
            "--start",
            "--earliest",
            "--newer",
            "--within",
            "--range",
        ],
        "--from starts the range, such as --from now-1h or --from yesterday",
    ),
    (
        &["--end", "--latest", "--before", "--older"],
        "--to ends the range, such as --to now-1h or --to '2026-11-21 18:00'",
    ),
    (
        &["--lines", "--max", "--max-count", "--size", "--head", "-m"],
        "--limit bounds the number of records, such as --limit 20",
    ),
    (
        &["--format", "--output", "--output-format", "-o", "-j"],
        "--json prints NDJSON; logwood query also prints CSV, with --csv",
    ),
    (
        &["--csv"],
        "logwood query prints CSV, such as logwood query 'error' --csv",
    ),
    (
        &["-f", "--follow", "--live", "-F"],
        "logwood tail prints records as they arrive, such as logwood tail -n 20 'error'",
    ),
    (
        &["-i", "--ignore-case"],
        "case makes no difference in a query; field:=Word is exact",
    ),
    (
        &["-v", "--invert-match", "--not"],
        "NOT leaves records out, such as 'error NOT host:web1'",
    ),
    (
        &["-e", "-E", "-P", "--regex", "--regexp"],
        "a regular expression stands between slashes in the query: '/time(d )?out/'",
    ),
    (
        &["-c", "--count"],
        "logwood count prints how many records match",
    ),
    (
        &["-r", "--reverse", "--order", "--sort"],
        "records come the newest first; logwood query sorts: 'error | sort received'",
    ),
    (
        &["-q", "--query", "--filter", "--search"],
        "the query stands by itself, such as logwood search 'error'",
    ),
    (
        &["--dir", "--data", "--path", "--db", "-d"],
        "--data-dir names the directory of the data",
    ),
    (
        &["--index", "--log", "--dataset", "--repo"],
        "--logspace names the logspace",
    ),
    (
        &["--field", "--group-by", "-b", "--facet"],
        "--by names the field, such as logwood stats 'error' --by host",
    ),
    (
        &["--no-color", "--no-colour", "--colour"],
        "--color never prints no colours",
    ),
    (
        &["--tz", "--timezone", "--zone"],
        "--utc reads and prints times in UTC",
    ),
    (
        &["--port", "-p", "--listen", "--bind"],
        "--http, --udp, --tcp, --tls and --relp take the address to listen on, such as --http 8514",
    ),
];

/// Commands of other programs, and what to write here.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["start", "run", "server", "daemon"],
        "logwood serve receives and answers",
    ),
    (
        &["stop", "restart", "reload"],
        "a server is stopped by SIGTERM or Ctrl-C, and reads its configuration again at SIGHUP",
    ),
    (
        &["find", "grep", "get", "show"],
        "logwood search prints the records that match",
    ),
    (
        &["export", "dump", "cat"],
        "logwood search --raw --limit N prints records as they arrived; GET /api/v1/export streams all \
         of them",
    ),
    (
        &["follow", "watch"],
        "logwood tail prints records as they arrive",
    ),
    (
        &["status", "info"],
        "logwood top shows the state of a server",
    ),
    (
        &["load-file", "add", "ingest", "upload"],
        "logwood import stores the lines of files",
    ),
    (
        &["sql", "stat", "top-values"],
        "logwood query and logwood stats count and group records",
    ),
];

/// The error of clap, with what to write instead where that is known.
pub(crate) fn explain(error: clap::Error, typed: &[OsString]) -> clap::Error {
    match error.kind() {
        ErrorKind::UnknownArgument => match unknown(&error) {
            Some(word) if word.starts_with('-') => unknown_flag(error, whole(&word, typed)),
            Some(_) => match quoted(typed) {
                Some(tip) => with_tip(error, &tip),
                None => error,
            },
            None => error,
        },
        ErrorKind::InvalidSubcommand => match invalid_command(&error) {
            Some(word) => match hint(COMMANDS, &word) {
                Some(hint) => with_tip(error, hint),
                None => error,
            },
            None => error,
        },
        _ => error,
    }
}

fn unknown_flag(error: clap::Error, word: &str) -> clap::Error {
    match hint(FLAGS, flag_of(word)) {
        Some(hint) => with_tip(error, hint),
        None if is_negation(word) => with_tip(
            error,
            "to leave out records write NOT in the query: 'NOT error'",
        ),
        None => error,
    }
}

/// The word as it was typed, of which clap names the first letter where it could be short flags.
fn whole<'t>(word: &'t str, typed: &'t [OsString]) -> &'t str {
    let mut typed = typed.iter().filter_map(|typed| typed.to_str());
    typed.find(|typed| typed.starts_with(word)).unwrap_or(word)
}

fn unknown(error: &clap::Error) -> Option<String> {
    text_of(error, ContextKind::InvalidArg)
}

fn invalid_command(error: &clap::Error) -> Option<String> {
    text_of(error, ContextKind::InvalidSubcommand)
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The flag without its value.
fn flag_of(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

/// Whether a word behind `-` is more likely one to be left out than a flag.
fn is_negation(word: &str) -> bool {
    let rest = word.trim_start_matches('-');
    !word.starts_with("--") && rest.len() > 2
}

fn hint(table: &[(&[&str], &'static str)], word: &str) -> Option<&'static str> {
    let entry = table.iter().find(|(words, _)| words.contains(&word));
    entry.map(|(_, hint)| *hint)
}

/// A query of several words that was not quoted, quoted.
fn quoted(typed: &[OsString]) -> Option<String> {
    let words: Vec<&str> = typed
        .iter()
        .skip(1)
        .filter_map(|word| word.to_str())
        .collect();
    let (command, rest) = words.split_first()?;
    let asks = ["search", "count", "histogram", "stats", "query", "tail"];
    if !asks.contains(command) {
        return None;
    }
    let query: Vec<&str> = rest
        .iter()
        .copied()
        .take_while(|word| !word.starts_with('-'))
        .collect();
    (query.len() > 1).then(|| {
        let query = query.join(" ").replace('\'', "'\\''");
        format!("quote the query, so that it is one word: logwood {command} '{query}'")
    })
}

fn with_tip(mut error: clap::Error, tip: &str) -> clap::Error {
    for other in [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::TrailingArg,
        ContextKind::Suggested,
    ] {
        error.remove(other);
    }
    let tip = StyledStr::from(tip.to_owned());
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::Arguments;

    fn said(line: &str) -> String {
        let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Arguments::try_parse_from(&typed).expect_err(line);
        explain(error, &typed).to_string()
    }

    #[test]
    fn flags_of_other_programs_are_answered_with_ours() {
        for (line, tip) in [
            (
                "logwood count x --server http://h",
                "--url names the server",
            ),
            ("logwood count x --server=h", "--url names the server"),
            ("logwood search x --host h", "--url names the server"),
            ("logwood search x --last 1h", "--from now-1h"),
            ("logwood search x --format json", "--json prints NDJSON"),
            ("logwood search x --output json", "--json prints NDJSON"),
            ("logwood search x -o json", "--json prints NDJSON"),
            ("logwood search x -f", "logwood tail"),
            ("logwood search -i x", "case makes no difference"),
            ("logwood search -error", "NOT error"),
            ("logwood stats x --by host --max 5", "--limit bounds"),
            ("logwood serve --port 8514", "--http 8514"),
            ("logwood start", "logwood serve"),
            ("logwood grep x", "logwood search"),
            ("logwood export x", "/api/v1/export"),
            ("logwood search disk full", "logwood search 'disk full'"),
            (
                "logwood count disk full --from now-1h",
                "logwood count 'disk full'",
            ),
        ] {
            let said = said(line);
            assert!(said.contains(tip), "{line}: {said}");
            assert_eq!(said.matches("tip:").count(), 1, "{line}: {said}");
        }
    }

    #[test]
    fn what_is_unknown_to_us_too_is_left_to_clap() {
        let said = said("logwood search x --limt 5");
        assert!(said.contains("'--limit'"), "{said}");
    }

    #[test]
    fn names_that_mean_the_same_are_taken() {
        for line in [
            "logwood search x --since now-1h --until now -n 5",
            "logwood tail -n 20 x",
            "logwood stats x --by host -n 5",
        ] {
            let parsed = Arguments::try_parse_from(line.split(' '));
            assert!(parsed.is_ok(), "{line}");
        }
    }

    #[test]
    fn no_hint_names_a_flag_that_is_there() {
        use clap::CommandFactory as _;
        let command = Arguments::command();
        let search = command.find_subcommand("search").expect("it is there");
        for (flags, _) in FLAGS {
            for flag in *flags {
                let is_ours = |argument: &clap::Arg| {
                    argument
                        .get_long()
                        .is_some_and(|long| *flag == format!("--{long}"))
                };
                assert!(!search.get_arguments().any(is_ours), "{flag}");
            }
        }
    }
}
