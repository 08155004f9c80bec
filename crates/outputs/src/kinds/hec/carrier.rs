//! Requests with events, and waiting for the indexers.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use tokio::time::{Instant, sleep};

use super::answer::{Said, is_acknowledged};
use super::{Endpoint, Hec};
use crate::http::{Answer, Carrier, Client, Request, Run, Verdict};
use crate::sink::Failure;

const CHANNEL: HeaderName = HeaderName::from_static("x-splunk-request-channel");

/// Sends requests of one batch.
pub(super) struct Collector {
    options: Hec,
    client: Arc<Client>,
    authorization: HeaderValue,
    channel: Option<HeaderValue>,
}

impl Collector {
    pub(super) fn new(
        options: &Hec,
        client: &Arc<Client>,
        token: &str,
        channel: Option<&str>,
    ) -> Result<Self, Failure> {
        let header = |text: &str| {
            let header = HeaderValue::from_str(text);
            header.map_err(|_| Failure::new("the token has characters that no token has"))
        };
        let mut authorization = header(&format!("Splunk {token}"))?;
        authorization.set_sensitive(true);
        let channel = channel.map(header).transpose()?;
        Ok(Self {
            options: options.clone(),
            client: Arc::clone(client),
            authorization,
            channel,
        })
    }

    fn request(&self, path: impl Into<String>, content_type: &'static str, body: Bytes) -> Request {
        let request = Request::post(path, content_type, body);
        let request = request.header(AUTHORIZATION, self.authorization.clone());
        match &self.channel {
            Some(channel) => request.header(CHANNEL, channel.clone()),
            None => request,
        }
    }

    /// Asks for an acknowledgement until it is there, or it is too late.
    async fn acknowledged(&self, answer: &Answer, id: u64) -> Result<(), Failure> {
        let Some(how) = self.options.acknowledgement else {
            return Ok(());
        };
        let deadline = Instant::now() + how.timeout;
        let body = Bytes::from(format!("{{\"acks\":[{id}]}}"));
        let request = self.request("/ack", "application/json", body);
        let mut trouble = String::new();
        loop {
            sleep(how.poll).await;
            // Identifiers are those of the one that gave them.
            match self.client.send_to(answer.url, &request).await {
                Ok(told) => match is_acknowledged(&told, id) {
                    Ok(true) => return Ok(()),
                    Ok(false) => {}
                    Err(failure) if told.is_sick() => trouble = format!(": {failure}"),
                    Err(failure) => return Err(failure),
                },
                Err(failure) => trouble = format!(": {failure}"),
            }
            if Instant::now() >= deadline {
                let name = self.client.name(answer.url);
                let seconds = how.timeout.as_secs();
                return Err(Failure::new(format!(
                    "{name}: not acknowledged by an indexer for {seconds} seconds{trouble}"
                )));
            }
        }
    }
}

impl Carrier for Collector {
    async fn carry(&self, run: Run) -> (Verdict, u64) {
        let content_type = match self.options.endpoint {
            Endpoint::Event => "application/json",
            Endpoint::Raw => "text/plain",
        };
        let request = self.request(self.options.path(), content_type, run.body());
        let answer = match self.client.send(request).await {
            Ok(answer) => answer,
            Err(failure) => return (Verdict::Later { taken: 0, failure }, 0),
        };
        let said = Said::of(&answer);
        let name = self.client.name(answer.url);
        let verdict = said.verdict(&answer, &name, run.len(), &self.options);
        let verdict = match (verdict, said.ack_id, self.options.acknowledgement) {
            (Verdict::Taken, Some(id), Some(_)) => match self.acknowledged(&answer, id).await {
                Ok(()) => Verdict::Taken,
                Err(failure) => Verdict::Later { taken: 0, failure },
            },
            (Verdict::Taken, None, Some(_)) => Verdict::Later {
                taken: 0,
                failure: Failure::new(format!(
                    "{name}: it acknowledges nothing: switch acknowledgement on for the token, or set \
                     `acknowledge = false`"
                )),
            },
            (verdict, ..) => verdict,
        };
        match verdict {
            Verdict::Taken => (verdict, answer.sent),
            Verdict::Later { taken, .. } if answer.is_sick() && self.client.has_well() => {
                (Verdict::Again { taken }, 0)
            }
            verdict => (verdict, 0),
        }
    }
}
