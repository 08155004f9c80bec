//! Sends requests: to a URL that works, within a time, with an answer of bounded length.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, USER_AGENT,
};
use hyper::{Method, StatusCode};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use super::Url;
use super::balance::{Balance, Choice};
use crate::limits::{ANSWER_TEXT_BYTES_MAX, CONNECT_TIMEOUT, CONNECTION_IDLE, HEALTH_TIMEOUT};
use crate::sink::{Failure, Trouble};
use crate::tls::TlsOptions;

/// How the other side is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// Its URLs, one at least; requests go to each in turn.
    pub urls: Vec<Url>,
    /// How certificates are checked.
    pub tls: TlsOptions,
    /// How long a request may take, with its answer.
    pub timeout: Duration,
    /// Level of gzip for bodies, from 1 to 9; none for bodies as they are.
    pub gzip: Option<u32>,
}

/// A client with its connections, shared by all workers of a destination.
#[derive(Debug)]
pub(crate) struct Client {
    pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
    options: ClientOptions,
    balance: Balance,
    /// Path that says whether a URL that failed is well again.
    health_path: Option<&'static str>,
    answer_bytes_max: usize,
}

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Path and query behind the path of the URL.
    pub(crate) path: String,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) body: Bytes,
}

impl Request {
    /// A POST of JSON or the like.
    pub(crate) fn post(path: impl Into<String>, content_type: &'static str, body: Bytes) -> Self {
        Self {
            method: Method::POST,
            path: path.into(),
            headers: vec![(CONTENT_TYPE, HeaderValue::from_static(content_type))],
            body,
        }
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The place of the URL that answered.
    pub(crate) url: usize,
    pub(crate) status: StatusCode,
    /// How long the other side wants to be left alone.
    pub(crate) after: Option<Duration>,
    /// The body, or the start of a longer one.
    pub(crate) body: Bytes,
    /// Bytes of the body that was sent.
    pub(crate) sent: u64,
}

impl Answer {
    /// That it was not taken, for now.
    pub(crate) fn failure(&self, what: impl Into<String>) -> Failure {
        let failure = Failure::new(what);
        match self.after {
            Some(after) => failure.after(after),
            None => failure,
        }
    }

    /// Whether another URL may do better.
    pub(crate) fn is_sick(&self) -> bool {
        is_sick(self.status)
    }
}

/// Whether an answer says that the other side is not well, or has too much to do.
fn is_sick(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        )
}

impl Client {
    /// A client for a destination. Nothing is connected yet.
    pub(crate) fn new(options: &ClientOptions, answer_bytes_max: usize) -> Result<Self, Failure> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT.min(options.timeout)));
        let secure = HttpsConnectorBuilder::new()
            .with_tls_config(Arc::unwrap_or_clone(options.tls.config()?))
            .https_or_http();
        let secure = match &options.tls.server_name {
            Some(name) => {
                let name = options.tls.name_for(name)?;
                secure.with_server_name_resolver(FixedServerNameResolver::new(name))
            }
            None => secure,
        };
        let connector = secure.enable_http1().wrap_connector(connector);
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(CONNECTION_IDLE)
            .build(connector);
        Ok(Self {
            pool,
            balance: Balance::new(options.urls.len()),
            options: options.clone(),
            health_path: None,
            answer_bytes_max,
        })
    }

    /// A URL that failed is asked there for its health before a request goes to it.
    #[must_use]
    pub(crate) fn with_health_path(mut self, path: &'static str) -> Self {
        self.health_path = Some(path);
        self
    }

    /// Sends a request to a URL that works; where that does not answer, to the next.
    ///
    /// # Errors
    /// When none answers.
    pub(crate) async fn send(&self, request: Request) -> Result<Answer, Failure> {
        let request = self.packed(request).await?;
        let mut last = None;
        for choice in self.balance.choose(Instant::now()) {
            if choice.was_sick && !self.is_well_again(choice).await {
                continue;
            }
            match self.send_to(choice.index, &request).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => last = Some(failure),
            }
        }
        Err(last.unwrap_or_else(|| Failure::new("no URL is well")))
    }

    /// Sends a request to one URL, which answered before.
    ///
    /// # Errors
    /// When it does not answer.
    pub(crate) async fn send_to(&self, url: usize, request: &Request) -> Result<Answer, Failure> {
        let target = self.options.urls.get(url);
        let target = target.map_or_else(String::new, |target| target.join(&request.path));
        let asked = self.ask_in_time((url, &target), request).await;
        let now = Instant::now();
        match asked {
            Ok(answer) if answer.is_sick() => {
                self.balance.fails(url, now, answer.after);
                Ok(answer)
            }
            Ok(answer) => {
                self.balance.works(url);
                Ok(answer)
            }
            Err(reason) => {
                self.balance.fails(url, now, None);
                Err(Failure::new(format!("{}: {reason}", self.name(url))))
            }
        }
    }

    /// Sends a request to where the other side has sent us.
    ///
    /// # Errors
    /// When it does not answer.
    pub(crate) async fn send_on(&self, target: &str, request: &Request) -> Result<Answer, Failure> {
        let asked = self.ask_in_time((0, target), request).await;
        asked.map_err(|reason| Failure::new(format!("{target}: {reason}")))
    }

    /// How many URLs there are.
    pub(crate) fn len(&self) -> usize {
        self.options.urls.len()
    }

    /// Whether another URL could take what one did not.
    pub(crate) fn has_well(&self) -> bool {
        self.balance.has_well()
    }

    /// A URL, for messages.
    pub(crate) fn name(&self, url: usize) -> String {
        let url = self.options.urls.get(url);
        url.map(Url::to_string).unwrap_or_default()
    }

    async fn is_well_again(&self, choice: Choice) -> bool {
        let Some(path) = self.health_path else {
            return true;
        };
        let request = Request {
            method: Method::GET,
            path: path.to_owned(),
            headers: Vec::new(),
            body: Bytes::new(),
        };
        let patience = HEALTH_TIMEOUT.min(self.options.timeout);
        match timeout(patience, self.send_to(choice.index, &request)).await {
            Ok(Ok(answer)) => !answer.is_sick(),
            _ => {
                self.balance.fails(choice.index, Instant::now(), None);
                false
            }
        }
    }

    async fn ask_in_time(&self, to: (usize, &str), request: &Request) -> Result<Answer, String> {
        let asked = timeout(self.options.timeout, self.ask(to, request)).await;
        asked.unwrap_or_else(|_| {
            let seconds = self.options.timeout.as_secs_f64();
            Err(format!("no answer for {seconds} seconds"))
        })
    }

    async fn ask(&self, (url, target): (usize, &str), request: &Request) -> Result<Answer, String> {
        let mut outgoing = hyper::Request::builder()
            .method(&request.method)
            .uri(target)
            .header(USER_AGENT, concat!("logwood/", env!("CARGO_PKG_VERSION")));
        for (name, value) in &request.headers {
            outgoing = outgoing.header(name, value);
        }
        let outgoing = outgoing
            .body(Full::new(request.body.clone()))
            .map_err(|error| error.to_string())?;
        let incoming = self.pool.request(outgoing).await;
        let incoming = incoming.map_err(|error| chain(&error))?;
        let status = incoming.status();
        let after = incoming.headers().get(RETRY_AFTER).and_then(seconds);
        Ok(Answer {
            url,
            status,
            after,
            body: self.read(incoming.into_body()).await?,
            sent: request.body.len() as u64,
        })
    }

    /// The body up to its bound. What is longer is left, and the connection with it.
    async fn read(&self, mut body: hyper::body::Incoming) -> Result<Bytes, String> {
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| chain(&error))?;
            if let Some(data) = frame.data_ref() {
                let room = self.answer_bytes_max - read.len();
                read.extend_from_slice(data.get(..room).unwrap_or(data));
                if read.len() == self.answer_bytes_max {
                    break;
                }
            }
        }
        Ok(read.into())
    }

    /// The request with its body compressed, where that is asked for.
    async fn packed(&self, request: Request) -> Result<Request, Failure> {
        let Some(level) = self.options.gzip.filter(|_| !request.body.is_empty()) else {
            return Ok(request);
        };
        let body = request.body.clone();
        // It takes milliseconds, in which other requests should be answered.
        let packed = tokio::task::spawn_blocking(move || gzip(&body, level)).await;
        let packed = packed.map_err(|error| error.to_string());
        let packed = packed.and_then(|packed| packed.map_err(|error| error.to_string()));
        let body = packed.map_err(|error| Failure::new(format!("cannot compress: {error}")))?;
        let request = Request { body, ..request };
        Ok(request.header(CONTENT_ENCODING, HeaderValue::from_static("gzip")))
    }
}

impl ClientOptions {
    /// What is wrong with the files that are named.
    pub(crate) fn examine(&self) -> Vec<Trouble> {
        let is_encrypted = |url: &Url| url.to_string().starts_with("https:");
        match self.urls.iter().any(is_encrypted) || self.tls != TlsOptions::default() {
            true => self.tls.examine().into_iter().collect(),
            false => Vec::new(),
        }
    }

    /// The client, made by the first who needs it.
    pub(crate) fn shared(
        &self,
        slot: &std::sync::Mutex<Option<Arc<Client>>>,
        make: impl FnOnce(&Self) -> Result<Client, Failure>,
    ) -> Result<Arc<Client>, Failure> {
        let mut slot = slot
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(client) = &*slot {
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(make(self)?);
        *slot = Some(Arc::clone(&client));
        Ok(client)
    }
}

fn gzip(body: &[u8], level: u32) -> std::io::Result<Bytes> {
    use std::io::Write as _;
    let level = flate2::Compression::new(level);
    let mut encoder = flate2::write::GzEncoder::new(Vec::with_capacity(body.len() / 4), level);
    encoder.write_all(body)?;
    Ok(encoder.finish()?.into())
}

/// `Retry-After` in seconds. Dates are rare, and the backoff of the runner does for them.
fn seconds(value: &HeaderValue) -> Option<Duration> {
    let seconds = value.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// An error with what caused it: hyper's own words are "client error (Connect)".
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.ends_with(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// The start of a body as one line of text, for messages.
pub(crate) fn text_of(body: &[u8]) -> String {
    let start = body.get(..ANSWER_TEXT_BYTES_MAX).unwrap_or(body);
    let text = String::from_utf8_lossy(start);
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}
