//! Parameters that an endpoint does not know are refused: a misspelt one would be passed over, and the
//! answer would be one to another question.

use axum::extract::{Query, Request};
use axum::http::{Method, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::openapi;
use crate::problem::Refusal;

/// What every question takes, so that a page or a script can ask all of them alike; an endpoint to
/// which one of them means nothing passes it over.
const OF_QUESTIONS: [&str; 6] = ["q", "from", "to", "time", "logspace", "tokens"];

/// What other programs call our parameters.
const OTHER_NAMES: [(&str, &str); 16] = [
    ("query", "q"),
    ("search", "q"),
    ("filter", "q"),
    ("start", "from"),
    ("since", "from"),
    ("earliest", "from"),
    ("end", "to"),
    ("until", "to"),
    ("latest", "to"),
    ("index", "logspace"),
    ("size", "limit"),
    ("count", "limit"),
    ("n", "limit"),
    ("field", "by"),
    ("direction", "order"),
    ("sort", "order"),
];

/// Answers a request in which a parameter is unknown, in place of its endpoint.
pub(crate) async fn refuse(request: Request, next: Next) -> Response {
    match unknown(request.method(), request.uri()) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    }
}

/// Why a request is refused, where one of its parameters is unknown.
fn unknown(method: &Method, uri: &Uri) -> Option<Refusal> {
    // An answer to HEAD is one to GET without its body.
    let method = match *method {
        Method::HEAD => "get".to_owned(),
        _ => method.as_str().to_ascii_lowercase(),
    };
    let mut known = openapi::parameters(&method, uri.path())?;
    if known.contains(&"q") {
        known.extend(OF_QUESTIONS);
    }
    // What cannot be read as parameters the endpoint itself refuses.
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    let (name, _) = pairs
        .iter()
        .find(|(name, _)| !known.contains(&name.as_str()))?;
    let other = OTHER_NAMES.iter().find(|(other, _)| other == name);
    let other = other
        .map(|(_, ours)| *ours)
        .filter(|ours| known.contains(ours));
    let near = other.or_else(|| query::nearest(name, known.iter().copied()));
    let hint = near.map_or_else(
        || {
            let mut names = known.clone();
            names.sort_unstable();
            names.dedup();
            format!("it takes {}", names.join(", "))
        },
        |near| format!("did you mean {near}?"),
    );
    let detail = format!("{} has no parameter {name:?}", uri.path());
    Some(Refusal::parameter(name, detail, &hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: &Method, uri: &str) -> Option<(String, String)> {
        let uri: Uri = uri.parse().expect("an address");
        let problem = unknown(method, &uri)?.into_problem();
        Some((problem.detail, problem.hint.unwrap_or_default()))
    }

    #[test]
    fn a_misspelt_parameter_is_refused_with_the_nearest_name() {
        for (uri, hint) in [
            ("/api/v1/search?q=a&limt=5", "did you mean limit?"),
            ("/api/v1/search?query=a", "did you mean q?"),
            ("/api/v1/count?since=now-1h", "did you mean from?"),
            ("/api/v1/stats?field=host", "did you mean by?"),
            ("/api/v1/histogram?bar=5", "did you mean bars?"),
            ("/api/v1/export?limit=5", "it takes format, from, "),
        ] {
            let (detail, said) = refused(&Method::GET, uri).expect(uri);
            assert!(said.contains(hint), "{uri}: {said}");
            assert!(detail.contains("has no parameter"), "{detail}");
        }
        let import = refused(&Method::POST, "/api/v1/import?logspce=x").expect("it is unknown");
        assert_eq!(import.1, "did you mean logspace?");
        assert!(refused(&Method::HEAD, "/api/v1/count?nope=1").is_some());
    }

    #[test]
    fn what_every_question_takes_is_taken_by_all_and_elsewhere_nothing_is_asked() {
        for uri in [
            "/api/v1/search?q=a&from=now-1h&to=now&limit=5&cursor=&order=asc&raw=1",
            "/api/v1/tail?from=now-1h&time=event&after=main:1",
            "/api/v1/count?q=a&&",
            "/api/v1/status?x=1",
            "/api/v1/records/main:1",
            "/healthz?x=1",
            "/search?cols=host",
        ] {
            assert_eq!(refused(&Method::GET, uri), None, "{uri}");
        }
    }
}
