//! Cases of devices, relays and log files: headers that no RFC has.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Devices, relays and files",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "CEF behind the host",
        sent: "<14>Mmm 01 10:00:00 fw1 CEF:0|V|P|1|2|name here|5|src=192.0.2.1",
        differs: &[
            (Part::Program, ["", "CEF", "CEF"]),
            (
                Part::Message,
                [
                    "CEF:0|V|P|1|2|name here|5|src=192.0.2.1",
                    "0|V|P|1|2|name here|5|src=192.0.2.1",
                    "0|V|P|1|2|name here|5|src=192.0.2.1",
                ],
            ),
        ],
        why: "an event is no TAG",
    },
    Case {
        name: "CEF with a blank",
        sent: "<14>Mmm 01 10:00:00 fw1 CEF: 0|V|P|1|2|name here|5|src=192.0.2.1",
        differs: &[
            (Part::Program, ["", "CEF", "CEF"]),
            (
                Part::Message,
                [
                    "CEF: 0|V|P|1|2|name here|5|src=192.0.2.1",
                    "0|V|P|1|2|name here|5|src=192.0.2.1",
                    "0|V|P|1|2|name here|5|src=192.0.2.1",
                ],
            ),
        ],
        why: "an event is no TAG",
    },
    Case {
        name: "LEEF behind the host",
        sent: "<14>Mmm 01 10:00:00 fw1 LEEF:1.0|V|P|1|2|src=192.0.2.1",
        differs: &[
            (Part::Program, ["", "LEEF", "LEEF"]),
            (
                Part::Message,
                [
                    "LEEF:1.0|V|P|1|2|src=192.0.2.1",
                    "1.0|V|P|1|2|src=192.0.2.1",
                    "1.0|V|P|1|2|src=192.0.2.1",
                ],
            ),
        ],
        why: "an event is no TAG",
    },
    Case {
        name: "CEF in RFC 5424 without its other fields",
        sent: "<14>1 2026-11-21T10:00:00Z h CEF:0|V|P|1|2|worm stopped here|5|src=192.0.2.1",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Program, ["", "", "CEF:0|V|P|1|2|worm"]),
            (Part::Pid, ["", "", "stopped"]),
            (Part::Msgid, ["", "", "here|5|src=192.0.2.1"]),
            (Part::Data, ["", "", "here|5|src=192.0.2.1"]),
            (
                Part::Message,
                ["CEF:0|V|P|1|2|worm stopped here|5|src=192.0.2.1", "", ""],
            ),
        ],
        why: "what cannot be its fields is text; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "a TAG in RFC 5424",
        sent: "<14>1 2026-11-21T10:00:00Z h su[12]: text",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Program, ["su", "", "su[12]:"]),
            (Part::Pid, ["12", "", "text"]),
            (Part::Message, ["text", "", ""]),
        ],
        why: "a TAG is one behind any stamp; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "seconds since 1970 behind a version (Meraki)",
        sent: "<134>1 1650972789.426960608 mx1 urls src=10.10.10.1:53347",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (
                Part::Time,
                ["2022-04-26T11:33:09.426960608Z", "", "receipt"],
            ),
            (Part::Host, ["mx1", "", "127.0.0.1"]),
            (Part::Program, ["urls", "", ""]),
            (
                Part::Message,
                [
                    "urls src=10.10.10.1:53347",
                    "",
                    "1650972789.426960608 mx1 urls src=10.10.10.1:53347",
                ],
            ),
        ],
        why: "no digit is lost; the word behind the host is the program and stays in the text",
    },
    Case {
        name: "seconds since 1970 (Meraki)",
        sent: "<134> 1795889305.041293000 mx1 events type=vpn",
        differs: &[
            (
                Part::Time,
                ["2026-11-28T18:08:25.041293Z", "receipt", "receipt"],
            ),
            (Part::Host, ["mx1", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["events", "1795889305.041293000", ""]),
            (
                Part::Message,
                [
                    "events type=vpn",
                    "mx1 events type=vpn",
                    "1795889305.041293000 mx1 events type=vpn",
                ],
            ),
        ],
        why: "no digit is lost; the word behind the host is the program and stays in the text",
    },
    Case {
        name: "milliseconds since 1970",
        sent: "<134>1650972789426 mx1 su[12]: text",
        differs: &[
            (
                Part::Time,
                ["2022-04-26T11:33:09.426Z", "receipt", "receipt"],
            ),
            (Part::Host, ["mx1", "127.0.0.1", "1650972789426"]),
            (Part::Program, ["su", "1650972789426", "mx1"]),
            (Part::Pid, ["12", "", ""]),
            (Part::Message, ["text", "mx1 su[12]: text", "su[12]: text"]),
        ],
        why: "the number of digits tells the unit",
    },
    Case {
        name: "the host in front of the stamp (Cisco NX-OS)",
        sent: "<187>sw1: Mmm 01 10:00:00.123: %SYSMGR-3-X: t",
        differs: &[
            (
                Part::Time,
                ["YYYY-MM-01T10:00:00.123Z", "receipt", "receipt"],
            ),
            (Part::Host, ["sw1", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["%SYSMGR-3-X", "sw1", "sw1"]),
            (
                Part::Message,
                [
                    "t",
                    "Mmm 01 10:00:00.123: %SYSMGR-3-X: t",
                    "Mmm 01 10:00:00.123: %SYSMGR-3-X: t",
                ],
            ),
        ],
        why: "the origin is the host",
    },
    Case {
        name: "the node in front of the stamp (Cisco IOS XR)",
        sent: "<189>RP/0/RSP0/CPU0:Mmm 01 10:00:00: ssh[1]: %SEC-6-X : t",
        differs: &[
            (Part::Time, ["YYYY-MM-01T10:00:00Z", "receipt", "receipt"]),
            (Part::Program, ["ssh", "RP/0/RSP0/CPU0", "RP"]),
            (Part::Pid, ["1", "", ""]),
            (Part::Data, ["node=RP/0/RSP0/CPU0", "", ""]),
            (
                Part::Message,
                [
                    "%SEC-6-X : t",
                    "Mmm 01 10:00:00: ssh[1]: %SEC-6-X : t",
                    "Mmm 01 10:00:00: ssh[1]: %SEC-6-X : t",
                ],
            ),
        ],
        why: "the node is a field",
    },
    Case {
        name: "a task in front of the stamp (Cisco wireless controllers)",
        sent: "<189>wlc1: *apfTask: Mmm 01 10:00:00.123: %APF-3-X: t",
        differs: &[
            (
                Part::Time,
                ["YYYY-MM-01T10:00:00.123Z", "receipt", "receipt"],
            ),
            (Part::Host, ["wlc1", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["%APF-3-X", "wlc1", "wlc1"]),
            (Part::Data, ["task=apfTask", "", ""]),
            (
                Part::Message,
                [
                    "t",
                    "*apfTask: Mmm 01 10:00:00.123: %APF-3-X: t",
                    "*apfTask: Mmm 01 10:00:00.123: %APF-3-X: t",
                ],
            ),
        ],
        why: "the task is a field",
    },
    Case {
        name: "a colon in front of the stamp (Cisco ASA)",
        sent: "<166>:Mmm 01 10:00:00 UTC: %ASA-6-302015: t",
        differs: &[
            (Part::Time, ["YYYY-MM-01T10:00:00Z", "receipt", "receipt"]),
            (Part::Program, ["%ASA-6-302015", "", ""]),
            (
                Part::Message,
                [
                    "t",
                    "Mmm 01 10:00:00 UTC: %ASA-6-302015: t",
                    "Mmm 01 10:00:00 UTC: %ASA-6-302015: t",
                ],
            ),
        ],
        why: "`%ASA-6-302015` says what it is",
    },
    Case {
        name: "an uptime for the stamp (Cisco IOS)",
        sent: "<45>9121: WASR-02: 008944: 13w1d: %HSRP-5-X: t",
        differs: &[
            (Part::Host, ["WASR-02", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["%HSRP-5-X", "WASR-02", "9121"]),
            (
                Part::Data,
                [
                    "meta.sequenceId=9121 uptime=13w1d",
                    "meta.sequenceId=9121",
                    "",
                ],
            ),
            (
                Part::Message,
                [
                    "t",
                    "008944: 13w1d: %HSRP-5-X: t",
                    "WASR-02: 008944: 13w1d: %HSRP-5-X: t",
                ],
            ),
        ],
        why: "host and program are known; the uptime is a field",
    },
    Case {
        name: "a zone and a blank in front of the colon (CUCM)",
        sent: "<189>17: Mmm 01 10:00:00.072 UTC : %UC_AUDITLOG-5-X: t",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T10:00:00.072Z",
                    "YYYY-MM-01T10:00:00.072Z",
                    "receipt",
                ],
            ),
            (Part::Host, ["127.0.0.1", "UTC", "127.0.0.1"]),
            (Part::Program, ["%UC_AUDITLOG-5-X", "", "17"]),
            (Part::Data, ["meta.sequenceId=17", "meta.sequenceId=17", ""]),
            (
                Part::Message,
                [
                    "t",
                    "%UC_AUDITLOG-5-X: t",
                    "Mmm 01 10:00:00.072 UTC : %UC_AUDITLOG-5-X: t",
                ],
            ),
        ],
        why: "`%UC_AUDITLOG-5-X` says what it is",
    },
    Case {
        name: "twelve hours (CUCM)",
        sent: "<189>8103: Mmm 01 2026 06:08:25 PM.071 UTC : %UC_AUDITLOG-5-X: t",
        differs: &[
            (
                Part::Time,
                [
                    "2026-MM-01T18:08:25.071Z",
                    "2026-MM-01T06:08:25Z",
                    "receipt",
                ],
            ),
            (Part::Host, ["127.0.0.1", "PM.071", "127.0.0.1"]),
            (Part::Program, ["%UC_AUDITLOG-5-X", "UTC", "8103"]),
            (
                Part::Data,
                ["meta.sequenceId=8103", "meta.sequenceId=8103", ""],
            ),
            (
                Part::Message,
                [
                    "t",
                    ": %UC_AUDITLOG-5-X: t",
                    "Mmm 01 2026 06:08:25 PM.071 UTC : %UC_AUDITLOG-5-X: t",
                ],
            ),
        ],
        why: "PM is said",
    },
    Case {
        name: "twelve hours",
        sent: "<14>Mmm 01 09:05:07 PM h a: x",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T21:05:07Z",
                    "YYYY-MM-01T09:05:07Z",
                    "YYYY-MM-01T09:05:07Z",
                ],
            ),
            (Part::Host, ["h", "PM", "PM"]),
            (Part::Program, ["a", "h", "h"]),
            (Part::Message, ["x", "a: x", "a: x"]),
        ],
        why: "PM is said",
    },
    Case {
        name: "an offset behind the zone",
        sent: "<14>Mmm 01 09:05:07 GMT+01:00 h a: x",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T08:05:07Z",
                    "YYYY-MM-01T09:05:07Z",
                    "YYYY-MM-01T09:05:07Z",
                ],
            ),
            (Part::Host, ["h", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["a", "GMT+01", "GMT+01"]),
            (Part::Message, ["x", "00 h a: x", "00 h a: x"]),
        ],
        why: "the offset is said",
    },
    Case {
        name: "a zone in small letters",
        sent: "<14>Mmm 01 09:05:07 cet h a: x",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T08:05:07Z",
                    "YYYY-MM-01T09:05:07Z",
                    "YYYY-MM-01T09:05:07Z",
                ],
            ),
            (Part::Host, ["h", "cet", "cet"]),
            (Part::Program, ["a", "h", "h"]),
            (Part::Message, ["x", "a: x", "a: x"]),
        ],
        why: "nothing else can be meant where a host follows",
    },
    Case {
        name: "a date with slashes (NetScaler)",
        sent: "<12> 11/21/2026:18:24:33 GMT h su[12]: text",
        differs: &[
            (Part::Time, ["2026-11-21T18:24:33Z", "receipt", "receipt"]),
            (Part::Host, ["h", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["su", "11/21/2026", ""]),
            (Part::Pid, ["12", "", ""]),
            (
                Part::Message,
                [
                    "text",
                    "18:24:33 GMT h su[12]: text",
                    "11/21/2026:18:24:33 GMT h su[12]: text",
                ],
            ),
        ],
        why: "NetScaler writes it so",
    },
    Case {
        name: "no seconds",
        sent: "<14>2026-11-21T18:24Z h app: t",
        differs: &[
            (Part::Time, ["2026-11-21T18:24:00Z", "receipt", "receipt"]),
            (Part::Host, ["h", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["app", "2026-11-21T18", "2026-11-21T18"]),
            (Part::Message, ["t", "24Z h app: t", "24Z h app: t"]),
        ],
        why: "ISO 8601 has it",
    },
    Case {
        name: "a dot behind the time",
        sent: "<7>Mmm 01 02:00:00. h p[1]: x",
        differs: &[],
        why: "",
    },
    Case {
        name: "a header behind that of a relay",
        sent: "<38>2026-11-21T10:00:01Z relay 2026-11-21T10:00:00Z web1 sshd[1]: x",
        differs: &[
            (
                Part::Time,
                [
                    "2026-11-21T10:00:00Z",
                    "2026-11-21T10:00:01Z",
                    "2026-11-21T10:00:01Z",
                ],
            ),
            (Part::Host, ["web1", "relay", "relay"]),
            (Part::Program, ["sshd", "2026-11-21T10", "2026-11-21T10"]),
            (Part::Pid, ["1", "", ""]),
            (Part::Data, ["relay=relay", "", ""]),
            (
                Part::Message,
                ["x", "00:00Z web1 sshd[1]: x", "00:00Z web1 sshd[1]: x"],
            ),
        ],
        why: "the inner one is the sender's, the relay a field; tagged `syslog.inner_header`",
    },
    Case {
        name: "a header behind that of a relay (Cisco ISE)",
        sent: "<165>Mmm 01 10:00:01 relay Mmm 01 10:00:00 ise1 CISE_X 0001 1 0 x",
        differs: &[
            (
                Part::Time,
                [
                    "YYYY-MM-01T10:00:00Z",
                    "YYYY-MM-01T10:00:01Z",
                    "YYYY-MM-01T10:00:01Z",
                ],
            ),
            (Part::Host, ["ise1", "relay", "relay"]),
            (Part::Program, ["CISE_X", "Nov", "Nov"]),
            (Part::Data, ["relay=relay", "", ""]),
            (
                Part::Message,
                [
                    "CISE_X 0001 1 0 x",
                    "01 10:00:00 ise1 CISE_X 0001 1 0 x",
                    "01 10:00:00 ise1 CISE_X 0001 1 0 x",
                ],
            ),
        ],
        why: "the inner one is the sender's, the relay a field; tagged `syslog.inner_header`",
    },
    Case {
        name: "the host twice",
        sent: "<14>Mmm 01 10:00:00 udm udm ubios-x[3117]: t",
        differs: &[
            (Part::Program, ["ubios-x", "udm", "udm"]),
            (Part::Pid, ["3117", "", ""]),
            (Part::Message, ["t", "ubios-x[3117]: t", "ubios-x[3117]: t"]),
        ],
        why: "the host once more is no program; tagged `syslog.repeated_host`",
    },
    Case {
        name: "a level in front of the TAG (F5)",
        sent: "<132>Mmm 01 10:00:00 bigip1 warning tmm[11048]: x",
        differs: &[
            (Part::Program, ["tmm", "warning", "warning"]),
            (Part::Pid, ["11048", "", ""]),
            (
                Part::Message,
                ["warning tmm[11048]: x", "tmm[11048]: x", "tmm[11048]: x"],
            ),
        ],
        why: "a level is no program; a search for `warning` finds it",
    },
    Case {
        name: "facility and level in front of the TAG (OpenWrt)",
        sent: "<30>Mmm 01 10:00:00 ow1 daemon.info dnsmasq[123]: x",
        differs: &[
            (Part::Program, ["dnsmasq", "daemon.info", "daemon.info"]),
            (Part::Pid, ["123", "", ""]),
            (
                Part::Message,
                [
                    "daemon.info dnsmasq[123]: x",
                    "dnsmasq[123]: x",
                    "dnsmasq[123]: x",
                ],
            ),
        ],
        why: "a level is no program; a search for it finds it",
    },
    Case {
        name: "two brackets (sssd)",
        sent: "<30>Mmm 01 10:00:00 hmc1 sssd[nss][706970]: x",
        differs: &[
            (Part::Program, ["sssd[nss]", "sssd", "sssd"]),
            (Part::Pid, ["706970", "nss", "nss"]),
            (Part::Message, ["x", "[706970]: x", "x"]),
        ],
        why: "the last brackets have the pid",
    },
    Case {
        name: "a level for the TAG",
        sent: "<30>Mmm 01 10:00:00 h error: disk full",
        differs: &[
            (Part::Program, ["", "error", "error"]),
            (
                Part::Message,
                ["error: disk full", "disk full", "disk full"],
            ),
        ],
        why: "a search for `error` finds it",
    },
    Case {
        name: "a line of a container's file",
        sent: "2026-11-21T10:00:00.123456789Z stdout F some line",
        differs: &[
            (
                Part::Time,
                [
                    "2026-11-21T10:00:00.123456789Z",
                    "2026-11-21T10:00:00.123456Z",
                    "(nonsense)",
                ],
            ),
            (Part::Host, ["127.0.0.1", "stdout", "stdout"]),
            (Part::Program, ["", "F", "F"]),
            (
                Part::Message,
                ["stdout F some line", "some line", "some line"],
            ),
        ],
        why: "without a priority and a TAG all is text",
    },
    Case {
        name: "a line of Hadoop",
        sent: "2015-10-18T18:01:47Z INFO [main] org.apache.hadoop.X: Created",
        differs: &[
            (Part::Host, ["127.0.0.1", "INFO", "INFO"]),
            (Part::Pid, ["", "main", "main"]),
            (
                Part::Message,
                [
                    "INFO [main] org.apache.hadoop.X: Created",
                    "org.apache.hadoop.X: Created",
                    "org.apache.hadoop.X: Created",
                ],
            ),
        ],
        why: "without a priority and a TAG all is text",
    },
    Case {
        name: "a line of ESXi",
        sent: "2026-11-21T10:00:00.123Z warning hostd[2100102] [Originator@6876 sub=X] Set",
        differs: &[
            (Part::Host, ["127.0.0.1", "warning", "warning"]),
            (
                Part::Message,
                [
                    "warning hostd[2100102] [Originator@6876 sub=X] Set",
                    "[Originator@6876 sub=X] Set",
                    "[Originator@6876 sub=X] Set",
                ],
            ),
        ],
        why: "a level is no host; a search for it finds it",
    },
    Case {
        name: "a byte order mark behind the priority",
        sent: "<14>\u{feff}Mmm 01 10:00:00 h1 app: x",
        differs: &[
            (Part::Time, ["YYYY-MM-01T10:00:00Z", "receipt", "receipt"]),
            (Part::Host, ["h1", "127.0.0.1", "127.0.0.1"]),
            (Part::Program, ["app", "\u{feff}Nov", ""]),
            (
                Part::Message,
                ["x", "01 10:00:00 h1 app: x", "01 10:00:00 h1 app: x"],
            ),
        ],
        why: "the mark says that UTF-8 follows, and is no text",
    },
];
