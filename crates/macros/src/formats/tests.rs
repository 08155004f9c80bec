use serde_json::{Value, json};

use super::*;
use crate::Zone;
use crate::samples::{EVENT, SU, context, formatted};

fn text(format: &Format, message: &str) -> String {
    String::from_utf8(formatted(format, message.as_bytes(), &context())).expect("text")
}

#[test]
fn lines_have_what_the_message_had() {
    assert_eq!(text(&Format::Raw, SU), SU);
    assert_eq!(text(&Format::Rfc3164, SU), SU);
    assert_eq!(
        text(&Format::Rfc5424, "<34>1 2003-10-11T22:14:15Z h p - - -"),
        "<34>1 2003-10-11T22:14:15Z h p - - -"
    );
    assert_eq!(
        text(&Format::Rfc5424, EVENT),
        EVENT.replace("15.003-07", "15.003000-07")
    );
    assert_eq!(
        text(&Format::Rfc3164, EVENT),
        "<165>Oct 11 22:14:15 host.example.com evntslog[77]: An event"
    );
}

#[test]
fn one_zone_can_be_given_for_all() {
    let zone = crate::named_zone("+02:00").expect("a zone");
    let context = Context {
        zone: Zone::Fixed(zone),
        fraction_digits: 3,
        ..context()
    };
    let line = formatted(&Format::Rfc3164, EVENT.as_bytes(), &context);
    assert!(
        line.starts_with(b"<165>Oct 12 07:14:15.003 host"),
        "{}",
        line.escape_ascii()
    );
    let line = formatted(&Format::Rfc5424, EVENT.as_bytes(), &context);
    assert!(line.starts_with(b"<165>1 2003-10-12T07:14:15.003000+02:00 host"));
}

#[test]
fn documents_are_objects_that_others_read() {
    let read: Value = serde_json::from_str(&text(&Format::Json, EVENT)).expect("JSON");
    let fields = json!({"exampleSDID@32473.eventID": "1011", "exampleSDID@32473.eventSource": "App\"x]",
        "exampleSDID@32473.iut": "3", "meta.a": "b"});
    assert_eq!(
        read,
        json!({"id": "main:42", "logspace": "main", "received": "2026-11-21T18:00:00.000000000Z",
        "time": "2003-10-12T05:14:15.003000000Z", "host": "host.example.com", "program": "evntslog", "pid": "77",
        "msgid": "ID47", "facility": "local4", "severity": "notice", "message": "An event", "source": "udp",
        "peer": "192.0.2.7", "fields": fields})
    );
    let read: Value = serde_json::from_str(&text(&Format::Ecs, EVENT)).expect("JSON");
    assert_eq!(read["@timestamp"], "2003-10-12T05:14:15.003000000Z");
    assert_eq!(read["event"]["id"], "main:42");
    assert_eq!(read["process"], json!({"name": "evntslog", "pid": 77}));
    assert_eq!(read["source"]["ip"], "192.0.2.7");
    assert_eq!(
        read["log"]["syslog"]["severity"],
        json!({"code": 5, "name": "notice"})
    );
    assert_eq!(read["log"]["syslog"]["structured_data"], fields);
}

#[test]
fn a_field_with_several_values_keeps_them() {
    let message = "<34>1 - - - - - [a x=\"1\" y=\"2\" x=\"3\"] m";
    let read: Value = serde_json::from_str(&text(&Format::Json, message)).expect("JSON");
    assert_eq!(read["fields"], json!({"a.x": ["1", "3"], "a.y": "2"}));
}

#[test]
fn events_have_a_header_and_an_extension() {
    assert_eq!(
        text(
            &Format::Cef,
            "<34>1 2003-10-11T22:14:15Z h p|q 7 - - a=b|c\nd\\"
        ),
        "CEF:0|Logwood|p\\|q|1|p\\|q|a=b\\|c|8|rt=1065910455000 dvchost=h dvc=192.0.2.7 dvcpid=7 \
         deviceProcessName=p|q deviceFacility=auth externalId=main:42 msg=a\\=b|c\\nd\\\\"
    );
    let event = "CEF:0|V|P|1|2|n|5|src=192.0.2.1";
    assert_eq!(
        text(&Format::Cef, &format!("<34>Oct 11 22:14:15 h {event}")),
        event
    );
}

#[test]
fn a_wrong_name_is_told() {
    let error = Format::parse("rfc5425").expect_err("no format");
    assert_eq!(
        error.to_string(),
        "there is no format `rfc5425`; did you mean `rfc3164`?".replace("3164", "5424")
    );
    assert_eq!(Format::parse("ecs"), Ok(Format::Ecs));
}
