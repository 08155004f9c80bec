//! Headers that say who we are, and what a header can be.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{HeaderName, HeaderValue};

use crate::secret::Secret;
use crate::sink::Failure;

/// Basic authentication (RFC 7617). The password is read each time: a new one holds at once.
pub(crate) fn basic(user: &str, password: &Secret) -> Result<HeaderValue, Failure> {
    let both = format!("{user}:{}", password.read()?);
    sensitive(&format!("Basic {}", STANDARD.encode(both)))
}

/// A value that is never shown.
pub(crate) fn sensitive(text: &str) -> Result<HeaderValue, Failure> {
    let header = HeaderValue::from_str(text);
    let mut header =
        header.map_err(|_| Failure::new("the secret has characters that no header can have"))?;
    header.set_sensitive(true);
    Ok(header)
}

/// Whether a text can be the name of a header.
pub fn is_header_name(text: &str) -> bool {
    HeaderName::try_from(text).is_ok()
}

/// Whether a text can be the value of a header.
pub fn is_header_value(text: &str) -> bool {
    HeaderValue::try_from(text).is_ok()
}
