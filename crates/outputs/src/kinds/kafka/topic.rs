//! The topic of a record.

use crate::render::{BadTemplate, Rendering, Scene};
use crate::sink::Item;

/// Longest name of a topic, in bytes.
const TOPIC_BYTES_MAX: usize = 249;

/// A template of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicTemplate(Rendering);

impl TopicTemplate {
    /// Reads a template. Of what it makes of values, characters that no topic can have become `_`.
    ///
    /// # Errors
    /// When it is no template, or a name that is not possible.
    pub fn parse(text: &str) -> Result<Self, BadTemplate> {
        let template = Rendering::template(text)?;
        let constant = template.constant();
        if let Some(name) = constant.filter(|name| possible(name.as_bytes()) != *name) {
            return Err(BadTemplate {
                span: 0..text.len(),
                message: format!("{name:?} can be no topic"),
                hint: Some("use letters, digits, dots, - and _; at most 249".to_owned()),
            });
        }
        Ok(Self(template))
    }

    /// The topic of a record.
    pub(super) fn render(&self, item: Item<'_>, scene: &Scene) -> Result<String, String> {
        let mut name = Vec::new();
        self.0.render(item, scene, &mut name)?;
        Ok(possible(&name))
    }
}

/// A name that is possible.
fn possible(made: &[u8]) -> String {
    let made = made.get(..TOPIC_BYTES_MAX).unwrap_or(made);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let part = |byte: &u8| {
        if is_part(*byte) {
            char::from(*byte)
        } else {
            '_'
        }
    };
    let name: String = made.iter().map(part).collect();
    match name.as_str() {
        "" | "." | ".." => "_".to_owned(),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_make_topics_that_are_possible() {
        for (made, topic) in [
            ("logs.web-1_x", "logs.web-1_x"),
            ("a b/c", "a_b_c"),
            ("", "_"),
            (".", "_"),
            ("..", "_"),
            ("h\u{e4}", "h__"),
        ] {
            assert_eq!(possible(made.as_bytes()), topic);
        }
        assert_eq!(possible("x".repeat(300).as_bytes()).len(), TOPIC_BYTES_MAX);
        assert!(TopicTemplate::parse("logs-${HOST}").is_ok());
        assert!(TopicTemplate::parse("").is_err());
        assert!(TopicTemplate::parse("a b").is_err());
        assert!(TopicTemplate::parse("${").is_err());
    }
}
