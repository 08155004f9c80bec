//! Splunk's answers, as it means them.
//!
//! | HTTP | code | meaning | here |
//! |---|---|---|---|
//! | 200 | 0 | success | taken |
//! | 400 | 5 | no data | refused, in halves |
//! | 400 | 6, 12, 13, 15 | an event is wrong, of which the number is said | that event is refused |
//! | 400 | 7 | the index is not one of the token's | that event is refused; later, where all have that index |
//! | 400 | 10, 11, 14 | channel or acknowledgement | later: the configuration has to change |
//! | 401, 403 | 1 to 4 | token | later: the token has to change |
//! | 404 | | no collector there | later |
//! | 413 | 27 | too large | in halves |
//! | 429, 500, 503 | 8, 9, 18 to 20, 23 to 26 | busy, full, shutting down | later, or by another URL |

use serde::Deserialize;

use super::Hec;
use crate::http::{Answer, Verdict, text_of};
use crate::sink::Failure;

/// What Splunk says of a request.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Said {
    #[serde(default)]
    text: String,
    code: Option<u32>,
    #[serde(rename = "ackId")]
    pub(super) ack_id: Option<u64>,
    /// The event at which Splunk stopped; those in front of it are taken.
    #[serde(rename = "invalid-event-number")]
    event: Option<usize>,
}

impl Said {
    pub(super) fn of(answer: &Answer) -> Self {
        serde_json::from_slice(&answer.body).unwrap_or_default()
    }

    /// What it means for a request with so many events.
    pub(super) fn verdict(&self, answer: &Answer, name: &str, events: usize, hec: &Hec) -> Verdict {
        let event = self.event.filter(|event| *event < events);
        let status = answer.status.as_u16();
        let said = self.words(answer);
        let later = |remedy: &str| Verdict::Later {
            taken: 0,
            failure: answer.failure(format!("{name}: {said}{remedy}")),
        };
        match (status, self.code) {
            (200..=299, _) => Verdict::Taken,
            (400, Some(7)) if hec.event.metadata.has_one_index() => {
                later(": let the token have this index, or set another `index`")
            }
            (400, Some(6 | 7 | 12 | 13 | 15)) if event.is_some() => {
                self.refused(event.unwrap_or_default(), said, hec)
            }
            (400, Some(5..=7 | 12 | 13 | 15)) | (413, _) => Verdict::Split(said),
            (400, Some(10 | 11)) => later(": set `acknowledge = true`, the token asks for it"),
            (400, Some(14)) => {
                later(": switch acknowledgement on for the token, or set `acknowledge = false`")
            }
            (400, None) => Verdict::Split(said),
            (401 | 403, _) => later(": see that the token is right and enabled"),
            (404 | 405, _) => {
                later(": see that `url` is that of an event collector, as https://HOST:8088")
            }
            _ => Verdict::Later {
                // Splunk says how far it got before it was busy.
                taken: match hec.acknowledgement {
                    Some(_) => 0,
                    None => event.unwrap_or_default(),
                },
                failure: answer.failure(format!("{name}: {said}")),
            },
        }
    }

    /// One event is refused. Those in front of it are taken, but nobody acknowledges them.
    fn refused(&self, event: usize, reason: String, hec: &Hec) -> Verdict {
        match hec.acknowledgement {
            None => Verdict::Refused {
                taken: event,
                reason,
            },
            Some(_) => Verdict::Without {
                refused: event,
                reason,
            },
        }
    }

    fn words(&self, answer: &Answer) -> String {
        match (self.text.as_str(), self.code) {
            ("", _) | (_, None) => format!("{} {}", answer.status, text_of(&answer.body)),
            (text, Some(code)) => format!("{text} (code {code}, HTTP {})", answer.status.as_u16()),
        }
    }
}

/// What Splunk says of acknowledgements.
#[derive(Debug, Deserialize)]
struct Acks {
    acks: std::collections::HashMap<String, bool>,
}

/// Whether an identifier is acknowledged.
pub(super) fn is_acknowledged(answer: &Answer, id: u64) -> Result<bool, Failure> {
    if let Ok(Acks { acks }) = serde_json::from_slice(&answer.body) {
        return Ok(acks.get(&id.to_string()).copied().unwrap_or(false));
    }
    let said = Said::of(answer);
    Err(answer.failure(said.words(answer)))
}
