//! Cases of structured data: escapes, and what breaks RFC 5424 section 6.3.

use super::super::parts::Part;
use super::{Case, Theme};

pub(super) const THEME: Theme = Theme {
    name: "Structured data",
    cases: CASES,
};

const CASES: &[Case] = &[
    Case {
        name: "escapes",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="\"b\" \\ \]"] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "a backslash before another letter",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="C:\new"] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "an element without parameters",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [a][b c="d"][e] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "an empty value",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a=""] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "UTF-8 in a value",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID [x a=\"gr\u{fc}\u{df}e\"] text",
        differs: &[],
        why: "",
    },
    Case {
        name: "an opening bracket in a value",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="[b"] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "a closing bracket without its backslash",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="[b]c"] text"#,
        differs: &[(Part::Fate, ["read", "refused", "read"])],
        why: "within quotes nothing else can be meant",
    },
    Case {
        name: "a closing bracket and a space in a value",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b\] c"] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "a space before the end",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b" ] text"#,
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Data, ["x.a=b", "", r#"[x a="b" ]"#]),
        ],
        why: "nothing else can be meant",
    },
    Case {
        name: "two spaces between parameters",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b"  c="d"] text"#,
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Data, ["x.a=b x.c=d", "", "x. c=d x.a=b"]),
        ],
        why: "nothing else can be meant",
    },
    Case {
        name: "a space between elements",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b"] [y c="d"] text"#,
        differs: &[],
        why: "",
    },
    Case {
        name: "no space behind",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b"]text"#,
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Data, ["x.a=b", "", r#"[x a="b"]tex"#]),
            (Part::Message, ["text", "", "t"]),
        ],
        why: "what is there is kept; tagged `syslog.rfc5424_missing_part`",
    },
    Case {
        name: "a value without quotes",
        sent: "<34>1 2026-11-21T19:12:18Z h su 12 ID [x a=noquote] text",
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Data, ["", "", "[x a=noquote]"]),
            (Part::Message, ["[x a=noquote] text", "", "text"]),
        ],
        why: "it stays in the text; tagged `syslog.invalid_structured_data`",
    },
    Case {
        name: "a name without value",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b" c] text"#,
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Data, ["", "", r#"[x a="b" c]"#]),
            (Part::Message, [r#"[x a="b" c] text"#, "", "text"]),
        ],
        why: "it stays in the text; tagged `syslog.invalid_structured_data`",
    },
    Case {
        name: "without an end",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a="b text"#,
        differs: &[
            (Part::Fate, ["read", "refused", "read"]),
            (Part::Data, ["", "", r#"[x a="b tex"#]),
            (Part::Message, [r#"[x a="b text"#, "", "t"]),
        ],
        why: "it stays in the text; tagged `syslog.invalid_structured_data`",
    },
    Case {
        name: "a name of over 32 letters",
        sent: r#"<34>1 2026-11-21T19:12:18Z h su 12 ID [x a-name-that-is-longer-than-32-letters="b"] text"#,
        differs: &[],
        why: "",
    },
];
