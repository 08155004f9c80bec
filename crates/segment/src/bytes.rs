//! Bytes, counted and compared many at a time.

/// Bytes whose count fits eight bits, in whole vectors.
const CHUNK: usize = 240;

/// How often a byte stands in a text. Counting in eight bits compares sixteen bytes at once.
pub(crate) fn count(text: &[u8], byte: u8) -> usize {
    let chunks = text.chunks(CHUNK).map(|chunk| {
        let count = chunk.iter().fold(0_u8, |count, other| {
            count.wrapping_add(u8::from(*other == byte))
        });
        usize::from(count)
    });
    chunks.sum()
}

/// Whether two texts are the same. Calling `memcmp` takes longer than comparing what mostly are a few
/// bytes, as one number or as two that overlap.
#[inline]
pub(crate) fn are_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    if let (Some(first), Some(own)) = (one.first_chunk::<8>(), other.first_chunk::<8>()) {
        if one.len() > 16 {
            return one == other;
        }
        return first == own && one.last_chunk::<8>() == other.last_chunk::<8>();
    }
    if let (Some(first), Some(own)) = (one.first_chunk::<4>(), other.first_chunk::<4>()) {
        return first == own && one.last_chunk::<4>() == other.last_chunk::<4>();
    }
    one.iter().zip(other).all(|(byte, own)| byte == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_where_each_byte_is() {
        let text: Vec<u8> = (0..40).collect();
        for len in 0..=text.len() {
            let one = &text[..len];
            let same = one.to_vec();
            assert!(are_same(one, &same));
            assert!(!are_same(one, &[one, b"x"].concat()));
            for place in 0..len {
                let mut other = one.to_vec();
                other[place] ^= 1;
                assert!(!are_same(one, &other), "{len} {place}");
            }
        }
    }

    #[test]
    fn all_are_counted() {
        for len in [0, 1, 239, 240, 241, 1_000] {
            assert_eq!(count(&b" a".repeat(len), b' '), len);
            assert_eq!(count(&b" ".repeat(len), b' '), len);
        }
    }
}
