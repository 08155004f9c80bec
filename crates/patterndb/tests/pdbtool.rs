//! Random databases and messages for syslog-ng's `pdbtool` and for us: the same rule, values and tags.
//!
//! Left out is what Debian's syslog-ng 3.38 does otherwise than later ones, whose way is ours: a plus sign in
//! front of numbers, a minus sign in front of hexadecimal ones, quotations inside each other, and
//! `@NLSTRING@` without a line feed.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use patterndb::Database;
use testkit::peers::program;
use testkit::{Random, need};

const DATABASES: u64 = 100;
const RULES: u64 = 12;
const MESSAGES: u64 = 120;

/// Names of values. Few, so that several parsers of a pattern have the same.
const NAMES: [&str; 6] = ["a", "b", "c.d", "", "", "e"];

/// Patterns of programs, each with a program that it takes.
const PROGRAMS: [(&str, &str); 9] = [
    ("prg", "prg"),
    ("prgx", "prgxy"),
    ("p", "pq"),
    ("sshd", "sshd"),
    ("x@NUMBER:pn@", "x12"),
    ("ab@STRING:ps@", "abcd"),
    ("@ESTRING:pe:-@z", "q-z"),
    ("", "other"),
    ("n@ANYSTRING:pe@", "nobody"),
];

/// Literal texts of patterns, and of messages when `@@` is one at sign.
const LITERALS: [&str; 16] = [
    " ", " ", "a", "ab", "abc", "foo", "foo ", ":", "=", "@@", "@@@@", "-", "1", "12", ".", "[",
];

/// Parsers, `%` for a name, each with texts that it takes or nearly takes.
const PARSERS: [(&str, &[&str]); 30] = [
    ("STRING:%", &["abc", "a1", "x", "-"]),
    ("STRING:%:-._", &["a-b", "a.b_c", "...", " "]),
    ("ESTRING:%: ", &["abc ", "a b", "abc"]),
    ("ESTRING:%:=>", &["abc=>", "=>", "a=b"]),
    ("ESTRING:%:", &["abc", "x y"]),
    ("QSTRING:%:\"", &["\"ab c\"", "\"\"", "\"a"]),
    ("QSTRING:%:()", &["(a)", "()"]),
    ("QSTRING:%:(", &["(a(", "(a"]),
    ("NUMBER:%", &["12", "-7", "0x1F", "0x", "-"]),
    ("NUMBER", &["12", "007"]),
    ("FLOAT:%", &["1.5", "-2.", ".5", "1e5", "1E-3x", "-", "."]),
    ("DOUBLE:%", &["1.5", "12"]),
    (
        "IPv4:%",
        &[
            "10.0.0.1",
            "1.2.3.4.5",
            "256.1.1.1",
            "1.2.3",
            "1..2.3",
            "0001.2.3.4",
        ],
    ),
    (
        "IPv6:%",
        &[
            "::1",
            "fe80::1",
            "1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8:9",
            "::ffff:10.0.0.1",
            "::",
            "1:2",
            "1::2::3",
            "fe80::1.",
            "fe80::1:",
            "12345::1",
            "1:2:3:4:5:6:1.2.3.4",
            "1::1.2.3",
        ],
    ),
    ("IPvANY:%", &["10.0.0.1", "::1", "1.2.3"]),
    (
        "MACADDR:%",
        &[
            "00:1a:2B:3c:4d:5e",
            "00:1a",
            "00:1a:",
            "0",
            "00:1a:2b:3c:4d:5e:6f",
        ],
    ),
    (
        "LLADDR:%",
        &["00:1a:2B", "00", "0g", "00:11:22:33:44:55:66:77:88"],
    ),
    ("LLADDR:%:3", &["00:1a:2B", "00:1a:2b:3c", "00:1"]),
    ("LLADDR:%:x", &["00:1a:2B"]),
    (
        "HOSTNAME:%",
        &[
            "a.b",
            "www.example.com.",
            "localhost",
            "-.-",
            "a..b",
            "a.b.-c",
        ],
    ),
    (
        "EMAIL:%",
        &[
            "a@b.c",
            "@b.c",
            ".a@b.c",
            "a.@b.c",
            "a+b@x.y.",
            "a@b",
            "a.b@c.d-e",
        ],
    ),
    ("EMAIL:%:<>", &["<a@b.c>", "<<a@b.c", "<>@b.c>>", "a@b.c>x"]),
    ("ANYSTRING:%", &["anything at all", "x"]),
    ("SET:%:abc", &["abcab", "b", "d"]),
    ("SET:%: ", &["  ", " "]),
    ("OPTIONALSET:%:abc", &["cab", "d", ""]),
    ("OPTIONALSET::-", &["--", ""]),
    ("PCRE:%:[a-c]+", &["abcd", "d", "b"]),
    ("PCRE:%:a|ab|[0-9]{2,3}", &["ab", "12", "1234", "c"]),
    ("PCRE:%:(x*)y?", &["xxy", "y", "z"]),
];

/// A part of a pattern: a literal text or a parser, by its place in the tables.
#[derive(Clone, Copy)]
enum Part {
    Literal(&'static str),
    Parser(usize, &'static str),
}

fn pick<T: Copy>(random: &mut Random, all: &[T]) -> T {
    *random.pick(all)
}

/// A place in a list.
fn place(random: &mut Random, len: usize) -> usize {
    usize::try_from(random.below(len as u64)).unwrap_or(0)
}

fn part(random: &mut Random) -> Part {
    match random.below(5) {
        0..3 => Part::Literal(pick(random, &LITERALS)),
        _ => {
            let at = place(random, PARSERS.len());
            Part::Parser(at, pick(random, &NAMES))
        }
    }
}

/// A pattern; some begin as an earlier one does.
fn pattern(random: &mut Random, earlier: &[Vec<Part>]) -> Vec<Part> {
    // Space at the start would be no part of the message.
    let mut parts = vec![Part::Literal("m")];
    if !earlier.is_empty() && random.below(2) == 0 {
        let other = random.pick(earlier);
        let end = 1 + place(random, other.len());
        parts.extend(&other[1..end]);
    }
    for _ in 0..=random.below(4) {
        let new = part(random);
        // Behind a parser that may take the end pdbtool's next one reads what is not the message.
        match (parts.last(), new) {
            (Some(Part::Parser(at, _)), Part::Parser(..)) if takes_end(PARSERS[*at].0) => {}
            _ => parts.push(new),
        }
    }
    parts
}

fn takes_end(parser: &str) -> bool {
    let is_set = parser.contains("SET:") || parser.starts_with("EMAIL:%:");
    is_set || parser == "ESTRING:%:"
}

fn pattern_text(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => text += literal,
            Part::Parser(at, name) => {
                let parser = PARSERS[*at].0.replace('%', name);
                _ = write!(text, "@{parser}@");
            }
        }
    }
    text
}

/// A message that a pattern may match; changed a little now and then.
fn message(random: &mut Random, parts: &[Part]) -> String {
    let mut text = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 && random.below(12) == 0 {
            continue;
        }
        match part {
            Part::Literal(literal) => text += &literal.replace("@@", "@"),
            Part::Parser(at, _) => text += pick(random, PARSERS[*at].1),
        }
    }
    if random.below(4) == 0 {
        text += pick(random, &[" ", "x", " tail", "ab", ":1"]);
    }
    text
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

struct Case {
    xml: String,
    /// Programs and messages.
    messages: Vec<(String, String)>,
}

fn case(random: &mut Random) -> Case {
    let mut xml = "<patterndb version='4' pub_date='2026-01-01'>\n".to_owned();
    let mut all: Vec<Vec<Part>> = Vec::new();
    let mut owners = Vec::new();
    // Each program once: rulesets that share some of their programs are an error in both.
    let mut programs = PROGRAMS.to_vec();
    for ruleset in 0..3 {
        _ = writeln!(xml, "<ruleset name='{ruleset}' id='{ruleset}'><patterns>");
        let mut program = "";
        for _ in 0..=random.below(2) {
            let (pattern, taken) = programs.remove(place(random, programs.len()));
            program = taken;
            _ = write!(xml, "<pattern>{}</pattern>", escaped(pattern));
        }
        xml += "</patterns><rules>\n";
        for rule in 0..RULES {
            let parts = pattern(random, &all);
            let text = escaped(&pattern_text(&parts));
            let class = pick(random, &["system", "violation", "security"]);
            _ = writeln!(
                xml,
                "<rule provider='t' id='{ruleset}.{rule}' class='{class}'><patterns>\
                 <pattern>{text}</pattern></patterns><tags><tag>t{rule}</tag></tags></rule>"
            );
            all.push(parts);
            owners.push(program);
        }
        xml += "</rules></ruleset>\n";
    }
    xml += "</patterndb>\n";
    let messages = (0..MESSAGES).map(|_| {
        let at = place(random, all.len());
        let text = message(random, &all[at]);
        let program = match random.below(8) {
            0 => pick(random, &PROGRAMS).1,
            _ => owners[at],
        };
        // The reader of lines takes off space at the end.
        let end = if text.ends_with(' ') { "." } else { "" };
        (program.to_owned(), text + end)
    });
    let messages = messages.collect();
    Case { xml, messages }
}

/// What stands between two values.
const BETWEEN: char = '\u{1f}';

const VALUES: [&str; 7] = ["a", "b", "c.d", "e", "pn", "ps", "pe"];

/// What pdbtool finds in each message.
fn theirs(case: &Case) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let (xml, log) = (folder.path().join("db.xml"), folder.path().join("log"));
    fs::write(&xml, &case.xml)?;
    let lines = case
        .messages
        .iter()
        .map(|(program, message)| format!("<13>Jan  1 00:00:00 host {program}: {message}\n"));
    fs::write(&log, lines.collect::<String>())?;
    let names = VALUES.map(|name| format!("${{{name}}}"));
    let template = format!(
        "${{.classifier.rule_id}}{BETWEEN}${{.classifier.class}}{BETWEEN}${{TAGS}}{BETWEEN}{}\\n",
        names.join(&BETWEEN.to_string())
    );
    let out = Command::new(program("pdbtool", "syslog-ng-core")?)
        .arg("match")
        .args(["-T", &template])
        .arg("-p")
        .arg(&xml)
        .arg("-f")
        .arg(&log)
        .output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    ensure!(
        lines.len() == case.messages.len(),
        "{} lines of {} messages: {}",
        lines.len(),
        case.messages.len(),
        String::from_utf8_lossy(&out.stderr)
    );
    Ok(lines)
}

fn ours(database: &Database, program: &str, message: &str) -> String {
    let found = database.classify(program.as_bytes(), message.as_bytes());
    let Some(found) = found else {
        return format!("{BETWEEN}unknown{BETWEEN}.classifier.unknown");
    };
    let all = found.program_values().chain(found.values());
    let all: Vec<_> = all.collect();
    let values = VALUES.map(|name| {
        let value = all.iter().rfind(|value| value.name == name);
        let value = value.map(|value| value.value).unwrap_or_default();
        String::from_utf8_lossy(value).into_owned()
    });
    let rule = found.rule;
    let mut tags = rule.tags.clone();
    tags.sort_unstable();
    format!(
        "{}{BETWEEN}{}{BETWEEN}{}{BETWEEN}{}",
        rule.id,
        rule.class,
        tags.join(","),
        values.join(&BETWEEN.to_string())
    )
}

/// A line of pdbtool as we write it: with tags in the order of their names, without what it read behind the end of a message, and without values
/// of the program where no rule matches, which we do not hand out.
fn comparable(line: &str) -> String {
    let parts: Vec<&str> = line.split(BETWEEN).collect();
    let parts = parts
        .iter()
        .map(|part| part.split('\0').next().unwrap_or_default());
    let parts: Vec<&str> = parts.collect();
    let mut tags: Vec<&str> = parts
        .get(2)
        .copied()
        .unwrap_or_default()
        .split(',')
        .collect();
    tags.sort_unstable();
    let tags = tags.join(",");
    let mut parts = parts;
    if let Some(part) = parts.get_mut(2) {
        *part = &tags;
    }
    let kept = if parts.first() == Some(&"") {
        3
    } else {
        parts.len()
    };
    parts[..kept].join(&BETWEEN.to_string())
}

#[test]
fn pdbtool_finds_the_same_rules_values_and_tags() -> Result<()> {
    if need(program("pdbtool", "syslog-ng-core"))?.is_none() {
        return Ok(());
    }
    let (mut wrong, mut compared, mut matched) = (Vec::new(), 0, 0);
    for seed in 0..DATABASES {
        let case = case(&mut Random::new(seed));
        let database = Database::parse(case.xml.as_bytes())?;
        let theirs = theirs(&case).with_context(|| format!("seed {seed}"))?;
        for ((program, message), theirs) in case.messages.iter().zip(&theirs) {
            let (ours, theirs) = (ours(&database, program, message), comparable(theirs));
            compared += 1;
            matched += usize::from(!theirs.starts_with(BETWEEN));
            if ours != theirs {
                wrong.push(format!(
                    "seed {seed}: {program:?} {message:?}\n  ours   {ours:?}\n  theirs {theirs:?}"
                ));
            }
        }
    }
    ensure!(
        matched * 3 > compared,
        "{matched} of {compared} match: too few"
    );
    ensure!(
        wrong.is_empty(),
        "{} of {compared} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    Ok(())
}

#[test]
fn the_verdicts_of_examples_are_those_of_pdbtool() -> Result<()> {
    if need(program("pdbtool", "syslog-ng-core"))?.is_none() {
        return Ok(());
    }
    let v3 = include_str!("../testdata/v3.xml");
    let files = [
        v3.to_owned(),
        include_str!("../testdata/v4.xml").to_owned(),
        v3.replace(">bob</test_value>", ">eve</test_value>"),
        v3.replace(">bob</test_value>", "></test_value>"),
        v3.replace(">bob</test_value>", "/>"),
        v3.replace(">Accepted password", ">accepted password"),
        v3.replace("<test_message program='sshd'>", "<test_message>"),
        v3.replace("</patterndb>", ""),
        v3.replace("<rules>", "<rules>text"),
        v3.replace("version='3'", "version='7'"),
        v3.replace("</examples>", "<x/></examples>"),
        v3.replace("@NUMBER:port@", "@NUMER:port@"),
    ];
    let folder = tempfile::tempdir()?;
    let xml = folder.path().join("db.xml");
    let mut codes = Vec::new();
    for file in &files {
        fs::write(&xml, file)?;
        for id in [None, Some("accepted"), Some("nope")] {
            let mut command = Command::new(program("pdbtool", "syslog-ng-core")?);
            command.arg("test").arg(&xml);
            if let Some(id) = id {
                command.args(["--rule-id", id]);
            }
            let theirs = command.output()?.status.code();
            let ours = patterndb::tool::test(file.as_bytes(), id);
            let code = i32::from(ours.verdict.code());
            ensure!(
                theirs == Some(code),
                "{id:?}: {theirs:?}, not {code}: {}\n{file}",
                ours.text
            );
            codes.push(code);
        }
    }
    codes.sort_unstable();
    codes.dedup();
    ensure!(codes == [0, 1, 2, 3], "{codes:?}");
    Ok(())
}
