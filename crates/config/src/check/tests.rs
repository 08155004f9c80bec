use expect_test::expect;

use super::*;
use crate::testing::check_problems;

#[test]
fn an_unknown_key_is_told_its_nearest_name() {
    check_problems(
        "[source.udp.office]\nlisten = \"0.0.0.0:514\"\nmesage_max = \"64KiB\"\n",
        expect![[r#"
            error: unknown key `mesage_max` in `source.udp.office`
             --> logwood.toml:3:1
              |
            3 | mesage_max = "64KiB"
              | ^^^^^^^^^^
            hint: did you mean `message_max`?
        "#]],
    );
}

#[test]
fn words_of_other_programs_lead_to_ours() {
    check_problems(
        "[source.tcp.office]\nport = 514\nmax-connections = 5\n\n[http]\ndata_dir = \"/x\"\nfoo = 1\n",
        expect![[r#"
            error: unknown key `port` in `source.tcp.office`
             --> logwood.toml:2:1
              |
            2 | port = 514
              | ^^^^
            hint: did you mean `listen`?

            error: unknown key `max-connections` in `source.tcp.office`
             --> logwood.toml:3:1
              |
            3 | max-connections = 5
              | ^^^^^^^^^^^^^^^
            hint: did you mean `connections_max`?

            error: unknown key `data_dir` in `http`
             --> logwood.toml:6:1
              |
            6 | data_dir = "/x"
              | ^^^^^^^^
            hint: `data_dir` belongs into `[store]`

            error: unknown key `foo` in `http`
             --> logwood.toml:7:1
              |
            7 | foo = 1
              | ^^^
            hint: known here are `listen`, `hosts`, `logspace`, `parse`, `zone`, `durability`, `message_max`, `connections_max`, `questions_max`, `exports_max` and `tails_max`
        "#]],
    );
}

#[test]
fn an_unknown_section_is_told_its_nearest_name() {
    check_problems(
        "[sources.udp.a]\n[source.upd.b]\n[source.syslog.c]\n[retention]\ndays = 3\n",
        expect![[r#"
            error: unknown section `sources`
             --> logwood.toml:1:2
              |
            1 | [sources.udp.a]
              |  ^^^^^^^
            hint: did you mean `source`?

            error: unknown section `upd` in `source`
             --> logwood.toml:2:9
              |
            2 | [source.upd.b]
              |         ^^^
            hint: did you mean `udp`?

            error: unknown section `syslog` in `source`
             --> logwood.toml:3:9
              |
            3 | [source.syslog.c]
              |         ^^^^^^
            hint: known here are `udp`, `tcp`, `tls`, `relp` and `unix`

            error: unknown section `retention`
             --> logwood.toml:4:2
              |
            4 | [retention]
              |  ^^^^^^^^^
            hint: known here are `source`, `logspace`, `route`, `steps`, `destination`, `test`, `http`, `receive`, `store` and `log`
        "#]],
    );
}

#[test]
fn a_section_of_the_wrong_shape_is_shown_how_to_write_it() {
    check_problems(
        "http = \"127.0.0.1:80\"\n[source.udp]\nlisten = \"127.0.0.1:514\"\n\n[[route.x]]\n[logspace.\"a b\"]\n\
         [[source.tcp]]\nlisten = \"127.0.0.1:514\"\n[source]\nrelp = 1\n",
        expect![[r#"
            error: `http` is a section, not a string
             --> logwood.toml:1:1
              |
            1 | http = "127.0.0.1:80"
              | ^^^^
            hint: write `[http]` on a line of its own and its keys below

            error: `[source.udp]` has no name
             --> logwood.toml:2:9
              |
            2 | [source.udp]
              |         ^^^
            hint: put a name of your choice behind it, such as `[source.udp.udp1]`

            error: `route.x` is no list
             --> logwood.toml:5:9
              |
            5 | [[route.x]]
              |         ^
            hint: write `[route.x]`, with single brackets

            error: "a b" is no name
             --> logwood.toml:6:11
              |
            6 | [logspace."a b"]
              |           ^^^^^
            hint: use letters, digits, - and _, with single dots between; at most 128 of them

            error: `source.tcp` is no list
             --> logwood.toml:7:10
              |
            7 | [[source.tcp]]
              |          ^^^
            hint: write `[source.tcp.NAME]`, with single brackets

            error: `source.relp` is a section, not an integer
              --> logwood.toml:10:1
               |
            10 | relp = 1
               | ^^^^
            hint: write `[source.relp.NAME]` on a line of its own and its keys below
        "#]],
    );
}

#[test]
fn a_value_of_the_wrong_type_is_shown_how_to_write_it() {
    check_problems(
        "[source.udp.a]\nlisten = 514\nmessage_max = 65536\nsockets = \"2\"\nzone = true\n\
         [source.tcp.b]\nidle_timeout = 30\n\
         [route.r]\nlogspace = \"main\"\nfrom = \"a\"\nfinal = \"true\"\ntags = [\"x\", 5]\n",
        expect![[r#"
            error: `listen`: expected a string, found an integer
             --> logwood.toml:2:10
              |
            2 | listen = 514
              |          ^^^
            hint: write "127.0.0.1:514", or "0.0.0.0:514" for all interfaces

            error: `message_max`: expected a string, found an integer
             --> logwood.toml:3:15
              |
            3 | message_max = 65536
              |               ^^^^^
            hint: sizes carry a unit: write "64KiB"

            error: `sockets`: expected an integer, found a string
             --> logwood.toml:4:11
              |
            4 | sockets = "2"
              |           ^^^
            hint: write 2 without quotes

            error: `zone`: expected a string, found a boolean
             --> logwood.toml:5:8
              |
            5 | zone = true
              |        ^^^^
            hint: write "Europe/Budapest"

            error: `idle_timeout`: expected a string, found an integer
             --> logwood.toml:7:16
              |
            7 | idle_timeout = 30
              |                ^^
            hint: times carry a unit: write "30s" for seconds

            error: `from`: expected an array, found a string
              --> logwood.toml:10:8
               |
            10 | from = "a"
               |        ^^^
            hint: write ["a"]

            error: `final`: expected a boolean, found a string
              --> logwood.toml:11:9
               |
            11 | final = "true"
               |         ^^^^^^
            hint: write true without quotes

            error: `tags`: expected a string, found an integer
              --> logwood.toml:12:14
               |
            12 | tags = ["x", 5]
               |              ^
            hint: put it in quotes
        "#]],
    );
}

#[test]
fn a_bad_address_is_told_what_it_may_mean() {
    check_problems(
        "[source.udp.a]\nlisten = \"localhost:514\"\n[source.udp.b]\nlisten = \":514\"\n\
         [source.udp.c]\nlisten = \"syslog.example.com:514\"\n[source.udp.d]\nlisten = \"127.0.0.1:70000\"\n",
        expect![[r#"
            error: `listen`: "localhost:514" is no IP address with a port
             --> logwood.toml:2:10
              |
            2 | listen = "localhost:514"
              |          ^^^^^^^^^^^^^^^
            hint: write "127.0.0.1:514"

            error: `listen`: ":514" is no IP address with a port
             --> logwood.toml:4:10
              |
            4 | listen = ":514"
              |          ^^^^^^
            hint: write "0.0.0.0:514"

            error: `listen`: "syslog.example.com:514" is no IP address with a port
             --> logwood.toml:6:10
              |
            6 | listen = "syslog.example.com:514"
              |          ^^^^^^^^^^^^^^^^^^^^^^^^
            hint: write one such as "127.0.0.1:5514", "0.0.0.0:514" or "[::]:514"; host names are not looked up

            error: `listen`: "127.0.0.1:70000" is no IP address with a port
             --> logwood.toml:8:10
              |
            8 | listen = "127.0.0.1:70000"
              |          ^^^^^^^^^^^^^^^^^
            hint: write one such as "127.0.0.1:5514", "0.0.0.0:514" or "[::]:514"; host names are not looked up
        "#]],
    );
}

#[test]
fn a_bad_size_or_number_is_told_the_range() {
    check_problems(
        "[source.udp.a]\nmessage_max = \"64K\"\nreceive_buffer = \"1KiB\"\nsockets = 0\n\
         [store]\ncompression_level = -3\nmemory_max = \"99999999999999999999TiB\"\n",
        expect![[r#"
            error: `message_max`: "64K" is no size
             --> logwood.toml:2:15
              |
            2 | message_max = "64K"
              |               ^^^^^
            hint: write a whole number with a unit, such as "64KiB"; units are B, KiB, MiB, GiB, TiB and kB, MB, GB, TB

            error: `receive_buffer`: 1KiB is too small
             --> logwood.toml:3:18
              |
            3 | receive_buffer = "1KiB"
              |                  ^^^^^^
            hint: 64KiB to 1GiB is possible

            error: `sockets`: 0 is too small
             --> logwood.toml:4:11
              |
            4 | sockets = 0
              |           ^
            hint: 1 to 64 is possible

            error: `compression_level`: -3 is out of range
             --> logwood.toml:6:21
              |
            6 | compression_level = -3
              |                     ^^
            hint: write a positive whole number

            error: `memory_max`: "99999999999999999999TiB" is no size
             --> logwood.toml:7:14
              |
            7 | memory_max = "99999999999999999999TiB"
              |              ^^^^^^^^^^^^^^^^^^^^^^^^^
            hint: write a whole number with a unit, such as "64KiB"; units are B, KiB, MiB, GiB, TiB and kB, MB, GB, TB
        "#]],
    );
}

#[test]
fn a_bad_zone_or_word_is_told_what_is_possible() {
    check_problems(
        "[source.udp.a]\nzone = \"Budapest\"\nparse = \"Syslog\"\n\
         [source.udp.b]\nlisten = \"127.0.0.1:0\"\nzone = \"+25:00\"\nparse = \"json\"\n",
        expect![[r#"
            error: `zone`: "Budapest" is no time zone
             --> logwood.toml:2:8
              |
            2 | zone = "Budapest"
              |        ^^^^^^^^^^
            hint: write an IANA name such as "Europe/Budapest", "UTC", an offset such as "+02:00", or "local"

            error: `parse`: "Syslog" is not possible here
             --> logwood.toml:3:9
              |
            3 | parse = "Syslog"
              |         ^^^^^^^^
            hint: did you mean "syslog"? possible are `"syslog"` and `"none"`

            error: `zone`: "+25:00" is no time zone
             --> logwood.toml:6:8
              |
            6 | zone = "+25:00"
              |        ^^^^^^^^
            hint: write an IANA name such as "Europe/Budapest", "UTC", an offset such as "+02:00", or "local"

            error: `parse`: "json" is not possible here
             --> logwood.toml:7:9
              |
            7 | parse = "json"
              |         ^^^^^^
            hint: possible are `"syslog"` and `"none"`
        "#]],
    );
}

#[test]
fn everything_is_said_at_once_in_the_order_of_the_file() {
    check_problems(
        "[route.first]\nlogspace = \"nowhere\"\n\n[store]\ntail = 5\n\n\
         [source.udp.a]\nlisten = \"x\"\ncolour = \"red\"\n\n[source.tcp.b]\nzone = 1\n",
        expect![[r#"
            error: no logspace "nowhere"
             --> logwood.toml:2:12
              |
            2 | logspace = "nowhere"
              |            ^^^^^^^^^
            hint: declare it: `[logspace.nowhere]`

            error: unknown key `tail` in `store`
             --> logwood.toml:5:1
              |
            5 | tail = 5
              | ^^^^
            hint: did you mean `memory_max`?

            error: `listen`: "x" is no IP address with a port
             --> logwood.toml:8:10
              |
            8 | listen = "x"
              |          ^^^
            hint: write one such as "127.0.0.1:5514", "0.0.0.0:514" or "[::]:514"; host names are not looked up

            error: unknown key `colour` in `source.udp.a`
             --> logwood.toml:9:1
              |
            9 | colour = "red"
              | ^^^^^^
            hint: known here are `listen`, `logspace`, `allow`, `deny`, `parse`, `zone`, `encoding`, `host_from`, `host_override`, `compression`, `durability`, `flow_control`, `message_max`, `period`, `messages_min`, `messages_max`, `sender_messages_min`, `sender_messages_max`, `receive_buffer`, `sockets` and `gro`

            error: `zone`: expected a string, found an integer
              --> logwood.toml:12:8
               |
            12 | zone = 1
               |        ^
            hint: write "Europe/Budapest"
        "#]],
    );
}

#[test]
fn a_syntax_error_does_not_hide_other_lines() {
    check_problems(
        "[source.udp.a]\nlisten = 127.0.0.1:514\nsockts = 2\nsockets = \"two\nzone = \"UTC\"\nzone = \"UTC\"\n",
        expect![[r#"
            error: invalid float, expected nothing
             --> logwood.toml:2:15
              |
            2 | listen = 127.0.0.1:514
              |               ^^^^^^^^
            hint: texts are in quotes: listen = "127.0.0.1:514"

            error: unknown key `sockts` in `source.udp.a`
             --> logwood.toml:3:1
              |
            3 | sockts = 2
              | ^^^^^^
            hint: did you mean `sockets`?

            error: invalid basic string, expected `"`
             --> logwood.toml:4:15
              |
            4 | sockets = "two
              |               ^

            error: duplicate key
             --> logwood.toml:6:1
              |
            6 | zone = "UTC"
              | ^^^^
        "#]],
    );
}

#[test]
fn a_broken_header_leaves_the_keys_below_alone() {
    check_problems(
        "[source.udp.a\nlisten = \"127.0.0.1:514\"\n",
        expect![[r#"
        error: unclosed table, expected `]`
         --> logwood.toml:1:14
          |
        1 | [source.udp.a
          |              ^
    "#]],
    );
}

#[test]
fn a_file_that_is_no_configuration_is_refused_unread() {
    let checked = check(
        &"#".repeat(CONFIG_BYTES_MAX + 1),
        "x",
        &Overrides::default(),
    );
    assert_eq!(checked.counts(), (1, 0));
}

#[test]
fn no_text_makes_it_panic() {
    let example = include_str!("../../../../packaging/logwood.toml").replace("\n#", "\n");
    for at in (0..example.len()).step_by(11) {
        let (before, after) = example.split_at(at);
        for text in [
            before.to_owned(),
            format!("{before}{}", after.get(1..).unwrap_or_default()),
            format!("{before}\"{after}"),
            format!("{before}[[\u{e9}{after}"),
        ] {
            let checked = check(&text, "x", &Overrides::default());
            for problem in &checked.problems {
                assert!(!problem.to_string().is_empty());
            }
        }
    }
}

#[test]
fn networks_that_are_none_are_shown_how_to_write_them() {
    check_problems(
        "[source.tcp.a]\nallow = [\"10.0.0.1/8\", \"office\", 5]\ndeny = \"10.0.0.1\"\n\
         proxy_from = [\"10.0.0.0/33\"]\n",
        expect![[r#"
            error: `allow`: "10.0.0.1/8" has bits behind its prefix
             --> logwood.toml:2:10
              |
            2 | allow = ["10.0.0.1/8", "office", 5]
              |          ^^^^^^^^^^^^
            hint: write "10.0.0.0/8" for the network it lies in

            error: `deny`: expected an array, found a string
             --> logwood.toml:3:8
              |
            3 | deny = "10.0.0.1"
              |        ^^^^^^^^^^
            hint: write ["10.0.0.1"]

            error: `proxy_from`: "10.0.0.0/33" is no IP address and no network
             --> logwood.toml:4:15
              |
            4 | proxy_from = ["10.0.0.0/33"]
              |               ^^^^^^^^^^^^^
            hint: write one such as "192.0.2.7", "10.0.0.0/8" or "2001:db8::/32"; host names are not looked up
        "#]],
    );
}
