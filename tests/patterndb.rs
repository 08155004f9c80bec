//! `logwood patterndb`, as a script uses it: what it prints and its exit codes.

use std::fs;

use anyhow::Result;
use testkit::{run, run_with_input};

const RULES: &str = "<patterndb version='4' pub_date='2026-01-01'>
  <ruleset name='a' id='a'><pattern>app</pattern><rules>
    <rule provider='p' id='login' class='system' context-id='$user' context-timeout='60'>
      <pattern>login of @STRING:user@</pattern>
      <examples><example>
        <test_message program='app'>login of bob</test_message>
        <test_values><test_value name='user'>bob</test_value></test_values>
      </example></examples>
      <actions><action trigger='timeout'><message><values>
        <value name='MESSAGE'>no more of ${user}@1</value>
      </values></message></action></actions>
    </rule>
  </rules></ruleset>
</patterndb>
";

#[test]
#[expect(clippy::too_many_lines, reason = "one database, through all of it")]
fn databases_are_tested_tried_merged_and_shown() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: &str| -> Result<String> {
        let path = folder.path().join(name);
        fs::write(&path, text)?;
        Ok(path.display().to_string())
    };
    let good = write("good.xml", RULES)?;
    let wrong = write("wrong.xml", &RULES.replace(">bob<", ">eve<"))?;
    let broken = write("broken.xml", "<patterndb>\n<x/></patterndb>")?;
    let codes = [
        (vec!["test", &good], 0, "login of bob"),
        (vec!["test", &good, &wrong], 2, "is `bob` and not `eve`"),
        (
            vec!["test", &good, &wrong, &broken],
            1,
            "line 2: <x> cannot stand",
        ),
        (
            vec!["test", &good, "--rule-id", "nope"],
            3,
            "no rule `nope`",
        ),
        (
            vec![
                "match",
                &good,
                "--program",
                "app",
                "--message",
                "login of ann",
            ],
            0,
            "user=ann\n",
        ),
        (
            vec!["match", &good, "--message", "login of ann"],
            1,
            ".classifier.class=unknown\n",
        ),
        (vec!["merge", &good], 0, "<patterndb version='6'"),
        (
            vec!["dump", &good, "--program", "app"],
            0,
            "@STRING:user@ [line 4] rule_id='login'",
        ),
        (vec!["dump", &broken], 2, ""),
    ];
    for (words, code, told) in codes {
        let finished = run(&[&["patterndb"][..], &words].concat())?;
        assert_eq!(finished.code, Some(code), "{words:?}: {}", finished.errors);
        assert!(
            finished.output.contains(told),
            "{words:?}: {}",
            finished.output
        );
    }

    let lines = "<13>1 2020-01-01T00:00:00Z h app 1 - - login of bob\n\
                 <13>1 2020-01-01T00:02:00Z h app 1 - - other\n";
    let words = [
        "patterndb",
        "match",
        &good,
        "--file",
        "-",
        "--template",
        "$HOST $MSG",
    ];
    let finished = run_with_input(&words, lines.as_bytes())?;
    assert_eq!(
        finished.output,
        "h login of bob\nh no more of bob\nh other\n"
    );
    Ok(())
}
