//! Reads the rules of a ruleset.

use std::sync::Arc;
use std::time::Duration;

use macros::{Condition, Options, Template};

use super::{Loader, RulePattern, leading_number};
use crate::error::{LoadError, Problem};
use crate::limits::RULES_MAX;
use crate::rule::{
    Action, CLASS_DEFAULT, Content, ContextRule, Example, ExpectedValue, Inherit, NewMessage, Rate,
    Rule, RuleValue, Scope, Trigger, ValueType,
};
use crate::xml::Element;

const OPTIONS: Options<'static> = Options {
    environment: None,
    templates: &[],
    is_of_database: true,
};

impl Loader<'_> {
    pub(super) fn rules(&mut self, patterns: &mut Vec<RulePattern>) -> Result<(), LoadError> {
        while let Some(child) = self.child("rules", &[])? {
            if child.name != "rule" {
                return Err(self.misplaced(&child, "rules", "<rule>"));
            }
            if self.database.rules.len() == RULES_MAX {
                return Err(self.xml.error(Problem::TooManyRules));
            }
            let rule = self.rule(&child, patterns)?;
            self.database.rules.push(Arc::new(rule));
        }
        Ok(())
    }

    fn rule(
        &mut self,
        element: &Element,
        patterns: &mut Vec<RulePattern>,
    ) -> Result<Rule, LoadError> {
        let mut rule = self.start_of_rule(element)?;
        // There are fewer than `RULES_MAX`.
        let place = u32::try_from(self.database.rules.len()).unwrap_or(u32::MAX);
        while let Some(child) = self.child("rule", &["patterns", "tags", "values", "urls"])? {
            match child.name.as_str() {
                "pattern" => {
                    let line = self.xml.line();
                    let text = self.text(&child)?;
                    patterns.extend(text.map(|text| RulePattern {
                        text,
                        rule: place,
                        line,
                    }));
                }
                "tag" => rule.tags.extend(self.text(&child)?),
                "value" => rule.values.extend(self.value(&child)?),
                "description" => rule.description = self.text(&child)?.unwrap_or_default(),
                "url" => rule.urls.extend(self.text(&child)?),
                "actions" => self.actions(&mut rule.actions)?,
                "examples" => self.examples(place as usize)?,
                _ => {
                    let wanted = "<pattern>, <tag>, <value>, <description>, <url>, <actions> and \
                                  <examples>";
                    return Err(self.misplaced(&child, "rule", wanted));
                }
            }
        }
        Ok(rule)
    }

    /// A rule as far as its attributes tell it.
    fn start_of_rule(&mut self, element: &Element) -> Result<Rule, LoadError> {
        let Some(id) = element.get("id") else {
            return Err(self.missing(element, "id"));
        };
        let class = element.get("class").unwrap_or(CLASS_DEFAULT);
        let context = match element.get("context-id") {
            Some(id) => Some(self.context(element, id)?),
            None => None,
        };
        Ok(Rule {
            id: id.to_owned(),
            class: class.to_owned(),
            provider: element.get("provider").unwrap_or_default().to_owned(),
            description: String::new(),
            urls: Vec::new(),
            line: self.xml.line(),
            tags: vec![format!(".classifier.{class}")],
            values: Vec::new(),
            context,
            actions: Vec::new(),
        })
    }

    fn missing(&mut self, element: &Element, attribute: &'static str) -> LoadError {
        let name = &element.name;
        let error = self.xml.error(Problem::MissingAttribute {
            element: name.clone(),
            attribute,
        });
        error.with_hint(format!("write `<{name} {attribute}=\"...\">`"))
    }

    /// An error about the value of an attribute.
    fn unknown(&mut self, attribute: &'static str, value: &str, hint: &str) -> LoadError {
        let value = value.to_owned();
        let error = self.xml.error(Problem::Attribute { attribute, value });
        error.with_hint(hint)
    }

    fn context(&mut self, element: &Element, id: &str) -> Result<ContextRule, LoadError> {
        let id = self.template(id)?;
        let scope = match element.get("context-scope") {
            None => Scope::default(),
            Some(name) => Scope::parse(name).ok_or_else(|| {
                let hint = "write `process`, `program`, `host` or `global`";
                self.unknown("context-scope", name, hint)
            })?,
        };
        let seconds = match element.get("context-timeout") {
            None => 0,
            Some(text) => leading_number(text).ok_or_else(|| {
                self.unknown(
                    "context-timeout",
                    text,
                    "write a number of seconds, as `60`",
                )
            })?,
        };
        Ok(ContextRule {
            id,
            scope,
            timeout: Duration::from_secs(seconds.into()),
        })
    }

    fn template(&mut self, text: &str) -> Result<Template, LoadError> {
        Template::compile_with(text, &OPTIONS).map_err(|error| {
            let (text, error) = (text.to_owned(), Box::new(error));
            self.xml.error(Problem::Template { text, error })
        })
    }

    /// A `<value>`; one that is empty sets nothing.
    fn value(&mut self, element: &Element) -> Result<Option<RuleValue>, LoadError> {
        let Some(name) = element.get("name") else {
            return Err(self.missing(element, "name"));
        };
        let value_type = match element.get("type") {
            None => ValueType::default(),
            Some(text) => ValueType::parse(text).ok_or_else(|| {
                self.unknown(
                    "type",
                    text,
                    "write `string`, `integer`, `double` or `boolean`",
                )
            })?,
        };
        let Some(text) = self.text(element)? else {
            return Ok(None);
        };
        Ok(Some(RuleValue {
            name: name.to_owned(),
            template: self.template(&text)?,
            value_type,
        }))
    }

    fn actions(&mut self, actions: &mut Vec<Action>) -> Result<(), LoadError> {
        while let Some(child) = self.child("actions", &[])? {
            if child.name != "action" {
                return Err(self.misplaced(&child, "actions", "<action>"));
            }
            actions.push(self.action(&child)?);
        }
        Ok(())
    }

    fn action(&mut self, element: &Element) -> Result<Action, LoadError> {
        let trigger = match element.get("trigger") {
            None | Some("match") => Trigger::Match,
            Some("timeout") => Trigger::Timeout,
            Some(other) => {
                return Err(self.unknown("trigger", other, "write `match` or `timeout`"));
            }
        };
        let condition = match element.get("condition") {
            None => None,
            Some(text) => Some(Condition::compile_with(text, &OPTIONS).map_err(|error| {
                let (text, error) = (text.to_owned(), Box::new(error));
                self.xml.error(Problem::Condition { text, error })
            })?),
        };
        let mut action = Action {
            trigger,
            condition,
            rate: element.get("rate").and_then(rate),
            content: Content::Nothing,
        };
        while let Some(child) = self.child("action", &[])? {
            action.content = match child.name.as_str() {
                "message" => Content::Message(self.message(&child)?),
                "create-context" => self.create_context(&child)?,
                _ => {
                    let wanted = "<message> and <create-context>";
                    return Err(self.misplaced(&child, "action", wanted));
                }
            };
        }
        Ok(action)
    }

    fn create_context(&mut self, element: &Element) -> Result<Content, LoadError> {
        let Some(id) = element.get("context-id") else {
            return Err(self.missing(element, "context-id"));
        };
        let context = self.context(element, id)?;
        let mut message = NewMessage::default();
        while let Some(child) = self.child("create-context", &[])? {
            if child.name != "message" {
                return Err(self.misplaced(&child, "create-context", "<message>"));
            }
            message = self.message(&child)?;
        }
        Ok(Content::Context(context, message))
    }

    fn message(&mut self, element: &Element) -> Result<NewMessage, LoadError> {
        let mut message = NewMessage::default();
        // Of both the later one counts.
        for (name, value) in element.attributes() {
            let found = match name {
                "inherit-mode" => Inherit::parse(value).ok_or_else(|| {
                    let hint = "write `none`, `last-message` or `context`";
                    self.unknown("inherit-mode", value, hint)
                }),
                "inherit-properties" => Inherit::parse_properties(value).ok_or_else(|| {
                    let hint = "write `true`, `false` or `context`";
                    self.unknown("inherit-properties", value, hint)
                }),
                _ => continue,
            };
            message.inherit = found?;
        }
        while let Some(child) = self.child("message", &["values", "tags"])? {
            match child.name.as_str() {
                "value" => message.values.extend(self.value(&child)?),
                "tag" => message.tags.extend(self.text(&child)?),
                _ => return Err(self.misplaced(&child, "message", "<value> and <tag>")),
            }
        }
        Ok(message)
    }

    fn examples(&mut self, rule: usize) -> Result<(), LoadError> {
        while let Some(child) = self.child("examples", &[])? {
            if child.name != "example" {
                return Err(self.misplaced(&child, "examples", "<example>"));
            }
            let example = self.example(rule)?;
            self.database.examples.push(example);
        }
        Ok(())
    }

    fn example(&mut self, rule: usize) -> Result<Example, LoadError> {
        let mut example = Example {
            rule,
            line: self.xml.line(),
            program: None,
            message: None,
            values: Vec::new(),
        };
        while let Some(child) = self.child("example", &["test_values"])? {
            match child.name.as_str() {
                "test_message" => {
                    example.program = child.get("program").map(str::to_owned);
                    example.message = self.text(&child)?;
                }
                "test_value" => example.values.extend(self.expected(&child)?),
                _ => {
                    let wanted = "<test_message> and <test_values>";
                    return Err(self.misplaced(&child, "example", wanted));
                }
            }
        }
        Ok(example)
    }

    fn expected(&mut self, element: &Element) -> Result<Option<ExpectedValue>, LoadError> {
        let Some(name) = element.get("name") else {
            return Err(self.missing(element, "name"));
        };
        let value = self.text(element)?;
        Ok(value.map(|value| ExpectedValue {
            name: name.to_owned(),
            value,
            type_name: element.get("type").map(str::to_owned),
        }))
    }
}

/// `1/60`: so many times in so many seconds; without seconds, in one. Zero times is no bound.
fn rate(text: &str) -> Option<Rate> {
    let (count, seconds) = text.split_once('/').unwrap_or((text, "1"));
    Some(Rate {
        count: leading_number(count).filter(|count| *count > 0)?,
        seconds: leading_number(seconds).unwrap_or(1).max(1),
    })
}
