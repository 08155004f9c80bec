//! Elasticsearch and OpenSearch, by their bulk API.
//!
//! Each document has an identifier made of the store, the logspace and the number of its record, and is only ever
//! created: what is sent twice is there once. Data streams take nothing else anyway.

mod answer;
mod carrier;
mod document;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use crate::http::{Bounds, Client, ClientOptions, Encoded, carry_all};
use crate::limits::{BULK_ANSWER_BYTES_MAX, BULK_RECORDS_MAX, REQUESTS_IN_FLIGHT};
use crate::render::Scene;
use crate::secret::Secret;
use crate::sink::{Batch, Failure, Item, Kind, Opening, Outcome, Preview, Promise, Sink, Trouble};
use carrier::Bulk;
pub use document::{Document, IndexTemplate};

/// Elasticsearch or OpenSearch.
#[derive(Clone, Debug)]
pub struct Elasticsearch {
    /// How its nodes are reached.
    pub client: ClientOptions,
    /// Who we are.
    pub login: Login,
    /// The index, alias or data stream.
    pub index: IndexTemplate,
    /// What is sent of a record.
    pub document: Document,
    /// The ingest pipeline that documents go through; none for that of the index.
    pub pipeline: Option<String>,
    /// Most bytes of a request, before compression, but one document at least.
    pub request_bytes: usize,
    shared: Arc<Mutex<Option<Arc<Client>>>>,
}

/// How we say who we are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Login {
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
    /// By an API key: as it is given out, or as its id and key with a colon between.
    ApiKey(Secret),
}

impl Elasticsearch {
    /// One with the defaults.
    pub fn new(client: ClientOptions, index: IndexTemplate, document: Document) -> Self {
        Self {
            client,
            login: Login::None,
            index,
            document,
            pipeline: None,
            request_bytes: 4 * 1024 * 1024,
            shared: Arc::default(),
        }
    }

    /// Appends the two lines of a record.
    fn write(
        &self,
        (item, store): (Item<'_>, &str),
        scene: &Scene,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.extend_from_slice(b"{\"create\":{\"_index\":\"");
        self.index.write(item, scene, out)?;
        // A name of a logspace needs no escapes.
        let id = format!(
            "\",\"_id\":\"{store}-{}-{}\"}}}}\n",
            item.logspace, item.number.0
        );
        out.extend_from_slice(id.as_bytes());
        self.document.write(item, scene, out)?;
        out.push(b'\n');
        Ok(())
    }
}

impl Kind for Elasticsearch {
    fn name(&self) -> &'static str {
        "elasticsearch"
    }

    fn open(&self, opening: Opening) -> Result<Box<dyn Sink>, Failure> {
        let client = self.client.shared(&self.shared, |options| {
            Ok(Client::new(options, BULK_ANSWER_BYTES_MAX)?.with_health_path("/"))
        })?;
        Ok(Box::new(BulkSink {
            options: self.clone(),
            client,
            scene: Scene::now(),
            store: opening.store,
        }))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let url = self.client.urls.first();
        let mut bytes = Vec::new();
        if let Err(reason) = self.write((record, "STORE"), &Scene::now(), &mut bytes) {
            bytes = reason.into_bytes();
        }
        Preview {
            to: url.map(|url| url.join("/_bulk")).unwrap_or_default(),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let mut found = self.client.examine();
        let secret = match &self.login {
            Login::None => None,
            Login::Password { password, .. } => Some((password, "password_file", "password")),
            Login::ApiKey(key) => Some((key, "api_key_file", "api_key")),
        };
        if let Some((secret, in_file, elsewhere)) = secret {
            found.extend(secret.examine(in_file, elsewhere));
        }
        found
    }
}

struct BulkSink {
    options: Elasticsearch,
    client: Arc<Client>,
    scene: Scene,
    store: String,
}

impl Sink for BulkSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(async move {
            let bulk = match Bulk::new(&self.options, &self.client) {
                Ok(bulk) => Arc::new(bulk),
                Err(failure) => return Outcome::left_from(0, batch, failure),
            };
            self.scene.refresh();
            let Self {
                options,
                scene,
                store,
                ..
            } = self;
            let mut outcome = Outcome::default();
            let encoded = Encoded::of(batch.iter(), &mut outcome, |item, out| {
                scene.count();
                options.write((item, store), scene, out)
            });
            let bounds = Bounds {
                bytes: options.request_bytes,
                records: BULK_RECORDS_MAX,
                in_flight: REQUESTS_IN_FLIGHT,
            };
            carry_all(&bulk, encoded, bounds, outcome).await
        })
    }
}
