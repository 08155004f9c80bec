//! Whether a Logwood server is at an address: asked before anything else, since only this question
//! has an answer at once. Anything else may take a server minutes.

use std::io::ErrorKind;
use std::time::Duration;

use api::{ParseAnswer, Problem};
use ureq::http::{Response, header};
use ureq::{Body, Timeout};

use crate::Client;
use crate::error::Error;

/// How long a server may take to say that it is one. A busy one answers in milliseconds; a syslog
/// listener, which waits for messages, never does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

impl Client {
    /// Asks whether a Logwood server is there.
    ///
    /// # Errors
    /// When nothing is there, something else is, or the server refuses.
    pub fn greet(&self) -> Result<(), Error> {
        self.greet_within(PATIENCE)
    }

    fn greet_within(&self, patience: Duration) -> Result<(), Error> {
        if self.url().starts_with("https:") {
            let url = self.url().to_owned();
            return Err(Error::Encrypted { url });
        }
        // What a query means is asked of the parser alone, and only Logwood knows.
        let request = self.agent.get(self.endpoint("query/parse"));
        let request = request.config().timeout_global(Some(patience)).build();
        let mut response = request.call().map_err(|error| self.silent(error))?;
        let text = response.body_mut().read_to_string();
        let text = text.map_err(|error| self.silent(error))?;
        if response.status().is_success() && serde_json::from_str::<ParseAnswer>(&text).is_ok() {
            return Ok(());
        }
        if let Ok(problem) = serde_json::from_str::<Problem>(&text) {
            return Err(Error::Refused(Box::new(problem)));
        }
        Err(self.not_logwood(other_answer(&response)))
    }

    /// Why there is no answer: nobody listens, or somebody who does not speak HTTP.
    fn silent(&self, error: ureq::Error) -> Error {
        let what = match &error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                return self.unreachable(error);
            }
            ureq::Error::Timeout(_) => {
                "something listens there and says nothing; a listener for syslog does so"
            }
            ureq::Error::Protocol(_) => "what listens there does not speak HTTP",
            ureq::Error::Io(cause) if is_hung_up(cause.kind()) => {
                "what listens there closed the connection"
            }
            _ => return self.unreachable(error),
        };
        self.not_logwood(what.to_owned())
    }

    fn not_logwood(&self, what: String) -> Error {
        let url = self.url().to_owned();
        Error::NotLogwood { url, what }
    }
}

fn is_hung_up(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
    )
}

/// What something else answers.
fn other_answer(response: &Response<Body>) -> String {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    let kind = kind.map_or_else(String::new, |kind| {
        let kind = kind.split(';').next().unwrap_or_default();
        format!(" with {kind}")
    });
    format!("something else answers there, {}{kind}", response.status())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener};

    use super::*;

    /// An address whose listener takes one connection and answers with this; with nothing it only
    /// listens.
    fn answering(answer: Option<&'static str>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().expect("a client");
            let mut request = [0; 4096];
            _ = connection.read(&mut request);
            match answer {
                Some(answer) => _ = connection.write_all(answer.as_bytes()),
                // Until the client has had enough.
                None => _ = connection.read(&mut request),
            }
        });
        address
    }

    fn told(answer: Option<&'static str>, patience: Duration) -> String {
        let client = Client::new(&answering(answer).to_string());
        let error = client.greet_within(patience).expect_err("no Logwood");
        assert!(matches!(error, Error::NotLogwood { .. }), "{error}");
        error.to_string()
    }

    #[test]
    fn other_servers_are_told_from_logwood() {
        let html = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\
                    content-length: 6\r\n\r\n<html>";
        let said = told(Some(html), PATIENCE);
        assert!(said.contains("200 OK with text/html"), "{said}");
        let missing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        let said = told(Some(missing), PATIENCE);
        assert!(said.contains("404"), "{said}");
        let said = told(Some("220 mail.example.com ESMTP\r\n"), PATIENCE);
        assert!(said.contains("does not speak HTTP"), "{said}");
        let said = told(Some(""), PATIENCE);
        assert!(said.contains("closed the connection"), "{said}");
    }

    #[test]
    fn a_listener_that_says_nothing_is_not_waited_for() {
        let said = told(None, Duration::from_millis(50));
        assert!(said.contains("listener for syslog"), "{said}");
    }

    #[test]
    fn encryption_is_not_tried() {
        let error = Client::new("https://localhost:1")
            .greet()
            .expect_err("no TLS");
        assert!(matches!(error, Error::Encrypted { .. }), "{error}");
    }
}
