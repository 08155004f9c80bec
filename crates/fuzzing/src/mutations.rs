//! Changes of an input, always the same: what a fuzzer does first, for machines without one.

/// Texts that mean something to one of the targets.
const WORDS: [&[u8]; 12] = [
    b"(",
    b")",
    b"\"",
    b"*",
    b" | ",
    b"\n",
    b"\0",
    b"\xff\xff\xff\xff",
    b"999999999999 ",
    b"/",
    b"]",
    b"%",
];

/// So many mutations of an input.
pub struct Mutations<'a> {
    input: &'a [u8],
    left: usize,
    state: u64,
}

impl<'a> Mutations<'a> {
    /// The first so many of them.
    pub fn new(input: &'a [u8], count: usize) -> Self {
        Self {
            input,
            left: count,
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// A number below another, by xorshift.
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % (end.max(1) as u64)).unwrap_or(0)
    }
}

impl Iterator for Mutations<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(1)?;
        let mut bytes = self.input.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            let value = self.below(256) as u8;
            let word = WORDS
                .get(self.below(WORDS.len()))
                .copied()
                .unwrap_or_default();
            let length = self.below(32).min(bytes.len() - at.min(bytes.len()));
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => _ = bytes.splice(at..at, word.iter().copied()),
                2 => _ = bytes.drain(at..at + length),
                3 => {
                    let piece: Vec<u8> = bytes.iter().skip(at).take(length).copied().collect();
                    bytes.splice(at..at, piece);
                }
                4 => bytes
                    .iter_mut()
                    .skip(at)
                    .take(1)
                    .for_each(|byte| *byte = value),
                _ => bytes
                    .iter_mut()
                    .skip(at)
                    .take(1)
                    .for_each(|byte| *byte ^= 1 << (value % 8)),
            }
        }
        Some(bytes)
    }
}
