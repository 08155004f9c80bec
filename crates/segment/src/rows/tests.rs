//! Records in, records out; and what becomes of bytes that no encoder wrote.

use model::{RecordBatch, RecordParts, Span, Timestamp};
use proptest::prelude::*;

use super::*;
use crate::testing::{any_batch, seen_all};

fn received(batch: &RecordBatch) -> Vec<Timestamp> {
    batch.heads().iter().map(|head| head.received).collect()
}

fn encoded(batch: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    encode_rows(batch, 0..batch.len(), &mut out);
    out
}

proptest! {
    #[test]
    fn records_round_trip(batch in any_batch(12)) {
        let decoded = decode_rows(&encoded(&batch), &received(&batch)).expect("valid");
        prop_assert_eq!(seen_all(&decoded), seen_all(&batch));
    }

    #[test]
    fn decoded_records_encode_to_the_same_bytes(batch in any_batch(12)) {
        let bytes = encoded(&batch);
        let decoded = decode_rows(&bytes, &received(&batch)).expect("valid");
        prop_assert_eq!(encoded(&decoded), bytes);
    }

    #[test]
    fn a_range_in_any_order_of_the_arena_round_trips(batch in any_batch(12), cut in 0..12_usize) {
        let mut batch = batch;
        batch.sort_by_received();
        let start = cut.min(batch.len());
        let mut out = Vec::new();
        encode_rows(&batch, start..batch.len(), &mut out);
        let decoded = decode_rows(&out, &received(&batch)[start..]).expect("valid");
        prop_assert_eq!(&seen_all(&decoded)[..], &seen_all(&batch)[start..]);
    }

    #[test]
    fn changed_bytes_are_survived(
        batch in any_batch(6),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = encoded(&batch);
        for (index, value) in changes {
            *index.get_mut(&mut bytes) = value;
        }
        let received = received(&batch);
        let _ = decode_rows(&bytes[..cut.index(bytes.len())], &received);
        if let Ok(decoded) = decode_rows(&bytes, &received) {
            assert_spans_fit(&decoded);
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100), rows in 0..4_usize) {
        if let Ok(decoded) = decode_rows(&bytes, &vec![Timestamp::default(); rows]) {
            assert_spans_fit(&decoded);
        }
    }
}

fn assert_spans_fit(batch: &RecordBatch) {
    for (head, record) in batch.heads().iter().zip(batch.iter()) {
        let total = record.bytes().len();
        assert_eq!(total, (head.raw_len + head.extra_len) as usize);
        let fits =
            |span: Span| span.is_empty() || span.of(record.bytes()).len() == span.len as usize;
        let parts = [
            head.host,
            head.program,
            head.pid,
            head.msgid,
            head.structured_data,
            head.message,
        ];
        assert!(parts.into_iter().all(fits));
        let start = head.fields_start as usize;
        for field in &batch.fields()[start..start + head.fields_len as usize] {
            assert!(fits(field.group) && fits(field.name) && fits(field.value));
        }
    }
}

#[test]
fn only_names_in_use_are_kept() {
    let mut batch = RecordBatch::new();
    batch.source_index("unused").expect("room");
    let source = batch.source_index("used").expect("room");
    batch.tag_bit("unused").expect("room");
    let tags = batch.tag_bit("used").expect("room");
    let parts = RecordParts {
        tags,
        ..RecordParts::default()
    };
    batch
        .push(b"x", &parts, Timestamp::default(), None, source)
        .expect("room");
    let decoded = decode_rows(&encoded(&batch), &received(&batch)).expect("valid");
    assert_eq!(decoded.sources().len(), 1);
    assert_eq!(decoded.tags().len(), model::SYSLOG_TAG_NAMES.len() + 1);
    assert_eq!(seen_all(&decoded), seen_all(&batch));
}

#[test]
fn the_number_of_rows_must_fit_the_times_of_receipt() {
    let bytes = encoded(&RecordBatch::new());
    assert!(decode_rows(&bytes, &[Timestamp::default()]).is_err());
    assert!(decode_rows(&bytes, &[]).is_ok_and(|batch| batch.is_empty()));
}

/// What a page of ordinary lines costs besides their text: a few bytes a row, mostly zeros.
#[test]
fn ordinary_syslog_costs_few_bytes_besides_its_text() {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("udp").expect("room");
    let mut text = 0;
    for row in 0..500_i64 {
        let raw = format!("<34>Nov 21 18:47:27 web-01 sshd[4242]: message {row}");
        let parts = RecordParts {
            time: Timestamp::from_seconds(1_795_286_847 + row / 50),
            host: Span::new(20, 26),
            program: Span::new(27, 31),
            pid: Span::new(32, 36),
            message: Span::new(39, raw.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_nanos(1_795_286_847_123_456_789 + row * 20_000_123);
        batch
            .push(raw.as_bytes(), &parts, received, None, source)
            .expect("room");
        text += raw.len();
    }
    let bytes = encoded(&batch);
    assert!(
        bytes.len() < text + 2 * 500 + 100,
        "{} of {text}",
        bytes.len()
    );
}
