//! What an acknowledgement of a record promises.

use std::time::Duration;

/// How safe a record is when it is acknowledged. Whatever is chosen, it is in the journal before,
/// so that a killed process loses nothing acknowledged; they differ in what a power cut or a crash
/// of the system can take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Durability {
    /// Nothing: it is on the disk.
    #[default]
    Strict,
    /// The last 100 ms: the disk is told to keep it by then.
    Normal,
    /// The last 5 s, at most 16 MiB.
    Fast,
}

impl Durability {
    /// All, the safest first.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Normal, Self::Fast];

    /// Its name in the configuration: `strict`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Normal => "normal",
            Self::Fast => "fast",
        }
    }

    /// How long an acknowledged record may be without the disk's word.
    pub fn window(self) -> Duration {
        match self {
            Self::Strict => Duration::ZERO,
            Self::Normal => Duration::from_millis(100),
            Self::Fast => Duration::from_secs(5),
        }
    }
}
