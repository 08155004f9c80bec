//! Which kinds are joined, and where the word is that they differ in.

use model::RecordHead;
use proptest::prelude::*;

use super::*;
use crate::kinds::tests::{Message, batch_of};
use crate::kinds::{Cut, Cutter, How};
use crate::tests::assert_reads_back;

/// Names without a digit, which do not vary to a cutter.
const NAMES: [&str; 20] = [
    "root",
    "anna",
    "bob",
    "\u{c9}va",
    "www-data",
    "x",
    "postgres",
    "a-name-of-more-than-sixteen-bytes",
    "nobody",
    "daemon",
    "mail",
    "news",
    "backup",
    "list",
    "irc",
    "gnats",
    "sshd",
    "ntp",
    "uucp",
    "proxy",
];

/// A message that has a name where its form says.
fn message(form: usize, name: &str) -> Message {
    let stamp = "Nov  1 22:14:15";
    match form {
        0 => Message::bsd(
            stamp,
            "a",
            "su",
            "7",
            format!("session for {name} by me").as_bytes(),
        ),
        1 => Message::bsd(stamp, "a", name, "7", b"is up"),
        2 => Message::bsd(
            stamp,
            "a",
            "su",
            "7",
            format!("took 7 ms in {name}.").as_bytes(),
        ),
        3 => Message::without_host(stamp, format!("{name} of 7 is up").as_bytes()),
        4 => Message::without_host(stamp, format!("now {name}: is up").as_bytes()),
        5 => Message::without_stamp(format!("{name}, what now").as_bytes()),
        6 => Message::bsd(
            stamp,
            "a",
            "su",
            "7",
            format!("took 7 ms {name} of {name} at 3").as_bytes(),
        ),
        7 => Message::without_host(stamp, format!("is 7 up {name} or not {name}").as_bytes()),
        8 => Message::without_stamp(format!("now {name} is {name}").as_bytes()),
        _ => Message::without_stamp(format!("{name} and {name} and {name}").as_bytes()),
    }
}

fn messages(form: usize) -> Vec<Message> {
    NAMES.iter().map(|name| message(form, name)).collect()
}

/// For each record the words in the slots of the kind that its own is joined in.
fn joined_slots(messages: &[Message]) -> Vec<Option<Vec<String>>> {
    let batch = batch_of(messages);
    let (mut cutter, mut kinds) = (Cutter::default(), Kinds::new());
    let mut rows = Vec::new();
    for head in batch.heads() {
        let cut: Cut<'_> = cutter.cut(&batch, head, How::Fine);
        let slots: Vec<(u32, u32)> = cut
            .slots
            .iter()
            .map(|slot| (head.start + slot.start as u32, head.start + slot.end as u32))
            .collect();
        rows.push((kinds.intern(cut.key).expect("room"), slots));
    }
    let mut counts = vec![0; kinds.len()];
    for (kind, _) in &rows {
        counts[*kind as usize] += 1;
    }
    let joined = join(&kinds, &counts);
    let slots_of = |(at, head): (usize, &RecordHead)| {
        let (kind, slots) = &rows[at];
        let (_, joined) = joined.iter().find(|(number, _)| number == kind)?;
        let mut out = Vec::new();
        let end = head.start + head.raw_len + head.extra_len;
        joined.slots_into(slots, head.start..end, &mut out);
        let word = |(start, end): (u32, u32)| {
            String::from_utf8_lossy(&batch.bytes()[start as usize..end as usize]).into_owned()
        };
        Some(out.into_iter().map(word).collect())
    };
    batch.heads().iter().enumerate().map(slots_of).collect()
}

/// The messages of a form are of one kind, with these slots.
fn assert_joined(form: usize, slots: &[&str]) {
    for (name, found) in NAMES.iter().zip(joined_slots(&messages(form))) {
        let slots = slots.iter().map(|slot| slot.replace("NAME", name));
        assert_eq!(found, Some(slots.collect()), "form {form}");
    }
}

#[test]
fn kinds_that_differ_in_one_word_are_one() {
    for (form, slots) in [
        (0, vec!["a", "7", "NAME"]),
        (1, vec!["a", "NAME", "7"]),
        (2, vec!["a", "7", "7", "NAME"]),
        (3, vec!["NAME", "7"]),
        (4, vec!["NAME"]),
        (5, vec!["NAME"]),
    ] {
        assert_joined(form, &slots);
    }
}

#[test]
fn kinds_that_end_differently_are_one() {
    for (form, slots) in [
        (6, vec!["a", "7", "7", " NAME of NAME at 3"]),
        (7, vec!["7", " NAME or not NAME"]),
        (8, vec![" NAME is NAME"]),
    ] {
        assert_joined(form, &slots);
    }
}

#[test]
fn the_longest_start_that_enough_have_is_kept() {
    let ends = |start: &str| {
        let end =
            |name: &&str| Message::without_stamp(format!("up {start} {name} as {name}").as_bytes());
        NAMES.iter().map(end).collect::<Vec<_>>()
    };
    let few = &ends("again")[..KIND_ROWS_MIN as usize - 1];
    let found = joined_slots(&[&ends("and running")[..], few].concat());
    let (many, few) = found.split_at(NAMES.len());
    assert_eq!(many[0], Some(vec![" root as root".to_owned()]));
    // Nothing is left that the others could be joined with.
    assert!(few.iter().all(Option::is_none), "{few:?}");
    let found = joined_slots(&[&ends("and running")[..9], &ends("again")[..9]].concat());
    assert_eq!(found[0], Some(vec![" and running root as root".to_owned()]));
    assert_eq!(found[9], Some(vec![" again root as root".to_owned()]));
}

#[test]
fn kinds_with_as_many_slots_as_there_may_be_get_no_more() {
    let message_of = |numbers: usize| {
        let start = "7 ".repeat(numbers);
        let message =
            |name: &&str| Message::without_stamp(format!("at {start}{name} of {name}").as_bytes());
        NAMES.iter().map(message).collect::<Vec<_>>()
    };
    let some = joined_slots(&message_of(TEMPLATE_SLOTS_MAX - 1));
    let all =
        |slots: &Option<Vec<String>>| slots.as_ref().map(Vec::len) == Some(TEMPLATE_SLOTS_MAX);
    assert!(some.iter().all(all), "{:?}", some[0]);
    assert_eq!(joined_slots(&message_of(TEMPLATE_SLOTS_MAX))[0], None);
}

#[test]
fn kinds_that_have_no_start_in_common_are_not() {
    assert!(joined_slots(&messages(9)).iter().all(Option::is_none));
}

#[test]
fn kinds_with_too_few_records_together_are_not() {
    let few = &messages(0)[..KIND_ROWS_MIN as usize - 1];
    assert!(joined_slots(few).iter().all(Option::is_none));
    let enough = &messages(0)[..KIND_ROWS_MIN as usize];
    assert!(joined_slots(enough).iter().all(Option::is_some));
}

#[test]
fn kinds_with_records_enough_stay_as_they_are() {
    let mut messages = messages(0);
    for _ in 0..KIND_ROWS_MIN {
        messages.push(message(0, "root"));
    }
    let found = joined_slots(&messages);
    assert_eq!(found[0], None);
    assert!(found[1].is_some());
}

#[test]
fn words_beside_slots_are_none() {
    let key = |text: &[u8]| [&[13][..], text, &[END]].concat();
    let found = |text: &[u8]| -> Vec<Vec<u8>> {
        let key = key(text);
        words(&key)
            .into_iter()
            .map(|word| key[word.at].to_vec())
            .collect()
    };
    assert_eq!(found(b"ab cd. ef.g"), [&b"ab"[..], b"cd", b"ef.g"]);
    assert_eq!(
        found(&[b'a', SLOT, b'b', b' ', b'c', EDGE, b'd']),
        [b"c", b"d"]
    );
    assert_eq!(words(&key(&[SLOT; TEMPLATE_SLOTS_MAX])), []);
    assert_eq!(words(&key(&b"a ".repeat(1_000))).len(), JOINED_WORDS_MAX);
}

proptest! {
    #[test]
    fn records_of_joined_kinds_round_trip(
        records in prop::collection::vec((0..10_usize, 0..NAMES.len()), 1..200),
    ) {
        let messages = records.into_iter().map(|(form, name)| message(form, NAMES[name]));
        let messages: Vec<Message> = messages.collect();
        assert_reads_back(&[batch_of(&messages)]);
    }
}
