use expect_test::{Expect, expect};

use crate::{parse, render};

/// What is said of a text, and what was understood nevertheless.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes values")]
fn check(text: &str, expected: Expect) {
    let parsed = parse(text);
    let mut seen = render(text, &parsed.diagnostics);
    seen += &format!("= {}\n", parsed.query.canonical());
    expected.assert_eq(&seen);
}

#[test]
fn operators_without_terms() {
    check(
        "a AND",
        expect![[r#"
        error: expected a term after `AND`
          a AND
            ^^^
        hint: to search for the word, quote it: `"AND"`
        = a
    "#]],
    );
    check(
        "a OR OR b",
        expect![[r#"
        error: expected a term after `OR`
          a OR OR b
            ^^
        hint: to search for the word, quote it: `"OR"`
        = a OR b
    "#]],
    );
    check(
        "OR a",
        expect![[r#"
        error: expected a term before `OR`
          OR a
          ^^
        hint: to search for the word, quote it: `"OR"`
        = a
    "#]],
    );
    check(
        "a AND AND b",
        expect![[r#"
        error: expected a term before `AND`
          a AND AND b
                ^^^
        hint: to search for the word, quote it: `"AND"`
        = a AND b
    "#]],
    );
}

#[test]
fn operators_side_by_side() {
    check(
        "a AND OR b",
        expect![[r#"
        error: expected a term after `AND`
          a AND OR b
            ^^^
        hint: to search for the word, quote it: `"AND"`
        = a OR b
    "#]],
    );
    check(
        "NOT",
        expect![[r#"
        error: expected a term after `NOT`
          NOT
          ^^^
        hint: to search for the word, quote it: `"NOT"`
        = NOT *
    "#]],
    );
    check(
        "x AND NOT )",
        expect![[r#"
        error: expected a term after `NOT`
          x AND NOT )
                ^^^
        hint: to search for the word, quote it: `"NOT"`
        error: this parenthesis closes nothing
          x AND NOT )
                    ^
        hint: delete it, or quote it to search for it: `")"`
        = x
    "#]],
    );
    check(
        "(OR a)",
        expect![[r#"
        error: expected a term before `OR`
          (OR a)
           ^^
        hint: to search for the word, quote it: `"OR"`
        = a
    "#]],
    );
}

#[test]
fn parentheses_and_quotes_that_do_not_match() {
    check(
        "(a OR (b c)",
        expect![[r#"
        error: this parenthesis is never closed
          (a OR (b c)
          ^
        hint: add `)`
        = a OR (b AND c)
    "#]],
    );
    check(
        "a ) b",
        expect![[r#"
        error: this parenthesis closes nothing
          a ) b
            ^
        hint: delete it, or quote it to search for it: `")"`
        = a AND b
    "#]],
    );
    check(
        "a ( )",
        expect![[r#"
        error: nothing in the parentheses
          a ( )
            ^^^
        hint: to search for parentheses, quote them: `"()"`
        = a
    "#]],
    );
    check(
        "a \"b c",
        expect![[r#"
        error: this quote is never closed
          a "b c
            ^
        hint: add `"`, or write `\"` to search for a quote
        = a AND "b c"
    "#]],
    );
    check(
        "\"\" a",
        expect![[r#"
        error: the phrase is empty
          "" a
          ^^
        hint: delete it; `NOT field:*` finds records without a field
        = a
    "#]],
    );
    check(
        "host:(a",
        expect![[r#"
        error: this parenthesis is never closed
          host:(a
               ^
        hint: add `)`
        = host:a
    "#]],
    );
}

#[test]
fn fields_without_values_and_misspelt_ones() {
    check(
        "sevrity:err timeout",
        expect![[r#"
            warning: `sevrity` is looked up among the fields of the records
              sevrity:err timeout
              ^^^^^^^
            hint: did you mean `severity`?
            = sevrity:err AND timeout
        "#]],
    );
    check(
        "hostname:web1",
        expect![[r#"
            warning: `hostname` is looked up among the fields of the records
              hostname:web1
              ^^^^^^^^
            hint: did you mean `host`?
            = hostname:web1
        "#]],
    );
    check(
        "host: web1",
        expect![[r#"
            error: expected a value right behind `host:`
              host: web1
              ^^^^^
            hint: write `host:web1` without the space, or `"host: web1"` for that text
            = web1
        "#]],
    );
    check(
        "kernel: panic",
        expect![[r#"
            error: expected a value right behind `kernel:`
              kernel: panic
              ^^^^^^^
            hint: write `kernel:panic` without the space, or `"kernel: panic"` for that text
            = panic
        "#]],
    );
    check(
        "nvpair:user",
        expect![[r#"
        error: expected a name, `=` and a value behind `nvpair:`
          nvpair:user
          ^^^^^^^^^^^
        hint: write `nvpair:name=value`, or `nvpair:name=*` for any value
        = NOT *
    "#]],
    );
    check(
        "nvpair:us*r=x",
        expect![[r#"
        error: the name of a field takes no wildcard
          nvpair:us*r=x
                 ^^^^^
        hint: write `nvpair:name=value`, or `nvpair:name=*` for any value
        = NOT *
    "#]],
    );
    check(
        "host:=",
        expect![[r#"
        error: expected a word or phrase right behind `=`
          host:=
               ^
        hint: write `field:=Word` or `field:="Some words"`
        = NOT *
    "#]],
    );
}

#[test]
fn names_of_codes_that_are_none() {
    check(
        "severity:eror",
        expect![[r#"
        error: there is no severity `eror`
          severity:eror
                   ^^^^
        hint: did you mean `err`?
        = NOT *
    "#]],
    );
    check(
        "severity:>=9",
        expect![[r#"
        error: there is no severity `9`
          severity:>=9
                     ^
        hint: it is 0 to 7 or one of emerg, alert, crit, err, warning, notice, info, debug
        = NOT *
    "#]],
    );
    check(
        "facility:x*",
        expect![[r#"
        error: there is no facility `x*`
          facility:x*
                   ^^
        hint: it is 0 to 23 or one of kern, user, mail, daemon, auth, syslog, lpr, news, uucp, cron, authpriv, ftp, ntp, audit, alert, clock, local0, local1, local2, local3, local4, local5, local6, local7
        = NOT *
    "#]],
    );
}

#[test]
fn values_that_are_no_number() {
    check(
        "size:>=10ms",
        expect![[r#"
        error: `10ms` is no number
          size:>=10ms
                 ^^^^
        hint: numbers are written `10`, `-2.5` or `1e9`, without a unit
        = NOT *
    "#]],
    );
    check(
        "size:> 10",
        expect![[r#"
            error: expected a number right behind `>`
              size:> 10
                   ^
            hint: write `field:>10`, without a space
            = 10
        "#]],
    );
}

#[test]
fn ranges_that_are_none() {
    check(
        "size:[10 to 20]",
        expect![[r#"
        error: expected `[low TO high]`
          size:[10 to 20]
               ^^^^^^^^^^
        hint: write `field:[1 TO 10]`, `*` for no bound; to search for brackets, quote them
        = NOT *
    "#]],
    );
    check(
        "size:[20 TO 10] a",
        expect![[r#"
            error: the range from 20 to 10 is empty
              size:[20 TO 10] a
                   ^^^^^^^^^^
            hint: swap the bounds: `[10 TO 20]`
            = a
        "#]],
    );
    check(
        "size:[a TO b] c",
        expect![[r#"
        error: `a` is no number
          size:[a TO b] c
                ^
        hint: numbers are written `10`, `-2.5` or `1e9`, without a unit
        = c
    "#]],
    );
    check(
        "severity:[info TO err]",
        expect![[r#"
            error: the range from info to err is empty
              severity:[info TO err]
                       ^^^^^^^^^^^^^
            hint: swap the bounds: `[err TO info]`
            = NOT *
        "#]],
    );
    check(
        "message:[foo bar",
        expect![[r#"
        error: expected `[low TO high]`
          message:[foo bar
                  ^^^^^^^^
        hint: write `field:[1 TO 10]`, `*` for no bound; to search for brackets, quote them
        = NOT *
    "#]],
    );
}

#[test]
fn values_that_are_no_address() {
    check(
        "ip:10.0.0.0/33",
        expect![[r#"
        error: `10.0.0.0/33` is no network
          ip:10.0.0.0/33
             ^^^^^^^^^^^
        hint: write `10.0.0.0/8` or `2001:db8::/32`
        = NOT *
    "#]],
    );
    check(
        "ip:web1",
        expect![[r#"
        error: `web1` is no address
          ip:web1
             ^^^^
        hint: write `ip:10.0.0.1`, `ip:10.0.*` or `ip:10.0.0.0/8`; names are in `host`
        = NOT *
    "#]],
    );
    check(
        "ip:>10.0.0.1",
        expect![[r#"
        error: addresses are not compared by size
          ip:>10.0.0.1
             ^^^^^^^^^
        hint: write a network: `ip:10.0.0.0/8`
        = NOT *
    "#]],
    );
}

#[test]
fn expressions_that_do_not_compile() {
    check(
        "/a(b/ c",
        expect![[r#"
        error: the expression is not valid: unclosed group
          /a(b/ c
          ^^^^^
        hint: to search for the text itself, quote it: `"/a(b/"`
        = c
    "#]],
    );
    check(
        "/(a{1000}){1000}/",
        expect![[r#"
        error: the expression is not valid: it needs more than 1048576 bytes
          /(a{1000}){1000}/
          ^^^^^^^^^^^^^^^^^
        hint: to search for the text itself, quote it: `"/(a{1000}){1000}/"`
        = NOT *
    "#]],
    );
}

#[test]
fn likely_mistakes_are_warned_of() {
    check(
        "cats and dogs",
        expect![[r#"
        warning: `and` is searched for as a word
          cats and dogs
               ^^^
        hint: operators are in capitals: `AND`; to be sure of a word, quote it
        = cats AND "and" AND dogs
    "#]],
    );
    check(
        "https://a.example/x?q=1",
        expect![[r#"
        warning: `?` stands for any one character but delimiters such as `?`
          https://a.example/x?q=1
          ^^^^^^^^^^^^^^^^^^^^^^^
        hint: to search for the text as it is, quote it: `"https://a.example/x?q=1"`
        = https://a.example/x?q=1
    "#]],
    );
    check(
        "message:and",
        expect![[r#"
        = message:and
    "#]],
    );
    check(
        "error | top program",
        expect![[r#"
        error: a pipe has no place here
          error | top program
                ^
        hint: `logwood query` answers questions with a pipe; for either of two terms write `OR`; to search for the character, quote it: `"|"`
        = error
    "#]],
    );
    check(
        "(a | b)",
        expect![[r#"
        error: a pipe has no place here
          (a | b)
             ^
        hint: `logwood query` answers questions with a pipe; for either of two terms write `OR`; to search for the character, quote it: `"|"`
        = a
    "#]],
    );
}

#[test]
fn carets_stand_under_characters_not_bytes() {
    check(
        "größe é:x (",
        expect![[r#"
        error: this parenthesis is never closed
          größe é:x (
                    ^
        hint: add `)`
        = größe AND é:x
    "#]],
    );
}

/// The hint that each text gets, which is searched for as it is nevertheless.
#[track_caller]
fn check_hints(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let parsed = parse(text);
        assert!(parsed.is_valid(), "{text}");
        let hints: Vec<&str> = parsed
            .diagnostics
            .iter()
            .filter_map(|diagnostic| diagnostic.hint.as_deref())
            .collect();
        assert!(
            hints.len() == 1 && hints[0].contains(expected),
            "{text}: {hints:?}"
        );
    }
}

#[test]
fn comparisons_of_other_languages_are_told_in_ours() {
    check_hints(&[
        ("host=web-01", "write `host:web-01`"),
        ("error host=\"web 01\"", "write `host:\"web 01\"`"),
        ("hostname=web-01", "write `host:web-01`"),
        ("program==sshd", "write `program:sshd`"),
        ("host!=web-01", "write `NOT host:web-01`"),
        ("host=~web-.*", "write `host:/web-.*/`"),
        ("user!~bot", "write `NOT user:/bot/`"),
        ("status>=500", "write `status:>=500`"),
        ("status >= 500", "write `status:>=500`"),
        ("host = web-01", "write `host:web-01`"),
        ("severity<=err", "write `severity:<=err`"),
        ("severity>=err", "`severity:<=err` finds err and worse"),
        ("severity:>=err", "write `severity:<=err` for worse"),
        ("severity:>warning", "or `severity:>4` if these"),
        ("{host=\"web1\"", "write `host:\"web1\"`"),
        ("host :web1", "write `host:web1` without the space"),
        ("size:=>5", "write `size:>=5`"),
        ("host:==web1", "write `host:=web1`"),
        ("host:!web1", "write `NOT host:web1`"),
        ("host:~web", "write `host:/web/`"),
        ("host:web1,web2", "write `host:(web1 OR web2)`"),
        ("index=main error", "--logspace"),
        ("earliest=-1h error", "--from"),
        ("timestamp>2026-11-01", "--from"),
        ("time:yesterday", "--from"),
        ("logspace:main", "--logspace"),
        ("syslog_identifier:sshd", "did you mean `program`?"),
    ]);
}

#[test]
fn operators_of_other_languages_are_told_in_ours() {
    check_hints(&[
        ("a && b", "write `AND`"),
        ("a & b", "write `AND`"),
        ("!error", "write `NOT error`"),
        ("! error", "write `NOT`"),
        ("!host:web1", "write `NOT host:web1`"),
        ("a -debug", "write `NOT debug`"),
        ("+error", "write `error`"),
        ("-i error", "case makes no difference"),
        ("error --from", "outside of the query's quotes"),
        ("host:(a or b)", "capitals: `OR`"),
        ("a And b", "capitals: `AND`"),
        ("error~2", "leave out `~2`"),
        ("error^3", "leave out `^3`"),
        ("host:\"x\"^2", "leave out `^2`"),
        ("\u{201c}link is down\u{201d}", "write `\"link is down\"`"),
    ]);
}

#[test]
fn patterns_and_statements_of_other_languages_are_told_in_ours() {
    check_hints(&[
        ("'link is down'", "write `\"link is down\"`"),
        ("\u{ab}x\u{bb}", "write `\"x\"`"),
        ("`x y`", "write `\"x y\"`"),
        (".*error.*", "`/.*error.*/`"),
        ("^error", "`/^error/`"),
        ("id=\\d+", "`/id=\\d+/`"),
        ("%error%", "write `*error*`"),
        ("count(*)", "`| count`"),
        ("select * from logs", "this is no SQL"),
    ]);
}

/// What looks alike and is an honest text. A quoted text never is in doubt.
#[test]
fn texts_that_are_meant_as_they_are_give_no_warning() {
    for text in [
        "user=root",
        "a=b",
        "->",
        "a->b",
        "-1",
        "+5",
        "1.2.3.*",
        "web.*",
        "C:\\temp\\data",
        "R&D",
        "it's",
        "::1",
        "~/.profile",
        "user:root,admin",
        "\"host=web-01\"",
        "\"!error\"",
        "\"&&\"",
        "severity:>=3",
        "severity:>=info",
        "severity:<=err",
        "count",
        "select",
        "50%",
        "a,b",
        "<14>",
        "x=>y",
    ] {
        let said = parse(text).diagnostics;
        assert_eq!(said, [], "{text}");
    }
}

#[test]
fn an_error_is_never_lost_behind_warnings() {
    let text = format!("{} (", "a && ".repeat(crate::limits::DIAGNOSTICS_MAX + 5));
    let parsed = parse(&text);
    assert!(!parsed.is_valid());
    assert_eq!(parsed.diagnostics.len(), crate::limits::DIAGNOSTICS_MAX);
}

#[test]
fn codes_and_pipes_of_other_languages_are_told_in_ours() {
    for (text, expected) in [
        ("severity:err,crit", "write `severity:(err OR crit)`"),
        ("severity:!err", "write `NOT severity:err`"),
        ("a || b", "write `OR`"),
        ("{} |= \"x\"", "terms side by side"),
    ] {
        let parsed = parse(text);
        let hint = parsed.diagnostics.iter().find(|d| d.is_error());
        let hint = hint
            .and_then(|error| error.hint.clone())
            .unwrap_or_default();
        assert!(hint.contains(expected), "{text}: {hint}");
    }
}
