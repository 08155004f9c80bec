//! Which calls go wrong, and how.

use std::io;

/// What the store asks of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Making a directory.
    CreateDir,
    /// Opening an existing file.
    Open,
    /// Making or emptying a file.
    Create,
    /// Listing a directory.
    List,
    /// Renaming.
    Rename,
    /// Removing a file or a directory.
    Remove,
    /// Syncing a directory.
    SyncDir,
    /// Asking for free space.
    FreeBytes,
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Syncing a file.
    Sync,
    /// Asking for a size.
    Len,
    /// Setting space aside.
    Allocate,
    /// Changing a size.
    SetLen,
    /// Taking a lock.
    Lock,
}

impl Call {
    pub(crate) fn is_reading(self) -> bool {
        matches!(self, Self::Open | Self::List | Self::Read | Self::Len)
    }
}

/// How a call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `EIO`; a sync leaves its pages clean and not durable, and the page cache as it was.
    Io,
    /// `EIO`; a sync leaves its pages clean, not durable, and forgotten.
    IoForgotten,
    /// `ENOSPC`.
    NoSpace,
    /// A write that ends in the middle and then fails; `EIO` for all other calls.
    Short,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Io, Self::IoForgotten, Self::NoSpace, Self::Short];

    pub(crate) fn error(self) -> io::Error {
        // Numbers of Linux, so that the sentences in messages are the real ones.
        io::Error::from_raw_os_error(match self {
            Self::Io | Self::IoForgotten | Self::Short => 5,
            Self::NoSpace => 28,
        })
    }
}

/// What goes wrong next. Calls are counted from when the plan is made.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// How many calls go well before the faults.
    pub calls_before: u64,
    /// How many calls then fail, and how.
    pub fault: Option<(u64, Fault)>,
    /// Only these calls count and fail; none means all.
    pub only: Vec<Call>,
    /// The power goes, or the process dies, in the place of the call behind so many.
    pub stop_after: Option<u64>,
}

/// What becomes of a call.
pub(crate) enum Verdict {
    Well,
    Fails(Fault),
    Stops,
}

impl Plan {
    pub(crate) fn judge(&mut self, call: Call) -> Verdict {
        if let Some(left) = &mut self.stop_after {
            match left.checked_sub(1) {
                Some(less) => *left = less,
                None => return Verdict::Stops,
            }
        }
        if !self.only.is_empty() && !self.only.contains(&call) {
            return Verdict::Well;
        }
        let Some((times, fault)) = self.fault else {
            return Verdict::Well;
        };
        if let Some(less) = self.calls_before.checked_sub(1) {
            self.calls_before = less;
            return Verdict::Well;
        }
        self.fault = times
            .checked_sub(1)
            .filter(|left| *left > 0)
            .map(|left| (left, fault));
        Verdict::Fails(fault)
    }
}
