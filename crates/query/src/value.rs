//! The value of a term: word, phrase, expression, and behind a field also exact text, comparison,
//! range, presence, address and the names of severities and facilities.

use std::net::IpAddr;
use std::ops::Range;

use model::{Facility, Severity};

use crate::ast::{Comparison, Expr, Network, Number, Pattern, Piece, RegexPattern, Target, Test};
use crate::diagnostic::DiagnosticSeverity;
use crate::fields;
use crate::limits::WILDCARDS_MAX;
use crate::naive;
use crate::near_miss::{self, Bare};
use crate::parse::{Parser, TokenKind};
use crate::scan::{Text, ends_word};

/// The comparisons, the longer of two with the same start first.
const COMPARISONS: [(&str, Comparison); 4] = [
    (">=", Comparison::GreaterOrEqual),
    ("<=", Comparison::LessOrEqual),
    (">", Comparison::Greater),
    ("<", Comparison::Less),
];

/// The number of `warning`, the mildest severity that people ask about as a lower bound of trouble.
const WARNING: u8 = 4;

impl Parser<'_> {
    /// The value that stands here; [`Target::Text`] where it is a bare term.
    pub(crate) fn value(&mut self, target: &Target) -> Option<Expr> {
        let start = self.scanner.at();
        if *target == Target::Text {
            return self.bare_value();
        }
        let test = if let Some((source, span)) = self.scanner.regex() {
            self.regex_test(&source, span)
        } else if self.is_at_range() {
            self.range_test(target)
        } else if self.scanner.eat("=", TokenKind::Operator).is_some() {
            let text = self.text(true, "=")?;
            let span = text.span.clone();
            let test = self.pattern_test(target, text, Test::Exact)?;
            self.warn_of_value(target, span, true);
            Some(test)
        } else if let Some((operator, comparison)) = self.comparison() {
            self.compare_test(target, operator, comparison)
        } else {
            let is_word = self.scanner.next_char() != Some('"');
            let text = self.text(false, "")?;
            self.term_test(target, text, is_word)
        };
        self.leaf(start..self.scanner.at(), target, test?)
    }

    /// A word or phrase behind a field.
    fn term_test(&mut self, target: &Target, text: Text, is_word: bool) -> Option<Test> {
        if let Some(network) = network(target, &text).filter(|_| is_word) {
            return Some(Test::Network(network));
        }
        let span = text.span.clone();
        let test = self.pattern_test(target, text, |pattern| Test::Term(pattern.folded()))?;
        self.warn_of_value(target, span, false);
        Some(test)
    }

    fn bare_value(&mut self) -> Option<Expr> {
        if let Some((source, span)) = self.scanner.regex() {
            let test = self.regex_test(&source, span.clone())?;
            return self.leaf(span, &Target::Text, test);
        }
        let is_word = self.scanner.next_char() != Some('"');
        let text = self.text(false, "")?;
        let span = text.span.clone();
        let pattern = self.pattern(text)?;
        if pattern.pieces() == [Piece::AnyRun] {
            return Some(Expr::All);
        }
        if is_word {
            self.warn_of_operator(span.clone());
            self.warn_of_address(&pattern, span.clone());
            self.warn_of_near_miss(span.clone());
        }
        self.leaf(span, &Target::Text, Test::Term(pattern.folded()))
    }

    /// A word or phrase; reports where there is none or it is not closed.
    pub(crate) fn text(&mut self, has_wildcards: bool, operator: &str) -> Option<Text> {
        let start = self.scanner.at();
        let is_phrase = self.scanner.next_char() == Some('"');
        let text = if is_phrase {
            self.scanner.phrase(has_wildcards)
        } else {
            self.scanner.word(|_| false)
        };
        if !text.is_closed {
            let message = "this quote is never closed";
            let hint = "add `\"`, or write `\\\"` to search for a quote";
            self.error(start..start + 1, message, hint);
        } else if text.pieces.is_empty() && is_phrase {
            let hint = "delete it; `NOT field:*` finds records without a field";
            self.error(text.span.clone(), "the phrase is empty", hint);
        } else if text.pieces.is_empty() {
            let message = format!("expected a word or phrase right behind `{operator}`");
            let hint = "write `field:=Word` or `field:=\"Some words\"`";
            self.error(start.saturating_sub(1)..start, message, hint);
        }
        (!text.pieces.is_empty()).then_some(text)
    }

    fn pattern(&mut self, text: Text) -> Option<Pattern> {
        let pattern = Pattern::new(text.pieces)?;
        let is_wildcard = |piece: &&Piece| !matches!(piece, Piece::Literal(_));
        if pattern.pieces().iter().filter(is_wildcard).count() > WILDCARDS_MAX {
            let message = format!("the term has more than {WILDCARDS_MAX} wildcards");
            let hint = "write a regular expression between slashes: `/.../`";
            self.error(text.span, message, hint);
            return None;
        }
        Some(pattern)
    }

    fn pattern_test(
        &mut self,
        target: &Target,
        text: Text,
        test: impl FnOnce(Pattern) -> Test,
    ) -> Option<Test> {
        let span = text.span.clone();
        let pattern = self.pattern(text)?;
        if pattern.pieces() == [Piece::AnyRun] {
            return Some(Test::Present);
        }
        match target {
            Target::Severity | Target::Facility => self.code_test(target, pattern, span),
            Target::Peer => self.address_test(pattern, span, test),
            _ => Some(test(pattern)),
        }
    }

    /// The name or number of a severity or facility, or a pattern of names.
    fn code_test(&mut self, target: &Target, pattern: Pattern, span: Range<usize>) -> Option<Test> {
        if let [Piece::Literal(bytes)] = pattern.pieces() {
            let name = String::from_utf8_lossy(bytes).into_owned();
            let number = self.code(target, &name, span)?;
            return Some(Test::Compare {
                comparison: Comparison::Equal,
                number,
            });
        }
        let test = Test::Term(pattern.folded());
        let matches = |name: &&str| naive::matches_text(&test, name.as_bytes());
        if code_names(target).iter().any(matches) {
            return Some(test);
        }
        self.unknown_code(target, &self.text_of(span.clone()), span);
        None
    }

    /// The number of a severity or facility, given by name or number.
    fn code(&mut self, target: &Target, name: &str, span: Range<usize>) -> Option<Number> {
        let code = match target {
            Target::Severity => Severity::parse(name).map(Severity::number),
            _ => Facility::parse(name).map(Facility::number),
        };
        if code.is_none() {
            self.unknown_code(target, name, span);
        }
        code.map(|code| Number::Integer(code.into()))
    }

    fn unknown_code(&mut self, target: &Target, name: &str, span: Range<usize>) {
        let names = code_names(target);
        let kind = fields::name(target).unwrap_or_default();
        let of_other = near_miss::of_value(target, name, false);
        let near = || fields::nearest(&name.to_ascii_lowercase(), names.iter().copied());
        let hint = of_other.or_else(|| near().map(|near| format!("did you mean `{near}`?")));
        let hint = hint.unwrap_or_else(|| {
            let known = names.join(", ");
            format!("it is 0 to {} or one of {known}", names.len() - 1)
        });
        self.error(span, format!("there is no {kind} `{name}`"), hint);
    }

    /// An address, a network, or a pattern over the text of addresses.
    fn address_test(
        &mut self,
        pattern: Pattern,
        span: Range<usize>,
        test: impl FnOnce(Pattern) -> Test,
    ) -> Option<Test> {
        let text = match pattern.pieces() {
            [Piece::Literal(bytes)] => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        };
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Test::Network(Network::host(address.to_canonical())));
        }
        if text.contains('/') {
            let network = Network::parse(&text);
            if network.is_none() {
                let hint = "write `10.0.0.0/8` or `2001:db8::/32`";
                self.error(span, format!("`{text}` is no network"), hint);
            }
            return network.map(Test::Network);
        }
        let is_of_address = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
        let is_possible = pattern.pieces().iter().all(|piece| match piece {
            Piece::Literal(bytes) => bytes.iter().all(is_of_address),
            Piece::AnyRun | Piece::AnyOne => true,
        });
        if !is_possible {
            let message = format!("`{}` is no address", self.text_of(span.clone()));
            let hint = "write `ip:10.0.0.1`, `ip:10.0.*` or `ip:10.0.0.0/8`; names are in `host`";
            self.error(span, message, hint);
            return None;
        }
        Some(test(pattern))
    }

    pub(crate) fn regex_test(&mut self, source: &str, span: Range<usize>) -> Option<Test> {
        match RegexPattern::new(source) {
            Ok(pattern) => Some(Test::Regex(pattern)),
            Err(error) => {
                let text = self.text_of(span.clone());
                let message = format!("the expression is not valid: {}", regex_reason(&error));
                let hint = format!("to search for the text itself, quote it: `\"{text}\"`");
                self.error(span, message, hint);
                None
            }
        }
    }

    fn comparison(&mut self) -> Option<(&'static str, Comparison)> {
        COMPARISONS
            .into_iter()
            .find(|(text, _)| self.scanner.eat(text, TokenKind::Operator).is_some())
    }

    fn compare_test(
        &mut self,
        target: &Target,
        operator: &str,
        comparison: Comparison,
    ) -> Option<Test> {
        let start = self.scanner.at() - operator.len();
        if *target == Target::Peer {
            self.scanner.word(|_| false);
            self.no_order_of_addresses(start..self.scanner.at());
            return None;
        }
        let number = self.number(target, operator)?;
        if *target == Target::Severity {
            self.warn_of_order(operator, comparison, start..self.scanner.at());
        }
        Some(Test::Compare { comparison, number })
    }

    /// `severity:>=err` finds `err` and what is less bad, which few people mean.
    fn warn_of_order(&mut self, operator: &str, comparison: Comparison, span: Range<usize>) {
        let is_greater = matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
        let name = self.text_of(span.start + operator.len()..span.end);
        let severity = Severity::parse(&name).filter(|_| is_greater);
        // Whoever writes the number knows the order, and nobody looks for what is worse than `info`.
        let is_name = name.starts_with(|c: char| c.is_alphabetic());
        let Some(severity) = severity.filter(|severity| is_name && severity.number() <= WARNING)
        else {
            return;
        };
        let message = format!("`{operator}{name}` finds {name} and severities that are less bad");
        let worse = operator.replace('>', "<");
        let hint = format!(
            "the worse a severity, the smaller it is: write `severity:{worse}{name}` for worse              ones, or `severity:{operator}{}` if these are meant",
            severity.number()
        );
        self.report(DiagnosticSeverity::Warning, span, message, hint);
    }

    /// The number that stands behind a comparison.
    fn number(&mut self, target: &Target, behind: &str) -> Option<Number> {
        let word = self.scanner.word(|_| false).span;
        let text = self.text_of(word.clone());
        if text.is_empty() {
            let span = word.start.saturating_sub(behind.len())..word.start;
            let message = format!("expected a number right behind `{behind}`");
            self.error(
                span,
                message,
                format!("write `field:{behind}10`, without a space"),
            );
            return None;
        }
        self.number_of(target, &text, word)
    }

    /// A number from its text; of severities and facilities also the name.
    fn number_of(&mut self, target: &Target, text: &str, span: Range<usize>) -> Option<Number> {
        if matches!(target, Target::Severity | Target::Facility) {
            return self.code(target, text, span);
        }
        let number = Number::parse(text.as_bytes());
        if number.is_none() {
            let hint = "numbers are written `10`, `-2.5` or `1e9`, without a unit";
            self.error(span, format!("`{text}` is no number"), hint);
        }
        number
    }

    fn no_order_of_addresses(&mut self, span: Range<usize>) {
        let hint = "write a network: `ip:10.0.0.0/8`";
        self.error(span, "addresses are not compared by size", hint);
    }

    /// Whether `[` with a space before the next `]` stands here; `[sshd]` is a word.
    fn is_at_range(&self) -> bool {
        self.scanner
            .rest()
            .strip_prefix('[')
            .and_then(|inner| inner.chars().find(|c| *c == ']' || ends_word(*c)))
            .is_some_and(char::is_whitespace)
    }

    /// The bounds between brackets, as they are written.
    fn range(&mut self) -> Option<(Range<usize>, Range<usize>, Range<usize>)> {
        let open = self.scanner.eat("[", TokenKind::Paren)?;
        let is_end = |character: char| character == ']';
        self.scanner.skip_space();
        let low = self.scanner.word(is_end).span;
        self.scanner.skip_space();
        let to = self.scanner.eat("TO", TokenKind::Operator);
        let is_word = self.scanner.next_char().is_some_and(char::is_whitespace);
        let to = to.filter(|_| is_word);
        self.scanner.skip_space();
        let high = self.scanner.word(is_end).span;
        self.scanner.skip_space();
        let close = self.scanner.eat("]", TokenKind::Paren);
        if let (Some(_), Some(close), false, false) = (to, close, low.is_empty(), high.is_empty()) {
            return Some((low, high, open.start..close.end));
        }
        self.scanner.skip_past(']');
        let hint = "write `field:[1 TO 10]`, `*` for no bound; to search for brackets, quote them";
        self.error(
            open.start..self.scanner.at(),
            "expected `[low TO high]`",
            hint,
        );
        None
    }

    fn range_test(&mut self, target: &Target) -> Option<Test> {
        let (low, high, span) = self.range()?;
        if *target == Target::Peer {
            self.no_order_of_addresses(span);
            return None;
        }
        let (low_text, high_text) = (self.text_of(low.clone()), self.text_of(high.clone()));
        let low = self.bound(target, low)?;
        let high = self.bound(target, high)?;
        match (low, high) {
            (None, None) => Some(Test::Present),
            (Some(number), None) => Some(Test::Compare {
                comparison: Comparison::GreaterOrEqual,
                number,
            }),
            (None, Some(number)) => Some(Test::Compare {
                comparison: Comparison::LessOrEqual,
                number,
            }),
            (Some(low), Some(high)) if low.compare(high).is_gt() => {
                let message = format!("the range from {low_text} to {high_text} is empty");
                let hint = format!("swap the bounds: `[{high_text} TO {low_text}]`");
                self.error(span, message, hint);
                None
            }
            (Some(low), Some(high)) => Some(Test::Between { low, high }),
        }
    }

    /// One bound of a range, `Some(None)` for none; reports what is no number.
    fn bound(&mut self, target: &Target, span: Range<usize>) -> Option<Option<Number>> {
        let text = self.text_of(span.clone());
        if text == "*" {
            return Some(None);
        }
        self.number_of(target, &text, span).map(Some)
    }

    /// The `?` of a pasted address is a wildcard, and one that does not stand for a `?`.
    fn warn_of_address(&mut self, pattern: &Pattern, span: Range<usize>) {
        let word = self.text_of(span.clone());
        if word.contains("://") && pattern.pieces().contains(&Piece::AnyOne) {
            self.report(
                DiagnosticSeverity::Warning,
                span,
                "`?` stands for any one character but delimiters such as `?`",
                format!("to search for the text as it is, quote it: `\"{word}\"`"),
            );
        }
    }

    /// A word that is searched for as text, though it reads like another language.
    fn warn_of_near_miss(&mut self, span: Range<usize>) {
        let text = self.scanner.text();
        let (Some(word), Some(before), Some(after)) = (
            text.get(span.clone()),
            text.get(..span.start),
            text.get(span.end..),
        ) else {
            return;
        };
        if let Some(hint) = near_miss::hint(Bare {
            word,
            before,
            after,
        }) {
            let message = format!("`{word}` is searched for as text");
            self.report(DiagnosticSeverity::Warning, span, message, hint);
        }
    }

    /// A word behind a field that reads like another language.
    fn warn_of_value(&mut self, target: &Target, span: Range<usize>, is_exact: bool) {
        let word = self.text_of(span.clone());
        if word.starts_with('"') {
            return;
        }
        if let Some(hint) = near_miss::of_value(target, &word, is_exact) {
            let message = format!("`{word}` is searched for as text");
            self.report(DiagnosticSeverity::Warning, span, message, hint);
        }
    }

    pub(crate) fn warn_of_operator(&mut self, span: Range<usize>) {
        let word = self.text_of(span.clone());
        let capitals = word.to_ascii_uppercase();
        if matches!(capitals.as_str(), "AND" | "OR" | "NOT") {
            self.report(
                DiagnosticSeverity::Warning,
                span,
                format!("`{word}` is searched for as a word"),
                format!("operators are in capitals: `{capitals}`; to be sure of a word, quote it"),
            );
        }
    }
}

/// The network that a word behind a field is, where the field may hold addresses. A word that is
/// none, such as `1.2.3.4/99`, stays a term: it may be a path or a version.
fn network(target: &Target, text: &Text) -> Option<Network> {
    let pattern = Pattern::new(text.pieces.iter().cloned())?;
    let [Piece::Literal(bytes)] = pattern.pieces() else {
        return None;
    };
    let network = Network::parse(std::str::from_utf8(bytes).ok()?);
    network.filter(|_| target.holds_addresses())
}

/// The names of all severities or all facilities, in the order of their numbers.
fn code_names(target: &Target) -> Vec<&'static str> {
    match target {
        Target::Severity => Severity::all().map(Severity::name).collect(),
        _ => Facility::all().map(Facility::name).collect(),
    }
}

/// What is wrong with an expression, in one line.
fn regex_reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(limit) => format!("it needs more than {limit} bytes"),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.strip_prefix("error: ").unwrap_or(last).to_owned()
        }
    }
}
