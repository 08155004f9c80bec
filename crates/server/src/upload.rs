//! The body of a request: read as it comes, unpacked, within time and size.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout};

use crate::admission::Pass;
use crate::http::Context;
use crate::limits::{BODY_BYTES_PER_SECOND, BODY_PAUSE, SMALL_BODY_BYTES_MAX};
use crate::problem::Refusal;
use crate::unpack::{Encoding, Unpacker};

/// A body on its way in. It holds a place among the bodies that are read.
pub(crate) struct Upload {
    headers: HeaderMap,
    body: Body,
    unpacker: Option<Unpacker>,
    /// What has come and is not unpacked yet.
    packed: Bytes,
    is_at_end: bool,
    bytes_max: Option<u64>,
    bytes: u64,
    wire_bytes: u64,
    /// How long it was waited for, altogether.
    waited: Duration,
    _passes: (Pass, Option<Pass>),
}

impl FromRequest<Context> for Upload {
    type Rejection = Refusal;

    async fn from_request(request: Request, context: &Context) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let peer = crate::http::peer(&parts);
        let encoding = Encoding::of(&parts.headers)?;
        let place = context.admission.uploads.enter(peer).await?;
        let unpacking = match encoding {
            Encoding::Zstd => Some(context.admission.unpacking.enter(peer).await?),
            Encoding::Identity | Encoding::Gzip | Encoding::Deflate => None,
        };
        Ok(Self {
            headers: parts.headers,
            body,
            unpacker: Unpacker::new(encoding)?,
            packed: Bytes::new(),
            is_at_end: false,
            bytes_max: None,
            bytes: 0,
            wire_bytes: 0,
            waited: Duration::ZERO,
            _passes: (place, unpacking),
        })
    }
}

impl Upload {
    /// Takes at most so many bytes, unpacked; refuses at once what says that it is larger.
    pub(crate) fn at_most(mut self, bytes_max: u64) -> Result<Self, Refusal> {
        if self.body.size_hint().lower() > bytes_max {
            return Err(Refusal::too_large(bytes_max));
        }
        self.bytes_max = Some(bytes_max);
        Ok(self)
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// When nothing comes for too long, it breaks off, cannot be unpacked, or is too large.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let piece = self.next_unpacked().await?;
        self.bytes += piece.as_ref().map_or(0, |piece| piece.len() as u64);
        match self.bytes_max {
            Some(bytes_max) if self.bytes > bytes_max => Err(Refusal::too_large(bytes_max)),
            _ => Ok(piece),
        }
    }

    /// All of a small body.
    pub(crate) async fn whole(self) -> Result<Vec<u8>, Refusal> {
        let mut upload = self.at_most(SMALL_BODY_BYTES_MAX)?;
        let mut whole = Vec::new();
        while let Some(piece) = upload.next().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// A small body as JSON, which must say that it is: a browser sends that to another origin only
    /// after asking.
    pub(crate) async fn json<T: DeserializeOwned>(self, hint: &str) -> Result<T, Refusal> {
        let media_type = self.headers.get(header::CONTENT_TYPE);
        let media_type = media_type.map_or(&b""[..], |value| value.as_bytes());
        let media_type = media_type.split(|byte| *byte == b';').next();
        let media_type = media_type.unwrap_or_default().trim_ascii();
        if !media_type.eq_ignore_ascii_case(b"application/json") {
            let detail = "the content type is not application/json";
            return Err(Refusal::parameter("body", detail, hint));
        }
        let whole = self.whole().await?;
        serde_json::from_slice(&whole)
            .map_err(|error| Refusal::parameter("body", error.to_string(), hint))
    }

    async fn next_unpacked(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            if let Some(unpacker) = &mut self.unpacker {
                let piece = unpacker.step(&mut self.packed)?;
                if !piece.is_empty() {
                    return Ok(Some(Bytes::from(piece)));
                }
                if !self.packed.is_empty() {
                    continue;
                }
            }
            if self.is_at_end {
                return Ok(None);
            }
            let Some(data) = self.next_packed().await? else {
                self.is_at_end = true;
                let last = match &mut self.unpacker {
                    Some(unpacker) => unpacker.finish()?,
                    None => Vec::new(),
                };
                return Ok((!last.is_empty()).then(|| Bytes::from(last)));
            };
            self.wire_bytes += data.len() as u64;
            if self.unpacker.is_none() && !data.is_empty() {
                return Ok(Some(data));
            }
            self.packed = data;
        }
    }

    /// What comes next over the connection.
    async fn next_packed(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            let start = Instant::now();
            let body = &mut self.body;
            let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            let allowed = Duration::from_secs(self.wire_bytes / BODY_BYTES_PER_SECOND);
            let left = (BODY_PAUSE + allowed).saturating_sub(self.waited);
            let frame = timeout(left.min(BODY_PAUSE), frame).await;
            self.waited += start.elapsed();
            match frame {
                Err(_) => {
                    let detail = format!("its body pauses behind {} bytes", self.wire_bytes);
                    return Err(Refusal::slow(detail));
                }
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Ok(Some(Err(error))) => return Err(Refusal::broken(error.to_string())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::Admission;
    use config::ClientLimits;
    use std::net::{IpAddr, Ipv4Addr};
    use std::task::{Context as TaskContext, Poll};

    /// Pieces that come after pauses, and then nothing for ever.
    struct Slow {
        pieces: Vec<(u64, usize)>,
        pause: Option<Pin<Box<tokio::time::Sleep>>>,
    }

    impl axum::body::HttpBody for Slow {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut TaskContext<'_>,
        ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
            let Some((seconds, bytes)) = self.pieces.first().copied() else {
                return Poll::Pending;
            };
            let pause = self
                .pause
                .get_or_insert_with(|| Box::pin(tokio::time::sleep(Duration::from_secs(seconds))));
            std::task::ready!(pause.as_mut().poll(context));
            self.pause = None;
            self.pieces.remove(0);
            Poll::Ready(Some(Ok(http_body::Frame::data(vec![b'x'; bytes].into()))))
        }
    }

    /// What becomes of a body: how many bytes were read, and the code of the problem.
    async fn read(pieces: &[(u64, usize)]) -> (u64, String) {
        let admission = Admission::new(&ClientLimits {
            connections_max: 8,
            questions_max: 1,
            exports_max: 1,
            tails_max: 1,
        });
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let place = admission.uploads.enter(peer).await.expect("room");
        let body = Body::new(Slow {
            pieces: pieces.to_vec(),
            pause: None,
        });
        let mut upload = Upload {
            headers: HeaderMap::new(),
            body,
            unpacker: None,
            packed: Bytes::new(),
            is_at_end: false,
            bytes_max: None,
            bytes: 0,
            wire_bytes: 0,
            waited: Duration::ZERO,
            _passes: (place, None),
        };
        loop {
            match upload.next().await {
                Ok(Some(_)) => {}
                Ok(None) => return (upload.bytes, "end".to_owned()),
                Err(refusal) => return (upload.bytes, refusal.into_problem().code),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_pauses_or_trickles_is_given_up() {
        let slow = "request-slow".to_owned();
        assert_eq!(read(&[]).await, (0, slow.clone()));
        assert_eq!(read(&[(29, 10), (29, 10)]).await, (10, slow.clone()));
        // What came fast buys time later, but for no longer pause.
        let paid = [(0, 100 * 1024), (29, 1), (29, 1), (29, 1)];
        assert_eq!(read(&paid).await, (100 * 1024 + 3, slow.clone()));
        assert_eq!(
            read(&[(0, 1 << 20), (31, 1)]).await,
            (1 << 20, slow.clone())
        );
        // A byte a second keeps no place.
        let trickle = [(1, 1); 600];
        assert_eq!(read(&trickle).await, (30, slow));
    }
}
