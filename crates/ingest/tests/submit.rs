//! Records handed in rather than received.

use ingest::{Options, SubmitError};
use model::{LogspaceName, RecordBatch, RecordParts, Span, Timestamp};

use crate::harness::Server;

fn name(text: &str) -> LogspaceName {
    LogspaceName::parse(text).expect("valid")
}

fn batch(texts: &[&str]) -> RecordBatch {
    let mut batch = RecordBatch::new();
    let source = batch.source_index("http").expect("room");
    for (second, text) in (1_700_000_000..).zip(texts) {
        let parts = RecordParts {
            message: Span::new(0, text.len()),
            ..RecordParts::default()
        };
        let received = Timestamp::from_seconds(second);
        batch
            .push(text.as_bytes(), &parts, received, None, source)
            .expect("room");
    }
    batch
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_durable_when_it_is_said() {
    let server = Server::start(Vec::new());
    let peer = "192.0.2.1".parse().ok();
    let lines = [&b"<34>one"[..], b"", b"two"];
    let count = server.ingest.submit_lines(lines, None, peer).await;
    assert_eq!(count, Ok(2));
    assert_eq!(server.raws(), ["<34>one", "two"]);
    let record = &server.records("main")[0];
    assert_eq!(
        (record.source.as_str(), record.peer.as_str()),
        ("http", "192.0.2.1")
    );
    assert_eq!(server.source("http").stored, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn more_lines_than_the_budget_holds_are_taken() {
    let mut options = Options::new(Vec::new());
    options.budget_bytes = 4 * 1024;
    options.http.message_bytes_max = 1_000;
    let server = Server::with(options);
    let mut texts: Vec<_> = (0..2_000)
        .map(|number| format!("<34>message {number}"))
        .collect();
    texts.push("x".repeat(1_001));
    let lines = texts.iter().map(String::as_bytes);
    assert_eq!(
        server.ingest.submit_lines(lines, None, None).await,
        Ok(2_001)
    );
    texts[2_000].pop();
    assert_eq!(server.raws(), texts);
    assert_eq!(server.ingest.budget_bytes().0, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logspace_can_be_chosen_if_it_exists() {
    let server = Server::start(Vec::new());
    let web = name("web");
    let unknown = SubmitError::UnknownLogspace(web.clone());
    let lines = [&b"<34>x"[..]];
    let refused = server.ingest.submit_lines(lines, Some(&web), None).await;
    assert_eq!(refused, Err(unknown.clone()));
    let refused = server.ingest.submission(Some(web.clone()), None).err();
    assert_eq!(refused, Some(unknown.clone()));
    assert_eq!(server.ingest.import(&web).err(), Some(unknown));
    assert_eq!(server.source("http").received, 0);

    server.store.create_logspace(&web).expect("creates");
    let taken = server.ingest.submit_lines(lines, Some(&web), None).await;
    assert_eq!(taken, Ok(1));
    let submission = server.ingest.submission(Some(web.clone()), None);
    let mut submission = submission.expect("it is there");
    submission.add_batch(batch(&["y"])).await;
    assert_eq!(submission.finish().await, (1, Ok(())));
    let import = server.ingest.import(&web).expect("it is there");
    assert_eq!(import.push(batch(&["b", "a"])).await, Ok(()));
    assert_eq!(import.finish().await, (2, Ok(())));
    let mut raws: Vec<_> = server
        .records("web")
        .into_iter()
        .map(|record| record.raw)
        .collect();
    raws.sort();
    assert_eq!(raws, ["<34>x", "a", "b", "y"]);
    assert!(server.raws().is_empty());
    let status = server.source("http");
    assert_eq!(
        (status.received, status.stored, status.bytes),
        (4, 4, 5 + 3)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_stored_is_not_confirmed() {
    let server = Server::start(Vec::new());
    server.store.close();
    let refused = server
        .ingest
        .submit_lines([&b"<34>x"[..]], None, None)
        .await;
    assert_eq!(refused, Err(SubmitError::NotStored));
    let mut submission = server.ingest.submission(None, None).expect("it begins");
    submission.add_batch(batch(&["x"])).await;
    assert_eq!(submission.finish().await, (0, Err(SubmitError::NotStored)));
    assert_eq!(server.source("http").dropped_total(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_held_while_more_is_waited_for() {
    let mut options = Options::new(Vec::new());
    options.budget_bytes = 64 * 1024;
    let server = Server::with(options);
    let mut slow = server.ingest.submission(None, None).expect("it begins");
    slow.add(b"<34>first").await.expect("room");
    slow.hand_over();
    // Another takes more than the whole budget meanwhile.
    let texts: Vec<_> = (0..1_000).map(|n| format!("<34>message {n}")).collect();
    let lines = texts.iter().map(String::as_bytes);
    let taken = server.ingest.submit_lines(lines, None, None).await;
    assert_eq!(taken, Ok(1_000));
    slow.add(b"").await.expect("passed over");
    slow.add(b"<34>last").await.expect("room");
    assert_eq!(slow.finish().await, (2, Ok(())));
    assert_eq!(server.ingest.budget_bytes().0, 0);
}
