//! Cases of priorities, valid, missing and broken.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Priorities",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "none",
        sent: "Mmm  1 22:14:15 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "the smallest",
        sent: "<0>Mmm  1 22:14:15 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "the largest",
        sent: "<191>Mmm  1 22:14:15 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "one too large",
        sent: "<192>Mmm  1 22:14:15 h su[12]: text",
        differs: &[
            (Part::Facility, ["user", "24", "invld"]),
            (Part::Severity, ["notice", "emerg", "debug"]),
            (
                Part::Time,
                ["YYYY-MM-01T22:14:15Z", "YYYY-MM-01T22:14:15Z", "receipt"],
            ),
            (Part::Host, ["h", "h", "127.0.0.1"]),
            (Part::Program, ["su", "su", ""]),
            (Part::Pid, ["12", "12", ""]),
            (
                Part::Message,
                ["text", "text", "<192>Mmm  1 22:14:15 h su[12]: text"],
            ),
        ],
        why: "no such facility exists; tagged `syslog.invalid_pri`",
    },
    Case {
        name: "three digits, too large",
        sent: "<999>Mmm  1 22:14:15 h su[12]: text",
        differs: &[
            (Part::Facility, ["user", "124", "invld"]),
            (Part::Severity, ["notice", "debug", "debug"]),
            (
                Part::Time,
                ["YYYY-MM-01T22:14:15Z", "YYYY-MM-01T22:14:15Z", "receipt"],
            ),
            (Part::Host, ["h", "h", "127.0.0.1"]),
            (Part::Program, ["su", "su", ""]),
            (Part::Pid, ["12", "12", ""]),
            (
                Part::Message,
                ["text", "text", "<999>Mmm  1 22:14:15 h su[12]: text"],
            ),
        ],
        why: "no such facility exists; tagged `syslog.invalid_pri`",
    },
    Case {
        name: "zeros in front",
        sent: "<034>Mmm  1 22:14:15 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "no number",
        sent: "<>Mmm  1 22:14:15 h su[12]: text",
        differs: &[
            (Part::Facility, ["user", "kern", "kern"]),
            (Part::Severity, ["notice", "emerg", "emerg"]),
        ],
        why: "RFC 3164 has `user.notice` for it; tagged `syslog.invalid_pri`",
    },
    Case {
        name: "without an end",
        sent: "<34",
        differs: &[
            (Part::Facility, ["user", "auth", "invld"]),
            (Part::Severity, ["notice", "crit", "debug"]),
            (Part::Message, ["<34", "", "<34"]),
        ],
        why: "no byte is lost; tagged `syslog.invalid_pri`",
    },
    Case {
        name: "alone",
        sent: "<34>",
        differs: &[],
        why: "",
    },
    Case {
        name: "another bracket",
        sent: "<html> is text",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Facility, ["user", "", "invld"]),
            (Part::Severity, ["notice", "", "debug"]),
        ],
        why: "no byte is lost",
    },
];
