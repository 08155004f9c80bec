//! Bulk requests.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{AUTHORIZATION, HeaderValue};

use super::{Elasticsearch, Login, answer};
use crate::http::{Carrier, Client, Request, Run, Verdict, basic, sensitive};
use crate::sink::Failure;

/// What is answered of each document: enough to know what became of it.
const FILTER: &str =
    "filter_path=items.*.status,items.*.error.type,items.*.error.reason,error,status";

/// Sends requests of one batch.
pub(super) struct Bulk {
    client: Arc<Client>,
    path: String,
    authorization: Option<HeaderValue>,
}

impl Bulk {
    pub(super) fn new(options: &Elasticsearch, client: &Arc<Client>) -> Result<Self, Failure> {
        let mut path = format!("/_bulk?{FILTER}");
        if let Some(pipeline) = &options.pipeline {
            path += "&pipeline=";
            path += pipeline;
        }
        Ok(Self {
            client: Arc::clone(client),
            path,
            authorization: options.login.header()?,
        })
    }
}

impl Login {
    /// The header that says who we are. Secrets are read each time: a new one holds at once.
    fn header(&self) -> Result<Option<HeaderValue>, Failure> {
        let header = match self {
            Self::None => return Ok(None),
            Self::Password { user, password } => basic(user, password),
            Self::ApiKey(key) => match key.read()? {
                key if key.contains(':') => sensitive(&format!("ApiKey {}", STANDARD.encode(key))),
                key => sensitive(&format!("ApiKey {key}")),
            },
        };
        header.map(Some)
    }
}

impl Carrier for Bulk {
    async fn carry(&self, run: Run) -> (Verdict, u64) {
        let request = Request::post(&self.path, "application/x-ndjson", run.body());
        let request = match &self.authorization {
            Some(header) => request.header(AUTHORIZATION, header.clone()),
            None => request,
        };
        let answer = match self.client.send(request).await {
            Ok(answer) => answer,
            Err(failure) => return (Verdict::Later { taken: 0, failure }, 0),
        };
        let name = self.client.name(answer.url);
        match answer::verdict(&answer, &name, run.len()) {
            Verdict::Later { .. } if answer.is_sick() && self.client.has_well() => {
                (Verdict::Again { taken: 0 }, 0)
            }
            Verdict::Taken => (Verdict::Taken, answer.sent),
            Verdict::Each {
                rejected,
                left,
                failure,
            } => {
                let verdict = Verdict::Each {
                    rejected,
                    left,
                    failure,
                };
                (verdict, answer.sent)
            }
            verdict => (verdict, 0),
        }
    }
}
