//! RELP sessions: what is acknowledged is durable, and acknowledged in order.

use ingest::{Options, Transport};
use syslog::relp::encode;

use crate::harness::{Server, eventually, listener};
use crate::relp_client::Client;

const HINT: &str = "0 ServerClose";

fn server() -> Server {
    Server::start(vec![listener(Transport::Relp)])
}

/// What the server answers to bytes, to the end of the connection.
async fn check(server: &Server, sent: &[u8], expected: &[&str]) {
    let mut client = Client::connect(server).await;
    client.write(sent).await;
    let answers = client.answers_to_end().await;
    assert_eq!(answers, expected, "to {:?}", String::from_utf8_lossy(sent));
}

#[tokio::test]
async fn messages_are_acknowledged_in_order() {
    let server = server();
    let mut client = Client::open(&server).await;
    let messages: Vec<_> = (0..1_000)
        .map(|number| format!("<34>message {number}"))
        .collect();
    client.send(2, messages.iter().map(String::as_bytes)).await;
    for transaction in 2..1_002_u32 {
        let answer = client.answer().await.expect("an answer");
        assert_eq!(answer, format!("{transaction} rsp 200 OK"));
        // What is acknowledged is durable, and so it is visible.
        assert!(server.raws().len() > transaction as usize - 2 || transaction % 100 != 0);
    }
    assert_eq!(server.raws(), messages);
    let mut bytes = Vec::new();
    encode::close(1_002, &mut bytes);
    client.write(&bytes).await;
    assert_eq!(client.answers_to_end().await, ["1002 rsp 200 OK", HINT]);
    let status = server.source("relp");
    assert_eq!(
        (status.received, status.stored, status.in_flight),
        (1_000, 1_000, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_acknowledged_before_it_is_durable() {
    let server = server();
    let mut client = Client::open(&server).await;
    server.gate.close();
    client.send(2, [&b"<34>one"[..], b"<34>two\n"]).await;
    eventually("both are received", || server.source("relp").in_flight == 2).await;
    client.send(4, [&b"<34>three"[..]]).await;
    eventually("all are received", || server.source("relp").in_flight == 3).await;
    assert!(client.is_silent());
    server.gate.open();
    for transaction in 2..5 {
        let answer = client.answer().await.expect("an answer");
        assert_eq!(answer, format!("{transaction} rsp 200 OK"));
    }
    assert_eq!(server.raws(), ["<34>one", "<34>two", "<34>three"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_larger_than_the_budget_is_served() {
    let mut options = Options::new(vec![listener(Transport::Relp)]);
    options.budget_bytes = 4 * 1024;
    let server = Server::with(options);
    let mut client = Client::open(&server).await;
    let messages: Vec<_> = (0..5_000)
        .map(|number| format!("<34>message {number}"))
        .collect();
    client.send(2, messages.iter().map(String::as_bytes)).await;
    for transaction in 2..5_002 {
        let answer = client.answer().await.expect("an answer");
        assert_eq!(answer, format!("{transaction} rsp 200 OK"));
    }
    assert_eq!(server.raws(), messages);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_stored_is_never_acknowledged() {
    let server = server();
    let mut client = Client::open(&server).await;
    client.send(2, [&b"<34>stored"[..]]).await;
    assert_eq!(client.answer().await.as_deref(), Some("2 rsp 200 OK"));
    server.store.close();
    client.send(3, [&b"<34>lost"[..]]).await;
    assert_eq!(client.answers_to_end().await, [HINT]);
    let status = server.source("relp");
    assert_eq!(
        (status.received, status.stored, status.dropped_total()),
        (2, 1, 1)
    );
}

#[tokio::test]
async fn a_message_that_is_too_long_is_cut_and_acknowledged() {
    let mut options = listener(Transport::Relp);
    options.message_bytes_max = 20;
    let server = Server::start(vec![options]);
    let mut client = Client::open(&server).await;
    let long = "x".repeat(500_000);
    client.send(2, [long.as_bytes(), b"<34>next"]).await;
    assert_eq!(client.answer().await.as_deref(), Some("2 rsp 200 OK"));
    assert_eq!(client.answer().await.as_deref(), Some("3 rsp 200 OK"));
    assert_eq!(server.raws(), [&long[..20], "<34>next"]);
    assert!(
        server.records("main")[0]
            .tags
            .contains(&"syslog.truncated".into())
    );
}

#[tokio::test]
async fn an_unknown_command_is_refused_and_the_session_goes_on() {
    let server = server();
    let mut client = Client::open(&server).await;
    client
        .write(b"2 syslog 7 <34>one\n3 starttls 0\n4 syslog 7 <34>two\n")
        .await;
    assert_eq!(client.answer().await.as_deref(), Some("2 rsp 200 OK"));
    assert_eq!(
        client.answer().await.as_deref(),
        Some("3 rsp 500 unknown command")
    );
    assert_eq!(client.answer().await.as_deref(), Some("4 rsp 200 OK"));
}

#[tokio::test]
async fn violations_end_the_session() {
    let server = server();
    let open = "1 open 30 relp_version=0\ncommands=syslog\n";
    assert_eq!(open.len(), "1 open 30 ".len() + 31);
    let after_open = |rest: &str| format!("{open}{rest}").into_bytes();
    check(&server, b"no relp at all\n", &[HINT]).await;
    check(
        &server,
        b"1 syslog 7 <34>one\n",
        &[
            "1 rsp 500 relp frame 1 carries a message before the session is open",
            HINT,
        ],
    )
    .await;
    check(
        &server,
        b"1 open 14 relp_version=0\n",
        &[
            "1 rsp 500 relp frame 1 offers no syslog command, or a protocol version above 1",
            HINT,
        ],
    )
    .await;
    check(
        &server,
        &after_open("2 open 15 commands=syslog\n"),
        &[
            "1 rsp 200 OK",
            "2 rsp 500 relp frame 2 opens a session that is open",
            HINT,
        ],
    )
    .await;
    // What came before is stored and acknowledged all the same.
    check(
        &server,
        &after_open("2 syslog 7 <34>one\n4 syslog 7 <34>two\n"),
        &["1 rsp 200 OK", "2 rsp 200 OK", HINT],
    )
    .await;
    check(
        &server,
        &after_open("2 rsp 6 200 OK\n"),
        &["1 rsp 200 OK", HINT],
    )
    .await;
    check(
        &server,
        &after_open("2 syslog 7 <34>two\n3 syslog 5 too long\n"),
        &["1 rsp 200 OK", "2 rsp 200 OK", HINT],
    )
    .await;
    assert_eq!(server.raws(), ["<34>one", "<34>two"]);
}

#[tokio::test]
async fn transaction_numbers_start_anywhere_and_wrap() {
    let server = server();
    let mut client = Client::connect(&server).await;
    client
        .write(b"999999998 open 15 commands=syslog\n999999999 syslog 1 a\n1 syslog 1 b\n0 hint 0\n2 syslog 0\n")
        .await;
    for expected in ["999999998", "999999999", "1", "2"] {
        let answer = client.answer().await.expect("an answer");
        assert_eq!(answer, format!("{expected} rsp 200 OK"));
    }
    assert_eq!(server.raws(), ["a", "b", ""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_its_answers_does_not_hold_up_others() {
    let mut options = Options::new(vec![listener(Transport::Relp)]);
    options.budget_bytes = 64 * 1024;
    let server = Server::with(options);
    let to = server.address("relp");
    let deaf = std::thread::spawn(move || {
        use std::io::Write;
        let mut stream = std::net::TcpStream::connect(to).expect("connects");
        stream
            .write_all(b"1 open 15 commands=syslog\n")
            .expect("writes");
        let mut transaction = 2_u32;
        // Until nobody reads any more, or the test is over.
        while stream
            .write_all(format!("{transaction} x 0\n").as_bytes())
            .is_ok()
        {
            transaction += 1;
            if transaction == 2_000_000 {
                break;
            }
        }
    });
    let mut client = Client::open(&server).await;
    for transaction in 2..50 {
        client.send(transaction, [&b"<34>hello"[..]]).await;
        let answer = client.answer().await.expect("an answer");
        assert_eq!(answer, format!("{transaction} rsp 200 OK"));
    }
    drop(client);
    let shutdown = server
        .ingest
        .shutdown(std::time::Duration::from_millis(100))
        .await;
    assert!(shutdown.is_ok(), "{shutdown:?}");
    drop(server);
    drop(deaf.join());
}
