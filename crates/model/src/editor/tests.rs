use super::*;
use crate::{Facility, RecordParts, Severity};

/// A batch whose last record is `raw` with the first word as its host, and one field.
fn batch(raw: &[u8]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let mut parts = RecordParts {
        host: Span::new(0, 2),
        message: Span::new(3, raw.len()),
        extra: b"key".to_vec(),
        ..RecordParts::default()
    };
    parts.fields.push(Field {
        group: Span::default(),
        name: Span::new(raw.len(), raw.len() + 3),
        value: Span::new(0, 2),
    });
    for _ in 0..2 {
        let now = Timestamp::from_seconds(7);
        batch.push(raw, &parts, now, None, 0).unwrap();
    }
    batch
}

fn fields(record: RecordRef<'_>) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.into()).unwrap();
    let fields = record.fields();
    fields
        .map(|field| (field.full_name(), text(field.value)))
        .collect()
}

#[test]
fn what_is_set_stands_behind_the_raw_bytes_that_stay() {
    let mut batch = batch(b"h1 text");
    let before = batch.get(0).unwrap().raw().to_vec();
    let mut editor = batch.edit_last().unwrap();
    let host = editor.append(b"other").unwrap();
    editor.set_part(TextPart::Host, host);
    editor.set_time(Timestamp::from_seconds(1));
    let priority = Priority::new(
        Facility::from_number(4).unwrap(),
        Severity::from_number(2).unwrap(),
    );
    editor.set_priority(priority);
    editor.add_tag("mine").unwrap();
    let record = batch.get(1).unwrap();
    assert_eq!(record.raw(), before);
    assert_eq!(record.host(), b"other");
    assert_eq!(record.priority(), priority);
    assert_eq!(record.tags().collect::<Vec<_>>(), ["mine"]);
    assert_eq!(batch.get(0).unwrap().host(), b"h1");
}

#[test]
fn fields_are_added_replaced_and_removed() {
    let mut batch = batch(b"h1 text");
    let mut editor = batch.edit_last().unwrap();
    let text = editor.append(b"group.name=v").unwrap().start as usize;
    let at = |start, end| Span::new(text + start, text + end);
    let field = Field {
        group: at(0, 5),
        name: at(6, 10),
        value: at(11, 12),
    };
    editor.push_field(field).unwrap();
    assert_eq!(
        fields(editor.record()),
        [
            ("key".into(), "h1".into()),
            ("group.name".into(), "v".into())
        ]
    );
    assert_eq!(editor.retain_fields(|field| field.name != b"key"), 1);
    assert_eq!(fields(editor.record()), [("group.name".into(), "v".into())]);
    editor.replace_field(
        0,
        Field {
            value: at(6, 10),
            ..field
        },
    );
    assert_eq!(
        fields(editor.record()),
        [("group.name".into(), "name".into())]
    );
    assert_eq!(fields(batch.get(0).unwrap()), [("key".into(), "h1".into())]);
}

#[test]
fn a_mark_takes_back_all_that_came_after_it() {
    let mut batch = batch(b"h1 text");
    let before = batch.clone();
    let mut mark = Mark::default();
    let mut editor = batch.edit_last().unwrap();
    editor.mark(&mut mark);
    let span = editor.append(b"more").unwrap();
    editor.set_part(TextPart::Message, span);
    editor.retain_fields(|_| false);
    editor.push_field(Field::default()).unwrap();
    editor.restore(&mark);
    assert_eq!(batch, before);
}

#[test]
fn a_record_is_repeated_and_taken_off() {
    let mut batch = batch(b"h1 text");
    let before = batch.clone();
    batch.repeat_last().unwrap();
    assert_eq!(batch.len(), 3);
    assert_eq!(fields(batch.get(2).unwrap()), fields(batch.get(1).unwrap()));
    assert!(batch.pop());
    assert_eq!(batch, before);
    assert!(batch.pop() && batch.pop() && !batch.pop());
    assert!(batch.edit_last().is_none());
}

#[test]
fn a_record_does_not_grow_beyond_its_limits() {
    let mut batch = batch(b"h1 text");
    let mut editor = batch.edit_last().unwrap();
    let long = vec![b'x'; RECORD_EXTRA_BYTES_MAX];
    assert_eq!(editor.append(&long), Err(BatchFull));
    assert!(editor.append(&long[3..]).is_ok());
    assert_eq!(editor.append(b"x"), Err(BatchFull));
    for _ in 1..RECORD_FIELDS_MAX {
        editor.push_field(Field::default()).unwrap();
    }
    assert_eq!(editor.push_field(Field::default()), Err(BatchFull));
}
