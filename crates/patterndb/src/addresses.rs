//! What `@IPv4@`, `@IPv6@`, `@MACADDR@` and `@LLADDR@` take, which is not only what is valid.
//!
//! These take exactly what syslog-ng's take, its oddities too: an octet counts modulo 2^32, a dot or
//! colon behind an address is left, and a mixed form needs three dots. Rules in use were written for that.

/// The length of an IPv4 address at the start of a text.
pub(crate) fn ipv4(text: &[u8]) -> Option<usize> {
    let mut dots = 0;
    let mut octet: Option<i32> = None;
    let is_octet = |octet: Option<i32>| octet.is_some_and(|octet| octet <= 255);
    let mut len = 0;
    for byte in text {
        match byte {
            b'.' => {
                if !is_octet(octet) {
                    return None;
                }
                if dots == 3 {
                    break;
                }
                dots += 1;
                octet = None;
            }
            b'0'..=b'9' => octet = appended(octet, 10, *byte),
            _ => break,
        }
        len += 1;
    }
    (dots == 3 && is_octet(octet)).then_some(len)
}

/// The number with a digit appended, in the given base. No digit yet is -1 in syslog-ng, which a number
/// that wraps around can become as well.
fn appended(number: Option<i32>, base: i32, digit: u8) -> Option<i32> {
    let number = number.unwrap_or(0).wrapping_mul(base);
    let digit = char::from(digit).to_digit(16).unwrap_or(0);
    let number = number.wrapping_add(i32::try_from(digit).unwrap_or(0));
    Some(number).filter(|number| *number != -1)
}

/// What is read of an IPv6 address.
struct Ipv6 {
    colons: usize,
    dots: usize,
    group: Option<i32>,
    /// Whether groups are decimal: behind the first dot.
    is_decimal: bool,
    is_shortened: bool,
}

/// Where reading an address goes on after a byte.
enum Next {
    Read,
    Stop,
    Fail,
}

/// The length of an IPv6 address at the start of a text.
pub(crate) fn ipv6(text: &[u8]) -> Option<usize> {
    let mut found = Ipv6 {
        colons: 0,
        dots: 0,
        group: Some(0),
        is_decimal: false,
        is_shortened: false,
    };
    let mut len = 0;
    for byte in text {
        match found.push(*byte) {
            Next::Read => len += 1,
            Next::Stop => break,
            Next::Fail => return None,
        }
    }
    let read = text.get(..len)?;
    if read.ends_with(b".") {
        len -= 1;
        found.dots = found.dots.checked_sub(1)?;
    } else if read.ends_with(b":") && len > 1 && !read.ends_with(b"::") {
        len -= 1;
        found.colons = found.colons.checked_sub(1)?;
    }
    found.is_address().then_some(len)
}

impl Ipv6 {
    fn push(&mut self, byte: u8) -> Next {
        match byte {
            b':' => self.colon(),
            b'.' => self.dot(),
            _ if byte.is_ascii_hexdigit() => {
                let base = if self.is_decimal { 10 } else { 16 };
                self.group = appended(self.group, base, byte);
                Next::Read
            }
            _ => Next::Stop,
        }
    }

    fn colon(&mut self) -> Next {
        let is_too_large = self.group.is_some_and(|group| group > 0xffff);
        if is_too_large || (self.group.is_none() && self.is_shortened) {
            return Next::Fail;
        }
        if self.colons == 7 || self.dots == 3 {
            return Next::Stop;
        }
        if self.is_decimal {
            return Next::Fail;
        }
        self.is_shortened |= self.group.is_none();
        self.colons += 1;
        self.group = None;
        Next::Read
    }

    fn dot(&mut self) -> Next {
        let group = self.group.unwrap_or(-1);
        if self.is_decimal && group > 255 {
            return Next::Fail;
        }
        // 255 read as hexadecimal digits is 597.
        let is_no_octet = !self.is_decimal && group > 0x255;
        if is_no_octet || group == -1 || self.colons == 7 || self.dots == 3 {
            return Next::Stop;
        }
        self.dots += 1;
        self.group = None;
        self.is_decimal = true;
        Next::Read
    }

    fn is_address(&self) -> bool {
        let group = self.group.unwrap_or(-1);
        let group_max = if self.is_decimal { 255 } else { 0xffff };
        let is_whole = self.is_shortened || self.colons == 7 || self.dots > 0;
        (2..=7).contains(&self.colons)
            && group <= group_max
            && (self.dots == 0 || self.dots == 3)
            && is_whole
    }
}

/// The length of an address of at most so many octets at the start of a text, as `aa:bb:cc`.
pub(crate) fn link_layer(text: &[u8], octets_max: usize) -> Option<usize> {
    let is_octet = |at: usize| {
        let octet = text.get(at..at + 2);
        octet.is_some_and(|octet| octet.iter().all(u8::is_ascii_hexdigit))
    };
    let mut len = 0;
    for octet in 1..=octets_max {
        if !is_octet(len) {
            // The colon in front of it is left.
            return if octet > 1 { Some(len - 1) } else { None };
        }
        if octet == octets_max || text.get(len + 2) != Some(&b':') {
            return Some(len + 2);
        }
        len += 3;
    }
    None
}
