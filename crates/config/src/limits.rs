//! Bounds of a configuration, each with its reason.

/// Longest file that is read, in bytes. Ten thousand sources and routes fit; a log file given by
/// mistake does not.
pub const CONFIG_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Longest name of a user or group, in bytes: what Linux's `useradd` allows several times over.
pub const ACCOUNT_BYTES_MAX: usize = 128;

/// Most names that the page and the API are asked by. They are looked through for each request;
/// a server has a handful.
pub const SERVER_NAMES_MAX: usize = 100;
