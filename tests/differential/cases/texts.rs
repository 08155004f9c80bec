//! Cases of texts: none, spaces, letters of all kinds, sentences without a header.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Texts",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "none",
        sent: "<34>Mmm  1 22:14:15 h su[12]:",
        differs: &[],
        why: "",
    },
    Case {
        name: "none, nor host nor program",
        sent: "<34>Mmm  1 22:14:15",
        differs: &[],
        why: "",
    },
    Case {
        name: "a second space in front",
        sent: "<34>Mmm  1 22:14:15 h su[12]:  text",
        differs: &[],
        why: "",
    },
    Case {
        name: "colons",
        sent: "<34>Mmm  1 22:14:15 h su: a: b[1]: c",
        differs: &[],
        why: "",
    },
    Case {
        name: "UTF-8",
        sent: "<34>Mmm  1 22:14:15 h su: \u{dc}n\u{ef}code \u{2713} \u{1f600}",
        differs: &[],
        why: "",
    },
    Case {
        name: "a tab",
        sent: "<34>Mmm  1 22:14:15 h su: a\tb",
        differs: &[(Part::Message, ["a\tb", "a\tb", "a#011b"])],
        why: "bytes stay what they are",
    },
    Case {
        name: "spaces at the end",
        sent: "<34>Mmm  1 22:14:15 h su: text  ",
        differs: &[],
        why: "",
    },
    Case {
        name: "a byte order mark in RFC 3164",
        sent: "<34>Mmm  1 22:14:15 h su: \u{feff}text",
        differs: &[(Part::Message, ["text", "\u{feff}text", "\u{feff}text"])],
        why: "a byte order mark is no text",
    },
    Case {
        name: "sentence without stamp",
        sent: "<38>User logged in from here",
        differs: &[
            (Part::Host, ["127.0.0.1", "127.0.0.1", "User"]),
            (Part::Program, ["", "User", "logged"]),
            (
                Part::Message,
                [
                    "User logged in from here",
                    "logged in from here",
                    "in from here",
                ],
            ),
        ],
        why: "nothing says that `User` is a host or program; tagged `syslog.missing_timestamp`",
    },
    Case {
        name: "TAG without stamp",
        sent: "<34>su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "`last message repeated`",
        sent: "<34>Mmm  1 22:14:15 last message repeated 3 times",
        differs: &[
            (Part::Host, ["127.0.0.1", "127.0.0.1", "last"]),
            (Part::Program, ["", "", "message"]),
            (
                Part::Message,
                [
                    "last message repeated 3 times",
                    "last message repeated 3 times",
                    "repeated 3 times",
                ],
            ),
        ],
        why: "neither host nor program stands there",
    },
    Case {
        name: "`last message repeated` behind a host",
        sent: "<34>Mmm  1 22:14:15 h last message repeated 3 times",
        differs: &[
            (Part::Program, ["", "last", "last"]),
            (
                Part::Message,
                [
                    "last message repeated 3 times",
                    "message repeated 3 times",
                    "message repeated 3 times",
                ],
            ),
        ],
        why: "no program stands there",
    },
];
