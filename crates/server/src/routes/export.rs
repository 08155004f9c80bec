//! Everything that matches, streamed.

use std::ops::ControlFlow;

use api::csv::write_cell;
use api::{Row, StreamLine};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use engine::{Cancel, RowRef};

use crate::answer::Asked;
use crate::body;
use crate::http::Context;
use crate::limits::{CHUNK_BYTES, EXPORT_MARK_BYTES_MAX};
use crate::problem::Refusal;
use crate::routes::NDJSON;
use crate::routes::query::{Pairs, write_line};

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

pub(crate) async fn export(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let format = Format::parse(parameters.get("format"))?;
    let with_raw = parameters.flag("raw")?;
    check_mark(parameters.get("mark").unwrap_or_default())?;
    // What is wrong with the request is said before the stream starts.
    parameters.query()?;
    parameters.scope(&context.app.store, context.app.clock.now())?;
    let (sender, body) = body::channel();
    let app = context.app;
    tokio::task::spawn_blocking(move || {
        let text = |name| parameters.get(name).unwrap_or_default();
        let answering = app.running.start_marked(text("q"), text("mark"));
        let cancel = Cancel::within(&app.questions);
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        if format == Format::Csv {
            chunk.extend_from_slice(CSV_HEADER);
        }
        let asked = Asked {
            store: &app.store,
            clock: app.clock.as_ref(),
            cancel: &cancel,
        };
        let end = asked.export(&parameters, &mut |row| {
            format.write(row, with_raw, &mut chunk);
            answering.wrote_record();
            if chunk.len() < CHUNK_BYTES {
                return ControlFlow::Continue(());
            }
            let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK_BYTES));
            match sender.blocking_send(Bytes::from(full)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        if let (Ok(end), Format::Ndjson) = (end, format) {
            write_line(&StreamLine::End(end), &mut chunk);
        }
        _ = sender.blocking_send(Bytes::from(chunk));
    });
    Ok(([(header::CONTENT_TYPE, format.media_type())], body).into_response())
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
