//! Sessions of random messages for syslog-ng's `pdbtool` and for us: the same messages come out.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use macros::{Template, View};
use model::Timestamp;
use patterndb::{Bounds, Correlator, Database, Message};
use testkit::peers::program;
use testkit::{Random, need};

const SESSIONS: u64 = 20;
const MESSAGES: u64 = 300;

/// 2020-01-01T00:00:00Z.
const START: i64 = 1_577_836_800;

/// What actions make begins with `EMIT`.
const DATABASE: &str = r#"<patterndb version='5' pub_date='2026-01-01'><ruleset><pattern>app</pattern><rules>
<rule id='open' class='c' context-id='s-$sid' context-scope='process' context-timeout='10'>
  <pattern>open @NUMBER:sid@ @STRING:user@</pattern>
  <tags><tag>opened</tag></tags>
  <values><value name='n'>$(context-length) ${user}@1</value></values>
  <actions>
    <action condition='"$(context-length)" >= "3" and "${user}" ne "eve"'>
      <message><values>
        <value name='MESSAGE'>EMIT many ${user}@1 ${sid}@2 n=${n}@1 $(context-length)</value>
      </values><tags><tag>many</tag></tags></message>
    </action>
    <action trigger='timeout'>
      <message inherit-properties='TRUE'><values>
        <value name='MESSAGE'>EMIT timeout ${user} ${user}@1 ${user}@2 $(context-length)</value>
      </values></message>
    </action>
  </actions>
</rule>
<rule id='close' class='c' context-id='s-$sid' context-scope='process' context-timeout='0'>
  <pattern>close @NUMBER:sid@</pattern>
  <actions>
    <action>
      <message inherit-mode='context'><values>
        <value name='MESSAGE'>EMIT closed $user $sid $(grep ("${user}" ne "") $user) ${MESSAGE}@1</value>
      </values></message>
    </action>
  </actions>
</rule>
<rule id='host' class='c' context-id='h' context-scope='host' context-timeout='20'>
  <pattern>host @STRING:user@</pattern>
  <actions>
    <action rate='2/10'>
      <message><values><value name='MESSAGE'>EMIT host ${user}@1 $PROGRAM $(context-length)</value></values></message>
    </action>
  </actions>
</rule>
<rule id='plain'>
  <pattern>plain @STRING:user@</pattern>
  <actions>
    <action rate='1/5' trigger='match'>
      <message inherit-mode='last-message'><values>
        <value name='MESSAGE'>EMIT plain $user ${user}@1 ${user}@2 $PID</value>
      </values></message>
    </action>
  </actions>
</rule>
<rule id='global' class='c' context-id='g-$user' context-scope='global' context-timeout='30'>
  <pattern>global @STRING:user@</pattern>
  <actions>
    <action>
      <create-context context-id='made-$user' context-scope='program' context-timeout='30'>
        <message inherit-mode='context'><values><value name='MESSAGE'>made $user</value></values></message>
      </create-context>
    </action>
    <action trigger='timeout'>
      <message><values><value name='MESSAGE'>EMIT end ${MESSAGE}@1</value></values></message>
    </action>
  </actions>
</rule>
<rule id='join' class='c' context-id='made-$user' context-scope='program' context-timeout='15'>
  <pattern>join @STRING:user@</pattern>
  <actions>
    <action>
      <message><values>
        <value name='MESSAGE'>EMIT joined ${MESSAGE}@1 ${MESSAGE}@2 $(context-length)</value>
      </values></message>
    </action>
  </actions>
</rule>
</rules></ruleset></patterndb>"#;

/// What both write of a message.
const TEMPLATE: &str = "$HOST,$PROGRAM,$PID|$MESSAGE|${.classifier.context_id}|${n}|${user}";

struct Line {
    /// Seconds since the start.
    time: i64,
    host: &'static str,
    pid: &'static str,
    text: String,
}

fn session(random: &mut Random) -> Vec<Line> {
    let mut time = 0;
    let mut started = 0;
    let mut lines = Vec::new();
    for _ in 0..MESSAGES {
        time += i64::try_from(random.below(4)).unwrap_or(0);
        if random.below(20) == 0 {
            time += i64::try_from(random.below(40)).unwrap_or(0);
        }
        let user = random.pick::<&str>(&["bob", "ann", "eve"]);
        let sid = random.below(3);
        let text = match random.below(10) {
            0..4 => format!("open {sid} {user}"),
            4 => format!("close {sid}"),
            5 => format!("host {user}"),
            6 => format!("plain {user}"),
            7 => {
                // Each once: syslog-ng keeps the end of a context that another one replaces.
                started += 1;
                format!("global u{started}")
            }
            8 => format!("join u{}", random.below(started + 1)),
            _ => "something else".to_owned(),
        };
        lines.push(Line {
            time,
            host: random.pick::<&str>(&["h1", "h2"]),
            pid: random.pick::<&str>(&["1", "2"]),
            text,
        });
    }
    lines
}

/// What comes out up to the next message; what is made in the order of its text, since contexts that end at
/// the same time have none.
fn groups(lines: impl Iterator<Item = String>) -> Vec<Vec<String>> {
    let mut groups = vec![Vec::new()];
    for line in lines {
        let is_made = line.contains("|EMIT ");
        if !is_made {
            groups.push(Vec::new());
        }
        groups.last_mut().unwrap_or(&mut Vec::new()).push(line);
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

fn theirs(session: &[Line]) -> Result<Vec<Vec<String>>> {
    let folder = tempfile::tempdir()?;
    let (xml, log) = (folder.path().join("db.xml"), folder.path().join("log"));
    fs::write(&xml, DATABASE)?;
    let mut lines = String::new();
    for line in session {
        let (minutes, seconds) = (line.time / 60, line.time % 60);
        let (hours, minutes) = (minutes / 60, minutes % 60);
        writeln!(
            lines,
            "<13>1 2020-01-01T{hours:02}:{minutes:02}:{seconds:02}+00:00 {} app {} - - {}",
            line.host, line.pid, line.text
        )?;
    }
    fs::write(&log, lines)?;
    let out = Command::new(program("pdbtool", "syslog-ng-core")?)
        .args(["match", "-T", &format!("{TEMPLATE}\\n"), "-p"])
        .arg(&xml)
        .arg("-f")
        .arg(&log)
        .output()?;
    let text = String::from_utf8(out.stdout)?;
    ensure!(!text.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    Ok(groups(text.lines().map(str::to_owned)))
}

fn ours(session: &[Line]) -> Result<Vec<Vec<String>>> {
    let database = Database::parse(DATABASE.as_bytes())?;
    let template = Template::compile(TEMPLATE)?;
    let scene = macros::Context::default();
    let write = |view: &View<'_>| -> String {
        let mut out = Vec::new();
        _ = template.render(view, &scene, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    };
    let mut correlator = Correlator::new(Bounds::default());
    let mut lines = Vec::new();
    for line in session {
        let time = Timestamp::from_seconds(START + line.time);
        let mut message = Message::new(time);
        let parts = [
            ("HOST", line.host),
            ("PROGRAM", "app"),
            ("PID", line.pid),
            ("MESSAGE", &line.text),
        ];
        for (name, value) in parts {
            message.set(name, value.as_bytes());
        }
        let mut made = Vec::new();
        let mut emit = |message: Message| made.push(write(&message.view()));
        correlator.advance_to(time, time, &scene, &mut emit);
        lines.append(&mut made);
        let mut emit = |message: Message| made.push(write(&message.view()));
        if let Some(found) = database.classify(b"app", line.text.as_bytes()) {
            for value in found.values() {
                message.set(value.name, value.value);
            }
            correlator.matched(found.rule, &mut message, &scene, &mut emit);
        }
        lines.push(write(&message.view()));
        lines.append(&mut made);
    }
    correlator.end_all(&scene, &mut |made| lines.push(write(&made.view())));
    Ok(groups(lines.into_iter()))
}

#[test]
fn pdbtool_makes_the_same_messages_of_contexts() -> Result<()> {
    if need(program("pdbtool", "syslog-ng-core"))?.is_none() {
        return Ok(());
    }
    let mut made = 0;
    for seed in 0..SESSIONS {
        let session = session(&mut Random::new(seed));
        let theirs = theirs(&session).with_context(|| format!("seed {seed}"))?;
        let ours = ours(&session)?;
        for (place, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            made += theirs.len();
            ensure!(
                ours == theirs,
                "seed {seed}, message {place}\nours   {ours:#?}\ntheirs {theirs:#?}"
            );
        }
        ensure!(ours.len() == theirs.len(), "seed {seed}");
    }
    let messages = usize::try_from(SESSIONS * MESSAGES)?;
    ensure!(
        made > messages + messages / 3,
        "{made} lines of {messages} messages: too few"
    );
    Ok(())
}
