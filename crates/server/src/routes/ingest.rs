//! Records sent over HTTP.

use std::net::IpAddr;
use std::sync::Arc;

use api::{Accepted, Imported};
use axum::Json;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Query, State};
use ingest::{ImportTime, Importer, Ingest, LineFeed, SubmitError, Years};
use model::{LogspaceName, RecordBatch};
use tokio::task::JoinHandle;

use crate::http::Context;
use crate::ndjson;
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::query::Pairs;

/// Years that a stamp may be of.
const YEARS: std::ops::Range<i16> = 1970..2200;

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
                .filter(|line| *line != b"\r")
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
    let now = app.clock.now();
    let years = Years {
        anchor: parameters.moment("anchor", now)?.unwrap_or(now),
        first: first_year(&parameters)?,
    };
    let options = app.ingest.http_parse_options();
    let importer = Importer::new(options.clone(), time, now, "import").with_years(years, &options);
    let mut upload = Upload {
        lines: LineFeed::new(importer),
        ingest: Arc::clone(&app.ingest),
        logspace: parameters.target(&app.store)?,
        sealing: None,
    };
    while let Some(chunk) = next_chunk(&mut body).await? {
        upload.take(&chunk).await?;
    }
    upload.finish().await.map(Json)
}

/// The year of the first stamp without one, if it is given.
fn first_year(parameters: &Parameters) -> Result<Option<i16>, Refusal> {
    let Some(text) = parameters.get("year") else {
        return Ok(None);
    };
    let year = text.parse().ok().filter(|year| YEARS.contains(year));
    year.map(Some).ok_or_else(|| {
        let detail = format!("{text:?} is no year");
        Refusal::parameter("year", detail, "use a number from 1970 to 2199")
    })
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
    lines: LineFeed,
    ingest: Arc<Ingest>,
    logspace: LogspaceName,
    sealing: Option<JoinHandle<Result<(), SubmitError>>>,
}

impl Upload {
    async fn take(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        let mut full = Vec::new();
        self.lines.take(chunk, &mut full);
        self.seal_all(full).await
    }

    async fn seal_all(&mut self, full: Vec<RecordBatch>) -> Result<(), Refusal> {
        for batch in full {
            self.seal(batch).await?;
        }
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
        let mut full = Vec::new();
        self.lines.finish(&mut full);
        self.seal_all(full).await?;
        self.wait().await?;
        let progress = self.lines.importer().progress();
        Ok(Imported {
            imported: progress.records,
            bytes: progress.bytes,
            empty_lines: progress.empty_lines,
            skipped_bytes: progress.skipped_bytes,
        })
    }
}
