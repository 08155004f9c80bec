//! Cases of hosts, and of words that stand in their place.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Hosts",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "a name with domain",
        sent: "<34>Mmm  1 22:14:15 web-1.example.com su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "an IPv4 address",
        sent: "<34>Mmm  1 22:14:15 10.0.0.1 su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "the IPv6 address `::1`",
        sent: "<34>Mmm  1 22:14:15 ::1 su[12]: text",
        differs: &[
            (Part::Host, ["::1", "::1", "127.0.0.1"]),
            (Part::Program, ["su", "su", ""]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", ":1 su[12]: text"]),
        ],
        why: "an address is a host",
    },
    Case {
        name: "an IPv6 address",
        sent: "<34>Mmm  1 22:14:15 2001:db8::a:1 su[12]: text",
        differs: &[
            (Part::Host, ["2001:db8::a:1", "2001:db8::a:1", "127.0.0.1"]),
            (Part::Program, ["su", "su", "2001"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "db8::a:1 su[12]: text"]),
        ],
        why: "an address is a host",
    },
    Case {
        name: "an IPv6 address with zone",
        sent: "<34>Mmm  1 22:14:15 fe80::1%eth0 su[12]: text",
        differs: &[
            (Part::Host, ["fe80::1%eth0", "fe80::1%eth0", "127.0.0.1"]),
            (Part::Program, ["su", "su", "fe80"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", ":1%eth0 su[12]: text"]),
        ],
        why: "an address is a host",
    },
    Case {
        name: "a chain of hosts, as syslog-ng writes it",
        sent: "<34>Mmm  1 22:14:15 a/b su[12]: text",
        differs: &[
            (Part::Host, ["a/b", "a/b", "127.0.0.1"]),
            (Part::Program, ["su", "su", "a"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "su[12]: text"]),
        ],
        why: "syslog-ng sends it",
    },
    Case {
        name: "a host with its source, as syslog-ng writes it",
        sent: "<34>Mmm  1 22:14:15 src@relay su[12]: text",
        differs: &[
            (Part::Host, ["src@relay", "src@relay", "127.0.0.1"]),
            (Part::Program, ["su", "su", "src@relay"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "su[12]: text"]),
        ],
        why: "syslog-ng sends it",
    },
    Case {
        name: "none",
        sent: "<34>Mmm  1 22:14:15 su[12]: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "none and no pid",
        sent: "<34>Mmm  1 22:14:15 su: text",
        differs: &[],
        why: "",
    },
    Case {
        name: "a hyphen",
        sent: "<34>Mmm  1 22:14:15 - su[12]: text",
        differs: &[
            (Part::Host, ["127.0.0.1", "-", "127.0.0.1"]),
            (Part::Program, ["su", "su", ""]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "su[12]: text"]),
        ],
        why: "it stands for none, as in RFC 5424",
    },
    Case {
        name: "AIX, forwarded",
        sent: "<34>Mmm  1 22:14:15 Message forwarded from h: su[12]: text",
        differs: &[
            (Part::Host, ["h", "h", "Message"]),
            (Part::Program, ["su", "su", "forwarded"]),
            (Part::Pid, ["12", "12", ""]),
            (Part::Message, ["text", "text", "from h: su[12]: text"]),
        ],
        why: "the sentence names the host",
    },
    Case {
        name: "behind a host a colon of its own (Cisco ASA)",
        sent: "<34>Mmm  1 22:14:15 fw01 : %ASA-4-402119: text",
        differs: &[
            (Part::Program, ["%ASA-4-402119", "", ""]),
            (
                Part::Message,
                ["text", "%ASA-4-402119: text", "%ASA-4-402119: text"],
            ),
        ],
        why: "`%ASA-4-402119` says what it is",
    },
    Case {
        name: "an address with port",
        sent: "<34>Mmm  1 22:14:15 10.0.0.9:514 refused",
        differs: &[
            (Part::Program, ["", "10.0.0.9", "10.0.0.9"]),
            (
                Part::Message,
                ["10.0.0.9:514 refused", "514 refused", "514 refused"],
            ),
        ],
        why: "neither host nor program; tagged `syslog.invalid_hostname`",
    },
];
