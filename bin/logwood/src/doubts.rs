//! What is said on standard error about a question that has an answer: likely mistakes in its query,
//! and why nothing was found.

use api::ProblemSpan;
use query::DiagnosticSeverity;

use crate::ask::{Pairs, Source};
use crate::failure::{Failure, excerpt};
use crate::output::{self, visible};
use crate::times::Zone;

/// Says what is doubtful in a query, below its text. Errors are left to whoever answers it.
pub(crate) fn warn_of_query(text: &str, takes_pipe: bool) {
    let parsed = if takes_pipe {
        query::parse_question(text)
    } else {
        query::parse(text).into()
    };
    if !parsed.is_valid() {
        return;
    }
    for diagnostic in &parsed.diagnostics {
        if diagnostic.severity != DiagnosticSeverity::Warning {
            continue;
        }
        let span = ProblemSpan {
            start: diagnostic.span.start,
            end: diagnostic.span.end,
        };
        let message = visible(&diagnostic.message);
        let mut words = format!("warning: {message}\n{}", excerpt(text, &[span]));
        if let Some(hint) = &diagnostic.hint {
            words += &format!("\nhint: {}", visible(hint));
        }
        output::words(&words);
    }
}

/// Says that no record matches, in which range, and of when the newest record is.
pub(crate) fn say_nothing_found(
    source: &Source,
    pairs: &Pairs,
    zone: &Zone,
) -> Result<(), Failure> {
    let value = |name: &str| pairs.iter().find(|(known, _)| *known == name);
    let bound = |name: &str| value(name).map(|(_, text)| shown(text, zone));
    let range = match (bound("from"), bound("to")) {
        (None, None) => String::new(),
        (Some(from), None) => format!(" from {from} on"),
        (None, Some(to)) => format!(" before {to}"),
        (Some(from), Some(to)) => format!(" between {from} and {to}"),
    };
    // The same logspaces, by the same kind of time.
    let kept = pairs
        .iter()
        .filter(|(name, _)| ["logspace", "time"].contains(name));
    let mut newest: Pairs = kept.cloned().collect();
    newest.push(("limit", "1".to_owned()));
    let is_event = value("time").is_some_and(|(_, time)| time == "event");
    let (rows, _) = source.search(&newest)?;
    let Some(row) = rows.first() else {
        output::words("no records match: none are stored yet");
        return Ok(());
    };
    let time = zone.show(if is_event { &row.time } else { &row.received });
    output::words(&format!(
        "no records match{range}; the newest record is of {time}"
    ));
    Ok(())
}

/// A bound of the range as it was typed, or in the zone in which times are shown.
fn shown(text: &str, zone: &Zone) -> String {
    visible(&zone.show(text))
}

/// Says that values of a field were asked for that no record has.
pub(crate) fn say_no_values(by: &str, records: u64) {
    let mut words = format!(
        "none of the {records} records that match has a field `{}`",
        visible(by)
    );
    if let Some(meant) = query::suggestion(by) {
        words += &format!("; did you mean `{meant}`?");
    }
    output::words(&words);
}
