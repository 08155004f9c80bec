//! RELP streams of both sides, whole and in pieces.

use proptest::prelude::*;

use super::*;
use crate::limits::FRAME_BYTES_MAX;

type Found = Result<Vec<(u32, Command, Vec<u8>, bool)>, Error>;

/// Feeds a stream in pieces of these lengths, in turn, through a buffer of the least size.
fn feed(stream: &[u8], pieces: &[usize], message_bytes_max: usize) -> Found {
    let mut decoder = Decoder::new(DecoderOptions { message_bytes_max });
    let mut found = Vec::new();
    let mut buffer: Vec<u8> = Vec::new();
    let mut unread = stream;
    let mut pieces = pieces.iter().cycle();
    while !unread.is_empty() {
        let room = decoder.buffer_bytes_min() - buffer.len();
        assert!(room > 0, "the decoder wants a larger buffer than it said");
        let len = (*pieces.next().unwrap()).clamp(1, room).min(unread.len());
        let (piece, rest) = unread.split_at(len);
        buffer.extend_from_slice(piece);
        unread = rest;
        let mut done = 0;
        loop {
            match decoder.next(&buffer[done..])? {
                Step::Frame { frame, consumed } => {
                    found.push((
                        frame.transaction,
                        frame.command,
                        frame.data.to_vec(),
                        frame.is_truncated,
                    ));
                    done += consumed;
                }
                Step::NeedMore { consumed } => {
                    done += consumed;
                    break;
                }
            }
        }
        buffer.drain(..done);
    }
    Ok(found)
}

fn check(stream: &str, expected: &[(u32, Command, &str)]) {
    let expected: Found = Ok(expected
        .iter()
        .map(|(number, command, data)| (*number, *command, data.as_bytes().to_vec(), false))
        .collect());
    for pieces in [usize::MAX, 5, 1] {
        assert_eq!(feed(stream.as_bytes(), &[pieces], 64), expected);
    }
}

fn check_error(stream: &str, expected: Error) {
    for pieces in [usize::MAX, 5, 1] {
        assert_eq!(
            feed(stream.as_bytes(), &[pieces], 64),
            Err(expected),
            "{stream}"
        );
    }
}

#[test]
fn a_session_of_librelp() {
    let open =
        "relp_version=0\nrelp_software=librelp,1.11.0,http://librelp.adiscon.com\ncommands=syslog";
    let data = &open[..60];
    check(
        &format!("1 open 60 {data}\n2 syslog 5 <34>a\n3 syslog 6 <34>b\n\n4 close 0\n"),
        &[
            (1, Command::Open, data),
            (2, Command::Syslog, "<34>a"),
            (3, Command::Syslog, "<34>b\n"),
            (4, Command::Close, ""),
        ],
    );
    check(
        "999999999 syslog 0 \n1 starttls 0\n0 serverclose 0\n2 rsp 6 200 OK\n",
        &[
            (999_999_999, Command::Syslog, ""),
            (1, Command::Unknown, ""),
            (0, Command::ServerClose, ""),
            (2, Command::Response, "200 OK"),
        ],
    );
}

#[test]
fn violations_are_named() {
    for stream in [
        "x",
        " 1",
        "-1 syslog 0\n",
        "1234567890 syslog 0\n",
        "1x syslog 0\n",
    ] {
        check_error(stream, Error::InvalidTransaction);
    }
    check_error(&"9".repeat(100), Error::InvalidTransaction);
    check_error("0 syslog 1 a\n", Error::TransactionZero);
    let invalid = Error::InvalidCommand { transaction: 7 };
    for stream in ["7  0\n", "7 sys7log 0\n", "7 syslog\n"] {
        check_error(stream, invalid);
    }
    check_error(&format!("7 {} 0\n", "a".repeat(33)), invalid);
    let invalid = Error::InvalidDataLength { transaction: 7 };
    for stream in [
        "7 syslog -1\n",
        "7 syslog  1",
        "7 syslog 1\na",
        "7 syslog 0x",
        "7 syslog 1234567890 ",
    ] {
        check_error(stream, invalid);
    }
    check_error(&format!("7 syslog {}", "9".repeat(100)), invalid);
    check_error(
        "7 syslog 16777217 a",
        Error::DataTooLong {
            transaction: 7,
            data_bytes: FRAME_BYTES_MAX + 1,
            data_bytes_max: FRAME_BYTES_MAX,
        },
    );
    let missing = Error::MissingTrailer { transaction: 7 };
    check_error("7 syslog 1 ab", missing);
    check_error("7 syslog 0 a", missing);
    check_error(&format!("7 syslog 70 {}x", "a".repeat(70)), missing);
}

#[test]
fn errors_say_what_was_wrong() {
    let error = Error::DataTooLong {
        transaction: 7,
        data_bytes: 9,
        data_bytes_max: 8,
    };
    assert_eq!(
        error.to_string(),
        "relp frame 7 announces 9 bytes of data, at most 8 are accepted"
    );
}

#[test]
fn long_messages_are_cut_and_the_next_is_whole() {
    let stream = format!("1 syslog 65 {}\n2 syslog 1 b\n", "a".repeat(65));
    for pieces in [usize::MAX, 50, 7, 1] {
        let found = feed(stream.as_bytes(), &[pieces], 64).unwrap();
        assert_eq!(
            found,
            [
                (1, Command::Syslog, vec![b'a'; 64], true),
                (2, Command::Syslog, vec![b'b'], false),
            ]
        );
    }
}

#[test]
fn the_end_of_the_stream_inside_a_frame_is_known() {
    let mut decoder = Decoder::new(DecoderOptions {
        message_bytes_max: 4,
    });
    assert!(!decoder.is_inside_frame(b""));
    assert!(decoder.is_inside_frame(b"1 sys"));
    assert_eq!(
        decoder.next(b"1 syslog 9 a"),
        Ok(Step::NeedMore { consumed: 12 })
    );
    assert!(decoder.is_inside_frame(b""));
}

#[test]
fn offers_are_read_leniently() {
    let offers = Offers::parse(b"relp_version=1\nnew_thing=2\ncommands=foo, syslog\n");
    assert_eq!(
        offers,
        Offers {
            version: Some(1),
            has_syslog: true
        }
    );
    assert!(offers.is_acceptable());
    assert!(Offers::parse(b"commands=syslog").is_acceptable());
    assert!(!Offers::parse(b"relp_version=0\ncommands=eventlog").is_acceptable());
    assert!(!Offers::parse(b"relp_version=2\ncommands=syslog").is_acceptable());
    assert!(!Offers::parse(b"").is_acceptable());
}

#[test]
fn responses_are_read() {
    let response = Response::parse(b"200 OK\nrelp_version=0\ncommands=syslog").unwrap();
    assert!(response.is_ok() && Offers::parse(response.rest).is_acceptable());
    let response = Response::parse(b"500 disk full").unwrap();
    assert_eq!((response.code, response.text), (500, &b"disk full"[..]));
    assert_eq!(Response::parse(b"20"), None);
    assert_eq!(Response::parse(b"2x0 OK"), None);
}

#[test]
fn our_own_frames_are_read_back() {
    let mut out = Vec::new();
    encode::open(1, &mut out);
    encode::open_accepted(1, &mut out);
    encode::syslog(2, b"<34>a", &mut out);
    encode::ok(2, &mut out);
    encode::refused(3, "no room", &mut out);
    encode::close(4, &mut out);
    encode::server_close(&mut out);
    let found = feed(&out, &[3], 100).unwrap();
    let commands: Vec<(u32, Command)> = found
        .iter()
        .map(|(number, command, ..)| (*number, *command))
        .collect();
    assert_eq!(
        commands,
        [
            (1, Command::Open),
            (1, Command::Response),
            (2, Command::Syslog),
            (2, Command::Response),
            (3, Command::Response),
            (4, Command::Close),
            (0, Command::ServerClose),
        ]
    );
    assert!(Offers::parse(&found[0].2).is_acceptable());
    assert!(Offers::parse(Response::parse(&found[1].2).unwrap().rest).is_acceptable());
    assert_eq!(Response::parse(&found[4].2).unwrap().text, b"no room");
}

#[test]
fn transaction_numbers_wrap_to_one() {
    assert_eq!(next_transaction(1), 2);
    assert_eq!(next_transaction(999_999_998), 999_999_999);
    assert_eq!(next_transaction(999_999_999), 1);
    assert_eq!(next_transaction(u32::MAX), 1);
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8),
        noise in prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 0..6)],
        pieces in prop::collection::vec(1..40_usize, 1..6),
        message_bytes_max in 1..80_usize,
    ) {
        let mut stream = Vec::new();
        let mut expected = Vec::new();
        for (number, message) in (1..).zip(&messages) {
            encode::syslog(number, message, &mut stream);
            let kept = message[..message.len().min(message_bytes_max)].to_vec();
            let is_cut = kept.len() < message.len();
            expected.push((number, Command::Syslog, kept, is_cut));
        }
        if noise.is_empty() {
            prop_assert_eq!(feed(&stream, &pieces, message_bytes_max), Ok(expected));
        } else {
            stream.extend_from_slice(&noise);
            let whole = feed(&stream, &[usize::MAX], message_bytes_max);
            prop_assert_eq!(feed(&stream, &pieces, message_bytes_max), whole);
        }
    }

    #[test]
    fn any_bytes_give_frames_or_an_error(
        stream in "([0-9]{0,10} ?[a-z]{0,34} ?[0-9]{0,10}[ a-z]{0,12}\n?){0,3}",
        pieces in prop::collection::vec(1..9_usize, 1..4),
    ) {
        let whole = feed(stream.as_bytes(), &[usize::MAX], 8);
        prop_assert_eq!(feed(stream.as_bytes(), &pieces, 8), whole);
    }
}
