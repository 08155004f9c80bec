//! What a search must find: queries with their exact counts.

use serde::{Deserialize, Serialize};

use crate::learn::plan::{
    CLIENT_NETWORK, NUMBERED, Needle, Plan, Tail, Track, below, is_standard, uuid,
};

/// The version of the file.
pub const MANIFEST_VERSION: u32 = 1;

/// UUIDs that are named, from the first to the last ones planted.
const UUIDS: u64 = 4;

/// What was planted in the messages of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`MANIFEST_VERSION`].
    pub version: u32,
    /// The seed of the run.
    pub seed: u64,
    /// All messages.
    pub messages: u64,
    /// Messages by connection.
    pub connections: Vec<u64>,
    /// The time of the first message, RFC 3339.
    pub from: Option<String>,
    /// The end of the range of times, itself excluded.
    pub to: Option<String>,
    /// What to look for and how often it is found.
    pub queries: Vec<Query>,
}

/// A query with its count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// What kind of query it is, the same name in each run.
    pub name: String,
    /// The query in Logwood's language.
    pub query: String,
    /// An extended regular expression that, without regard to case, finds the same lines; none
    /// where one expression cannot say it.
    pub pattern: Option<String>,
    /// How many messages match.
    pub count: u64,
}

/// When a message counts.
#[derive(Clone, Debug)]
enum Condition {
    /// It holds the needle with this text.
    Text(&'static str),
    /// It holds a needle with this text and this number behind it.
    Numbered(&'static str, u64),
    /// It holds an amount at or above the limit.
    LargeAmount,
    /// It holds a client of the network.
    Client,
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
}

use Condition::{Client, LargeAmount, Numbered, Text};

impl Manifest {
    /// The counts for connections that wrote so many messages each.
    pub fn new(plan: &Plan, connections: &[u64], from: Option<String>, to: Option<String>) -> Self {
        let messages = connections.iter().sum();
        let mut queries = vec![Query {
            name: "all".to_owned(),
            query: "*".to_owned(),
            pattern: Some(String::new()),
            count: messages,
        }];
        for (name, query, pattern, condition) in
            standard_words().into_iter().chain(standard_others())
        {
            let Some(count) = count(plan, connections, &condition) else {
                continue;
            };
            queries.push(Query {
                name: name.to_owned(),
                query: query.to_owned(),
                pattern: (!pattern.is_empty()).then(|| pattern.to_owned()),
                count,
            });
        }
        queries.extend(uuids(plan, connections));
        queries.extend(texts(plan, connections));
        Self {
            version: MANIFEST_VERSION,
            seed: plan.seed,
            messages,
            connections: connections.to_vec(),
            from,
            to,
            queries,
        }
    }
}

/// Name, query, pattern and condition of a query for standard needles.
type Standard = (&'static str, &'static str, &'static str, Condition);

/// Queries for whole words and what is made of them.
fn standard_words() -> Vec<Standard> {
    use Condition::{And, Not, Or};
    let not = |text| Not(Box::new(Text(text)));
    let both = And(vec![Text("topaz"), Text("garnet")]);
    let one = And(vec![Text("garnet"), not("topaz")]);
    let four = Or(["jasper", "agate", "pearl", "coral"].map(Text).to_vec());
    let either = "\\b(jasper|agate|pearl|coral)\\b";
    let phrase = "beryl gate is closed";
    vec![
        ("rare", "zircon", "zircon", Text("zircon")),
        ("one_percent", "garnet", "garnet", Text("garnet")),
        ("ten_percent", "topaz", "topaz", Text("topaz")),
        ("not", "NOT topaz", "", not("topaz")),
        (
            "or_of_four",
            "jasper OR agate OR pearl OR coral",
            either,
            four,
        ),
        (
            "and",
            "topaz AND garnet",
            "garnet.* topaz|topaz.* garnet",
            both,
        ),
        ("and_not", "garnet AND NOT topaz", "", one),
        ("phrase", "\"beryl gate is closed\"", phrase, Text(phrase)),
    ]
}

/// Queries with wildcards, expressions, numbers and networks, and those of users.
fn standard_others() -> Vec<Standard> {
    use Condition::Or;
    let appl = vec![Text("apple"), Text("applied")];
    let pple = vec![Text("apple"), Text("pineapple")];
    let ppl = [appl.clone(), vec![Text("pineapple"), Text("supplies")]].concat();
    let us_r = Or(vec![Text("user"), Text("usar")]);
    let two = vec![Numbered("opal", 17), Numbered("ruby", 42)];
    let three = [vec![Text("blackjade")], two.clone()].concat();
    let amount = "amount=\"[5-9][0-9][0-9]\"";
    let client = "client=\"172\\.31\\.200\\.";
    let network = Text("from 172.31.254.");
    let (two_query, three_query) = ("opal17 OR ruby42", "*jade OR opal17 OR ruby42");
    let (two_words, three_words) = ("\\b(opal17|ruby42)\\b", "(jade|\\bopal17|\\bruby42)\\b");
    vec![
        ("prefix", "appl*", "\\bappl", Or(appl)),
        ("suffix", "*pple", "pple\\b", Or(pple)),
        ("inner", "*ppl*", "ppl", Or(ppl)),
        ("one_character", "us?r", "\\bus.r\\b", us_r.clone()),
        ("one_character_and_more", "us?r*", "\\bus.r", us_r),
        ("regex", "/lamp-[0-9]{4}/", "lamp-[0-9]{4}", Text("lamp-")),
        ("network", "172.31.254.*", "\\b172\\.31\\.254\\.", network),
        ("number", "amount:>=500", amount, LargeAmount),
        ("cidr", "client:172.31.200.0/24", client, Client),
        ("users_1", two_query, two_words, Or(two)),
        ("users_2", three_query, three_words, Or(three)),
    ]
}

/// Messages with a UUID that is planted once.
fn uuids(plan: &Plan, connections: &[u64]) -> Vec<Query> {
    let mut queries = Vec::new();
    let Some(needle) = plan.needles.iter().position(|n| n.tail == Tail::Uuid) else {
        return queries;
    };
    let Some((track, messages)) = plan.track(needle, 0).zip(connections.first()) else {
        return queries;
    };
    let is_written = |block: &u64| track.place(*block).is_some_and(|place| place < *messages);
    let blocks = (0..=track.block(*messages))
        .rev()
        .find(is_written)
        .map_or(0, |last| last + 1);
    for part in 0..UUIDS.min(blocks) {
        let block = part * blocks / UUIDS.min(blocks);
        let mut text = Vec::new();
        uuid(track.value(block), &mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        queries.push(Query {
            name: "uuid".to_owned(),
            query: text.clone(),
            pattern: Some(text),
            count: 1,
        });
    }
    queries
}

/// Needles that were asked for by their text.
fn texts(plan: &Plan, connections: &[u64]) -> Vec<Query> {
    let mut queries = Vec::new();
    for (place, needle) in plan.needles.iter().enumerate() {
        if is_standard(&needle.text) {
            continue;
        }
        let count = connections
            .iter()
            .enumerate()
            .filter_map(|(connection, messages)| Some((plan.track(place, connection)?, *messages)))
            .map(|(track, messages)| held(&track, messages).count() as u64)
            .sum();
        let quoted = needle.text.replace('\\', "\\\\").replace('"', "\\\"");
        queries.push(Query {
            name: "needle".to_owned(),
            query: format!("\"{quoted}\""),
            pattern: Some(escaped(&needle.text)),
            count,
        });
    }
    queries
}

/// The text as a regular expression, bounded where it begins or ends with a letter or digit.
fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    if text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        pattern.push_str("\\b");
    }
    for character in text.chars() {
        if "\\.+*?()|[]{}^$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    if text.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        pattern.push_str("\\b");
    }
    pattern
}

/// The messages that hold a needle.
fn held(track: &Track, messages: u64) -> impl Iterator<Item = u64> + '_ {
    (0..=track.block(messages))
        .map_while(|block| track.place(block))
        .filter(move |place| *place < messages)
}

/// How many messages meet the condition; `None` where a needle of it is not planted.
fn count(plan: &Plan, connections: &[u64], condition: &Condition) -> Option<u64> {
    if let Condition::Not(inner) = condition {
        let all: u64 = connections.iter().sum();
        return Some(all - count(plan, connections, inner)?);
    }
    let needles = needles_of(plan, condition)?;
    let mut total = 0;
    for (connection, messages) in connections.iter().enumerate() {
        let tracks: Vec<(usize, Track)> = needles
            .iter()
            .filter_map(|needle| Some((*needle, plan.track(*needle, connection)?)))
            .collect();
        for (place, (_, track)) in tracks.iter().enumerate() {
            // A message with several needles is counted at the first of them.
            let before = tracks.get(..place).unwrap_or_default();
            total += held(track, *messages)
                .filter(|message| !before.iter().any(|(_, track)| track.holds(*message)))
                .filter(|message| is_met(plan, condition, &tracks, *message))
                .count() as u64;
        }
    }
    Some(total)
}

/// The needles a condition speaks of.
fn needles_of(plan: &Plan, condition: &Condition) -> Option<Vec<usize>> {
    let by_text = |text: &str| plan.needles.iter().position(|needle| needle.text == text);
    match condition {
        Text(text) | Numbered(text, _) => Some(vec![by_text(text)?]),
        LargeAmount => Some(vec![plan.needles.iter().position(is_large_amount)?]),
        Client => Some(vec![plan.needles.iter().position(is_client)?]),
        Condition::And(members) | Condition::Or(members) => {
            let mut all = Vec::new();
            for member in members {
                all.extend(needles_of(plan, member)?);
            }
            Some(all)
        }
        Condition::Not(inner) => needles_of(plan, inner),
    }
}

fn is_large_amount(needle: &Needle) -> bool {
    matches!(needle.tail, Tail::Amount(first, _) if first > 0)
}

fn is_client(needle: &Needle) -> bool {
    needle.tail == Tail::Client(CLIENT_NETWORK)
}

fn is_met(plan: &Plan, condition: &Condition, tracks: &[(usize, Track)], message: u64) -> bool {
    let held = |wanted: &dyn Fn(&Needle) -> bool| {
        tracks.iter().find_map(|(needle, track)| {
            let is_wanted = plan.needles.get(*needle).is_some_and(wanted);
            (is_wanted && track.holds(message)).then_some(track)
        })
    };
    match condition {
        Text(text) => held(&|needle| needle.text == *text).is_some(),
        Numbered(text, number) => held(&|needle| needle.text == *text)
            .is_some_and(|track| below(track.value(track.block(message)), NUMBERED) == *number),
        LargeAmount => held(&is_large_amount).is_some(),
        Client => held(&is_client).is_some(),
        Condition::And(members) => members.iter().all(|m| is_met(plan, m, tracks, message)),
        Condition::Or(members) => members.iter().any(|m| is_met(plan, m, tracks, message)),
        Condition::Not(inner) => !is_met(plan, inner, tracks, message),
    }
}
