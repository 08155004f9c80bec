//! What classifying a message costs: `cargo bench -p patterndb --bench patterndb`.
//!
//! A database of a hundred rules, and messages of 400 bytes of which none, a tenth or all match. Prints
//! nanoseconds a message, the fastest of many short runs.
#![expect(clippy::print_stdout, reason = "a bench prints its measurements")]
#![expect(clippy::unwrap_used, reason = "a bench builds its own input")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use patterndb::{Bounds, Correlator, Database, Message};

const RUNS: usize = 51;
const RULES: usize = 100;
const MESSAGES: usize = 1_000;
const ROUNDS: usize = 5;
const BYTES: usize = 400;

/// What the program did, to begin patterns and messages of many kinds.
const EVENTS: [&str; 10] = [
    "Accepted",
    "Failed",
    "Disconnected",
    "Received disconnect",
    "Connection closed",
    "Invalid user",
    "session opened",
    "session closed",
    "error: PAM",
    "reverse mapping checking",
];

fn main() {
    let database = database();
    for (share, every) in [("none match", 0), ("10 % match", 10), ("all match", 1)] {
        let messages = messages(every);
        let matched = classified(&database, &messages);
        let best = (0..RUNS).map(|_| nanos(|| classified(&database, &messages)));
        let best = best.min().unwrap() / (MESSAGES * ROUNDS) as u128;
        println!(
            "{share}: {best} ns a message, {matched} of {} match",
            MESSAGES * ROUNDS
        );
    }
    let messages = messages(10);
    let best = (0..RUNS).map(|_| nanos(|| processed(&database, &messages)));
    let best = best.min().unwrap() / MESSAGES as u128;
    println!("10 % match, with values set in a message of its own: {best} ns a message");
}

fn nanos<T>(run: impl FnOnce() -> T) -> u128 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_nanos()
}

fn classified(database: &Database, messages: &[String]) -> usize {
    let rounds = (0..ROUNDS).flat_map(|_| messages);
    let found = rounds.filter(|message| {
        database
            .classify(black_box(b"sshd"), black_box(message.as_bytes()))
            .is_some()
    });
    found.count()
}

fn processed(database: &Database, messages: &[String]) -> usize {
    let scene = macros::Context::default();
    let mut correlator = Correlator::new(Bounds::default());
    let found = messages.iter().filter(|text| {
        let mut message = Message::new(model::Timestamp::from_seconds(1));
        message.set("PROGRAM", b"sshd");
        message.set("MESSAGE", text.as_bytes());
        let clock = message.time;
        correlator
            .process(database, &mut message, clock, &scene, &mut |_| {})
            .is_some()
    });
    found.count()
}

/// Rules for ten kinds of each event, told apart by what stands behind an address.
fn database() -> Database {
    let mut rules = String::new();
    for rule in 0..RULES {
        let event = EVENTS[rule % EVENTS.len()];
        let kind = rule / EVENTS.len();
        writeln!(
            rules,
            "<rule id='{rule}' class='system'><pattern>{event} for @ESTRING:user: @from @IPvANY:device@ port \
             @NUMBER:port@ kind {kind} @ESTRING:what:;@ @ANYSTRING:rest@</pattern></rule>"
        )
        .unwrap();
    }
    let xml = format!(
        "<patterndb version='4'><ruleset><pattern>sshd</pattern><rules>{rules}</rules></ruleset></patterndb>"
    );
    Database::parse(xml.as_bytes()).unwrap()
}

/// Messages of which one in so many matches; those that do not differ behind the address.
fn messages(every: usize) -> Vec<String> {
    let message = |number: usize| {
        let event = EVENTS[number * 7 % EVENTS.len()];
        let is_match = every > 0 && number.is_multiple_of(every);
        let kind = if is_match {
            number / 10 % 10
        } else {
            10 + number % 10
        };
        let word = if is_match { "kind" } else { "sort" };
        let mut text = format!(
            "{event} for user{number} from 192.0.2.{} port {} {word} {kind} ssh2; ",
            number % 250,
            1_024 + number
        );
        while text.len() < BYTES {
            text += "more of it ";
        }
        text.truncate(BYTES);
        text
    };
    (0..MESSAGES).map(message).collect()
}
