//! The records that runs write: each one different, and known from its first word.

use model::{Field, Priority, RecordBatch, RecordParts, RecordRef, Span, Timestamp};

use crate::random::Random;

const WORDS: [&str; 8] = [
    "error", "accepted", "refused", "10.0.0.1", "x=5", "Error", "closed", "---",
];

/// Queries whose answers are compared with the definition.
pub(crate) const QUERIES: [&str; 6] = [
    "error",
    "refused NOT closed",
    "program:sshd",
    "host:web* accepted",
    "severity:<=err OR x",
    "\"10.0.0.1\"",
];

/// Records numbered from `first`, received at one time or at those of `days`.
pub(crate) fn batch(
    random: &mut Random,
    first: usize,
    count: usize,
    mut received: impl FnMut(&mut Random) -> Timestamp,
) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("sim").unwrap_or(0);
    for index in first..first + count {
        let mut raw = format!("{index} ").into_bytes();
        let mut put = |text: &str| {
            let start = raw.len();
            raw.extend_from_slice(text.as_bytes());
            raw.push(b' ');
            Span::new(start, start + text.len())
        };
        let host = put(random.pick(&["web1", "web2", "db"]).unwrap_or(""));
        let program = put(random.pick(&["sshd", "nginx", ""]).unwrap_or(""));
        let name = put("k");
        let value = put(&random.below(5).to_string());
        let mut message = String::new();
        for _ in 0..random.between(1, 6) {
            message.push_str(random.pick(&WORDS).unwrap_or(""));
            message.push(' ');
        }
        // Bytes that do not compress, so that journal files fill.
        for _ in 0..random.below(12) {
            message.push_str(&format!("{:016x}", random.bits()));
        }
        let message = put(&message);
        let group = Span::default();
        let parts = RecordParts {
            time: Timestamp::from_seconds(i64::try_from(index).unwrap_or(0)),
            priority: Priority::from_number(u8::try_from(random.below(192)).unwrap_or(0))
                .unwrap_or(Priority::DEFAULT),
            fields: vec![Field { group, name, value }],
            host,
            program,
            message,
            ..RecordParts::default()
        };
        let at = received(random);
        let pushed = batch.push(&raw, &parts, at, None, source);
        debug_assert!(pushed.is_ok(), "the records of a step fit into a batch");
    }
    batch
}

/// The number that a record was made with.
pub(crate) fn index(record: RecordRef<'_>) -> Option<usize> {
    let word = record.raw().split(|byte| *byte == b' ').next()?;
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Whether two records say the same in every part, their times of receipt aside.
pub(crate) fn is_same(a: RecordRef<'_>, b: RecordRef<'_>) -> bool {
    let fields = |record: RecordRef<'_>| -> Vec<_> {
        let fields = record.fields();
        fields
            .map(|field| (field.full_name(), field.value.to_vec()))
            .collect()
    };
    a.raw() == b.raw()
        && a.bytes() == b.bytes()
        && a.time() == b.time()
        && a.priority() == b.priority()
        && a.peer() == b.peer()
        && a.source() == b.source()
        && a.host() == b.host()
        && a.program() == b.program()
        && a.pid() == b.pid()
        && a.msgid() == b.msgid()
        && a.structured_data() == b.structured_data()
        && a.message() == b.message()
        && fields(a) == fields(b)
}
