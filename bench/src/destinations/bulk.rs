//! The bulk interface of Elasticsearch, as far as senders see it, for next to no CPU time: documents are
//! counted by their lines and never parsed.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::http::{Reader, Request};

/// What it says it is to whoever asks.
const ABOUT: &str = "{\"cluster_name\":\"bench\",\"version\":{\"number\":\"8.0.0\"},\
                     \"tagline\":\"You Know, for Search\"}";

/// A receiver of documents. Its threads end with the connections they read, and with the program.
#[derive(Debug)]
pub(super) struct Bulk {
    documents: Arc<AtomicU64>,
}

impl Bulk {
    pub(super) fn start(address: SocketAddr, delay: Duration) -> Result<Self> {
        let listener =
            TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))?;
        let documents = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&documents);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                thread::spawn(move || _ = serve(connection, delay, &counted));
            }
        });
        Ok(Self { documents })
    }

    /// Documents that came so far.
    pub(super) fn documents(&self) -> u64 {
        self.documents.load(Ordering::Relaxed)
    }
}

fn serve(connection: TcpStream, delay: Duration, documents: &AtomicU64) -> Result<()> {
    connection.set_nodelay(true)?;
    let mut writer = connection.try_clone()?;
    let mut reader = Reader::new(connection);
    while let Some(request) = reader.next(&mut writer)? {
        thread::sleep(delay);
        let body = answer(&request, documents);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                    x-elastic-product: Elasticsearch\r\ncontent-length: ";
        writer.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes())?;
    }
    Ok(())
}

/// Every document is taken, each by the action that its request names.
fn answer(request: &Request, documents: &AtomicU64) -> String {
    if !request.path.contains("_bulk") {
        return ABOUT.to_owned();
    }
    let lines = request.body.split(|byte| *byte == b'\n');
    let mut lines = lines.filter(|line| !line.is_empty());
    let is_create = |line: &[u8]| line.get(..12).unwrap_or(line).windows(8).any(is_create_key);
    let action = match lines.clone().next() {
        Some(first) if is_create(first) => "create",
        _ => "index",
    };
    // An action and its document are two lines.
    let count = lines.by_ref().count() / 2;
    documents.fetch_add(count as u64, Ordering::Relaxed);
    let item = format!("{{\"{action}\":{{\"status\":201}}}}");
    let items = vec![item.as_str(); count].join(",");
    format!("{{\"took\":1,\"errors\":false,\"items\":[{items}]}}")
}

fn is_create_key(bytes: &[u8]) -> bool {
    bytes == b"\"create\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_counted_and_answered_one_by_one() {
        let documents = AtomicU64::new(0);
        let body = b"{\"create\":{}}\n{\"a\":1}\n{ \"create\":{}}\n{\"a\":2}\n".to_vec();
        let path = "/logs/_bulk".to_owned();
        let told = answer(&Request { path, body }, &documents);
        let item = "{\"create\":{\"status\":201}}";
        let expected = format!("{{\"took\":1,\"errors\":false,\"items\":[{item},{item}]}}");
        assert_eq!(told, expected);
        assert_eq!(documents.load(Ordering::Relaxed), 2);
        let other = Request {
            path: "/".to_owned(),
            body: Vec::new(),
        };
        assert_eq!(answer(&other, &documents), ABOUT);
    }

    #[test]
    fn a_request_is_answered_over_its_connection() {
        let address = {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap()
        };
        let bulk = Bulk::start(address, Duration::ZERO).unwrap();
        for _ in 0..2 {
            let body = "{\"index\":{}}\n{\"a\":1}\n";
            let answer = ureq::post(format!("http://{address}/_bulk")).send(body);
            let told = answer.unwrap().body_mut().read_to_string().unwrap();
            assert!(told.contains("\"index\":{\"status\":201}"), "{told}");
        }
        assert_eq!(bulk.documents(), 2);
    }
}
