//! Everything that matches, streamed.

use std::ops::ControlFlow;
use std::sync::Arc;

use api::csv::write_cell;
use api::{Row, StreamLine};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use engine::{Cancel, RowRef, Stop};

use crate::admission::Pass;
use crate::answer::Asked;
use crate::app::App;
use crate::aside;
use crate::body::{self, BrokenOff, ChunkSender};
use crate::http::{Context, stopping};
use crate::limits::{CHUNK_BYTES, EXPORT_MARK_BYTES_MAX, EXPORT_NICENESS};
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::query::{Pairs, write_line};
use crate::routes::{CancelOnDrop, NDJSON, prepare};

/// How records are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Ndjson,
    Csv,
    Raw,
}

/// The columns of CSV.
const CSV_HEADER: &[u8] =
    b"id,received,time,host,program,pid,facility,severity,source,tags,message\r\n";

impl Format {
    fn parse(text: Option<&str>) -> Result<Self, Refusal> {
        match text {
            None | Some("ndjson") => Ok(Self::Ndjson),
            Some("csv") => Ok(Self::Csv),
            Some("raw") => Ok(Self::Raw),
            Some(text) => {
                let detail = format!("{text:?} is no format");
                Err(Refusal::parameter(
                    "format",
                    detail,
                    "use ndjson, csv or raw",
                ))
            }
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson => NDJSON,
            Self::Csv => "text/csv; charset=utf-8",
            Self::Raw => "application/octet-stream",
        }
    }

    fn write(self, row: RowRef<'_>, with_raw: bool, out: &mut Vec<u8>) {
        match self {
            Self::Ndjson => {
                write_line(&StreamLine::Row(Box::new(to_row(row, with_raw))), out);
            }
            Self::Csv => write_csv(row, out),
            Self::Raw => {
                out.extend_from_slice(row.record.raw());
                out.push(b'\n');
            }
        }
    }
}

pub(crate) async fn export(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let format = Format::parse(parameters.get("format"))?;
    let with_raw = parameters.flag("raw")?;
    check_mark(parameters.get("mark").unwrap_or_default())?;
    let pass = context.admission.exports.enter(context.peer).await?;
    // What is wrong with the request is said before the stream starts.
    let prepared = prepare(&context, pass, move |app| {
        parameters.query()?;
        parameters.scope(&app.store, app.clock.now())?;
        Ok(parameters)
    });
    let (parameters, pass) = prepared.await?;
    let (sender, body) = body::channel();
    let export = Export {
        app: Arc::clone(&context.app),
        parameters,
        format,
        with_raw,
    };
    tokio::spawn(run(context, export, sender, pass));
    Ok(([(header::CONTENT_TYPE, format.media_type())], body).into_response())
}

/// What is exported, and how.
struct Export {
    app: Arc<App>,
    parameters: Parameters,
    format: Format,
    with_raw: bool,
}

/// Runs an export on a thread of its own, and cancels it when the client goes away or the server
/// stops, also while nothing is found.
async fn run(context: Context, export: Export, sender: ChunkSender, pass: Pass) {
    let cancel = Cancel::within(&context.app.questions);
    let guard = CancelOnDrop(cancel.clone());
    let mut stop = context.stop.clone();
    let writer = sender.clone();
    let work = aside::run(EXPORT_NICENESS, move || {
        // The place is held by the thread, until the export has ended.
        let _pass = pass;
        let is_whole = export.write(&cancel, &writer);
        if !is_whole {
            _ = writer.blocking_send(Err(BrokenOff));
        }
    });
    let mut work = std::pin::pin!(work);
    tokio::select! {
        _ = &mut work => return,
        () = sender.closed() => {}
        () = stopping(&mut stop) => {}
    }
    guard.0.cancel();
}

impl Export {
    /// Writes everything; whether that is all of it.
    fn write(&self, cancel: &Cancel, sender: &ChunkSender) -> bool {
        let Self {
            app,
            parameters,
            format,
            with_raw,
        } = self;
        let text = |name| parameters.get(name).unwrap_or_default();
        let answering = app.running.start_marked(text("q"), text("mark"));
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        if *format == Format::Csv {
            chunk.extend_from_slice(CSV_HEADER);
        }
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel,
        };
        let end = asked.export(parameters, &mut |row| {
            format.write(row, *with_raw, &mut chunk);
            answering.wrote_record();
            if chunk.len() < CHUNK_BYTES {
                return ControlFlow::Continue(());
            }
            let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK_BYTES));
            match sender.blocking_send(Ok(Bytes::from(full))) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        let Ok(end) = end else {
            return false;
        };
        let stopped = cancel.stopped();
        let tells_itself = *format == Format::Ndjson && stopped == Some(Stop::Memory);
        if stopped.is_some() && !tells_itself {
            return false;
        }
        if *format == Format::Ndjson {
            write_line(&StreamLine::End(end), &mut chunk);
        }
        sender.blocking_send(Ok(Bytes::from(chunk))).is_ok()
    }
}

fn check_mark(mark: &str) -> Result<(), Refusal> {
    if mark.len() > EXPORT_MARK_BYTES_MAX {
        return Err(Refusal::parameter(
            "mark",
            format!("{} bytes are too long", mark.len()),
            &format!("use at most {EXPORT_MARK_BYTES_MAX} bytes"),
        ));
    }
    Ok(())
}

fn to_row(row: RowRef<'_>, with_raw: bool) -> Row {
    Row::new(&row.id(), row.record, with_raw)
}

fn write_csv(row: RowRef<'_>, out: &mut Vec<u8>) {
    let row = to_row(row, false);
    let tags = row.tags.join(" ");
    let cells = [
        &row.id,
        &row.received,
        &row.time,
        &row.host,
        &row.program,
        &row.pid,
        &row.facility,
        &row.severity,
        &row.source,
        &tags,
        &row.message,
    ];
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_cell(cell, out);
    }
    out.extend_from_slice(b"\r\n");
}
