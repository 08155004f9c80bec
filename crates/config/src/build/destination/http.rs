//! What all destinations over HTTP share.

use outputs::http::{ClientOptions, Url};
use outputs::{Rendering, Secret};

use super::tls;
use crate::build::Values;
use crate::value::Value;

impl Values<'_> {
    pub(super) fn client(&self) -> Option<ClientOptions> {
        let urls = self.texts("url");
        let urls: Option<Vec<_>> = urls.iter().map(|url| Url::parse(url).ok()).collect();
        let level = u32::try_from(self.number("compression_level")).unwrap_or(1);
        Some(ClientOptions {
            urls: urls?,
            tls: tls(self),
            timeout: self.duration("timeout").unwrap_or_default(),
            gzip: (self.text("compression") == "gzip").then_some(level),
        })
    }

    /// A secret by one of its three keys: the name itself, with `_file`, and with `_env`.
    pub(super) fn secret(&self, keys: [&str; 3]) -> Option<Secret> {
        let [text, file, variable] = keys;
        if let Some(Value::Secret(text)) = self.value(text) {
            return Some(Secret::Text(text.clone()));
        }
        if let Some(path) = self.path(file) {
            return Some(Secret::File(path));
        }
        let name = self.text(variable);
        (!name.is_empty()).then(|| Secret::Environment(name.to_owned()))
    }

    /// A template that may be empty.
    pub(super) fn template(&self, key: &str) -> Option<Rendering> {
        let text = self.text(key);
        let template = (!text.is_empty()).then(|| Rendering::template(text).ok());
        template.flatten()
    }

    /// Templates by name.
    pub(super) fn templates(&self, key: &str) -> Vec<(String, Rendering)> {
        let Some(Value::Templates(templates)) = self.value(key) else {
            return Vec::new();
        };
        let read = templates.iter().filter_map(|(name, template)| {
            let template = Rendering::template(&template.item).ok()?;
            Some((name.clone(), template))
        });
        read.collect()
    }
}
