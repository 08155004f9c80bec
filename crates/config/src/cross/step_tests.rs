//! Steps of routes: what is understood, and what is said of mistakes.

use expect_test::expect;

use crate::overrides::Overrides;
use crate::testing::{check_problems, config};

/// One step of every kind, with the keys it needs.
const EVERY_KIND: &str = r#"
[steps.mend]
steps = [{ do = "set", values = { message = "?" } }]

[route.all]
logspace = "main"
steps = [
    { do = "match", query = "error" },
    { do = "drop", when = "debug" },
    { do = "if", when = "host:a", steps = [{ do = "tag", tags = ["a"] }], else = [
        { do = "untag", tags = ["b"] },
    ] },
    { do = "try", steps = [{ do = "json", marker = "@cee:", extract = "log" }], else = [] },
    { do = "use", name = "mend" },
    { do = "set", values = { host = "${HOST}", "a.b" = "$(lowercase ${MSG})" } },
    { do = "subst", pattern = '\d+', with = "N" },
    { do = "unset", fields = ["a.*", "message"] },
    { do = "rename", fields = { a = "b.c" } },
    { do = "map", from = "a", to = "b", table = { "0" = "no", "1" = "yes" } },
    { do = "mask", how = "hash", secret = "long" },
    { do = "rate_limit", records = 100 },
    { do = "dedupe", period = "1m" },
    { do = "sample", one_of = 10 },
    { do = "kv", prefix = "fw", on_error = "mend" },
    { do = "csv", columns = ["a", "", "c"], on_error = "reject" },
    { do = "regex", pattern = '(?<user>\w+)' },
    { do = "grok", pattern = "%{MINE:client}", patterns = { MINE = '\d+' } },
    { do = "cef" },
    { do = "leef" },
    { do = "access_log", from = "raw" },
    { do = "split", from = "to", to = "rcpt" },
    { do = "xml", windows_event = true },
    { do = "date", from = "stamp", formats = ["%Y-%m-%d %H:%M:%S"], zone = "UTC" },
    { do = "syslog", from = "raw" },
    { do = "patterndb", file = "/etc/patterndb.xml" },
    { do = "lookup", file = "/etc/hosts.csv", from = "host", prefix = "asset" },
    { do = "in_list", file = "/etc/bad.txt", from = "ip", not = true },
]
"#;

#[test]
fn every_kind_of_step_is_made() {
    let config = config(EVERY_KIND, &Overrides::default());
    let kinds: Vec<_> = config.routes[0]
        .steps
        .iter()
        .map(|step| step.kind)
        .collect();
    assert_eq!(kinds.len(), 28);
    let known = crate::schema::step::KINDS.iter();
    for kind in known.filter_map(|spec| spec.path.last()) {
        let said = format!("do = \"{kind}\"");
        assert!(EVERY_KIND.contains(&said), "{kind} has no example");
    }
    let pipeline = ::pipeline::Pipeline::new(config.routes, macros::Context::default());
    assert!(pipeline.is_ok(), "{pipeline:?}");
}

#[test]
fn what_is_in_force_reads_as_a_file() {
    let first = config(EVERY_KIND, &Overrides::default()).effective();
    let shown = first.to_string().replace("\"(not shown)\"", "\"long\"");
    let second = config(&shown, &Overrides::default()).effective();
    assert_eq!(
        first
            .to_string()
            .lines()
            .filter(|line| line.starts_with("steps"))
            .count(),
        second
            .to_string()
            .lines()
            .filter(|line| line.starts_with("steps"))
            .count(),
    );
    assert!(
        shown.contains(r#"{ do = "kv", prefix = "fw", on_error = "mend" }"#),
        "{shown}"
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "all mistakes of one file")]
fn mistakes_have_a_place_and_a_remedy() {
    check_problems(
        r#"
[route.a]
logspace = "main"
steps = [
    { do = "kvv" },
    { prefix = "x" },
    7,
    { do = "kv", prefx = "x" },
    { do = "set" },
    { do = "set", values = { host = "${HOST", raw = "x" } },
    { do = "set", values = { "a*" = "x" } },
    { do = "match", query = "severity:oops" },
    { do = "regex", pattern = "(?<a>" },
    { do = "use", name = "mnd" },
    { do = "kv", on_error = "nothing" },
    { do = "mask", how = "hash" },
    { do = "subst", field = "raw", pattern = "x" },
    { do = "if", when = "x", steps = [{ do = "tag", tags = "a" }] },
]
[steps.mend]
steps = [{ do = "use", name = "again" }]
[steps.again]
steps = [{ do = "use", name = "mend" }]
[route.b]
match = "x"
"#,
        expect![[r#"
            error: "kvv" is no kind of step
             --> logwood.toml:5:12
              |
            5 |     { do = "kvv" },
              |            ^^^^^
            hint: did you mean "kv"?

            error: this step does not say what it does
             --> logwood.toml:6:5
              |
            6 |     { prefix = "x" },
              |     ^^^^^^^^^^^^^^^^
            hint: write `do = ...` with one of `match`, `drop`, `if`, `try`, `use`, `set`, `subst`, `unset`, `rename`, `map`, `tag`, `untag`, `mask`, `rate_limit`, `dedupe`, `sample`, `kv`, `json`, `csv`, `regex`, `cef`, `leef`, `access_log`, `grok`, `split`, `xml`, `date`, `syslog`, `patterndb`, `lookup` and `in_list`

            error: a step is a table, not an integer
             --> logwood.toml:7:5
              |
            7 |     7,
              |     ^
            hint: write it as { do = "kv" }

            error: unknown key `prefx` in `step.kv`
             --> logwood.toml:8:18
              |
            8 |     { do = "kv", prefx = "x" },
              |                  ^^^^^
            hint: did you mean `prefix`?

            error: `step.set` has no `values`
             --> logwood.toml:9:5
              |
            9 |     { do = "set" },
              |     ^^^^^^^^^^^^^^
            hint: add `values = { severity = "${SEVERITY}" }`

            error: `values`: this `${` has no `}`
              --> logwood.toml:10:38
               |
            10 |     { do = "set", values = { host = "${HOST", raw = "x" } },
               |                                      ^^
            hint: close the name with `}`, or write `$$` for a dollar sign

            error: `values`: "a*" is no name of a part or field: use 1 to 256 visible characters
              --> logwood.toml:11:37
               |
            11 |     { do = "set", values = { "a*" = "x" } },
               |                                     ^^^

            error: `query`: there is no severity `oops`
              --> logwood.toml:12:39
               |
            12 |     { do = "match", query = "severity:oops" },
               |                                       ^^^^
            hint: it is 0 to 7 or one of emerg, alert, crit, err, warning, notice, info, debug

            error: `pattern`: the regular expression cannot be read: unclosed group
              --> logwood.toml:13:31
               |
            13 |     { do = "regex", pattern = "(?<a>" },
               |                               ^^^^^^^

            error: `name`: there are no steps "mnd"
              --> logwood.toml:14:26
               |
            14 |     { do = "use", name = "mnd" },
               |                          ^^^^^
            hint: did you mean "mend"?

            error: `on_error`: there are no steps "nothing"
              --> logwood.toml:15:29
               |
            15 |     { do = "kv", on_error = "nothing" },
               |                             ^^^^^^^^^
            hint: there are `again` and `mend`

            error: `how`: `hash` needs a `secret`
              --> logwood.toml:16:26
               |
            16 |     { do = "mask", how = "hash" },
               |                          ^^^^^^
            hint: without one, whoever has a list of values finds out which are meant

            error: `field`: `raw` never changes
              --> logwood.toml:17:29
               |
            17 |     { do = "subst", field = "raw", pattern = "x" },
               |                             ^^^^^
            hint: name another part, or a field

            error: `tags`: expected an array, found a string
              --> logwood.toml:18:60
               |
            18 |     { do = "if", when = "x", steps = [{ do = "tag", tags = "a" }] },
               |                                                            ^^^
            hint: write ["a"]

            error: `name`: the steps "again" use themselves, or are used too deep
              --> logwood.toml:21:31
               |
            21 | steps = [{ do = "use", name = "again" }]
               |                               ^^^^^^^
            hint: 8 levels are possible

            error: `name`: the steps "mend" use themselves, or are used too deep
              --> logwood.toml:23:31
               |
            23 | steps = [{ do = "use", name = "mend" }]
               |                               ^^^^^^
            hint: 8 levels are possible

            error: `route.b` does nothing
              --> logwood.toml:24:8
               |
            24 | [route.b]
               |        ^
            hint: say where its records go, such as `logspace = "main"`
        "#]],
    );
}
