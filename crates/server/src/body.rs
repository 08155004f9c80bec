//! Response bodies: written while they are sent, or holding something until they are.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;

use crate::admission::Pass;
use crate::limits::{ANSWER_BYTES_FREE, CHUNKS_MAX};

/// The sending end: fails once the client has gone.
pub(crate) type ChunkSender = mpsc::Sender<Result<Bytes, BrokenOff>>;

/// An answer that ends before its end. The connection is closed without the mark of an end, so that
/// no client takes it for whole.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off")]
pub(crate) struct BrokenOff;

struct ChannelBody(mpsc::Receiver<Result<Bytes, BrokenOff>>);

impl HttpBody for ChannelBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0
            .poll_recv(context)
            .map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }
}

/// A body and the end to write it from.
pub(crate) fn channel() -> (ChunkSender, Body) {
    let (sender, receiver) = mpsc::channel(CHUNKS_MAX);
    (sender, Body::new(ChannelBody(receiver)))
}

/// A body that holds something until it has been sent or nobody wants it any more.
struct Holding<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body that holds something until it is dropped.
pub(crate) fn holding<T: Send + Unpin + 'static>(body: Body, held: T) -> Body {
    Body::new(Holding { body, _held: held })
}

/// An answer of these bytes. A large one keeps its place among the questions until it has been
/// sent, since its memory is part of what a question takes.
pub(crate) fn answer(media_type: &'static str, bytes: Vec<u8>, pass: Pass) -> Response {
    let is_large = bytes.len() > ANSWER_BYTES_FREE;
    let mut body = Body::from(bytes);
    if is_large {
        body = holding(body, pass);
    }
    ([(header::CONTENT_TYPE, media_type)], body).into_response()
}
