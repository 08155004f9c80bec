//! Keeps the words of the standard needles out of everything else that is written, so that their
//! counts are exact.
//!
//! Texts are changed a little, always in the same way: `user` becomes `usr`, `application`
//! `aplication`. It is enough to look at each run of letters, because none reaches from one part of
//! a message into the next (see [`crate::learn::token`]).

use crate::learn::plan::RESERVED_WORDS;

/// The text without any run of letters that a query for a standard needle could find.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while !rest.is_empty() {
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (run, behind) = rest.split_at(letters);
        cleaned.push_str(&clean_run(run));
        let others = behind
            .bytes()
            .take_while(|byte| !byte.is_ascii_alphabetic())
            .count();
        let (between, behind) = behind.split_at(others);
        cleaned.push_str(between);
        rest = behind;
    }
    // The network that is planted.
    if cleaned.contains("172.31.") {
        cleaned = cleaned.replace("172.31.", "172.30.");
    }
    cleaned
}

fn clean_run(run: &str) -> String {
    let mut run = run.to_owned();
    // `ppl` stands for `*ppl*`, and with it for `appl*` and `*pple`.
    loop {
        let lower = run.to_ascii_lowercase();
        let mut words = RESERVED_WORDS.iter().chain(&["ppl"]);
        let Some(at) = words.find_map(|word| lower.find(word)) else {
            break;
        };
        run.remove(at);
    }
    // `us?r*`, and with it `us?r`: the wildcard is a letter, or a character behind `us` that is none.
    while matches!(
        run.to_ascii_lowercase().as_bytes(),
        [b'u', b's', _, b'r', ..]
    ) {
        run.remove(2);
    }
    if run.eq_ignore_ascii_case("us") {
        run.pop();
        run.push('z');
    }
    run
}

/// Whether a text has a run of letters that the other texts do not have, and that random digits
/// and codes cannot make: then they cannot hold the text.
pub(crate) fn is_distinguished(text: &str, others: &std::collections::BTreeSet<String>) -> bool {
    letter_runs(text).any(|run| {
        let is_hex = run.bytes().all(|byte| matches!(byte, b'a'..=b'f'));
        let has_vowel = run.contains(['a', 'e', 'i', 'o', 'u']);
        run.len() >= 3 && !is_hex && has_vowel && !others.contains(&run)
    })
}

/// The runs of letters of a text, in lower case.
pub(crate) fn letter_runs(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_ascii_alphabetic())
        .filter(|run| !run.is_empty())
        .map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needles_are_searched_by_is_changed_and_nothing_else() {
        for (text, cleaned) in [
            ("User root, users, superuser", "Usr root, usrs, superuser"),
            ("pppl APPLICATION supply us-r", "pl APLICATION suply uz-r"),
            ("usar user_r Topaz clamp-1", "usr usr_r opaz camp-1"),
            ("Usurers Ussrrs usher us", "Usrers Usrs usher uz"),
            ("\u{e9}user 172.31.254.9", "\u{e9}usr 172.30.254.9"),
        ] {
            assert_eq!(clean(text), cleaned);
            assert_eq!(clean(&clean(text)), cleaned);
        }
    }

    #[test]
    fn a_text_is_distinguished_by_one_word_of_its_own() {
        let others = ["link".to_owned(), "is".to_owned()].into();
        assert!(is_distinguished("Link is broken", &others));
        assert!(!is_distinguished("link is 17 deadbeef", &others));
    }
}
