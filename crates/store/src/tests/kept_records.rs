//! Records that were asked for are remembered where they are few.

use super::*;
use crate::limits::KEPT_RECORDS_MAX;

#[test]
fn few_records_are_put_together_once() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let rows = KEPT_RECORDS_MAX + 1;
    let store = open_with(segments_of(rows, dir.path()), Arc::new(RealDisk));
    let messages: Vec<String> = (0..rows).map(|row| format!("message {row}")).collect();
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    append(&store, batch(&messages));
    wait_until(&store, |store| segments(store) == 1);
    let Some(Part::Segment(segment)) = snapshot(&store).parts.first().cloned() else {
        panic!("no segment");
    };
    let all: Vec<(u32, u32)> = (0..rows as u32)
        .map(|row| segment.with_ordinal(row).expect("reads"))
        .collect();
    let few = |own: &[usize]| -> Vec<(u32, u32)> { own.iter().map(|row| all[*row]).collect() };
    let ask = |own: &[(u32, u32)]| segment.kept_records(0, own).expect("reads");
    let texts = |own: &RecordBatch| -> Vec<String> {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        own.iter().map(|record| text(record.message())).collect()
    };
    let first = ask(&few(&[3, 7, 60]));
    assert_eq!(texts(&first), ["message 3", "message 7", "message 60"]);
    assert!(Arc::ptr_eq(&first, &ask(&few(&[3, 7, 60]))));
    assert_eq!(texts(&ask(&few(&[7, 3]))), ["message 7", "message 3"]);
    assert_eq!(texts(&ask(&few(&[3, 7]))), ["message 3", "message 7"]);
    assert_eq!(texts(&ask(&all)), messages);
    assert!(!Arc::ptr_eq(&ask(&all), &ask(&all)));
    assert!(segment.kept_records(0, &[(rows as u32, 0)]).is_err());
}
