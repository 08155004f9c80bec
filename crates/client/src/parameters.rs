//! What a question is about.

use ureq::RequestBuilder;

/// The parameters of a question, named as in the URL. Empty ones are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    pairs: Vec<(&'static str, String)>,
}

/// Which time imported records are filed under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportTime {
    /// The time stamp of each message.
    Message,
    /// The time of the import.
    Now,
}

impl Parameters {
    /// A query and nothing else.
    pub fn query(text: &str) -> Self {
        Self::default().with("q", text)
    }

    /// With one more parameter.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.pairs.push((name, value.into()));
        self
    }

    /// With one more parameter, where there is a value.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<String>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// With the time to import under.
    #[must_use]
    pub fn with_import_time(self, time: ImportTime) -> Self {
        self.with(
            "time",
            if time == ImportTime::Message {
                "message"
            } else {
                "now"
            },
        )
    }

    pub(crate) fn apply<Any>(&self, request: RequestBuilder<Any>) -> RequestBuilder<Any> {
        self.pairs.iter().fold(request, |request, (name, value)| {
            request.query(*name, value)
        })
    }
}
