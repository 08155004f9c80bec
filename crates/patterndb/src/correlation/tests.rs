use proptest::prelude::*;

use super::*;
use crate::Database;

/// A database with rules without program.
fn database(rules: &str) -> Database {
    let xml =
        format!("<patterndb version='5'><ruleset><rules>{rules}</rules></ruleset></patterndb>");
    Database::parse(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// One context for each word behind `m`, that tells its end.
const TOLD: &str = "<rule id='1' context-id='${x}' context-scope='global' context-timeout='10'>
    <pattern>m @STRING:x@</pattern>
    <actions><action trigger='timeout'><message inherit-mode='none'><values>
    <value name='MESSAGE'>end of ${x}@1, $(context-length)</value>
    </values></message></action></actions></rule>";

/// A correlator that keeps what is made.
struct Run {
    database: Database,
    correlator: Correlator,
    made: Vec<String>,
}

impl Run {
    fn new(rules: &str, bounds: Bounds) -> Self {
        Self {
            database: database(rules),
            correlator: Correlator::new(bounds),
            made: Vec::new(),
        }
    }

    /// Takes a message of a second.
    fn push(&mut self, second: i64, text: &str) -> Message {
        let time = Timestamp::from_seconds(second);
        let mut message = Message::new(time);
        message.set("MESSAGE", text.as_bytes());
        self.push_message(time, message)
    }

    fn push_message(&mut self, clock: Timestamp, mut message: Message) -> Message {
        let scene = macros::Context::default();
        let made = &mut self.made;
        let mut emit = |new: Message| made.push(text_of(&new));
        self.correlator
            .advance_to(message.time, clock, &scene, &mut emit);
        let text = message.get("MESSAGE").to_vec();
        if let Some(found) = self.database.classify(b"", &text) {
            for value in found.values() {
                message.set(value.name, value.value);
            }
            self.correlator
                .matched(found.rule, &mut message, &scene, &mut emit);
        }
        message
    }

    fn idle(&mut self, seconds: u32) {
        let made = &mut self.made;
        let scene = macros::Context::default();
        self.correlator
            .advance_by(seconds, &scene, &mut |new| made.push(text_of(&new)));
    }
}

fn text_of(message: &Message) -> String {
    String::from_utf8_lossy(message.get("MESSAGE")).into_owned()
}

#[test]
fn a_context_ends_when_nothing_came_for_longer_than_its_timeout() {
    let mut run = Run::new(TOLD, Bounds::default());
    run.push(100, "m a");
    run.push(105, "m a");
    run.push(115, "other");
    assert!(run.made.is_empty());
    run.push(116, "other");
    assert_eq!(run.made, ["end of a, 3"]);
    assert_eq!((run.correlator.contexts(), run.correlator.bytes()), (0, 0));
}

#[test]
fn time_goes_on_while_no_messages_come() {
    let mut run = Run::new(TOLD, Bounds::default());
    run.idle(1_000);
    run.push(100, "m a");
    run.idle(10);
    assert!(run.made.is_empty());
    run.idle(1);
    assert_eq!(run.made, ["end of a, 2"]);
}

#[test]
fn time_goes_neither_back_nor_ahead_of_the_clock() {
    let mut run = Run::new(TOLD, Bounds::default());
    run.push(100, "m a");
    run.push(50, "m b");
    let mut wrong = Message::new(Timestamp::from_seconds(9_999_999));
    wrong.set("MESSAGE", b"m c");
    run.push_message(Timestamp::from_seconds(105), wrong);
    run.push(110, "other");
    assert!(run.made.is_empty());
    run.push(111, "other");
    assert_eq!(run.made, ["end of a, 2", "end of b, 2"]);
    assert_eq!(run.correlator.contexts(), 1);
}

#[test]
fn values_of_a_rule_see_those_before_them_and_the_context() {
    let rule = "<rule id='1' class='c' context-id='x' context-timeout='9'><pattern>m @NUMBER:x@</pattern>
        <tags><tag>t</tag></tags>
        <values><value name='a'>$x</value><value name='b'>$a ${x}@1 $(sum $x) ${CONTEXT_ID}</value></values>
        </rule>";
    let mut run = Run::new(rule, Bounds::default());
    run.push(1, "m 1");
    let message = run.push(2, "m 5");
    assert_eq!(message.get("b"), b"5 1 6 x");
    assert_eq!(message.get(".classifier.context_id"), b"x");
    assert_eq!(message.tags().collect::<Vec<_>>(), [".classifier.c", "t"]);
}

#[test]
fn what_is_too_much_ends_contexts_early_and_forgets_the_oldest_messages() {
    let bounds = Bounds {
        contexts_max: 2,
        messages_max: 3,
        ..Bounds::default()
    };
    let mut run = Run::new(TOLD, bounds);
    for _ in 0..5 {
        run.push(1, "m a");
    }
    run.push(2, "m b");
    run.push(3, "m c");
    assert_eq!(run.made, ["end of a, 4"]);
    let expected = Losses {
        contexts: 1,
        messages: 2,
    };
    assert_eq!(run.correlator.losses(), expected);

    let bounds = Bounds {
        bytes_max: 100_000,
        ..Bounds::default()
    };
    let mut run = Run::new(TOLD, bounds);
    for number in 0..1_000 {
        run.push(1, &format!("m a{number} {}", "x".repeat(500)));
        assert!(run.correlator.bytes() <= 100_000);
    }
    assert!(run.correlator.losses().contexts > 500);
}

#[test]
fn contexts_that_start_contexts_when_they_end_come_to_an_end() {
    let rule = "<rule id='1' context-id='x' context-scope='global' context-timeout='1'>
        <pattern>m</pattern>
        <actions><action trigger='timeout'><create-context context-id='x' context-scope='global'>
        <message/></create-context></action></actions></rule>";
    let mut run = Run::new(rule, Bounds::default());
    run.push(1, "m");
    run.push(1_000_000_000, "other");
    assert_eq!(run.correlator.contexts(), 1);
    run.correlator
        .end_all(&macros::Context::default(), &mut |_| {});
    assert_eq!((run.correlator.contexts(), run.correlator.bytes()), (0, 0));
}

#[test]
fn a_message_is_what_a_record_was() {
    let mut message = Message::new(Timestamp::from_seconds(7));
    for (name, value) in [
        ("HOST", "h"),
        ("MESSAGE", "m"),
        ("a", "1"),
        ("b.c", ""),
        ("a", "2"),
    ] {
        message.set(name, value.as_bytes());
    }
    message.add_tag("t");
    message.add_tag("t");
    let copy = Message::of_view(&message.view());
    assert_eq!(copy.time, message.time);
    assert_eq!((copy.get("HOST"), copy.get("MSG")), (&b"h"[..], &b"m"[..]));
    let fields: Vec<_> = copy
        .view()
        .fields()
        .map(|field| (field.name, field.value))
        .collect();
    assert_eq!(fields, [(&b"a"[..], &b"2"[..]), (b"b.c", b"")]);
    assert_eq!(copy.tags().collect::<Vec<_>>(), ["t"]);
    for number in 0..100 {
        message.add_tag(&number.to_string());
    }
    assert_eq!(message.view().tags().count(), 64);
}

proptest! {
    #[test]
    fn nothing_is_lost_and_all_is_given_back(
        steps in proptest::collection::vec((0..30_i64, 0..6_u8), 1..80),
        contexts_max in 1..5_usize,
    ) {
        let bounds = Bounds { contexts_max, ..Bounds::default() };
        let mut run = Run::new(TOLD, bounds);
        let (mut time, mut count) = (0, 0);
        for (step, word) in steps {
            time += step;
            count += 1;
            run.push(time, &format!("m a{word}"));
            prop_assert!(run.correlator.contexts() <= contexts_max);
        }
        let made = &mut run.made;
        run.correlator.end_all(&macros::Context::default(), &mut |new| made.push(text_of(&new)));
        prop_assert_eq!((run.correlator.contexts(), run.correlator.bytes()), (0, 0));
        // Each message was in one context: its length counts the message that tells of it as well.
        let told = run.made.iter().filter_map(|text| text.rsplit(' ').next()?.parse::<i32>().ok());
        prop_assert_eq!(told.map(|length| length - 1).sum::<i32>(), count);
    }
}
