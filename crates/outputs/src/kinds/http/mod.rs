//! Webhooks and APIs over HTTP that take records in bodies: lines, JSON, and those of Loki, OpenTelemetry, Azure and
//! Google.
//!
//! A record counts as delivered when the other side answers its request with a status of success. Who has answered
//! nothing gets it again.

mod answer;
mod body;
mod carrier;
mod grouped;
mod login;
mod statuses;
#[cfg(test)]
mod tests;
mod token;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hyper::Method;

use crate::http::{Bounds, Client, ClientOptions, Encoded, Url, carry_all};
use crate::limits::{REQUESTS_IN_FLIGHT, SHORT_ANSWER_BYTES_MAX};
use crate::render::Scene;
use crate::secret::Secret;
use crate::sink::{Batch, Failure, Item, Kind, Opening, Outcome, Preview, Promise, Sink, Trouble};
pub use body::{Body, Form, Text};
use carrier::Push;
use login::Identity;
pub use statuses::{StatusRange, Statuses};

/// A webhook or an API.
#[derive(Clone, Debug)]
pub struct Http {
    /// How it is reached.
    pub client: ClientOptions,
    /// How it is asked.
    pub method: HttpMethod,
    /// Headers of each request, with their values.
    pub headers: Vec<(String, String)>,
    /// The type of bodies; none for that of their form.
    pub content_type: Option<String>,
    /// Who we are.
    pub login: HttpLogin,
    /// What a body is made of.
    pub body: Body,
    /// Statuses that mean that records are taken.
    pub success: Statuses,
    /// Statuses that mean that a record is refused for good. With any other it is tried again.
    pub refused: Statuses,
    /// Most bytes of a request, before compression, but one record at least.
    pub request_bytes: usize,
    shared: Arc<Mutex<Option<Arc<Client>>>>,
    identity: Arc<Mutex<Option<Arc<Identity>>>>,
}

/// Methods that carry a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpMethod {
    /// POST.
    #[default]
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
}

/// How we say who we are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HttpLogin {
    /// Not at all.
    #[default]
    None,
    /// By name and password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: Secret,
    },
    /// By a token.
    Token {
        /// The token.
        token: Secret,
        /// The header that has it alone; none for `Authorization: Bearer`.
        header: Option<String>,
    },
    /// By a token that is fetched with the credentials of a client (RFC 6749 section 4.4).
    OAuth {
        /// Where it is fetched.
        url: Url,
        /// The name of the client.
        client: String,
        /// The secret of the client.
        secret: Secret,
        /// What the token is for.
        scope: Option<String>,
    },
    /// By a token that is fetched with the key of a service account of Google.
    Google {
        /// The key file, as Google gives it out.
        key: PathBuf,
        /// What the token is for.
        scope: String,
    },
}

impl Http {
    /// One with the defaults.
    pub fn new(client: ClientOptions, body: Body) -> Self {
        Self {
            client: body.form.client(client),
            method: HttpMethod::Post,
            headers: Vec::new(),
            content_type: None,
            login: HttpLogin::None,
            body,
            success: Statuses::success(),
            refused: Statuses::refused(),
            request_bytes: 1024 * 1024,
            shared: Arc::default(),
            identity: Arc::default(),
        }
    }

    fn bounds(&self) -> Bounds {
        let form = self.body.form;
        Bounds {
            bytes: self.request_bytes.min(form.bytes_max()),
            records: form.records_max(),
            // What carries its time need not arrive in order.
            in_flight: if form.has_times() {
                REQUESTS_IN_FLIGHT
            } else {
                1
            },
        }
    }

    fn client(&self) -> Result<Arc<Client>, Failure> {
        self.client.shared(&self.shared, |options| {
            Client::new(options, SHORT_ANSWER_BYTES_MAX)
        })
    }

    /// Who we are, shared by all workers: a token that is fetched serves all of them.
    fn identity(&self) -> Result<Arc<Identity>, Failure> {
        let slot = self.identity.lock();
        let mut slot = slot.unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(identity) = &*slot {
            return Ok(Arc::clone(identity));
        }
        let identity = Arc::new(Identity::new(&self.login, &self.client)?);
        *slot = Some(Arc::clone(&identity));
        Ok(identity)
    }
}

impl HttpMethod {
    fn method(self) -> Method {
        match self {
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
        }
    }
}

impl Kind for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        let push = Push::new(self, self.client()?, self.identity()?)?;
        Ok(Box::new(HttpSink {
            options: self.clone(),
            push: Arc::new(push),
            scene: Scene::now(),
            store: opening.store,
        }))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let (mut scene, mut outcome) = (Scene::now(), Outcome::default());
        let one = std::iter::once(record);
        let encoded = Encoded::of(one, &mut outcome, |item, out| {
            scene.count();
            self.body.write((item, "STORE"), &scene, out)
        });
        let bytes = match outcome.rejected.first() {
            Some(refused) => refused.reason.clone().into_bytes(),
            None => self.body.assemble(&encoded.whole()).to_vec(),
        };
        let url = self.client.urls.first();
        Preview {
            to: url.map(Url::to_string).unwrap_or_default(),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let mut found = self.client.examine();
        found.extend(self.login.examine());
        found
    }
}

struct HttpSink {
    options: Http,
    push: Arc<Push>,
    scene: Scene,
    store: String,
}

impl Sink for HttpSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(async move {
            self.scene.refresh();
            let Self {
                options,
                push,
                scene,
                store,
            } = self;
            let mut outcome = Outcome::default();
            let encoded = Encoded::of(batch.iter(), &mut outcome, |item, out| {
                scene.count();
                options.body.write((item, store), scene, out)
            });
            carry_all(push, encoded, options.bounds(), outcome).await
        })
    }
}
