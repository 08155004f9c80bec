//! A radix tree of patterns: where a message is looked up, and in which order.
//!
//! A node has a literal text or a parser. Behind it come literal nodes, no two with the same first byte,
//! and nodes with parsers in the order in which patterns brought them. Looking up tries the literal node
//! first, then each parser, and goes back where that leads nowhere. Of all that match, the first pattern
//! that takes the whole text is found; where there is none, the first that takes a start of it.

use std::ops::Range;

use smallvec::SmallVec;

use crate::limits::{STEP_BYTES, STEPS_MAX};
use crate::parser::Parser;
use crate::pattern::Element;

/// A tree whose patterns have values.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

/// Its place in the tree.
type NodeIndex = usize;

const ROOT: NodeIndex = 0;

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// The literal text; empty for the root and behind a parser.
    pub(crate) key: Box<[u8]>,
    has_line_feed: bool,
    /// First bytes of the literal nodes, ascending.
    firsts: SmallVec<[u8; 16]>,
    /// The literal nodes, in the same order.
    literals: SmallVec<[NodeIndex; 2]>,
    /// The nodes with parsers.
    parsers: Vec<(Parser, NodeIndex)>,
    /// What the pattern that ends here stands for.
    pub(crate) value: Option<u32>,
    /// The line of the pattern that brought it.
    pub(crate) line: usize,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Found<'t> {
    pub(crate) value: u32,
    pub(crate) captures: Captures<'t>,
}

/// What parsers with a name took, in the order of the text.
pub(crate) type Captures<'t> = SmallVec<[Capture<'t>; 8]>;

/// What a parser took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture<'t> {
    pub(crate) parser: &'t Parser,
    start: u32,
    end: u32,
}

impl<'t> Capture<'t> {
    fn new(parser: &'t Parser, range: Range<usize>) -> Self {
        // Messages are far shorter; what would not fit is empty.
        Self {
            parser,
            start: u32::try_from(range.start).unwrap_or(u32::MAX),
            end: u32::try_from(range.end).unwrap_or(u32::MAX),
        }
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Tree {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![Node::default()],
        }
    }

    /// Gives the root a value, which every text finds that finds nothing else.
    pub(crate) fn set_root(&mut self, value: u32) {
        if let Some(root) = self.nodes.get_mut(ROOT) {
            root.value = Some(value);
        }
    }

    /// Adds a pattern; where there is the same one, its value stays and is handed back.
    pub(crate) fn insert(
        &mut self,
        elements: Vec<Element>,
        value: u32,
        line: usize,
    ) -> Result<(), u32> {
        let mut at = ROOT;
        for element in elements {
            at = match element {
                Element::Literal(text) => self.literal(at, &text, line),
                Element::Parser(parser) => self.parser(at, parser, line),
            };
        }
        match self.nodes.get_mut(at) {
            Some(node) => match node.value {
                Some(other) => Err(other),
                None => {
                    node.value = Some(value);
                    Ok(())
                }
            },
            None => Ok(()),
        }
    }

    fn add(&mut self, node: Node) -> NodeIndex {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The node that a literal text leads to, made where it is not there.
    fn literal(&mut self, mut at: NodeIndex, mut text: &[u8], line: usize) -> NodeIndex {
        while let Some(first) = text.first() {
            let Some(child) = self.nodes.get(at).and_then(|node| node.literal(*first)) else {
                let child = self.add(Node::of_key(text, line));
                if let Some(node) = self.nodes.get_mut(at) {
                    node.add_literal(*first, child);
                }
                return child;
            };
            let common = self.nodes.get(child).map_or(0, |node| {
                let pairs = node.key.iter().zip(text);
                pairs.take_while(|(a, b)| a == b).count()
            });
            self.split(child, common);
            at = child;
            text = text.get(common..).unwrap_or_default();
        }
        at
    }

    /// Splits a node where its text is longer than that: what is behind becomes a node of its own.
    fn split(&mut self, at: NodeIndex, len: usize) {
        let Some(node) = self.nodes.get_mut(at) else {
            return;
        };
        let Some((start, end)) = node.key.split_at_checked(len) else {
            return;
        };
        let Some(first) = end.first().copied() else {
            return;
        };
        let upper = Node::of_key(start, node.line);
        let own = Node::of_key(end, node.line);
        let lower = Node {
            key: own.key,
            has_line_feed: own.has_line_feed,
            ..std::mem::replace(node, upper)
        };
        let lower = self.add(lower);
        if let Some(node) = self.nodes.get_mut(at) {
            node.add_literal(first, lower);
        }
    }

    /// The node behind a parser, made where it is not there.
    fn parser(&mut self, at: NodeIndex, parser: Parser, line: usize) -> NodeIndex {
        let known = self.nodes.get(at).and_then(|node| {
            let mut all = node.parsers.iter();
            all.find(|(known, _)| known.is_same(&parser))
        });
        if let Some((_, child)) = known {
            return *child;
        }
        let child = self.add(Node {
            line,
            ..Node::default()
        });
        if let Some(node) = self.nodes.get_mut(at) {
            node.parsers.push((parser, child));
        }
        child
    }

    /// How many nodes the longest way has.
    pub(crate) fn depth(&self) -> usize {
        let mut depth = 0;
        let mut level = vec![ROOT];
        while !level.is_empty() {
            depth += 1;
            let nodes = level.iter().filter_map(|at| self.nodes.get(*at));
            level = nodes.flat_map(Node::children).collect();
        }
        depth
    }

    /// Calls for each node with its level and the parser in front of it, in the order of looking up.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(usize, &Node, Option<&Parser>)) {
        let mut open = vec![(0, ROOT, None)];
        while let Some((level, at, parser)) = open.pop() {
            let Some(node) = self.nodes.get(at) else {
                continue;
            };
            visit(level, node, parser);
            let parsers = node.parsers.iter().rev();
            open.extend(parsers.map(|(parser, child)| (level + 1, *child, Some(parser))));
            let literals = node.literals.iter().rev();
            open.extend(literals.map(|child| (level + 1, *child, None)));
        }
    }

    /// The values of all patterns that take a whole text, the one that is found first.
    pub(crate) fn find_all(&self, text: &[u8]) -> Vec<u32> {
        let mut search = Search {
            all: Some(Vec::new()),
            ..Search::new(self, text)
        };
        search.node(ROOT, 0);
        search.all.unwrap_or_default()
    }

    /// Looks a text up; `None` also where that takes more steps than it may.
    pub(crate) fn find<'t>(&'t self, text: &[u8]) -> Option<Found<'t>> {
        let mut search = Search::new(self, text);
        let whole = search.node(ROOT, 0);
        if search.steps == 0 {
            return None;
        }
        match whole {
            Some(value) => Some(Found {
                value,
                captures: search.captures,
            }),
            None => search.partial,
        }
    }
}

impl Node {
    /// How much of a text its own text takes; `None` where it does not stand there.
    #[inline]
    fn key_len(&self, text: &[u8]) -> Option<usize> {
        let key = &*self.key;
        let is_there = match key.len() {
            // A call costs more than to compare so few.
            0..=16 => text.len() >= key.len() && key.iter().zip(text).all(|(a, b)| a == b),
            _ => text.starts_with(key),
        };
        match is_there {
            true => Some(key.len()),
            false if self.has_line_feed => self.key_len_of_lines(text),
            false => None,
        }
    }

    /// The same, where a line feed may have a carriage return in front.
    fn key_len_of_lines(&self, text: &[u8]) -> Option<usize> {
        let mut len = 0;
        for wanted in &self.key {
            if *wanted == b'\n' && text.get(len) == Some(&b'\r') {
                len += 1;
            }
            if text.get(len) != Some(wanted) {
                return None;
            }
            len += 1;
        }
        Some(len)
    }

    /// A node with this text.
    fn of_key(key: &[u8], line: usize) -> Self {
        Self {
            key: key.into(),
            has_line_feed: key.contains(&b'\n'),
            line,
            ..Self::default()
        }
    }

    #[inline]
    fn literal(&self, first: u8) -> Option<NodeIndex> {
        let at = match self.firsts.len() {
            0..16 => self.firsts.iter().position(|known| *known == first)?,
            _ => self.firsts.binary_search(&first).ok()?,
        };
        self.literals.get(at).copied()
    }

    fn add_literal(&mut self, first: u8, child: NodeIndex) {
        if let Err(at) = self.firsts.binary_search(&first) {
            self.firsts.insert(at, first);
            self.literals.insert(at, child);
        }
    }

    fn children(&self) -> impl Iterator<Item = NodeIndex> {
        let parsers = self.parsers.iter().map(|(_, child)| *child);
        self.literals.iter().copied().chain(parsers)
    }
}

/// A text that is looked up.
struct Search<'t, 'm> {
    tree: &'t Tree,
    text: &'m [u8],
    /// The steps that are left; none where too many were taken.
    steps: usize,
    captures: Captures<'t>,
    /// The first pattern that takes a start of the text.
    partial: Option<Found<'t>>,
    /// Where not only the first pattern is wanted, all that were found.
    all: Option<Vec<u32>>,
}

impl<'t, 'm> Search<'t, 'm> {
    fn new(tree: &'t Tree, text: &'m [u8]) -> Self {
        Self {
            tree,
            text,
            // In proportion to the text, so that a long one is looked at as a whole some dozens of times.
            steps: STEPS_MAX + text.len() / (STEP_BYTES / 64),
            captures: Captures::new(),
            partial: None,
            all: None,
        }
    }

    /// Looks from a node on, at a place of the text. The captures stay where something is found.
    fn node(&mut self, index: NodeIndex, at: usize) -> Option<u32> {
        if !self.step(0) {
            return None;
        }
        let node = self.tree.nodes.get(index)?;
        let rest = self.text.get(at..)?;
        let at = at + node.key_len(rest)?;
        if at == self.text.len() {
            return self.whole(node.value);
        }
        let found = self.literal(node, at);
        if found.is_some() {
            return found;
        }
        let found = self.parsers(node, at);
        if found.is_none() {
            self.keep_partial(node.value);
        }
        found
    }

    fn literal(&mut self, node: &'t Node, at: usize) -> Option<u32> {
        let (first, at) = match self.text.get(at..)? {
            // A line feed of a pattern is one of the message with or without carriage return.
            [b'\r', b'\n', ..] => (b'\n', at + 1),
            [first, ..] => (*first, at),
            [] => return None,
        };
        let child = node.literal(first)?;
        self.node(child, at)
    }

    fn parsers(&mut self, node: &'t Node, at: usize) -> Option<u32> {
        let before = self.captures.len();
        for (parser, child) in &node.parsers {
            if !self.step(self.text.len() - at) {
                return None;
            }
            let Some(taken) = parser.take(self.text, at) else {
                continue;
            };
            if !parser.name.is_empty() {
                let range = at + taken.start..at + taken.end;
                self.captures.push(Capture::new(parser, range));
            }
            let end = at + taken.len;
            let found = match end > self.text.len() {
                true => {
                    // Behind the end a pattern takes a start of the text only.
                    self.keep_partial(self.tree.nodes.get(*child)?.value);
                    None
                }
                false => self.node(*child, end),
            };
            if found.is_some() {
                return found;
            }
            self.captures.truncate(before);
        }
        None
    }

    /// What a pattern that takes the whole text stands for, unless others are wanted as well.
    fn whole(&mut self, value: Option<u32>) -> Option<u32> {
        let Some(all) = &mut self.all else {
            return value;
        };
        all.extend(value);
        None
    }

    fn keep_partial(&mut self, value: Option<u32>) {
        if let Some(value) = value
            && self.partial.is_none()
        {
            self.partial = Some(Found {
                value,
                captures: self.captures.clone(),
            });
        }
    }

    /// Counts a step that looks at so many bytes; whether it may be taken.
    fn step(&mut self, bytes: usize) -> bool {
        self.steps = self.steps.saturating_sub(1 + bytes / STEP_BYTES);
        self.steps > 0
    }
}
