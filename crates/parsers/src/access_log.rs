//! Access logs in the common and the combined format, with or without a virtual host in front, and the
//! pairs that stand behind, such as `rt=0.05`. The names are those that the same text has at search time.

use model::limits::RECORD_FIELDS_MAX;

use crate::{Failed, Pairs, Parser};

/// Takes access logs apart; there are no options.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccessLogParser;

impl Parser for AccessLogParser {
    fn parse(&self, input: &[u8], pairs: &mut Pairs) -> Result<(), Failed> {
        let mut detector = std::mem::take(&mut pairs.scratch.detector);
        let mut count = 0;
        let is_log = detector.each_of_access_log(input, &mut |name, value| {
            count += 1;
            pairs.push_texts(name, value, input);
        });
        pairs.scratch.detector = detector;
        if count >= RECORD_FIELDS_MAX {
            pairs.note_truncated();
        }
        if is_log {
            Ok(())
        } else {
            Err(Failed::new(
                0,
                "expected an access log in the common or combined format",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{check, check_any_bytes, check_failure};

    #[test]
    fn logs_of_nginx_and_apache() {
        check(
            &AccessLogParser,
            "192.0.2.7 - ann [10/May/2026:11:37:47 +0200] \"GET /a?b=\\\"c HTTP/1.1\" 200 512 \
             \"https://example.com/\" \"curl/8.5 (\\\"x\\\")\" rt=0.05",
            &[
                "client=192.0.2.7",
                "user=ann",
                "method=GET",
                "url=/a?b=\\\"c",
                "path=/a",
                "protocol=HTTP/1.1",
                "status=200",
                "bytes=512",
                "referrer=https://example.com/",
                "agent=curl/8.5 (\"x\")",
                "rt=0.05",
            ],
        );
        check(
            &AccessLogParser,
            "www.example.com:80 ::1 - - [10/May/2026:11:37:47 +0200] \"\\x16\\x03\" 400 -",
            &[
                "vhost=www.example.com:80",
                "client=::1",
                "url=\\x16\\x03",
                "status=400",
            ],
        );
    }

    #[test]
    fn other_texts_are_none() {
        let reason = "expected an access log in the common or combined format";
        for text in ["", "a=b", "192.0.2.7 - - [now] \"GET / HTTP/1.1\" 200 1"] {
            check_failure(&AccessLogParser, text, 0, reason);
        }
    }

    #[test]
    fn any_bytes_are_taken() {
        let words = [
            "192.0.2.7 - ann [10/May/2026:11:37:47 +0200] \"GET /a?b HTTP/1.1\" 200 5",
            " \"-\" \"curl\\\"\"",
            "h ",
            " a=b",
            "\"",
            " ",
        ];
        check_any_bytes(&AccessLogParser, &words);
    }
}
