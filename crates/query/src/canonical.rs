//! From tree to text.
//!
//! One form for every way to write a query: `AND` and `OR` spelt out, an `AND` inside an `OR` in
//! parentheses so that nobody has to know which binds closer, terms in lower case, quotes only
//! where a word would be read otherwise.

use crate::ast::{Comparison, Expr, Leaf, Network, Number, Pattern, Piece, Query, Target, Test};
use crate::fields;
use crate::scan::{field_prefix, is_plain_name};

use model::{Facility, Severity};

impl Query {
    /// The query as text, in one form however it was written; reading it gives the same query.
    ///
    /// Trees that no text gives (a pattern with both a wildcard and white space, a test that its
    /// target does not take) are shown as near as the language allows.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        write_expr(&self.root, &mut out);
        out
    }
}

fn write_expr(expr: &Expr, out: &mut String) {
    match expr {
        Expr::All => out.push('*'),
        Expr::Nothing => out.push_str("NOT *"),
        Expr::And(members) => write_members(members, " AND ", out),
        Expr::Or(members) => write_members(members, " OR ", out),
        Expr::Not(inner) => {
            out.push_str("NOT ");
            write_member(inner, out);
        }
        Expr::Leaf(leaf) => write_leaf(leaf, out),
    }
}

fn write_members(members: &[Expr], operator: &str, out: &mut String) {
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            out.push_str(operator);
        }
        write_member(member, out);
    }
}

fn write_member(member: &Expr, out: &mut String) {
    let is_group = matches!(member, Expr::And(_) | Expr::Or(_));
    if is_group {
        out.push('(');
    }
    write_expr(member, out);
    if is_group {
        out.push(')');
    }
}

fn write_leaf(leaf: &Leaf, out: &mut String) {
    write_target(leaf, out);
    match &leaf.test {
        Test::Present => out.push('*'),
        Test::Term(pattern) if is_like_network(leaf) => write_quoted(&literal(pattern), false, out),
        Test::Term(pattern) => write_term(pattern, leaf.target == Target::Text, out),
        Test::Exact(pattern) => {
            out.push('=');
            write_exact(pattern, out);
        }
        Test::Compare { comparison, number } => {
            let number = code_name(leaf, *number).unwrap_or_else(|| number.to_string());
            match comparison {
                Comparison::Less => *out += &format!("<{number}"),
                Comparison::LessOrEqual => *out += &format!("<={number}"),
                Comparison::GreaterOrEqual => *out += &format!(">={number}"),
                Comparison::Greater => *out += &format!(">{number}"),
                Comparison::Equal if is_code(&leaf.target) => out.push_str(&number),
                Comparison::Equal => *out += &format!("[{number} TO {number}]"),
            }
        }
        Test::Between { low, high } => {
            let low = code_name(leaf, *low).unwrap_or_else(|| low.to_string());
            let high = code_name(leaf, *high).unwrap_or_else(|| high.to_string());
            *out += &format!("[{low} TO {high}]");
        }
        Test::Network(network) if leaf.target == Target::Peer => *out += &network.to_string(),
        // Without its length, the address of one host would be a term.
        Test::Network(network) => {
            *out += &format!("{}/{}", network.address(), network.prefix_len());
        }
        Test::Regex(pattern) => write_regex(pattern.as_str(), out),
    }
}

/// The name of the field, in the short form where the value behind it will be read as a value.
fn write_target(leaf: &Leaf, out: &mut String) {
    let Target::Named(name) = &leaf.target else {
        if let Some(name) = fields::name(&leaf.target) {
            *out += name;
            out.push(':');
        }
        return;
    };
    let is_known = fields::target(name).is_some()
        || name.eq_ignore_ascii_case(fields::PAIR)
        || name.eq_ignore_ascii_case(fields::PATTERN);
    let is_word = match &leaf.test {
        Test::Term(pattern) => pattern.pieces().iter().all(is_safe),
        // Colons behind a colon might be read as one address.
        Test::Network(network) => network.address().is_ipv4(),
        _ => true,
    };
    if is_plain_name(name) && !is_known && (is_word || is_literal(leaf)) {
        *out += &format!("{name}:");
    } else if is_plain_name(name) {
        *out += &format!("{}:{name}=", fields::PAIR);
    } else {
        *out += &format!("{}:", fields::PAIR);
        write_quoted(name, false, out);
        out.push('=');
    }
}

fn is_literal(leaf: &Leaf) -> bool {
    matches!(&leaf.test, Test::Term(pattern) if matches!(pattern.pieces(), [Piece::Literal(_)]))
}

/// Whether a term would be read as a network, were it not quoted.
fn is_like_network(leaf: &Leaf) -> bool {
    let Test::Term(pattern) = &leaf.test else {
        return false;
    };
    leaf.target.holds_addresses() && Network::parse(&literal(pattern)).is_some()
}

/// The text of a pattern without wildcards; empty for others.
fn literal(pattern: &Pattern) -> String {
    match pattern.pieces() {
        [Piece::Literal(bytes)] => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

fn is_code(target: &Target) -> bool {
    matches!(target, Target::Severity | Target::Facility)
}

/// The name of a severity or facility by its number.
fn code_name(leaf: &Leaf, number: Number) -> Option<String> {
    let Number::Integer(code) = number else {
        return None;
    };
    let code = u8::try_from(code).ok()?;
    match leaf.target {
        Target::Severity => Severity::from_number(code).map(|severity| severity.to_string()),
        Target::Facility => Facility::from_number(code).map(|facility| facility.to_string()),
        _ => None,
    }
}

fn write_term(pattern: &Pattern, is_bare: bool, out: &mut String) {
    if let [Piece::Literal(bytes)] = pattern.pieces() {
        let text = String::from_utf8_lossy(bytes);
        if is_safe_text(&text) && !(is_bare && is_operator(&text)) {
            *out += &text;
        } else {
            write_quoted(&text, false, out);
        }
        return;
    }
    let mut word = String::new();
    for piece in pattern.pieces() {
        match piece {
            Piece::Literal(bytes) => write_escaped(&String::from_utf8_lossy(bytes), &mut word),
            Piece::AnyRun => word.push('*'),
            Piece::AnyOne => word.push('?'),
        }
    }
    if is_bare && field_prefix(&word).is_some() {
        word = word.replacen(':', "\\:", 1);
    }
    // These would start an expression, or behind a field an operator or a range.
    if word.starts_with('/') || !is_bare && word.starts_with(['=', '<', '>', '[']) {
        out.push('\\');
    }
    *out += &word;
}

fn write_exact(pattern: &Pattern, out: &mut String) {
    if pattern.pieces().iter().all(is_safe) {
        for piece in pattern.pieces() {
            match piece {
                Piece::Literal(bytes) => *out += &String::from_utf8_lossy(bytes),
                Piece::AnyRun => out.push('*'),
                Piece::AnyOne => out.push('?'),
            }
        }
        return;
    }
    out.push('"');
    for piece in pattern.pieces() {
        match piece {
            Piece::Literal(bytes) => {
                write_phrase_text(&String::from_utf8_lossy(bytes), true, out);
            }
            Piece::AnyRun => out.push('*'),
            Piece::AnyOne => out.push('?'),
        }
    }
    out.push('"');
}

fn write_regex(source: &str, out: &mut String) {
    out.push('/');
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '/' => out.push_str("\\/"),
            '\\' => out.extend(['\\'].into_iter().chain(characters.next())),
            other => out.push(other),
        }
    }
    if source.is_empty() {
        out.push_str("(?:)");
    }
    out.push('/');
}

/// A word's literal, with what would be read otherwise escaped.
fn write_escaped(text: &str, out: &mut String) {
    for character in text.chars() {
        if matches!(character, '*' | '?' | '\\' | '"' | '(' | ')' | '|') {
            out.push('\\');
        }
        out.push(character);
    }
}

/// The text as it stands behind the name of a field, in quotes where it has to.
pub(crate) fn quote_unless_safe(text: &str) -> String {
    if is_safe_text(text) && !text.contains('/') {
        return text.to_owned();
    }
    let mut out = String::new();
    write_quoted(text, false, &mut out);
    out
}

fn write_quoted(text: &str, has_wildcards: bool, out: &mut String) {
    out.push('"');
    write_phrase_text(text, has_wildcards, out);
    out.push('"');
}

fn write_phrase_text(text: &str, has_wildcards: bool, out: &mut String) {
    for character in text.chars() {
        let is_wildcard = matches!(character, '*' | '?') && has_wildcards;
        if is_wildcard || matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
}

fn is_safe(piece: &Piece) -> bool {
    match piece {
        Piece::Literal(bytes) => {
            std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_safe_character))
        }
        Piece::AnyRun | Piece::AnyOne => true,
    }
}

/// Whether a word is read as it stands wherever a term can stand. A slash in front might start an
/// expression.
fn is_safe_text(text: &str) -> bool {
    text.chars().all(|c| is_safe_character(c) || c == '/') && !text.starts_with('/')
}

fn is_safe_character(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '-' | '@' | '%' | '+' | ',')
}

fn is_operator(text: &str) -> bool {
    ["and", "or", "not"]
        .iter()
        .any(|operator| operator.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests;
