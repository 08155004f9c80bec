//! Webhooks and APIs over HTTP.

use outputs::Rendering;
use outputs::http::Url;
use outputs::kinds::{Body, Form, Http, HttpLogin, HttpMethod, StatusRange, Statuses, Text};

use crate::build::Values;

/// The columns of Azure's table `Syslog`.
const AZURE: &str = "$(format-json TimeGenerated=$ISODATE Computer=$HOST HostName=$HOST HostIP=$SOURCEIP \
                     Facility=$FACILITY SeverityLevel=$SEVERITY ProcessName=$PROGRAM ProcessID=$PID \
                     SyslogMessage=$MSG)";

pub(super) fn http(values: &Values<'_>) -> Option<Http> {
    let form = form(values);
    let mut body = Body::new(form, text(form, values)?);
    body.labels = labels(form, values);
    values.text("body_prefix").clone_into(&mut body.prefix);
    values.text("body_suffix").clone_into(&mut body.suffix);
    let mut http = Http::new(values.client()?, body);
    http.method = match values.text("method") {
        "PUT" => HttpMethod::Put,
        "PATCH" => HttpMethod::Patch,
        _ => HttpMethod::Post,
    };
    let headers = values.templates("headers").into_iter();
    http.headers = headers
        .filter_map(|(name, value)| Some((name, value.constant()?)))
        .collect();
    http.content_type = set(values, "content_type");
    http.login = login(form, values);
    http.success = statuses(values, "success");
    http.refused = statuses(values, "refused");
    http.request_bytes = values.size("request_bytes");
    Some(http)
}

fn form(values: &Values<'_>) -> Form {
    match (values.text("preset"), values.text("form")) {
        ("loki", _) => Form::Loki,
        ("otlp", _) => Form::Otlp,
        ("azure", _) => Form::Azure,
        ("pubsub", _) => Form::PubSub,
        (_, "lines") => Form::Lines,
        (_, "single") => Form::Single,
        _ => Form::Array,
    }
}

fn text(form: Form, values: &Values<'_>) -> Option<Text> {
    if let Some(template) = values.template("template") {
        return Some(Text::Template(template));
    }
    let format = match (values.text("format"), form) {
        ("", Form::Azure) => return Some(Text::Json(Rendering::template(AZURE).ok()?)),
        ("", Form::Otlp) => return Some(Text::Plain(Rendering::template("${MSG}").ok()?)),
        ("", Form::Loki | Form::PubSub) => "raw",
        ("", _) => "json",
        (format, _) => format,
    };
    let rendering = Rendering::format(format)?;
    Some(match format {
        "json" | "ecs" => Text::Json(rendering),
        _ => Text::Plain(rendering),
    })
}

fn labels(form: Form, values: &Values<'_>) -> Vec<(String, Rendering)> {
    let labels = values.templates("labels");
    if !labels.is_empty() {
        return labels;
    }
    let [host, program] = match form {
        Form::Loki => ["host", "service_name"],
        Form::Otlp => ["host.name", "service.name"],
        _ => return labels,
    };
    let defaults = [(host, "${HOST}"), (program, "${PROGRAM}")];
    let read = defaults.into_iter().filter_map(|(name, template)| {
        Some((name.to_owned(), Rendering::template(template).ok()?))
    });
    read.collect()
}

fn login(form: Form, values: &Values<'_>) -> HttpLogin {
    let scope = set(values, "oauth_scope");
    if let Some(key) = values.path("google_key_file") {
        let scope = scope.unwrap_or_else(|| {
            let what = if form == Form::PubSub {
                "pubsub"
            } else {
                "cloud-platform"
            };
            format!("https://www.googleapis.com/auth/{what}")
        });
        return HttpLogin::Google { key, scope };
    }
    let secret = |key: &str| {
        let [file, variable] = [format!("{key}_file"), format!("{key}_env")];
        values.secret([key, &file, &variable])
    };
    if let Some(token) = secret("token") {
        let header = set(values, "token_header");
        return HttpLogin::Token { token, header };
    }
    let url = values
        .texts("oauth_url")
        .first()
        .and_then(|url| Url::parse(url).ok());
    if let (Some(url), Some(secret)) = (url, secret("oauth_secret")) {
        let azure = || "https://monitor.azure.com/.default".to_owned();
        return HttpLogin::OAuth {
            url,
            client: values.text("oauth_client").to_owned(),
            secret,
            scope: scope.or_else(|| (form == Form::Azure).then(azure)),
        };
    }
    match (set(values, "user"), secret("password")) {
        (Some(user), Some(password)) => HttpLogin::Password { user, password },
        _ => HttpLogin::None,
    }
}

fn statuses(values: &Values<'_>, key: &str) -> Statuses {
    let texts = values.texts(key);
    Statuses(
        texts
            .iter()
            .filter_map(|text| StatusRange::parse(text))
            .collect(),
    )
}

fn set(values: &Values<'_>, key: &str) -> Option<String> {
    let text = values.text(key);
    (!text.is_empty()).then(|| text.to_owned())
}
