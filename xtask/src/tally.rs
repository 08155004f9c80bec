//! Counts tests by reading what the test runners print.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};

use anyhow::Result;

/// How many tests passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed, and checks that did.
    pub(crate) failed: u64,
    /// Tests that could not be run here, or only in part.
    pub(crate) skipped: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

impl Tally {
    /// Adds what one line of a test runner says, if it is a line of totals.
    ///
    /// Rust: `test result: ok. 5 passed; 0 failed; ...`. Node: `# pass 5`, `# fail 0` (TAP).
    /// Vitest: `Tests  1 failed | 5 passed | 2 skipped (8)`.
    pub(crate) fn read_line(&mut self, line: &str) {
        if line.starts_with("test result: ") {
            self.passed += number_before(line, " passed;");
            self.failed += number_before(line, " failed;");
        } else if let Some(count) = line.strip_prefix("# pass ") {
            self.passed += count.trim().parse().unwrap_or(0);
        } else if let Some(count) = line.strip_prefix("# fail ") {
            self.failed += count.trim().parse().unwrap_or(0);
        } else if let Some(count) = line.strip_prefix("# skipped ") {
            self.skipped += count.trim().parse().unwrap_or(0);
        } else if line.trim_start().starts_with("Tests  ") {
            self.skipped += number_before(line, " skipped");
            self.passed += number_before(line, " passed");
            self.failed += number_before(line, " failed");
        }
    }

    /// Adds another tally.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    /// Takes tests that said so themselves, and then passed for their runner, for skipped.
    pub(crate) fn note_skipped(&mut self, count: u64) {
        self.passed = self.passed.saturating_sub(count);
        self.skipped += count;
    }

    /// Passes everything from `source` to `sink` as it comes, and adds what it says.
    pub(crate) fn read_all(&mut self, source: impl Read, mut sink: impl Write) -> Result<()> {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        while source.read_until(b'\n', &mut line)? > 0 {
            sink.write_all(&line)?;
            sink.flush()?;
            self.read_line(String::from_utf8_lossy(&line).trim_end());
            line.clear();
        }
        Ok(())
    }
}

/// The number that ends where `marker` begins; 0 where there is none.
fn number_before(line: &str, marker: &str) -> u64 {
    let Some((before, _)) = line.split_once(marker) else {
        return 0;
    };
    let digits = before
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |i| i + 1);
    before[digits..].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, passed: u64, failed: u64, skipped: u64) {
        let mut tally = Tally::default();
        let mut sink = Vec::new();
        tally.read_all(text.as_bytes(), &mut sink).unwrap();
        assert_eq!(sink, text.as_bytes());
        let expected = Tally {
            passed,
            failed,
            skipped,
        };
        assert_eq!(tally, expected);
    }

    #[test]
    fn totals_of_all_binaries_add_up() {
        check(
            "running 2 tests\n\
             test a ... ok\n\
             test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
             test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n",
            15,
            2,
            0,
        );
    }

    #[test]
    fn node_totals_are_read_and_other_lines_are_not() {
        check(
            "TAP version 13\n# tests 7\n# pass 4\n# fail 1\n# skipped 2\n7 passed; 7 failed;",
            4,
            1,
            2,
        );
    }

    #[test]
    fn vitest_totals_are_read() {
        check(
            " Test Files  9 failed (9)\n      Tests  1 failed | 5 passed | 3 skipped (9)\n",
            5,
            1,
            3,
        );
    }

    #[test]
    fn a_tally_reads_as_the_closing_line() {
        let tally = Tally {
            passed: 812,
            ..Tally::default()
        };
        assert_eq!(tally.to_string(), "812 passed, 0 failed, 0 skipped");
        let mut some = tally;
        some.note_skipped(2);
        assert_eq!(some.to_string(), "810 passed, 0 failed, 2 skipped");
    }
}
