//! Bodies that a server may refuse before it has all of them.
//!
//! A server that refuses closes the connection, and the next write fails. Its answer has arrived by
//! then: so a failed write is no error here, the rest of the body is left out, and the answer is
//! read as after any other request.

use std::io::{self, ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ureq::config::Config;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};

/// An agent for one upload, and whether the server takes no more of it.
pub(crate) fn agent(config: Config) -> (ureq::Agent, Arc<AtomicBool>) {
    let is_refused = Arc::new(AtomicBool::new(false));
    let connector = DefaultConnector::new().chain(Lenient {
        is_refused: Arc::clone(&is_refused),
    });
    let agent = ureq::Agent::with_parts(config, connector, DefaultResolver::default());
    (agent, is_refused)
}

/// Makes connections whose writes do not fail.
#[derive(Debug)]
struct Lenient {
    is_refused: Arc<AtomicBool>,
}

impl<In: Transport> Connector<In> for Lenient {
    type Out = LenientTransport<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        Ok(chained.map(|inner| LenientTransport {
            inner,
            is_refused: Arc::clone(&self.is_refused),
        }))
    }
}

#[derive(Debug)]
struct LenientTransport<In> {
    inner: In,
    is_refused: Arc<AtomicBool>,
}

impl<In: Transport> Transport for LenientTransport<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        if self.is_refused.load(Ordering::Relaxed) {
            return Ok(());
        }
        match self.inner.transmit_output(amount, timeout) {
            Err(ureq::Error::Io(error)) if is_closed(error.kind()) => {
                self.is_refused.store(true, Ordering::Relaxed);
                Ok(())
            }
            sent => sent,
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

fn is_closed(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted
    )
}

/// What is sent, up to where the server takes no more; an error in reading it is kept, since it is
/// none of the connection.
pub(crate) struct Upload<R> {
    reader: R,
    is_refused: Arc<AtomicBool>,
    failure: Arc<Mutex<Option<io::Error>>>,
}

impl<R: Read> Upload<R> {
    pub(crate) fn new(
        reader: R,
        is_refused: Arc<AtomicBool>,
        failure: Arc<Mutex<Option<io::Error>>>,
    ) -> Self {
        Self {
            reader,
            is_refused,
            failure,
        }
    }
}

impl<R: Read> Read for Upload<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_refused.load(Ordering::Relaxed) {
            return Ok(0);
        }
        self.reader.read(buffer).map_err(|error| {
            let kind = error.kind();
            if kind != ErrorKind::Interrupted {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                *failure = Some(error);
            }
            kind.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::{Shutdown, TcpListener};

    use crate::{Client, Error, Parameters};

    /// Refuses an upload after its head, and closes the connection with most of the body unread.
    fn refusing() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            use std::io::Read as _;
            let (mut connection, _) = listener.accept().expect("a client");
            let mut head = [0; 1024];
            _ = connection.read(&mut head);
            let body = r#"{"type":"about:blank","title":"t","status":404,"code":"logspace-unknown","detail":"there is no logspace \"nope\"","hint":"the logspaces are: main"}"#;
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\n\
                 content-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            _ = connection.write_all(answer.as_bytes());
            _ = connection.shutdown(Shutdown::Write);
        });
        address.to_string()
    }

    #[test]
    fn a_server_that_refuses_early_is_heard() {
        let client = Client::new(&refusing());
        // Without an end: only a refusal ends it.
        let lines = std::io::repeat(b'x');
        let refused = client.import(&Parameters::default(), lines);
        match refused.expect_err("it is refused") {
            Error::Refused(problem) => assert_eq!(problem.code, "logspace-unknown"),
            other => panic!("{other}"),
        }
    }

    struct Torn;

    impl std::io::Read for Torn {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the file is torn"))
        }
    }

    #[test]
    fn an_error_of_what_is_sent_is_none_of_the_server() {
        let client = Client::new(&refusing());
        let error = client.import(&Parameters::default(), Torn);
        let error = error.expect_err("nothing can be read");
        assert!(matches!(error, Error::Input { .. }), "{error}");
        assert!(error.to_string().contains("the file is torn"), "{error}");
    }
}
