//! Cells of CSV, which a spreadsheet shows and never runs.

/// Appends a cell, quoted where RFC 4180 asks for it. A cell that a spreadsheet would run as a
/// formula gets an apostrophe in front, also where blanks, tabs, ends of lines or what cannot be
/// seen stand before it, which some leave away.
pub fn write_cell(cell: &str, out: &mut Vec<u8>) {
    let is_left_away = |character: char| {
        let is_joiner = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
        character.is_whitespace() || character.is_control() || is_joiner
    };
    let starters = [
        '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ];
    let is_formula = cell.starts_with(['\t', '\r'])
        || cell.trim_start_matches(is_left_away).starts_with(starters);
    let is_quoted = is_formula || cell.contains(['"', ',', '\r', '\n']);
    if is_quoted {
        out.push(b'"');
    }
    if is_formula {
        out.push(b'\'');
    }
    out.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
    if is_quoted {
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cell: &str, expected: &str) {
        let mut out = Vec::new();
        write_cell(cell, &mut out);
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        check("plain text", "plain text");
        check("a,\"b\"\n", "\"a,\"\"b\"\"\n\"");
        check("=1+1", "\"'=1+1\"");
        check("@SUM(A1)", "\"'@SUM(A1)\"");
        check("", "");
        for start in [
            "\n", "\t", "\r", "\r\n", " ", "  \n ", "\u{a0}", "\u{feff}", "\0", "\u{200b}",
        ] {
            for sign in ["=", "+", "-", "@", "\u{ff1d}"] {
                let cell = format!("{start}{sign}1+1");
                check(&cell, &format!("\"'{cell}\""));
            }
        }
        for plain in [" a = b", "a=1", "  ", "\u{a0}x-1"] {
            check(plain, plain);
        }
        check("\nx", "\"\nx\"");
    }
}
