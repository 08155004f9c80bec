//! Objects of S3 and files of HDFS.

use outputs::http::{ClientOptions, Url};
use outputs::kinds::{Compression, Hdfs, ObjectStore, Objects, PathTemplate, S3, S3Address};

use super::{rendering, tls};
use crate::build::Values;

pub(super) fn s3(values: &Values<'_>) -> Option<Objects> {
    let address = address(values)?;
    let client = ClientOptions {
        urls: vec![address.origin().ok()?],
        ..client(values)
    };
    let class = values.text("storage_class");
    let s3 = S3 {
        address,
        access_key: values.text("access_key").to_owned(),
        secret_key: values.secret(["secret_key", "secret_key_file", "secret_key_env"])?,
        storage_class: (!class.is_empty()).then(|| class.to_owned()),
    };
    objects(ObjectStore::S3(s3), client, values)
}

/// Where the bucket is.
fn address(values: &Values<'_>) -> Option<S3Address> {
    let region = values.text("region");
    let endpoint = match values.texts("endpoint").first() {
        Some(endpoint) => Url::parse(endpoint).ok()?,
        None => Url::parse(&format!("https://s3.{region}.amazonaws.com")).ok()?,
    };
    let in_host = match values.text("addressing") {
        "host" => true,
        "path" => false,
        _ => values.texts("endpoint").is_empty(),
    };
    S3Address::new(&endpoint, in_host, values.text("bucket"), region).ok()
}

pub(super) fn hdfs(values: &Values<'_>) -> Option<Objects> {
    let urls = values.texts("url");
    let urls: Option<Vec<_>> = urls.iter().map(|url| Url::parse(url).ok()).collect();
    let client = ClientOptions {
        urls: urls?,
        ..client(values)
    };
    let user = values.text("user");
    let hdfs = Hdfs {
        user: (!user.is_empty()).then(|| user.to_owned()),
    };
    objects(ObjectStore::Hdfs(hdfs), client, values)
}

/// What both have.
fn objects(store: ObjectStore, client: ClientOptions, values: &Values<'_>) -> Option<Objects> {
    let path = PathTemplate::parse(values.text("path")).ok()?;
    let mut objects = Objects::new(store, client, path, rendering(values)?);
    if values.text("template").is_empty() && matches!(values.text("format"), "json" | "ecs") {
        "ndjson".clone_into(&mut objects.suffix);
    }
    let level = values.number("compression_level");
    objects.compression = match values.text("compression") {
        "gzip" => Compression::Gzip(u32::try_from(level.min(9)).unwrap_or(6)),
        "zstd" => Compression::Zstd(i32::try_from(level).unwrap_or(3)),
        _ => Compression::None,
    };
    Some(objects)
}

fn client(values: &Values<'_>) -> ClientOptions {
    ClientOptions {
        urls: Vec::new(),
        tls: tls(values),
        timeout: values.duration("timeout").unwrap_or_default(),
        // Objects are compressed themselves.
        gzip: None,
    }
}
