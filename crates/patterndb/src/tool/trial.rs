//! What a database makes of messages, as text.

use std::fmt::Write as _;

use macros::Template;
use model::Timestamp;

use crate::correlation::{Bounds, Correlator, Message};
use crate::database::Database;

/// What a database makes of messages, and what its actions make of them: the values and tags of each, a line
/// each and an empty line behind, or what a template makes. With it, whether every message matched.
pub fn try_messages(
    database: &Database,
    messages: impl IntoIterator<Item = Message>,
    template: Option<&Template>,
) -> (String, bool) {
    let scene = macros::Context::default();
    let mut correlator = Correlator::new(Bounds::default());
    let mut out = String::new();
    let mut has_all = true;
    for mut message in messages {
        let mut made = Vec::new();
        let mut emit = |new: Message| made.push(new);
        // Messages of files are of any time: their own is the time of the correlation.
        let clock = Timestamp::from_nanos(i64::MAX);
        let rule = correlator.process(database, &mut message, clock, &scene, &mut emit);
        has_all &= rule.is_some();
        write(&message, template, &mut out);
        made.iter().for_each(|new| write(new, template, &mut out));
    }
    correlator.end_all(&scene, &mut |new| write(&new, template, &mut out));
    (out, has_all)
}

fn write(message: &Message, template: Option<&Template>, out: &mut String) {
    let view = message.view();
    if let Some(template) = template {
        let mut text = Vec::new();
        // What is too long leaves nothing behind.
        _ = template.render(&view, &macros::Context::default(), &mut text);
        *out += &String::from_utf8_lossy(&text);
        return;
    }
    for name in ["MESSAGE", "HOST", "PROGRAM", "PID", "MSGID"] {
        let value = message.get(name);
        if !value.is_empty() {
            _ = writeln!(out, "{name}={}", String::from_utf8_lossy(value));
        }
    }
    for field in view.fields() {
        _ = writeln!(
            out,
            "{}={}",
            field.full_name(),
            String::from_utf8_lossy(field.value)
        );
    }
    let tags: Vec<&str> = message.tags().collect();
    _ = writeln!(out, "TAGS={}\n", tags.join(","));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        let mut message = Message::new(Timestamp::from_seconds(0));
        message.set("MESSAGE", text.as_bytes());
        message
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
        let (text, has_all) = try_messages(&database, [message("m 7")], None);
        let first = "MESSAGE=m 7\n.classifier.class=c\n.classifier.rule_id=1\nn=7\nv=<7>\n\
                     TAGS=.classifier.c,t\n\n";
        assert_eq!(text, format!("{first}MESSAGE=made\nTAGS=\n\n"));
        assert!(has_all);
        let template = Template::compile("$MSG,${v}\n").expect("a template");
        let messages = [message("m 1"), message("x")];
        let (text, has_all) = try_messages(&database, messages, Some(&template));
        assert_eq!((text.as_str(), has_all), ("m 1,<1>\nmade,\nx,\n", false));
    }
}
