//! From a rate and what a message takes to disk per day, week, month, quarter and year.

use std::fmt::Write as _;

use serde::Serialize;

use crate::plan::arguments::Days;

/// Spans of time that disks are planned for, in days.
const PERIODS: [(&str, f64); 5] = [
    ("day", 1.0),
    ("week", 7.0),
    ("month", 30.0),
    ("quarter", 91.0),
    ("year", 365.0),
];

/// Where the figures of a message come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Basis {
    /// Shares of the size that other logs took.
    Defaults,
    /// The command line.
    Given,
    /// A sample file.
    Measured,
    /// What a logspace holds.
    Stored,
}

/// Bytes that one message takes, in one way or another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Footprint {
    /// As it arrives.
    pub(crate) text: f64,
    /// In a segment.
    pub(crate) total: f64,
    /// The message's own part of that, where it is known apart.
    pub(crate) data: Option<f64>,
    /// What finds it.
    pub(crate) index: Option<f64>,
    /// In a file of text packed by gzip -9.
    pub(crate) gzip_9: f64,
    /// The same by zstd -19.
    pub(crate) zstd_19: f64,
}

impl Footprint {
    /// The same in messages of another length, in proportion.
    #[must_use]
    pub(crate) fn at_size(self, size: f64) -> Self {
        self.times(size / self.text)
    }

    fn times(self, factor: f64) -> Self {
        Self {
            text: self.text * factor,
            total: self.total * factor,
            data: self.data.map(|bytes| bytes * factor),
            index: self.index.map(|bytes| bytes * factor),
            gzip_9: self.gzip_9 * factor,
            zstd_19: self.zstd_19 * factor,
        }
    }
}

/// The plan for a disk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Projection {
    pub(crate) rate: f64,
    pub(crate) messages_per_day: f64,
    pub(crate) retention_days: f64,
    pub(crate) basis: Basis,
    pub(crate) bytes_per_message: Footprint,
    pub(crate) disk: Vec<Period>,
}

/// Bytes on disk after a span of time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Period {
    pub(crate) period: &'static str,
    pub(crate) days: f64,
    pub(crate) messages: f64,
    pub(crate) bytes: Footprint,
}

impl Projection {
    /// What `rate` messages a second come to; the last period is the retention.
    pub(crate) fn new(rate: f64, footprint: Footprint, retention: Days, basis: Basis) -> Self {
        let messages_per_day = rate * 86_400.0;
        let periods = PERIODS.into_iter().chain([("retention", retention.0)]);
        let disk = periods.map(|(period, days)| Period {
            period,
            days,
            messages: messages_per_day * days,
            bytes: footprint.times(messages_per_day * days),
        });
        Self {
            rate,
            messages_per_day,
            retention_days: retention.0,
            basis,
            bytes_per_message: footprint,
            disk: disk.collect(),
        }
    }

    /// A table for people.
    pub(crate) fn table(&self) -> String {
        let head = [
            "", "messages", "data", "index", "total", "raw text", "gzip -9", "zstd -19",
        ];
        let mut rows = vec![head.map(str::to_owned)];
        let one = bytes_cells(&self.bytes_per_message, |bytes| format!("{bytes:.1} B"));
        rows.push(row("one message", "1".to_owned(), one));
        for period in &self.disk {
            let name = match period.period {
                "retention" => format!("kept {} d", shown_number(period.days)),
                name => format!("a {name}"),
            };
            let cells = bytes_cells(&period.bytes, shown_bytes);
            rows.push(row(&name, shown_count(period.messages), cells));
        }
        aligned(&rows)
    }
}

fn row(name: &str, messages: String, bytes: [String; 6]) -> [String; 8] {
    let [data, index, total, text, gzip, zstd] = bytes;
    [
        name.to_owned(),
        messages,
        data,
        index,
        total,
        text,
        gzip,
        zstd,
    ]
}

fn bytes_cells(bytes: &Footprint, shown: impl Fn(f64) -> String) -> [String; 6] {
    let known = |bytes: Option<f64>| bytes.map_or_else(|| "-".to_owned(), &shown);
    [
        known(bytes.data),
        known(bytes.index),
        shown(bytes.total),
        shown(bytes.text),
        shown(bytes.gzip_9),
        shown(bytes.zstd_19),
    ]
}

/// The first column to the left, all others to the right.
fn aligned(rows: &[[String; 8]]) -> String {
    let mut widths = [0; 8];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            _ = match column {
                0 => write!(text, "{cell:width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
    text
}

/// Disks are sold in powers of ten.
pub(crate) fn shown_bytes(bytes: f64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut number = bytes;
    let mut unit = "B";
    for next in &UNITS {
        unit = next;
        // What would be rounded to 1000 takes the next unit.
        if number < 999.5 || *next == "PB" {
            break;
        }
        number /= 1_000.0;
    }
    format!("{} {unit}", shown_number(number))
}

fn shown_count(count: f64) -> String {
    match count {
        count if count >= 999.5e6 => format!("{} G", shown_number(count / 1e9)),
        count if count >= 999.5e3 => format!("{} M", shown_number(count / 1e6)),
        count => format!("{count:.0}"),
    }
}

/// Three digits that count; whole numbers stay whole.
pub(crate) fn shown_number(number: f64) -> String {
    match number {
        number if number >= 99.95 || number.fract() == 0.0 => format!("{number:.0}"),
        number if number >= 9.995 => format!("{number:.1}"),
        number => format!("{number:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOOTPRINT: Footprint = Footprint {
        text: 250.0,
        total: 25.0,
        data: Some(17.0),
        index: Some(8.0),
        gzip_9: 30.0,
        zstd_19: 22.0,
    };

    #[test]
    fn a_year_is_a_rate_times_its_seconds() {
        let plan = Projection::new(1_000.0, FOOTPRINT, Days(90.0), Basis::Measured);
        assert_eq!(plan.messages_per_day, 86_400_000.0);
        let year = plan.disk.iter().find(|period| period.period == "year");
        let year = &year.expect("a year").bytes;
        // 86.4 million a day, 365 days, 25 bytes.
        assert_eq!(year.total, 788_400_000_000.0);
        assert_eq!(year.data, Some(536_112_000_000.0));
        assert_eq!(year.index, Some(252_288_000_000.0));
        assert_eq!(year.text, 7_884_000_000_000.0);
        let kept = plan.disk.last().expect("the retention");
        assert_eq!((kept.period, kept.days), ("retention", 90.0));
        assert_eq!(kept.bytes.total, 90.0 * 86_400_000.0 * 25.0);
    }

    #[test]
    fn longer_messages_take_more_in_proportion() {
        let long = FOOTPRINT.at_size(500.0);
        assert_eq!((long.text, long.total), (500.0, 50.0));
        assert_eq!((long.data, long.gzip_9), (Some(34.0), 60.0));
    }

    #[test]
    fn the_table_says_what_is_not_known() {
        let footprint = Footprint {
            data: None,
            index: None,
            ..FOOTPRINT
        };
        let plan = Projection::new(100.0, footprint, Days(30.0), Basis::Given);
        let table = plan.table();
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 8, "{table}");
        let words = |line: usize| lines[line].split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(1), "one message 1 - - 25.0 B 250.0 B 30.0 B 22.0 B");
        assert_eq!(words(2), "a day 8.64 M - - 216 MB 2.16 GB 259 MB 190 MB");
        assert_eq!(
            words(7),
            "kept 30 d 259 M - - 6.48 GB 64.8 GB 7.78 GB 5.70 GB"
        );
        let widths: Vec<_> = lines.iter().map(|line| line.len()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{table}");
    }

    #[test]
    fn bytes_are_shown_with_three_digits() {
        for (bytes, shown) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (999.6, "1.00 kB"),
            (12_345.0, "12.3 kB"),
            (788_400_000_000.0, "788 GB"),
            (9.99e15, "9.99 PB"),
            (5e18, "5000 PB"),
        ] {
            assert_eq!(shown_bytes(bytes), shown);
        }
    }
}
