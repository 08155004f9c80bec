//! The baseline of instructions: how it is written and read, and what is a change.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, bail};
use toml::de::{DeTable, DeValue};

/// A change within this share of the baseline is none: the least that says something about the
/// code, and far more than what differs from run to run (below 0.1 %).
const TOLERANCE: f64 = 0.03;

/// Instructions of a kernel for each unit of its work.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counted {
    pub(super) kernel: String,
    /// Such as `message`.
    pub(super) unit: String,
    pub(super) instructions: f64,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kernel,
            unit,
            instructions,
        } = self;
        write!(f, "{kernel}: {instructions:.1} a {unit}")
    }
}

/// What was counted when somebody last looked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Baseline {
    rustc: String,
    instructions: BTreeMap<String, f64>,
}

/// A count beside its baseline.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// It has none.
    New,
    /// As it was.
    Same(f64),
    /// Fewer than it was, and than the tolerance.
    Less(f64, f64),
    /// More than the tolerance.
    More(f64, f64),
}

impl Change {
    /// Whether the change must not pass.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::New | Self::More(..))
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| share * 100.0;
        match self {
            Self::New => write!(f, "not in the baseline"),
            Self::Same(share) => write!(f, "{:+.1} %", percent(share)),
            Self::Less(old, share) => {
                write!(f, "{:+.1} %, was {old:.1}: improved", percent(share))
            }
            Self::More(old, share) => write!(
                f,
                "{:+.1} %, was {old:.1}: more than {:+.0} %",
                percent(share),
                TOLERANCE * 100.0
            ),
        }
    }
}

impl Baseline {
    /// Reads what [`write()`] wrote.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let table = DeTable::parse(text).context("this is no TOML")?;
        let (mut baseline, table) = (Self::default(), table.get_ref());
        for (key, value) in table {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("rustc", DeValue::String(version)) => baseline.rustc = version.to_string(),
                ("instructions", DeValue::Table(counts)) => {
                    for (kernel, count) in counts {
                        let DeValue::Float(count) = count.get_ref() else {
                            bail!("{} must be a number such as 12.5", kernel.get_ref());
                        };
                        let count = count.as_str().parse()?;
                        let kernel = kernel.get_ref().to_string();
                        baseline.instructions.insert(kernel, count);
                    }
                }
                (key, _) => bail!("nobody knows `{key}`"),
            }
        }
        Ok(baseline)
    }

    /// One change for each count.
    pub(super) fn compare(&self, counts: &[Counted]) -> Vec<Change> {
        let change = |counted: &Counted| {
            let Some(old) = self.instructions.get(&counted.kernel).copied() else {
                return Change::New;
            };
            let share = counted.instructions / old - 1.0;
            match share {
                share if share > TOLERANCE => Change::More(old, share),
                share if share < -TOLERANCE => Change::Less(old, share),
                share => Change::Same(share),
            }
        };
        counts.iter().map(change).collect()
    }

    /// Kernels that were recorded and are no longer there.
    pub(super) fn gone(&self, counts: &[Counted]) -> Vec<&str> {
        let is_there = |kernel: &str| counts.iter().any(|counted| counted.kernel == kernel);
        let recorded = self.instructions.keys().map(String::as_str);
        recorded.filter(|kernel| !is_there(kernel)).collect()
    }

    /// What to think of where another compiler counts.
    pub(super) fn compiler_hint(&self, rustc: &str) -> String {
        if self.rustc == rustc {
            return String::new();
        }
        format!(
            " (it is of {}, this is {rustc}: see whether only the compiler changed)",
            self.rustc
        )
    }
}

/// The text of a baseline.
pub(super) fn write(counts: &[Counted], rustc: &str) -> String {
    let mut text = "# Instructions of the innermost work, by callgrind.\n\
                    # Written by `cargo xtask instructions --record`; CI fails at 3 % more.\n"
        .to_owned();
    text += &format!("rustc = \"{rustc}\"\n\n[instructions]\n");
    for counted in counts {
        let Counted {
            kernel,
            unit,
            instructions,
        } = counted;
        text += &format!("{kernel} = {instructions:.1} # a {unit}\n");
    }
    text
}

/// The sum in a file that callgrind wrote.
pub(super) fn total(text: &str) -> Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let line = line.context("callgrind wrote no line `totals:`")?;
    line.trim()
        .parse()
        .context("the line `totals:` of callgrind")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(kernel: &str, instructions: f64) -> Counted {
        Counted {
            kernel: kernel.to_owned(),
            unit: "message".to_owned(),
            instructions,
        }
    }

    fn baseline() -> Baseline {
        let counts = [counted("parse", 1_000.0), counted("frame", 100.0)];
        Baseline::parse(&write(&counts, "rustc 1.95.0")).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(baseline().rustc, "rustc 1.95.0");
        assert_eq!(baseline().instructions.len(), 2);
        assert_eq!(baseline().instructions["frame"], 100.0);
        for wrong in ["rustc = 1", "[instructions]\na = 1", "[x]", "rustc"] {
            assert!(Baseline::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn three_per_cent_more_fail_and_less_is_told() {
        let told = |instructions| {
            let change = baseline()
                .compare(&[counted("parse", instructions)])
                .remove(0);
            (change.is_failure(), change.to_string())
        };
        assert_eq!(told(1_029.0), (false, "+2.9 %".to_owned()));
        assert_eq!(told(971.0), (false, "-2.9 %".to_owned()));
        let more = "+3.1 %, was 1000.0: more than +3 %".to_owned();
        assert_eq!(told(1_031.0), (true, more));
        let less = "-20.0 %, was 1000.0: improved".to_owned();
        assert_eq!(told(800.0), (false, less));
    }

    #[test]
    fn kernels_that_come_and_go_are_told() {
        let counts = [counted("parse", 1_000.0), counted("words", 1.0)];
        assert_eq!(baseline().compare(&counts)[1], Change::New);
        assert!(Change::New.is_failure());
        assert_eq!(baseline().gone(&counts), ["frame"]);
    }

    #[test]
    fn another_compiler_is_named() {
        assert_eq!(baseline().compiler_hint("rustc 1.95.0"), "");
        assert!(
            baseline()
                .compiler_hint("rustc 1.96.0")
                .contains("rustc 1.96.0")
        );
    }

    #[test]
    fn the_sum_is_read_from_callgrinds_file() {
        assert_eq!(total("version: 1\ntotals: 2471663\n").unwrap(), 2_471_663);
        assert!(total("version: 1\n").is_err());
    }
}
