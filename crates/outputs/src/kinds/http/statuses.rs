//! Sets of statuses of HTTP, as `2xx` or `404`.

use hyper::StatusCode;

/// Statuses from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusRange {
    first: u16,
    last: u16,
}

/// A set of statuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statuses(pub Vec<StatusRange>);

impl StatusRange {
    /// Reads `404`, or `4xx` for a hundred of them.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(hundred) = text.strip_suffix("xx") {
            let hundred: u16 = hundred.parse().ok()?;
            return (2..=5).contains(&hundred).then_some(Self {
                first: hundred * 100,
                last: hundred * 100 + 99,
            });
        }
        let status: u16 = text.parse().ok()?;
        (200..=599).contains(&status).then_some(Self {
            first: status,
            last: status,
        })
    }
}

impl Statuses {
    /// Those that everybody means by success.
    pub fn success() -> Self {
        Self(vec![StatusRange {
            first: 200,
            last: 299,
        }])
    }

    /// Those that find fault with what was sent, and not with who sent it or where to.
    pub fn refused() -> Self {
        let one = |status| StatusRange {
            first: status,
            last: status,
        };
        Self([400, 413, 422].map(one).to_vec())
    }

    pub(super) fn has(&self, status: StatusCode) -> bool {
        let status = status.as_u16();
        let mut ranges = self.0.iter();
        ranges.any(|range| (range.first..=range.last).contains(&status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read_one_by_one_or_by_the_hundred() {
        let read = |text: &str| StatusRange::parse(text).map(|range| (range.first, range.last));
        assert_eq!(read("204"), Some((204, 204)));
        assert_eq!(read("4xx"), Some((400, 499)));
        for wrong in [
            "", "xx", "1xx", "6xx", "199", "600", "2XX", "20x", "-1", "ok",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let has = |status: u16| {
            let status = StatusCode::from_u16(status).expect("a status");
            Statuses::refused().has(status)
        };
        assert!(has(400) && has(422) && !has(401));
    }
}
