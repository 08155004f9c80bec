//! Holds the rules to what the three say of made-up messages.

use anyhow::{Result, ensure};
use testkit::Random;

use super::parts::{Parsed, Part};
use super::receivers::{Answers, Transport, ask};
use super::rules::{RSYSLOG, Rule, SYSLOG_NG};
use super::variations::Variation;
use super::{is_said, today};

/// How many messages are made up.
const VARIATIONS: usize = 8_000;
const SEED: u64 = 1;
/// How many wrong parts are told.
const WRONG_MAX: usize = 20;

/// A peer, its rules, and what it has made of a message.
type Peer = (&'static str, &'static [Rule], fn(&Answers) -> &Parsed);

const PEERS: [Peer; 2] = [
    ("syslog-ng", SYSLOG_NG, |answers| &answers.syslog_ng),
    ("rsyslog", RSYSLOG, |answers| &answers.rsyslog),
];

pub(super) fn check() -> Result<()> {
    let today = today()?;
    let mut random = Random::new(SEED);
    let variations: Vec<_> = (0..VARIATIONS)
        .map(|_| Variation::new(&mut random, today))
        .collect();
    let messages = variations.iter().map(|variation| variation.sent.as_bytes());
    let messages: Vec<Vec<u8>> = messages.map(<[u8]>::to_vec).collect();
    let Some(answers) = ask(&messages, Transport::Lines)? else {
        return Ok(());
    };
    PEERS
        .iter()
        .try_for_each(|peer| check_peer(peer, &variations, &answers))
}

fn check_peer(peer: &Peer, variations: &[Variation], answers: &[Answers]) -> Result<()> {
    let (name, rules, parsed) = peer;
    let mut used = vec![false; rules.len()];
    let mut wrong = Vec::new();
    for (variation, answers) in variations.iter().zip(answers) {
        for part in Part::ALL {
            let (found, ours) = (parsed(answers).part(part), answers.logwood.part(part));
            let rule = rules
                .iter()
                .position(|rule| rule.parts.contains(&part) && (rule.applies)(variation));
            let expected = match rule {
                Some(index) => (rules[index].says)(variation, part, &answers.logwood),
                None => ours.to_owned(),
            };
            if !is_said(found, &expected, ours) {
                wrong.push(told(variation, part, answers, &expected));
            } else if let Some(index) = rule {
                used[index] |= found != ours;
            }
        }
    }
    ensure!(
        wrong.is_empty(),
        "{name} differs in {} parts otherwise than documented:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(WRONG_MAX)].join("\n")
    );
    for (rule, used) in rules.iter().zip(used) {
        ensure!(used, "{name} differs no more: {} {}", rule.when, rule.does);
    }
    Ok(())
}

fn told(variation: &Variation, part: Part, answers: &Answers, expected: &str) -> String {
    let values = [&answers.logwood, &answers.syslog_ng, &answers.rsyslog];
    let [logwood, syslog_ng, rsyslog] = values.map(|parsed| parsed.part(part));
    let Variation {
        sent,
        priority,
        header,
        text,
        ..
    } = variation;
    format!(
        "{sent:?} ({priority:?}, {header:?}, {text:?}): {}: expected {expected:?}, Logwood says \
         {logwood:?}, syslog-ng {syslog_ng:?}, rsyslog {rsyslog:?}",
        part.name()
    )
}
