//! Names with `*` for any bytes and `?` for any one.

/// A pattern of names.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    pattern: Box<[u8]>,
}

impl Glob {
    /// Any text is a pattern.
    pub(crate) fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.as_bytes().into(),
        }
    }

    /// Whether all of a name fits. Takes at most the product of both lengths: only the last `*` is ever
    /// given more bytes.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let (mut at, mut next) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while at < name.len() {
            match self.pattern.get(next) {
                Some(b'*') => {
                    star = Some((next, at));
                    next += 1;
                }
                Some(byte) if *byte == b'?' || name.get(at) == Some(byte) => {
                    at += 1;
                    next += 1;
                }
                _ => {
                    let Some((place, taken)) = star else {
                        return false;
                    };
                    star = Some((place, taken + 1));
                    at = taken + 1;
                    next = place + 1;
                }
            }
        }
        let rest = self.pattern.get(next..).unwrap_or_default();
        rest.iter().all(|byte| *byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stars_stand_for_any_bytes() {
        for (pattern, name, expected) in [
            ("Debug", "Debug", true),
            ("Debug", "Debug2", false),
            ("Debug*", "Debug", true),
            ("*a*b", "xaxbxab", true),
            ("*a*b", "xaxbx", false),
            ("?at", "cat", true),
            ("?at", "at", false),
            ("*", "", true),
        ] {
            assert_eq!(
                Glob::new(pattern).matches(name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_glob_matches_as_the_expression_does(pattern in "[ab*?]{0,8}", name in "[ab]{0,10}") {
            let expression = pattern.replace('*', ".*").replace('?', ".");
            let expression = format!("^(?:{expression})$");
            let regex = regex_automata::meta::Regex::new(&expression).unwrap();
            prop_assert_eq!(Glob::new(&pattern).matches(name.as_bytes()), regex.is_match(&name));
        }
    }
}
