//! What would be made of a message, or of a configuration file, without using it.

use api::{CheckAnswer, ConfigAnswer, ConfigProblem, ExplainAnswer, Row};
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use config::{Overrides, Problem};
use model::{LogspaceName, RecordBatch, RecordId, RecordNumber, RecordParts};
use syslog::{Context as Arrival, Parser};

use crate::app::App;
use crate::http::Context;
use crate::problem::Refusal;
use crate::routes::ask;

/// What a configuration is called that nobody has given a file name.
const UNNAMED: &str = "logwood.toml";

/// Reads a message as the source `http` does.
pub(crate) async fn explain(
    State(context): State<Context>,
    message: Bytes,
) -> Result<Json<ExplainAnswer>, Refusal> {
    let explained = ask(&context, move |app, _| explained(app, &message));
    Ok(Json(explained.await??))
}

fn explained(app: &App, message: &[u8]) -> Result<ExplainAnswer, Refusal> {
    let received = app.clock.now();
    let arrival = Arrival {
        received,
        peer: None,
    };
    let mut parts = RecordParts::default();
    Parser::new(app.ingest.http_parse_options()).parse(message, &arrival, &mut parts);
    let mut batch = RecordBatch::new();
    let pushed = batch.push(message, &parts, received, None, 0);
    let record = batch.get(0).filter(|_| pushed.is_ok()).ok_or_else(|| {
        let detail = format!(
            "the message has {} bytes, too many to be kept",
            message.len()
        );
        Refusal::parameter("body", detail, "send one message")
    })?;
    let id = RecordId {
        logspace: LogspaceName::main(),
        number: RecordNumber(0),
    };
    let row = Row {
        id: String::new(),
        logspace: String::new(),
        ..Row::new(&id, record, true)
    };
    Ok(ExplainAnswer { row })
}

/// What is in force.
pub(crate) async fn effective(State(context): State<Context>) -> Json<ConfigAnswer> {
    Json(ConfigAnswer {
        effective: context.app.config(),
    })
}

/// Says what is wrong with a configuration file. No file is opened, whatever it names.
pub(crate) async fn check(
    State(context): State<Context>,
    text: String,
) -> Result<Json<CheckAnswer>, Refusal> {
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
