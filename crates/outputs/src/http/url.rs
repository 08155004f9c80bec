//! The URL of another side.

use std::fmt;

use hyper::Uri;

/// An absolute URL over http or https, without user, query and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Scheme, host and port.
    origin: String,
    /// The path without a slash at its end; empty for none.
    path: String,
    /// Whether it was written with a slash at its end, which matters where nothing comes behind it.
    has_slash: bool,
    query: String,
}

/// Why a text is no URL that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadUrl {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

impl Url {
    /// Reads one.
    ///
    /// # Errors
    /// When it is none, or has a part that it must not have.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        let bad = |message: String, hint: &str| BadUrl {
            message,
            hint: hint.to_owned(),
        };
        let example = "write one such as \"https://logs.example.com:8088\"";
        let no_url = || bad(format!("{text:?} is no URL"), example);
        let uri: Uri = text.parse().map_err(|_| no_url())?;
        let scheme = uri.scheme_str().ok_or_else(no_url)?;
        if scheme != "http" && scheme != "https" {
            return Err(bad(
                format!("{scheme} is not possible in {text:?}"),
                "write https:// or http://",
            ));
        }
        let authority = uri.authority().ok_or_else(no_url)?;
        if authority.as_str().contains('@') {
            let hint = "write them under their own keys";
            let message = "a URL must not have a user or a password".to_owned();
            return Err(bad(message, hint));
        }
        if authority.host().is_empty() || text.contains('#') {
            return Err(no_url());
        }
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
            path: uri.path().trim_end_matches('/').to_owned(),
            has_slash: uri.path().ends_with('/'),
            query: uri.query().unwrap_or_default().to_owned(),
        })
    }

    /// Its path, without a slash at its end.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its query, without the question mark.
    pub fn query(&self) -> &str {
        &self.query
    }

    /// The same with another path and query in place of its own.
    #[must_use]
    pub fn with_path(&self, path: &str) -> Self {
        Self {
            origin: self.origin.clone(),
            path: path.trim_end_matches('/').to_owned(),
            has_slash: path.ends_with('/'),
            query: String::new(),
        }
    }

    /// The URL with a path and query behind its own path. Its own query stands in front of theirs.
    pub(crate) fn join(&self, path_and_query: &str) -> String {
        let Self {
            origin,
            path,
            has_slash,
            query,
        } = self;
        let (below, asked) = path_and_query
            .split_once('?')
            .unwrap_or((path_and_query, ""));
        let between = if query.is_empty() || asked.is_empty() {
            ""
        } else {
            "&"
        };
        let mark = if query.is_empty() && asked.is_empty() {
            ""
        } else {
            "?"
        };
        let slash = if below.is_empty() && (path.is_empty() || *has_slash) {
            "/"
        } else {
            ""
        };
        format!("{origin}{path}{below}{slash}{mark}{query}{between}{asked}")
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.join(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_used_is_told_from_what_cannot() {
        for (text, joined) in [
            ("https://a.example:8088", "https://a.example:8088/x?y=1"),
            ("http://a/", "http://a/x?y=1"),
            ("http://[::1]:9200/base/", "http://[::1]:9200/base/x?y=1"),
            ("http://a/b?c=d", "http://a/b/x?c=d&y=1"),
        ] {
            let url = Url::parse(text).expect("a URL");
            assert_eq!(url.join("/x?y=1"), joined);
        }
        assert_eq!(
            Url::parse("http://a").expect("a URL").to_string(),
            "http://a/"
        );
        for exact in ["http://a/hook/", "http://a/hook", "http://a/hook/?b=c"] {
            let url = Url::parse(exact).expect("a URL");
            assert_eq!(url.to_string(), exact);
        }
        for text in [
            "",
            "a.example:8088",
            "a.example",
            "/path",
            "ftp://a",
            "https://",
            "https://user:secret@a",
            "https://a/#b",
            "https://a b",
        ] {
            assert!(Url::parse(text).is_err(), "{text}");
        }
    }
}
