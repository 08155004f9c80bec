//! What one run of one subject measured.

use serde::{Deserialize, Serialize};

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// The row it belongs to, where a run measures several; otherwise the case of its step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) case: Option<String>,
    /// Which figure, such as `server_cpu`: the name that scenario files list under `metrics`.
    pub(crate) metric: String,
    pub(crate) value: f64,
    /// Such as `us/message`; shown in the head of the column.
    pub(crate) unit: String,
}

impl Measurement {
    pub(crate) fn new(metric: &str, value: f64, unit: &str) -> Self {
        Self {
            case: None,
            metric: metric.to_owned(),
            value,
            unit: unit.to_owned(),
        }
    }

    /// Files the figure under a row of its own.
    pub(crate) fn of_case(mut self, case: &str) -> Self {
        self.case = Some(case.to_owned());
        self
    }
}

/// A count as a figure; exact up to 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of a benchmark stay far below 2^53"
)]
pub(crate) fn figure(count: u64) -> f64 {
    count as f64
}
