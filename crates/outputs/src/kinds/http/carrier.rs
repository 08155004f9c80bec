//! Requests with records.

use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};

use super::login::Identity;
use super::{Http, answer};
use crate::http::{Carrier, Client, Request, Run, Verdict};
use crate::sink::Failure;

/// Sends requests.
pub(super) struct Push {
    options: Http,
    client: Arc<Client>,
    identity: Arc<Identity>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Push {
    pub(super) fn new(
        options: &Http,
        client: Arc<Client>,
        identity: Arc<Identity>,
    ) -> Result<Self, Failure> {
        let content_type = options.content_type.as_deref();
        let content_type = content_type.unwrap_or_else(|| options.body.content_type());
        let own = options.headers.iter();
        let own = own.map(|(name, value)| header(name, value));
        let headers = std::iter::once(header(CONTENT_TYPE.as_str(), content_type)).chain(own);
        Ok(Self {
            options: options.clone(),
            client,
            identity,
            headers: headers.collect::<Result<_, _>>()?,
        })
    }

    async fn try_to(&self, run: &Run) -> Result<(Verdict, u64), Failure> {
        let login = self.identity.header().await?;
        let request = Request {
            method: self.options.method.method(),
            path: String::new(),
            headers: self.headers.iter().cloned().chain(login.clone()).collect(),
            body: self.options.body.assemble(run),
        };
        let answer = self.client.send(request).await?;
        if answer.status == StatusCode::UNAUTHORIZED {
            self.identity.is_not_believed(login.as_ref()).await;
        }
        let name = self.client.name(answer.url);
        let verdict = match answer::verdict(&self.options, &answer, &name, run.len()) {
            Verdict::Later { .. } if answer.is_sick() && self.client.has_well() => {
                Verdict::Again { taken: 0 }
            }
            verdict => verdict,
        };
        let sent = match verdict {
            Verdict::Taken | Verdict::Each { .. } => answer.sent,
            _ => 0,
        };
        Ok((verdict, sent))
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Failure> {
    let bad = || Failure::new(format!("{name}: {value} is no header"));
    let name = HeaderName::try_from(name).map_err(|_| bad())?;
    Ok((name, HeaderValue::try_from(value).map_err(|_| bad())?))
}

impl Carrier for Push {
    async fn carry(&self, run: Run) -> (Verdict, u64) {
        match self.try_to(&run).await {
            Ok(settled) => settled,
            Err(failure) => (Verdict::Later { taken: 0, failure }, 0),
        }
    }
}
