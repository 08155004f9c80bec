//! Records as they are stored, streamed without end.

use api::{Dropped, Heartbeat, StreamLine};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use engine::Cancel;
use model::RecordId;
use tokio::task::JoinHandle;

use crate::answer::to_row;
use crate::body::{self, ChunkSender};
use crate::http::Context;
use crate::limits::{TAIL_HEARTBEAT, TAIL_ROWS_MAX};
use crate::problem::Refusal;
use crate::routes::query::{Pairs, write_line};
use crate::routes::{CancelOnDrop, NDJSON};
use crate::tail::{News, Tail};

pub(crate) async fn tail(
    State(context): State<Context>,
    pairs: Pairs,
) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let query = parameters.query()?;
    let scope = parameters.scope(&context.app.store, context.app.clock.now())?;
    let after = parameters.get("after").map(parse_after).transpose()?;
    let last = parameters.number("last", 0, TAIL_ROWS_MAX)?;
    if last > 0 && after.is_some() {
        let detail = "a tail starts behind a record or with the last ones, not with both";
        return Err(Refusal::parameter(
            "last",
            detail,
            "leave out after or last",
        ));
    }
    let with_raw = parameters.flag("raw")?;
    let tail = Tail::new(query, scope.snapshots, after.as_ref(), last);
    let (sender, body) = body::channel();
    tokio::spawn(follow(context, tail, with_raw, sender));
    Ok(([(header::CONTENT_TYPE, NDJSON)], body).into_response())
}

fn parse_after(text: &str) -> Result<RecordId, Refusal> {
    RecordId::parse(text).map_err(|error| {
        Refusal::parameter(
            "after",
            error.to_string(),
            "use the id of the last record you have",
        )
    })
}

/// Sends what is new after each commit until the client goes or the server stops.
async fn follow(context: Context, mut tail: Tail, with_raw: bool, sender: ChunkSender) {
    let mut commits = context.app.commits();
    let mut stop = context.stop.clone();
    let mut heartbeat = tokio::time::interval(TAIL_HEARTBEAT);
    heartbeat.reset();
    loop {
        commits.mark_unchanged();
        let app = std::sync::Arc::clone(&context.app);
        let cancel = Cancel::new();
        let _cancel = CancelOnDrop(cancel.clone());
        let work = tokio::task::spawn_blocking(move || {
            let news = tail.news(&app.store, &cancel);
            (tail, write_news(&news, with_raw))
        });
        let Some((moved, mut lines)) = finished(work, &sender).await else {
            return;
        };
        tail = moved;
        if lines.is_empty() {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stopped| *stopped) => return,
                () = sender.closed() => return,
                // Its time comes even where every commit holds nothing that matches.
                _ = heartbeat.tick() => {
                    let time = context.app.clock.now().to_string();
                    write_line(&StreamLine::Heartbeat(Heartbeat { time }), &mut lines);
                }
                _ = commits.changed() => continue,
            }
        } else {
            heartbeat.reset();
        }
        if *stop.borrow() || sender.send(Bytes::from(lines)).await.is_err() {
            return;
        }
    }
}

/// What was found; `None` where the client has gone meanwhile.
async fn finished<T>(work: JoinHandle<T>, sender: &ChunkSender) -> Option<T> {
    tokio::select! {
        done = work => done.ok(),
        () = sender.closed() => None,
    }
}

fn write_news(news: &News, with_raw: bool) -> Vec<u8> {
    let mut lines = Vec::new();
    if news.dropped > 0 {
        write_line(
            &StreamLine::Dropped(Dropped {
                count: news.dropped,
            }),
            &mut lines,
        );
    }
    for row in &news.rows {
        write_line(
            &StreamLine::Row(Box::new(to_row(row, with_raw))),
            &mut lines,
        );
    }
    lines
}
