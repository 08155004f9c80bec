use super::*;
use crate::samples::{check, check_any_bytes, check_failure};

fn options(columns: &str) -> CsvOptions {
    CsvOptions {
        columns: columns.split(' ').map(str::to_owned).collect(),
        ..CsvOptions::default()
    }
}

fn parser(columns: &str, change: impl FnOnce(&mut CsvOptions)) -> CsvParser {
    let mut options = options(columns);
    change(&mut options);
    CsvParser::new(&options).unwrap()
}

#[test]
fn a_firewall_of_palo_alto() {
    let threat = parser(
        "future receive_time serial type subtype  generated src dst natsrc natdst rule user",
        |options| options.is_greedy = true,
    );
    check(
        &threat,
        "1,2026/05/10 11:37:47,001801000,THREAT,url,1,2026/05/10 11:37:47,10.0.0.5,192.0.2.9,\
         0.0.0.0,,\"Allow \"\"web\"\"\",corp\\ann,,more",
        &[
            "future=1",
            "receive_time=2026/05/10 11:37:47",
            "serial=001801000",
            "type=THREAT",
            "subtype=url",
            "generated=2026/05/10 11:37:47",
            "src=10.0.0.5",
            "dst=192.0.2.9",
            "natsrc=0.0.0.0",
            "rule=Allow \"web\"",
            "user=corp\\ann,,more",
        ],
    );
}

#[test]
fn an_access_log_has_quotes_of_two_kinds() {
    let apache = parser("client ident user time request status bytes", |options| {
        options.delimiters = " ".into();
        options.quote_pairs = "\"\"[]".into();
        options.escapes = CsvEscapes::Backslash;
        options.null = Some("-".into());
    });
    check(
        &apache,
        r#"192.0.2.1 - ann [10/May/2026:11:37:47 +0200]  "GET /a\"b HTTP/1.1" 200 -"#,
        &[
            "client=192.0.2.1",
            "user=ann",
            "time=10/May/2026:11:37:47 +0200",
            "request=GET /a\"b HTTP/1.1",
            "status=200",
        ],
    );
}

#[test]
fn columns_that_are_missing_or_too_many() {
    let lax = parser("a b c", |_| {});
    check(&lax, "1,2", &["a=1", "b=2"]);
    check(&lax, "1,2,3,4", &["a=1", "b=2", "c=3"]);
    check(&lax, "", &[]);
    let strict = parser("a b c", |options| options.drop_invalid = true);
    check(&strict, "1,,3", &["a=1", "c=3"]);
    check_failure(&strict, "1,2", 3, "expected more columns");
    check_failure(
        &strict,
        "1,2,3,4",
        6,
        "expected the end behind the last column",
    );
    check_failure(&strict, "1,\"2,3", 2, "this quotation has no end");
    let greedy = parser("a b", |options| {
        options.is_greedy = true;
        options.drop_invalid = true;
    });
    check(&greedy, "1, \"2\",3 ", &["a=1", "b=\"2\",3"]);
    check_failure(&greedy, "1", 1, "expected more columns");
}

#[test]
fn quotation_marks_are_as_the_dialect_says() {
    let dialect = |escapes| parser("a b c", |options| options.escapes = escapes);
    let double = dialect(CsvEscapes::Double);
    check(&double, r#"1,"a""b",3"#, &["a=1", "b=a\"b", "c=3"]);
    check(&double, r#"1,"a\",3"#, &["a=1", "b=a\\", "c=3"]);
    check(&double, r#"1,"""",3"#, &["a=1", "b=\"", "c=3"]);
    check(&double, r#"1,x"y,3"#, &["a=1", "b=x\"y", "c=3"]);
    let backslash = dialect(CsvEscapes::Backslash);
    check(&backslash, r#"1,"a\"b\\",3"#, &["a=1", "b=a\"b\\", "c=3"]);
    check(&backslash, r#"1,"a\"#, &["a=1", "b=a\\"]);
    let none = dialect(CsvEscapes::None);
    check(&none, r#"1,"a\",3"#, &["a=1", "b=a\\", "c=3"]);
    check(&none, r#"1,"a""b",3"#, &["a=1", "b=a\"b\"", "c=3"]);
    check(&none, r#"1,"open,3"#, &["a=1", "b=open,3"]);
    check(&none, r#"1,"2" x ,3"#, &["a=1", "b=2 x", "c=3"]);
}

#[test]
fn white_space_is_stripped_or_kept() {
    check(
        &parser("a b c", |_| {}),
        " 1 , \" 2 \" ,\t3\n",
        &["a=1", "b= 2 ", "c=3"],
    );
    let kept = parser("a b c", |options| options.strip_white_space = false);
    check(&kept, " 1 ,\"2\" , ", &["a= 1 ", "b=2 ", "c= "]);
    let spaces = parser("a b c", |options| options.delimiters = " ".into());
    check(&spaces, " 1  2\t  3", &["a=1", "b=2", "c=3"]);
    let tabs = parser("a b c", |options| options.delimiters = "\t".into());
    check(&tabs, "1\t\t 3", &["a=1", "c=3"]);
}

#[test]
fn delimiters_may_be_several_and_longer() {
    let several = parser("a b c", |options| {
        options.delimiters = ",;:".into();
        options.string_delimiters = vec!["::".into(), "=>".into()];
    });
    check(&several, "1::2=>3", &["a=1", "b=2", "c=3"]);
    check(&several, "\"1::2\"::3=4;5", &["a=1::2", "b=3=4", "c=5"]);
    let wide = parser("a b", |options| {
        options.delimiters = String::new();
        options.string_delimiters = vec!["\u{a6}".into()];
    });
    check(&wide, "1\u{a6}\u{a7}", &["a=1", "b=\u{a7}"]);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let refused = |change: fn(&mut CsvOptions)| {
        let mut options = options("a");
        change(&mut options);
        CsvParser::new(&options).unwrap_err().to_string()
    };
    assert_eq!(
        refused(|options| options.columns.clear()),
        "`columns` is empty: write the names of the columns in their order"
    );
    assert_eq!(
        refused(|options| options.columns = vec![String::new(); 1_001]),
        "`columns` has 1001 members: write at most 1000"
    );
    assert_eq!(
        refused(|options| options.delimiters.clear()),
        "`delimiters` is empty: write what stands between columns, such as \",\""
    );
    assert_eq!(
        refused(|options| options.delimiters = "\u{a6}".into()),
        "`delimiters` cannot be \"\u{a6}\": write characters of ASCII, and others as `string_delimiters`"
    );
    assert_eq!(
        refused(|options| options.quote_pairs = "\"".into()),
        "`quote_pairs` cannot be \"\\\"\": write two characters of ASCII for each pair, such as \"\\\"\\\"[]\""
    );
    assert_eq!(
        refused(|options| options.quote_pairs = ",,".into()),
        "`quote_pairs` cannot be \",,\": a quotation mark is no delimiter, no backslash and no white space"
    );
    assert_eq!(
        refused(|options| options.null = Some(String::new())),
        "`null` is empty: write what stands for no value, or leave the option out"
    );
}

#[test]
fn any_bytes_are_taken() {
    let words = [
        "a", ",", "\"", "\\", " ", "\t", "[", "]", ":", "::", "-", "\u{e9}", "\n",
    ];
    for escapes in [CsvEscapes::None, CsvEscapes::Backslash, CsvEscapes::Double] {
        let any = parser("a b c  e", |options| {
            options.escapes = escapes;
            options.quote_pairs = "\"\"[]".into();
            options.string_delimiters = vec!["::".into()];
            options.null = Some("-".into());
            options.is_greedy = escapes == CsvEscapes::Double;
        });
        check_any_bytes(&any, &words);
    }
    let strict = parser("a b c", |options| {
        options.drop_invalid = true;
        options.strip_white_space = false;
    });
    check_any_bytes(&strict, &words);
}
