//! Records as they are stored, streamed without end.

use std::sync::Arc;
use std::time::Instant;

use api::{Dropped, Heartbeat, StreamLine};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use engine::Cancel;
use model::RecordId;
use tokio::time::{MissedTickBehavior, interval};

use crate::admission::Pass;
use crate::answer::to_row;
use crate::aside;
use crate::body::{self, ChunkSender};
use crate::http::{Context, stopping};
use crate::limits::{
    CHUNK_BYTES, QUESTION_NICENESS, TAIL_HEARTBEAT, TAIL_LOOK_TIME, TAIL_PAUSE, TAIL_ROWS_MAX,
};
use crate::problem::Refusal;
use crate::routes::query::{Pairs, write_line};
use crate::routes::{CancelOnDrop, NDJSON, prepare};
use crate::tail::{News, Tail};

pub(crate) async fn tail(context: Context, pairs: Pairs) -> Result<Response, Refusal> {
    let parameters = context.app.parameters(pairs.0);
    let after = parameters.get("after").map(parse_after).transpose()?;
    let last = parameters.number("last", 0, TAIL_ROWS_MAX)?;
    if last > 0 && after.is_some() {
        let detail = "a tail starts behind a record or with the last ones, not with both";
        let hint = "leave out after or last";
        return Err(Refusal::parameter("last", detail, hint));
    }
    let with_raw = parameters.flag("raw")?;
    let pass = context.admission.tails.enter(context.peer).await?;
    let prepared = prepare(&context, pass, move |app| {
        let query = parameters.query()?;
        let scope = parameters.scope(&app.store, app.clock.now())?;
        Ok(Tail::new(query, scope.snapshots, after.as_ref(), last))
    });
    let (tail, pass) = prepared.await?;
    let (sender, body) = body::channel();
    tokio::spawn(follow(context, tail, with_raw, sender, pass));
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

/// Sends what is new after commits until the client goes or the server stops. A tail looks only
/// when its reader has taken what came before, not more often than people notice, and when it is
/// its turn: however many there are, and whether they read or not, receiving goes on.
async fn follow(
    context: Context,
    mut tail: Tail,
    with_raw: bool,
    sender: ChunkSender,
    _pass: Pass,
) {
    let mut commits = context.app.commits();
    let mut stop = context.stop.clone();
    let mut heartbeat = interval(TAIL_HEARTBEAT);
    heartbeat.reset();
    let mut pace = interval(TAIL_PAUSE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let following = async {
        loop {
            pace.tick().await;
            commits.mark_unchanged();
            let (moved, is_at_end, chunks) = look(&context, tail, with_raw).await?;
            tail = moved;
            if !chunks.is_empty() {
                heartbeat.reset();
                for chunk in chunks {
                    sender.send(Ok(chunk)).await.ok()?;
                }
            }
            // Its time comes even where every commit holds nothing that matches.
            let changed = async {
                if is_at_end {
                    // An error means that the store has gone, and the server with it.
                    _ = commits.changed().await;
                }
            };
            tokio::select! {
                biased;
                _ = heartbeat.tick() => {
                    let time = context.app.clock.now().to_string();
                    let mut line = Vec::new();
                    write_line(&StreamLine::Heartbeat(Heartbeat { time }), &mut line);
                    sender.send(Ok(Bytes::from(line))).await.ok()?;
                }
                () = changed => {}
            }
        }
    };
    tokio::select! {
        biased;
        () = stopping(&mut stop) => {}
        () = sender.closed() => {}
        None::<()> = following => {}
    }
}

/// Looks at what is new, when it is this tail's turn; `None` where that fails.
async fn look(
    context: &Context,
    mut tail: Tail,
    with_raw: bool,
) -> Option<(Tail, bool, Vec<Bytes>)> {
    let turn = Arc::clone(&context.looks).acquire_owned().await.ok()?;
    let app = Arc::clone(&context.app);
    let cancel = Cancel::new();
    // Whoever waits for it may go.
    let _guard = CancelOnDrop(cancel.clone());
    let work = aside::run(QUESTION_NICENESS, move || {
        let _turn = turn;
        let news = tail.news(&app.store, Instant::now() + TAIL_LOOK_TIME, &cancel);
        (tail, news.is_at_end, write_news(&news, with_raw))
    });
    work.await.ok()
}

/// What is sent, in chunks of which few wait for a slow reader.
fn write_news(news: &News, with_raw: bool) -> Vec<Bytes> {
    let (mut chunks, mut lines) = (Vec::new(), Vec::new());
    if news.dropped > 0 {
        let count = news.dropped;
        write_line(&StreamLine::Dropped(Dropped { count }), &mut lines);
    }
    for row in &news.rows {
        let row = to_row(row, with_raw);
        write_line(&StreamLine::Row(Box::new(row)), &mut lines);
        if lines.len() >= CHUNK_BYTES {
            chunks.push(Bytes::from(std::mem::take(&mut lines)));
        }
    }
    if !lines.is_empty() {
        chunks.push(Bytes::from(lines));
    }
    chunks
}
