//! Base64, percent encoding, and addresses as numbers.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{Built, each, joined};
use crate::arguments::Arguments;
use crate::compile::Compiler;
use crate::output::Output;

/// `$(base64-encode A)`.
pub(super) fn base64_encode(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b"", |start, out| {
        let end = out.len();
        let mut at = start;
        // Whole groups of three bytes make whole groups of four letters.
        while at < end {
            let mut letters = [0; 1024];
            let piece = out.since(at).get(..(end - at).min(768)).unwrap_or_default();
            let len = BASE64_STANDARD
                .encode_slice(piece, &mut letters)
                .unwrap_or(0);
            at += piece.len();
            out.push(letters.get(..len).unwrap_or_default());
        }
        out.remove(start, end);
    })
}

/// `$(base64-decode A)`; nothing where A is no base64.
pub(super) fn base64_decode(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b"", |start, out| {
        let decoded = BASE64_STANDARD.decode(out.since(start));
        out.replace(start, &decoded.unwrap_or_default());
    })
}

/// `$(url-encode A)`: what is not unreserved in RFC 3986 becomes `%XX`.
pub(super) fn url_encode(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    joined(arguments, compiler, b"", |start, out| {
        let end = out.len();
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
        let mut at = start;
        while at < end && !out.is_full() {
            let rest = out.since(at).get(..end - at).unwrap_or_default();
            let plain = rest.iter().take_while(|byte| is_plain(byte)).count();
            let odd = rest.get(plain).copied();
            out.repeat(at, at + plain);
            if let Some(byte) = odd {
                let digit = |value: u8| b"0123456789ABCDEF".get(usize::from(value));
                let [high, low] = [digit(byte >> 4), digit(byte & 15)];
                out.push(&[b'%', *high.unwrap_or(&b'0'), *low.unwrap_or(&b'0')]);
            }
            at += plain + 1;
        }
        out.remove(start, end);
    })
}

/// `$(url-decode A)`; nothing where A is not well formed.
pub(super) fn url_decode(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    each(arguments, compiler, b"", |start, out| {
        if memchr::memchr(b'%', out.since(start)).is_some() {
            decode(start, out);
        }
    })
}

/// Decodes in place: what is decoded is never longer.
fn decode(start: usize, out: &mut Output<'_>) {
    let text = out.since_mut(start);
    let (mut read, mut write) = (0, 0);
    while let Some(byte) = text.get(read).copied() {
        let mut value = byte;
        read += 1;
        if byte == b'%' {
            let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
            // A NUL would end the text for those who read it in C.
            let decoded = digit(read)
                .zip(digit(read + 1))
                .map(|(high, low)| high * 16 + low);
            let Some(decoded) = decoded.filter(|value| *value != 0) else {
                out.truncate(start);
                return;
            };
            value = u8::try_from(decoded).unwrap_or(0);
            read += 2;
        }
        if let Some(place) = text.get_mut(write) {
            *place = value;
            write += 1;
        }
    }
    out.truncate(start + write);
}

/// `$(ipv4-to-int A)`; nothing where A is no address.
pub(super) fn ipv4_to_int(arguments: Arguments, compiler: &mut Compiler<'_>) -> Built {
    each(arguments, compiler, b",", |start, out| {
        let text = str::from_utf8(out.since(start)).unwrap_or_default();
        let address: Option<std::net::Ipv4Addr> = text.parse().ok();
        out.truncate(start);
        if let Some(address) = address {
            out.decimal(u64::from(address.to_bits()));
        }
    })
}
