//! The numbers that some senders give their messages (`meta.sequenceId`, RFC 5424 section 7.3.1).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

use model::RecordParts;

/// The number of a message and what tells its numbering from others: who sent it, and the host
/// that it is of. syslog-ng and Cisco count over all programs of a host.
pub(crate) fn number(raw: &[u8], parts: &RecordParts, peer: Option<IpAddr>) -> Option<(u64, u32)> {
    let text = |span: model::Span| -> &[u8] {
        match (span.start as usize).checked_sub(raw.len()) {
            None => span.of(raw),
            Some(start) => model::Span {
                start: u32::try_from(start).unwrap_or(u32::MAX),
                len: span.len,
            }
            .of(&parts.extra),
        }
    };
    let field = parts
        .fields
        .iter()
        .find(|field| text(field.name) == b"sequenceId" && text(field.group) == b"meta")?;
    let digits = std::str::from_utf8(text(field.value)).ok()?;
    let number = digits.parse().ok()?;
    let mut hasher = DefaultHasher::new();
    (peer, text(parts.host)).hash(&mut hasher);
    Some((hasher.finish(), number))
}

#[cfg(test)]
mod tests {
    use model::Timestamp;
    use syslog::{Context, ParseOptions, Parser};

    use super::*;

    fn found(raw: &str) -> Option<(u64, u32)> {
        let context = Context {
            received: Timestamp::from_seconds(1_800_000_000),
            peer: None,
        };
        let mut parts = RecordParts::default();
        let mut parser = Parser::new(ParseOptions::default());
        parser.parse(raw.as_bytes(), &context, &mut parts);
        number(raw.as_bytes(), &parts, None)
    }

    #[test]
    fn numbers_of_rfc5424_and_of_cisco_are_found() {
        let line = |host: &str, id: &str| format!("<34>1 - {host} p - - [a b=\"c\"]{id} x");
        let number = |raw: &str| found(raw).map(|(_, number)| number);
        assert_eq!(number(&line("h", "[meta sequenceId=\"17\"]")), Some(17));
        assert_eq!(number("<189>29: *Mar  1 18:46:11: %SYS-5-X: y"), Some(29));
        assert_eq!(number(&line("h", "[meta sequenceId=\"x\"]")), None);
        assert_eq!(number(&line("h", "[other sequenceId=\"1\"]")), None);
        assert_eq!(number("<34>1 - h p - - - x"), None);
        let one = found(&line("h", "[meta sequenceId=\"1\"]"));
        let two = found(&line("i", "[meta sequenceId=\"1\"]"));
        assert_ne!(one, two);
    }
}
