//! Which steps are measured, by the names of their tables, cases and subjects.

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::scenario::Step;

/// Names that were asked for; where there are none of a kind, all steps are meant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) subjects: Vec<String>,
    pub(crate) tables: Vec<String>,
    pub(crate) cases: Vec<String>,
}

impl Names {
    /// Whether a step is asked for.
    pub(crate) fn have(&self, step: &Step) -> bool {
        let is_asked = |names: &[String], name| names.is_empty() || names.contains(name);
        is_asked(&self.subjects, &step.subject)
            && is_asked(&self.tables, &step.table)
            && is_asked(&self.cases, &step.case)
    }

    /// Checks that each name is one of these steps, and that some step has one of each kind: who asks for
    /// what there is not shall not take an empty report for a result.
    ///
    /// # Errors
    /// What there is no such thing of, and what there is.
    pub(crate) fn check(&self, steps: &[Step]) -> Result<()> {
        check_each("subject", &self.subjects, steps, |step| &step.subject)?;
        check_each("table", &self.tables, steps, |step| &step.table)?;
        check_each("case", &self.cases, steps, |step| &step.case)?;
        let is_any_asked = [&self.subjects, &self.tables, &self.cases]
            .iter()
            .any(|own| !own.is_empty());
        if is_any_asked && !steps.iter().any(|step| self.have(step)) {
            bail!("no table has such a case with such a subject; `--list` says what there is");
        }
        Ok(())
    }
}

fn check_each(
    what: &str,
    asked: &[String],
    steps: &[Step],
    name: impl Fn(&Step) -> &String,
) -> Result<()> {
    let known: BTreeSet<&str> = steps.iter().map(|step| name(step).as_str()).collect();
    match asked.iter().find(|asked| !known.contains(asked.as_str())) {
        None => Ok(()),
        Some(asked) => {
            let known = Vec::from_iter(known).join("`, `");
            bail!("there is no {what} `{asked}` at this size; there is: `{known}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::ScenarioFile;
    use crate::size::Size;

    fn steps() -> Vec<Step> {
        let text = r#"
            name = "s"
            about = "x"
            [[table]]
            name = "small"
            title = "x"
            reproduces = "x"
            subjects = ["a", "b"]
            metrics = ["server_cpu"]
            case = [{ name = "1" }, { name = "2" }]
            [[table]]
            name = "large"
            title = "x"
            reproduces = "x"
            subjects = ["a"]
            metrics = ["server_cpu"]
            case = [{ name = "2" }, { name = "29", only = "full" }]
        "#;
        let file = ScenarioFile::parse(text).unwrap();
        file.steps(Size::Quick).unwrap()
    }

    fn names(subject: Option<&str>, table: Option<&str>, case: Option<&str>) -> Names {
        let list = |name: Option<&str>| name.map(str::to_owned).into_iter().collect();
        Names {
            subjects: list(subject),
            tables: list(table),
            cases: list(case),
        }
    }

    #[test]
    fn steps_are_asked_for_by_any_of_their_names() {
        let steps = steps();
        let asked = |names: &Names| {
            names.check(&steps).unwrap();
            steps.iter().filter(|step| names.have(step)).count()
        };
        assert_eq!(asked(&Names::default()), 5);
        // What is planned has no steps yet.
        assert!(Names::default().check(&[]).is_ok());
        assert_eq!(asked(&names(Some("a"), None, None)), 3);
        assert_eq!(asked(&names(None, Some("small"), Some("2"))), 2);
        assert_eq!(asked(&names(None, None, Some("2"))), 3);
    }

    #[test]
    fn a_name_that_nothing_has_is_an_error_with_those_there_are() {
        let told = |names: Names| names.check(&steps()).unwrap_err().to_string();
        assert_eq!(
            told(names(None, None, Some("29"))),
            "there is no case `29` at this size; there is: `1`, `2`"
        );
        assert_eq!(
            told(names(Some("c"), None, None)),
            "there is no subject `c` at this size; there is: `a`, `b`"
        );
        assert_eq!(
            told(names(None, Some("huge"), None)),
            "there is no table `huge` at this size; there is: `large`, `small`"
        );
        let apart = told(names(Some("b"), Some("large"), None));
        assert!(apart.starts_with("no table has such a case"), "{apart}");
    }
}
