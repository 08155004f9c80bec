use expect_test::expect;

use crate::check::check;
use crate::limits::{PROBLEMS_MAX, SECTIONS_MAX, SHOWN_LINE_BYTES_MAX};
use crate::overrides::Overrides;
use crate::problem::Severity;
use crate::testing::check_problems;

#[test]
fn a_bad_query_has_its_caret_inside_the_string() {
    check_problems(
        "[route.a]\nlogspace = \"main\"\nmatch = \"severity:<=oops AND \\\"x\\\"\"\n\
         [route.b]\nlogspace = \"main\"\nmatch = '(error'\n",
        expect![[r#"
            error: `match`: there is no severity `oops`
             --> logwood.toml:3:21
              |
            3 | match = "severity:<=oops AND \"x\""
              |                     ^^^^
            hint: it is 0 to 7 or one of emerg, alert, crit, err, warning, notice, info, debug

            error: `match`: this parenthesis is never closed
             --> logwood.toml:6:10
              |
            6 | match = '(error'
              |          ^
            hint: add `)`
        "#]],
    );
}

#[test]
fn names_must_refer_to_something() {
    check_problems(
        "[logspace.errors]\n[source.udp.office]\nlogspace = \"mian\"\n\
         [route.a]\nfrom = [\"ofice\", \"http\", \"http\"]\nlogspace = \"error\"\n\
         [route.b]\nfrom = [\"elsewhere\"]\nlogspace = \"x.y\"\n[route.c]\n",
        expect![[r#"
            error: no logspace "mian"
             --> logwood.toml:3:12
              |
            3 | logspace = "mian"
              |            ^^^^^^
            hint: did you mean "main"?

            error: no source "ofice"
             --> logwood.toml:5:9
              |
            5 | from = ["ofice", "http", "http"]
              |         ^^^^^^^
            hint: did you mean "office"?

            warning: "http" is named twice
             --> logwood.toml:5:26
              |
            5 | from = ["ofice", "http", "http"]
              |                          ^^^^^^

            error: no logspace "error"
             --> logwood.toml:6:12
              |
            6 | logspace = "error"
              |            ^^^^^^^
            hint: did you mean "errors"?

            error: no source "elsewhere"
             --> logwood.toml:8:9
              |
            8 | from = ["elsewhere"]
              |         ^^^^^^^^^^^
            hint: the sources are `office` and `http`

            error: no logspace "x.y"
             --> logwood.toml:9:12
              |
            9 | logspace = "x.y"
              |            ^^^^^
            hint: declare it: `[logspace."x.y"]`

            error: `route.c` does nothing
              --> logwood.toml:10:8
               |
            10 | [route.c]
               |        ^
            hint: say where its records go, such as `logspace = "main"`
        "#]],
    );
}

#[test]
fn two_listeners_cannot_share_an_address() {
    check_problems(
        "[source.udp.a]\nlisten = \"0.0.0.0:514\"\n[source.tcp.b]\nlisten = \"127.0.0.1:514\"\n\
         [source.tls.c]\nlisten = \"[::]:514\"\n[source.tcp.d]\nlisten = \"127.0.0.1:0\"\n\
         [source.relp.e]\nlisten = \"127.0.0.1:0\"\n[http]\nlisten = \"0.0.0.0:514\"\n\
         [source.udp.a2]\nlisten = \"0.0.0.0:514\"\n",
        expect![[r#"
            error: [::]:514 of `source.tls.c` is taken by `source.tcp.b`
             --> logwood.toml:6:10
              |
            6 | listen = "[::]:514"
              |          ^^^^^^^^^^
            hint: `source.tcp.b` listens on 127.0.0.1:514/tcp: give one of them another port

            error: 0.0.0.0:514 of `http` is taken by `source.tcp.b`
              --> logwood.toml:12:10
               |
            12 | listen = "0.0.0.0:514"
               |          ^^^^^^^^^^^^^
            hint: `source.tcp.b` listens on 127.0.0.1:514/tcp: give one of them another port

            warning: anyone who reaches 0.0.0.0:514 can read and add records: nobody has to log in
              --> logwood.toml:12:10
               |
            12 | listen = "0.0.0.0:514"
               |          ^^^^^^^^^^^^^
            hint: listen on 127.0.0.1, and let people come through SSH or a reverse proxy that asks who they are

            error: 0.0.0.0:514 of `source.udp.a2` is taken by `source.udp.a`
              --> logwood.toml:14:10
               |
            14 | listen = "0.0.0.0:514"
               |          ^^^^^^^^^^^^^
            hint: `source.udp.a` listens on 0.0.0.0:514/udp: give one of them another port
        "#]],
    );
}

#[test]
fn sources_have_names_of_their_own() {
    check_problems(
        "[source.udp.office]\n[source.tcp.office]\n[source.tls.http]\n",
        expect![[r#"
            error: `source.udp.office` and `source.tcp.office` have the same name
             --> logwood.toml:2:13
              |
            2 | [source.tcp.office]
              |             ^^^^^^
            hint: records carry the name of their source: call one of them "office-tcp"

            error: a source cannot be called `http`
             --> logwood.toml:3:13
              |
            3 | [source.tls.http]
              |             ^^^^
            hint: records handed in over the API have that name as their source
        "#]],
    );
}

#[test]
fn a_route_behind_one_that_takes_everything_is_warned_of() {
    check_problems(
        "[source.udp.a]\n[source.tcp.b]\n\
         [route.first]\nfrom = [\"a\"]\nlogspace = \"main\"\nfinal = true\n\
         [route.second]\nfrom = [\"a\"]\nmatch = \"error\"\nlogspace = \"main\"\n\
         [route.third]\nlogspace = \"main\"\nfinal = true\n\
         [route.fourth]\nlogspace = \"main\"\n",
        expect![[r#"
            warning: `route.second` is never reached: `route.first` before it is final and takes everything
             --> logwood.toml:7:8
              |
            7 | [route.second]
              |        ^^^^^^
            hint: move it in front of `[route.first]`

            warning: `route.fourth` is never reached: `route.third` before it is final and takes everything
              --> logwood.toml:14:8
               |
            14 | [route.fourth]
               |        ^^^^^^
            hint: move it in front of `[route.third]`
        "#]],
    );
}

#[test]
fn certificates_and_keys_come_in_pairs() {
    check_problems(
        "[source.tls.a]\ncertificate = \"/c\"\nclient_certificates = \"required\"\n\
         [source.tls.b]\nlisten = \"127.0.0.1:1\"\nkey = \"\"\nclient_ca = \"/ca\"\n\
         [source.relp.c]\ncertificate = \"/c\"\nkey = \"/k\"\n",
        expect![[r#"
            error: `certificate` without `key`
             --> logwood.toml:2:15
              |
            2 | certificate = "/c"
              |               ^^^^
            hint: name the file with its private key in `key`

            error: client certificates cannot be checked without `client_ca`
             --> logwood.toml:3:23
              |
            3 | client_certificates = "required"
              |                       ^^^^^^^^^^
            hint: name the file with the authorities to trust in `client_ca`

            error: `key`: "" is no path
             --> logwood.toml:6:7
              |
            6 | key = ""
              |       ^^
            hint: leave the key out for the default

            warning: `client_ca` is not used: no client is asked for a certificate
             --> logwood.toml:7:13
              |
            7 | client_ca = "/ca"
              |             ^^^^^
            hint: set `client_certificates = "required"`, or "optional"

            warning: this is not used: the connection is not encrypted
             --> logwood.toml:9:15
              |
            9 | certificate = "/c"
              |               ^^^^
            hint: set `tls = true`
        "#]],
    );
}

#[test]
fn an_archive_needs_a_place_and_time_to_get_there() {
    check_problems(
        "[logspace.a]\narchive_after = \"30d\"\n\
         [logspace.b]\narchive_dir = \"/slow\"\n\
         [logspace.c]\narchive_after = \"30d\"\narchive_dir = \"/slow\"\nkeep_age = \"30d\"\n\
         [logspace.d]\narchive_after = \"30d\"\narchive_dir = \"/slow\"\nkeep_age = \"31d\"\n",
        expect![[r#"
            error: `archive_after` without `archive_dir`
             --> logwood.toml:2:17
              |
            2 | archive_after = "30d"
              |                 ^^^^^
            hint: name the directory that old records go to in `archive_dir`

            warning: `archive_dir` without `archive_after`: nothing is archived
             --> logwood.toml:4:15
              |
            4 | archive_dir = "/slow"
              |               ^^^^^^^
            hint: say when records go there, such as `archive_after = "30d"`

            warning: nothing is archived: records are deleted before, by `keep_age`
             --> logwood.toml:6:17
              |
            6 | archive_after = "30d"
              |                 ^^^^^
            hint: make `archive_after` shorter than `keep_age`
        "#]],
    );
}

#[test]
fn not_everybody_is_a_proxy() {
    check_problems(
        "[source.tcp.a]\nproxy_from = [\"10.0.0.2\", \"0.0.0.0/0\"]\n",
        expect![[r#"
            warning: every sender must put a PROXY header in front, and can claim any address
             --> logwood.toml:2:27
              |
            2 | proxy_from = ["10.0.0.2", "0.0.0.0/0"]
              |                           ^^^^^^^^^^^
            hint: name the addresses of your proxies alone
        "#]],
    );
}

#[test]
fn a_page_that_others_reach_is_warned_of() {
    for listen in [
        "0.0.0.0:8514",
        "192.0.2.7:80",
        "[::]:8514",
        "[2001:db8::1]:1",
        "[::ffff:10.0.0.1]:1",
    ] {
        let text = format!("[http]\nlisten = \"{listen}\"\n");
        let checked = check(&text, "logwood.toml", &Overrides::default());
        let said: Vec<String> = checked.problems.iter().map(ToString::to_string).collect();
        let warning = format!("anyone who reaches {listen} can read and add records");
        assert!(
            said.iter().any(|problem| problem.contains(&warning)),
            "{said:?}"
        );
        assert!(checked.config.is_some());
    }
    for listen in [
        "127.0.0.1:8514",
        "127.9.9.9:1",
        "[::1]:8514",
        "[::ffff:127.0.0.1]:1",
    ] {
        let text = format!("[http]\nlisten = \"{listen}\"\n");
        let checked = check(&text, "logwood.toml", &Overrides::default());
        assert!(checked.problems.is_empty(), "{listen}");
    }
    let by_flag = Overrides {
        http: Some(([0, 0, 0, 0], 8514).into()),
        ..Overrides::default()
    };
    let checked = check("", "the defaults", &by_flag);
    assert_eq!(checked.counts(), (0, 1));
}

#[test]
fn names_of_the_server_are_names_alone() {
    for (name, hint) in [
        (
            "https://logs.example.com/",
            "write \\\"logs.example.com\\\"",
        ),
        ("logs.example.com:8514", "write \\\"logs.example.com\\\""),
        ("*.example.com", "write a name such as"),
        ("logs..example.com", "write a name such as"),
        ("", "write a name such as"),
        ("bücher.example", "xn--"),
    ] {
        let text = format!("[http]\nhosts = [\"logs\", {name:?}]\n");
        let checked = check(&text, "logwood.toml", &Overrides::default());
        let said: Vec<String> = checked.problems.iter().map(ToString::to_string).collect();
        let hint = hint.replace("\\\"", "\"");
        assert!(
            said.iter().any(|problem| problem.contains(&hint)),
            "{name}: {said:?}"
        );
        assert!(checked.config.is_none());
    }
    let text = "[http]\nhosts = [\"logs\", \"xn--bcher-kva.example\", \"my_logs.local\"]\n";
    let config = check(text, "logwood.toml", &Overrides::default()).config;
    let hosts = config.expect("is right").http_hosts;
    assert_eq!(hosts, ["logs", "xn--bcher-kva.example", "my_logs.local"]);
}

/// As many sections as there may be, each with its own name and address, and what `more` adds.
fn large(more: impl Fn(usize) -> String) -> String {
    let sources = (0..SECTIONS_MAX / 2).map(|number| {
        let (high, low) = (number / 250, number % 250);
        format!(
            "[source.tcp.s{number}]\nlisten = \"127.1.{high}.{low}:601\"\n{}",
            more(number)
        )
    });
    sources.collect()
}

// A search among all sections for each of them takes minutes in these tests.
#[test]
fn a_large_file_is_checked_at_once() {
    let routes = |number: usize| {
        let other = (number * 7) % (SECTIONS_MAX / 2);
        format!(
            "[route.r{number}]\nfrom = [\"s{number}\", \"s{other}\"]\nfinal = true\nlogspace = \"main\"\n"
        )
    };
    let checked = check(&large(routes), "logwood.toml", &Overrides::default());
    let errors = checked.problems.iter();
    let mut errors = errors.filter(|p| p.severity == Severity::Error);
    let first = errors.next();
    assert!(first.is_none(), "{first:?}");
    assert!(checked.config.is_some());
}

#[test]
fn of_many_problems_the_first_are_told_and_how_many_more_there_are() {
    let wrong = |number: usize| {
        format!(
            "logspace = \"l{number}\"\n[route.r{number}]\nfrom = [\"t{number}\"]\nlogspace = \"x\"\n"
        )
    };
    let checked = check(&large(wrong), "logwood.toml", &Overrides::default());
    assert!(checked.config.is_none());
    assert_eq!(checked.problems.len(), PROBLEMS_MAX + 1);
    let last = checked.problems.last().expect("the rest");
    let more = 3 * SECTIONS_MAX / 2 - PROBLEMS_MAX;
    assert_eq!(last.message, format!("{more} more problems are not shown"));
    let bytes = checked.problems.iter().map(|p| p.to_string().len());
    assert!(bytes.sum::<usize>() < 256 * 1024);
}

#[test]
fn a_file_of_one_long_line_is_not_shown_with_every_problem() {
    let items: Vec<_> = (0..20_000)
        .map(|number| format!("s{number} = {{ x = 1 }}"))
        .collect();
    let text = format!("source.udp = {{ {} }}\n", items.join(", "));
    let checked = check(&text, "logwood.toml", &Overrides::default());
    let bytes = checked.problems.iter().map(|p| p.to_string().len());
    assert!(bytes.sum::<usize>() < 256 * 1024);
    let mut shown = checked.problems.iter().filter_map(|p| p.place.as_ref());
    assert!(shown.all(|place| place.text.len() <= SHOWN_LINE_BYTES_MAX));
    let too_many = |p: &crate::problem::Problem| p.message.ends_with("is one section too many");
    // It is behind so many others that it is only counted.
    assert!(!checked.problems.iter().any(too_many));
    let empty: String = (0..=SECTIONS_MAX)
        .map(|n| format!("[logspace.l{n}]\n"))
        .collect();
    let checked = check(&empty, "logwood.toml", &Overrides::default());
    assert!(checked.problems.iter().any(too_many) && checked.config.is_none());
}

#[test]
fn as_many_wrong_lines_are_told_as_problems() {
    let text = "x = ?\n".repeat(20_000) + &"\n".repeat(100_000);
    let checked = check(&text, "logwood.toml", &Overrides::default());
    assert!(checked.config.is_none());
    assert!(checked.problems.len() <= PROBLEMS_MAX + 1);
}

#[test]
fn what_a_preset_or_its_lack_does_not_use_is_told() {
    check_problems(
        "[destination.http.a]\nurl = \"https://a.example\"\npreset = \"loki\"\nform = \"lines\"\n\
         labels = { \"a-b\" = \"x\" }\nsuccess = [\"2xx\", \"20x\"]\n\
         [destination.http.b]\nurl = \"https://b.example\"\nlabels = { a = \"b\" }\n\
         [destination.http.c]\nurl = \"https://c.example\"\npreset = \"pubsub\"\nuser = \"u\"\n",
        expect![[r#"
            error: this is not used: `preset` decides what a body is
             --> logwood.toml:4:8
              |
            4 | form = "lines"
              |        ^^^^^^^
            hint: leave it out, or `preset`

            error: "a-b" can be no label of Loki
             --> logwood.toml:5:20
              |
            5 | labels = { "a-b" = "x" }
              |                    ^^^
            hint: use letters, digits and _, and no digit in front

            error: `success`: "20x" is no status of HTTP
             --> logwood.toml:6:19
              |
            6 | success = ["2xx", "20x"]
              |                   ^^^^^
            hint: write one such as "404", or "4xx" for all of a hundred

            error: this is not used: a body without `preset` has no labels
             --> logwood.toml:9:10
              |
            9 | labels = { a = "b" }
              |          ^^^^^^^^^^^
            hint: leave it out, or write them in `template`

            error: "https://c.example" is no URL that takes records there
              --> logwood.toml:11:7
               |
            11 | url = "https://c.example"
               |       ^^^^^^^^^^^^^^^^^^^
            hint: write one such as "https://pubsub.googleapis.com/v1/projects/P/topics/T:publish"

            error: `user` without a password
              --> logwood.toml:13:8
               |
            13 | user = "u"
               |        ^^^
            hint: add `password_file`, a file that has it
        "#]],
    );
}

#[test]
fn no_file_is_made_among_those_of_the_store() {
    check_problems(
        "[store]\ndata_dir = \"/var/lib/logwood\"\n\
         [destination.file.a]\npath = \"/var/lib/logwood/out/${HOST}.log\"\n\
         [destination.file.b]\npath = \"/var/lib/other/../logwood/all.log\"\n\
         [destination.file.c]\npath = \"/var/lib/logwood.log\"\n",
        expect![[r#"
            error: this is in the data directory, /var/lib/logwood
             --> logwood.toml:4:8
              |
            4 | path = "/var/lib/logwood/out/${HOST}.log"
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            hint: name another directory: that one is the store's alone

            error: this is in the data directory, /var/lib/logwood
             --> logwood.toml:6:8
              |
            6 | path = "/var/lib/other/../logwood/all.log"
              |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            hint: name another directory: that one is the store's alone
        "#]],
    );
}

#[test]
fn buckets_that_cannot_be_are_told() {
    check_problems(
        "[destination.s3.a]\nbucket = \"a b\"\naccess_key = \"k\"\nsecret_key = \"s\"\n\
         [destination.s3.b]\nbucket = \"b\"\naccess_key = \"k\"\naddressing = \"host\"\n\
         endpoint = \"http://127.0.0.1:9000\"\n",
        expect![[r#"
            error: "a b" cannot be a part of the host: invalid international domain name
             --> logwood.toml:2:10
              |
            2 | bucket = "a b"
              |          ^^^^^
            hint: see its name, or write `addressing = "path"`

            error: `destination.s3.b` has no `secret_key`
             --> logwood.toml:5:17
              |
            5 | [destination.s3.b]
              |                 ^
            hint: add `secret_key_file = "/etc/logwood/secret_key"`, a file that has it

            error: "b" cannot be a part of the host: invalid IPv4 address
             --> logwood.toml:6:10
              |
            6 | bucket = "b"
              |          ^^^
            hint: see its name, or write `addressing = "path"`
        "#]],
    );
}

#[test]
fn headers_that_cannot_be_and_logins_that_are_not_whole_are_told() {
    check_problems(
        "[destination.http.a]\nurl = \"https://a.example\"\n\
         headers = { Authorization = \"x\", \"a b\" = \"c\", X-Host = \"${HOST}\" }\ntoken_header = \"X Y\"\n\
         [destination.http.b]\nurl = \"https://b.example\"\npreset = \"azure\"\n\
         oauth_url = \"https://login.example/token\"\noauth_client = \"c\"\ntoken = \"t\"\n",
        expect![[r#"
            error: the header Authorization is written by Logwood
             --> logwood.toml:3:29
              |
            3 | headers = { Authorization = "x", "a b" = "c", X-Host = "${HOST}" }
              |                             ^^^
            hint: set `token`, or `user` with a password

            error: "a b" is no name of a header
             --> logwood.toml:3:42
              |
            3 | headers = { Authorization = "x", "a b" = "c", X-Host = "${HOST}" }
              |                                          ^^^
            hint: write one such as "X-Scope-OrgID"

            error: the header X-Host has to be the same for all records
             --> logwood.toml:3:56
              |
            3 | headers = { Authorization = "x", "a b" = "c", X-Host = "${HOST}" }
              |                                                        ^^^^^^^^^
            hint: write a fixed text

            error: "X Y" can stand in no header
             --> logwood.toml:4:16
              |
            4 | token_header = "X Y"
              |                ^^^^^
            hint: write it as the API says

            error: there is no token for this
             --> logwood.toml:4:16
              |
            4 | token_header = "X Y"
              |                ^^^^^
            hint: add `token_file`

            error: "https://b.example" is no URL that takes records there
             --> logwood.toml:6:7
              |
            6 | url = "https://b.example"
              |       ^^^^^^^^^^^^^^^^^^^
            hint: write one such as "https://NAME.ingest.monitor.azure.com/dataCollectionRules/dcr-ID/streams/Custom-TABLE?api-version=2023-01-01"

            error: `oauth_url` is set beside `token`
             --> logwood.toml:8:13
              |
            8 | oauth_url = "https://login.example/token"
              |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            hint: leave one of them out: there is one way to say who we are

            error: `oauth_url` without a secret
             --> logwood.toml:8:13
              |
            8 | oauth_url = "https://login.example/token"
              |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            hint: add `oauth_secret_file`, a file that has it
        "#]],
    );
}
