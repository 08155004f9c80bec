use super::*;
use crate::limits::OWN_BYTES_MAX;
use crate::samples::{check, check_any_bytes, check_failure};

fn parser(change: impl FnOnce(&mut XmlOptions)) -> XmlParser {
    let mut options = XmlOptions::default();
    change(&mut options);
    XmlParser::new(&options).unwrap()
}

const LOGON: &str = "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>\
    <System><Provider Name='Microsoft-Windows-Security-Auditing' Guid='{54849625}'/>\
    <EventID>4624</EventID><Version/><TimeCreated SystemTime='2026-05-10T09:37:47.1234567Z'/>\
    <Computer>dc1.example.com</Computer><Security></Security></System>\
    <EventData><Data Name='SubjectUserName'>DC1$</Data><Data Name=\"R&amp;D\">a &lt; b</Data>\
    <Data Name='Empty'></Data><Data>bare</Data><Data Name=''>none</Data></EventData></Event>";

#[test]
fn an_event_of_windows() {
    let system = [
        "Event._xmlns=http://schemas.microsoft.com/win/2004/08/events/event",
        "Event.System.Provider._Name=Microsoft-Windows-Security-Auditing",
        "Event.System.Provider._Guid={54849625}",
        "Event.System.EventID=4624",
        "Event.System.TimeCreated._SystemTime=2026-05-10T09:37:47.1234567Z",
        "Event.System.Computer=dc1.example.com",
    ];
    let data = [
        "Event.EventData.SubjectUserName=DC1$",
        "Event.EventData.R&D=a < b",
        "Event.EventData.Data=bare",
        "Event.EventData.Data=none",
    ];
    let windows = parser(|options| options.is_windows_event = true);
    check(&windows, LOGON, &[&system[..], &data].concat());
    let plain = [
        "Event.EventData.Data._Name=SubjectUserName",
        "Event.EventData.Data=DC1$",
        "Event.EventData.Data._Name=R&D",
        "Event.EventData.Data=a < b",
        "Event.EventData.Data._Name=Empty",
        "Event.EventData.Data=bare",
        "Event.EventData.Data=none",
    ];
    check(&parser(|_| {}), LOGON, &[&system[..], &plain].concat());
}

#[test]
fn event_data_may_have_other_attributes() {
    let windows = parser(|options| options.is_windows_event = true);
    check(
        &windows,
        "<Event><EventData><Data a='1' Name = 'N' b=\"2\">v</Data><Data Name='M' />\
         <ComplexData  Name='C'  >w</ComplexData></EventData><Data Name='x'>y</Data></Event>",
        &[
            "Event.EventData.N._a=1",
            "Event.EventData.N._b=2",
            "Event.EventData.N=v",
            "Event.EventData.C=w",
            "Event.Data._Name=x",
            "Event.Data=y",
        ],
    );
    check_failure(
        &windows,
        "<Event><EventData><Data Name='N' b/>",
        18,
        "expected attributes such as name=\"value\"",
    );
}

#[test]
fn texts_are_joined_over_entities_comments_and_sections() {
    check(
        &parser(|_| {}),
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY own \"x\">]>\n\
         <a> one<!-- not --> &amp; <![CDATA[<two>]]> &#x41;&own; <b>in</b> three </a>\n<!-- end -->",
        &["a=one & <two> A&own;", "a.b=in", "a=three"],
    );
    let kept = parser(|options| options.strip_white_space = false);
    check(
        &kept,
        "<a> x <b> &amp;</b> <c>\n</c></a>",
        &["a= x ", "a.b= &"],
    );
}

#[test]
fn what_stands_in_the_text_is_not_copied() {
    let mut pairs = Pairs::default();
    let input = b"<a x='1'> b <!-- c --></a>";
    parser(|_| {}).parse(input, &mut pairs).unwrap();
    assert_eq!(pairs.own(), b"a._xa");
}

#[test]
fn elements_are_left_out_with_all_that_is_in_them() {
    let some = parser(|options| options.exclude_tags = vec!["Debug*".into(), "x:?".into()]);
    check(
        &some,
        "<a>1<DebugInfo k='v'>2<b>3&amp;</b></DebugInfo><x:y/><b>4</b>5<x:z><x:z>6</x:z>7</x:z></a>",
        &["a=1", "a.b=4", "a=5"],
    );
    let all = parser(|options| options.exclude_tags = vec!["*".into()]);
    check(&all, "<a b='c'>d</a>", &[]);
}

#[test]
fn what_is_no_document_is_refused_at_its_place() {
    for (text, at, reason) in [
        ("", 0, "expected an element"),
        ("text", 0, "expected an element"),
        ("<!-- a -->&amp;", 10, "expected an element"),
        ("<a>", 3, "expected the end of an element"),
        ("<a></a><b/>", 7, "expected the end behind the element"),
        ("<a/> x", 4, "expected the end behind the element"),
        (
            "<a><b></a>",
            6,
            "this ends another element than the one that is open",
        ),
        (
            "</a>",
            0,
            "this ends another element than the one that is open",
        ),
        ("<a>a & b</a>", 5, "expected `;` behind `&`"),
        ("<a b=c/>", 0, "expected attributes such as name=\"value\""),
        ("<a b='c/>", 0, "expected the end of what begins here"),
        ("<a><!-- b</a>", 3, "expected the end of what begins here"),
        ("<a>b", 4, "expected the end of an element"),
    ] {
        check_failure(&parser(|_| {}), text, at, reason);
    }
    let mut pairs = Pairs::default();
    let latin = parser(|_| {}).parse(b"<a>\xe9</a>", &mut pairs);
    assert_eq!(latin, Err(Failed::new(3, "expected UTF-8")));
}

#[test]
fn nesting_has_an_end() {
    let nested = |depth: usize| "<a>".repeat(depth) + "x" + &"</a>".repeat(depth);
    let name = ["a"; DEPTH_MAX].join(".");
    check(&parser(|_| {}), &nested(DEPTH_MAX), &[&format!("{name}=x")]);
    let place = 3 * DEPTH_MAX;
    check_failure(
        &parser(|_| {}),
        &nested(DEPTH_MAX + 1),
        place,
        "this is nested too deep",
    );
    let none = parser(|options| options.exclude_tags = vec!["a".into()]);
    check_failure(&none, &nested(100_000), place, "this is nested too deep");
}

#[test]
fn what_is_too_long_is_left_out_and_told() {
    let name = "n".repeat(NAME_BYTES_MAX);
    let text = "t".repeat(OWN_BYTES_MAX);
    for document in [
        format!("<a {name}='1'><{name}>2</{name}><b>3</b></a>"),
        format!("<a><x>{text}&amp;more</x><b>3</b></a>"),
        format!("<a><x>&amp;{text}</x><b>3</b></a>"),
        format!("<a><x>{text}x&amp;<![CDATA[y]]></x><b>3</b></a>"),
    ] {
        check(&parser(|_| {}), &document, &["a.b=3"]);
        let mut pairs = Pairs::default();
        parser(|_| {})
            .parse(document.as_bytes(), &mut pairs)
            .unwrap();
        assert!(pairs.is_truncated());
    }
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let refused = |tags: &[String]| {
        let options = XmlOptions {
            exclude_tags: tags.to_vec(),
            ..XmlOptions::default()
        };
        XmlParser::new(&options).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&[String::new()]),
        "`exclude_tags` is empty: write the name of an element, such as \"Debug*\""
    );
    assert_eq!(
        refused(&vec!["a".into(); 65]),
        "`exclude_tags` has 65 members: write at most 64"
    );
}

#[test]
fn any_bytes_are_taken() {
    let words = [
        "<a>",
        "</a>",
        "<b x='1' y=\"&lt;\">",
        "</b>",
        "<c/>",
        "text ",
        "&amp;",
        "&#65;",
        "&x;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?p",
        "?>",
        "<!DOCTYPE d [",
        "]>",
        "<EventData>",
        "</EventData>",
        "<Data Name='n'>",
        "</Data>",
        " ",
        "\u{e9}",
    ];
    check_any_bytes(&parser(|_| {}), &words);
    let odd = parser(|options| {
        options.strip_white_space = false;
        options.is_windows_event = true;
        options.exclude_tags = vec!["b*".into()];
    });
    check_any_bytes(&odd, &words);
}
