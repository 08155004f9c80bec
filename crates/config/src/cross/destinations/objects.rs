//! Destinations that are buckets: whether their name can be where it is to be.

use outputs::http::Url;
use outputs::kinds::S3Address;

use super::http::set;
use crate::document::Section;
use crate::finding::Findings;
use crate::value::Value;

/// Adds what is wrong with a bucket.
pub(super) fn check(section: &Section, findings: &mut Findings<'_>) {
    if section.kind() != "s3" {
        return;
    }
    let text = |key: &str| match section.entry(key).map(|entry| &entry.value) {
        Some(Value::Text(text)) => text.as_str(),
        _ => "",
    };
    let endpoint = match set(section, "endpoint").map(|entry| (&entry.value, &entry.span)) {
        Some((Value::Texts(endpoints), span)) => {
            if endpoints.len() > 1 {
                let hint = Some("write one".to_owned());
                findings.error(span.clone(), "a bucket is at one endpoint", hint);
            }
            endpoints.first().and_then(|url| Url::parse(url).ok())
        }
        _ => Url::parse("https://s3.amazonaws.com").ok(),
    };
    let is_auto = text("addressing") == "auto" && set(section, "endpoint").is_none();
    let in_host = text("addressing") == "host" || is_auto;
    let (Some(endpoint), Some(bucket)) = (endpoint, set(section, "bucket")) else {
        return;
    };
    if let Err(bad) = S3Address::new(&endpoint, in_host, text("bucket"), text("region")) {
        let message = format!("{:?} cannot be a part of the host: {bad}", text("bucket"));
        let hint = "see its name, or write `addressing = \"path\"`".to_owned();
        findings.error(bucket.span.clone(), message, Some(hint));
    }
}
