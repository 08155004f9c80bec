//! Plots as SVG: bars beside each other, or lines over a quantity. No scripts; colours are classes
//! that the page's style gives, so that they follow light and dark.

use std::fmt::Write as _;

use crate::statistic::number;

/// Colours that the style knows; more subjects than that share the last one.
const COLOURS: usize = 8;
const WIDTH: f64 = 720.0;
const BAR_HEIGHT: f64 = 18.0;
const LABEL_WIDTH: f64 = 210.0;
/// Room behind the longest bar for its figure.
const VALUE_WIDTH: f64 = 110.0;
const LINES_HEIGHT: f64 = 300.0;
const MARGIN_LEFT: f64 = 80.0;
const MARGIN_RIGHT: f64 = 20.0;
const MARGIN_TOP: f64 = 16.0;
const MARGIN_BOTTOM: f64 = 44.0;

/// A bar, in the group of its case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) case: String,
    pub(crate) subject: String,
    pub(crate) value: f64,
}

/// A line: a subject over the axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) subject: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Bars lying, one group for each case, in the order given. `subjects` gives the colours.
pub(crate) fn bars(title: &str, bars: &[Bar], subjects: &[String]) -> String {
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / if most > 0.0 { most } else { 1.0 };
    let mut body = String::new();
    let (mut y, mut last) = (0.0, None);
    for bar in bars {
        if last != Some(&bar.case) {
            let _ = writeln!(
                body,
                "<text class=\"case\" x=\"0\" y=\"{:.0}\">{}</text>",
                y + 18.0,
                escape(&bar.case)
            );
            y += 26.0;
            last = Some(&bar.case);
        }
        let text_y = y + BAR_HEIGHT - 5.0;
        let width = (bar.value * scale).max(1.0);
        let _ = writeln!(
            body,
            "<text x=\"12\" y=\"{text_y:.0}\">{}</text>\
             <rect class=\"c{}\" x=\"{LABEL_WIDTH}\" y=\"{y:.0}\" width=\"{width:.1}\" \
             height=\"{:.0}\"/>\
             <text x=\"{:.1}\" y=\"{text_y:.0}\">{}</text>",
            escape(&bar.subject),
            colour(&bar.subject, subjects),
            BAR_HEIGHT - 3.0,
            LABEL_WIDTH + width + 6.0,
            number(bar.value)
        );
        y += BAR_HEIGHT;
    }
    svg(title, y + 6.0, &body)
}

/// Lines over an axis with powers of ten apart alike, from zero upwards.
pub(crate) fn lines(title: &str, axis: &str, series: &[Series], subjects: &[String]) -> String {
    let points = || series.iter().flat_map(|series| &series.points);
    let most = points().map(|(_, y)| *y).fold(0.0, f64::max);
    let ceiling = round_up(most);
    let place_x = axis_scale(points().map(|(x, _)| *x));
    let bottom = LINES_HEIGHT - MARGIN_BOTTOM;
    let place_y = |y: f64| bottom - y / ceiling * (bottom - MARGIN_TOP);
    let mut body = String::new();
    for step in 0..=4 {
        let value = ceiling * f64::from(step) / 4.0;
        let y = place_y(value);
        let _ = writeln!(
            body,
            "<line class=\"grid\" x1=\"{MARGIN_LEFT}\" x2=\"{:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"end\" x=\"{:.0}\" y=\"{:.1}\">{}</text>",
            WIDTH - MARGIN_RIGHT,
            MARGIN_LEFT - 8.0,
            y + 4.0,
            number(value)
        );
    }
    let mut marks: Vec<f64> = points().map(|(x, _)| *x).collect();
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    for mark in marks {
        let _ = writeln!(
            body,
            "<text class=\"middle\" x=\"{:.1}\" y=\"{:.0}\">{}</text>",
            place_x(mark),
            bottom + 18.0,
            number(mark)
        );
    }
    let _ = writeln!(
        body,
        "<text class=\"middle\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
        f64::midpoint(MARGIN_LEFT, WIDTH - MARGIN_RIGHT),
        bottom + 38.0,
        escape(axis)
    );
    for series in series {
        push_line(&mut body, series, subjects, &place_x, &place_y);
    }
    svg(title, LINES_HEIGHT, &body)
}

fn push_line(
    body: &mut String,
    series: &Series,
    subjects: &[String],
    place_x: &impl Fn(f64) -> f64,
    place_y: &impl Fn(f64) -> f64,
) {
    let colour = colour(&series.subject, subjects);
    let places: Vec<String> = series
        .points
        .iter()
        .map(|(x, y)| format!("{:.1},{:.1}", place_x(*x), place_y(*y)))
        .collect();
    let _ = writeln!(
        body,
        "<polyline class=\"l{colour}\" points=\"{}\"/>",
        places.join(" ")
    );
    for (x, y) in &series.points {
        let _ = writeln!(
            body,
            "<circle class=\"c{colour}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\">\
             <title>{}: {}</title></circle>",
            place_x(*x),
            place_y(*y),
            escape(&series.subject),
            number(*y)
        );
    }
}

/// Places on the axis by logarithm; values below 1 (such as none at all) stand at its start.
fn axis_scale(values: impl Iterator<Item = f64>) -> impl Fn(f64) -> f64 {
    let log = |value: f64| value.max(1.0).log10();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        low = low.min(log(value));
        high = high.max(log(value));
    }
    let (start, width) = (
        MARGIN_LEFT + 20.0,
        WIDTH - MARGIN_LEFT - MARGIN_RIGHT - 40.0,
    );
    move |value| {
        if high > low {
            start + (log(value) - low) / (high - low) * width
        } else {
            start + width / 2.0
        }
    }
}

/// 1, 2, 2.5, 5 or 10 times a power of ten, not below the value.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fits = steps.iter().find(|step| **step * power >= value);
    fits.unwrap_or(&10.0) * power
}

/// The number of a subject's colour.
pub(crate) fn colour(subject: &str, subjects: &[String]) -> usize {
    let place = subjects.iter().position(|found| found == subject);
    place.unwrap_or(COLOURS).min(COLOURS - 1)
}

fn svg(title: &str, height: f64, body: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\
         <title>{}</title>\n{body}</svg>\n",
        escape(title)
    )
}

/// Text as it may stand in HTML and SVG, attributes included.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // XML has no way to write these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Checks that tags pair up and that nothing else holds a bracket: enough XML for what is
    /// written here.
    pub(crate) fn check_markup(text: &str, void: &[&str]) {
        let mut open: Vec<String> = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            assert!(
                !rest[..start].contains('>'),
                "a bracket in {:?}",
                &rest[..start]
            );
            let end = start + rest[start..].find('>').expect("an open bracket is closed");
            let tag = &rest[start + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "quotes in <{tag}>");
            let name = tag
                .trim_start_matches('/')
                .split([' ', '/'])
                .next()
                .unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "in {text}");
            } else if !tag.ends_with('/') && !tag.starts_with('!') && !void.contains(&name) {
                open.push(name.to_owned());
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "open: {open:?}");
    }

    fn subjects() -> Vec<String> {
        vec!["logwood".into(), "a<b>&\"c\"".into()]
    }

    #[test]
    fn bars_are_markup_and_the_longest_is_the_largest() {
        let bar = |subject: &str, value| Bar {
            case: "1 < 2".into(),
            subject: subject.into(),
            value,
        };
        let plot = bars(
            "t & u",
            &[bar("logwood", 1.0), bar("a<b>&\"c\"", 2.0)],
            &subjects(),
        );
        check_markup(&plot, &[]);
        assert!(plot.contains("1 &lt; 2"));
        assert!(
            plot.contains("class=\"c0\" x=\"210\" y=\"26\" width=\"200.0\""),
            "{plot}"
        );
        assert!(
            plot.contains("class=\"c1\" x=\"210\" y=\"44\" width=\"400.0\""),
            "{plot}"
        );
    }

    #[test]
    fn lines_are_markup_for_any_values() {
        for points in [vec![], vec![(0.0, 0.0)], vec![(1.0, 3.0), (10_000.0, 7.0)]] {
            let series = [Series {
                subject: "logwood".into(),
                points,
            }];
            let plot = lines("t", "connections <n>", &series, &subjects());
            check_markup(&plot, &[]);
            assert!(!plot.contains("NaN") && !plot.contains("inf"), "{plot}");
        }
    }

    #[test]
    fn ceilings_are_round() {
        for (value, ceiling) in [
            (0.0, 1.0),
            (3.0, 5.0),
            (23.0, 25.0),
            (640_000.0, 1_000_000.0),
        ] {
            assert!((round_up(value) - ceiling).abs() < ceiling / 1e9);
        }
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            escape("<a href='x'>&\"\u{1}"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot; "
        );
    }
}
