//! A response body that is written while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::Frame;
use tokio::sync::mpsc;

use crate::limits::CHUNKS_MAX;

/// The sending end: fails once the client has gone.
pub(crate) type ChunkSender = mpsc::Sender<Bytes>;

struct ChannelBody(mpsc::Receiver<Bytes>);

impl HttpBody for ChannelBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0
            .poll_recv(context)
            .map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }
}

/// A body and the end to write it from.
pub(crate) fn channel() -> (ChunkSender, Body) {
    let (sender, receiver) = mpsc::channel(CHUNKS_MAX);
    (sender, Body::new(ChannelBody(receiver)))
}
