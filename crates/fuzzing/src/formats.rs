//! What steps take texts apart by.

use model::Timestamp;
use parsers::{
    AccessLogParser, CefOptions, CefParser, CsvEscapes, CsvOptions, CsvParser, DatePattern,
    GrokOptions, GrokParser, JsonOptions, JsonParser, KvOptions, KvParser, LeefParser, ListOptions,
    ListParser, Pairs, Parser, RegexParser, XmlOptions, XmlParser, limits,
};

/// Longest pattern, in bytes: people write those, and what they take to compile is theirs.
const PATTERN_BYTES_MAX: usize = 64;

/// Pairs as syslog-ng has them, and with other separators.
pub fn pairs(text: &[u8]) {
    read(KvParser::new(&KvOptions::default()), text);
    let options = KvOptions {
        value_separator: "=>".to_owned(),
        pair_separator: "; ".to_owned(),
        stray_words: Some("rest".to_owned()),
        trim: "<>".to_owned(),
        ..KvOptions::default()
    };
    read(KvParser::new(&options), text);
}

/// A JSON object, all of it and a part. Whatever is taken is JSON for serde_json too, but for bytes that are
/// no characters and control characters, which that refuses.
pub fn json(text: &[u8]) {
    let is_taken = read(JsonParser::new(&JsonOptions::default()), text);
    let is_strict = std::str::from_utf8(text).is_ok() && !text.iter().any(u8::is_ascii_control);
    if is_strict {
        let document: Result<serde_json::Value, _> = serde_json::from_slice(text);
        match document {
            // Numbers that are too large for it, and halves of pairs.
            Err(_) => {}
            Ok(document) if is_taken => assert!(document.is_object()),
            Ok(document) => {
                let depth = text
                    .iter()
                    .filter(|byte| matches!(byte, b'{' | b'['))
                    .count();
                assert!(
                    !document.is_object() || depth > limits::DEPTH_MAX,
                    "an object is refused"
                );
            }
        }
    }
    let options = JsonOptions {
        marker: "@cee:".to_owned(),
        key_delimiter: "/".to_owned(),
        extract: "a.b[1]".to_owned(),
    };
    read(JsonParser::new(&options), text);
}

/// Columns and lists.
pub fn columns(text: &[u8]) {
    let columns: Vec<String> = ["a", "b", "", "d"].map(str::to_owned).to_vec();
    let strict = CsvOptions {
        columns: columns.clone(),
        drop_invalid: true,
        strip_white_space: false,
        ..CsvOptions::default()
    };
    read(CsvParser::new(&strict), text);
    for escapes in [CsvEscapes::None, CsvEscapes::Backslash, CsvEscapes::Double] {
        let lax = CsvOptions {
            columns: columns.clone(),
            delimiters: ",; ".to_owned(),
            string_delimiters: vec!["::".to_owned()],
            quote_pairs: "\"\"[]".to_owned(),
            escapes,
            is_greedy: true,
            null: Some("-".to_owned()),
            ..CsvOptions::default()
        };
        read(CsvParser::new(&lax), text);
    }
    let list = ListOptions {
        name: "element".to_owned(),
        ..ListOptions::default()
    };
    read(ListParser::new(&list), text);
}

/// XML, plain and of Windows.
pub fn xml(text: &[u8]) {
    read(XmlParser::new(&XmlOptions::default()), text);
    let options = XmlOptions {
        strip_white_space: false,
        exclude_tags: vec!["x*".to_owned()],
        is_windows_event: true,
    };
    read(XmlParser::new(&options), text);
}

/// CEF, LEEF and access logs, of which a text is at most one.
pub fn events(text: &[u8]) {
    let cef = CefParser::new(&CefOptions { use_labels: true });
    let all: [&dyn Parser; 3] = [&cef, &LeefParser, &AccessLogParser];
    let taken = all
        .into_iter()
        .filter(|parser| parse(*parser, text))
        .count();
    assert!(
        taken <= 2,
        "CEF or LEEF may be a part of an access log, but not of each other"
    );
}

/// A regular expression or a pattern of grok in the first line, and a text behind it.
pub fn expressions(bytes: &[u8]) {
    let (pattern, text) = first_line(bytes);
    if pattern.len() > PATTERN_BYTES_MAX {
        return;
    }
    if let Ok(parser) = RegexParser::new(&pattern) {
        parse(&parser, text);
    }
    let options = GrokOptions {
        pattern,
        ..GrokOptions::default()
    };
    if let Ok(parser) = GrokParser::new(&options) {
        parse(&parser, text);
    }
}

/// A pattern of a time in the first line, and a time behind it.
pub fn dates(bytes: &[u8]) {
    let (pattern, text) = first_line(bytes);
    let Ok(pattern) = DatePattern::new(&pattern) else {
        return;
    };
    let reference = Timestamp::from_seconds(1_795_284_000);
    for reference in [reference, Timestamp::MIN, Timestamp::MAX] {
        let read = pattern.parse(text, reference, |civil| Timestamp::from_civil(civil, 3_600));
        if let Err(failed) = read {
            assert!(failed.at <= text.len(), "a place that is not there");
        }
    }
}

fn first_line(bytes: &[u8]) -> (String, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (line, text) = bytes.split_at(end.unwrap_or(bytes.len()));
    let line = String::from_utf8_lossy(line).into_owned();
    (line, text.get(1..).unwrap_or_default())
}

/// Takes a text apart with options that fit; returns whether it is of the format.
fn read<P: Parser>(parser: Result<P, parsers::Error>, text: &[u8]) -> bool {
    let Ok(parser) = parser else {
        panic!("these options fit");
    };
    parse(&parser, text)
}

/// Takes a text apart twice, with the same result, whose pieces are there and within the limits.
fn parse(parser: &dyn Parser, text: &[u8]) -> bool {
    let mut pairs = Pairs::default();
    let read = parser.parse(text, &mut pairs);
    if let Err(failed) = read {
        assert!(failed.at <= text.len(), "a place that is not there");
    }
    assert!(pairs.own().len() <= limits::OWN_BYTES_MAX);
    assert!(pairs.pairs().len() <= model::limits::RECORD_FIELDS_MAX);
    for pair in pairs.pairs() {
        for piece in [pair.name, pair.value] {
            let len = pairs.get(piece, text).len();
            assert!(
                len > 0 && len == piece.byte_len(),
                "a piece that is not there"
            );
        }
        assert!(pair.name.byte_len() <= limits::NAME_BYTES_MAX);
    }
    let found = pairs.pairs().to_vec();
    let own = pairs.own().to_vec();
    pairs.clear();
    assert_eq!(parser.parse(text, &mut pairs), read);
    assert_eq!(
        (pairs.pairs(), pairs.own()),
        (found.as_slice(), own.as_slice())
    );
    read.is_ok()
}
