//! Times when something is wrong: a function of the seed and the time, so that history and the
//! live stream tell of the same ones.
//!
//! Time is cut into slots. Each slot of twenty minutes has a small incident of a few minutes with
//! a chance of one in three; each slot of six hours has a large one that cannot be overlooked in a
//! histogram of the day.

use model::Timestamp;

use crate::demo::cast::{Host, Role, draw_host_of, outside_address};
use crate::random::{Random, mix};

/// What is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The database takes no connections and everything in front of it fails.
    #[default]
    DatabaseDown,
    /// One address guesses passwords.
    Guessing,
    /// The disk of one database host has errors.
    DiskFailing,
    /// Mail to a domain cannot be delivered.
    MailStuck,
    /// A switch loses a link, and addresses run out.
    LinkFlapping,
}

/// Something wrong for a while.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Incident {
    pub(crate) trouble: Trouble,
    /// Messages on top, in multiples of the usual rate; rises and falls.
    pub(crate) intensity: f64,
    /// Makes choices that stay the same for the length of the incident.
    seed: u64,
}

/// A kind of slot.
struct Slots {
    seconds: i64,
    /// One slot in so many has an incident.
    once_in: u64,
    lasts: (u64, u64),
    peak: (f64, f64),
    salt: u64,
}

const SMALL: Slots = Slots {
    seconds: 20 * 60,
    once_in: 3,
    lasts: (60, 240),
    peak: (0.5, 1.5),
    salt: 1,
};

const LARGE: Slots = Slots {
    seconds: 6 * 3_600,
    once_in: 1,
    lasts: (480, 1_200),
    peak: (3.0, 6.0),
    salt: 2,
};

/// The incident at a time, the large one if there are two.
pub(crate) fn incident_at(seed: u64, time: Timestamp) -> Option<Incident> {
    LARGE
        .incident_at(seed, time)
        .or_else(|| SMALL.incident_at(seed, time))
}

impl Slots {
    fn incident_at(&self, seed: u64, time: Timestamp) -> Option<Incident> {
        let seconds = time.nanos() as f64 / 1e9;
        let slot = time
            .nanos()
            .div_euclid(1_000_000_000)
            .div_euclid(self.seconds);
        let slot_seed = mix(seed ^ mix(slot.cast_unsigned()) ^ self.salt);
        let mut random = Random::new(slot_seed);
        if !random.once_in(self.once_in) {
            return None;
        }
        let lasts = random.range(self.lasts.0, self.lasts.1) as f64;
        let begin = random.unit() * (self.seconds as f64 - lasts);
        let peak = self.peak.0 + random.unit() * (self.peak.1 - self.peak.0);
        let trouble = random.pick(&[
            Trouble::DatabaseDown,
            Trouble::DatabaseDown,
            Trouble::Guessing,
            Trouble::Guessing,
            Trouble::DiskFailing,
            Trouble::MailStuck,
            Trouble::LinkFlapping,
        ]);
        let at = (seconds - slot as f64 * self.seconds as f64 - begin) / lasts;
        (0.0..1.0).contains(&at).then(|| Incident {
            trouble,
            intensity: peak * shape(at),
            seed: slot_seed,
        })
    }
}

/// From nothing to all in the first tenth, then a slow decay. The argument and result are 0 to 1.
fn shape(at: f64) -> f64 {
    if at < 0.1 { at / 0.1 } else { (1.0 - at) / 0.9 }
}

impl Incident {
    /// A host that the incident shows on.
    pub(crate) fn host(&self, random: &mut Random) -> &'static Host {
        let role = match self.trouble {
            Trouble::DatabaseDown => random.weighted(&[
                (4, Role::App),
                (3, Role::Web),
                (2, Role::Proxy),
                (2, Role::Database),
            ]),
            Trouble::Guessing => random.weighted(&[(5, Role::Bastion), (2, Role::Firewall)]),
            Trouble::DiskFailing => {
                // The same host from the beginning to the end.
                return draw_host_of(Role::Database, &mut Random::new(self.seed));
            }
            Trouble::MailStuck => Some(Role::Mail),
            Trouble::LinkFlapping => random.weighted(&[(3, Role::Switch), (2, Role::Dhcp)]),
        };
        draw_host_of(role.unwrap_or(Role::App), random)
    }

    /// The address it comes from, if it comes from outside.
    pub(crate) fn address(&self) -> String {
        outside_address(&mut Random::new(self.seed))
    }
}
