//! Records sent over HTTP.

use std::net::IpAddr;
use std::sync::Arc;

use api::{Accepted, Imported};
use axum::Json;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Query, State};
use ingest::{ImportTime, Importer, Ingest, SubmitError};
use model::{LogspaceName, RecordBatch};
use tokio::task::JoinHandle;

use crate::http::Context;
use crate::ndjson;
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::query::Pairs;

impl From<SubmitError> for Refusal {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::TooLarge => {
                let title = "a message is too large";
                api::Problem::new(413, "message-too-large", title, error.to_string()).into()
            }
            error => Self::storage(error.to_string()),
        }
    }
}

/// Messages, one a line, parsed as syslog or given as JSON objects. Answered once durable.
pub(crate) async fn ingest(
    State(context): State<Context>,
    pairs: Pairs,
    body: Bytes,
) -> Result<Json<Accepted>, Refusal> {
    let parameters = Parameters::new(pairs.0);
    let app = &context.app;
    let logspace = match parameters.get("logspace") {
        Some(_) => Some(parameters.target(&app.store)?),
        None => None,
    };
    let no_peer: Option<IpAddr> = None;
    let accepted = match parameters.get("format") {
        None | Some("lines") => {
            let lines: Vec<&[u8]> = body
                .split(|byte| *byte == b'\n')
                .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
                .collect();
            app.ingest
                .submit_lines(lines, logspace.as_ref(), no_peer)
                .await?
        }
        Some("ndjson") => {
            let batch = ndjson::parse(&body, app.clock.now())?;
            let records = batch.len() as u64;
            app.ingest.submit_batch(batch, logspace.as_ref()).await?;
            records
        }
        Some(text) => {
            let detail = format!("{text:?} is no format");
            return Err(Refusal::parameter("format", detail, "use lines or ndjson"));
        }
    };
    Ok(Json(Accepted { accepted }))
}

/// A file of messages, one a line, of any size. Answered once durable.
pub(crate) async fn import(
    State(context): State<Context>,
    Query(pairs): Query<Vec<(String, String)>>,
    mut body: Body,
) -> Result<Json<Imported>, Refusal> {
    let parameters = Parameters::new(pairs);
    let app = &context.app;
    let time = match parameters.get("time") {
        None | Some("message") => ImportTime::Message,
        Some("now") => ImportTime::Now,
        Some(text) => {
            let detail = format!("{text:?} is no time to import under");
            return Err(Refusal::parameter("time", detail, "use message or now"));
        }
    };
    let mut upload = Upload {
        importer: Importer::new(
            app.ingest.http_parse_options(),
            time,
            app.clock.now(),
            "import",
        ),
        ingest: Arc::clone(&app.ingest),
        logspace: parameters.target(&app.store)?,
        line: Vec::new(),
        sealing: None,
    };
    while let Some(chunk) = next_chunk(&mut body).await? {
        upload.take(&chunk).await?;
    }
    upload.finish().await.map(Json)
}

async fn next_chunk(body: &mut Body) -> Result<Option<Bytes>, Refusal> {
    loop {
        let frame =
            std::future::poll_fn(|context| std::pin::Pin::new(&mut *body).poll_frame(context));
        match frame.await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(error)) => {
                let title = "the upload broke off";
                let problem = api::Problem::new(400, "upload-broken", title, error.to_string());
                return Err(problem.into());
            }
        }
    }
}

/// A file on its way in: one batch is sealed while the next is gathered.
struct Upload {
    importer: Importer,
    ingest: Arc<Ingest>,
    logspace: LogspaceName,
    /// The start of a line whose end has not come yet.
    line: Vec<u8>,
    sealing: Option<JoinHandle<Result<(), SubmitError>>>,
}

impl Upload {
    async fn take(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, behind) = rest.split_at(end);
            rest = behind.get(1..).unwrap_or(&[]);
            let full = if self.line.is_empty() {
                self.importer.push(line)
            } else {
                self.line.extend_from_slice(line);
                let full = self.importer.push(&self.line);
                self.line.clear();
                full
            };
            if let Some(batch) = full {
                self.seal(batch).await?;
            }
        }
        // What is behind the longest message is cut off by the importer anyway.
        let room = model::limits::MESSAGE_BYTES_MAX + 1
            - self.line.len().min(model::limits::MESSAGE_BYTES_MAX);
        self.line
            .extend_from_slice(rest.get(..room).unwrap_or(rest));
        Ok(())
    }

    async fn seal(&mut self, batch: RecordBatch) -> Result<(), Refusal> {
        self.wait().await?;
        let (ingest, logspace) = (Arc::clone(&self.ingest), self.logspace.clone());
        let sealing = tokio::spawn(async move { ingest.import(batch, &logspace).await });
        self.sealing = Some(sealing);
        Ok(())
    }

    async fn wait(&mut self) -> Result<(), Refusal> {
        match self.sealing.take() {
            None => Ok(()),
            Some(sealing) => {
                let result = sealing.await;
                result.map_err(|_| Refusal::internal("the import crashed"))??;
                Ok(())
            }
        }
    }

    async fn finish(mut self) -> Result<Imported, Refusal> {
        let line = std::mem::take(&mut self.line);
        if let Some(batch) = self.importer.push(&line) {
            self.seal(batch).await?;
        }
        if let Some(batch) = self.importer.finish() {
            self.seal(batch).await?;
        }
        self.wait().await?;
        let (imported, bytes) = self.importer.progress();
        Ok(Imported { imported, bytes })
    }
}
