//! Webhooks and APIs over HTTP.

use super::super::{KeySpec, Kind, SectionSpec, key};
use super::http::{
    CA, CERTIFICATE, COMPRESSION, COMPRESSION_LEVEL, FINGERPRINTS, KEY, SERVER_NAME, TIMEOUT,
    request_bytes, url,
};
use super::{
    FROM, MATCH, ON_REJECT, ORDER_BY, RETRY_MAX, RETRY_MIN, START, TEMPLATE, UNDELIVERED,
    batch_bytes, batch_records, batch_wait, workers,
};

const KEYS: &[KeySpec] = &[
    url(
        "Where requests go, such as `https://hooks.example.com/logs`, or a list of several, which take them in turn. \
         Without a path it is that of the API that `preset` names, where that is always the same.",
    ),
    key(
        "preset",
        Kind::Choice(&["none", "loki", "otlp", "azure", "pubsub"]),
        Some("\"none\""),
        "What is at `url`: `loki`, Grafana Loki; `otlp`, a collector of OpenTelemetry, in JSON; `azure`, the Logs \
         Ingestion API of Azure Monitor; `pubsub`, Google Pub/Sub. Of `none`, `form` says what a body is.",
    )
    .also(&["type", "api", "protocol"]),
    FROM,
    MATCH,
    START,
    key(
        "method",
        Kind::Choice(&["POST", "PUT", "PATCH"]),
        Some("\"POST\""),
        "How it is asked.",
    )
    .also(&["verb"]),
    key(
        "form",
        Kind::Choice(&["array", "lines", "single"]),
        Some("\"array\""),
        "How records stand in a body: `array`, an array in JSON; `lines`, each on a line, where line ends inside of it \
         become spaces; `single`, one alone. Not with a `preset`.",
    )
    .also(&["batching", "body_form", "delimiter"]),
    key(
        "format",
        Kind::Choice(outputs::Rendering::FORMATS),
        None,
        "What is written of a record; in an array, what is no JSON stands as a text. `template` goes before. Not set: \
         `json`; with `preset = \"loki\"` or `\"pubsub\"`, `raw`; with `\"otlp\"` the message, with `\"azure\"` the \
         columns of its table `Syslog`.",
    )
    .also(&["encoding", "codec", "formatter"]),
    TEMPLATE,
    key(
        "labels",
        Kind::Templates,
        Some("{}"),
        "With a `preset`: labels of the stream (`loki`), attributes of the resource (`otlp`), attributes of the \
         message (`pubsub`). Empty: host and program, as `host` and `service_name` (`loki`), or `host.name` and \
         `service.name` (`otlp`). What is empty of a record is left out. Loki wants few values of each.",
    )
    .also(&["attributes", "resource", "tags", "stream"]),
    key(
        "body_prefix",
        Kind::Text,
        None,
        "What stands in front of the records, such as `{\"logs\":`.",
    ),
    key(
        "body_suffix",
        Kind::Text,
        None,
        "What stands behind the records, such as `}`.",
    ),
    key(
        "content_type",
        Kind::Text,
        None,
        "Type of bodies. Not set: that of `form` and `format`.",
    ),
    key(
        "headers",
        Kind::Templates,
        Some("{}"),
        "Headers of each request, the same for all, such as `{ X-Scope-OrgID = \"tenant\" }`. They are shown with the \
         configuration: a secret belongs into `token`.",
    )
    .also(&["header", "extra_headers", "httpheaders"]),
    key(
        "success",
        Kind::Statuses,
        Some("[\"2xx\"]"),
        "Statuses that mean that the records are taken.",
    )
    .also(&["success_codes", "ok"]),
    key(
        "refused",
        Kind::Statuses,
        Some("[\"400\", \"413\", \"422\"]"),
        "Statuses that mean that a record is refused for good: the request is sent in halves until it is found. With \
         any other it is tried again.",
    )
    .also(&["drop", "reject_codes", "httpignorablecodes"]),
    key(
        "user",
        Kind::Text,
        None,
        "Name for basic authentication, with a password.",
    )
    .also(&["username", "uid", "http_user"]),
    key("password", Kind::Secret, None, "Password of `user`.").also(&["pwd", "http_passwd"]),
    key(
        "password_file",
        Kind::Path,
        None,
        "File with the password. It is read for each request, so that a new one holds at once.",
    ),
    key(
        "password_env",
        Kind::Variable,
        None,
        "Variable of the environment with the password.",
    ),
    key("token", Kind::Secret, None, "Token in place of `user`.").also(&["bearer", "api_key"]),
    key(
        "token_file",
        Kind::Path,
        None,
        "File with the token. It is read for each request.",
    ),
    key(
        "token_env",
        Kind::Variable,
        None,
        "Variable of the environment with the token.",
    ),
    key(
        "token_header",
        Kind::Text,
        None,
        "Header that has the token alone, such as `X-API-Key`. Not set: `Authorization`, with `Bearer` in front.",
    ),
    key(
        "oauth_url",
        Kind::Urls,
        None,
        "Where a token is fetched with the credentials of a client (OAuth 2.0); it is kept until it is nearly over.",
    )
    .also(&["token_url", "oauth_token_url", "auth_url"]),
    key(
        "oauth_client",
        Kind::Text,
        None,
        "Name of the client at `oauth_url`.",
    )
    .also(&["client_id", "oauth_client_id"]),
    key("oauth_secret", Kind::Secret, None, "Secret of the client.")
        .also(&["client_secret", "oauth_client_secret"]),
    key(
        "oauth_secret_file",
        Kind::Path,
        None,
        "File with the secret of the client.",
    ),
    key(
        "oauth_secret_env",
        Kind::Variable,
        None,
        "Variable of the environment with the secret of the client.",
    ),
    key(
        "oauth_scope",
        Kind::Text,
        None,
        "What the token is for. Not set: `https://monitor.azure.com/.default` with `preset = \"azure\"`, \
         `https://www.googleapis.com/auth/pubsub` with `\"pubsub\"`, else nothing is said.",
    )
    .also(&["scope", "scopes"]),
    key(
        "google_key_file",
        Kind::Path,
        None,
        "Key file of a service account of Google, with which a token is fetched.",
    )
    .also(&["credentials", "credentials_path", "service_account"]),
    request_bytes("\"1MiB\""),
    COMPRESSION,
    COMPRESSION_LEVEL,
    TIMEOUT,
    CA,
    CERTIFICATE,
    KEY,
    FINGERPRINTS,
    SERVER_NAME,
    batch_records("1000"),
    batch_bytes("\"4MiB\""),
    batch_wait("\"300ms\""),
    workers("1"),
    ORDER_BY,
    RETRY_MIN,
    RETRY_MAX,
    UNDELIVERED,
    ON_REJECT,
];

/// Webhooks and APIs over HTTP.
pub(in super::super) const SECTION: SectionSpec = SectionSpec {
    path: &["destination", "http"],
    doc: "Webhooks and APIs over HTTP, with presets for Grafana Loki, OpenTelemetry, Azure Monitor and Google Pub/Sub. \
          A record counts as delivered when its request is answered with success; one that is not answered is sent \
          again.",
    named: true,
    keys: KEYS,
};
