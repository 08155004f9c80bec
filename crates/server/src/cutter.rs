//! Lines of a body that comes in pieces.

/// Cuts a body into lines, without their line feeds. Of a line that goes on in the next piece it
/// keeps the start, and of one that is too long a byte more than the most, which shows that it was
/// cut.
pub(crate) struct Cutter {
    line_bytes_max: usize,
    /// The start of a line whose end has not come yet.
    start: Vec<u8>,
    /// Whether `start` is a line that has been given out.
    is_given: bool,
}

impl Cutter {
    /// One for lines of at most so many bytes.
    pub(crate) fn new(line_bytes_max: usize) -> Self {
        Self {
            line_bytes_max,
            start: Vec::new(),
            is_given: false,
        }
    }

    /// The next line of a piece, from where `at` is, which moves on; `None` where the rest of the
    /// piece is the start of a line.
    pub(crate) fn next<'a>(&'a mut self, piece: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
        if std::mem::take(&mut self.is_given) {
            self.start.clear();
        }
        let rest = piece.get(*at..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'\n', rest) else {
            *at = piece.len();
            self.keep(rest);
            return None;
        };
        *at += end + 1;
        let line = rest.get(..end).unwrap_or_default();
        if self.start.is_empty() {
            return Some(line);
        }
        self.keep(line);
        self.is_given = true;
        Some(&self.start)
    }

    /// The line that no line feed ends.
    pub(crate) fn last(&self) -> &[u8] {
        if self.is_given {
            return &[];
        }
        &self.start
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = (self.line_bytes_max + 1).saturating_sub(self.start.len());
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.start.extend_from_slice(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(body: &[u8], piece_bytes: usize, line_bytes_max: usize) -> Vec<Vec<u8>> {
        let mut cutter = Cutter::new(line_bytes_max);
        let mut lines = Vec::new();
        for piece in body.chunks(piece_bytes) {
            let mut at = 0;
            while let Some(line) = cutter.next(piece, &mut at) {
                lines.push(line.to_owned());
            }
        }
        lines.push(cutter.last().to_owned());
        lines
    }

    #[test]
    fn any_split_gives_the_same_lines() {
        let body = b"one\r\n\n two\nthree\r\n\rfour\n\nfive";
        let expected: Vec<&[u8]> =
            vec![b"one\r", b"", b" two", b"three\r", b"\rfour", b"", b"five"];
        for bytes in 1..=body.len() {
            assert_eq!(cut(body, bytes, 100), expected, "{bytes}");
        }
        assert_eq!(cut(b"a\n", 1, 100), [&b"a"[..], b""]);
    }

    #[test]
    fn of_a_long_line_no_more_is_kept_than_shows_that_it_is_long() {
        let body = [&b"x".repeat(1_000)[..], b"\ny\n", &b"z".repeat(50)].concat();
        let lines = cut(&body, 7, 10);
        assert_eq!(lines[0].len(), 11);
        assert_eq!(lines[1], b"y");
        assert_eq!(lines[2].len(), 11);
    }
}
