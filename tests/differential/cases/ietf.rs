//! Cases of RFC 5424: the examples of its section 6.5, parts that are nil, and parts that are missing.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "RFC 5424",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "example 1 of section 6.5",
        sent: "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \u{feff}'su root' failed for lonvick on /dev/pts/8",
        differs: &[(
            Part::Message,
            [
                "'su root' failed for lonvick on /dev/pts/8",
                "'su root' failed for lonvick on /dev/pts/8",
                "\u{feff}'su root' failed for lonvick on /dev/pts/8",
            ],
        )],
        why: "the byte order mark says UTF-8 and is no text (section 6.4)",
    },
    Case {
        name: "example 2",
        sent: "<165>1 2003-08-24T05:14:15.000003-07:00 192.0.2.1 myproc 8710 - - %% It's time to make the do-nuts.",
        differs: &[],
        why: "",
    },
    Case {
        name: "example 3, with structured data and text",
        sent: "<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut=\"3\" eventSource=\"Application\" eventID=\"1011\"] \u{feff}An application event log entry...",
        differs: &[(
            Part::Message,
            [
                "An application event log entry...",
                "An application event log entry...",
                "\u{feff}An application event log entry...",
            ],
        )],
        why: "the byte order mark says UTF-8 and is no text (section 6.4)",
    },
    Case {
        name: "example 4, with structured data only",
        sent: r#"<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog - ID47 [exampleSDID@32473 iut="3" eventSource="Application" eventID="1011"][examplePriority@32473 class="high"]"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "nothing but hyphens",
        sent: "<34>1 - - - - - -",
        differs: &[(Part::Host, ["127.0.0.1", "127.0.0.1", ""])],
        why: "the address of the peer is better than none",
    },
    Case {
        name: "hyphens and a text",
        sent: "<34>1 - - - - - - text",
        differs: &[(Part::Host, ["127.0.0.1", "127.0.0.1", ""])],
        why: "the address of the peer is better than none",
    },
    Case {
        name: "a hyphen for the stamp",
        sent: "<34>1 - h su 12 ID - text",
        differs: &[],
        why: "",
    },
    Case {
        name: "an IPv6 address as host",
        sent: "<34>1 2026-11-21T19:12:18Z 2001:db8::a:1 su 12 ID - text",
        differs: &[],
        why: "",
    },
    Case {
        name: "a program with a slash",
        sent: "<34>1 2026-11-21T19:12:18Z h postfix/smtpd 12 ID - text",
        differs: &[],
        why: "",
    },
    Case {
        name: "a pid that is no number",
        sent: "<34>1 2026-11-21T19:12:18Z h su a.b:3 ID - text",
        differs: &[],
        why: "",
    },
    Case {
        name: "two spaces before the text",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID -  text",
        differs: &[(Part::Message, ["text", " text", " text"])],
        why: "rsyslog sends it so (`RSYSLOG_SyslogProtocol23Format`)",
    },
    Case {
        name: "spaces at the end of the text",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID - text  ",
        differs: &[],
        why: "",
    },
    Case {
        name: "a hyphen as text",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID - -",
        differs: &[],
        why: "",
    },
    Case {
        name: "brackets as text",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID - [a b="c"] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "version 2",
        sent: "<34>2 2026-11-21T19:12:18Z h su 12 ID - text",
        differs: &[
            (Part::Time, ["2026-11-21T19:12:18Z", "receipt", "receipt"]),
            (Part::Host, ["h", "127.0.0.1", "2"]),
            (Part::Program, ["su", "2", "2026-11-21T19"]),
            (
                Part::Message,
                [
                    "su 12 ID - text",
                    "2026-11-21T19:12:18Z h su 12 ID - text",
                    "12:18Z h su 12 ID - text",
                ],
            ),
        ],
        why: "the rest is a header of RFC 3164; tagged `syslog.rfc5424_unknown_version`",
    },
    Case {
        name: "no version (loggen reading a file)",
        sent: "<34> 2026-11-21T22:41:42 h su 12 - - text",
        differs: &[
            (
                Part::Time,
                ["2026-11-21T22:41:42Z", "2026-11-21T22:41:42Z", "receipt"],
            ),
            (Part::Host, ["h", "h", "127.0.0.1"]),
            (Part::Program, ["su", "su", ""]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                [
                    "text",
                    "12 - - text",
                    "2026-11-21T22:41:42 h su 12 - - text",
                ],
            ),
        ],
        why: "loggen sends it; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "a header of RFC 3164 behind the version",
        sent: "<34>1 Mmm  1 22:14:15 h su: text",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Time, ["YYYY-MM-01T22:14:15Z", "", "receipt"]),
            (Part::Host, ["h", "", "127.0.0.1"]),
            (Part::Program, ["su", "", ""]),
            (Part::Message, ["text", "", "Mmm  1 22:14:15 h su: text"]),
        ],
        why: "all parts stand there; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "no structured data",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID some text",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Program, ["", "", "su"]),
            (Part::Pid, ["", "", "12"]),
            (Part::Msgid, ["", "", "ID"]),
            (Part::Data, ["", "", "ID"]),
            (Part::Message, ["su 12 ID some text", "", "some text"]),
        ],
        why: "what cannot be program, pid, message id and structured data is text; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "cut behind the message id",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Program, ["", "", "su"]),
            (Part::Pid, ["", "", "12"]),
            (Part::Msgid, ["", "", "ID"]),
            (Part::Data, ["", "", "ID"]),
            (Part::Message, ["su 12 ID", "", ""]),
        ],
        why: "what cannot be program, pid, message id and structured data is text; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "cut behind the program",
        sent: "<34>1 2026-11-21T19:12:18Z h su",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Program, ["", "", "su"]),
            (Part::Message, ["su", "", ""]),
        ],
        why: "what cannot be program, pid, message id and structured data is text; tagged `syslog.rfc5424_missing_part`",
    },
];
