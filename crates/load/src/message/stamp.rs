//! Time stamps of one length each, so that they can be written over in place.

use jiff::tz::TimeZone;
use model::Timestamp;
use syslog::write::{padded, stamp_bsd, stamp_iso};

/// How a stamp is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StampForm {
    /// `Nov 22 05:12:21`, local.
    Bsd,
    /// `2026-11-22T05:12:21`, local.
    Iso,
    /// `2026-11-22T05:12:21+01:00`.
    IsoOffset,
    /// `2026-11-22T04:12:21.123456Z`.
    IsoMicros,
}

impl StampForm {
    /// Appends the stamp of a time in a zone `offset` seconds east of Greenwich.
    pub(super) fn write(self, time: Timestamp, offset: i32, out: &mut Vec<u8>) {
        let local = time.plus_nanos(i64::from(offset) * 1_000_000_000);
        match self {
            Self::Bsd => stamp_bsd(local, out),
            Self::Iso => stamp_iso(local, 0, out),
            Self::IsoOffset => {
                stamp_iso(local, 0, out);
                out.push(if offset < 0 { b'-' } else { b'+' });
                let minutes = u64::from(offset.unsigned_abs() / 60);
                padded(minutes / 60, 2, out);
                out.push(b':');
                padded(minutes % 60, 2, out);
            }
            Self::IsoMicros => {
                stamp_iso(time, 6, out);
                out.push(b'Z');
            }
        }
    }

    /// How long the stamp stays the same, in nanoseconds.
    pub(super) fn grain_nanos(self) -> i64 {
        match self {
            Self::Bsd | Self::Iso | Self::IsoOffset => 1_000_000_000,
            Self::IsoMicros => 1_000,
        }
    }
}

/// Seconds east of Greenwich at a time; 0 for times that no calendar has.
pub(super) fn offset_seconds(zone: &TimeZone, time: Timestamp) -> i32 {
    let seconds = time.nanos().div_euclid(1_000_000_000);
    jiff::Timestamp::from_second(seconds).map_or(0, |time| zone.to_offset(time).seconds())
}
