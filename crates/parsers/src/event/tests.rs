use super::*;
use crate::samples::{check, check_any_bytes, check_failure};

const IMPERVA: &str = "May 10 11:37:47 waf CEF:0|Imperva Inc.|SecureSphere|13.0|Alert|SQL \\| injection|High|\
    act=Block src=192.0.2.9 msg=path\\=/a with blanks cs1=Web \\= Profile cs1Label=Policy Name \
    cs2=none cn1=5 cn1Label= cs3Label=Lonely cfp1=1.5 cfp1Label=score cs4=";

#[test]
fn an_event_of_cef() {
    let header = [
        "deviceVendor=Imperva Inc.",
        "deviceProduct=SecureSphere",
        "deviceVersion=13.0",
        "deviceEventClassId=Alert",
        "name=SQL | injection",
        "severity=High",
        "act=Block",
        "src=192.0.2.9",
        "msg=path=/a with blanks",
    ];
    let plain = [
        "cs1=Web = Profile",
        "cs1Label=Policy Name",
        "cs2=none",
        "cn1=5",
        "cs3Label=Lonely",
        "cfp1=1.5",
        "cfp1Label=score",
    ];
    let labelled = [
        "Policy_Name=Web = Profile",
        "cs2=none",
        "cn1=5",
        "cs3Label=Lonely",
        "score=1.5",
    ];
    let parser = |use_labels| CefParser::new(&CefOptions { use_labels });
    check(&parser(false), IMPERVA, &[&header[..], &plain].concat());
    check(&parser(true), IMPERVA, &[&header[..], &labelled].concat());
}

#[test]
fn labels_that_can_be_no_names_stay() {
    let parser = CefParser::new(&CefOptions { use_labels: true });
    let long = "x".repeat(300);
    let label = format!("cs1Label={long}");
    let text = format!("CEF:0|a|b|c|d|e|5|cs1=v {label}");
    let found = crate::samples::lines(&parser, &text).unwrap();
    assert!(found.ends_with(&format!("cs1=v\n{label}")));
}

#[test]
fn events_of_leef() {
    check(
        &LeefParser,
        "<13>May 10 host LEEF:1.0|Microsoft|MSExchange|2016|15345|src=192.0.2.1\tusrName=ann b\tsev=5\tempty=",
        &[
            "vendor=Microsoft",
            "product=MSExchange",
            "version=2016",
            "eventId=15345",
            "src=192.0.2.1",
            "usrName=ann b",
            "sev=5",
        ],
    );
    for mark in ["^", "0x5E", "x5e"] {
        check(
            &LeefParser,
            &format!("LEEF:2.0|Lancope|StealthWatch|1.0|41|{mark}|src=10.0.0.1^dst=10.0.0.2"),
            &[
                "vendor=Lancope",
                "product=StealthWatch",
                "version=1.0",
                "eventId=41",
                "src=10.0.0.1",
                "dst=10.0.0.2",
            ],
        );
    }
}

#[test]
fn what_is_no_such_event_is_refused() {
    let cef = CefParser::new(&CefOptions::default());
    check_failure(&cef, "", 0, "expected `CEF:0|`");
    check_failure(&cef, "LEEF:1.0|a|b|c|d|e=f", 0, "expected `CEF:0|`");
    check_failure(&cef, "CEF:0|a|b", 9, "expected more parts of the header");
    check_failure(
        &LeefParser,
        "CEF:0|a|b|c|d|e|5|",
        0,
        "expected `LEEF:1.0|` or `LEEF:2.0|`",
    );
    check_failure(
        &LeefParser,
        "LEEF:1.0|a|b",
        12,
        "expected more parts of the header",
    );
}

#[test]
fn more_pairs_than_there_may_be_are_told() {
    let many = "a=b\t".repeat(RECORD_FIELDS_MAX);
    let mut pairs = Pairs::default();
    let text = format!("LEEF:1.0|a|b|c|d|{many}");
    LeefParser.parse(text.as_bytes(), &mut pairs).unwrap();
    assert!(pairs.is_truncated() && pairs.pairs().len() == RECORD_FIELDS_MAX);
}

#[test]
fn any_bytes_are_taken() {
    let words = [
        "CEF:0|a|b|c|d|e|5|",
        "LEEF:1.0|a|b|c|d|",
        "LEEF:2.0|a|b|c|d|^|",
        "a=b ",
        "cs1=",
        " cs1Label=",
        "\\",
        "=",
        "|",
        "\t",
        "^",
    ];
    check_any_bytes(&CefParser::new(&CefOptions { use_labels: true }), &words);
    check_any_bytes(&LeefParser, &words);
}
