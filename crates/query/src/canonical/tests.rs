use proptest::prelude::*;

use crate::ast::Query;
use crate::parse;
use crate::samples::any_expr;

fn check(text: &str, canonical: &str) {
    let query = parse(text).into_result().expect("it is valid");
    assert_eq!(query.canonical(), canonical, "{text}");
    let again = parse(canonical).into_result().expect("it is valid");
    assert_eq!(again, query, "{canonical}");
}

#[test]
fn precedence_is_spelt_out() {
    check("a b OR c NOT d", "(a AND b) OR (c AND NOT d)");
    check("(a OR b) c", "(a OR b) AND c");
    check("NOT (a b)", "NOT (a AND b)");
    check("a (b (c d))", "a AND b AND c AND d");
    check("NOT NOT a", "a");
    check("a *", "a");
    check("a OR *", "*");
    check("NOT *", "NOT *");
    check("", "*");
    check("host:(a OR b)", "host:a OR host:b");
}

#[test]
fn terms_are_in_lower_case_and_quoted_where_needed() {
    check("ERROR", "error");
    check("\"Two Words\"", "\"two words\"");
    check("\"error\"", "error");
    check("\"AND\"", "\"and\"");
    check("10.0.0.1", "10.0.0.1");
    check("/var/log", "\"/var/log\"");
    check("var/log", "var/log");
    check("[sshd]", "\"[sshd]\"");
    check("a\\*b*", "a\\*b*");
    check("\"a*b\"", "\"a*b\"");
    check("\"say \\\"x\\\"\"", "\"say \\\"x\\\"\"");
    check("/a\\/B/", "/a\\/B/");
}

#[test]
fn fields_have_one_name() {
    check("Priority:error", "severity:err");
    check("severity:<=3", "severity:<=err");
    check("severity:[0 TO error]", "severity:[emerg TO err]");
    check("facility:local*", "facility:local*");
    check("ip:10.1.2.3/8", "peer:10.0.0.0/8");
    check("ip:::1", "peer:::1");
    check("ip:10.0.*", "peer:10.0.*");
    check("client:10.1.2.3/8", "client:10.0.0.0/8");
    check("host:10.1.2.3/32", "host:10.1.2.3/32");
    check("client:\"10.1.2.3/8\"", "client:\"10.1.2.3/8\"");
    check("client:10.1.2.3", "client:10.1.2.3");
    check("client:10.1.2.3/99", "client:10.1.2.3/99");
    check("program:10.0.0.0/8", "program:10.0.0.0/8");
    check("aa:fe80::1/10", "nvpair:aa=fe80::/10");
    check("host:=\"Web*\"", "host:=Web*");
    check("host:=\"Web 1\"", "host:=\"Web 1\"");
    check("size:[10 TO *]", "size:>=10");
    check("size:[1 TO 2.0]", "size:[1 TO 2.0]");
    check(
        "nvpair:.sdata.win@18372.4.event_id=540",
        ".sdata.win@18372.4.event_id:540",
    );
    check("nvpair:host=Web", "nvpair:host=web");
    check("nvpair:\"a b\"=*", "nvpair:\"a b\"=*");
}

proptest! {
    #[test]
    fn the_canonical_text_gives_the_same_query(root in any_expr()) {
        let query = Query { root };
        let text = query.canonical();
        let parsed = parse(&text);
        prop_assert!(parsed.is_valid(), "{} {:?}", text, parsed.diagnostics);
        prop_assert_eq!(&parsed.query, &query, "{}", text);
        prop_assert_eq!(parsed.query.canonical(), text);
    }
}
