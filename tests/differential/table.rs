//! Holds the tables of cases to what the three say.

use anyhow::{Result, ensure};
use model::CivilTime;

use super::cases::{Case, Theme};
use super::parts::Part;
use super::receivers::{Answers, Transport, ask};
use super::{is_said, today};

/// A part, and what the three say of it.
type Difference = (Part, [String; 3]);

pub(super) fn check(themes: &[&[Theme]], transport: Transport) -> Result<()> {
    let today = today()?;
    let themes = themes.iter().copied().flatten();
    let cases: Vec<&Case> = themes.flat_map(|theme| theme.cases).collect();
    let messages = cases
        .iter()
        .map(|case| dated(case.sent, today).into_bytes());
    let Some(answers) = ask(&messages.collect::<Vec<_>>(), transport)? else {
        return Ok(());
    };
    let mut wrong = String::new();
    for (case, answers) in cases.iter().zip(&answers) {
        let found = differences(answers);
        if !are_documented(&found, case, today) {
            wrong += &format!("\n{}: {:?}\n", case.name, case.sent);
            for (part, values) in found {
                wrong += &format!("    (Part::{part:?}, {values:?}),\n");
            }
        }
    }
    ensure!(
        wrong.is_empty(),
        "these differ otherwise than documented:\n{wrong}"
    );
    // This is no difference of any part here, but the page tells it.
    ensure!(
        answers.iter().any(|answers| answers.rsyslog.has_space),
        "rsyslog counts the space behind a TAG to the text no more"
    );
    Ok(())
}

/// The parts that are not the same for all. Where one has refused the message, its other parts are
/// none.
fn differences(answers: &Answers) -> Vec<Difference> {
    let all = [&answers.logwood, &answers.syslog_ng, &answers.rsyslog];
    let mut found = Vec::new();
    for part in Part::ALL {
        let values = all.map(|parsed| parsed.part(part).to_owned());
        let read = all
            .iter()
            .zip(&values)
            .filter(|(parsed, _)| part == Part::Fate || parsed.part(Part::Fate) == "read");
        if read.into_iter().any(|(_, value)| *value != values[0]) {
            found.push((part, values));
        }
    }
    found
}

fn are_documented(found: &[Difference], case: &Case, today: CivilTime) -> bool {
    let mut pairs = found.iter().zip(case.differs);
    let are_same = pairs.all(|((part, found), (documented, values))| {
        let mut said = found.iter().zip(values);
        part == documented
            && said.all(|(found_here, value)| is_said(found_here, &dated(value, today), &found[0]))
    });
    are_same && found.len() == case.differs.len()
}

/// Puts this month where `Mmm` and `-MM-` stand, and this year for `YYYY`: which year a stamp without
/// one is of depends on the day, and of this month all three say this year.
fn dated(text: &str, today: CivilTime) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    text.replace("Mmm", MONTHS[usize::from(today.month) - 1])
        .replace("YYYY", &today.year.to_string())
        .replace("-MM-", &format!("-{:02}-", today.month))
}
