//! Bounds of processing, each with its reason.

/// Most steps over all routes, each counted wherever it is used. What a record costs grows with them.
pub const STEPS_MAX: usize = 10_000;

/// How deep steps may stand in steps. People need three or four levels; the runner calls itself for each.
pub const STEP_DEPTH_MAX: usize = 16;

/// Most keys that a step tells apart at a time, as the hosts of a rate limit; the oldest make room.
pub const KEYS_MAX: usize = 100_000;

/// The tag of a record on which a step failed.
pub const FAILED_TAG: &str = "processing.failed";
