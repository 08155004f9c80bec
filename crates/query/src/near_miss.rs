//! Words that are valid text to search for, though whoever typed them likely meant something else:
//! `host=web1`, `!error`, `a && b`, and the forms of grep, SQL, Lucene, SPL, KQL and LogQL.
//!
//! Pure functions from a word and its surroundings to a hint. A text in quotes is never doubted, so
//! every warning can be answered by quoting the word.

use crate::ast::Target;
use crate::fields;
use crate::scan::{ends_word, is_plain_name};

/// A bare word of a query, and what stands around it.
#[derive(Clone, Copy)]
pub(crate) struct Bare<'t> {
    /// The word as it is written.
    pub(crate) word: &'t str,
    /// The text in front of it.
    pub(crate) before: &'t str,
    /// The text behind it.
    pub(crate) after: &'t str,
}

/// The comparisons of other languages, the longer of two with the same start first.
const COMPARISONS: [&str; 11] = [
    "==", "=~", "!=", "!~", "<>", ">=", "<=", "=", ">", "<", ":=",
];

/// Names that other programs give to the time of a record.
const TIME_NAMES: [&str; 8] = [
    "time",
    "_time",
    "timestamp",
    "@timestamp",
    "received",
    "earliest",
    "latest",
    "since",
];

/// Names that other programs give to a set of records that is kept by itself.
const LOGSPACE_NAMES: [&str; 5] = ["logspace", "index", "sourcetype", "_index", "dataset"];

/// Functions of other languages, and the command of a pipe that does the same.
const FUNCTIONS: [(&str, &str); 8] = [
    ("count", "| count"),
    ("sum", "| sum FIELD"),
    ("avg", "| avg FIELD"),
    ("min", "| min FIELD"),
    ("max", "| max FIELD"),
    ("distinct", "| distinct FIELD"),
    ("dc", "| distinct FIELD"),
    ("count_over_time", "| bars"),
];

/// What starts and ends a quotation elsewhere.
const QUOTES: [(char, char); 6] = [
    ('\u{201c}', '\u{201d}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{ab}', '\u{bb}'),
    ('\'', '\''),
    ('`', '`'),
];

/// Parts of a word that only a regular expression has.
const EXPRESSION_PARTS: [&str; 8] = [
    "\\d+", "\\d{", "\\w+", "\\s+", "\\s*", "[0-9]", "[a-z]", "[A-Z]",
];

/// What the range of time is given by.
const TIME_HINT: &str =
    "the range of time is no part of the query: give it by from and to (--from, --to)";

/// What a logspace is chosen by.
const LOGSPACE_HINT: &str =
    "logspaces are no part of the query: choose them by logspace (--logspace)";

/// What to write in place of a bare word that reads like another language; `None` for most words.
pub(crate) fn hint(bare: Bare<'_>) -> Option<String> {
    operator(bare)
        .or_else(|| negation(bare.word))
        .or_else(|| quotation(bare))
        .or_else(|| selector(bare))
        .or_else(|| comparison(bare))
        .or_else(|| function(bare))
        .or_else(|| statement(bare))
        .or_else(|| relevance(bare))
        .or_else(|| expression(bare.word))
        .or_else(|| percent(bare.word))
        .or_else(|| separated_colon(bare))
}

/// What to write in place of a name in front of a colon that is none of a record's parts.
pub(crate) fn of_field(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "received" | "time" | "_time" => Some(TIME_HINT),
        "logspace" | "_index" | "sourcetype" => Some(LOGSPACE_HINT),
        _ => None,
    }
}

/// What to write in place of a word right behind a field and its colon, or its `=`.
pub(crate) fn of_value(target: &Target, word: &str, is_exact: bool) -> Option<String> {
    let field = name_of(target);
    if is_exact {
        let rest = word.trim_start_matches(['=', '~', '<', '>']);
        return match word.chars().next()? {
            '=' => Some(format!("write `{field}:={rest}`")),
            '~' => Some(format!("write `{field}:/{rest}/`")),
            sign @ ('<' | '>') => Some(format!("write `{field}:{sign}={rest}`")),
            _ => None,
        }
        .filter(|_| !rest.is_empty());
    }
    if let Some(rest) = word.strip_prefix(['!', '-']).filter(|rest| is_text(rest)) {
        return Some(format!("write `NOT {field}:{rest}`"));
    }
    if let Some(rest) = word.strip_prefix('~').filter(|rest| is_text(rest)) {
        return Some(format!("write `{field}:/{rest}/`, or `{field}:*{rest}*`"));
    }
    list(target, word)
}

/// `web1,web2` behind the field of a name, which holds no commas.
pub(crate) fn list(target: &Target, word: &str) -> Option<String> {
    let is_of_names = matches!(
        target,
        Target::Host
            | Target::Program
            | Target::Pid
            | Target::Facility
            | Target::Severity
            | Target::Tag
            | Target::Source
            | Target::Peer
    );
    let parts: Vec<&str> = word.split(',').collect();
    if !is_of_names || parts.len() < 2 || parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    Some(format!(
        "write `{}:({})`",
        name_of(target),
        parts.join(" OR ")
    ))
}

/// `&&` and the like.
fn operator(bare: Bare<'_>) -> Option<String> {
    let operator = match bare.word {
        "&&" | "&" => "AND",
        "!" => "NOT",
        word if word.len() > 2 && (word.starts_with("&&") || word.ends_with("&&")) => "AND",
        _ => return None,
    };
    Some(format!("write `{operator}`"))
}

/// `!error`, `-error`, `+error`, and switches of grep.
fn negation(word: &str) -> Option<String> {
    let rest = word.strip_prefix(['!', '-', '+'])?;
    if word.starts_with('-') && rest.len() == 1 && rest.starts_with(|c: char| c.is_alphabetic()) {
        let hint = "a query has no switches: case makes no difference, `NOT error` leaves records \
                    out, `/err(or)?/` is a regular expression";
        return Some(hint.to_owned());
    }
    if word.starts_with("--") && rest.len() > 2 {
        return Some("flags of the command line stand outside of the query's quotes".to_owned());
    }
    if !is_text(rest) {
        return None;
    }
    Some(match word.starts_with('+') {
        true => format!("every term has to match anyway: write `{rest}`"),
        false => format!("to leave out records write `NOT {rest}`"),
    })
}

/// Quotation marks that are none here.
fn quotation(bare: Bare<'_>) -> Option<String> {
    let first = bare.word.chars().next()?;
    let is_other = |(start, _): &&(char, char)| *start == first;
    let (start, end) = QUOTES.iter().find(is_other)?;
    let quoted = format!("{}{}", bare.word, bare.after);
    let inner = quoted.strip_prefix(*start)?;
    // Editors turn both marks of a pair into the same one now and then.
    let end = inner.find([*end, '\u{201d}', '\u{2019}'])?;
    let inner = inner.get(..end).filter(|inner| !inner.contains('"'))?;
    (!inner.trim().is_empty())
        .then(|| format!("only straight double quotes make a phrase: write `\"{inner}\"`"))
}

/// `{host="web1"}` of `LogQL`.
fn selector(bare: Bare<'_>) -> Option<String> {
    let word = bare.word.strip_prefix('{')?;
    let (name, sign, value) = split_comparison(word, bare.after)?;
    let value = value.trim_end_matches('}');
    is_plain_name(name).then(|| compared(name, sign, value))
}

/// `host=web1`, `status>=500`, `host = web1`, and the like.
fn comparison(bare: Bare<'_>) -> Option<String> {
    if COMPARISONS.contains(&bare.word) {
        let name = bare.before.trim_end();
        let name = name.rsplit(ends_word).next().unwrap_or_default();
        let value = first_value(bare.after.trim_start());
        let is_whole = is_plain_name(name) && !value.is_empty();
        return is_whole.then(|| compared(name, bare.word, value));
    }
    let (name, sign, value) = split_comparison(bare.word, bare.after)?;
    let is_doubtful = match sign {
        // Pairs are what many messages are made of, and `a->b` and `x<y` are honest texts too.
        "=" => is_known(name),
        ">" | "<" | ">=" | "<=" => is_known(name) || is_like_number(value),
        _ => true,
    };
    (is_doubtful && !value.is_empty()).then(|| compared(name, sign, value))
}

fn is_like_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a name in front of `=` is more likely one of a field than a part of a message.
fn is_known(name: &str) -> bool {
    let folded = name.to_ascii_lowercase();
    fields::target(name).is_some()
        || fields::other_name(name).is_some()
        || LOGSPACE_NAMES.contains(&folded.as_str())
        || matches!(folded.as_str(), "earliest" | "latest")
}

/// The name, the comparison and the value of a word; the value may be a phrase behind the word.
fn split_comparison<'t>(word: &'t str, after: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    let at = word.find(['=', '!', '<', '>'])?;
    let (name, rest) = word.split_at(at);
    let sign = COMPARISONS.iter().find(|sign| rest.starts_with(**sign))?;
    let value = rest.strip_prefix(sign)?;
    let value = if value.is_empty() {
        first_value(after)
    } else {
        value
    };
    is_plain_name(name).then_some((name, *sign, value))
}

/// The first word or phrase of a text, a phrase with its quotes.
fn first_value(text: &str) -> &str {
    if let Some(inner) = text.strip_prefix('"') {
        let end = inner.find('"').map(|end| end + 2);
        return end.and_then(|end| text.get(..end)).unwrap_or_default();
    }
    text.split(ends_word).next().unwrap_or_default()
}

/// A comparison of another language in the words of this one.
fn compared(name: &str, sign: &str, value: &str) -> String {
    let folded = name.to_ascii_lowercase();
    if TIME_NAMES.contains(&folded.as_str()) {
        return TIME_HINT.to_owned();
    }
    if LOGSPACE_NAMES.contains(&folded.as_str()) {
        return LOGSPACE_HINT.to_owned();
    }
    let name = fields::other_name(name).unwrap_or(name);
    let is_severity = fields::target(name) == Some(Target::Severity);
    let bare = value.trim_matches('"');
    match sign {
        "=" | "==" | ":=" => format!("to search the field write `{name}:{value}`"),
        "!=" | "<>" => format!("to leave out values of the field write `NOT {name}:{value}`"),
        "=~" => format!("to search the field write `{name}:/{bare}/`"),
        "!~" => format!("to leave out values of the field write `NOT {name}:/{bare}/`"),
        ">" | ">=" if is_severity => format!(
            "to compare the field write `{name}:{sign}{bare}`; but the worse a severity, the \
             smaller it is: `{name}:<={bare}` finds {bare} and worse"
        ),
        _ => format!("to compare the field write `{name}:{sign}{bare}`"),
    }
}

/// `count(*)`.
fn function(bare: Bare<'_>) -> Option<String> {
    let is_called = bare.after.starts_with('(');
    let named = FUNCTIONS.iter().filter(|_| is_called);
    let (_, command) = named
        .into_iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(bare.word))?;
    Some(format!(
        "records are summarised behind the query: `{command}` (logwood query)"
    ))
}

/// `select * from logs where ...`.
fn statement(bare: Bare<'_>) -> Option<String> {
    let has_from = bare.after.to_ascii_lowercase().contains(" from ");
    let is_statement =
        bare.word.eq_ignore_ascii_case("select") && bare.before.trim().is_empty() && has_from;
    is_statement.then(|| {
        "this is no SQL: a query has conditions such as `host:web1 AND error`, and behind it a \
         pipe makes a table: `| count by host`"
            .to_owned()
    })
}

/// `error~2`, `error^3`, `"a b"~5` of Lucene.
fn relevance(bare: Bare<'_>) -> Option<String> {
    let at = bare.word.find(['~', '^'])?;
    let (term, suffix) = bare.word.split_at(at);
    let number = suffix.get(1..)?;
    let is_number = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_boost = suffix.starts_with('^') && !number.is_empty();
    let is_suffix = is_number && (is_boost || suffix.starts_with('~'));
    let is_behind = match term.is_empty() {
        true => bare.before.ends_with(['"', ')', '/']),
        false => term.chars().all(char::is_alphanumeric),
    };
    (is_suffix && is_behind).then(|| {
        format!("answers have no relevance and terms no fuzziness: leave out `{suffix}`; `*` stands for any characters")
    })
}

/// `.*error.*` and the like, which are regular expressions elsewhere.
fn expression(word: &str) -> Option<String> {
    let has_part = EXPRESSION_PARTS.iter().any(|part| word.contains(part));
    let run = word.find(".*").or_else(|| word.find(".+"));
    let behind = run.and_then(|at| word.get(at + 2..)).unwrap_or_default();
    let has_letters = word.chars().any(char::is_alphabetic);
    let has_run = has_letters && behind.starts_with(|c: char| c.is_alphanumeric());
    let is_anchored = word.starts_with('^') && has_letters;
    let is_meant = has_part || has_run || is_anchored;
    is_meant.then(|| format!("a regular expression stands between slashes: `/{word}/`"))
}

/// `%error%` of SQL.
fn percent(word: &str) -> Option<String> {
    let inner = word.strip_prefix('%')?.strip_suffix('%')?;
    is_text(inner).then(|| format!("`*` stands for any characters: write `*{inner}*`"))
}

/// `host :web1`.
fn separated_colon(bare: Bare<'_>) -> Option<String> {
    let value = bare.word.strip_prefix(':')?;
    let before = bare.before.strip_suffix(char::is_whitespace)?.trim_end();
    let name = before.rsplit(ends_word).next().unwrap_or_default();
    let is_field = is_plain_name(name) && !value.starts_with(':');
    is_field.then(|| match value.is_empty() {
        true => format!(
            "write `{name}:{}` without spaces",
            first_value(bare.after.trim_start())
        ),
        false => format!("write `{name}:{value}` without the space"),
    })
}

fn name_of(target: &Target) -> &str {
    match target {
        Target::Named(name) => name,
        own => fields::name(own).unwrap_or("message"),
    }
}

/// Whether something follows that can be a term: it starts with a letter.
fn is_text(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic())
}
