//! Lines of log files, which have no priority: a word that parsing gives a place is none of the text.

use super::*;
use proptest::prelude::*;

const TEN: &str = "2026-11-21T10:00:00Z";

/// Stamps of the same instant, and whether a syslogd writes such into its files.
const STAMPS: &[(&str, bool)] = &[
    ("Nov 21 10:00:00", true),
    ("2026-11-21T10:00:00Z", true),
    ("2026-11-21T10:00:00.000000+00:00", true),
    ("2026-11-21T10:00:00.000000000Z", false),
    ("2026-11-21 10:00:00,000", false),
    ("2026-11-21 10:00:00", false),
    ("2026-11-21T10:00:00", false),
];

/// Texts of which no word is a host, a program or a pid.
const TEXTS: &[&str] = &[
    "stdout F some line",
    "stderr P sshd[1]: x",
    "INFO [main] org.apache.hadoop.X: Created",
    "FATAL org.apache.X: gone",
    "warning: disk full",
    "ERROR failed to connect",
    "1234 Connect root@localhost",
    "0 [Note] ready",
    "[main] INFO x - y",
    "the disk is full",
    "word",
    r#"{"level":"info","msg":"x"}"#,
];

#[test]
fn what_may_be_text_stays_in_the_message() {
    for (stamp, is_syslogd) in STAMPS {
        for text in TEXTS {
            let line = format!("{stamp} {text}");
            let [time, host, program, pid, message] = names(&line);
            assert_eq!(time, instant(TEN).to_string(), "{line}");
            assert_eq!([&*program, &*pid, &*message], ["", "", text], "{line}");
            let first = text.split(' ').next().unwrap_or_default();
            // The host of a line of syslogd's without a TAG stands in the message too.
            assert!(
                host == PEER || stamp.starts_with("Nov") && host == first,
                "{line}: {host}"
            );
        }
        let line = |rest: &str, names: [&str; 4]| {
            let [host, program, pid, message] = names;
            check_names(
                &format!("{stamp} {rest}"),
                [TEN, host, program, pid, message],
            );
        };
        // A pid makes a TAG behind any stamp.
        line("web1 sshd[12]: x", ["web1", "sshd", "12", "x"]);
        line("sshd[12]: x", [PEER, "sshd", "12", "x"]);
        line(
            "web1 last message repeated 2 times",
            ["web1", "", "", "last message repeated 2 times"],
        );
        let level = "warning hostd[2100102] [Originator@6876 sub=X] Set";
        line(level, [PEER, "hostd", "2100102", level]);
        match is_syslogd {
            true => line("web1 kernel: x", ["web1", "kernel", "", "x"]),
            false => line("web1 kernel: x", [PEER, "", "", "web1 kernel: x"]),
        }
        if !stamp.starts_with("Nov") {
            line("Starting server: x", [PEER, "", "", "Starting server: x"]);
            line("app: x", [PEER, "", "", "app: x"]);
            let tags = tags(&format!("{stamp} the disk is full"));
            assert_eq!(tags, MissingPri.bit() | Rfc3164MissingHeader.bit());
            let decisions = decisions(&format!("{stamp} the disk is full"));
            assert_eq!(decisions, [Decision::NoTagNoHost]);
        }
    }
    let decided = decisions("Nov 21 10:00:00 web1 -- MARK --");
    assert_eq!(decided, [Decision::HostInMessage]);
    check_names(
        "Nov 21 10:00:00 web1 -- MARK --",
        [TEN, "web1", "", "", "web1 -- MARK --"],
    );
}

#[test]
fn with_a_priority_a_place_is_enough_and_the_program_stays_in_the_message() {
    for (stamp, _) in STAMPS {
        let line = format!("<34>{stamp} web1 connection reset by peer");
        let message = "connection reset by peer";
        check_names(&line, [TEN, "web1", "connection", "", message]);
        assert_eq!(decisions(&line), [Decision::ProgramInMessage]);
    }
}

/// Words of every kind, for lines.
const WORDS: &[&str] = &[
    "web1",
    "INFO",
    "warning",
    "daemon.info",
    "stdout",
    "F",
    "1234",
    "the",
    "Error:",
    "connection",
    "[main]",
    "org.apache.X:",
    "a=b",
    "-",
    "CEF:0|a|b|c|d|e|1|x=y",
    "10.0.0.1",
    "last",
    "{\"a\":1}",
    "2026-11-21",
    "10:00:00,123",
    "Nov",
    "21",
    "PM",
    "utc",
];

/// What may stand in front of them.
const FRONTS: &[&str] = &[
    "",
    "Nov 21 10:00:00 ",
    "Nov 21 2026 10:00:00 ",
    "2026-11-21T10:00:00Z ",
    "2026-11-21T10:00:00.123456+01:00 ",
    "2026-11-21 10:00:00,123 ",
    "2026-11-21T10:00:00.123456789Z ",
    "1650972789.5 ",
];

proptest! {
    /// Without a priority and a TAG with a pid or Cisco's, a word is where a bare term finds it: in the
    /// message, or in a host or program that a colon behind it tells.
    #[test]
    fn no_word_of_a_line_without_priority_is_lost(
        front in prop::sample::select(FRONTS),
        words in prop::collection::vec(prop::sample::select(WORDS), 1..7),
    ) {
        let text = words.join(" ");
        let line = format!("{front}{text}");
        let raw = line.as_bytes();
        let parts = parse(raw);
        let message = String::from_utf8_lossy(parts.message.of(raw)).into_owned();
        let data = String::from_utf8_lossy(parts.structured_data.of(raw)).into_owned();
        let stamp = {
            let mut parser = Parser::new(ParseOptions::default());
            let mut again = RecordParts::default();
            parser.parse(raw, &context(), &mut again);
            parser.layout().stamp.map(|stamp| stamp.span.of(raw).to_vec()).unwrap_or_default()
        };
        let stamp = String::from_utf8_lossy(&stamp).into_owned();
        let host = text_of_raw(parts.host, raw);
        let program = text_of_raw(parts.program, raw);
        // What stands behind the header that was taken has to be a TAG or an event.
        let is_told = !program.is_empty() || message.starts_with("CEF:");
        for word in line.split(' ').filter(|word| !word.is_empty() && *word != "-") {
            let is_place = is_told && (word == host || word.trim_end_matches(':') == program);
            let is_found = message.contains(word) || data.contains(word) || stamp.contains(word);
            prop_assert!(is_found || is_place, "{word:?} of {line:?}: {message:?}");
        }
    }
}

/// A part where it stands in the message.
fn text_of_raw(span: Span, raw: &[u8]) -> String {
    String::from_utf8_lossy(span.of(raw)).into_owned()
}
