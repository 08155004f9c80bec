use proptest::prelude::*;

use super::*;

fn check(start: &[u8], expected: Result<Option<(usize, Option<&str>)>, Error>) {
    let expected = expected.map(|header| {
        header.map(|(len, sender)| Header {
            len,
            sender: sender.map(|address| address.parse().expect("an address")),
        })
    });
    let shown = String::from_utf8_lossy(start);
    assert_eq!(decode(start), expected, "{shown:?}");
}

fn v2(command: u8, family: u8, body: &[u8]) -> Vec<u8> {
    let len = u16::try_from(body.len()).expect("short");
    [V2_START, &[command, family], &len.to_be_bytes(), body].concat()
}

#[test]
fn lines_of_version_1() {
    let tcp4 = b"PROXY TCP4 192.0.2.1 198.51.100.1 56324 514\r\n<34>x\n";
    check(tcp4, Ok(Some((45, Some("192.0.2.1")))));
    let of_loggen = b"PROXY TCP4 10.10.10.10 20.20.20.20 1 2\n";
    check(of_loggen, Ok(Some((39, Some("10.10.10.10")))));
    let tcp6 = b"PROXY TCP6 2001:db8::1 ::1 1 65535\r\n";
    check(tcp6, Ok(Some((36, Some("2001:db8::1")))));
    check(b"PROXY UNKNOWN\r\n", Ok(Some((15, None))));
    check(b"PROXY UNKNOWN ff:: ff:: 1 2\r\n", Ok(Some((29, None))));
    for (part, _) in tcp4[..45].iter().enumerate() {
        check(&tcp4[..part], Ok(None));
    }
}

#[test]
fn lines_that_are_no_header() {
    for line in [
        "PROXY \r\n",
        "PROXY TCP4\r\n",
        "PROXY TCP5 192.0.2.1 198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1 65536\r\n",
        "PROXY TCP4 192.0.2.1 198.51.100.1 1 2 3\r\n",
        "PROXY TCP4 192.0.2.1  198.51.100.1 1 2\r\n",
        "PROXY TCP4 192.0.2.1 ::1 1 2\r\n",
        "PROXY TCP4 ::1 ::1 1 2\r\n",
        "PROXY TCP6 192.0.2.1 198.51.100.1 1 2\r\n",
        "PROXY tcp4 192.0.2.1 198.51.100.1 1 2\r\n",
    ] {
        check(line.as_bytes(), Err(Error::InvalidLine));
    }
    check(b"PROXY \xff\n", Err(Error::InvalidLine));
    let long = [b"PROXY UNKNOWN ".as_slice(), &[b'x'; 200]].concat();
    check(&long[..106], Ok(None));
    check(&long[..107], Err(Error::LineTooLong));
    check(&long, Err(Error::LineTooLong));
    for start in ["<34>x\n", "PROXX", "P<34>", "\r\n<34>", "\u{16}\u{3}\u{1}"] {
        check(start.as_bytes(), Err(Error::Missing));
    }
}

#[test]
fn headers_of_version_2() {
    let tcp4 = v2(0x21, 0x11, &[192, 0, 2, 1, 198, 51, 100, 1, 0, 1, 2, 2]);
    check(&tcp4, Ok(Some((28, Some("192.0.2.1")))));
    let mut body = [0; 36];
    body[..4].copy_from_slice(&[0x20, 0x01, 0x0d, 0xb8]);
    let tcp6 = v2(0x21, 0x21, &body);
    check(&tcp6, Ok(Some((52, Some("2001:db8::")))));
    // With a checksum behind the addresses.
    let mut with_more = body.to_vec();
    with_more.extend_from_slice(&[3, 0, 4, 1, 2, 3, 4]);
    check(
        &v2(0x21, 0x21, &with_more),
        Ok(Some((59, Some("2001:db8::")))),
    );
    check(&v2(0x20, 0x00, &[]), Ok(Some((16, None))));
    check(&v2(0x20, 0x11, &[1; 12]), Ok(Some((28, None))));
    check(&v2(0x21, 0x00, &[]), Ok(Some((16, None))));
    check(&v2(0x21, 0x31, &[b'/'; 216]), Ok(Some((232, None))));
    for part in 0..tcp6.len() {
        check(&tcp6[..part], Ok(None));
    }
}

#[test]
fn headers_of_version_2_that_cannot_be() {
    check(&v2(0x11, 0x11, &[0; 12]), Err(Error::UnknownCommand(0x11)));
    check(&v2(0x22, 0x11, &[0; 12]), Err(Error::UnknownCommand(0x22)));
    check(&v2(0x21, 0x11, &[0; 11]), Err(Error::NoAddresses));
    check(&v2(0x21, 0x21, &[0; 12]), Err(Error::NoAddresses));
    let longest = PROXY_V2_BYTES_MAX - V2_HEAD_BYTES;
    let header = v2(0x21, 0x11, &vec![0; longest]);
    check(&header, Ok(Some((PROXY_V2_BYTES_MAX, Some("0.0.0.0")))));
    let header = v2(0x21, 0x11, &vec![0; longest + 1]);
    check(&header[..16], Err(Error::TooLong(PROXY_V2_BYTES_MAX + 1)));
}

proptest! {
    #[test]
    fn a_split_header_is_the_same(
        start in prop_oneof![
            "PROXY (TCP4|TCP6|UNKNOWN|x)( [0-9a-f.:]{0,12}){0,5}\r?\n?[a-z<>]{0,99}"
                .prop_map(String::into_bytes),
            (prop_oneof![Just(0x20), Just(0x21), any::<u8>()], any::<u8>(),
                prop::collection::vec(any::<u8>(), 0..60), 0..70_usize)
                .prop_map(|(command, family, body, cut)| {
                    let mut header = v2(command, family, &body);
                    header.truncate(header.len().saturating_sub(cut));
                    header
                }),
            prop::collection::vec(any::<u8>(), 0..40),
        ]
    ) {
        let whole = decode(&start);
        for end in 0..start.len() {
            match decode(&start[..end]) {
                Ok(None) => {}
                early => prop_assert_eq!(early, whole),
            }
        }
        if let Ok(Some(header)) = whole {
            prop_assert!(header.len <= start.len());
        }
    }
}
