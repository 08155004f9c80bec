//! Facility and severity (RFC 5424 section 6.2.1), packed into one priority byte.

use std::fmt;

/// Where a message comes from: 0 (kern) to 23 (local7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Facility(u8);

/// How bad a message is: 0 (emerg) to 7 (debug). Smaller is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Severity(u8);

/// Facility and severity as on the wire: `facility * 8 + severity`, 0 to 191.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

const FACILITY_NAMES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv",
    "ftp", "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4",
    "local5", "local6", "local7",
];

const SEVERITY_NAMES: [&str; 8] = [
    "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug",
];

impl Facility {
    /// From its number; `None` above 23.
    pub fn from_number(number: u8) -> Option<Self> {
        (number < 24).then_some(Self(number))
    }

    /// From its name or number in text, either case; `security` and `console` are also known.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.to_ascii_lowercase();
        let named = FACILITY_NAMES.iter().position(|known| *known == name);
        let number = named.or_else(|| match name.as_str() {
            "security" => Some(4),
            "console" => Some(14),
            _ => name.parse().ok(),
        })?;
        Self::from_number(u8::try_from(number).ok()?)
    }

    /// Its number, 0 to 23.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its name: `auth`, `local7`.
    pub fn name(self) -> &'static str {
        FACILITY_NAMES
            .get(usize::from(self.0))
            .copied()
            .unwrap_or("unknown")
    }

    /// Every facility, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..24).map(Self)
    }
}

impl Severity {
    /// From its number; `None` above 7.
    pub fn from_number(number: u8) -> Option<Self> {
        (number < 8).then_some(Self(number))
    }

    /// From its name or number in text, either case; long forms and `panic`, `error`, `warn` too.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.to_ascii_lowercase();
        let named = SEVERITY_NAMES.iter().position(|known| *known == name);
        let number = named.or_else(|| match name.as_str() {
            "emergency" | "panic" => Some(0),
            "critical" => Some(2),
            "error" => Some(3),
            "warn" => Some(4),
            "informational" => Some(6),
            _ => name.parse().ok(),
        })?;
        Self::from_number(u8::try_from(number).ok()?)
    }

    /// Its number, 0 to 7.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its name: `err`, `info`.
    pub fn name(self) -> &'static str {
        SEVERITY_NAMES
            .get(usize::from(self.0))
            .copied()
            .unwrap_or("unknown")
    }

    /// Every severity, the worst first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(Self)
    }
}

impl Priority {
    /// `user.notice`, what RFC 3164 section 4.3.3 says a relay assumes for a message without one.
    pub const DEFAULT: Self = Self(13);

    /// From facility and severity.
    pub const fn new(facility: Facility, severity: Severity) -> Self {
        Self(facility.0 * 8 + severity.0)
    }

    /// From the number on the wire; `None` above 191.
    pub fn from_number(number: u8) -> Option<Self> {
        (number < 192).then_some(Self(number))
    }

    /// The number on the wire.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The facility.
    pub const fn facility(self) -> Facility {
        Facility(self.0 / 8)
    }

    /// The severity.
    pub const fn severity(self) -> Severity {
        Severity(self.0 % 8)
    }
}

impl fmt::Display for Facility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for facility in Facility::all() {
            assert_eq!(Facility::parse(facility.name()), Some(facility));
            assert_eq!(
                Facility::parse(&facility.number().to_string()),
                Some(facility)
            );
            for severity in Severity::all() {
                let priority = Priority::new(facility, severity);
                assert_eq!(
                    (priority.facility(), priority.severity()),
                    (facility, severity)
                );
                assert_eq!(Priority::from_number(priority.number()), Some(priority));
            }
        }
        assert_eq!(Severity::parse("ERROR"), Severity::from_number(3));
        assert_eq!(Facility::parse("24"), None);
        assert_eq!(Severity::parse("8"), None);
        assert_eq!(Priority::from_number(192), None);
    }
}
