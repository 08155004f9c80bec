//! Lines into templates.
//!
//! Lines with the same punctuation and the same kinds of tokens have one shape. Within a shape,
//! lines whose words mostly agree become a cluster (after Drain: He et al., "An online log parsing
//! approach with fixed depth tree", 2017), and each cluster a template: where its words differ is
//! a slot, as are numbers, ids, addresses and times that are not always the same.

use std::collections::BTreeMap;
use std::io::{BufRead, Read as _};

use model::{RecordParts, Timestamp};
use syslog::{Context, ParseOptions, Parser};

use crate::learn::column;
use crate::learn::error::Error;
use crate::learn::limits::{
    CLUSTERS_MAX, LINE_BYTES_MAX, LINES_MAX, SUCCESSORS_MAX, TEMPLATES_MAX,
};
use crate::learn::profile::{PROFILE_VERSION, Part, Profile, Slot, Template};
use crate::learn::stamp::StampFinder;
use crate::learn::token::{Kind, Token, tokens};

/// Words of 100 that must agree for a line to join a cluster.
const LIKENESS_PERCENT: usize = 60;

/// Learns from lines.
#[derive(Debug)]
pub struct Learner {
    parser: Parser,
    parts: RecordParts,
    stamps: StampFinder,
    lines: Vec<Line>,
}

/// What templates of different headers do not share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    program: String,
    has_pid: bool,
    msgid: String,
    priority: u8,
    has_data: bool,
}

#[derive(Debug)]
struct Line {
    head: Head,
    text: String,
}

/// Lines of one shape whose words mostly agree.
struct Cluster<'a> {
    /// The words; `None` where they differ.
    words: Vec<Option<&'a str>>,
    lines: Vec<usize>,
}

impl Default for Learner {
    fn default() -> Self {
        Self::new()
    }
}

impl Learner {
    /// One that has seen nothing.
    pub fn new() -> Self {
        Self {
            parser: Parser::new(ParseOptions::default()),
            parts: RecordParts::default(),
            stamps: StampFinder::new(),
            lines: Vec::new(),
        }
    }

    /// Learns from all lines of a reader; `false` once it has seen enough.
    pub fn push_all(&mut self, reader: &mut dyn BufRead) -> Result<bool, Error> {
        let mut line = Vec::new();
        while !self.is_full() {
            line.clear();
            let mut limited = reader.take(LINE_BYTES_MAX as u64);
            if limited.read_until(b'\n', &mut line).map_err(Error::Read)? == 0 {
                return Ok(true);
            }
            if line.pop_if(|last| *last == b'\n').is_none() && line.len() == LINE_BYTES_MAX {
                reader.skip_until(b'\n').map_err(Error::Read)?;
            }
            self.push(&line);
        }
        Ok(false)
    }

    /// Learns from a line, without its line end. Syslog headers are understood; other lines are
    /// taken as a whole.
    pub fn push(&mut self, line: &[u8]) {
        let line = line.get(..line.len().min(LINE_BYTES_MAX)).unwrap_or(line);
        if self.is_full() || line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let context = Context {
            received: Timestamp::from_seconds(0),
            peer: None,
        };
        self.parser.parse(line, &context, &mut self.parts);
        let line = self.understood(line);
        self.lines.push(line);
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= LINES_MAX
    }

    fn understood(&self, line: &[u8]) -> Line {
        let parts = &self.parts;
        let word = |span: model::Span| {
            let word = span.of(line).iter().filter(|byte| byte.is_ascii_graphic());
            String::from_utf8_lossy(&word.copied().collect::<Vec<_>>()).into_owned()
        };
        let program = word(parts.program);
        let has_data = !parts.structured_data.is_empty();
        // Without a program the line has another header than ours, if any: all of it is learned.
        let has_header = line.starts_with(b"<") || !program.is_empty();
        let mut text = Vec::new();
        if !has_header {
            text.extend_from_slice(line);
        } else {
            text.extend_from_slice(parts.structured_data.of(line));
            if has_data && !parts.message.is_empty() {
                text.push(b' ');
            }
            text.extend_from_slice(parts.message.of(line));
        }
        let mut text = String::from_utf8_lossy(text.trim_ascii_end()).into_owned();
        if text.contains(|c: char| c.is_control()) {
            text = text.replace(|c: char| c.is_control(), " ");
        }
        let priority = if line.starts_with(b"<") {
            parts.priority.number()
        } else {
            guessed_priority(&text)
        };
        Line {
            head: Head {
                program,
                has_pid: !parts.pid.is_empty() && has_header,
                msgid: word(parts.msgid),
                priority,
                has_data: has_data && has_header,
            },
            text,
        }
    }

    /// What was learned.
    pub fn finish(self) -> Result<Profile, Error> {
        if self.lines.is_empty() {
            return Err(Error::Empty);
        }
        let cut: Vec<Vec<Token<'_>>> = self
            .lines
            .iter()
            .map(|line| tokens(&line.text, &self.stamps))
            .collect();
        let mut clusters: Vec<Vec<usize>> = Vec::new();
        for shape in shapes(&self.lines, &cut).values() {
            clusters.extend(cluster(shape, &cut));
        }
        // The most frequent first; among equals, what was seen first.
        clusters.sort_by_key(|lines| (std::cmp::Reverse(lines.len()), lines.first().copied()));
        clusters.truncate(TEMPLATES_MAX);
        let mut template_of = vec![None; self.lines.len()];
        let mut templates = Vec::with_capacity(clusters.len());
        for (place, lines) in clusters.iter().enumerate() {
            for line in lines {
                if let Some(of) = template_of.get_mut(*line) {
                    *of = u32::try_from(place).ok();
                }
            }
            if let Some(first) = lines.first().and_then(|first| self.lines.get(*first)) {
                templates.push(template(&first.head, lines, &cut));
            }
        }
        add_successors(&mut templates, &template_of);
        Ok(Profile {
            version: PROFILE_VERSION,
            lines: self.lines.len() as u64,
            templates,
        })
    }
}

/// Lines by header, punctuation and kinds of tokens.
fn shapes<'a>(
    lines: &'a [Line],
    cut: &[Vec<Token<'_>>],
) -> BTreeMap<(&'a Head, String), Vec<usize>> {
    let mut shapes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, (line, tokens)) in lines.iter().zip(cut).enumerate() {
        let mut shape = String::with_capacity(line.text.len());
        for token in tokens {
            // Control characters do not occur in texts.
            match &token.kind {
                Kind::Text => shape.push_str(token.text),
                Kind::Word => shape.push('\x01'),
                Kind::Number => shape.push('\x02'),
                Kind::Hex => shape.push('\x03'),
                Kind::Uuid => shape.push('\x04'),
                Kind::Address => shape.push('\x05'),
                Kind::Code => shape.push('\x07'),
                Kind::Stamp(format) => {
                    shape.push('\x06');
                    shape.push_str(format);
                }
            }
        }
        shapes.entry((&line.head, shape)).or_default().push(place);
    }
    shapes
}

/// Splits lines of one shape.
fn cluster(lines: &[usize], cut: &[Vec<Token<'_>>]) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Cluster<'_>> = Vec::new();
    for line in lines {
        let words: Vec<&str> = cut
            .get(*line)
            .into_iter()
            .flatten()
            .filter(|token| token.kind == Kind::Word)
            .map(|token| token.text)
            .collect();
        let likeness = |cluster: &Cluster<'_>| {
            let pairs = cluster.words.iter().zip(&words);
            pairs.filter(|(one, other)| **one == Some(**other)).count()
        };
        let best = (0..clusters.len())
            .filter_map(|place| Some((likeness(clusters.get(place)?), place)))
            .max_by_key(|(likeness, place)| (*likeness, std::cmp::Reverse(*place)));
        // A line with a single word has nothing else that would tell messages apart.
        let needed = match words.len() {
            0 | 1 => 0,
            len => (len * LIKENESS_PERCENT).div_ceil(100),
        };
        let joined = best
            .filter(|(likeness, _)| *likeness >= needed || clusters.len() >= CLUSTERS_MAX)
            .and_then(|(_, place)| clusters.get_mut(place));
        match joined {
            Some(cluster) => cluster.join(&words, *line),
            None => clusters.push(Cluster {
                words: words.into_iter().map(Some).collect(),
                lines: vec![*line],
            }),
        }
    }
    clusters.into_iter().map(|cluster| cluster.lines).collect()
}

impl Cluster<'_> {
    fn join(&mut self, words: &[&str], line: usize) {
        for (kept, word) in self.words.iter_mut().zip(words) {
            if *kept != Some(*word) {
                *kept = None;
            }
        }
        self.lines.push(line);
    }
}

/// Makes a template of the lines of a cluster.
fn template(head: &Head, lines: &[usize], cut: &[Vec<Token<'_>>]) -> Template {
    let rows: Vec<&Vec<Token<'_>>> = lines.iter().filter_map(|line| cut.get(*line)).collect();
    let mut parts: Vec<Part> = Vec::new();
    let mut columns: Vec<Vec<&str>> = Vec::new();
    for (place, token) in rows
        .first()
        .into_iter()
        .flat_map(|row| row.iter())
        .enumerate()
    {
        let values: Vec<&str> = rows
            .iter()
            .filter_map(|row| row.get(place))
            .map(|token| token.text)
            .collect();
        let is_stamp = matches!(token.kind, Kind::Stamp(_));
        if !is_stamp && values.iter().all(|value| *value == token.text) && lines.len() > 1
            || matches!(token.kind, Kind::Text | Kind::Word) && lines.len() == 1
        {
            match parts.last_mut() {
                Some(Part::Text(text)) => text.push_str(token.text),
                _ => parts.push(Part::Text(token.text.to_owned())),
            }
            continue;
        }
        let same = columns.iter().position(|column| *column == values);
        let slot = match same.map(u8::try_from) {
            Some(Ok(slot)) if !is_stamp => Slot::Same { slot },
            _ => column::learn(&token.kind, &values),
        };
        parts.push(Part::Slot(slot));
        columns.push(values);
    }
    Template {
        count: lines.len() as u64,
        program: head.program.clone(),
        has_pid: head.has_pid,
        msgid: head.msgid.clone(),
        priority: head.priority,
        has_data: head.has_data,
        parts,
        next: Vec::new(),
    }
}

/// Says which templates follow which.
fn add_successors(templates: &mut [Template], template_of: &[Option<u32>]) {
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for pair in template_of.windows(2) {
        if let [Some(one), Some(next)] = pair {
            *pairs.entry((*one, *next)).or_default() += 1;
        }
    }
    for ((one, next), count) in pairs {
        let place = usize::try_from(one).unwrap_or(usize::MAX);
        if let Some(template) = templates.get_mut(place) {
            template.next.push((next, count));
        }
    }
    for template in templates {
        template
            .next
            .sort_by_key(|(next, count)| (std::cmp::Reverse(*count), *next));
        template.next.truncate(SUCCESSORS_MAX);
    }
}

/// Facility `daemon` and a severity by the words of a line that does not say.
fn guessed_priority(text: &str) -> u8 {
    const DAEMON: u8 = 3 * 8;
    let text = text.to_ascii_lowercase();
    let severities = [
        (3, ["error", "fail", "fatal"]),
        (4, ["warn", "denied", "refused"]),
    ];
    for (severity, signs) in severities {
        if signs.iter().any(|sign| text.contains(sign)) {
            return DAEMON + severity;
        }
    }
    DAEMON + 6
}
