//! What stands in the data of `open` and `rsp` frames.

/// A client's or server's offers: lines of `name=value`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// `relp_version`, if it says one that is a number. librelp says 0, the specification 1.
    pub version: Option<u32>,
    /// Whether `syslog` is among the `commands`.
    pub has_syslog: bool,
}

impl Offers {
    /// Reads the data of an `open` frame, or an answer's behind its first line. What is not known
    /// is passed over, as the specification asks.
    pub fn parse(data: &[u8]) -> Self {
        let mut offers = Self::default();
        for line in data.split(|byte| *byte == b'\n') {
            if let Some(value) = line.strip_prefix(b"relp_version=") {
                offers.version = std::str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.trim().parse().ok());
            } else if let Some(value) = line.strip_prefix(b"commands=") {
                offers.has_syslog = value
                    .split(|byte| *byte == b',')
                    .any(|command| command.trim_ascii() == b"syslog");
            }
        }
        offers
    }

    /// Whether we can talk: version 0, 1 or unsaid, and `syslog`.
    pub fn is_acceptable(&self) -> bool {
        self.has_syslog && self.version.is_none_or(|version| version <= 1)
    }
}

/// A server's answer: `200 OK`, with more behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// 200 where all is well.
    pub code: u16,
    /// What stands behind the code on its line.
    pub text: &'a [u8],
    /// The lines behind the first: the offers, where it answers an `open`.
    pub rest: &'a [u8],
}

impl<'a> Response<'a> {
    /// Reads the data of a `rsp` frame; `None` where it does not start with three digits.
    pub fn parse(data: &'a [u8]) -> Option<Self> {
        let end = memchr::memchr(b'\n', data).unwrap_or(data.len());
        let (line, rest) = data.split_at_checked(end)?;
        let (digits, text) = line.split_at_checked(3)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let code = std::str::from_utf8(digits).ok()?.parse().ok()?;
        Some(Self {
            code,
            text: text.trim_ascii(),
            rest: rest.strip_prefix(b"\n").unwrap_or(rest),
        })
    }

    /// Whether the frame it answers was taken.
    pub fn is_ok(&self) -> bool {
        self.code == 200
    }
}
