//! What would be made of a message, or of a configuration file, without using it.

use std::net::IpAddr;

use api::{CheckAnswer, ConfigAnswer, ConfigProblem, ExplainAnswer};
use axum::Json;
use config::{Overrides, Problem};
use syslog::Context as Arrival;

use crate::app::App;
use crate::http::Context;
use crate::limits::EXPLAINED_MESSAGES_MAX;
use crate::parameters::Parameters;
use crate::problem::Refusal;
use crate::routes::ask;
use crate::routes::query::Pairs;
use crate::upload::Upload;

/// What a configuration is called that nobody has given a file name.
const UNNAMED: &str = "logwood.toml";

/// Reads bytes as a source does.
pub(crate) async fn explain(
    context: Context,
    pairs: Pairs,
    upload: Upload,
) -> Result<Json<ExplainAnswer>, Refusal> {
    let parameters = Parameters::new(pairs.0);
    let input = upload.whole().await?;
    let explained = ask(&context, move |app, _| explained(app, &parameters, &input));
    Ok(Json(explained.await??))
}

fn explained(app: &App, parameters: &Parameters, input: &[u8]) -> Result<ExplainAnswer, Refusal> {
    let now = app.clock.now();
    let arrival = Arrival {
        received: parameters.moment("received", now)?.unwrap_or(now),
        peer: peer(parameters)?,
    };
    let source = parameters.get("source");
    let explainer = app.ingest.explainer(source);
    let mut explainer = explainer.ok_or_else(|| unknown_source(app, source.unwrap_or_default()))?;
    let most = EXPLAINED_MESSAGES_MAX;
    let sending = |item: outputs::Item<'_>| match app.destinations() {
        Some(destinations) => destinations.explain(item),
        None => Vec::new(),
    };
    let explaining = crate::explain::Explaining {
        explainer: &mut explainer,
        sending: &sending,
        most,
    };
    Ok(crate::explain::explain(explaining, input, true, &arrival).0)
}

fn peer(parameters: &Parameters) -> Result<Option<IpAddr>, Refusal> {
    let address = |text: &str| {
        text.parse().map_err(|_| {
            let detail = format!("{text:?} is no address");
            Refusal::parameter("peer", detail, "use an address such as 192.0.2.7")
        })
    };
    parameters.get("peer").map(address).transpose()
}

fn unknown_source(app: &App, name: &str) -> Refusal {
    let listeners = app.ingest.listeners();
    let known = listeners.iter().map(|listener| listener.source.as_str());
    Refusal::unknown_source(name, known.chain(["http"]))
}

/// What is in force.
pub(crate) async fn effective(context: Context) -> Json<ConfigAnswer> {
    Json(ConfigAnswer {
        effective: context.app.config(),
    })
}

/// Says what is wrong with a configuration file. No file is opened, whatever it names.
pub(crate) async fn check(context: Context, upload: Upload) -> Result<Json<CheckAnswer>, Refusal> {
    let text = String::from_utf8(upload.whole().await?).map_err(|error| {
        Refusal::parameter("body", error.to_string(), "a configuration is UTF-8")
    })?;
    let checked = ask(&context, move |_, _| checked(&text));
    Ok(Json(checked.await?))
}

fn checked(text: &str) -> CheckAnswer {
    let checked = config::check(text, UNNAMED, &Overrides::default());
    CheckAnswer {
        valid: checked.config.is_some(),
        problems: checked.problems.iter().map(problem).collect(),
        effective: checked.config.map(|config| config.effective().to_string()),
    }
}

fn problem(problem: &Problem) -> ConfigProblem {
    let place = problem.place.as_ref();
    ConfigProblem {
        severity: problem.severity.to_string(),
        line: place.map_or(1, |place| place.line),
        column: place.map_or(1, |place| place.column),
        width: place.map_or(1, |place| place.width),
        text: place.map_or_else(String::new, |place| place.text.clone()),
        message: problem.message.clone(),
        hint: problem.hint.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_told_its_problems_at_their_places() {
        let answer = checked("[source.udp.office]\naddres = \"127.0.0.1:5514\"\n");
        assert!(!answer.valid && answer.effective.is_none());
        let problem = answer.problems.first().expect("a problem");
        assert_eq!((problem.line, problem.column, problem.width), (2, 1, 6));
        assert_eq!(problem.severity, "error");
        assert!(problem.text.starts_with("addres"), "{problem:?}");
    }

    #[test]
    fn what_is_in_force_is_a_configuration_itself() {
        let answer = checked("");
        assert!(answer.valid && answer.problems.is_empty());
        let effective = answer.effective.expect("it can be used");
        assert!(checked(&effective).valid, "{effective}");
    }
}
