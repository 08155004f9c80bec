//! How syslog-ng and rsyslog find host, program and pid: by their positions, without looking at what
//! kind of word stands there.

use super::parts::Part;

/// What a header of RFC 3164 is read as.
#[derive(Debug, Default)]
pub(super) struct Reading<'a> {
    host: Option<&'a str>,
    program: &'a str,
    pid: &'a str,
    message: &'a str,
}

impl Reading<'_> {
    /// A part; the host is the peer where none was found.
    pub(super) fn part(&self, part: Part) -> String {
        let value = match part {
            Part::Host => self.host.unwrap_or("127.0.0.1"),
            Part::Program => self.program,
            Part::Pid => self.pid,
            Part::Message => self.message,
            _ => "",
        };
        value.to_owned()
    }
}

/// syslog-ng behind a time stamp: a word with a space behind it is the host, also with the colons of an
/// IPv6 address in it.
pub(super) fn syslog_ng_behind_stamp(text: &str) -> Reading<'_> {
    let text = text.trim_start_matches(' ');
    let word = text.split(' ').next().unwrap_or_default();
    let end = match word.matches(':').count() {
        0 | 1 => text.find([' ', ':', '[']).unwrap_or(text.len()),
        _ => word.len(),
    };
    match text[end..].strip_prefix(' ') {
        Some(rest) => Reading {
            host: Some(&text[..end]),
            ..syslog_ng_without_stamp(rest)
        },
        None => syslog_ng_without_stamp(text),
    }
}

/// syslog-ng where it has found no time stamp: the first word is the program.
pub(super) fn syslog_ng_without_stamp(text: &str) -> Reading<'_> {
    let text = text.trim_start_matches(' ');
    let end = text.find([' ', ':', '[']).unwrap_or(text.len());
    let (program, mut rest) = text.split_at(end);
    let mut pid = "";
    if let Some(inner) = rest.strip_prefix('[') {
        let end = inner.find([' ', ':', ']']).unwrap_or(inner.len());
        (pid, rest) = inner.split_at(end);
        rest = rest.strip_prefix(']').unwrap_or(rest);
    }
    rest = rest.strip_prefix(':').unwrap_or(rest);
    Reading {
        host: None,
        program,
        pid,
        message: rest.strip_prefix(' ').unwrap_or(rest),
    }
}

/// rsyslog, with a time stamp or without: a word of letters, digits, dots, hyphens and underscores is
/// the host, and what follows up to a colon or space the TAG.
pub(super) fn rsyslog(text: &str) -> Reading<'_> {
    let is_host = |byte: char| byte.is_ascii_alphanumeric() || matches!(byte, '.' | '_' | '-');
    let end = text.find(|byte| !is_host(byte)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let behind = rest.strip_prefix(' ');
    let (host, rest) = match behind {
        Some(behind) if word.ends_with(|byte: char| byte.is_ascii_alphanumeric()) => {
            (Some(word), behind)
        }
        _ if rest.is_empty() && !word.is_empty() => (Some(word), rest),
        _ => (None, text),
    };
    let end = rest.find([':', ' ']).unwrap_or(rest.len());
    let (tag, message) = rest.split_at(end);
    let is_name = |byte: char| matches!(byte, ' '..='~') && !matches!(byte, '[' | '/');
    let end = tag.find(|byte| !is_name(byte)).unwrap_or(tag.len());
    let bracket = tag
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    let message = message.strip_prefix(':').unwrap_or(message);
    Reading {
        host,
        program: &tag[..end],
        pid: bracket.map_or("", |(pid, _)| pid),
        message: message.strip_prefix(' ').unwrap_or(message),
    }
}
