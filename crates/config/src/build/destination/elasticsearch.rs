//! Elasticsearch and OpenSearch.

use outputs::kinds::{Document, Elasticsearch, IndexTemplate, Login};

use crate::build::Values;

pub(super) fn elasticsearch(values: &Values<'_>) -> Option<Elasticsearch> {
    let document = match values.template("template") {
        Some(template) => Document::Template(template),
        None => Document::format(values.text("format"))?,
    };
    let index = IndexTemplate::parse(values.text("index")).ok()?;
    let mut elasticsearch = Elasticsearch::new(values.client()?, index, document);
    elasticsearch.login = login(values);
    elasticsearch.request_bytes = values.size("request_bytes");
    elasticsearch.pipeline =
        Some(values.text("pipeline").to_owned()).filter(|name| !name.is_empty());
    Some(elasticsearch)
}

fn login(values: &Values<'_>) -> Login {
    if let Some(key) = values.secret(["api_key", "api_key_file", "api_key_env"]) {
        return Login::ApiKey(key);
    }
    let password = values.secret(["password", "password_file", "password_env"]);
    match (values.text("user"), password) {
        ("", _) | (_, None) => Login::None,
        (user, Some(password)) => Login::Password {
            user: user.to_owned(),
            password,
        },
    }
}
