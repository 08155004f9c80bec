//! The same texts to Python's own modules and to our parsers: generated ones, and hostile ones made of what
//! means something to the format. The texts are the same in each run.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use model::Timestamp;
use parsers::{
    CsvEscapes, CsvOptions, CsvParser, DatePattern, JsonOptions, JsonParser, Pairs, Parser,
    RegexParser, XmlOptions, XmlParser,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Names and values; nothing where a text is not of the format.
type Found = Option<Vec<(Vec<u8>, Vec<u8>)>>;

/// Texts of each kind, a second or two of a debug build.
const TEXTS: usize = 1_000;

/// So many texts, always the same.
fn texts(strategy: impl Strategy<Value = String>) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let mut next = || strategy.new_tree(&mut runner).map(|tree| tree.current());
    // A strategy that takes all of its values never fails.
    (0..TEXTS).flat_map(|_| next()).collect()
}

/// Words in any order.
fn soup(words: &'static [&'static str], count_max: usize) -> BoxedStrategy<String> {
    let word = proptest::sample::select(words);
    let text = proptest::collection::vec(word, 0..count_max);
    text.prop_map(|words| words.concat()).boxed()
}

/// The lines that Python answers with.
fn ask(format: &str, texts: &[String]) -> Result<Vec<String>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
    let mut python = Command::new("python3")
        .env("PYTHONUTF8", "1")
        .arg(script)
        .arg(format)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let lines: String = texts
        .iter()
        .map(|text| encode(text.as_bytes()) + "\n")
        .collect();
    let mut input = python.stdin.take().ok_or("no input")?;
    let writer = thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = python.wait_with_output()?;
    writer.join().map_err(|_| "the writer panicked")??;
    assert!(output.status.success(), "the oracle failed");
    let answers = String::from_utf8(output.stdout)?;
    let answers: Vec<String> = answers.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), texts.len(), "an answer for each text");
    Ok(answers)
}

/// What Python finds in each text.
fn expected(format: &str, texts: &[String]) -> Result<Vec<Found>> {
    let pair = |pair: &str| -> Result<_> {
        let (name, value) = pair.split_once('=').ok_or("no pair")?;
        Ok((decode(name)?, decode(value)?))
    };
    let found = |line: &String| match line.as_str() {
        "!" => Ok(None),
        line => line
            .split_whitespace()
            .map(pair)
            .collect::<Result<_>>()
            .map(Some),
    };
    ask(format, texts)?.iter().map(found).collect()
}

fn encode(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn decode(digits: &str) -> Result<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16);
    Ok((0..digits.len())
        .step_by(2)
        .map(byte)
        .collect::<std::result::Result<_, _>>()?)
}

/// What a parser finds in a text.
fn found(parser: &dyn Parser, text: &str) -> Found {
    let mut pairs = Pairs::default();
    parser.parse(text.as_bytes(), &mut pairs).ok()?;
    let get = |piece| pairs.get(piece, text.as_bytes()).to_vec();
    let found = pairs.pairs().iter();
    Some(
        found
            .map(|pair| (get(pair.name), get(pair.value)))
            .collect(),
    )
}

/// Compares all texts; returns how many Python has taken.
fn compare(parser: &dyn Parser, format: &str, texts: &[String]) -> Result<usize> {
    let mut taken = 0;
    for (text, expected) in texts.iter().zip(expected(format, texts)?) {
        assert_eq!(found(parser, text), expected, "{text:?}");
        taken += usize::from(expected.is_some());
    }
    Ok(taken)
}

const TEXT_WORDS: &[&str] = &[
    "a",
    "b c",
    "\\n",
    "\\\"",
    "\\\\",
    "\\/",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\udc00x",
    "\u{e9}",
    "\u{1f600}",
    "\t",
    "{",
    "]",
    ",",
    ":",
    "=",
];

/// Documents of any form.
fn json() -> impl Strategy<Value = String> {
    let text = soup(TEXT_WORDS, 4)
        .prop_map(|text| format!("\"{text}\""))
        .boxed();
    let number = "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?";
    let leaf = prop_oneof![
        text.clone(),
        number.prop_map(|text| text),
        proptest::sample::select(&["true", "false", "null"][..]).prop_map(str::to_owned),
    ];
    let space = proptest::sample::select(&["", " ", "\n\t"][..]);
    let value = leaf.prop_recursive(5, 40, 4, move |inner| {
        let member = (text.clone(), space.clone(), inner.clone());
        let member = member.prop_map(|(key, space, value)| format!("{key}{space}:{value}{space}"));
        prop_oneof![
            proptest::collection::vec(member, 0..4)
                .prop_map(|all| format!("{{{}}}", all.join(", "))),
            proptest::collection::vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(" ,"))),
        ]
    });
    let members = proptest::collection::vec(value, 0..5);
    members.prop_map(|values| {
        let member = |(number, value): (usize, &String)| format!("\"k{number}\":{value}");
        let members: Vec<String> = values.iter().enumerate().map(member).collect();
        format!("{{{}}}", members.join(","))
    })
}

#[test]
fn objects_are_as_python_reads_them() -> Result {
    let parser = JsonParser::new(&JsonOptions::default())?;
    let taken = compare(&parser, "json", &texts(json()))?;
    assert_eq!(taken, TEXTS, "those are all objects");
    Ok(())
}

#[test]
fn what_python_takes_for_an_object_is_one_and_nothing_else() -> Result {
    const WORDS: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        "\"a\":",
        "\"\":",
        "\"b\"",
        "\"",
        "1",
        "-",
        "0",
        ".5",
        "e3",
        "NaN",
        "true",
        "null",
        ",",
        ":",
        " ",
        "\\",
        "\\u12",
        "\n",
        "\u{feff}",
        "{\"a\":",
        "{}",
        "{\"x\":[1,{\"y\":\"z\"}]}",
    ];
    let parser = JsonParser::new(&JsonOptions::default())?;
    let mut all = texts(soup(WORDS, 8));
    // Documents that break off, or have something else in them.
    for (number, text) in texts(json()).into_iter().enumerate() {
        let mut cut = text.len() * (number % 97) / 97;
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let (start, end) = text.split_at(cut);
        all.push(format!("{start}{}{end}", WORDS[number % WORDS.len()]));
        all.push(start.to_owned());
    }
    let taken = compare(&parser, "json", &all)?;
    assert!(
        taken > 100 && taken < all.len() / 2,
        "{taken} of both kinds"
    );
    Ok(())
}

#[test]
fn nesting_ends_where_it_ends_for_python() -> Result {
    let parser = JsonParser::new(&JsonOptions::default())?;
    let nested = |depth: usize, open: &str, close: &str| {
        format!("{{\"k\":{}1{}}}", open.repeat(depth), close.repeat(depth))
    };
    let texts: Vec<String> = (28..36)
        .flat_map(|depth| [nested(depth, "[", "]"), nested(depth, "{\"a\":", "}")])
        .collect();
    let taken = compare(&parser, "json", &texts)?;
    assert!(taken > 0 && taken < texts.len());
    Ok(())
}

fn csv(change: impl FnOnce(&mut CsvOptions)) -> Result<CsvParser> {
    let mut options = CsvOptions {
        columns: (0..8).map(|number| format!("c{number}")).collect(),
        strip_white_space: false,
        ..CsvOptions::default()
    };
    change(&mut options);
    Ok(CsvParser::new(&options)?)
}

#[test]
fn columns_are_as_python_reads_them() -> Result {
    const WORDS: &[&str] = &[
        "a", "bc", ",", ",", ",\"", "\",", "\"", "\"\"", ";", ";'", "';", "'", " ", "\t", "\u{e9}",
        "\\",
    ];
    let double = csv(|_| {})?;
    let all = texts(soup(WORDS, 16));
    assert!(compare(&double, "csv_double", &all)? > TEXTS / 2);
    let none = csv(|options| {
        options.delimiters = ";".into();
        options.quote_pairs = "''".into();
        options.escapes = CsvEscapes::None;
    })?;
    assert!(compare(&none, "csv_none", &all)? > TEXTS / 2);
    Ok(())
}

/// Python takes backslashes for escapes outside quotation marks too, so there are none.
#[test]
fn columns_with_backslashes_are_as_python_reads_them() -> Result {
    const WORDS: &[&str] = &["a", "b c", ",", "\\\"", "\\\\", "\\x", "'", "\u{e9}"];
    let quoted = soup(WORDS, 5).prop_map(|text| format!("\"{text}\""));
    let bare = proptest::sample::select(&["", "x", "y z", "x\"y"][..]).prop_map(str::to_owned);
    let column = prop_oneof![quoted, bare];
    let row = proptest::collection::vec(column, 1..10).prop_map(|columns| columns.join(","));
    let backslash = csv(|options| options.escapes = CsvEscapes::Backslash)?;
    assert_eq!(compare(&backslash, "csv_backslash", &texts(row))?, TEXTS);
    Ok(())
}

/// Documents without namespaces, and without line ends in attributes, which Python makes spaces.
fn xml() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "a",
        " ",
        "two words",
        "&amp;",
        "&lt;",
        "&#65;",
        "&#x1F600;",
        "\u{e9}",
        "<!-- c -->",
        "<![CDATA[<x>&y]]>",
        "<?pi x?>",
        "\n",
        "&quot;",
        ">",
        "=",
        "'",
    ];
    const VALUES: &[&str] = &["a", " ", "&amp;", "&#65;", "\u{e9}", ">", "'"];
    let name = proptest::sample::select(&["a", "b-1", "c.d", "_e", "\u{e9}"][..]);
    let attributes = (soup(VALUES, 4), soup(VALUES, 4), 0..3_usize);
    let attributes = attributes.prop_map(|(one, other, count)| {
        let all = [format!(" x=\"{one}\""), format!("\n y = \"{other}\" ")];
        all[..count].concat()
    });
    let attributes = attributes.boxed();
    let leaf = prop_oneof![
        soup(WORDS, 5),
        (name.clone(), attributes.clone())
            .prop_map(|(name, attributes)| format!("<{name}{attributes}/>")),
    ];
    let inside = leaf.prop_recursive(5, 30, 4, {
        let (name, attributes) = (name.clone(), attributes.clone());
        move |inner| {
            let parts = proptest::collection::vec(inner, 0..4);
            (name.clone(), attributes.clone(), parts).prop_map(|(name, attributes, parts)| {
                format!("<{name}{attributes}>{}</{name} >", parts.concat())
            })
        }
    });
    let front =
        proptest::sample::select(&["", "<?xml version=\"1.0\"?>\n", "<!DOCTYPE r>", " "][..]);
    let parts = proptest::collection::vec(inside, 0..4);
    (front, attributes, parts).prop_map(|(front, attributes, parts)| {
        format!(
            "{front}<root{attributes}>{}</root><!-- end -->",
            parts.concat()
        )
    })
}

#[test]
fn documents_are_as_python_reads_them() -> Result {
    let parser = XmlParser::new(&XmlOptions::default())?;
    assert_eq!(compare(&parser, "xml", &texts(xml()))?, TEXTS);
    Ok(())
}

#[test]
fn documents_that_break_off_are_none() -> Result {
    let parser = XmlParser::new(&XmlOptions::default())?;
    let mut cut = texts(xml());
    for (number, text) in cut.iter_mut().enumerate() {
        let mut end = text.len() * (number % 97) / 97;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    let taken = compare(&parser, "xml", &cut)?;
    assert!(taken < TEXTS / 10, "{taken} end behind the root");
    Ok(())
}

/// quick-xml takes more than Python, such as names that are none; what Python takes is the same.
#[test]
fn what_python_takes_for_a_document_is_one() -> Result {
    const WORDS: &[&str] = &[
        "<a>",
        "</a>",
        "<a>",
        "</a>",
        "<b x='1'>",
        "</b>",
        "<c/>",
        "<c y=\"&lt;\"/>",
        "text",
        " ",
        "&amp;",
        "&#65;",
        "&x;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?p",
        "?>",
        "<",
        ">",
        "&",
    ];
    let parser = XmlParser::new(&XmlOptions::default())?;
    let mut all = texts(soup(WORDS, 7));
    let inside = texts(soup(WORDS, 5));
    all.extend(inside.iter().map(|text| format!("<r>{text}</r>")));
    let mut taken = 0;
    for (text, expected) in all.iter().zip(expected("xml", &all)?) {
        if expected.is_some() {
            assert_eq!(found(&parser, text), expected, "{text:?}");
            taken += 1;
        }
    }
    assert!(taken > 100, "{taken}");
    Ok(())
}

#[test]
fn groups_are_as_python_matches_them() -> Result {
    const PATTERNS: [&str; 6] = [
        r"(?P<user>\w+)@(?P<host>[\w.]+)(?::(?P<port>\d+))?",
        r"^(?P<first>\S+) (?P<rest>.*)$",
        r"(?P<key>[a-z]+)=(?P<value>a|ab|abc)\b",
        r"(?P<lazy>a+?)(?P<greedy>a*)b",
        r"(?i)(?P<word>GET|post) (?P<path>/[^ ?]*)(?P<query>\?\S*)?",
        r"(?P<number>-?\d+(?:\.\d+)?)(?P<unit> ?(?:ms|s))",
    ];
    const WORDS: &[&str] = &[
        "a", "ab", "abc", "@", ".", ":", "80", "-1.5", " ", "=", "b", "get /", "POST /x", "?q",
        "ms", "s", "\u{e9}", "\n",
    ];
    let inputs = texts(soup(WORDS, 20));
    for pattern in PATTERNS {
        let parser = RegexParser::new(pattern)?;
        let both: Vec<String> = inputs
            .iter()
            .map(|text| format!("{pattern}\0{text}"))
            .collect();
        let mut taken = 0;
        for (text, expected) in inputs.iter().zip(expected("regex", &both)?) {
            // Before a line end at the end, `$` is true for Python.
            if text.ends_with('\n') {
                continue;
            }
            assert_eq!(found(&parser, text), expected, "{pattern} on {text:?}");
            taken += usize::from(expected.is_some());
        }
        assert!(taken > 10, "{pattern} matched {taken}");
    }
    Ok(())
}

/// Python prints, we read.
#[test]
fn times_that_python_prints_are_read() -> Result {
    const SECOND: i64 = 1_000_000_000;
    /// Patterns, and what they leave of a time, in nanoseconds.
    const PATTERNS: [(&str, i64); 8] = [
        ("%Y-%m-%dT%H:%M:%S.%f%z", 1_000),
        ("%d/%b/%Y:%H:%M:%S %z", SECOND),
        ("%a %b %d %H:%M:%S.%f %Y %z", 1_000),
        ("%A, %d. %B %y, %I:%M:%S %p %z", SECOND),
        ("%Y%m%d%H%M%S%z", SECOND),
        ("%Y %j %H%M %z", 60 * SECOND),
        ("%D %T %z", SECOND),
        ("%F %R (%z) 100%%", 60 * SECOND),
    ];
    let mut cases = Vec::new();
    let mut runner = TestRunner::deterministic();
    // The years 1970 to 2068, which two digits can say.
    let case = (
        0..3_124_224_000_000_000_i64,
        -720..720_i64,
        0..PATTERNS.len(),
    );
    for _ in 0..TEXTS {
        cases.push(case.new_tree(&mut runner).expect("a case").current());
    }
    let line = |(micros, minutes, number): &(i64, i64, usize)| {
        format!("{}\0{micros}\0{minutes}", PATTERNS[*number].0)
    };
    let lines: Vec<String> = cases.iter().map(line).collect();
    for (answer, (micros, _, number)) in ask("date", &lines)?.iter().zip(cases) {
        let (pattern, unit) = PATTERNS[number];
        let text = decode(answer)?;
        let time = DatePattern::new(pattern)?.parse(&text, Timestamp::default(), |_| None);
        let nanos = micros * 1_000;
        let expected = Timestamp::from_nanos(nanos - nanos.rem_euclid(unit));
        assert_eq!(
            time,
            Ok(expected),
            "{pattern}: {}",
            String::from_utf8_lossy(&text)
        );
    }
    Ok(())
}
