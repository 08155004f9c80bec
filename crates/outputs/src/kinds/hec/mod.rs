//! Splunk's HTTP event collector, with or without indexer acknowledgement.
//!
//! Without acknowledgement a record counts as delivered when Splunk says that it has taken it, which it then has in
//! memory; with it, when its indexers have it on disk. Splunk knows no identifiers, so what was sent and not
//! answered is sent again and may be there twice.

mod answer;
mod carrier;
mod event;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::http::{Bounds, Client, ClientOptions, Encoded, carry_all};
use crate::limits::{REQUESTS_IN_FLIGHT, SHORT_ANSWER_BYTES_MAX};
use crate::render::Scene;
use crate::secret::Secret;
use crate::sink::{Batch, Failure, Item, Kind, Opening, Outcome, Preview, Promise, Sink, Trouble};
use carrier::Collector;
pub use event::{Event, Metadata};

/// Most events of a request. Splunk has no bound of its own.
const EVENTS_MAX: usize = 100_000;

/// Splunk's HTTP event collector.
#[derive(Clone, Debug)]
pub struct Hec {
    /// How it is reached. A URL without a path gets that of the collector.
    pub client: ClientOptions,
    /// The token of the collector.
    pub token: Secret,
    /// Whether events go to the endpoint for JSON or for lines.
    pub endpoint: Endpoint,
    /// Whether it is waited for the indexers, and how.
    pub acknowledgement: Option<Acknowledgement>,
    /// What is sent of a record.
    pub event: Event,
    /// Most bytes of a request, before compression, but one event at least.
    pub request_bytes: usize,
    shared: Arc<Mutex<Option<Arc<Client>>>>,
}

/// Where events go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Endpoint {
    /// JSON with metadata for each event.
    #[default]
    Event,
    /// Lines, with the same metadata for all. Splunk cuts them itself.
    Raw,
}

/// How it is waited for indexers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// How long, before events are sent again.
    pub timeout: Duration,
    /// How often Splunk is asked.
    pub poll: Duration,
}

impl Hec {
    /// A collector with the defaults.
    pub fn new(client: ClientOptions, token: Secret, event: Event) -> Self {
        Self {
            client: with_collector_path(client),
            token,
            endpoint: Endpoint::default(),
            acknowledgement: None,
            event,
            request_bytes: 1024 * 1024,
            shared: Arc::default(),
        }
    }

    /// Path and query of requests with events.
    fn path(&self) -> String {
        match self.endpoint {
            Endpoint::Event => "/event".to_owned(),
            Endpoint::Raw => format!("/raw{}", self.event.metadata.query()),
        }
    }

    /// Appends what is sent of a record.
    fn write(&self, item: Item<'_>, scene: &Scene, out: &mut Vec<u8>) -> Result<(), String> {
        match self.endpoint {
            Endpoint::Event => self.event.write_json(item, scene, out),
            Endpoint::Raw => self.event.write_line(item, scene, out),
        }
    }
}

/// URLs without a path mean the collector's own.
fn with_collector_path(mut client: ClientOptions) -> ClientOptions {
    for url in &mut client.urls {
        let path = url.path();
        let base = ["/event/1.0", "/event", "/raw/1.0", "/raw"]
            .iter()
            .find_map(|end| path.strip_suffix(end))
            .unwrap_or(path);
        *url = match base {
            "" => url.with_path("/services/collector"),
            base => url.with_path(base),
        };
    }
    client
}

impl Kind for Hec {
    fn name(&self) -> &'static str {
        "hec"
    }

    fn open(&self, _: Opening) -> Result<Box<dyn Sink>, Failure> {
        let client = self.client.shared(&self.shared, |options| {
            Ok(Client::new(options, SHORT_ANSWER_BYTES_MAX)?.with_health_path("/health"))
        })?;
        Ok(Box::new(HecSink {
            options: self.clone(),
            client,
            scene: Scene::now(),
            channel: None,
        }))
    }

    fn preview(&self, record: Item<'_>) -> Preview {
        let url = self.client.urls.first();
        let mut bytes = Vec::new();
        if let Err(reason) = self.write(record, &Scene::now(), &mut bytes) {
            bytes = reason.into_bytes();
        }
        Preview {
            to: url.map(|url| url.join(&self.path())).unwrap_or_default(),
            bytes,
        }
    }

    fn examine(&self) -> Vec<Trouble> {
        let mut found = self.client.examine();
        let other = match self.token {
            Secret::Environment(_) => "token_env",
            _ => "token",
        };
        found.extend(self.token.examine("token_file", other));
        found
    }
}

struct HecSink {
    options: Hec,
    client: Arc<Client>,
    scene: Scene,
    /// Splunk counts acknowledgements for each channel. Where one is missed, another channel is begun, so that no
    /// identifier means two requests.
    channel: Option<String>,
}

impl HecSink {
    fn collector(&mut self) -> Result<Collector, Failure> {
        // Read each time: a new one in the file holds at once.
        let token = self.options.token.read()?;
        let channel = match self.options.acknowledgement {
            Some(_) => Some(self.channel.get_or_insert_with(new_channel).as_str()),
            None => None,
        };
        Collector::new(&self.options, &self.client, &token, channel)
    }
}

impl Sink for HecSink {
    fn deliver<'a>(&'a mut self, batch: &'a Batch) -> Promise<'a, Outcome> {
        Box::pin(async move {
            let collector = match self.collector() {
                Ok(collector) => Arc::new(collector),
                Err(failure) => return Outcome::left_from(0, batch, failure),
            };
            self.scene.refresh();
            let Self { options, scene, .. } = self;
            let mut outcome = Outcome::default();
            let encoded = Encoded::of(batch.iter(), &mut outcome, |item, out| {
                scene.count();
                options.write(item, scene, out)
            });
            let bounds = Bounds {
                bytes: options.request_bytes,
                records: EVENTS_MAX,
                in_flight: REQUESTS_IN_FLIGHT,
            };
            let outcome = carry_all(&collector, encoded, bounds, outcome).await;
            if outcome.failure.is_some() {
                self.channel = None;
            }
            outcome
        })
    }
}

/// A GUID of random bytes (RFC 9562 section 5.4).
fn new_channel() -> String {
    let mut bytes = [0; 16];
    if rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()).is_err() {
        // It need not be secret, only another one than before.
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        bytes = now.as_nanos().to_be_bytes();
    }
    let number = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << 62);
    let hex = format!("{:032x}", number | (4 << 76) | (0b10 << 62));
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts = parts.map(|part| hex.get(part).unwrap_or_default());
    parts.join("-")
}
