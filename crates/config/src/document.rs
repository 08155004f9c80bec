//! The file as sections with a value for every key, checked against the table of known keys.
//!
//! Everything later (cross checks, building options, the effective listing) works on this form, in
//! which defaults, the file and flags look the same but for their [`Origin`].

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::finding::Findings;
use crate::limits::SECTIONS_MAX;
use crate::nearest::{list, nearest};
use crate::schema::step::KINDS;
use crate::schema::{KeySpec, Kind, SECTIONS, SectionSpec};
use crate::value::{Name, Value, check_name, with_article};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The configuration file, with the line, counted from 1.
    File(usize),
    /// The command line.
    Flag,
}

/// As `check --effective` shows it: `default`, `flag` or the line of the file.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(line) => write!(f, "line {line}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// The key of a step that says its kind.
const DO: &str = "do";

/// All sections in force, in the order of the table of sections, named ones in that of the file.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) sections: Vec<Section>,
}

/// A section: its values stand in the order of `spec.keys`, one for each.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) spec: &'static SectionSpec,
    pub(crate) name: Option<Name>,
    pub(crate) origin: Origin,
    pub(crate) entries: Vec<Entry>,
    /// Where it stands, where that is one place: that of a step.
    pub(crate) span: Option<Range<usize>>,
}

/// A key's value and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: &'static KeySpec,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
    pub(crate) span: Option<Range<usize>>,
}

impl Section {
    /// A section of defaults.
    pub(crate) fn new(spec: &'static SectionSpec, name: Option<Name>, origin: Origin) -> Self {
        let defaults = DEFAULTS.get(spec.path);
        let values = defaults.into_iter().flatten().cloned();
        let default = |(key, value)| Entry {
            key,
            value,
            origin: Origin::Default,
            span: None,
        };
        Self {
            spec,
            name,
            origin,
            entries: spec.keys.iter().zip(values).map(default).collect(),
            span: None,
        }
    }

    /// The value of a key.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.name == key)
    }

    pub(crate) fn entry_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key.name == key)
    }

    /// The last fixed part of its path: `udp`, `route`, `http`.
    pub(crate) fn kind(&self) -> &'static str {
        self.spec.path.last().copied().unwrap_or_default()
    }

    /// Whether it is a source of any kind.
    pub(crate) fn is_source(&self) -> bool {
        self.spec.path.first() == Some(&"source")
    }

    /// Whether it is a destination of any kind.
    pub(crate) fn is_destination(&self) -> bool {
        self.spec.path.first() == Some(&"destination")
    }

    /// Whether it is a step of a route.
    pub(crate) fn is_step(&self) -> bool {
        self.spec.path.first() == Some(&"step")
    }

    /// The steps of a key.
    pub(crate) fn steps(&self, key: &str) -> &[Section] {
        match self.entry(key).map(|entry| &entry.value) {
            Some(Value::Steps(steps)) => steps,
            _ => &[],
        }
    }

    /// Where it is called something in the file, or stands there.
    pub(crate) fn place(&self) -> Option<Range<usize>> {
        self.name_span().or_else(|| self.span.clone())
    }

    /// The name its author gave it, or nothing.
    pub(crate) fn name(&self) -> &str {
        self.name.as_ref().map_or("", |name| &name.text)
    }

    /// Where its name stands in the file.
    pub(crate) fn name_span(&self) -> Option<Range<usize>> {
        self.name.as_ref().and_then(|name| name.span.clone())
    }

    /// Its path as in a header: `source.udp.office`.
    pub(crate) fn path(&self) -> String {
        let mut path = self.spec.path.join(".");
        if let Some(name) = &self.name {
            path.push('.');
            path += &header_key(&name.text);
        }
        path
    }
}

impl Document {
    /// The sections of a kind, by the last fixed part of their path; destinations are apart.
    pub(crate) fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Section> {
        self.sections
            .iter()
            .filter(move |section| section.kind() == kind && !section.is_destination())
    }

    /// The destinations of every kind.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = &Section> {
        self.sections
            .iter()
            .filter(|section| section.is_destination())
    }

    /// The sources of every kind.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| section.is_source())
    }
}

/// The defaults of the keys of each section, by its path: read once, not for every section.
static DEFAULTS: LazyLock<HashMap<&[&str], Vec<Value>>> = LazyLock::new(|| {
    let defaults = |spec: &SectionSpec| spec.keys.iter().map(default_value).collect();
    let of_section = |spec: &'static SectionSpec| (spec.path, defaults(spec));
    SECTIONS.iter().chain(KINDS).map(of_section).collect()
});

/// The default of a key. A test reads each, so that none is lost here.
fn default_value(key: &KeySpec) -> Value {
    let read = |text: &'static str| {
        let value = DeValue::parse(text).ok()?;
        key.kind.read(value.get_ref()).ok()
    };
    key.default.and_then(read).unwrap_or(Value::Unset)
}

/// A key as it has to be written in a header: bare, or quoted where it has dots.
pub(crate) fn header_key(name: &str) -> String {
    if name.contains('.') {
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}

/// Reads a table into sections and reports what is not known or cannot be understood. A value that
/// is wrong is left unset, so that the other checks pass over it.
pub(crate) fn read(root: &DeTable<'_>, findings: &mut Findings<'_>) -> Document {
    let mut reader = Reader {
        findings,
        sections: Vec::new(),
        is_full: false,
    };
    reader.level(root, &mut Vec::new());
    let mut sections = reader.sections;
    for spec in SECTIONS {
        if !spec.named
            && !sections
                .iter()
                .any(|section| section.spec.path == spec.path)
        {
            sections.push(Section::new(spec, None, Origin::Default));
        }
    }
    if !sections.iter().any(Section::is_source) {
        // One that cannot do without some value, as a path, is there only where it is asked for.
        let is_complete = |spec: &&SectionSpec| spec.keys.iter().all(|key| !key.required);
        let sources = SECTIONS
            .iter()
            .filter(|spec| spec.path.first() == Some(&"source"));
        let sources = sources.filter(is_complete);
        for spec in sources {
            let name = spec.path.last().copied().unwrap_or_default();
            sections.push(Section::new(spec, Some(unplaced(name)), Origin::Default));
        }
    }
    let main = |section: &Section| section.kind() == "logspace" && section.name() == "main";
    if !sections.iter().any(main) {
        let spec = SECTIONS.iter().find(|spec| spec.path == ["logspace"]);
        sections
            .extend(spec.map(|spec| Section::new(spec, Some(unplaced("main")), Origin::Default)));
    }
    sections.sort_by_key(|section| {
        let rank = SECTIONS
            .iter()
            .position(|spec| spec.path == section.spec.path);
        (rank, section.name_span().map(|span| span.start))
    });
    Document { sections }
}

/// A name that does not come from the file.
pub(crate) fn unplaced(name: &str) -> Name {
    Name {
        text: name.to_owned(),
        span: None,
    }
}

struct Reader<'r, 'a> {
    findings: &'r mut Findings<'a>,
    sections: Vec<Section>,
    /// Whether sections were left out.
    is_full: bool,
}

impl Reader<'_, '_> {
    /// A table above the sections: the root, and `source`.
    fn level<'t>(&mut self, table: &'t DeTable<'_>, path: &mut Vec<&'t str>) {
        for (key, value) in in_file_order(table) {
            path.push(key.get_ref());
            let below = SECTIONS.iter().find(|spec| spec.path.starts_with(path));
            let Some(spec) = below else {
                self.unknown_section(key.span(), path);
                path.pop();
                continue;
            };
            let (written, header) = (path.join("."), header(spec, "NAME"));
            if let Some(table) = self.table(value, key.span(), &written, &header) {
                if spec.path.len() > path.len() {
                    self.level(table, path);
                } else {
                    self.sections_of(spec, table, &key.span());
                }
            }
            path.pop();
        }
    }

    /// A table whose path is known: a section, or a table of named sections.
    fn sections_of(
        &mut self,
        spec: &'static SectionSpec,
        table: &DeTable<'_>,
        span: &Range<usize>,
    ) {
        if !spec.named {
            let origin = Origin::File(self.findings.line(span.start));
            self.section(Section::new(spec, None, origin), table);
            return;
        }
        self.report_nameless(spec, table, span);
        for (key, value) in in_file_order(table) {
            if let Err(bad) = check_name(key.get_ref()) {
                self.findings.error(Some(key.span()), bad.message, bad.hint);
                continue;
            }
            match value.get_ref() {
                DeValue::Table(table) => {
                    let name = Name {
                        text: key.get_ref().to_string(),
                        span: Some(key.span()),
                    };
                    let origin = Origin::File(self.findings.line(key.span().start));
                    self.section(Section::new(spec, Some(name), origin), table);
                }
                other if is_list_of_tables(other) => {
                    let header = header(spec, key.get_ref());
                    self.table(value, key.span(), &header, &header);
                }
                _ => {}
            }
        }
    }

    /// A section with keys, or with nothing, where there should be names.
    fn report_nameless(&mut self, spec: &SectionSpec, table: &DeTable<'_>, span: &Range<usize>) {
        let is_name = |value: &DeValue<'_>| value.is_table() || is_list_of_tables(value);
        if !table.is_empty() && table.iter().all(|(_, value)| is_name(value.get_ref())) {
            return;
        }
        let kind = spec.path.last().copied().unwrap_or_default();
        let example = header(spec, &format!("{kind}1"));
        self.findings.error(
            Some(span.clone()),
            format!("`[{}]` has no name", spec.path.join(".")),
            Some(format!(
                "put a name of your choice behind it, such as `[{example}]`"
            )),
        );
    }

    /// The keys of a section.
    fn section(&mut self, mut section: Section, table: &DeTable<'_>) {
        if self.sections.len() == SECTIONS_MAX {
            self.refuse_more(&section);
            return;
        }
        self.keys(&mut section, table);
        self.sections.push(section);
    }

    /// The keys of a section or step.
    fn keys(&mut self, section: &mut Section, table: &DeTable<'_>) {
        let is_step = section.is_step();
        for (key, value) in in_file_order(table) {
            if is_step && key.get_ref() == DO {
                continue;
            }
            let keys = section.spec.keys;
            let at = keys.iter().position(|known| known.name == key.get_ref());
            let Some(at) = at else {
                self.unknown_key(section, key);
                continue;
            };
            let Some(entry) = section.entries.get_mut(at) else {
                continue;
            };
            if let (Kind::Steps, DeValue::Array(items)) = (&entry.key.kind, value.get_ref()) {
                entry.value = Value::Steps(self.steps(items));
                entry.origin = Origin::File(self.findings.line(key.span().start));
                entry.span = Some(value.span());
                continue;
            }
            match entry.key.kind.read(value.get_ref()) {
                Ok(understood) => {
                    entry.value = understood;
                    entry.origin = Origin::File(self.findings.line(key.span().start));
                    entry.span = Some(value.span());
                }
                Err(bad) => {
                    entry.value = Value::Unset;
                    let span = bad.span.unwrap_or_else(|| value.span());
                    let message = format!("`{}`: {}", key.get_ref(), bad.message);
                    self.findings.error(Some(span), message, bad.hint);
                }
            }
        }
        self.missing_keys(section, table);
    }

    /// The steps of a list. How deep they stand in each other is bounded by the parser of TOML.
    fn steps(&mut self, items: &DeArray<'_>) -> Vec<Section> {
        let mut steps = Vec::new();
        for item in items {
            let Some(table) = item.get_ref().as_table() else {
                let found = with_article(item.get_ref().type_str());
                self.findings.error(
                    Some(item.span()),
                    format!("a step is a table, not {found}"),
                    Some("write it as { do = \"kv\" }".to_owned()),
                );
                continue;
            };
            if let Some(spec) = self.step_spec(table, item.span()) {
                let origin = Origin::File(self.findings.line(item.span().start));
                let mut step = Section::new(spec, None, origin);
                step.span = Some(item.span());
                self.keys(&mut step, table);
                steps.push(step);
            }
        }
        steps
    }

    /// The kind of a step, by its `do`.
    fn step_spec(
        &mut self,
        table: &DeTable<'_>,
        span: Range<usize>,
    ) -> Option<&'static SectionSpec> {
        let kinds = KINDS.iter().filter_map(|spec| spec.path.last().copied());
        let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == DO) else {
            let message = "this step does not say what it does";
            let hint = format!("write `do = ...` with one of {}", list(kinds));
            self.findings.error(Some(span), message, Some(hint));
            return None;
        };
        let written = value.get_ref().as_str().unwrap_or_default();
        let found = KINDS.iter().find(|spec| spec.path.last() == Some(&written));
        if found.is_none() {
            let message = format!("{written:?} is no kind of step");
            let hint = match nearest(written, kinds.clone()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => format!("there are {}", list(kinds)),
            };
            self.findings.error(Some(value.span()), message, Some(hint));
        }
        found
    }

    /// Says that there are too many sections, once.
    fn refuse_more(&mut self, section: &Section) {
        if !std::mem::replace(&mut self.is_full, true) {
            self.findings.error(
                section.name_span(),
                format!("`{}` is one section too many", section.path()),
                Some(format!("{SECTIONS_MAX} sections are possible")),
            );
        }
    }

    /// Keys that have to be there and are not.
    fn missing_keys(&mut self, section: &Section, table: &DeTable<'_>) {
        let missing = section.spec.keys.iter().filter(|key| key.required);
        for key in missing.filter(|key| !table.contains_key(key.name)) {
            self.findings.error(
                section.place(),
                format!("`{}` has no `{}`", section.path(), key.name),
                Some(format!("add `{} = {}`", key.name, key.kind.example())),
            );
        }
    }

    /// The value as a table, or an error that shows how a section is written.
    fn table<'t, 'i>(
        &mut self,
        value: &'t Spanned<DeValue<'i>>,
        span: Range<usize>,
        written: &str,
        header: &str,
    ) -> Option<&'t DeTable<'i>> {
        if let Some(table) = value.get_ref().as_table() {
            return Some(table);
        }
        let found = value.get_ref().type_str();
        let (message, hint) = match found {
            "array" => (
                format!("`{written}` is no list"),
                format!("write `[{header}]`, with single brackets"),
            ),
            _ => (
                format!("`{written}` is a section, not {}", with_article(found)),
                format!("write `[{header}]` on a line of its own and its keys below"),
            ),
        };
        self.findings.error(Some(span), message, Some(hint));
        None
    }

    fn unknown_section(&mut self, span: Range<usize>, path: &[&str]) {
        let (written, above) = path.split_last().unwrap_or((&"", &[]));
        let known = SECTIONS.iter().filter_map(|spec| {
            let below = spec.path.strip_prefix(above)?;
            below.first().copied()
        });
        let mut known: Vec<_> = known.collect();
        known.dedup();
        let message = if above.is_empty() {
            format!("unknown section `{written}`")
        } else {
            format!("unknown section `{written}` in `{}`", above.join("."))
        };
        let hint = suggestion(written, &known);
        self.findings.error(Some(span), message, Some(hint));
    }

    fn unknown_key(&mut self, section: &Section, key: &Spanned<std::borrow::Cow<'_, str>>) {
        let written: &str = key.get_ref();
        let plain = written.replace('-', "_").to_ascii_lowercase();
        let keys = section.spec.keys;
        let synonym = keys.iter().find(|known| known.also.contains(&&*plain));
        let names: Vec<_> = keys.iter().map(|known| known.name).collect();
        let elsewhere = SECTIONS.iter().find(|spec| {
            let mut known = spec.keys.iter().map(|known| known.name);
            !spec.named && known.any(|name| name == written)
        });
        let hint = match (nearest(written, names.iter().copied()), synonym, elsewhere) {
            (Some(near), _, _) => format!("did you mean `{near}`?"),
            (None, Some(known), _) => format!("did you mean `{}`?", known.name),
            (None, None, Some(spec)) => {
                format!("`{written}` belongs into `[{}]`", spec.path.join("."))
            }
            (None, None, None) if names.is_empty() => "this section has no keys".to_owned(),
            (None, None, None) => format!("known here are {}", list(names)),
        };
        let message = format!("unknown key `{written}` in `{}`", section.path());
        self.findings.error(Some(key.span()), message, Some(hint));
    }
}

/// The path of a section as its header has it, with a name where it takes one.
fn header(spec: &SectionSpec, name: &str) -> String {
    let path = spec.path.join(".");
    if spec.named {
        format!("{path}.{}", header_key(name))
    } else {
        path
    }
}

fn suggestion(written: &str, known: &[&str]) -> String {
    match nearest(written, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here are {}", list(known.iter().copied())),
    }
}

/// Whether it is written with double brackets.
fn is_list_of_tables(value: &DeValue<'_>) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().any(|item| item.get_ref().is_table()))
}

/// The entries of a table as they stand in the file; the map is in the order of the alphabet.
fn in_file_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(
    &'t Spanned<std::borrow::Cow<'i, str>>,
    &'t Spanned<DeValue<'i>>,
)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}
