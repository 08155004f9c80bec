//! The page, embedded in the binary and compressed once.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Write as _;
use std::sync::LazyLock;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// What stands in the page's HTML where the nonce of the answer goes.
const NONCE_PLACE: &str = "__CSP_NONCE__";

static INDEX: &str = include_str!("../../../web/dist/index.html");

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

static FILES: LazyLock<[File; 6]> = LazyLock::new(|| {
    [
        File::new(
            "/app.js",
            JAVASCRIPT,
            include_bytes!("../../../web/dist/app.js"),
        ),
        File::new(
            "/editor.js",
            JAVASCRIPT,
            include_bytes!("../../../web/dist/editor.js"),
        ),
        File::new(
            "/pages.js",
            JAVASCRIPT,
            include_bytes!("../../../web/dist/pages.js"),
        ),
        File::new(
            "/plot.js",
            JAVASCRIPT,
            include_bytes!("../../../web/dist/plot.js"),
        ),
        File::new(
            "/app.css",
            "text/css; charset=utf-8",
            include_bytes!("../../../web/dist/app.css"),
        ),
        File::new(
            "/favicon.svg",
            "image/svg+xml",
            include_bytes!("../../../web/dist/favicon.svg"),
        ),
    ]
});

struct File {
    path: &'static str,
    media_type: &'static str,
    plain: &'static [u8],
    gzip: Vec<u8>,
    etag: String,
}

impl File {
    fn new(path: &'static str, media_type: &'static str, plain: &'static [u8]) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory does not fail; were it to, the empty answer would be sent plain.
        let gzip = encoder
            .write_all(plain)
            .and_then(|()| encoder.finish())
            .unwrap_or_default();
        let etag = format!("\"{:08x}-{:x}\"", crc32c::crc32c(plain), plain.len());
        Self {
            path,
            media_type,
            plain,
            gzip,
            etag,
        }
    }
}

/// A file of the page; `None` where there is no such file.
pub(crate) fn file(path: &str, request: &HeaderMap) -> Option<Response> {
    let file = FILES.iter().find(|file| file.path == path)?;
    let asked = |name| {
        request
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("")
    };
    let caching = [
        (header::ETAG, file.etag.as_str()),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    if asked(header::IF_NONE_MATCH) == file.etag {
        return Some((StatusCode::NOT_MODIFIED, caching).into_response());
    }
    let media_type = [
        (header::CONTENT_TYPE, file.media_type),
        (header::VARY, "accept-encoding"),
    ];
    if asked(header::ACCEPT_ENCODING).contains("gzip") && !file.gzip.is_empty() {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        let body = Bytes::from_static(&file.gzip);
        return Some((caching, media_type, encoding, body).into_response());
    }
    Some((caching, media_type, Bytes::from_static(file.plain)).into_response())
}

/// The page's HTML with a fresh nonce, and the policy that allows nothing else in.
pub(crate) fn index() -> Response {
    let nonce = nonce();
    let policy = format!(
        "default-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, INDEX.replace(NONCE_PLACE, &nonce)).into_response()
}

/// 128 bits that nobody can guess: each `RandomState` is keyed by the operating system and hashes
/// with a keyed pseudo-random function.
fn nonce() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_whole_and_its_nonce_changes() {
        assert!(INDEX.contains(NONCE_PLACE), "the page asks for no nonce");
        let script = include_str!("../../../web/dist/app.js");
        for file in FILES.iter() {
            let name = file.path.trim_start_matches('/');
            let is_used = INDEX.contains(name) || script.contains(name);
            assert!(is_used, "{name} is unused");
            assert!(file.gzip.len() < file.plain.len() + 64);
        }
        assert_ne!(nonce(), nonce());
    }

    #[test]
    fn an_unchanged_file_is_not_sent_again() {
        let mut request = HeaderMap::new();
        let first = file("/app.js", &request).expect("there");
        let etag = first.headers().get(header::ETAG).expect("tagged").clone();
        request.insert(header::IF_NONE_MATCH, etag);
        let second = file("/app.js", &request).expect("there");
        assert_eq!(second.status(), StatusCode::NOT_MODIFIED);
        assert!(file("/other.js", &request).is_none());
    }
}
