//! Cases of time stamps: who writes which, and what is made of those that no RFC has.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Time stamps",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "as RFC 3164 has it",
        sent: "<34>Mmm  1 22:14:15 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "a day of one digit without the second space",
        sent: "<34>Mmm 1 22:14:15 h su[12]: text",
        differs: &[
            (
                Part::Time,
                ["YYYY-MM-01T22:14:15Z", "receipt", "YYYY-MM-01T22:14:15Z"],
            ),
            (Part::Host, ["h", "127.0.0.1", "h"]),
            (Part::Program, ["su", "Mmm", "su"]),
            (Part::Pid, ["12", "", "12"]),
            (Part::Message, ["text", "1 22:14:15 h su[12]: text", "text"]),
        ],
        why: "many devices write it so",
    },
    Case {
        name: "a day with a zero in front",
        sent: "<34>Mmm 01 22:14:15 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "a fraction in a stamp of RFC 3164",
        sent: "<34>Mmm  1 22:14:15.123 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "without zone, as loggen writes it",
        sent: "<34>2026-11-21T19:12:18 h su[12]: text",
        differs: &[
            (
                Part::Time,
                ["2026-11-21T19:12:18Z", "2026-11-21T19:12:18Z", "receipt"],
            ),
            (Part::Host, ["h", "h", "127.0.0.1"]),
            (Part::Program, ["su", "su", "2026-11-21T19"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "12:18 h su[12]: text"]),
        ],
        why: "the zone is that of the source",
    },
    Case {
        name: "with a zone, as rsyslog forwards it",
        sent: "<34>2026-11-21T19:12:18.019620+02:00 h su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "nine digits of a fraction",
        sent: "<34>2026-11-21T19:12:18.123456789+02:00 h su[12]: text",
        differs: &[(
            Part::Time,
            [
                "2026-11-21T17:12:18.123456789Z",
                "2026-11-21T17:12:18.123456Z",
                "(nonsense)",
            ],
        )],
        why: "no digit is lost",
    },
    Case {
        name: "nine digits of a fraction in RFC 5424",
        sent: "<34>1 2026-11-21T19:12:18.123456789+02:00 h su 12 ID - text",
        differs: &[(
            Part::Time,
            [
                "2026-11-21T17:12:18.123456789Z",
                "2026-11-21T17:12:18.123456Z",
                "(nonsense)",
            ],
        )],
        why: "RFC 5424 allows six, and no digit is lost",
    },
    Case {
        name: "a zone without colon",
        sent: "<34>2026-11-21T19:12:18+0200 h su[12]: text",
        differs: &[
            (
                Part::Time,
                ["2026-11-21T17:12:18Z", "2026-11-21T19:12:18Z", "receipt"],
            ),
            (Part::Host, ["h", "+0200", "127.0.0.1"]),
            (Part::Program, ["su", "h", "2026-11-21T19"]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                ["text", "su[12]: text", "12:18+0200 h su[12]: text"],
            ),
        ],
        why: "ISO 8601 has both",
    },
    Case {
        name: "a zone of hours only",
        sent: "<34>2026-11-21T19:12:18+02 h su[12]: text",
        differs: &[
            (
                Part::Time,
                ["2026-11-21T17:12:18Z", "2026-11-21T19:12:18Z", "receipt"],
            ),
            (Part::Host, ["h", "+02", "127.0.0.1"]),
            (Part::Program, ["su", "h", "2026-11-21T19"]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                ["text", "su[12]: text", "12:18+02 h su[12]: text"],
            ),
        ],
        why: "ISO 8601 and PostgreSQL have it",
    },
    Case {
        name: "a space for the T",
        sent: "<34>2026-11-21 19:12:18 h su[12]: text",
        differs: &[
            (
                Part::Time,
                ["2026-11-21T19:12:18Z", "2026-11-21T19:12:18Z", "receipt"],
            ),
            (Part::Host, ["h", "h", "2026-11-21"]),
            (Part::Program, ["su", "su", "19"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "12:18 h su[12]: text"]),
        ],
        why: "many programs write it so",
    },
    Case {
        name: "a space for the T and a comma before the fraction",
        sent: "<34>2026-11-21 19:12:18,123Z h su[12]: text",
        differs: &[
            (
                Part::Time,
                [
                    "2026-11-21T19:12:18.123Z",
                    "2026-11-21T19:12:18.123Z",
                    "receipt",
                ],
            ),
            (Part::Host, ["h", "h", "2026-11-21"]),
            (Part::Program, ["su", "su", "19"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "12:18,123Z h su[12]: text"]),
        ],
        why: "log4j writes it so",
    },
    Case {
        name: "the year behind the day (Cisco ASA)",
        sent: "<34>Jan 31 2025 17:24:03: %ASA-4-402119: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "the year behind the time (LinkSys)",
        sent: "<34>Mmm  1 12:00:00 2024 h su[12]: text",
        differs: &[
            (
                Part::Time,
                [
                    "2024-MM-01T12:00:00Z",
                    "2024-MM-01T12:00:00Z",
                    "YYYY-MM-01T12:00:00Z",
                ],
            ),
            (Part::Host, ["h", "h", "2024"]),
            (Part::Program, ["su", "su", "h"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "su[12]: text"]),
        ],
        why: "the year stands there",
    },
    Case {
        name: "the year in front (Brocade)",
        sent: "<34>2024 Mmm 12 12:00:00 h su[12]: text",
        differs: &[
            (
                Part::Time,
                ["2024-MM-12T12:00:00Z", "receipt", "2024-MM-12T12:00:00Z"],
            ),
            (Part::Host, ["h", "127.0.0.1", "h"]),
            (Part::Program, ["su", "2024", "su"]),
            (Part::Pid, ["12", "", "12"]),
            (
                Part::Message,
                ["text", "Mmm 12 12:00:00 h su[12]: text", "text"],
            ),
        ],
        why: "the year stands there",
    },
    Case {
        name: "the year behind the day, and nothing else",
        sent: "<34>Jan 31 2025 17:24:03",
        differs: &[
            (
                Part::Time,
                ["2025-01-31T17:24:03Z", "receipt", "2025-01-31T17:24:03Z"],
            ),
            (Part::Program, ["", "Jan", ""]),
            (Part::Message, ["", "31 2025 17:24:03", ""]),
        ],
        why: "the year stands there",
    },
    Case {
        name: "the year in front, and nothing else",
        sent: "<34>2024 Feb 12 12:00:00",
        differs: &[
            (Part::Time, ["2024-02-12T12:00:00Z", "receipt", "receipt"]),
            (Part::Host, ["127.0.0.1", "127.0.0.1", "2024"]),
            (Part::Program, ["", "2024", "Feb"]),
            (Part::Message, ["", "Feb 12 12:00:00", "12 12:00:00"]),
        ],
        why: "the year stands there",
    },
    Case {
        name: "a zone behind the time",
        sent: "<34>Mmm  1 22:14:15 CEST h su[12]: text",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T20:14:15Z",
                    "YYYY-MM-01T22:14:15Z",
                    "YYYY-MM-01T22:14:15Z",
                ],
            ),
            (Part::Host, ["h", "CEST", "CEST"]),
            (Part::Program, ["su", "h", "h"]),
            (Part::Pid, ["12", "", ""]),
            (Part::Message, ["text", "su[12]: text", "su[12]: text"]),
        ],
        why: "the zone stands there; one that is not known is the host",
    },
    Case {
        name: "a zone before a Cisco message",
        sent: "<34>Mmm  1 18:46:11 UTC: %SYS-5-CONFIG_I: text",
        differs: &[
            (Part::Program, ["%SYS-5-CONFIG_I", "UTC", "UTC"]),
            (
                Part::Message,
                ["text", "%SYS-5-CONFIG_I: text", "%SYS-5-CONFIG_I: text"],
            ),
        ],
        why: "the zone stands there",
    },
    Case {
        name: "zone and year behind the time (RFC 3164, section 5.4, example 3)",
        sent: "<165>Aug 24 05:34:00 CST 1987 mymachine myproc[10]: %% It's time to make the do-nuts.  %%",
        differs: &[
            (
                Part::Time,
                [
                    "1987-08-24T11:34:00Z",
                    "YYYY-08-24T05:34:00Z",
                    "YYYY-08-24T05:34:00Z",
                ],
            ),
            (Part::Host, ["mymachine", "CST", "CST"]),
            (Part::Program, ["myproc", "1987", "1987"]),
            (Part::Pid, ["10", "", ""]),
            (
                Part::Message,
                [
                    "%% It's time to make the do-nuts.  %%",
                    "mymachine myproc[10]: %% It's time to make the do-nuts.  %%",
                    "mymachine myproc[10]: %% It's time to make the do-nuts.  %%",
                ],
            ),
        ],
        why: "this is how `date` writes it",
    },
    Case {
        name: "year in front and a zone (RFC 3164, section 5.4, example 4)",
        sent: "<0>1990 Oct 22 10:52:01 TZ-6 scapegoat.dmz.example.org 10.1.2.3 sched[0]: That's All Folks!",
        differs: &[
            (
                Part::Time,
                ["1990-10-22T10:52:01Z", "receipt", "1990-10-22T10:52:01Z"],
            ),
            (Part::Host, ["TZ-6", "127.0.0.1", "TZ-6"]),
            (
                Part::Program,
                [
                    "scapegoat.dmz.example.org",
                    "1990",
                    "scapegoat.dmz.example.org",
                ],
            ),
            (
                Part::Message,
                [
                    "scapegoat.dmz.example.org 10.1.2.3 sched[0]: That's All Folks!",
                    "Oct 22 10:52:01 TZ-6 scapegoat.dmz.example.org 10.1.2.3 sched[0]: That's All Folks!",
                    "10.1.2.3 sched[0]: That's All Folks!",
                ],
            ),
        ],
        why: "the year stands there; `TZ-6` is no zone that is known",
    },
    Case {
        name: "a sequence number and an unsynchronised clock (Cisco IOS)",
        sent: "<34>29: *Mmm  1 18:46:11.123: %SYS-5-CONFIG_I: text",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T18:46:11.123Z",
                    "YYYY-MM-01T18:46:11.123Z",
                    "receipt",
                ],
            ),
            (Part::Program, ["%SYS-5-CONFIG_I", "%SYS-5-CONFIG_I", "29"]),
            (
                Part::Data,
                [
                    "meta.sequenceId=29 timeQuality.isSynced=0",
                    "meta.sequenceId=29 timeQuality.isSynced=0",
                    "",
                ],
            ),
            (
                Part::Message,
                [
                    "text",
                    "text",
                    "*Mmm  1 18:46:11.123: %SYS-5-CONFIG_I: text",
                ],
            ),
        ],
        why: "both are kept as fields",
    },
    Case {
        name: "a synchronised clock (Cisco IOS)",
        sent: "<34>.Mmm  1 18:46:11.123: %SYS-5-CONFIG_I: text",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T18:46:11.123Z",
                    "YYYY-MM-01T18:46:11.123Z",
                    "receipt",
                ],
            ),
            (Part::Host, ["127.0.0.1", "127.0.0.1", ".Mmm"]),
            (Part::Program, ["%SYS-5-CONFIG_I", "%SYS-5-CONFIG_I", ""]),
            (
                Part::Data,
                ["timeQuality.isSynced=1", "timeQuality.isSynced=1", ""],
            ),
            (
                Part::Message,
                ["text", "text", "1 18:46:11.123: %SYS-5-CONFIG_I: text"],
            ),
        ],
        why: "it is kept as a field",
    },
    Case {
        name: "a date that does not exist",
        sent: "<34>Feb 30 2025 22:14:15 h su[12]: text",
        differs: &[(
            Part::Time,
            [
                "receipt",
                "2025-03-02T22:14:15Z",
                "2025-02-30T22:14:15+00:00",
            ],
        )],
        why: "a time that nobody meant is worse than none; tagged `syslog.invalid_timestamp`",
    },
    Case {
        name: "a date that does not exist in RFC 5424",
        sent: "<34>1 2026-02-30T19:12:18Z h su 12 ID - text",
        differs: &[(
            Part::Time,
            ["receipt", "2026-03-02T19:12:18Z", "2026-02-30T19:12:18Z"],
        )],
        why: "a time that nobody meant is worse than none; tagged `syslog.invalid_timestamp`",
    },
    Case {
        name: "a leap second",
        sent: "<34>1 2026-11-21T19:12:60Z h su 12 ID - text",
        differs: &[(
            Part::Time,
            [
                "2026-11-21T19:12:59Z",
                "2026-11-21T19:13:00Z",
                "2026-11-21T19:12:59Z",
            ],
        )],
        why: "UNIX time has none, and the second before is of the same day; RFC 5424 forbids it",
    },
    Case {
        name: "small letters in a stamp of RFC 5424",
        sent: "<34>1 2026-11-21t19:12:18z h su 12 ID - text",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Time, ["2026-11-21T19:12:18Z", "", "receipt"]),
            (Part::Host, ["h", "", "127.0.0.1"]),
            (Part::Program, ["su", "", ""]),
            (Part::Pid, ["12", "", ""]),
            (Part::Msgid, ["ID", "", ""]),
            (
                Part::Message,
                ["text", "", "2026-11-21t19:12:18z h su 12 ID - text"],
            ),
        ],
        why: "RFC 5424 forbids them, and nothing else can be meant",
    },
    Case {
        name: "no zone in RFC 5424",
        sent: "<34>1 2026-11-21T19:12:18 h su 12 ID - text",
        differs: &[
            (
                Part::Time,
                ["2026-11-21T19:12:18Z", "2026-11-21T19:12:18Z", "receipt"],
            ),
            (Part::Host, ["h", "h", "127.0.0.1"]),
            (Part::Program, ["su", "su", ""]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Msgid, ["ID", "ID", ""]),
            (
                Part::Message,
                ["text", "text", "2026-11-21T19:12:18 h su 12 ID - text"],
            ),
        ],
        why: "the zone is that of the source",
    },
];
