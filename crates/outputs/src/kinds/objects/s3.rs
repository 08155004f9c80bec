//! Amazon S3, and what speaks its language: Ceph, MinIO, SeaweedFS, Google Cloud Storage with keys for interoperability.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, StatusCode};
use rusty_s3::actions::S3Action as _;
use rusty_s3::{Bucket, Credentials, UrlStyle};

use crate::http::{Client, Request, Url, text_of};
use crate::secret::Secret;
use crate::sink::Failure;

/// How long a signature holds: what a request may wait on its way, and what clocks may differ.
const SIGNED_FOR: Duration = Duration::from_secs(900);

/// A bucket, and who may write to it.
#[derive(Clone, Debug)]
pub struct S3 {
    /// Where the bucket is.
    pub address: S3Address,
    /// The name of the key.
    pub access_key: String,
    /// The key.
    pub secret_key: Secret,
    /// The class that objects are stored in; none for that of the bucket.
    pub storage_class: Option<String>,
}

/// Where a bucket is.
#[derive(Clone, Debug)]
pub struct S3Address(Bucket);

/// Why a bucket cannot be anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unaddressable(String);

impl fmt::Display for Unaddressable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl S3Address {
    /// A bucket of a region, at an endpoint. Its name is a part of the path, or of the host.
    ///
    /// # Errors
    /// When its name cannot be a part of the host.
    pub fn new(
        endpoint: &Url,
        in_host: bool,
        bucket: &str,
        region: &str,
    ) -> Result<Self, Unaddressable> {
        let style = match in_host {
            true => UrlStyle::VirtualHost,
            false => UrlStyle::Path,
        };
        let bad = |error: &dyn fmt::Display| Unaddressable(error.to_string());
        let endpoint = url::Url::parse(&endpoint.to_string()).map_err(|error| bad(&error))?;
        let bucket = Bucket::new(endpoint, style, bucket.to_owned(), region.to_owned());
        bucket.map(Self).map_err(|error| bad(&error))
    }

    /// The name of the bucket.
    pub fn bucket(&self) -> &str {
        self.0.name()
    }

    /// What a client is given: scheme, host and port.
    ///
    /// # Errors
    /// When the client has no use for it.
    pub fn origin(&self) -> Result<Url, Unaddressable> {
        let origin = self.0.base_url().origin().ascii_serialization();
        Url::parse(&origin).map_err(|bad| Unaddressable(bad.message))
    }
}

impl S3 {
    /// Uploads an object.
    pub(super) async fn put(
        &self,
        client: &Client,
        path: &str,
        body: Bytes,
    ) -> Result<(), Failure> {
        // Read each time: a new one in the file holds at once.
        let credentials = Credentials::new(self.access_key.clone(), self.secret_key.read()?);
        let path = path.trim_start_matches('/');
        let mut action = self.address.0.put_object(Some(&credentials), path);
        if let Some(class) = &self.storage_class {
            action.headers_mut().insert("x-amz-storage-class", class);
        }
        let signed = action.sign(SIGNED_FOR);
        let mut headers = vec![(
            CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        )];
        if let Some(class) = &self.storage_class {
            let class = HeaderValue::from_str(class);
            let class = class.map_err(|_| Failure::new("`storage_class` can be no header"))?;
            headers.push((
                hyper::header::HeaderName::from_static("x-amz-storage-class"),
                class,
            ));
        }
        let query = signed.query().unwrap_or_default();
        let answer = client
            .send(Request {
                method: Method::PUT,
                path: format!("{}?{query}", signed.path()),
                headers,
                body,
            })
            .await?;
        if answer.status == StatusCode::OK {
            return Ok(());
        }
        let remedy = match answer.status {
            StatusCode::FORBIDDEN => {
                ": see that `access_key` and its secret are right and may write there, and the clock"
            }
            StatusCode::NOT_FOUND => ": see that there is such a bucket at `endpoint`",
            StatusCode::MOVED_PERMANENTLY | StatusCode::BAD_REQUEST => {
                ": see that `region` is right"
            }
            _ => "",
        };
        let (bucket, text) = (self.address.bucket(), text_of(&answer.body));
        Err(answer.failure(format!(
            "{path} is not taken by the bucket {bucket}: {} {text}{remedy}",
            answer.status
        )))
    }
}
