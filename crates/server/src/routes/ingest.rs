//! Records sent over HTTP.
//!
//! A body is stored while it comes, so that it takes no more memory than a piece of it. Where it
//! breaks off, the problem says how many records are stored by then.

use api::{Accepted, Imported};
use axum::Json;
use axum::extract::Query;
use ingest::{Import, ImportTime, Importer, LineFeed, Submission, SubmitError, Years};
use model::RecordBatch;
use model::limits::MESSAGE_BYTES_MAX;

use crate::cutter::Cutter;
use crate::http::Context;
use crate::limits::INGEST_BYTES_MAX;
use crate::ndjson;
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::query::Pairs;
use crate::upload::Upload;

/// Years that a stamp may be of.
const YEARS: std::ops::Range<i16> = 1970..2200;

impl From<SubmitError> for Refusal {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::TooLarge => Self::message_too_large(error.to_string()),
            error => Self::storage(error.to_string()),
        }
    }
}

/// Messages, one a line, parsed as syslog or given as JSON objects. Answered once durable.
pub(crate) async fn ingest(
    context: Context,
    pairs: Pairs,
    upload: Upload,
) -> Result<Json<Accepted>, Refusal> {
    let parameters = Parameters::new(pairs.0);
    let app = &context.app;
    let logspace = match parameters.get("logspace") {
        Some(_) => Some(parameters.target(&app.store)?),
        None => None,
    };
    let mut upload = upload.at_most(INGEST_BYTES_MAX)?;
    let mut submission = app.ingest.submission(logspace, None)?;
    let taken = match parameters.get("format") {
        None | Some("lines") => take_lines(&mut upload, &mut submission).await,
        Some("ndjson") => take_objects(&context, &mut upload, &mut submission).await,
        Some(text) => {
            let detail = format!("{text:?} is no format");
            return Err(Refusal::parameter("format", detail, "use lines or ndjson"));
        }
    };
    let (accepted, stored) = submission.finish().await;
    match taken.and(stored.map_err(Refusal::from)) {
        Ok(()) => Ok(Json(Accepted { accepted })),
        Err(refusal) => Err(refusal.with_stored(accepted)),
    }
}

async fn take_lines(upload: &mut Upload, into: &mut Submission<'_>) -> Result<(), Refusal> {
    let mut cutter = Cutter::new(into.message_bytes_max());
    while let Some(piece) = upload.next().await? {
        let mut at = 0;
        while let Some(line) = cutter.next(&piece, &mut at) {
            if !is_blank(line) {
                into.add(line).await?;
            }
        }
        // Nothing of the budget is held while more is waited for.
        into.hand_over();
    }
    match cutter.last() {
        line if is_blank(line) => Ok(()),
        line => Ok(into.add(line).await?),
    }
}

/// Whether a line has nothing but what ends it.
fn is_blank(line: &[u8]) -> bool {
    line.is_empty() || line == b"\r"
}

async fn take_objects(
    context: &Context,
    upload: &mut Upload,
    into: &mut Submission<'_>,
) -> Result<(), Refusal> {
    let mut cutter = Cutter::new(MESSAGE_BYTES_MAX);
    let mut objects = ndjson::Objects::default();
    while let Some(piece) = upload.next().await? {
        let mut at = 0;
        let now = context.app.clock.now();
        while let Some(line) = cutter.next(&piece, &mut at) {
            objects.push(line, now)?;
            if objects.is_large() {
                into.add_batch(objects.take()).await;
            }
        }
        into.add_batch(objects.take()).await;
    }
    objects.push(cutter.last(), context.app.clock.now())?;
    into.add_batch(objects.take()).await;
    Ok(())
}

/// A file of messages, one a line, of any size. Answered once durable.
pub(crate) async fn import(
    context: Context,
    Query(pairs): Query<Vec<(String, String)>>,
    mut upload: Upload,
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
    let logspace = parameters.target(&app.store)?;
    let _pass = context.admission.imports.enter(context.peer).await?;
    let mut lines = LineFeed::new(importer);
    let import = app.ingest.import(&logspace)?;
    let taken = take(&mut upload, &mut lines, &import).await;
    let (stored, sealed) = import.finish().await;
    match sealed.map_err(Refusal::from).and(taken) {
        Ok(()) => Ok(Json(imported(&lines))),
        Err(refusal) => Err(refusal.with_stored(stored)),
    }
}

/// Takes a file: some batches are built while the next is gathered.
async fn take(upload: &mut Upload, lines: &mut LineFeed, import: &Import) -> Result<(), Refusal> {
    let mut full = Vec::new();
    while let Some(piece) = upload.next().await? {
        lines.take(&piece, &mut full);
        push_all(&mut full, import).await?;
    }
    lines.finish(&mut full);
    push_all(&mut full, import).await
}

async fn push_all(full: &mut Vec<RecordBatch>, import: &Import) -> Result<(), Refusal> {
    for batch in full.drain(..) {
        import.push(batch).await?;
    }
    Ok(())
}

fn imported(lines: &LineFeed) -> Imported {
    let progress = lines.importer().progress();
    Imported {
        imported: progress.records,
        bytes: progress.bytes,
        empty_lines: progress.empty_lines,
        skipped_bytes: progress.skipped_bytes,
    }
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
