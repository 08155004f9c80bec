//! Headers as devices write them, in all the orders that were seen.

use super::*;

const TEN: &str = "2026-11-21T10:00:00Z";
const ISO: &str = "2026-11-21T10:00:00Z";
const BSD: &str = "Nov 21 10:00:00";

#[test]
fn events_behind_the_host_are_no_tag() {
    for event in [
        "CEF:0|V|P|1|2|name here|5|src=192.0.2.1",
        "CEF: 0|V|P|1|2|name here|5|src=192.0.2.1",
        "CEF:1.2|V|P|1|2|name here|5|",
        "LEEF:1.0|V|P|1|2|src=192.0.2.1\tdst=192.0.2.2",
        "LEEF:2.0|V|P|1|2|^|src=192.0.2.1^dst=192.0.2.2",
        "LEEF: 2.0|V|P|1|2|^|src=192.0.2.1",
    ] {
        for stamp in [BSD, ISO, "Nov 21 2026 10:00:00", "1795255200"] {
            let line = |rest: &str, names: [&str; 3]| {
                let [host, program, pid] = names;
                let line = format!("<14>{stamp} {rest}{event}");
                check_names(&line, [TEN, host, program, pid, event]);
            };
            line("fw1 ", ["fw1", "", ""]);
            line("fw1  ", ["fw1", "", ""]);
            line("", [PEER, "", ""]);
            line("- ", [PEER, "", ""]);
            line("fw1 fw1 ", ["fw1", "", ""]);
            line("fw1 app: ", ["fw1", "app", ""]);
            line("fw1 app[12]: ", ["fw1", "app", "12"]);
            line("fw1 app ", ["fw1", "app", ""]);
            line("fw1 asm:", ["fw1", "asm", ""]);
            assert!(decisions(&format!("<14>{stamp} fw1 {event}")).contains(&Decision::Event));
        }
        check_names(&format!("{BSD} fw1 {event}"), [TEN, "fw1", "", "", event]);
        check_names(&format!("{ISO} fw1 {event}"), [TEN, "fw1", "", "", event]);
        check_names(&format!("<14>{event}"), [RECEIVED, PEER, "", "", event]);
        let ietf = format!("<14>1 {ISO} fw1 app 12 - - {event}");
        check_names(&ietf, [TEN, "fw1", "app", "12", event]);
    }
    // Programs of these names.
    let line = format!("<14>{BSD} h CEF: text");
    check_names(&line, [TEN, "h", "CEF", "", "text"]);
    let line = format!("<14>{BSD} h CEF:x|y");
    check_names(&line, [TEN, "h", "CEF", "", "x|y"]);
}

#[test]
fn numbers_since_1970_are_stamps() {
    const TIME: &str = "2022-04-26T11:33:09.426960608Z";
    for (number, time) in [
        ("1650972789.426960608", TIME),
        ("1650972789.4269606081", TIME),
        ("1650972789.5", "2022-04-26T11:33:09.5Z"),
        ("1650972789", "2022-04-26T11:33:09Z"),
        ("1650972789426", "2022-04-26T11:33:09.426Z"),
        ("1650972789426960", "2022-04-26T11:33:09.42696Z"),
        ("1650972789426960608", TIME),
    ] {
        let text = "urls src=10.10.10.1:53347";
        for front in ["<134>1 ", "<134>", "<134> "] {
            let line = format!("{front}{number} mx1 {text}");
            check_names(&line, [time, "mx1", "urls", "", text]);
            let line = format!("{front}{number} mx1 app[7]: x");
            check_names(&line, [time, "mx1", "app", "7", "x"]);
        }
        assert_eq!(tags(&format!("<134>{number} mx1 app: x")), 0);
        // A line of a log file may begin with any number.
        let line = format!("{number} mx1 app: x");
        check_names(&line, [RECEIVED, PEER, "", "", &line]);
    }
    let line = "<134> 1795889305.041293000 mx1 events type=vpn";
    let time = "2026-11-28T18:08:25.041293Z";
    check_names(line, [time, "mx1", "events", "", "events type=vpn"]);
    for text in [
        "165097278 mx1 a: x",
        "16509727890 mx1 a: x",
        "165097278942 mx1 a: x",
        "0650972789 mx1 a: x",
        "9650972789 mx1 a: x",
        "1650972789x mx1 a: x",
        "1650972789426.5 mx1 a: x",
        "1650972789: mx1 a: x",
    ] {
        check_names(&format!("<134>{text}"), [RECEIVED, PEER, "", "", text]);
    }
}

/// Marks, the fraction of the second, host, program, pid and message.
const MARKED: &[(&str, [&str; 5])] = &[
    (
        "sw1: Nov 21 10:00:00.123: %SYSMGR-3-X: t",
        [".123", "sw1", "%SYSMGR-3-X", "", "t"],
    ),
    (
        "30: sw1: Nov 21 10:00:00.123: %SYSMGR-3-X: t",
        [".123", "sw1", "%SYSMGR-3-X", "", "t"],
    ),
    (
        "sw1: 30: Nov 21 10:00:00.123: %SYSMGR-3-X: t",
        [".123", "sw1", "%SYSMGR-3-X", "", "t"],
    ),
    (
        "sw1: 30: 000031: *Nov 21 10:00:00: %SYS-5-X: t",
        ["", "sw1", "%SYS-5-X", "", "t"],
    ),
    (
        "sw1.example.com: .Nov 21 10:00:00: %SYS-5-X: t",
        ["", "sw1.example.com", "%SYS-5-X", "", "t"],
    ),
    (
        "nx1: 2026 Nov 21 11:00:00.008 CET: %MODULE-2-X: t",
        [".008", "nx1", "%MODULE-2-X", "", "t"],
    ),
    (
        ": 2026 Nov 21 11:00:00 CET: %MODULE-2-X: t",
        ["", PEER, "%MODULE-2-X", "", "t"],
    ),
    (
        "RP/0/RSP0/CPU0:Nov 21 10:00:00: ssh[1]: %SEC-6-X : t",
        ["", PEER, "ssh", "1", "%SEC-6-X : t"],
    ),
    (
        "17: RP/0/RP0/CPU0:Nov 21 10:00:00.5: ssh[1]: %SEC-6-X : t",
        [".5", PEER, "ssh", "1", "%SEC-6-X : t"],
    ),
    (
        "17: r1 RP/0/RP0/CPU0:Nov 21 10:00:00 UTC: bgp[9]: %BGP-5-X : t",
        ["", "r1", "bgp", "9", "%BGP-5-X : t"],
    ),
    (
        "r1 LC/0/0/CPU0:2026 Nov 21 10:00:00.1 UTC: ifmgr[2]: %PKT-5-X : t",
        [".1", "r1", "ifmgr", "2", "%PKT-5-X : t"],
    ),
    (
        ":Nov 21 10:00:00 UTC: %ASA-6-302015: t",
        ["", PEER, "%ASA-6-302015", "", "t"],
    ),
    (
        ":Nov 21 10:00:00 UTC: %ASA-session-6-302015: t",
        ["", PEER, "%ASA-session-6-302015", "", "t"],
    ),
    (
        "17: Nov 21 10:00:00.072 UTC : %UC_AUDITLOG-5-X: t",
        [".072", PEER, "%UC_AUDITLOG-5-X", "", "t"],
    ),
    (
        "17: cucm1: Nov 21 10:00:00.072 UTC : %UC_CTI-3-X: t",
        [".072", "cucm1", "%UC_CTI-3-X", "", "t"],
    ),
    (
        ": 18: cucm1.example.com: Nov 21 2026 10:00:00.07 UTC : %UC_CTI-3-X: t",
        [".07", "cucm1.example.com", "%UC_CTI-3-X", "", "t"],
    ),
    (
        "wlc1: *apfTask: Nov 21 10:00:00.123: %APF-3-X: t",
        [".123", "wlc1", "%APF-3-X", "", "t"],
    ),
    (
        "*apfTask: Nov 21 10:00:00.123: #APF-3-X: t",
        [".123", PEER, "#APF-3-X", "", "t"],
    ),
    (
        "2026-11-21T10:00:00Z: %SYS-5-X: t",
        ["", PEER, "%SYS-5-X", "", "t"],
    ),
    (
        "sw1: 2026-11-21T10:00:00Z: %SYS-5-X: t",
        ["", "sw1", "%SYS-5-X", "", "t"],
    ),
];

/// Marks without a stamp, host and program.
const UNSTAMPED: &[(&str, &str, &str)] = &[
    (
        "9121: WASR-02: 008944: 13w1d: %HSRP-5-X: t",
        "WASR-02",
        "%HSRP-5-X",
    ),
    ("9121: 13w1d: %HSRP-5-X: t", PEER, "%HSRP-5-X"),
    ("WASR-02: 1y12w: %HSRP-5-X: t", "WASR-02", "%HSRP-5-X"),
    ("9121: *00:00:35: %SYS-5-X: t", PEER, "%SYS-5-X"),
    ("1d02h: %LINK-3-UPDOWN: t", PEER, "%LINK-3-UPDOWN"),
    ("sw1: %LINK-3-UPDOWN: t", "sw1", "%LINK-3-UPDOWN"),
];

#[test]
fn marks_of_cisco_stand_in_any_order() {
    let at = |fraction: &str| format!("2026-11-21T10:00:00{fraction}Z");
    for (line, [fraction, host, program, pid, message]) in MARKED {
        let line = format!("<187>{line}");
        check_names(&line, [&*at(fraction), *host, program, pid, message]);
    }
    for (line, host, program) in UNSTAMPED {
        check_names(&format!("<45>{line}"), [RECEIVED, host, program, "", "t"]);
        assert_eq!(tags(&format!("<45>{line}")), MissingTimestamp.bit());
    }
    let fields = NOTHING
        .priority(45)
        .header(RECEIVED, "WASR-02", "%HSRP-5-X", "")
        .message("t")
        .fields(&[("meta.sequenceId", "9121"), ("uptime", "13w1d")])
        .tags(&[MissingTimestamp]);
    check("<45>9121: WASR-02: 008944: 13w1d: %HSRP-5-X: t", fields);
    let node = fields
        .header(TEN, "r1", "ssh", "1")
        .message("%SEC-6-X : t")
        .fields(&[("meta.sequenceId", "7"), ("node", "RP/0/RSP0/CPU0")])
        .tags(&[]);
    check(
        "<45>7: r1 RP/0/RSP0/CPU0:Nov 21 10:00:00: ssh[1]: %SEC-6-X : t",
        node,
    );
    let task = fields
        .header(TEN, "wlc1", "%APF-3-X", "")
        .fields(&[("task", "apfTask")])
        .tags(&[]);
    check("<45>wlc1: *apfTask: Nov 21 10:00:00: %APF-3-X: t", task);
    // Words of a text.
    for text in [
        "app: Nov 21 10:00:00 it began",
        "app: 2026-11-21 10:00:00 it began",
        "app: 13w1d: up",
        "13w1d: up",
        "app: %d items",
        "app: a: b: c",
        "29: 100% done",
    ] {
        check_names(&format!("<45>{text}"), [RECEIVED, PEER, "", "", text]);
    }
}

/// Stamps and their times.
const CLOCKS: &[(&str, &str)] = &[
    ("Nov 21 09:05:07 PM", "2026-11-21T21:05:07Z"),
    ("Nov 21 09:05:07 AM", "2026-11-21T09:05:07Z"),
    ("Nov 21 12:05:07 AM", "2026-11-21T00:05:07Z"),
    ("Nov 21 12:05:07 PM", "2026-11-21T12:05:07Z"),
    ("Nov 21 09:05:07 pm", "2026-11-21T21:05:07Z"),
    ("Nov 21 09:05:07.5 PM", "2026-11-21T21:05:07.5Z"),
    ("Nov 21 09:05:07 PM.071", "2026-11-21T21:05:07.071Z"),
    (
        "Nov 21 2026 09:05:07 PM.071 UTC",
        "2026-11-21T21:05:07.071Z",
    ),
    ("Nov 21 09:05:07 PM CET", "2026-11-21T20:05:07Z"),
    ("Nov 21 09:05:07 PM 2025", "2025-11-21T21:05:07Z"),
    ("2026 Nov 21 09:05:07 PM", "2026-11-21T21:05:07Z"),
    ("2026-11-21 09:05:07 PM", "2026-11-21T21:05:07Z"),
    (
        "2026-11-21 09:05:07.123 PM +01:00",
        "2026-11-21T20:05:07.123Z",
    ),
    ("Nov 21 13:05:07 PM", "2026-11-21T13:05:07Z"),
    // Offsets behind the name of a zone, which are east of it.
    ("Nov 21 09:05:07 GMT+01:00", "2026-11-21T08:05:07Z"),
    ("Nov 21 09:05:07 UTC-0530", "2026-11-21T14:35:07Z"),
    ("Nov 21 09:05:07 GMT+1", "2026-11-21T08:05:07Z"),
    ("Nov 21 09:05:07 UTC+00:00", "2026-11-21T09:05:07Z"),
    ("2026-11-21 09:05:07 GMT+01:00", "2026-11-21T08:05:07Z"),
    // Zones in small letters.
    ("Nov 21 09:05:07 cet", "2026-11-21T08:05:07Z"),
    ("2026-11-21 09:05:07 utc", "2026-11-21T09:05:07Z"),
    // A dot without a fraction, and no seconds.
    ("Nov 21 09:05:07.", "2026-11-21T09:05:07Z"),
    ("2026-11-21T09:05:07.", "2026-11-21T09:05:07Z"),
    ("2026-11-21T09:05Z", "2026-11-21T09:05:00Z"),
    ("2026-11-21T09:05+01:00", "2026-11-21T08:05:00Z"),
    ("2026-11-21T09:05", "2026-11-21T09:05:00Z"),
    // NetScaler.
    ("11/21/2026:09:05:07", "2026-11-21T09:05:07Z"),
    ("21/11/2026:09:05:07 GMT", "2026-11-21T09:05:07Z"),
    ("2026/11/21:09:05:07", "2026-11-21T09:05:07Z"),
    ("05/04/2026:09:05:07", "2026-05-04T09:05:07Z"),
];

#[test]
fn the_clock_may_have_twelve_hours() {
    for (stamp, time) in CLOCKS {
        check_names(
            &format!("<14>{stamp} h a[1]: x"),
            [time, "h", "a", "1", "x"],
        );
        check_names(&format!("<14> {stamp} h a: x"), [time, "h", "a", "", "x"]);
        check_names(&format!("{stamp} h a[1]: x"), [time, "h", "a", "1", "x"]);
    }
    let line = "<189>8103: Nov 21 2026 06:08:25 PM.071 UTC : %UC_AUDITLOG-5-X: t";
    let time = "2026-11-21T18:08:25.071Z";
    check_names(line, [time, PEER, "%UC_AUDITLOG-5-X", "", "t"]);
    assert!(decisions(line).contains(&Decision::TwelveHours));
    let line = "<12> 11/21/2026:18:24:33 GMT ns1 0-PPE-0 : default EVENT X 1 0 : t";
    let text = "0-PPE-0 : default EVENT X 1 0 : t";
    check_names(line, ["2026-11-21T18:24:33Z", "ns1", "0-PPE-0", "", text]);
    let line = "<14>1 2026-11-21T18:24Z h app 1 - - t";
    check_names(line, ["2026-11-21T18:24:00Z", "h", "app", "1", "t"]);
    // Hosts that are called so.
    for host in ["pm", "am", "cet", "est", "utc", "PMX", "AMD", "pm1"] {
        let line = format!("<14>{BSD} {host} a[1]: x");
        check_names(&line, [TEN, host, "a", "1", "x"]);
    }
}

#[test]
fn the_header_behind_that_of_a_relay_is_the_senders() {
    let outer = [
        "Nov 21 10:00:01",
        "2026-11-21T10:00:01Z",
        "Nov 21 2026 10:00:01.5",
    ];
    let inner = [BSD, ISO, "Nov 21 2026 10:00:00", "2026-11-21 10:00:00.000"];
    for (outer, inner) in outer.iter().flat_map(|one| inner.map(|other| (one, other))) {
        let line = format!("<38>{outer} relay {inner} web1 sshd[1]: x");
        let relay = NOTHING
            .priority(38)
            .header(TEN, "web1", "sshd", "1")
            .message("x")
            .fields(&[("relay", "relay")])
            .tags(&[InnerHeader]);
        check(&line, relay);
        assert!(decisions(&line).contains(&Decision::InnerHeader));
        let line = format!("<38>{outer} 192.0.2.1 {inner} fw1 CEF:0|a|b|c|d|e|1|");
        check_names(&line, [TEN, "fw1", "", "", "CEF:0|a|b|c|d|e|1|"]);
        let line = format!("<38>{outer} relay {inner} sshd[1]: x");
        check_names(&line, [TEN, "relay", "sshd", "1", "x"]);
        let line = format!("<38>{outer} {inner} web1 sshd[1]: x");
        check(&line, relay.fields(&[]));
        let line = format!("<38>{outer} {inner} it began");
        let [_, host, program, _, said] = names(&line);
        let message = format!("{inner} it began");
        assert_eq!([&*host, &*program, &*said], [PEER, "", &*message], "{line}");
        // A stamp of the text.
        for text in ["it began", "INFO [main] x", "error: x", "12 items: x"] {
            let message = format!("{inner} {text}");
            let line = format!("<38>{outer} h {message}");
            let [_, host, program, _, said] = names(&line);
            assert_eq!([&*host, &*program, &*said], ["h", "", &*message], "{line}");
            assert!(decisions(&line).contains(&Decision::NoProgram), "{line}");
        }
    }
    let ise = "<165>Nov 21 10:00:01 relay Nov 21 10:00:00 ise1 CISE_X 0001 1 0 x";
    check_names(ise, [TEN, "ise1", "CISE_X", "", "CISE_X 0001 1 0 x"]);
    let line = format!("<165>{BSD} relay Feb 30 10:00:00 web1 sshd[1]: x");
    check_names(
        &line,
        [TEN, "relay", "", "", "Feb 30 10:00:00 web1 sshd[1]: x"],
    );
}

#[test]
fn the_host_once_more_is_no_program() {
    for stamp in [BSD, ISO] {
        for (line, host) in [
            ("udm udm", "udm"),
            ("udm  udm ", "udm"),
            ("udm.example.com udm", "udm.example.com"),
            ("udm udm.example.com", "udm.example.com"),
            ("UDM udm", "UDM"),
            ("192.0.2.1 192.0.2.1", "192.0.2.1"),
        ] {
            let line = format!("<14>{stamp} {line} ubios-x[3117]: t");
            check_names(&line, [TEN, host, "ubios-x", "3117", "t"]);
            assert_eq!(tags(&line), RepeatedHost.bit(), "{line}");
        }
        check_names(
            &format!("<14>{stamp} udm udm kernel: t"),
            [TEN, "udm", "kernel", "", "t"],
        );
        let line = format!("<14>{stamp} udm udm is up");
        check_names(&line, [TEN, "udm", "", "", "udm is up"]);
        let line = format!("<14>{stamp} udm udm-agent is up");
        check_names(&line, [TEN, "udm", "udm-agent", "", "udm-agent is up"]);
    }
}

#[test]
fn a_level_is_no_name() {
    for stamp in [BSD, ISO] {
        for level in [
            "warning",
            "notice",
            "err",
            "info",
            "WARN",
            "daemon.info",
            "kern.warn",
            "local7.debug",
        ] {
            let line = format!("<132>{stamp} bigip1 {level} tmm[11048]: x");
            let message = format!("{level} tmm[11048]: x");
            check_names(&line, [TEN, "bigip1", "tmm", "11048", &message]);
            assert!(decisions(&line).contains(&Decision::LevelInFront));
            let line = format!("<132>{stamp} {level} tmm[11048]: x");
            check_names(&line, [TEN, PEER, "tmm", "11048", &message]);
            let line = format!("<132>{stamp} bigip1 {level} kernel: x");
            let message = format!("{level} kernel: x");
            check_names(&line, [TEN, "bigip1", "kernel", "", &message]);
            let line = format!("<132>{stamp} bigip1 {level} of the disk");
            let message = format!("{level} of the disk");
            check_names(&line, [TEN, "bigip1", "", "", &message]);
        }
        let line = format!("<132>{stamp} bigip1 Error: disk full");
        check_names(&line, [TEN, "bigip1", "", "", "Error: disk full"]);
        let line = format!("<132>{stamp} error: disk full");
        check_names(&line, [TEN, PEER, "", "", "error: disk full"]);
        for (line, program, pid, message) in [
            ("informer: x", "informer", "", "x"),
            ("error.log: x", "error.log", "", "x"),
            ("web.info tmm[1]: x", "web.info", "", "web.info tmm[1]: x"),
        ] {
            let line = format!("<132>{stamp} h {line}");
            check_names(&line, [TEN, "h", program, pid, message]);
        }
    }
}

#[test]
fn two_brackets_may_stand_behind_a_program() {
    for (tag, program, pid) in [
        ("sssd[nss][706970]:", "sssd[nss]", "706970"),
        ("sssd[be[x]][1]:", "", ""),
        ("app[web.1][]:", "app[web.1]", ""),
        ("a[b][12]: ", "a[b]", "12"),
    ] {
        let [_, host, found, found_pid, _] = names(&format!("<30>{BSD} hmc1 {tag} x"));
        assert_eq!(
            [&*host, &*found, &*found_pid],
            ["hmc1", program, pid],
            "{tag}"
        );
    }
    let line = format!("<30>{BSD} h a[1][2] x");
    check_names(&line, [TEN, "h", "", "", "a[1][2] x"]);
}

#[test]
fn bytes_in_front_of_the_header_are_skipped() {
    let names = [TEN, "h1", "app", "", "x"];
    let nuls = "\0".repeat(4_096);
    for front in [
        "\u{feff}",
        "\0",
        "\0\0\0\0",
        &nuls,
        "\0\u{feff}",
        "\u{feff}\u{feff}",
    ] {
        for (line, stamp) in [(BSD, true), (ISO, true), ("1795255200", false)] {
            check_names(&format!("{front}<14>{line} h1 app: x"), names);
            check_names(&format!("<14>{front}{line} h1 app: x"), names);
            if stamp {
                check_names(&format!("{front}{line} h1 app: x"), names);
            }
        }
        check_names(&format!("{front}<14>1 {ISO} h1 app - - - x"), names);
        check_names(&format!("<14>{front}1 {ISO} h1 app - - - x"), names);
        check_names(&format!("{front} <14>{ISO} h1 app: x"), names);
        check_names(&format!("{front}17 <14>{ISO} h1 app: x"), names);
        let text = format!("{front}plain text");
        check_names(&text, [RECEIVED, PEER, "", "", "plain text"]);
        assert!(decisions(&text).contains(&Decision::BytesInFront));
        assert_eq!(
            parse(format!("{front}<14>{BSD} h1 app: x").as_bytes()).tags,
            0
        );
    }
    let line = "\0\0\0\0<135>Nov 21 10:00:00 nxui was: x";
    check_names(line, [TEN, "nxui", "was", "", "x"]);
}
