//! Whether the disk has room for more: asked before each commit and import, and by the status.
//!
//! Below the minimum nothing is made durable and so nothing acknowledged; senders wait. It ends when
//! there is somewhat more than the minimum again, so that it does not flutter.

use model::Timestamp;

use crate::limits::{ROOM_CHECK_MS, ROOM_RESUME_PERCENT};
use crate::status::State;
use crate::store::{Shared, locked};

/// What was found when the disk was last asked.
#[derive(Debug, Default)]
pub(crate) struct Room {
    asked: Option<Timestamp>,
    refusal: Option<String>,
}

/// Whether records can be made durable, as far as is known without writing one.
pub(crate) fn state(shared: &Shared) -> State {
    let state = locked(&shared.state).clone();
    match state {
        // An idle store has not asked the disk for a while.
        State::Working => check(shared).map_or_else(State::Stalled, |()| State::Working),
        stalled @ State::Stalled(_) => stalled,
    }
}

/// Fails with a sentence for the administrator where there is too little room.
pub(crate) fn check(shared: &Shared) -> Result<(), String> {
    let minimum = shared.options.free_bytes_min;
    if minimum == 0 {
        return Ok(());
    }
    let mut room = locked(&shared.room);
    let now = shared.clock.now();
    let is_fresh = room.asked.is_some_and(|asked| {
        let nanos = now.nanos().saturating_sub(asked.nanos());
        (0..ROOM_CHECK_MS * 1_000_000).contains(&nanos)
    });
    if !is_fresh {
        room.asked = Some(now);
        let data_dir = &shared.options.data_dir;
        // Where the system does not say, writing itself will tell.
        let free = shared.disk.free_bytes(data_dir).unwrap_or(u64::MAX);
        let wanted = match *locked(&shared.state) {
            State::Working => minimum,
            State::Stalled(_) => minimum.saturating_add(minimum / 100 * ROOM_RESUME_PERCENT),
        };
        room.refusal = (free < wanted).then(|| {
            format!(
                "the disk of {} has {free} bytes free and must keep {wanted} (store.free_min): \
                 delete something, or shorten keep_age or keep_size of a logspace",
                data_dir.display()
            )
        });
    }
    room.refusal.clone().map_or(Ok(()), Err)
}
