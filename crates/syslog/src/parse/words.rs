//! Words of a header: which can be names of hosts and programs, and which say something else.

/// A byte of a host's name or address, or of a chain of them as syslog-ng writes it (`a/b`, `s@a`).
pub(super) const HOST: u8 = 1;
/// A byte of a program that a colon or a bracket ends.
pub(super) const PROGRAM: u8 = 2;
/// A byte of a program that only a space ends.
pub(super) const BARE: u8 = 4;
/// A byte of an IPv6 address with zone.
const IPV6: u8 = 8;

/// What each byte may be part of.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let character = byte as u8;
        let mut class = 0;
        if character.is_ascii_alphanumeric() || character >= 0x80 {
            class |= HOST | PROGRAM | BARE;
        }
        if matches!(character, b'-' | b'_' | b'.' | b'/') {
            class |= HOST | PROGRAM | BARE;
        }
        if character == b'@' {
            class |= HOST | PROGRAM;
        }
        if matches!(
            character,
            b'%' | b'+' | b'~' | b'$' | b'#' | b'*' | b'(' | b')' | b'\\'
        ) {
            class |= PROGRAM;
        }
        if character.is_ascii_hexdigit() || matches!(character, b':' | b'.') {
            class |= IPV6;
        }
        #[cfg_attr(
            not(test),
            expect(clippy::indexing_slicing, reason = "evaluated at compile time")
        )]
        {
            classes[byte] = class;
        }
        byte += 1;
    }
    classes
}

pub(super) fn is(byte: u8, class: u8) -> bool {
    CLASSES
        .get(usize::from(byte))
        .is_some_and(|found| found & class != 0)
}

/// Whether a word can be a program's name: not a number, a version or an IPv4 address.
pub(super) fn is_name(word: &[u8]) -> bool {
    word.iter()
        .any(|byte| !byte.is_ascii_digit() && *byte != b'.')
}

/// Whether the word is an IPv6 address by its looks: two colons or more, nothing but hexadecimal
/// digits, colons and dots up to a zone (`%eth0`), no more than four digits between colons but in
/// an IPv4 tail.
pub(super) fn is_ipv6(word: &[u8]) -> bool {
    let address = word
        .split(|byte| *byte == b'%')
        .next()
        .filter(|address| address.iter().all(|byte| is(*byte, IPV6)));
    let Some(address) = address else {
        return false;
    };
    let colons = address.iter().filter(|byte| **byte == b':').count();
    let is_open = address.ends_with(b":") && !address.ends_with(b"::");
    (2..=8).contains(&colons)
        && !is_open
        && address
            .split(|byte| *byte == b':')
            .all(|group| group.len() <= 4 || group.contains(&b'.'))
}

/// Whether a word says how severe something is, in any case: such a word is no name.
#[inline]
pub(super) fn is_level(word: &[u8]) -> bool {
    let (Some(first), Some(last)) = (word.first(), word.last()) else {
        return false;
    };
    // The ends of a word tell nearly all others.
    let names: &[&[u8]] = match [first | 0x20, last | 0x20] {
        [b'a', b't'] => &[b"alert"],
        [b'c', b't'] => &[b"crit"],
        [b'c', b'l'] => &[b"critical"],
        [b'd', b'g'] => &[b"debug"],
        [b'e', b'r'] => &[b"err", b"error"],
        [b'e', b'g'] => &[b"emerg"],
        [b'e', b'y'] => &[b"emergency"],
        [b'f', b'l'] => &[b"fatal"],
        [b'f', b'e'] => &[b"fine"],
        [b'f', b'r'] => &[b"finer"],
        [b'f', b't'] => &[b"finest"],
        [b'i', b'o'] => &[b"info"],
        [b'i', b'n'] => &[b"information"],
        [b'i', b'l'] => &[b"informational"],
        [b'n', b'e'] => &[b"notice"],
        [b'p', b'c'] => &[b"panic"],
        [b's', b'e'] => &[b"severe"],
        [b't', b'e'] => &[b"trace"],
        [b'v', b'e'] => &[b"verbose"],
        [b'w', b'n'] => &[b"warn"],
        [b'w', b'g'] => &[b"warning"],
        _ => return false,
    };
    names.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Whether a word is a level with or without its facility: `daemon.info`.
pub(super) fn is_level_or_selector(word: &[u8]) -> bool {
    let dot = word.iter().position(|byte| *byte == b'.');
    match dot.and_then(|dot| word.split_at_checked(dot)) {
        Some((facility, [b'.', level @ ..])) => is_facility(facility) && is_level(level),
        _ => is_level(word),
    }
}

/// Whether a word is the name of a facility, as syslog.conf(5) has them.
fn is_facility(word: &[u8]) -> bool {
    let is_local = matches!(word, [b'l', b'o', b'c', b'a', b'l', b'0'..=b'7']);
    let names: &[&[u8]] = &[
        b"auth",
        b"authpriv",
        b"cron",
        b"daemon",
        b"ftp",
        b"kern",
        b"lpr",
        b"mail",
        b"news",
        b"ntp",
        b"security",
        b"syslog",
        b"user",
        b"uucp",
    ];
    is_local || names.contains(&word)
}

/// Whether a word cannot be a host: a level, or an output as containers name it.
#[inline]
pub(super) fn is_no_host(word: &[u8]) -> bool {
    // Most names of hosts end with a digit.
    if !word.last().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    is_level_or_selector(word) || matches!(word, b"stdout" | b"stderr")
}

/// Whether a word is a number; some senders have such names, lines of log files have counts there.
pub(super) fn is_number(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit)
}

/// Whether a word looks like the first of a sentence: a large letter and small ones behind it.
pub(super) fn is_capitalised(word: &[u8]) -> bool {
    matches!(word, [b'A'..=b'Z', rest @ ..] if rest.iter().all(u8::is_ascii_lowercase))
}

/// Whether two words name the same host: alike, or one the first label of the other.
pub(super) fn is_same_host(one: &[u8], other: &[u8]) -> bool {
    let (short, long) = match one.len() < other.len() {
        true => (one, other),
        false => (other, one),
    };
    let Some((start, rest)) = long.split_at_checked(short.len()) else {
        return false;
    };
    !short.is_empty() && start.eq_ignore_ascii_case(short) && matches!(rest, [] | [b'.', ..])
}

/// Whether an event of CEF or LEEF begins here: `CEF:0|`, `CEF: 0|`, `LEEF:2.0|`.
#[inline]
pub(super) fn is_event(text: &[u8]) -> bool {
    matches!(text.first(), Some(b'C' | b'L')) && is_event_of(text)
}

fn is_event_of(text: &[u8]) -> bool {
    let Some(behind) = text
        .strip_prefix(b"CEF:")
        .or_else(|| text.strip_prefix(b"LEEF:"))
    else {
        return false;
    };
    let version = behind.strip_prefix(b" ").unwrap_or(behind);
    let len = version
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    version.first().is_some_and(u8::is_ascii_digit) && version.get(len) == Some(&b'|')
}

/// Whether this is what syslogd says instead of repeating a message.
pub(super) fn is_repeat_note(text: &[u8]) -> bool {
    text.strip_prefix(b"last message repeated ")
        .and_then(|rest| rest.first())
        .is_some_and(u8::is_ascii_digit)
}

/// Whether Cisco's `%FACILITY-1-MNEMONIC` begins here.
pub(super) fn is_mnemonic(text: &[u8]) -> bool {
    let Some(text) = text.strip_prefix(b"%") else {
        return false;
    };
    let end = text.iter().position(|byte| matches!(byte, b' ' | b':'));
    let word = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    word.first().is_some_and(u8::is_ascii_alphanumeric)
        && word
            .windows(3)
            .any(|three| matches!(three, [b'-', b'0'..=b'7', b'-']))
}

/// Whether a time since a start stands there: `13w1d`, `1y12w`, `00:00:35`.
pub(super) fn is_uptime(word: &[u8]) -> bool {
    if let [h1, h2, b':', m1, m2, b':', s1, s2] = word {
        return [h1, h2, m1, m2, s1, s2].into_iter().all(u8::is_ascii_digit);
    }
    let (mut pairs, mut digits) = (0, 0);
    for byte in word {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'y' | b'w' | b'd' | b'h' if (1..=3).contains(&digits) => {
                pairs += 1;
                digits = 0;
            }
            _ => return false,
        }
    }
    pairs == 2 && digits == 0
}
