//! What can be typed behind `cargo xtask bench`.

use std::path::PathBuf;

use clap::Parser;

use crate::size::Size;

/// Measures Logwood beside its peers, and writes tables, JSON lines and a report with plots.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench")]
pub(crate) struct Arguments {
    /// Which scenarios; all of them without any.
    pub(crate) scenarios: Vec<String>,
    /// Measure in minutes; the default.
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Measure in hours, at the sizes of docs/benchmarks.md.
    #[arg(long)]
    full: bool,
    /// Print scenarios and tables, those that have no code yet included, and measure nothing.
    #[arg(long)]
    pub(crate) list: bool,
    /// Where results go, and the data while it measures [default: bench in cargo's target folder].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the results that are there: what was measured at this commit and size is kept.
    #[arg(long)]
    pub(crate) resume: bool,
    /// How often each subject is measured; figures are medians.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) rounds: u32,
    /// Measure this subject only, such as logwood; may be repeated.
    #[arg(long = "subject", value_name = "NAME")]
    pub(crate) subjects: Vec<String>,
    /// Measure this table only, such as connections; may be repeated.
    #[arg(long = "table", value_name = "NAME")]
    pub(crate) tables: Vec<String>,
    /// Measure this case only, such as 10; may be repeated.
    #[arg(long = "case", value_name = "NAME")]
    pub(crate) cases: Vec<String>,
    /// Put what was measured of the tables that are quoted into this Markdown file, each between its markers.
    #[arg(long, value_name = "FILE", requires = "full")]
    pub(crate) markdown: Option<PathBuf>,
    /// Make the messages with this logwood, to compare servers under the same load.
    #[arg(long, value_name = "PATH")]
    pub(crate) generator: Option<PathBuf>,
    /// Measure VictoriaLogs as well, by its binary.
    #[arg(long, value_name = "PATH")]
    pub(crate) victoria_logs: Option<PathBuf>,
    /// Measure OpenSearch as well; needs Java 21 or later, and Maven.
    #[arg(long)]
    pub(crate) opensearch: bool,
    /// Measure ClickHouse and tantivy as well: a Python that has the packages chdb and tantivy.
    #[arg(long, value_name = "PATH")]
    pub(crate) python: Option<PathBuf>,
    /// Keep generated logs in this folder, on the disk of `--out`, and use those that are there: 200 million
    /// messages take half an hour to be imported and compacted. Remove it when what generates or stores them
    /// has changed.
    #[arg(long, value_name = "DIR")]
    pub(crate) corpora: Option<PathBuf>,
    /// Given logs, a folder with files *.log or *.log.zst, for the tables that take some.
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
}

impl Arguments {
    /// Quick unless told otherwise.
    pub(crate) fn size(&self) -> Size {
        // `--quick` is there to be said; it says what is so anyway.
        if self.full && !self.quick {
            Size::Full
        } else {
            Size::Quick
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_quick_unless_told_otherwise() {
        let size = |words: &[&str]| {
            let words = ["bench"].iter().chain(words);
            Arguments::try_parse_from(words).map(|arguments| arguments.size())
        };
        assert_eq!(size(&[]).unwrap(), Size::Quick);
        assert_eq!(size(&["--quick", "collect"]).unwrap(), Size::Quick);
        assert_eq!(size(&["--full"]).unwrap(), Size::Full);
        assert!(size(&["--full", "--quick"]).is_err());
    }
}
