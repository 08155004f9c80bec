//! What `logwood plan` can be told.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::TargetArguments;

/// Messages a second that can be planned for; more comes from a mistyped number.
const RATE_MAX: f64 = 1e9;

/// Days of a retention that can be planned for: a thousand years.
const RETENTION_DAYS_MAX: f64 = 365_000.0;

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// Messages per second, as an average over the day.
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) rate: f64,
    /// Average size of a message in bytes [default: as measured, where something is measured].
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub(crate) size: Option<f64>,
    /// The retention time, such as 90d or 52w.
    #[arg(long, value_name = "TIME", default_value = "365d", value_parser = retention)]
    pub(crate) retention: Days,
    /// Bytes on disk per message, index included.
    #[arg(
        long,
        value_name = "BYTES",
        value_parser = size,
        conflicts_with_all = ["measure", "url", "data_dir"]
    )]
    pub(crate) bytes_per_message: Option<f64>,
    /// Measure the lines of this file, in memory; plain, .gz or .zst.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "data_dir"])]
    pub(crate) measure: Option<PathBuf>,
    /// Use the average of this logspace only, with --url or --data-dir.
    #[arg(long, value_name = "NAME")]
    pub(crate) logspace: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
}

/// A length of time in days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Days(pub(crate) f64);

fn rate(text: &str) -> Result<f64, String> {
    positive(text, RATE_MAX)
}

fn size(text: &str) -> Result<f64, String> {
    positive(text, model::limits::MESSAGE_BYTES_MAX as f64)
}

fn positive(text: &str, max: f64) -> Result<f64, String> {
    let number = text.replace(['_', ','], "").parse::<f64>().ok();
    number
        .filter(|number| (f64::MIN_POSITIVE..=max).contains(number))
        .ok_or_else(|| format!("write a number above 0, at most {max}"))
}

fn retention(text: &str) -> Result<Days, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let days_each = match text.get(digits.len()..) {
        Some("h") => 1.0 / 24.0,
        Some("d") => 1.0,
        Some("w") => 7.0,
        Some("y") => 365.0,
        _ => return Err("write a number with a unit: h, d, w or y, such as 365d".to_owned()),
    };
    let number = positive(digits, RETENTION_DAYS_MAX / days_each)?;
    Ok(Days(number * days_each))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_is_a_number_and_a_unit() {
        assert_eq!(retention("365d"), Ok(Days(365.0)));
        assert_eq!(retention("2w"), Ok(Days(14.0)));
        assert_eq!(retention("12h"), Ok(Days(0.5)));
        assert_eq!(retention("10y"), Ok(Days(3_650.0)));
        for wrong in ["", "365", "d", "0d", "-1d", "5 days", "1001y", "NaNd"] {
            assert!(retention(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_may_be_grouped_and_are_above_nothing() {
        assert_eq!(rate("2,500"), Ok(2_500.0));
        assert_eq!(rate("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "inf", "NaN", "1e10", "many"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
