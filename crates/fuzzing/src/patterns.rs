//! Pattern databases, and what they find in messages.

use patterndb::Database;

/// What stands between a file, a program and a message.
const BETWEEN: u8 = 0;

/// A file, a program and a message with zero bytes between: the file is a database or told to be wrong, and
/// what is found in the message stands in it.
pub fn patterndb(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |byte| *byte == BETWEEN);
    let mut next = || parts.next().unwrap_or_default();
    let (file, program, message) = (next(), next(), next());
    let database = match Database::parse(file) {
        Ok(database) => database,
        Err(error) => {
            assert!(error.line > 0 && !error.to_string().is_empty());
            return;
        }
    };
    assert!(
        database
            .examples()
            .iter()
            .all(|example| example.rule < database.rules().len())
    );
    let Some(found) = database.classify(program, message) else {
        return;
    };
    for value in found.values() {
        assert_eq!(message.get(value.range), Some(value.value));
    }
    for value in found.program_values() {
        assert_eq!(program.get(value.range), Some(value.value));
    }
}
