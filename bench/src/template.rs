//! Configuration files of peers with places to fill in.
//!
//! `@PORT@` is replaced by a value; a line that begins with `%tls` or `%!tls` stands only where
//! the tag `tls` is set, or is not. Several tags in front of a line must all hold.

use anyhow::{Result, ensure};

/// Fills a template in. A place without a value is a mistake.
pub(crate) fn fill(template: &str, tags: &[&str], values: &[(&str, &str)]) -> Result<String> {
    let mut text = String::new();
    for line in template.lines() {
        let Some(line) = chosen(line, tags) else {
            continue;
        };
        let mut line = line.to_owned();
        for (name, value) in values {
            line = line.replace(&format!("@{name}@"), value);
        }
        ensure!(!has_place(&line), "nothing fills in the line: {line}");
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// The line without its tags, if they hold.
fn chosen<'a>(line: &'a str, tags: &[&str]) -> Option<&'a str> {
    let mut rest = line;
    while let Some(tagged) = rest.strip_prefix('%') {
        let (tag, after) = tagged.split_once(' ').unwrap_or((tagged, ""));
        let holds = match tag.strip_prefix('!') {
            Some(tag) => !tags.contains(&tag),
            None => tags.contains(&tag),
        };
        if !holds {
            return None;
        }
        rest = after.trim_start();
    }
    Some(rest)
}

/// Whether `@NAME@` is left; comments may say what they like.
fn has_place(line: &str) -> bool {
    let code = line.split('#').next().unwrap_or_default();
    code.split('@')
        .skip(1)
        .any(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_choose_lines_and_values_fill_them() {
        let template = "a @PORT@\n%tls b\n%!tls c\n%tls %raw d\n@version: 3\n";
        let values = [("PORT", "514")];
        let plain = fill(template, &[], &values).unwrap();
        assert_eq!(plain, "a 514\nc\n@version: 3\n");
        let both = fill(template, &["raw", "tls"], &values).unwrap();
        assert_eq!(both, "a 514\nb\nd\n@version: 3\n");
        let error = fill(template, &[], &[]).unwrap_err().to_string();
        assert_eq!(error, "nothing fills in the line: a @PORT@");
    }
}
