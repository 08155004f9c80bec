//! How many messages a second, as a function of time.

use model::Timestamp;

use crate::demo::incident::incident_at;

/// Share of the daily mean at each full hour of the day (UTC): quiet at night, a dip at noon.
const HOURS: [f64; 24] = [
    0.45, 0.40, 0.38, 0.37, 0.40, 0.50, 0.70, 1.00, 1.35, 1.55, 1.60, 1.55, 1.35, 1.45, 1.60, 1.58,
    1.45, 1.25, 1.10, 1.05, 1.00, 0.85, 0.70, 0.55,
];

/// What incidents add to the mean of a day, about: measured by the test below.
const INCIDENTS_SHARE: f64 = 0.11;

/// Messages per second over time: a rhythm of day and night with incidents on top.
#[derive(Clone, Debug)]
pub struct Rate {
    seed: u64,
    usual: f64,
}

impl Rate {
    /// A rate that is `per_second` on average over days.
    pub fn new(seed: u64, per_second: f64) -> Self {
        let mean = HOURS.iter().sum::<f64>() / HOURS.len() as f64;
        Self {
            seed,
            usual: per_second.max(0.0) / mean / (1.0 + INCIDENTS_SHARE),
        }
    }

    /// Messages per second at a time; never less than nothing.
    pub fn at(&self, time: Timestamp) -> f64 {
        let extra = incident_at(self.seed, time).map_or(0.0, |incident| incident.intensity);
        self.usual * (share_at(time) + extra)
    }

    /// The part of the messages at a time that an incident causes, 0 to 1.
    pub(crate) fn incident_part(time: Timestamp, intensity: f64) -> f64 {
        intensity / (intensity + share_at(time))
    }
}

/// The rhythm of the day, on straight lines between the full hours.
fn share_at(time: Timestamp) -> f64 {
    let seconds = time.nanos().div_euclid(1_000_000_000).rem_euclid(86_400);
    let hour = usize::try_from(seconds / 3_600).unwrap_or(0);
    let within = (seconds % 3_600) as f64 / 3_600.0;
    let at = |hour: usize| HOURS.get(hour % HOURS.len()).copied().unwrap_or(1.0);
    at(hour) * (1.0 - within) + at(hour + 1) * within
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Saturday evening.
    const START: i64 = 1_795_287_600;

    #[test]
    fn the_mean_over_days_is_what_was_asked_for() {
        for seed in 1..=3 {
            let rate = Rate::new(seed, 50.0);
            let minutes = 20 * 1_440;
            let sum: f64 = (0..minutes)
                .map(|minute| rate.at(Timestamp::from_seconds(START + minute * 60)))
                .sum();
            let mean = sum / minutes as f64;
            assert!((46.0..54.0).contains(&mean), "{seed}: {mean}");
        }
    }

    #[test]
    fn nights_are_quiet_and_incidents_stand_out() {
        let rate = Rate::new(1, 50.0);
        let day = START - START.rem_euclid(86_400);
        let usual = |hour: i64| rate.usual * share_at(Timestamp::from_seconds(day + hour * 3_600));
        assert!(usual(3) * 3.0 < usual(10));
        for quarter in 0..8 {
            let times = (0..6 * 360)
                .map(|step| Timestamp::from_seconds(day + quarter * 6 * 3_600 + step * 10));
            let peak = times.map(|time| rate.at(time)).fold(0.0, f64::max);
            assert!(peak > 2.5 * rate.usual, "{quarter}: {peak}");
        }
    }
}
