//! The parsers of patterns, `@TYPE:NAME:PARAMETER@`: what each takes of a text.
//!
//! A parser takes one length or none; it is never asked for another one. It takes what syslog-ng's takes, but
//! that a zero byte is a byte like others.
//!
//! There, sets and `@ESTRING::@` take the byte behind the end as well, so that a pattern that ends with them
//! counts as one that takes a start of the message only, and any that takes the whole of it is preferred.
//! Databases in use were tested with that, so it is the same here.

use std::fmt;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2_iter};
use regex::bytes::{Regex, RegexBuilder};

use crate::addresses::{ipv4, ipv6, link_layer};
use crate::bytes::ByteSet;
use crate::error::PatternProblem;
use crate::limits::EXPRESSION_BYTES_MAX;
use crate::rule::ValueType;

/// A parser, ready to be asked.
#[derive(Clone, Debug)]
pub(crate) struct Parser {
    /// Its type as patterns spell it.
    pub(crate) type_name: &'static str,
    /// The name of what it takes; empty for none.
    pub(crate) name: String,
    parameter: Option<String>,
    kind: Kind,
}

/// What a parser took, from where it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    /// How many bytes; one more than there are where the end was taken.
    pub(crate) len: usize,
    /// Where its value starts.
    pub(crate) start: usize,
    /// Where its value ends.
    pub(crate) end: usize,
}

impl Taken {
    fn whole(len: usize) -> Self {
        Self {
            len,
            start: 0,
            end: len,
        }
    }
}

#[derive(Clone, Debug)]
enum Kind {
    Letters(ByteSet),
    Set(ByteSet),
    OptionalSet(ByteSet),
    /// Up to a byte, which is taken as well.
    UpToByte(u8),
    UpToText(Box<Finder<'static>>),
    /// `@ESTRING::@`, which the files in use have at the end of patterns.
    UpToEnd,
    Quoted(u8, u8),
    /// Quotation marks that are missing.
    Never,
    Number,
    Float,
    Ipv4,
    Ipv6,
    IpAny,
    LinkLayer(usize),
    HostName,
    Email(Option<ByteSet>),
    Any,
    Line,
    Expression(Box<Regex>),
}

/// Names of types, and what a parameter is to them.
const TYPES: [(&str, Parameter); 18] = [
    ("ANYSTRING", Parameter::Ignored),
    ("DOUBLE", Parameter::Ignored),
    ("EMAIL", Parameter::Ignored),
    ("ESTRING", Parameter::Needed),
    ("FLOAT", Parameter::Ignored),
    ("HOSTNAME", Parameter::Ignored),
    ("IPv4", Parameter::Ignored),
    ("IPv6", Parameter::Ignored),
    ("IPvANY", Parameter::Ignored),
    ("LLADDR", Parameter::Ignored),
    ("MACADDR", Parameter::Ignored),
    ("NLSTRING", Parameter::Refused),
    ("NUMBER", Parameter::Ignored),
    ("OPTIONALSET", Parameter::Needed),
    ("PCRE", Parameter::Needed),
    ("QSTRING", Parameter::Needed),
    ("SET", Parameter::Needed),
    ("STRING", Parameter::Ignored),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parameter {
    Needed,
    Ignored,
    Refused,
}

impl Parser {
    /// Reads what stands between two at signs.
    pub(crate) fn read(text: &str) -> Result<Self, PatternProblem> {
        let mut parts = text.splitn(3, ':');
        let written = parts.next().unwrap_or_default();
        let name = parts.next().unwrap_or_default().to_owned();
        let parameter = parts.next();
        let found = TYPES.iter().find(|(known, _)| is_type(known, written));
        let Some((type_name, rule)) = found else {
            return Err(PatternProblem::UnknownParser(written.to_owned()));
        };
        match (rule, parameter) {
            (Parameter::Needed, None) => return Err(PatternProblem::NoParameter(type_name)),
            (Parameter::Refused, Some(_)) => return Err(PatternProblem::Parameter(type_name)),
            _ => {}
        }
        // Two names of one type.
        let type_name = if *type_name == "DOUBLE" {
            "FLOAT"
        } else {
            type_name
        };
        Ok(Self {
            type_name,
            name,
            parameter: parameter.map(str::to_owned),
            kind: kind(type_name, parameter)?,
        })
    }

    /// Whether two patterns can share it.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.type_name == other.type_name
            && self.name == other.name
            && self.parameter == other.parameter
    }

    /// The type of its value.
    pub(crate) fn value_type(&self) -> ValueType {
        match self.kind {
            Kind::Number => ValueType::Integer,
            Kind::Float => ValueType::Double,
            _ => ValueType::String,
        }
    }

    /// What it takes of a text from a place on.
    #[inline]
    pub(crate) fn take(&self, text: &[u8], at: usize) -> Option<Taken> {
        let rest = text.get(at..)?;
        match &self.kind {
            Kind::Letters(set) => match set.run(rest) {
                0 => None,
                len => Some(Taken::whole(len)),
            },
            Kind::Set(set) => match set.run(rest) {
                0 => None,
                end => Some(of_set(end, rest)),
            },
            Kind::OptionalSet(set) => Some(of_set(set.run(rest), rest)),
            Kind::UpToByte(end) => memchr(*end, rest).map(|end| up_to(end, 1)),
            Kind::UpToText(finder) => finder
                .find(rest)
                .map(|end| up_to(end, finder.needle().len())),
            Kind::UpToEnd => Some(up_to(rest.len(), 1)),
            Kind::Quoted(open, close) => quoted(rest, *open, *close),
            Kind::Never => None,
            Kind::Number => number(rest).map(Taken::whole),
            Kind::Float => float(rest).map(Taken::whole),
            Kind::Ipv4 => ipv4(rest).map(Taken::whole),
            Kind::Ipv6 => ipv6(rest).map(Taken::whole),
            Kind::IpAny => ipv4(rest).or_else(|| ipv6(rest)).map(Taken::whole),
            Kind::LinkLayer(octets_max) => link_layer(rest, *octets_max).map(Taken::whole),
            Kind::HostName => host_name(rest).map(Taken::whole),
            Kind::Email(around) => {
                let before = at.checked_sub(1).and_then(|before| text.get(before));
                email(rest, before.copied(), around.as_ref())
            }
            Kind::Any => Some(Taken::whole(rest.len())),
            Kind::Line => Some(Taken::whole(line(rest))),
            Kind::Expression(expression) => {
                expression.find(rest).map(|found| Taken::whole(found.end()))
            }
        }
    }
}

impl fmt::Display for Parser {
    /// As patterns have it between at signs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.type_name, self.name)?;
        match &self.parameter {
            Some(parameter) => write!(f, ":{parameter}"),
            None => Ok(()),
        }
    }
}

/// Whether a type is meant. Behind `QSTRING` anything may stand.
fn is_type(known: &str, written: &str) -> bool {
    known == written || (known == "QSTRING" && written.starts_with(known))
}

fn kind(type_name: &str, parameter: Option<&str>) -> Result<Kind, PatternProblem> {
    let link_layer = parameter.map_or(LINK_LAYER_OCTETS, octets_max);
    let around = parameter.map(|parameter| ByteSet::of(parameter.as_bytes()));
    let set = around.unwrap_or_default();
    let parameter = parameter.unwrap_or_default();
    Ok(match type_name {
        "STRING" => Kind::Letters(set.with_alphanumerics()),
        "SET" => Kind::Set(set),
        "OPTIONALSET" => Kind::OptionalSet(set),
        "ESTRING" => match parameter.as_bytes() {
            [] => Kind::UpToEnd,
            [end] => Kind::UpToByte(*end),
            end => Kind::UpToText(Box::new(Finder::new(end).into_owned())),
        },
        "QSTRING" => match parameter.as_bytes() {
            [] => Kind::Never,
            [mark] => Kind::Quoted(*mark, *mark),
            [open, close, ..] => Kind::Quoted(*open, *close),
        },
        "NUMBER" => Kind::Number,
        "FLOAT" => Kind::Float,
        "IPv4" => Kind::Ipv4,
        "IPv6" => Kind::Ipv6,
        "IPvANY" => Kind::IpAny,
        "MACADDR" => Kind::LinkLayer(6),
        "LLADDR" => Kind::LinkLayer(link_layer),
        "HOSTNAME" => Kind::HostName,
        "EMAIL" => Kind::Email(around),
        "NLSTRING" => Kind::Line,
        "PCRE" => Kind::Expression(Box::new(expression(parameter)?)),
        _ => Kind::Any,
    })
}

/// What takes the text up to an end, and the end.
fn up_to(end: usize, end_len: usize) -> Taken {
    Taken {
        len: end + end_len,
        start: 0,
        end,
    }
}

/// What a set took of a text up to a place.
fn of_set(end: usize, text: &[u8]) -> Taken {
    up_to(end, usize::from(end == text.len()))
}

fn quoted(text: &[u8], open: u8, close: u8) -> Option<Taken> {
    if text.first() != Some(&open) {
        return None;
    }
    let end = match open == close {
        true => memchr(close, text.get(1..)?)? + 1,
        false => {
            let mut depth = 0_usize;
            memchr2_iter(open, close, text).find(|at| {
                match text.get(*at) == Some(&open) {
                    true => depth += 1,
                    false => depth -= 1,
                }
                depth == 0
            })?
        }
    };
    Some(Taken {
        len: end + 1,
        start: 1,
        end,
    })
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn sign(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'+' | b'-')))
}

fn number(text: &[u8]) -> Option<usize> {
    let sign = sign(text);
    let rest = text.get(sign..)?;
    let (before, len) = match rest {
        [b'0', b'x' | b'X', hexadecimal @ ..] => {
            let all = hexadecimal.iter();
            (2, all.take_while(|byte| byte.is_ascii_hexdigit()).count())
        }
        _ => (0, digits(rest)),
    };
    (len > 0).then_some(sign + before + len)
}

/// A number with a fraction and an exponent; each part of it may be missing, but not all.
fn float(text: &[u8]) -> Option<usize> {
    let behind = |at: usize| text.get(at..).unwrap_or_default();
    let mut len = sign(text);
    len += digits(behind(len));
    if behind(len).first() == Some(&b'.') {
        len += 1;
        len += digits(behind(len));
    }
    if len > 0 && matches!(behind(len).first(), Some(b'e' | b'E')) {
        len += 1;
        len += sign(behind(len));
        len += digits(behind(len));
    }
    (len > 0).then_some(len)
}

/// Labels with dots between: how long they are, and how many.
fn labels(text: &[u8]) -> (usize, usize) {
    let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let (mut len, mut count) = (0, 0);
    loop {
        let rest = text.get(len..).unwrap_or_default();
        let label = rest.iter().take_while(is_label).count();
        if label == 0 {
            return (len, count);
        }
        count += 1;
        len += label;
        if rest.get(label) != Some(&b'.') {
            return (len, count);
        }
        len += 1;
    }
}

fn host_name(text: &[u8]) -> Option<usize> {
    let (len, count) = labels(text);
    (count >= 2).then_some(len)
}

/// An address with bytes of a set around it, of which the value has none. `before` is the byte in front:
/// as in syslog-ng, an address whose local part is empty is refused behind a dot only.
fn email(text: &[u8], before: Option<u8>, around: Option<&ByteSet>) -> Option<Taken> {
    let is_local =
        |byte: &&u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(*byte);
    let start = around.map_or(0, |around| around.run(text));
    let rest = text.get(start..)?;
    if rest.first() == Some(&b'.') {
        return None;
    }
    let local = rest.iter().take_while(is_local).count();
    let at = start + local;
    let last = match at.checked_sub(1) {
        Some(last) => text.get(last).copied(),
        None => before,
    };
    if last == Some(b'.') || text.get(at) != Some(&b'@') {
        return None;
    }
    let host = text.get(at + 1..)?;
    let (host_len, count) = labels(host);
    let end = at + 1 + host_len;
    let behind = text.get(end..)?;
    let behind_len = around.map_or(0, |around| of_set(around.run(behind), behind).len);
    (count >= 2).then_some(Taken {
        len: end + behind_len,
        start,
        end,
    })
}

/// Up to the end of the line.
fn line(text: &[u8]) -> usize {
    match memchr(b'\n', text) {
        Some(end) => match text.get(..end) {
            Some([line @ .., b'\r']) => line.len(),
            _ => end,
        },
        None => text.len(),
    }
}

/// Most octets of an `@LLADDR@` without a parameter: those of InfiniBand.
const LINK_LAYER_OCTETS: usize = 20;

/// The number at the start of the parameter of `@LLADDR@`.
fn octets_max(parameter: &str) -> usize {
    let len = digits(parameter.as_bytes());
    parameter
        .get(..len)
        .unwrap_or_default()
        .parse()
        .unwrap_or(0)
}

/// A regular expression for the start of a text, over bytes as syslog-ng's are.
fn expression(text: &str) -> Result<Regex, PatternProblem> {
    let anchored = format!("\\A(?:{text})");
    let build = |is_unicode: bool| {
        RegexBuilder::new(&anchored)
            .unicode(is_unicode)
            .size_limit(EXPRESSION_BYTES_MAX)
            .build()
    };
    // A class such as `\p{L}` needs Unicode, which costs time on each message.
    let built = build(false).or_else(|_| build(true));
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => PatternProblem::ExpressionTooLarge,
        error => {
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            PatternProblem::Expression(reason.to_owned())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a parser takes of a text: its value, and what is left.
    fn taken<'t>(parser: &str, text: &'t str) -> Option<(&'t str, &'t str)> {
        let parser = Parser::read(parser).unwrap_or_else(|problem| panic!("{parser}: {problem}"));
        let taken = parser.take(text.as_bytes(), 0)?;
        let rest = text.get(taken.len..).unwrap_or("(behind the end)");
        Some((&text[taken.start..taken.end], rest))
    }

    #[test]
    fn each_parser_takes_what_the_documentation_says() {
        let cases = [
            ("STRING:a", "ab1 c", Some(("ab1", " c"))),
            ("STRING:a:-.", "ab-1.c d", Some(("ab-1.c", " d"))),
            ("STRING:a", "-", None),
            ("ESTRING:a:,", "ab,c", Some(("ab", "c"))),
            ("ESTRING:a:=>", "a=b=>c", Some(("a=b", "c"))),
            ("ESTRING:a::", "a:b", Some(("a", "b"))),
            ("ESTRING:a:,", "abc", None),
            ("ESTRING:a:", "abc", Some(("abc", "(behind the end)"))),
            ("QSTRING:a:\"", "\"a b\" c", Some(("a b", " c"))),
            ("QSTRING:a:()", "(a(b)c)d", Some(("a(b)c", "d"))),
            ("QSTRING:a:()", "((a)", None),
            ("QSTRING:a:", "abc", None),
            ("NUMBER:a", "12x", Some(("12", "x"))),
            ("NUMBER:a", "+12", Some(("+12", ""))),
            ("NUMBER:a", "-0x1Fg", Some(("-0x1F", "g"))),
            ("NUMBER:a", "0x", None),
            ("NUMBER:a", "-", None),
            ("FLOAT:a", "-1.5e-3 ", Some(("-1.5e-3", " "))),
            ("DOUBLE:a", "1.", Some(("1.", ""))),
            ("FLOAT:a", "e5", None),
            ("IPv4:a", "192.0.2.1:80", Some(("192.0.2.1", ":80"))),
            ("IPv4:a", "192.0.2.256", None),
            ("IPv6:a", "2001:db8::1 ", Some(("2001:db8::1", " "))),
            (
                "IPv6:a",
                "::ffff:192.0.2.1.",
                Some(("::ffff:192.0.2.1", ".")),
            ),
            ("IPv6:a", "1:2:3", None),
            ("IPvANY:a", "192.0.2.1", Some(("192.0.2.1", ""))),
            ("IPvANY:a", "fe80::1", Some(("fe80::1", ""))),
            (
                "MACADDR:a",
                "00:1a:2b:3c:4d:5e:6f",
                Some(("00:1a:2b:3c:4d:5e", ":6f")),
            ),
            ("LLADDR:a:8", "00:1a:zz", Some(("00:1a", ":zz"))),
            (
                "HOSTNAME:a",
                "www.example.com:80",
                Some(("www.example.com", ":80")),
            ),
            ("HOSTNAME:a", "localhost", None),
            (
                "EMAIL:a:<>",
                "<a.b@example.com> ok",
                Some(("a.b@example.com", " ok")),
            ),
            ("EMAIL:a", "a.@example.com", None),
            ("ANYSTRING:a", "a\nb", Some(("a\nb", ""))),
            ("NLSTRING:a", "a b\r\nc", Some(("a b", "\r\nc"))),
            ("NLSTRING:a", "a b", Some(("a b", ""))),
            ("SET:a:xy", "xyz", Some(("xy", "z"))),
            ("SET:a:xy", "z", None),
            ("OPTIONALSET:a:xy", "z", Some(("", "z"))),
            ("PCRE:a:[a-z]+(?:1|2)", "ab2c", Some(("ab2", "c"))),
            ("PCRE:a:b", "ab", None),
        ];
        for (parser, text, expected) in cases {
            assert_eq!(taken(parser, text), expected, "@{parser}@ of {text:?}");
        }
    }

    #[test]
    fn what_is_no_parser_is_told() {
        let problem = |text: &str| Parser::read(text).expect_err(text).to_string();
        assert!(problem("NUMER:a").contains("there is no parser `NUMER`"));
        assert!(problem("ESTRING:a").contains("needs a parameter"));
        assert!(problem("NLSTRING:a:b").contains("takes no parameter"));
        assert!(problem("PCRE:a:(?=b)").contains("look-around"));
        assert!(problem("PCRE:a:(").contains("cannot be read"));
        assert!(problem("PCRE:a:\\w{999}{999}").contains("takes more than"));
    }

    #[test]
    fn numbers_have_a_type() {
        let value_type = |text: &str| Parser::read(text).expect(text).value_type();
        assert_eq!(value_type("NUMBER:a"), ValueType::Integer);
        assert_eq!(value_type("DOUBLE:a"), ValueType::Double);
        assert_eq!(value_type("STRING:a"), ValueType::String);
    }
}
