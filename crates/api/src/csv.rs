//! Cells of CSV, which a spreadsheet shows and never runs.

/// Appends a cell, quoted where RFC 4180 asks for it. A cell that a spreadsheet would run as a
/// formula gets an apostrophe in front.
pub fn write_cell(cell: &str, out: &mut Vec<u8>) {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
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
    }
}
