//! What a database makes of messages, as text.

use std::fmt::Write as _;

use macros::Template;
use model::Timestamp;

use crate::correlation::{Bounds, Correlator, Message};
use crate::database::Database;

/// What a database makes of messages, and what its actions make of them: the values and tags of each, a line
/// each and an empty line behind, or what a template makes. `show` gets that of each; whether every message
/// matched is handed back.
pub fn try_messages(
    database: &Database,
    messages: impl IntoIterator<Item = Message>,
    template: Option<&Template>,
    show: &mut dyn FnMut(&str),
) -> bool {
    let scene = macros::Context::default();
    let mut correlator = Correlator::new(Bounds::default());
    let mut has_all = true;
    for mut message in messages {
        // Messages of files are of any time: their own is the time of the correlation.
        let clock = Timestamp::from_nanos(i64::MAX);
        let mut over = |new: Message| show(&text_of(&new, template));
        correlator.advance_to(message.time, clock, &scene, &mut over);
        let mut made = Vec::new();
        let mut emit = |new: Message| made.push(new);
        let rule = correlator.process(database, &mut message, clock, &scene, &mut emit);
        has_all &= rule.is_some();
        for message in std::iter::once(&message).chain(&made) {
            show(&text_of(message, template));
        }
    }
    correlator.end_all(&scene, &mut |new| show(&text_of(&new, template)));
    has_all
}

fn text_of(message: &Message, template: Option<&Template>) -> String {
    let view = message.view();
    if let Some(template) = template {
        let mut text = Vec::new();
        // What is too long leaves nothing behind.
        _ = template.render(&view, &macros::Context::default(), &mut text);
        return String::from_utf8_lossy(&text).into_owned();
    }
    let mut out = String::new();
    for name in ["MESSAGE", "HOST", "PROGRAM", "PID", "MSGID"] {
        let value = message.get(name);
        if !value.is_empty() {
            _ = writeln!(out, "{name}={}", String::from_utf8_lossy(value));
        }
    }
    for field in view.fields() {
        let value = String::from_utf8_lossy(field.value);
        _ = writeln!(out, "{}={value}", field.full_name());
    }
    let tags: Vec<&str> = message.tags().collect();
    _ = writeln!(out, "TAGS={}\n", tags.join(","));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(
        database: &Database,
        messages: &[&str],
        template: Option<&Template>,
    ) -> (String, bool) {
        let messages = messages.iter().map(|text| {
            let mut message = Message::new(Timestamp::from_seconds(0));
            message.set("MESSAGE", text.as_bytes());
            message
        });
        let mut out = String::new();
        let has_all = try_messages(database, messages, template, &mut |text| out += text);
        (out, has_all)
    }

    #[test]
    fn values_and_tags_are_shown_and_what_actions_make() {
        let database = Database::parse(
            b"<patterndb version='5'><ruleset><rules>
              <rule id='1' class='c'><pattern>m @NUMBER:n@</pattern><tags><tag>t</tag></tags>
              <values><value name='v'>&lt;$n&gt;</value></values>
              <actions><action><message><values><value name='MESSAGE'>made</value></values></message>
              </action></actions></rule></rules></ruleset></patterndb>",
        );
        let database = database.expect("a database");
        let (text, has_all) = tried(&database, &["m 7"], None);
        let first = "MESSAGE=m 7\n.classifier.class=c\n.classifier.rule_id=1\nn=7\nv=<7>\n\
                     TAGS=.classifier.c,t\n\n";
        assert_eq!(text, format!("{first}MESSAGE=made\nTAGS=\n\n"));
        assert!(has_all);
        let template = Template::compile("$MSG,${v}\n").expect("a template");
        let (text, has_all) = tried(&database, &["m 1", "x"], Some(&template));
        assert_eq!((text.as_str(), has_all), ("m 1,<1>\nmade,\nx,\n", false));
    }
}
