//! Cases that only a datagram can hold: line feeds, and bytes in front of the priority.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Datagrams",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "a carriage return at the end",
        sent: "<34>Mmm  1 22:14:15 h su: text\r",
        differs: &[(Part::Message, ["text", "text\r", "text#015"])],
        why: "it belongs to the end of the line",
    },
    Case {
        name: "a line feed at the end",
        sent: "<34>Mmm  1 22:14:15 h su[12]: text\n",
        differs: &[],
        why: "",
    },
    Case {
        name: "a NUL at the end",
        sent: "<34>Mmm  1 22:14:15 h su[12]: text\0",
        differs: &[],
        why: "",
    },
    Case {
        name: "line feed and NUL at the end",
        sent: "<34>Mmm  1 22:14:15 h su[12]: text\n\0",
        differs: &[],
        why: "",
    },
    Case {
        name: "a line feed within",
        sent: "<34>Mmm  1 22:14:15 h su[12]: one\ntwo",
        differs: &[(Part::Message, ["one\ntwo", "one\ntwo", "one#012two"])],
        why: "bytes stay what they are",
    },
    Case {
        name: "a line feed within RFC 5424",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID - one\ntwo",
        differs: &[(Part::Message, ["one\ntwo", "one\ntwo", "one#012two"])],
        why: "bytes stay what they are",
    },
    Case {
        name: "an octet count in front",
        sent: "35 <34>Mmm  1 22:14:15 h su[12]: text",
        differs: &[
            (Part::Facility, ["auth", "user", "user"]),
            (Part::Severity, ["crit", "notice", "notice"]),
            (Part::Time, ["YYYY-MM-01T22:14:15Z", "receipt", "receipt"]),
            (Part::Host, ["h", "127.0.0.1", "35"]),
            (Part::Program, ["su", "35", "<34>Mmm"]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                [
                    "text",
                    "<34>Mmm  1 22:14:15 h su[12]: text",
                    " 1 22:14:15 h su[12]: text",
                ],
            ),
        ],
        why: "a relay has put it there; tagged `syslog.unexpected_framing`",
    },
    Case {
        name: "a byte order mark in front",
        sent: "\u{feff}<34>Mmm  1 22:14:15 h su[12]: text",
        differs: &[
            (Part::Facility, ["auth", "user", "user"]),
            (Part::Severity, ["crit", "notice", "notice"]),
            (Part::Time, ["YYYY-MM-01T22:14:15Z", "receipt", "receipt"]),
            (Part::Host, ["h", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["su", "\u{feff}<34>Mmm", ""]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                [
                    "text",
                    " 1 22:14:15 h su[12]: text",
                    " 1 22:14:15 h su[12]: text",
                ],
            ),
        ],
        why: "a byte order mark is no text",
    },
    Case {
        name: "a space in front",
        sent: " <34>Mmm  1 22:14:15 h su[12]: text",
        differs: &[
            (Part::Facility, ["auth", "user", "user"]),
            (Part::Severity, ["crit", "notice", "notice"]),
            (Part::Time, ["YYYY-MM-01T22:14:15Z", "receipt", "receipt"]),
            (Part::Host, ["h", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["su", "<34>Mmm", ""]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                [
                    "text",
                    " 1 22:14:15 h su[12]: text",
                    "<34>Mmm  1 22:14:15 h su[12]: text",
                ],
            ),
        ],
        why: "Cisco ASA writes one behind a line feed",
    },
];
