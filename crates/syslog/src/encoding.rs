//! Character encodings of senders that do not write UTF-8.

use encoding_rs::UTF_8;

/// An encoding in which ASCII is ASCII, so that headers and line feeds can be read in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Encoding {
    /// By one of its names, such as `latin1` or `gb18030`, as the Encoding Standard of the WHATWG
    /// lists them; `None` for others, for UTF-8 itself and for those that are not based on ASCII.
    pub fn parse(name: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label(name.as_bytes())?;
        (encoding.is_ascii_compatible() && encoding != UTF_8).then_some(Self(encoding))
    }

    /// Its first name, in small letters: `windows-1252` for `latin1`.
    pub fn name(self) -> String {
        self.0.name().to_ascii_lowercase()
    }

    /// Replaces `text` by a message in UTF-8. Whether that was possible; not where bytes have no
    /// meaning in the encoding.
    pub fn decode(self, raw: &[u8], text: &mut String) -> bool {
        text.clear();
        match self
            .0
            .decode_without_bom_handling_and_without_replacement(raw)
        {
            Some(decoded) => {
                text.push_str(&decoded);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, raw: &[u8], expected: Option<&str>) {
        let encoding = Encoding::parse(name).expect("an encoding");
        let mut text = "before".to_owned();
        let is_decoded = encoding.decode(raw, &mut text);
        assert_eq!(is_decoded.then_some(text.as_str()), expected, "{name}");
    }

    #[test]
    fn messages_are_read_in_their_encoding() {
        check("latin1", b"<13>caf\xe9", Some("<13>caf\u{e9}"));
        check("iso-8859-2", b"\xf5\xfb", Some("\u{151}\u{171}"));
        check("windows-1251", b"\xcf", Some("\u{41f}"));
        check("Shift_JIS", b"\x83\x65", Some("\u{30c6}"));
        check("gb18030", b"\xc4\xe3", Some("\u{4f60}"));
        check("gb18030", b"\xff", None);
        check("latin1", b"", Some(""));
    }

    #[test]
    fn encodings_in_which_ascii_is_not_ascii_are_none() {
        for name in ["utf-8", "utf-16le", "utf-16", "iso-2022-jp", "ebcdic", ""] {
            assert_eq!(Encoding::parse(name), None, "{name}");
        }
        let latin1 = Encoding::parse("ISO-8859-1").expect("an encoding");
        assert_eq!(latin1.name(), "windows-1252");
    }
}
