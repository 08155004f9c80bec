//! The trees of a database as text, to see in which order patterns are tried.

use std::fmt::Write as _;

use crate::database::Database;
use crate::parser::Parser;
use crate::tree::{Node, Tree};

/// The patterns of programs, a node a line: its level, its parser or text, and `RULES` where one ends.
pub fn programs(database: &Database) -> String {
    tree(&database.programs, &|_| "RULES".to_owned())
}

/// The patterns of messages of a program, a node a line, with the ids of rules where one ends.
pub fn rules(database: &Database, program: &[u8]) -> String {
    let found = database.programs.find(program);
    let rules = found.and_then(|found| database.messages.get(found.value as usize));
    let Some(rules) = rules else {
        return String::new();
    };
    tree(rules, &|value| {
        let rule = database.rules.get(value as usize);
        let id = rule.map(|rule| rule.id.as_str()).unwrap_or_default();
        format!("rule_id='{id}'")
    })
}

fn tree(tree: &Tree, value: &dyn Fn(u32) -> String) -> String {
    let mut out = String::new();
    tree.each(&mut |level, node, parser| line(level, node, parser, value, &mut out));
    out
}

fn line(
    level: usize,
    node: &Node,
    parser: Option<&Parser>,
    value: &dyn Fn(u32) -> String,
    out: &mut String,
) {
    let indent = "  ".repeat(level);
    // Writing to a string cannot fail.
    _ = write!(out, "[{level}]\t{indent}");
    match parser {
        Some(parser) => _ = write!(out, "@{parser}@ [line {}]", node.line),
        None => _ = write!(out, "'{}'", String::from_utf8_lossy(&node.key)),
    }
    if let Some(found) = node.value {
        _ = write!(out, " {}", value(found));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_shown_in_the_order_of_looking_up() {
        let database = Database::parse(
            b"<patterndb version='4'>
              <ruleset><pattern>p</pattern><rules>
              <rule id='1'><pattern>ab@NUMBER:n@c</pattern></rule>
              <rule id='2'><pattern>ab@ESTRING:e: @</pattern></rule>
              <rule id='3'><pattern>ax</pattern></rule>
              </rules></ruleset></patterndb>",
        );
        let database = database.expect("a database");
        assert_eq!(programs(&database), "[0]\t'' RULES\n[1]\t  'p' RULES\n");
        let expected = "[0]\t''\n[1]\t  'a'\n[2]\t    'b'\n\
                        [3]\t      @NUMBER:n@ [line 3]\n[4]\t        'c' rule_id='1'\n\
                        [3]\t      @ESTRING:e: @ [line 4] rule_id='2'\n[2]\t    'x' rule_id='3'\n";
        assert_eq!(rules(&database, b"p"), expected);
        assert_eq!(rules(&database, b"other"), "[0]\t''\n");
    }
}
