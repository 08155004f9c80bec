//! The tree of a query: what is asked, free of how it was written and of how it will be answered.
//!
//! The constructors keep a tree simple: `AND` and `OR` are flat and have at least two members,
//! [`Expr::All`] and [`Expr::Nothing`] stand only at the root, `NOT NOT` is gone. Whatever the
//! parser returns and [`Query::canonical`](crate::Query::canonical) prints has that form.

use std::cmp::Ordering;
use std::fmt;
use std::net::IpAddr;

use model::words;
use regex::bytes::{Regex, RegexBuilder};

use crate::limits::{REGEX_BYTES_MAX, REGEX_CACHE_BYTES_MAX};
use crate::tokens::Tokens;

/// A question to a set of records.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The condition a record must meet.
    pub root: Expr,
}

impl Query {
    /// The query that every record meets: the empty text, or `*`.
    pub fn all() -> Self {
        Self { root: Expr::All }
    }

    /// A text searched for as a phrase, letter for letter in either case. An empty text is all.
    pub fn phrase(text: &str) -> Self {
        let Some(pattern) = Pattern::new([Piece::Literal(text.as_bytes().to_vec())]) else {
            return Self::all();
        };
        Self {
            root: Expr::Leaf(Leaf {
                target: Target::Text,
                test: Test::Term(pattern.folded()),
            }),
        }
    }

    /// The same with all its terms and phrases bounded by other tokens.
    #[must_use]
    pub fn bounded_by(mut self, tokens: Tokens) -> Self {
        self.root.set_tokens(tokens);
        self
    }
}

/// A condition on one record.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Every record.
    All,
    /// No record.
    Nothing,
    /// All of the members hold.
    And(Vec<Expr>),
    /// At least one of the members holds.
    Or(Vec<Expr>),
    /// The member does not hold; so `NOT host:x` finds records without a host too.
    Not(Box<Expr>),
    /// One test of one part of the record.
    Leaf(Leaf),
}

impl Expr {
    fn set_tokens(&mut self, tokens: Tokens) {
        match self {
            Self::All | Self::Nothing => {}
            Self::And(members) | Self::Or(members) => {
                for member in members {
                    member.set_tokens(tokens);
                }
            }
            Self::Not(inner) => inner.set_tokens(tokens),
            Self::Leaf(leaf) => {
                if let Test::Term(pattern) | Test::Exact(pattern) = &mut leaf.test {
                    pattern.tokens = tokens;
                }
            }
        }
    }

    /// All of the members, in the simplest form; of none, [`Expr::All`].
    pub fn and(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for member in members {
            match member {
                Self::All => {}
                Self::Nothing => return Self::Nothing,
                Self::And(inner) => inner.into_iter().for_each(|own| add_new(&mut flat, own)),
                other => add_new(&mut flat, other),
            }
        }
        match flat.len() {
            0 => Self::All,
            1 => flat.swap_remove(0),
            _ => Self::And(flat),
        }
    }

    /// Any of the members, in the simplest form; of none, [`Expr::Nothing`].
    pub fn or(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for member in members {
            match member {
                Self::Nothing => {}
                Self::All => return Self::All,
                Self::Or(inner) => inner.into_iter().for_each(|own| add_new(&mut flat, own)),
                other => add_new(&mut flat, other),
            }
        }
        match flat.len() {
            0 => Self::Nothing,
            1 => flat.swap_remove(0),
            _ => Self::Or(flat),
        }
    }

    /// The opposite, in the simplest form.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::All => Self::Nothing,
            Self::Nothing => Self::All,
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// Calls `visit` with every leaf, in the order of the text.
    pub fn visit_leaves<'a>(&'a self, visit: &mut impl FnMut(&'a Leaf)) {
        match self {
            Self::All | Self::Nothing => {}
            Self::And(members) | Self::Or(members) => {
                for member in members {
                    member.visit_leaves(visit);
                }
            }
            Self::Not(inner) => inner.visit_leaves(visit),
            Self::Leaf(leaf) => visit(leaf),
        }
    }
}

/// Adds a member that is not there yet: a thousand equal ones are one question, not a thousand looks
/// at each record. A query has few enough members to compare them all.
fn add_new(members: &mut Vec<Expr>, member: Expr) {
    if !members.contains(&member) {
        members.push(member);
    }
}

/// One test of one part of the record.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// What is looked at.
    pub target: Target,
    /// What it must be.
    pub test: Test,
}

/// The part of a record that a leaf looks at. Where it is several texts (message and structured
/// data, tags, fields of one name), each is tested on its own and one suffices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A bare term: the message, and the structured data as it stands in the raw message. Takes
    /// [`Test::Term`] and [`Test::Regex`]; the language has no way to write another test of it.
    Text,
    /// The message.
    Message,
    /// The host.
    Host,
    /// The program.
    Program,
    /// The process id.
    Pid,
    /// The message id (RFC 5424 MSGID).
    Msgid,
    /// The facility; numbers are its code, texts its name.
    Facility,
    /// The severity; numbers are its code (smaller is worse), texts its name.
    Severity,
    /// The names of the tags.
    Tag,
    /// The name of the source.
    Source,
    /// The address of the sender; IPv4 that arrived on an IPv6 socket counts as IPv4.
    Peer,
    /// The fields of this name: those of the structured data, as [`model::FieldRef::is_named`] has it,
    /// and those in the text of the message, which have it in any ASCII case.
    Named(String),
}

impl Target {
    /// Whether a value of it may be an address, so that a network asks for those in it.
    pub(crate) fn holds_addresses(&self) -> bool {
        matches!(self, Self::Peer | Self::Host | Self::Named(_))
    }
}

/// What a part of the record must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// Is there and not empty: `field:*`.
    Present,
    /// Holds the pattern in either case, bounded: `appl*`, and phrases, which are patterns without
    /// wildcards. The literals are folded. What "holds, bounded" means: [`crate::naive`].
    Term(Pattern),
    /// Holds the pattern as written, bounded: `field:=Exact`.
    Exact(Pattern),
    /// Is a number and compares: `field:>=10`. Severity and facility compare by their code.
    Compare {
        /// How.
        comparison: Comparison,
        /// With what.
        number: Number,
    },
    /// Is a number from `low` to `high`, both included: `field:[1 TO 10]`.
    Between {
        /// The smallest that passes.
        low: Number,
        /// The largest that passes.
        high: Number,
    },
    /// Is an address in the network: `ip:10.0.0.0/8`, `client:10.0.0.0/8`. Only of targets that
    /// hold addresses.
    Network(Network),
    /// Holds a match of the expression, case and all as written: `/regex/`.
    Regex(RegexPattern),
}

/// How a number compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// Equal; written as the bare name of a severity or facility.
    Equal,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
}

impl Comparison {
    /// Whether a value that stands in this order to the number passes.
    pub fn admits(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering == Ordering::Less,
            Self::LessOrEqual => ordering != Ordering::Greater,
            Self::Equal => ordering == Ordering::Equal,
            Self::GreaterOrEqual => ordering != Ordering::Less,
            Self::Greater => ordering == Ordering::Greater,
        }
    }
}

/// A number in a query or in a field: whole where it fits 64 bits, otherwise finite floating point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i64),
    /// Any other; never infinite or NaN.
    Decimal(f64),
}

impl Number {
    /// Reads `42`, `-1`, `+3`, `2.5`, `1e9`; ASCII white space around it is ignored. `None` for
    /// anything else: units, hexadecimal, `inf`, `nan`.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii();
        let plain = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        if !text.iter().all(plain) {
            return None;
        }
        let text = std::str::from_utf8(text).ok()?;
        if let Ok(integer) = text.parse() {
            return Some(Self::Integer(integer));
        }
        let decimal: f64 = text.parse().ok()?;
        decimal.is_finite().then_some(Self::Decimal(decimal))
    }

    /// The order of two numbers, exact.
    pub fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Integer(one), Self::Integer(two)) => one.cmp(&two),
            // Adding zero turns -0 into 0, so that they are equal.
            (Self::Decimal(one), Self::Decimal(two)) => (one + 0.0).total_cmp(&(two + 0.0)),
            (Self::Integer(one), Self::Decimal(two)) => compare_with_decimal(one, two),
            (Self::Decimal(one), Self::Integer(two)) => compare_with_decimal(two, one).reverse(),
        }
    }

    /// The number, 0 where it is -0.
    #[must_use]
    pub fn without_negative_zero(self) -> Self {
        match self {
            Self::Decimal(decimal) => Self::Decimal(decimal + 0.0),
            integer @ Self::Integer(_) => integer,
        }
    }

    /// The order in which equal numbers have a place of their own too: whole ones come first.
    pub fn order(self, other: Self) -> Ordering {
        let is_decimal = |number| matches!(number, Self::Decimal(_));
        self.compare(other)
            .then(is_decimal(self).cmp(&is_decimal(other)))
    }
}

/// The order of a whole number and another.
fn compare_with_decimal(integer: i64, decimal: f64) -> Ordering {
    /// 2^63, the first number behind those of 64 bits.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if decimal >= END {
        return Ordering::Less;
    }
    if decimal < -END {
        return Ordering::Greater;
    }
    let floor = decimal.floor();
    let has_more = decimal > floor;
    integer.cmp(&(floor as i64)).then(false.cmp(&has_more))
}

/// Decimals keep a point or an exponent, so that they are read back as decimals.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Decimal(decimal) => write!(f, "{decimal:?}"),
        }
    }
}

/// A piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// These bytes; folded in a [`Test::Term`], as written in a [`Test::Exact`].
    Literal(Vec<u8>),
    /// `*`: any number of bytes, none of them a wildcard stop.
    AnyRun,
    /// `?`: one UTF-8 character, or one byte where that is none, and no wildcard stop.
    AnyOne,
}

/// Literals and wildcards in turn. Never empty; no literal is empty, no two literals and no two
/// `*` stand side by side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    pieces: Vec<Piece>,
    tokens: Tokens,
}

impl Pattern {
    /// From pieces, joined where they can be; `None` where nothing is left.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Option<Self> {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in pieces {
            match (joined.last_mut(), piece) {
                (_, Piece::Literal(bytes)) if bytes.is_empty() => {}
                (Some(Piece::Literal(last)), Piece::Literal(bytes)) => last.extend(bytes),
                (Some(Piece::AnyRun), Piece::AnyRun) => {}
                (_, piece) => joined.push(piece),
            }
        }
        (!joined.is_empty()).then_some(Self {
            pieces: joined,
            tokens: Tokens::Words,
        })
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// What bounds it.
    pub fn tokens(&self) -> Tokens {
        self.tokens
    }

    /// The same with its literals in lower case, as [`Test::Term`] wants it.
    #[must_use]
    pub fn folded(mut self) -> Self {
        for piece in &mut self.pieces {
            if let Piece::Literal(bytes) = piece {
                *bytes = words::fold(bytes).into_owned();
            }
        }
        self
    }
}

/// A network in CIDR form. Bits behind the prefix are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    prefix_len: u8,
}

impl Network {
    /// From any address in it and the length of the prefix in bits; `None` where that is longer
    /// than the address.
    pub fn new(address: IpAddr, prefix_len: u8) -> Option<Self> {
        let address = match address {
            IpAddr::V4(v4) => {
                let host_bits = 32_u8.checked_sub(prefix_len)?;
                let mask = u32::MAX.checked_shl(host_bits.into()).unwrap_or(0);
                IpAddr::V4((v4.to_bits() & mask).into())
            }
            IpAddr::V6(v6) => {
                let host_bits = 128_u8.checked_sub(prefix_len)?;
                let mask = u128::MAX.checked_shl(host_bits.into()).unwrap_or(0);
                IpAddr::V6((v6.to_bits() & mask).into())
            }
        };
        Some(Self {
            address,
            prefix_len,
        })
    }

    /// Reads `10.0.0.0/8` or `2001:db8::/32`; `None` for anything else, an address alone included.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix_len) = text.split_once('/')?;
        Self::new(address.parse().ok()?, prefix_len.parse().ok()?)
    }

    /// The network of one address alone.
    pub fn host(address: IpAddr) -> Self {
        let prefix_len = if address.is_ipv4() { 32 } else { 128 };
        Self {
            address,
            prefix_len,
        }
    }

    /// The first address.
    pub fn address(self) -> IpAddr {
        self.address
    }

    /// The length of the prefix in bits.
    pub fn prefix_len(self) -> u8 {
        self.prefix_len
    }

    /// Whether the address lies in it. The families never mix.
    pub fn contains(self, address: IpAddr) -> bool {
        Self::new(address, self.prefix_len) == Some(self)
    }

    /// Whether the text is an address in it and nothing else. IPv4 written as IPv6 counts as IPv4.
    pub fn contains_text(self, text: &[u8]) -> bool {
        let address = std::str::from_utf8(text).ok();
        let address = address.and_then(|text| text.parse::<IpAddr>().ok());
        address.is_some_and(|address| self.contains(address.to_canonical()))
    }
}

/// `10.0.0.0/8`, or the address alone where it is the whole network.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::host(self.address) {
            return write!(f, "{}", self.address);
        }
        write!(f, "{}/{}", self.address, self.prefix_len)
    }
}

/// A regular expression that has been compiled, so that using it cannot fail. Equal by its text.
#[derive(Clone, Debug)]
pub struct RegexPattern {
    regex: Regex,
}

impl RegexPattern {
    /// Compiles a text within the limits of [`crate::limits`].
    pub fn new(text: &str) -> Result<Self, regex::Error> {
        let regex = RegexBuilder::new(text)
            .size_limit(REGEX_BYTES_MAX)
            .dfa_size_limit(REGEX_CACHE_BYTES_MAX)
            .build()?;
        Ok(Self { regex })
    }

    /// The text, without the slashes around it.
    pub fn as_str(&self) -> &str {
        self.regex.as_str()
    }

    /// The compiled form.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }
}

impl PartialEq for RegexPattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

#[cfg(test)]
mod tests;
