use crate::samples::{EVENT, SU, rendered};
use crate::{Options, Template};

/// A template that makes something of SU; most of it is what syslog-ng makes.
#[track_caller]
fn check(template: &str, expected: &str) {
    assert_eq!(rendered(template, SU), expected, "{template}");
}

#[test]
fn text_is_changed() {
    check("$(lowercase $MSG)", "hello, w/orld \u{e9} \"q\" \\ back");
    check(
        "$(uppercase $HOST $MSG)",
        "MYMACHINE HELLO, W/ORLD \u{c9} \"Q\" \\ BACK",
    );
    check(
        "$(substr $HOST 2 3)|$(substr $HOST -3)|$(substr $HOST 3)",
        "mac|ine|achine",
    );
    check(
        "$(substr $HOST 2 -2)|$(substr $HOST 20 3)|$(substr $HOST -20 3)",
        "machi||",
    );
    check("$(replace l L $MSG)", "HeLLo, w/orLd \u{e9} \"q\" \\ back");
    check(
        "$(replace mymachine '' $HOST)|$(replace aa b aaaaa)",
        "|bba",
    );
    check(
        "$(replace-delimiter ', /' _ $MSG)",
        "Hello__w_orld_\u{e9}_\"q\"_\\_back",
    );
    check(
        "$(strip '  a b  ')|$(strip '  a ' ' b ')|$(strip ' ')",
        "a b|a b|",
    );
    check("$(length $HOST $PID)|$(length $nope)|$(length)", "9 2|0|");
    check(
        "$(padding $PID 5)|$(padding $PID 5 0)|$(padding $HOST 3 x)",
        "   12|00012|mymachine",
    );
    check("$(padding $PID 7 ab)|$(padding '' 3 x)", "ababa12|xxx");
    check(
        "$(indent-multi-line 'a\nb\nc\n')|$(indent-multi-line a)",
        "a\n\tb\n\tc\n\t|a",
    );
    check(
        "$(cut -d , -f 2 $MSG)|$(cut -d / -f 3 $MSG)",
        " w/orld \u{e9} \"q\" \\ back|",
    );
    check(
        "$(echo a  b 'c d' $HOST)|$(concat a b)",
        "a b c d mymachine|ab",
    );
    check("$(or $nope '' $HOST b)|$(or $nope)", "mymachine|");
}

#[test]
fn values_become_safe_parts_of_paths() {
    check("$(sanitize $MSG)", "Hello, w_orld \u{e9} \"q\" \\ back");
    check(
        "$(sanitize -r X -i eo a/b $HOST)|$(sanitize a/b c/d)",
        "a/b/mymachinX|a_b/c_d",
    );
    check("$(sanitize 'a\tb')|$(sanitize -C 'a\tb')", "a_b|a\tb");
}

#[test]
fn digests_are_those_of_everybody() {
    // RFC 1321, FIPS 180-4.
    check("$(md5 abc)", "900150983cd24fb0d6963f7d28e17f72");
    check("$(sha1 a bc)", "a9993e364706816aba3e25717850c26c9cd0d89d");
    check(
        "$(sha256 --length 8 abc)|$(hash abc)",
        "ba7816bf|ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    check(
        "$(sha384 --length 6 abc)|$(sha512 --length 6 abc)",
        "cb0075|ddaf35",
    );
}

#[test]
fn encodings_go_both_ways() {
    check(
        "$(base64-encode $HOST)|$(base64-encode a b)|$(base64-encode)",
        "bXltYWNoaW5l|YWI=|",
    );
    check(
        "$(base64-decode bXltYWNoaW5l)|$(base64-decode ?)",
        "mymachine|",
    );
    check(
        "$(url-encode $MSG)",
        "Hello%2C%20w%2Forld%20%C3%A9%20%22q%22%20%5C%20back",
    );
    check(
        "$(url-decode a%20b+c)|$(url-decode a%zz)|$(url-decode $(url-encode $HOST))",
        "a b+c||mymachine",
    );
    check("$(ipv4-to-int 10.0.0.1)|$(ipv4-to-int x)", "167772161|");
    let long = "x".repeat(10_000);
    let template = format!("$(base64-decode $(base64-encode {long}))");
    check(&template, &long);
}

#[test]
fn numbers_are_whole_or_have_fractions() {
    check(
        "$(+ 1 2)|$(- 5 $PID)|$(* 3 4)|$(/ 7 2)|$(% 7 2)",
        "3|-7|12|3|1",
    );
    check(
        "$(/ 1 0)|$(% 1 0)|$(+ x 1)|$(+ '' 1)|$(+ nan 1)",
        "NaN|NaN|NaN|NaN|NaN",
    );
    check("$(+ 1.5 2)|$(* 1.5 2)|$(% -7 3)|$(/ -7 2)", "3.5|3|-1|-3");
    check(
        "$(min 3 $PID 2)|$(max 3 1 2)|$(sum 3 1 2)|$(average 1 2)",
        "2|3|6|1",
    );
    check(
        "$(round 3.567 1)|$(ceil 1.2)|$(floor 1.8)|$(round 2.5)|$(round -2.5)",
        "3.6|2|1|3|-3",
    );
}

#[test]
fn conditions_choose() {
    check(
        "$(if (\"$HOST\" eq \"mymachine\") \"yes $PID\" no)",
        "yes 12",
    );
    check("$(if program('s.') a b)|$(if (not host('x')) a b)", "a|a");
    check(
        "$(if (facility(auth) and level(crit..err)) in out)|$(if severity(err) in out)",
        "in|out",
    );
    check(
        "$(if (\"$PID\" > 5) gt le)|$(if ('10' lt '9') lt ge)|$(if ('10' < '9') lt ge)",
        "gt|lt|ge",
    );
    check(
        "$(if (match('Hel.*' value('MESSAGE'))) m n)|$(if (match('su.*Hello')) m n)",
        "m|m",
    );
    check("$(if (netmask('192.0.2.0/24') and not tags('x')) y n)", "y");
    check(
        "$(if host('my*' type(glob)) y n)|$(if host('mym' type(string) flags(prefix)) y n)",
        "y|y",
    );
    check(
        "$(if program('SU' flags(ignore-case)) y n)|$(if message('ORLD' type(string) flags(icase substring)) y n)",
        "y|y",
    );
    check(
        "$(if ('a' eq 'a' and not ('b' ne 'b' or 'c' eq 'd')) y n)",
        "y",
    );
    check(
        "$(grep (\"$HOST\" eq 'mymachine') $PID $HOST)|$(context-length)",
        "12,mymachine|1",
    );
}

#[test]
fn lists_are_read_and_written() {
    check(
        "$(list-append a,b c 'd e')|$(list-concat a,b 'c,d')",
        "a,b,c,\"d e\"|a,b,c,d",
    );
    check(
        "$(list-head a,b,c)|$(list-tail a,b,c)|$(list-nth 1 a,b,c)|$(list-nth -1 a,b,c)",
        "a|b,c|b|c",
    );
    check(
        "$(list-slice 1:2 a,b,c)|$(list-slice :-1 a,b,c)|$(list-count a,b,c)|$(list-count '')",
        "b|a,b|3|0",
    );
    check(
        "$(list-append '' 'q\"q')|$(explode , 'a,b c,d')|$(implode ';' 'a,b,\"c d\"')",
        "'q\"q'|a,\"b c\",d|a;b;c d",
    );
    check(
        "$(list-search b a,b,c)|$(list-search --start-index 1 --mode glob 'c*' a,b,c)|$(list-search z a,b)",
        "1|2|",
    );
}

#[test]
fn json_has_what_was_chosen() {
    check(
        "$(format-json a=$HOST b.c=\"$MSG\" n=int64($PID) x=y)",
        concat!(
            r#"{"a":"mymachine","b":{"c":"Hello, w/orld "#,
            "\u{e9}",
            r#" \"q\" \\ back"},"n":12,"x":"y"}"#
        ),
    );
    check(
        "$(format-json --scope rfc3164 --exclude M*)",
        r#"{"DATE":"Oct 11 22:14:15","FACILITY":"auth","HOST":"mymachine","PID":"12","PRIORITY":"crit","PROGRAM":"su"}"#,
    );
    check(
        "$(format-json a.b=1 a=2 a.c=3 b..c=4 .d.e=5)",
        r#"{"_d":{"e":"5"},"a":"2","a.b":"1","a.c":"3","b":{".c":"4"}}"#,
    );
    check(
        "$(format-json a=int(x) b=float(1.50) c=boolean(yes) d=list(a,b) e=literal(null) f=literal({) g=int(007))",
        r#"{"a":"x","b":1.5,"c":true,"d":["a","b"],"e":null,"f":"{","g":7}"#,
    );
    check(
        "$(format-json --key HOST --omit-empty-values a='' --rekey H* --add-prefix z_)",
        r#"{"z_HOST":"mymachine"}"#,
    );
    check(
        "$(format-flat-json a.b=1 HOST)|$(format-json a='')|$(format-json)",
        r#"{"HOST":"mymachine","a.b":"1"}|{"a":""}|{}"#,
    );
    check(
        "$(names HOST PID)|$(values HOST,PID)",
        "HOST,PID|mymachine,12",
    );
    check(
        "$(format-cef-extension a=b c='x=y|z' d='a\\b')",
        r"a=b c=x\=y|z d=a\\b",
    );
    check("$(format-welf HOST a='b c')", "HOST=mymachine a=\"b c\"");
}

#[test]
fn fields_of_the_record_are_chosen_too() {
    let fields = r#"{"exampleSDID@32473":{"eventID":"1011","eventSource":"App\"x]","iut":"3"},"meta":{"a":"b"}}"#;
    let made = rendered(
        "$(format-json --key .SDATA.* --rekey .SDATA.* --shift-levels 2)",
        EVENT,
    );
    assert_eq!(made, fields);
    let made = rendered("$(format-json --scope sdata)", EVENT);
    assert_eq!(made, format!("{{\"_SDATA\":{fields}}}"));
    let made = rendered(
        "$(format-json --key .SDATA.meta.a --rekey * --shift 7)",
        EVENT,
    );
    assert_eq!(made, r#"{"meta":{"a":"b"}}"#);
}

#[test]
fn other_templates_and_the_environment_are_read_once() {
    let inner = Template::compile("<$HOST>").expect("valid");
    let templates = [("inner".to_owned(), inner)];
    let read = |name: &str| (name == "HOME").then(|| "$/root".to_owned());
    let options = Options {
        environment: Some(&read),
        templates: &templates,
        ..Options::default()
    };
    let template =
        Template::compile_with("$(template inner)$(env HOME)$(env NOPE)", &options).expect("valid");
    let made = crate::samples::formatted(
        &crate::Format::Template(template),
        SU.as_bytes(),
        &crate::samples::context(),
    );
    assert_eq!(made, b"<mymachine>$/root");
}
