//! Bounds of a configuration, each with its reason.

/// Longest file that is read, in bytes. Ten thousand sources and routes fit; a log file given by
/// mistake does not.
pub const CONFIG_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Longest name of a user or group, in bytes: what Linux's `useradd` allows several times over.
pub const ACCOUNT_BYTES_MAX: usize = 128;

/// Most names that the page and the API are asked by. They are looked through for each request;
/// a server has a handful.
pub const SERVER_NAMES_MAX: usize = 100;

/// Most sections of a file. Each takes some 5 KiB while a file is checked, and no machine has
/// descriptors for more sources.
pub const SECTIONS_MAX: usize = 10_000;

/// Most problems that are told of a file: more than anybody mends before checking again.
pub const PROBLEMS_MAX: usize = 100;

/// Most bytes of a line that are shown with a problem: many screens wide. A file may be one line.
pub const SHOWN_LINE_BYTES_MAX: usize = 4 * 1024;

/// Most names that a hint lists; those of any section's keys fit.
pub const LISTED_NAMES_MAX: usize = 50;

/// Names of the file among which the nearest is looked for, the first ones. Each takes a
/// microsecond, and is compared with every wrong name that is told.
pub const NEAREST_NAMES_MAX: usize = 200;

/// Final routes that take all messages of some sources, behind which routes are looked for that
/// are never reached. The first ones are enough to tell a wrong order.
pub const FINAL_ROUTES_MAX: usize = 100;

/// Longest name of a destination: the document that keeps its position is called by it and its kind, and a name of
/// a document has 128 bytes at the most.
pub const DESTINATION_NAME_BYTES_MAX: usize = 96;

/// Most words of a command: more than anybody writes, and far below what the system takes.
pub const COMMAND_WORDS_MAX: usize = 256;

/// Most URLs of a destination. Each has a health and connections; a cluster has some dozens of nodes.
pub const URLS_MAX: usize = 256;

/// Most templates of a table. Each is rendered for every record.
pub const TEMPLATES_MAX: usize = 256;

/// Most servers of one destination: more than anybody fails over to.
pub const TARGETS_MAX: usize = 100;

/// Longest text of a step, in bytes: regular expressions of people have some hundreds.
pub const LINE_BYTES_MAX: usize = 16 * 1024;

/// How deep lists of steps may use each other; what uses itself ends here.
pub const STEP_LISTS_DEPTH_MAX: usize = 8;
