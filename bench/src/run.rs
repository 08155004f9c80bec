//! Runs steps: rounds in which subjects take turns, results kept as they come.

use std::collections::HashSet;
use std::time::Instant;

use anyhow::Result;

use crate::context::Context;
use crate::jsonl::{Failed, Key, Line, Run, Writer};
use crate::names::Names;
use crate::scenario::{Scenario, Step};

/// What a run has to know besides the scenarios.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) commit: String,
    pub(crate) rounds: u32,
    /// What is measured.
    pub(crate) names: Names,
}

/// Runs a scenario and adds what it measures to the results, in memory and in the file. Steps that
/// are among the results already are left out. A step that fails is told, and the rest goes on; the
/// number of those that failed is returned. One that has an obstacle is told once and not counted.
pub(crate) fn run(
    scenario: &dyn Scenario,
    plan: &Plan,
    context: &Context,
    lines: &mut Vec<Line>,
    writer: &mut Writer,
    mut tell: impl FnMut(&str),
) -> Result<usize> {
    let done = done(lines);
    let mut steps = scenario.steps(context.size)?;
    steps.retain(|step| plan.names.have(step));
    let mut failed = 0;
    for case in steps.chunk_by(|a, b| a.table == b.table && a.case == b.case) {
        for round in 0..plan.rounds {
            for step in turns(case, round) {
                let key = Key::new(step, &plan.commit, context.size, round);
                if done.contains(&place(&key)) {
                    continue;
                }
                let line = match scenario.obstacle(step, context) {
                    Some(_) if round > 0 => continue,
                    Some(why) => {
                        tell(&format!("{}: not measured: {why}", name(step)));
                        Line::Failed(Failed { key, why })
                    }
                    None => {
                        let line = run_step(scenario, step, key, context, &mut tell);
                        failed += usize::from(matches!(line, Line::Failed(_)));
                        line
                    }
                };
                writer.push(&line)?;
                lines.push(line);
            }
        }
    }
    Ok(failed)
}

fn name(step: &Step) -> String {
    let (scenario, table) = (&step.scenario, &step.table);
    format!("{scenario} {table} {} {}", step.case, step.subject)
}

/// Each round begins with another subject, so that none is always first on a cool machine.
fn turns(case: &[Step], round: u32) -> impl Iterator<Item = &Step> {
    let first = usize::try_from(round).unwrap_or_default() % case.len().max(1);
    case.iter().cycle().skip(first).take(case.len())
}

fn run_step(
    scenario: &dyn Scenario,
    step: &Step,
    key: Key,
    context: &Context,
    tell: &mut impl FnMut(&str),
) -> Line {
    let name = name(step);
    let started = Instant::now();
    let result = scenario.run(step, context);
    let seconds = started.elapsed().as_secs_f64();
    match result {
        Ok(measurements) => {
            tell(&format!("{name}: round {}, {seconds:.1} s", key.round + 1));
            Line::Run(Run {
                key,
                x: step.x,
                ended: jiff::Timestamp::now().to_string(),
                seconds,
                measurements,
            })
        }
        Err(error) => {
            let why = format!("{error:#}");
            tell(&format!("{name}: not measured: {why}"));
            Line::Failed(Failed { key, why })
        }
    }
}

type Place = (String, &'static str, String, String, String, String, u32);

fn place(key: &Key) -> Place {
    (
        key.commit.clone(),
        key.size.name(),
        key.scenario.clone(),
        key.table.clone(),
        key.case.clone(),
        key.subject.clone(),
        key.round,
    )
}

fn done(lines: &[Line]) -> HashSet<Place> {
    lines
        .iter()
        .filter_map(|line| match line {
            Line::Run(run) => Some(place(&run.key)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::file::ScenarioFile;
    use crate::jsonl;
    use crate::measurement::Measurement;
    use crate::programs::Programs;
    use crate::size::Size;

    struct Recorder {
        file: ScenarioFile,
        ran: RefCell<Vec<String>>,
        fails: bool,
    }

    impl Scenario for Recorder {
        fn file(&self) -> &ScenarioFile {
            &self.file
        }

        fn run(&self, step: &Step, _: &Context) -> Result<Vec<Measurement>> {
            anyhow::ensure!(!self.fails, "it fell over");
            let told = format!("{} {}", step.case, step.subject);
            self.ran.borrow_mut().push(told);
            Ok(vec![Measurement::new("server_cpu", 1.0, "us/message")])
        }
    }

    fn recorder() -> Recorder {
        let text = r#"
            name = "s"
            about = "x"
            [[table]]
            name = "t"
            title = "x"
            reproduces = "x"
            subjects = ["a", "b"]
            metrics = ["server_cpu"]
            case = [{ name = "1" }, { name = "2" }]
        "#;
        Recorder {
            file: ScenarioFile::parse(text).unwrap(),
            ran: RefCell::default(),
            fails: false,
        }
    }

    struct Place {
        folder: tempfile::TempDir,
        context: Context,
    }

    fn start() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let programs = Programs {
            logwood: "logwood".into(),
            generator: "logwood".into(),
            victoria_logs: None,
            opensearch: false,
            python: None,
        };
        let context = Context::new(Size::Quick, programs, (None, None), folder.path()).unwrap();
        Place { folder, context }
    }

    fn plan(commit: &str) -> Plan {
        Plan {
            commit: commit.into(),
            rounds: 2,
            names: Names::default(),
        }
    }

    impl Place {
        fn run(&self, recorder: &Recorder, commit: &str) -> Vec<Line> {
            let path = self.folder.path().join("results.jsonl");
            let mut writer = Writer::open(&path).unwrap();
            let mut lines = jsonl::read(&path).unwrap();
            let plan = plan(commit);
            let failed = run(
                recorder,
                &plan,
                &self.context,
                &mut lines,
                &mut writer,
                |_| {},
            );
            assert_eq!(failed.unwrap() > 0, recorder.fails);
            assert_eq!(jsonl::read(&path).unwrap(), lines);
            lines
        }
    }

    #[test]
    fn subjects_take_turns_inside_a_round() {
        let (place, recorder) = (start(), recorder());
        place.run(&recorder, "abc");
        let ran = recorder.ran.borrow();
        let expected = ["1 a", "1 b", "1 b", "1 a", "2 a", "2 b", "2 b", "2 a"];
        assert_eq!(*ran, expected);
    }

    #[test]
    fn a_resumed_run_does_what_is_missing_only() {
        let (place, first) = (start(), recorder());
        place.run(&first, "abc");
        let path = place.folder.path().join("results.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let kept: Vec<&str> = text.split_inclusive('\n').take(6).collect();
        std::fs::write(&path, kept.concat()).unwrap();

        let again = recorder();
        let lines = place.run(&again, "abc");
        assert_eq!(*again.ran.borrow(), ["2 b", "2 a"]);
        assert_eq!(lines.len(), 8);

        let other = recorder();
        place.run(&other, "def");
        assert_eq!(other.ran.borrow().len(), 8);
    }

    #[test]
    fn a_failure_is_told_and_tried_again() {
        let (place, mut recorder) = (start(), recorder());
        recorder.fails = true;
        let lines = place.run(&recorder, "abc");
        let is_told = |line: &Line| matches!(line, Line::Failed(f) if f.why == "it fell over");
        assert!(lines.iter().all(is_told));
        recorder.fails = false;
        place.run(&recorder, "abc");
        assert_eq!(recorder.ran.borrow().len(), 8);
    }
}
