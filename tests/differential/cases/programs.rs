//! Cases of programs, and of words that stand in their place.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Programs",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "without pid",
        sent: "<34>Mmm  1 22:14:15 h su: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "without colon",
        sent: "<34>Mmm  1 22:14:15 h su text",
        differs: &[(Part::Message, ["su text", "text", "text"])],
        why: "a search for its first word finds it: the program stays in the text",
    },
    Case {
        name: "with pid, without colon",
        sent: "<34>Mmm  1 22:14:15 h su[12] text",
        differs: &[],
        why: "",
    },
    Case {
        name: "without a space behind",
        sent: "<34>Mmm  1 22:14:15 h su[12]:text",
        differs: &[],
        why: "",
    },
    Case {
        name: "with a slash",
        sent: "<34>Mmm  1 22:14:15 h postfix/smtpd[12]: text",
        differs: &[(Part::Program, ["postfix/smtpd", "postfix/smtpd", "postfix"])],
        why: "postfix is many programs; rsyslog has `parser.permitSlashInProgramName`",
    },
    Case {
        name: "with a path",
        sent: "<34>Mmm  1 22:14:15 h /usr/sbin/cron[12]: text",
        differs: &[(Part::Program, ["/usr/sbin/cron", "/usr/sbin/cron", ""])],
        why: "rsyslog has `parser.permitSlashInProgramName`",
    },
    Case {
        name: "in parentheses",
        sent: "<34>Mmm  1 22:14:15 h (systemd)[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "with colons of its own",
        sent: "<34>Mmm  1 22:14:15 h Foo::Bar[12]: text",
        differs: &[
            (Part::Program, ["Foo::Bar", "Foo", "Foo"]),
            (Part::Pid, ["12", "", ""]),
            (Part::Message, ["text", ":Bar[12]: text", ":Bar[12]: text"]),
        ],
        why: "modules of Perl and C++ are called so",
    },
    Case {
        name: "in UTF-8",
        sent: "<34>Mmm  1 22:14:15 h gr\u{fc}\u{df}e[12]: text",
        differs: &[(Part::Program, ["gr\u{fc}\u{df}e", "gr\u{fc}\u{df}e", "gr"])],
        why: "a name is a name in any language",
    },
    Case {
        name: "longer than 32 letters",
        sent: "<34>Mmm  1 22:14:15 h a-program-with-a-name-of-over-32-letters[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "the kernel",
        sent: "<34>Mmm  1 22:14:15 h kernel: [ 1.5] up",
        differs: &[],
        why: "",
    },
    Case {
        name: "a pid that is no number",
        sent: "<34>Mmm  1 22:14:15 h su[a.b:3]: text",
        differs: &[
            (Part::Pid, ["a.b:3", "a.b", ""]),
            (Part::Message, ["text", "3]: text", "3]: text"]),
        ],
        why: "the brackets say where it ends",
    },
    Case {
        name: "an empty pid",
        sent: "<34>Mmm  1 22:14:15 h su[]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "a URL in its place",
        sent: "<34>Mmm  1 22:14:15 h https://example.com/ is down",
        differs: &[
            (Part::Program, ["", "https", "https"]),
            (
                Part::Message,
                [
                    "https://example.com/ is down",
                    "//example.com/ is down",
                    "//example.com/ is down",
                ],
            ),
        ],
        why: "a URL is text",
    },
    Case {
        name: "a number in its place",
        sent: "<34>Mmm  1 22:14:15 h 404 not found",
        differs: &[
            (Part::Program, ["", "404", "404"]),
            (Part::Message, ["404 not found", "not found", "not found"]),
        ],
        why: "a number is text",
    },
    Case {
        name: "JSON in its place",
        sent: r#"<34>Mmm  1 22:14:15 h {"json":1}"#,
        differs: &[
            (Part::Program, ["", r#"{"json""#, r#"{"json""#]),
            (Part::Message, [r#"{"json":1}"#, "1}", "1}"]),
        ],
        why: "JSON stays whole",
    },
    Case {
        name: "JSON behind the stamp",
        sent: r#"<34>Mmm  1 22:14:15 {"json":1}"#,
        differs: &[
            (Part::Program, ["", r#"{"json""#, r#"{"json""#]),
            (Part::Message, [r#"{"json":1}"#, "1}", "1}"]),
        ],
        why: "JSON stays whole; tagged `syslog.invalid_hostname`",
    },
    Case {
        name: "JSON behind the priority",
        sent: r#"<34>{"json":1}"#,
        differs: &[
            (Part::Program, ["", r#"{"json""#, ""]),
            (Part::Message, [r#"{"json":1}"#, "1}", r#"{"json":1}"#]),
        ],
        why: "JSON stays whole",
    },
    Case {
        name: "a word of a sentence in its place",
        sent: "<13>Feb  5 2025 17:32:18 10.0.0.99 Use the BFG!",
        differs: &[(Part::Message, ["Use the BFG!", "the BFG!", "the BFG!"])],
        why: "a search for its first word finds it: the program stays in the text",
    },
];
