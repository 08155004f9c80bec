//! Records in, records out; what kinds share; and what becomes of keys that no cutter wrote.

use std::collections::BTreeSet;

use model::limits::RECORD_FIELDS_MAX;
use model::words::words;
use model::{Field, Priority, RecordBatch, RecordHead, RecordParts, Span, Timestamp};
use proptest::prelude::*;

use super::shape::KeyCounts;
use super::*;
use crate::limits::{KIND_EDGES_MAX, KIND_KEY_BYTES_MAX, KINDS_MAX, TEMPLATE_SLOTS_MAX};
use crate::rows::encode_rows;
use crate::testing::{any_batch, seen_all, texts};
use crate::{Corrupt, Namespace};

/// 2026-11-01T22:14:15Z
const SECONDS: i64 = 1_793_571_255;

/// A record before it is in a batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    raw: Vec<u8>,
    parts: RecordParts,
}

impl Message {
    fn new(time: Timestamp, priority: u8) -> Self {
        let parts = RecordParts {
            time,
            priority: Priority::from_number(priority).expect("below 192"),
            ..RecordParts::default()
        };
        Self {
            raw: Vec::new(),
            parts,
        }
    }

    fn text(&mut self, text: &[u8]) -> Span {
        let start = self.raw.len();
        self.raw.extend_from_slice(text);
        Span::new(start, self.raw.len())
    }

    fn extra(&mut self, text: &[u8]) -> Span {
        let start = self.raw.len() + self.parts.extra.len();
        self.parts.extra.extend_from_slice(text);
        Span::new(start, start + text.len())
    }

    /// `<13>Nov  1 22:14:15 host program[pid]: message`
    pub(super) fn bsd(stamp: &str, host: &str, program: &str, pid: &str, message: &[u8]) -> Self {
        let mut made = Self::new(Timestamp::from_seconds(SECONDS), 13);
        made.text(b"<13>");
        made.text(stamp.as_bytes());
        made.text(b" ");
        made.parts.host = made.text(host.as_bytes());
        made.text(b" ");
        made.parts.program = made.text(program.as_bytes());
        made.text(b"[");
        made.parts.pid = made.text(pid.as_bytes());
        made.text(b"]: ");
        made.parts.message = made.text(message);
        made
    }

    /// `<13>Nov  1 22:14:15 message`
    pub(super) fn without_host(stamp: &str, message: &[u8]) -> Self {
        let mut made = Self::new(Timestamp::from_seconds(SECONDS), 13);
        made.text(b"<13>");
        made.text(stamp.as_bytes());
        made.text(b" ");
        made.parts.message = made.text(message);
        made
    }

    /// `<13>message`
    pub(super) fn without_stamp(message: &[u8]) -> Self {
        let mut made = Self::new(Timestamp::from_seconds(SECONDS), 13);
        made.text(b"<13>");
        made.parts.message = made.text(message);
        made
    }

    /// `<13>1 2026-11-01T22:14:15.120Z host program - id [sd@1 name="value"] message`, with a value
    /// in `extra` too.
    fn ietf(host: &str, fields: &[(&str, &str)], message: &[u8]) -> Self {
        let mut made = Self::new(
            Timestamp::from_nanos(SECONDS * 1_000_000_000 + 120_000_000),
            13,
        );
        made.text(b"<13>1 2026-11-01T22:14:15.120Z ");
        made.parts.host = made.text(host.as_bytes());
        made.text(b" ");
        made.parts.program = made.text(b"app");
        made.text(b" - ");
        made.parts.msgid = made.text(b"ID47");
        made.text(b" ");
        let start = made.text(b"[").start as usize;
        let group = made.text(b"sd@1");
        for (name, value) in fields {
            made.text(b" ");
            let name = made.text(name.as_bytes());
            made.text(b"=\"");
            let value = made.text(value.as_bytes());
            made.text(b"\"");
            made.parts.fields.push(Field { group, name, value });
        }
        let end = made.text(b"]");
        made.parts.structured_data = Span::new(start, (end.start + end.len) as usize);
        made.text(b" ");
        made.parts.message = made.text(message);
        let value = made.extra(b"unescaped \"value\"");
        made.parts.fields.push(Field {
            value,
            ..Field::default()
        });
        made
    }
}

pub(super) fn batch_of(messages: &[Message]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    for message in messages {
        let received = Timestamp::from_seconds(SECONDS + 1);
        batch
            .push(&message.raw, &message.parts, received, None, source)
            .expect("room");
    }
    batch
}

/// The key of the first record of a batch and what is in its slots.
fn cut(batch: &RecordBatch, how: How) -> (How, Vec<u8>, Vec<Vec<u8>>) {
    let mut cutter = Cutter::default();
    let cut: Cut<'_> = cutter.cut(batch, &batch.heads()[0], how);
    let values = cut.values().map(<[u8]>::to_vec).collect();
    (cut.how, cut.key.to_vec(), values)
}

fn cut_one(message: &Message, how: How) -> (How, Vec<u8>, Vec<Vec<u8>>) {
    cut(&batch_of(std::slice::from_ref(message)), how)
}

fn slots_of(message: &Message, how: How) -> Vec<String> {
    let (_, _, values) = cut_one(message, how);
    let values = values.into_iter();
    values
        .map(|value| String::from_utf8(value).expect("text"))
        .collect()
}

#[test]
fn slots_stand_in_the_column_groups_of_their_parts() {
    let message = Message::bsd("Nov  1 22:14:15", "web-7", "app7", "4711", b"took 12 ms");
    let (_, key, values) = cut_one(&message, How::Fine);
    let shape = Shape::decode(&key).expect("valid");
    let column_groups = shape.places().iter().map(|place| place.column_group);
    let of_values: Vec<_> = column_groups.zip(values).collect();
    let expected = [
        (ColumnGroup::Host, "web-7"),
        (ColumnGroup::Program, "app7"),
        (ColumnGroup::Pid, "4711"),
        (ColumnGroup::Message, "12"),
    ];
    let expected = expected.map(|(column_group, value)| (column_group, value.as_bytes().to_vec()));
    assert_eq!(of_values, expected);
    let whole = Shape::decode(&[WHOLE]).expect("valid");
    let of_whole = whole
        .places()
        .iter()
        .map(|place| (place.column_group, place.rank));
    assert!(of_whole.eq([(ColumnGroup::Message, 0), (ColumnGroup::Message, 1)]));
}

/// Cuts all records of a batch and makes them again of keys and slots.
fn through_kinds(batch: &RecordBatch, how: How) -> RecordBatch {
    let (mut cutter, mut kinds) = (Cutter::default(), Kinds::new());
    let mut rows = Vec::new();
    for head in batch.heads() {
        let cut = cutter.cut(batch, head, how);
        let number = kinds.intern(cut.key).expect("room");
        let values: Vec<Vec<u8>> = cut.values().map(<[u8]>::to_vec).collect();
        let shape = Shape::decode(cut.key).expect("valid");
        assert_eq!(shape.places().len(), values.len());
        rows.push((number, values));
    }
    let mut encoded = Vec::new();
    kinds.encode(&mut encoded);
    let kinds = Kinds::decode(&encoded).expect("valid");
    let (mut heads, mut texts) = (Vec::new(), Texts::default());
    for (before, (number, values)) in batch.heads().iter().zip(&rows) {
        let shape = kinds.shape(*number).expect("valid");
        let mut head = bare(before);
        let append = |slot: usize, out: &mut Vec<u8>| {
            out.extend_from_slice(&values[slot]);
            Ok(())
        };
        shape
            .write(before.time, append, &mut head, &mut texts)
            .expect("valid");
        heads.push(head);
    }
    let mut again = batch.clone();
    again
        .set_records(heads, texts.fields, texts.bytes)
        .expect("lengths add up");
    again
}

/// Every span of every record, but for those that are empty or do not fit.
fn as_rows(batch: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    encode_rows(batch, 0..batch.len(), &mut out);
    out
}

/// A head with only what no kind knows.
fn bare(head: &RecordHead) -> RecordHead {
    let mut batch = RecordBatch::new();
    batch
        .push(b"", &RecordParts::default(), head.received, head.peer, 0)
        .expect("room");
    RecordHead {
        time: head.time,
        source: head.source,
        tags: head.tags,
        ..batch.heads()[0]
    }
}

/// Messages of about the same kind, with what may tempt to take one for the other: fixed texts that end
/// where tokens are hard to tell, and tokens of all sorts between them.
fn alike() -> impl Strategy<Value = Vec<Message>> {
    let fixed = prop::sample::select(vec![
        "", " ", "ab:", "fe:", "zz:", " a ", "=", "x=", "=\"", "\"", "\" ", "\": ", "'", "' ",
        ". ", ".", "..,", ": ", "[1", "<",
    ]);
    let token = prop::sample::select(vec![
        "7", "77", "a1", "g1", "a:b", "fe80::1", "x.", "7.", "7..", "10.0.0.7", "ab", "zz", "",
        "7\"", "'7'", "7 8", "1:2", ":", "/", "\u{1}", "7=", "\\\"7",
    ]);
    let tokens = prop::collection::vec(prop::collection::vec(token, 4), 2..8);
    let stamps = prop::collection::vec(any::<bool>(), 8);
    let parts = (
        prop::collection::vec(fixed, 5),
        tokens,
        stamps,
        any::<bool>(),
    );
    parts.prop_map(|(fixed, tokens, stamps, is_bsd)| {
        let made = tokens.iter().zip(stamps).map(|(tokens, is_stamped)| {
            let mut text = String::new();
            for (place, fixed) in fixed.iter().enumerate() {
                text += fixed;
                text += tokens.get(place).copied().unwrap_or_default();
            }
            let stamp = if is_stamped {
                "Nov  1 22:14:15"
            } else {
                "1 Nov  1 22:14:15"
            };
            if is_bsd {
                Message::bsd(stamp, "web-1", "sshd", tokens[0], text.as_bytes())
            } else {
                Message::ietf("web-1", &[("id", tokens[0])], text.as_bytes())
            }
        });
        made.collect()
    })
}

/// Guesses the kinds of records, three times each; how many were.
fn guess_all(batch: &RecordBatch) -> usize {
    let (mut guesses, mut kinds, mut count) = (Guesses::default(), Kinds::new(), 0);
    for head in [batch.heads(); 3].concat() {
        let mut cutter = Cutter::default();
        let cut = cutter.cut(batch, &head, How::Fine);
        if let Some((number, slots)) = guesses.guess(batch, &head) {
            let place = |place: usize| head.start + place as u32;
            let expected = cut.slots.iter();
            let expected = expected.map(|slot| (place(slot.start), place(slot.end)));
            assert_eq!(cut.how, How::Fine);
            assert_eq!(kinds.key(number), Some(cut.key));
            assert_eq!(slots, expected.collect::<Vec<_>>());
            count += 1;
        } else if cut.how == How::Fine {
            guesses.learn(kinds.intern(cut.key).expect("room"), cut.key);
        }
    }
    count
}

#[test]
fn ordinary_messages_are_guessed() {
    let login = |pid: &str, text: &str| {
        Message::bsd("Nov  1 22:14:15", "web", "sshd", pid, text.as_bytes())
    };
    let messages = [
        login("812", "login of eva from 10.0.0.1: 7 tries."),
        login("9", "login of eva from fe80::1: 12 tries."),
        login("9", "login of eva failed"),
        login("7", "login of \"eva b\" failed, size:5"),
        login("7", r#"{"level":"info","ms":7,"what":"a \"b\""}"#),
        Message::ietf(
            "web",
            &[("user", "eva"), ("code", "x")],
            b"it's done in 7 s",
        ),
        Message::bsd("Nov  1 22:14:16", "web", "sshd", "7", b"of another time"),
    ];
    for message in messages {
        assert_eq!(guess_all(&batch_of(&[message])), 2);
    }
}

fn any_how() -> impl Strategy<Value = How> {
    prop::sample::select(vec![How::Fine, How::Coarse, How::Whole])
}

/// Records as parsers make them, with stamps that are of their time and such that are not.
fn any_parsed() -> impl Strategy<Value = Message> {
    let stamp = prop::sample::select(vec![
        "Nov  1 22:14:15",
        "Nov 01 23:14:15",
        "Nov  1 22:14:16",
        "2026-11-01T22:14:15Z",
        "2026-11-01 17:14:15.000-05:00",
        "-",
    ]);
    let word = || prop::sample::select(vec!["web-1", "sshd", "a", "10.0.0.7", "x_y", "7"]);
    let text = || {
        prop::collection::vec(
            prop_oneof![
                12 => prop::sample::select(b"ab1. =\"'/\\[]:\t".to_vec()).prop_map(|byte| vec![byte]),
                4 => any::<u8>().prop_map(|byte| vec![byte]),
                1 => prop::sample::select(vec!["\u{ff1a}", "\u{a0}", "\u{2192}", "\u{4e3b}", "\u{e9}"])
                    .prop_map(|text| text.as_bytes().to_vec()),
            ],
            0..30,
        )
        .prop_map(|pieces| pieces.concat())
    };
    let fields = prop::collection::vec((word(), word()), 0..4);
    (stamp, word(), word(), word(), text(), fields, any::<bool>()).prop_map(
        |(stamp, host, program, pid, text, fields, is_bsd)| {
            if is_bsd {
                Message::bsd(stamp, host, program, pid, &text)
            } else {
                Message::ietf(host, &fields, &text)
            }
        },
    )
}

proptest! {
    #[test]
    fn hostile_records_round_trip(batch in any_batch(12), how in any_how()) {
        let again = through_kinds(&batch, how);
        prop_assert_eq!(seen_all(&again), seen_all(&batch));
        prop_assert_eq!(as_rows(&again), as_rows(&batch));
    }

    #[test]
    fn parsed_records_round_trip(
        messages in prop::collection::vec(any_parsed(), 1..6),
        how in any_how(),
    ) {
        let batch = batch_of(&messages);
        prop_assert_eq!(as_rows(&through_kinds(&batch, how)), as_rows(&batch));
    }

    #[test]
    fn a_cut_does_not_depend_on_those_before(batch in any_batch(6), how in any_how()) {
        let mut cutter = Cutter::default();
        for head in batch.heads() {
            let mut fresh = Cutter::default();
            let expected = fresh.cut(&batch, head, how);
            let found = cutter.cut(&batch, head, how);
            prop_assert_eq!(found.key, expected.key);
            prop_assert_eq!(found.slots, expected.slots);
            prop_assert_eq!(found.how, expected.how);
        }
    }

    #[test]
    fn a_guess_is_what_cutting_finds(
        hostile in any_batch(8),
        parsed in prop::collection::vec(any_parsed(), 1..8),
        alike in alike(),
    ) {
        guess_all(&hostile);
        guess_all(&batch_of(&parsed));
        guess_all(&batch_of(&alike));
    }

    #[test]
    fn fixed_and_varying_words_are_all_words(
        hostile in any_batch(4),
        messages in prop::collection::vec(any_parsed(), 0..4),
        is_fine in any::<bool>(),
    ) {
        let how = if is_fine { How::Fine } else { How::Coarse };
        for batch in [hostile, batch_of(&messages)] {
            for (head, record) in batch.heads().iter().zip(batch.iter()) {
                let mut cutter = Cutter::default();
                let cut = cutter.cut(&batch, head, how);
                let shape = Shape::decode(cut.key).expect("valid");
                let stretches = shape.stretches().expect("pieces");
                let mut found = BTreeSet::new();
                for (part, text) in &stretches.fixed {
                    found.extend(words(text).map(|word| (*part, word)));
                }
                for varying in &stretches.varying {
                    let places = cut.slots.iter();
                    let places = places.map(|slot| (slot.start as u32, slot.end as u32));
                    let places: Vec<_> = places.collect();
                    let range = varying.range(&places).expect("slots");
                    found.extend(words(&cut.text[range]).map(|word| (varying.part, word)));
                }
                let expected: BTreeSet<(Namespace, &[u8])> = texts(record)
                    .into_iter()
                    .filter(|(part, _)| !matches!(part, Namespace::Tag | Namespace::Source))
                    .flat_map(|(part, text)| words(text).map(move |word| (part, word)))
                    .collect();
                prop_assert_eq!(found, expected);
                for (part, text) in texts(record) {
                    let fixed = stretches.parts.iter().find(|fixed| fixed.part == part);
                    let is_text = text.iter().any(|byte| !model::words::is_wildcard_stop(*byte));
                    prop_assert!(fixed.is_none_or(|fixed| !fixed.is_there || !text.is_empty()));
                    prop_assert!(fixed.is_none_or(|fixed| !fixed.has_text || is_text));
                    let is_loose = matches!(part, Namespace::Tag | Namespace::Source);
                    prop_assert!(fixed.is_some() || text.is_empty() || is_loose);
                }
            }
        }
    }

    #[test]
    fn any_key_is_survived(
        key in prop::collection::vec(prop_oneof![3 => 0..9_u8, 1 => any::<u8>()], 0..40),
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..4),
    ) {
        survive(&key, &values);
    }

    #[test]
    fn changed_keys_and_slots_are_survived(
        message in any_parsed(),
        how in any_how(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        slot_changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        end in any::<prop::sample::Index>(),
    ) {
        let (_, mut key, mut values) = cut_one(&message, how);
        for (index, value) in changes {
            *index.get_mut(&mut key) = value;
        }
        for (index, byte) in slot_changes {
            if let Some(value) = values.last_mut().filter(|value| !value.is_empty()) {
                *index.get_mut(value) = byte;
            }
        }
        survive(&key[..end.index(key.len())], &values);
        survive(&key, &values);
    }

    #[test]
    fn any_table_is_survived(bytes in prop::collection::vec(0..6_u8, 0..30)) {
        if let Ok(kinds) = Kinds::decode(&bytes) {
            let mut again = Vec::new();
            kinds.encode(&mut again);
            prop_assert_eq!(again, bytes);
        }
    }
}

/// Spans of what a key makes of some slots fit, whatever the key.
fn survive(key: &[u8], values: &[Vec<u8>]) {
    let counts = KeyCounts::of_key(key);
    let Ok(shape) = Shape::decode(key) else {
        return;
    };
    // They are counted without decoding the rest.
    let counts = counts.expect("what is decoded is counted");
    let mut of_column_groups = [0; ColumnGroup::COUNT];
    for place in shape.places() {
        let own = place.column_group.of(&mut of_column_groups);
        assert_eq!(place.rank, *own);
        *own += 1;
    }
    assert_eq!(counts.of_column_groups, of_column_groups);
    assert_eq!(counts.slots, of_column_groups.iter().sum::<u32>());
    let has_fields = shape.fields().is_none_or(|fields| !fields.is_empty());
    assert_eq!(counts.has_fields, has_fields);
    let _ = shape.stretches();
    let mut batch = batch_of(&[Message::new(Timestamp::default(), 0)]);
    let mut head = batch.heads()[0];
    let mut out = Texts::default();
    out.bytes.extend_from_slice(b"before");
    let append = |slot: usize, out: &mut Vec<u8>| {
        let value = values.get(slot).ok_or(Corrupt::Short { what: "slots" })?;
        out.extend_from_slice(value);
        Ok(())
    };
    let time = Timestamp::from_seconds(SECONDS);
    if shape.write(time, append, &mut head, &mut out).is_err() {
        assert_eq!(
            (out.bytes.as_slice(), out.fields.len()),
            (b"before".as_slice(), 0)
        );
        return;
    }
    let total = out.bytes.len() - b"before".len();
    assert_eq!((head.raw_len + head.extra_len) as usize, total);
    let spans = [
        head.host,
        head.program,
        head.pid,
        head.msgid,
        head.structured_data,
        head.message,
    ];
    let of_fields = out.fields.iter();
    let of_fields = of_fields.flat_map(|field| [field.group, field.name, field.value]);
    for span in spans.into_iter().chain(of_fields) {
        assert!(span == Span::default() || (span.start + span.len) as usize <= total);
    }
    assert_eq!(head.fields_len as usize, out.fields.len());
    batch
        .set_records(vec![head], out.fields, out.bytes.split_off(b"before".len()))
        .expect("lengths add up");
}

#[test]
fn ordinary_messages_of_a_kind_share_a_key() {
    let first = Message::bsd(
        "Nov  1 22:14:15",
        "web-1",
        "sshd",
        "812",
        b"login of eva from 10.0.0.1",
    );
    let second = Message::bsd(
        "Nov  1 22:14:15",
        "db",
        "sshd",
        "9",
        b"login of eva from 10.0.0.77",
    );
    let other = Message::bsd(
        "Nov  1 22:14:15",
        "db",
        "sshd",
        "9",
        b"logout of eva from 10.0.0.77",
    );
    assert_eq!(slots_of(&first, How::Fine), ["web-1", "812", "10.0.0.1"]);
    assert_eq!(slots_of(&second, How::Fine), ["db", "9", "10.0.0.77"]);
    let key = |message| cut_one(message, How::Fine).1;
    assert_eq!(key(&first), key(&second));
    assert_ne!(key(&first), key(&other));
    assert_eq!(
        key(&first),
        [
            b"\x0d<13>\x02\0\0\0\0 \x01\0\x01 \x01sshd\x01[\x01\0\x01]: \x01login of eva from \0\x03"
                .as_slice(),
            // `raw` ends behind piece 8; host, program, pid, message; no fields.
            b"\x08\x01\x01\x01\x03\x01\x05\0\0\x01\x07\0",
        ]
        .concat()
    );
}

#[test]
fn values_of_fields_are_slots_whatever_they_are() {
    let message = Message::ietf("web", &[("user", "eva b"), ("code", "x")], b"done");
    assert_eq!(
        slots_of(&message, How::Fine),
        ["web", "ID47", "sd@1", "eva b", "x", "unescaped \"value\""]
    );
}

#[test]
fn pieces_are_the_slots_of_the_coarse_kind() {
    let message = Message::bsd("Nov  1 22:14:15", "web-1", "sshd", "812", b"login 7 of eva");
    assert_eq!(
        slots_of(&message, How::Coarse),
        ["web-1", "sshd", "812", "login 7 of eva"]
    );
    let other = Message::bsd("Nov  1 22:14:15", "db", "cron", "1", b"any text");
    assert_eq!(
        cut_one(&message, How::Coarse).1,
        cut_one(&other, How::Coarse).1
    );
}

#[test]
fn a_stamp_of_another_time_is_a_slot() {
    let message = Message::bsd("Nov  1 22:14:16", "web-1", "sshd", "812", b"x");
    let slots = slots_of(&message, How::Fine);
    assert_eq!(slots, ["1", "22:14:16", "web-1", "812"]);
}

#[test]
fn a_priority_that_is_not_the_records_is_a_slot() {
    let mut message = Message::bsd("Nov  1 22:14:15", "web-1", "sshd", "812", b"x");
    message.parts.priority = Priority::from_number(14).expect("below 192");
    let slots = slots_of(&message, How::Fine);
    assert_eq!(slots, ["13", "web-1", "812"]);
}

#[test]
fn what_passes_a_limit_is_cut_more_coarsely() {
    let numbers = "7 ".repeat(TEMPLATE_SLOTS_MAX);
    let prose = "word ".repeat(KIND_KEY_BYTES_MAX / 4);
    let value = "x ".repeat(TEMPLATE_SLOTS_MAX);
    let many = vec![("name", value.as_str()); TEMPLATE_SLOTS_MAX];
    let too_many = vec![("name", "v"); KIND_EDGES_MAX];
    let bsd = |text: &str| Message::bsd("Nov  1 22:14:15", "h", "p", "1", text.as_bytes());
    for (message, how) in [
        // The last slot that there may be is the rest of the message.
        (bsd(&numbers), How::Fine),
        (bsd(&prose), How::Coarse),
        (
            Message::ietf("h", &many[..40], numbers.as_bytes()),
            How::Coarse,
        ),
        (Message::ietf("h", &many, b""), How::Whole),
        (Message::ietf("h", &too_many, b""), How::Whole),
        (
            Message::ietf("h", &too_many[..RECORD_FIELDS_MAX / 5], b""),
            How::Fine,
        ),
    ] {
        let batch = batch_of(&[message]);
        assert_eq!(cut(&batch, How::Fine).0, how);
        assert_eq!(as_rows(&through_kinds(&batch, How::Fine)), as_rows(&batch));
    }
}

#[test]
fn words_that_touch_slots_are_not_fixed() {
    let mut message = Message::new(Timestamp::default(), 13);
    message.text(b"one two");
    let value = message.text(b"three");
    message.text(b"four five");
    message.parts.message = Span::new(0, message.raw.len());
    message.parts.fields.push(Field {
        value,
        ..Field::default()
    });
    let (_, key, _) = cut_one(&message, How::Fine);
    let shape = Shape::decode(&key).expect("valid");
    let stretches: Stretches<'_> = shape.stretches().expect("pieces");
    let part = Namespace::Message;
    assert_eq!(
        stretches.fixed,
        [(part, b"one ".as_slice()), (part, b" five")]
    );
    let varying = Varying {
        part,
        first_slot: 0,
        last_slot: 0,
        before: 3,
        after: 4,
    };
    assert_eq!(stretches.varying, [varying]);
}

#[test]
fn a_stamp_within_a_part_is_refused() {
    let mut key = b"\x0d\x02\0\0\0\0\x03".to_vec();
    key.extend_from_slice(b"\x01\0\0\0\0\0\0\0");
    assert!(Shape::decode(&key).is_ok());
    key.pop();
    key.pop();
    key.extend_from_slice(b"\x01\0\0");
    assert_eq!(
        Shape::decode(&key),
        Err(Corrupt::Invalid {
            what: "piece of a time stamp",
            value: 0
        })
    );
}

#[test]
fn there_are_only_so_many_kinds() {
    let mut kinds = Kinds::new();
    assert_eq!(kinds.intern(&[WHOLE]), Some(Kinds::WHOLE));
    for number in 1..KINDS_MAX as u32 {
        assert_eq!(kinds.intern(&number.to_le_bytes()), Some(number));
    }
    assert_eq!(kinds.intern(b"another"), None);
    assert_eq!(kinds.intern(&7_u32.to_le_bytes()), Some(7));
    assert_eq!(kinds.len(), KINDS_MAX);
    assert!(kinds.memory_bytes() > 4 * KINDS_MAX);
    let mut large = Kinds::new();
    let keys =
        (0..).map(|number: u32| [&number.to_le_bytes(), &[0; KIND_KEY_BYTES_MAX - 4][..]].concat());
    assert!(keys.take(KINDS_MAX).any(|key| large.intern(&key).is_none()));
    assert!(large.len() > 2_000);
}

#[test]
fn tables_that_are_not_whole_are_refused_and_kinds_that_are_there_twice_found() {
    for bytes in [b"\x01\x01".as_slice(), b"\0a"] {
        assert!(Kinds::decode(bytes).is_err(), "{bytes:?}");
    }
    for bytes in [b"\x02\x01a\x01a".as_slice(), b"\x01\x01\xff"] {
        let kinds = Kinds::decode(bytes).expect("whole");
        assert!(kinds.check().is_err(), "{bytes:?}");
    }
    assert!(Kinds::decode(b"\x02\x01a\x01b").is_ok_and(|kinds| kinds.key(2) == Some(b"b")));
}
