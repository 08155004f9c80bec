//! Times as people type and read them: in the zone of this machine, or in UTC where they ask for it.

use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use crate::failure::Failure;

/// The zone in which times are read and shown.
pub(crate) struct Zone(TimeZone);

impl Zone {
    /// That of this machine, or UTC.
    pub(crate) fn new(is_utc: bool) -> Self {
        Self(if is_utc {
            TimeZone::UTC
        } else {
            TimeZone::system()
        })
    }

    /// What was typed behind a flag, as a server takes it. A time relative to now stays as it is: the
    /// server's clock is the one that records were received by.
    pub(crate) fn read(&self, flag: &str, text: &str) -> Result<String, Failure> {
        if text.trim().is_empty() || query::is_relative_time(text) {
            return Ok(text.trim().to_owned());
        }
        let now = model::Timestamp::from_nanos(
            i64::try_from(Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX),
        );
        match query::parse_time_in(text, now, &self.0) {
            Ok(time) => Ok(time.to_string()),
            Err(error) => Err(Failure::new(format!("--{flag}: {error}"))),
        }
    }

    /// A time of the API to the millisecond, with its offset; as it is where it is none.
    pub(crate) fn show(&self, time: &str) -> String {
        let Ok(instant) = time.parse::<Timestamp>() else {
            return time.to_owned();
        };
        let zoned = instant.to_zoned(self.0.clone());
        let form = if zoned.offset().is_zero() {
            "%Y-%m-%dT%H:%M:%S%.3fZ"
        } else {
            "%Y-%m-%dT%H:%M:%S%.3f%:z"
        };
        strtime::format(form, &zoned).unwrap_or_else(|_| time.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budapest() -> Zone {
        Zone(TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone"))
    }

    #[test]
    fn times_are_shown_with_the_offset_of_their_day() {
        let time = "2026-11-21T18:47:27.120999000Z";
        assert_eq!(budapest().show(time), "2026-11-21T19:47:27.120+01:00");
        let summer = budapest().show("2026-07-21T18:47:27.000000000Z");
        assert_eq!(summer, "2026-07-21T20:47:27.000+02:00");
        assert_eq!(Zone::new(true).show(time), "2026-11-21T18:47:27.120Z");
        assert_eq!(Zone::new(true).show("soon"), "soon");
    }

    #[test]
    fn what_has_no_zone_is_read_here_and_what_is_relative_by_the_server() {
        let zone = budapest();
        let read = |text| zone.read("from", text).map_err(|error| error.to_string());
        assert_eq!(
            read("2026-11-21 10:00:00"),
            Ok("2026-11-21T09:00:00.000000000Z".to_owned())
        );
        assert_eq!(read(" now-1h"), Ok("now-1h".to_owned()));
        assert_eq!(read("1h ago"), Ok("1h ago".to_owned()));
        let error = read("noonish").expect_err("it is no time");
        assert!(error.contains("--from: `noonish` is no time"), "{error}");
    }
}
