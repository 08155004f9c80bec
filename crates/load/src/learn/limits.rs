//! Bounds of what is learned and of what a profile may hold.

/// Bytes of a profile file. A thousand templates with all their values take some 1 MiB; what is
/// far larger is no profile.
pub const PROFILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Lines learned from, the first of all files. The frequencies of templates hardly change beyond,
/// and all lines are held in memory: some 50 MiB.
pub const LINES_MAX: usize = 200_000;

/// Bytes of a line that are learned from; what is behind is dropped. The size that most senders
/// keep to.
pub const LINE_BYTES_MAX: usize = 8 * 1024;

/// Templates of a profile, the most frequent ones. A large company's syslog has some thousands.
pub const TEMPLATES_MAX: usize = 4_096;

/// Places of a template that are not fixed; a line is cut behind its last one. JSON of a screenful
/// has about as many.
pub const SLOTS_MAX: usize = 128;

/// Parts of a template: fixed text between all slots, and at both ends.
pub const PARTS_MAX: usize = 2 * SLOTS_MAX + 1;

/// Values of a slot that are kept, the most frequent ones: enough for user names and URLs, and a
/// profile stays small.
pub const VALUES_MAX: usize = 1_024;

/// Templates that are remembered to follow a template; the rest follows by overall frequency.
pub const SUCCESSORS_MAX: usize = 16;

/// Clusters that one shape of lines is split into; a line more joins the one most like it.
pub const CLUSTERS_MAX: usize = 256;

/// Bounds between which the numbers of a slot are spread: sixteen equal parts show a distribution
/// well enough for sizes and durations.
pub const NUMBER_POINTS_MAX: usize = 17;

/// Hosts that messages come from. More would need longer names and say nothing new.
pub const HOSTS_MAX: usize = 1_000_000;

/// Needles of a plan. A count looks at each of them for each message that holds one.
pub const NEEDLES_MAX: usize = 1_000;

/// Bytes of a needle's text: a word or a sentence.
pub const NEEDLE_BYTES_MAX: usize = 1_024;

/// Hosts that write, unless told otherwise: about what one administrator looks after.
pub const HOSTS_DEFAULT: usize = 500;
