//! Streams as peers and attackers send them, whole and in pieces.

use model::Tag::{IncompleteFrame, InvalidOctetCount, Truncated};
use proptest::prelude::*;

use super::*;
use crate::limits::FRAME_OVERHEAD_BYTES;

type Found = Vec<(Vec<u8>, u64)>;

/// Feeds a stream in pieces of these lengths, in turn, through a buffer of the least size.
fn feed(stream: &[u8], pieces: &[usize], message_bytes_max: usize) -> (Found, u64) {
    feed_as(Framing::Auto, stream, pieces, message_bytes_max)
}

fn feed_as(
    framing: Framing,
    stream: &[u8],
    pieces: &[usize],
    message_bytes_max: usize,
) -> (Found, u64) {
    let mut framer = Framer::new(FramerOptions {
        framing,
        message_bytes_max,
    });
    let mut found = Found::new();
    let mut buffer: Vec<u8> = Vec::new();
    let mut unread = stream;
    let mut pieces = pieces.iter().cycle();
    while !unread.is_empty() {
        let room = framer.buffer_bytes_min() - buffer.len();
        assert!(room > 0, "the framer wants a larger buffer than it said");
        let len = (*pieces.next().unwrap()).clamp(1, room).min(unread.len());
        let (piece, rest) = unread.split_at(len);
        buffer.extend_from_slice(piece);
        unread = rest;
        let mut done = 0;
        loop {
            match framer.next(&buffer[done..]) {
                Step::Frame { frame, consumed } => {
                    found.push((frame.raw.to_vec(), frame.tags));
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
    if let Some(frame) = framer.finish(&buffer) {
        found.push((frame.raw.to_vec(), frame.tags));
    }
    (found, framer.cut_bytes())
}

fn check(stream: &[u8], message_bytes_max: usize, expected: &[(&[u8], &[Tag])]) {
    check_as(Framing::Auto, stream, message_bytes_max, expected);
}

fn check_as(
    framing: Framing,
    stream: &[u8],
    message_bytes_max: usize,
    expected: &[(&[u8], &[Tag])],
) {
    let expected: Found = expected
        .iter()
        .map(|(raw, tags)| {
            (
                raw.to_vec(),
                tags.iter().fold(0, |set, tag| set | tag.bit()),
            )
        })
        .collect();
    for pieces in [usize::MAX, 7, 3, 2, 1] {
        let (found, _) = feed_as(framing, stream, &[pieces], message_bytes_max);
        assert_eq!(
            found,
            expected,
            "{} by {pieces}",
            String::from_utf8_lossy(stream)
        );
    }
}

#[test]
fn lines_end_at_a_line_feed() {
    check(
        b"<34>a\n<34>b\r\n<34>c\0\n<34>d\n\0<34>e\n",
        64,
        &[
            (b"<34>a", &[]),
            (b"<34>b\r", &[]),
            (b"<34>c", &[]),
            (b"<34>d", &[]),
            (b"<34>e", &[]),
        ],
    );
}

#[test]
fn bytes_that_are_no_terminator_are_kept() {
    check(
        b"a\0b\r\r\n \n\xff\xfe\n",
        64,
        &[(b"a\0b\r\r", &[]), (b" ", &[]), (b"\xff\xfe", &[])],
    );
}

#[test]
fn counted_frames_and_lines_may_alternate() {
    check(
        b"5 <34>a<34>b\n7 <34>c\nd0000000005 <34>e\n\r\n5 <34>f\n6 <34>g\n",
        64,
        &[
            (b"<34>a", &[]),
            (b"<34>b", &[]),
            (b"<34>c\nd", &[]),
            (b"<34>e", &[]),
            (b"<34>f", &[]),
            (b"<34>g", &[]),
        ],
    );
}

#[test]
fn empty_frames_are_skipped() {
    check(b"\n\n\r\n\0\n", 64, &[]);
    check(b"5 <34>a1 \n2 \r\n\n", 64, &[(b"<34>a", &[])]);
    check(b"", 64, &[]);
}

#[test]
fn numbers_that_are_no_counts_start_a_line() {
    check(
        b"2026-11-21T19:12:18 h p: x\n29: *Mar 1\n10.0.0.1 up\n123\n",
        64,
        &[
            (b"2026-11-21T19:12:18 h p: x", &[]),
            (b"29: *Mar 1", &[]),
            (b"10.0.0.1 up", &[]),
            (b"123", &[]),
        ],
    );
}

#[test]
fn numbers_in_front_of_text_are_no_counts() {
    for line in [
        "20 errors found",
        "3 <b>bold</b> words",
        "1 <",
        "7 <1234>",
        "0 errors",
        "99999999 bytes",
        "16 <>",
        "5 zebras",
        "5 z",
        "12 ",
        "10 \u{e9}",
        "3com switch",
        "404",
    ] {
        let stream = format!("<14>summary\n{line}\n<14>important\n");
        let expected: &[(&[u8], &[Tag])] = &[
            (b"<14>summary", &[]),
            (line.as_bytes(), &[]),
            (b"<14>important", &[]),
        ];
        check(stream.as_bytes(), 64, expected);
    }
}

#[test]
fn counts_without_a_priority_are_believed_behind_one_with_it() {
    check(
        b"5 <34>a5 hello7 2 apple4 \xff\xfe\xfd\xfc5 <34>b<34>c\n3 d e",
        64,
        &[
            (b"<34>a", &[]),
            (b"hello", &[]),
            (b"2 apple", &[]),
            (b"\xff\xfe\xfd\xfc", &[]),
            (b"<34>b", &[]),
            (b"<34>c", &[]),
            (b"d e", &[]),
        ],
    );
    check(
        b"6 zx\x9cabc5 hello",
        64,
        &[(b"zx\x9cabc", &[]), (b"hello", &[])],
    );
}

#[test]
fn a_nul_in_front_of_a_priority_ends_a_message() {
    // As Python's SysLogHandler sends them.
    check(
        b"<14>one\0<14>two\0<14>three\0",
        64,
        &[(b"<14>one", &[]), (b"<14>two", &[]), (b"<14>three", &[])],
    );
    check(b"<14>alone\0", 64, &[(b"<14>alone", &[])]);
    // It is a byte of a message where text follows, until the sender has ended one so.
    check(
        b"<14>a\0b\n<14>c\0<14>d\0e\nf\0",
        64,
        &[
            (b"<14>a\0b", &[]),
            (b"<14>c", &[]),
            (b"<14>d", &[]),
            (b"e", &[]),
            (b"f", &[]),
        ],
    );
    for text in ["<", "<>", "<b>", "<1", "<1234>", "<14 >", " <14>"] {
        let line = format!("<14>a\0{text}");
        let stream = format!("{line}\n<14>b\n");
        check(
            stream.as_bytes(),
            64,
            &[(line.as_bytes(), &[]), (b"<14>b", &[])],
        );
    }
    // Behind a wrong count, and behind a message that is too long.
    check(
        b"8 <34>a b c\0<34>d\0",
        64,
        &[
            (b"<34>a b ", &[]),
            (b"c", &[InvalidOctetCount]),
            (b"<34>d", &[]),
        ],
    );
    for len in 20..40 {
        let stream = [b"<34>", "x".repeat(len).as_bytes(), b"\0<34>b\0<34>c\n"].concat();
        let cut: &[Tag] = if len > 20 { &[Truncated] } else { &[] };
        let kept = [b"<34>", &[b'x'; 20][..]].concat();
        check(
            &stream,
            24,
            &[(&kept, cut), (b"<34>b", &[]), (b"<34>c", &[])],
        );
    }
}

#[test]
fn wrong_counts_keep_the_line_whole() {
    for count in [
        "0 ",
        "000 ",
        "99999999 ",
        "16777217 ",
        "123456789 ",
        "9999999999 ",
        "12345678901 ",
        "5",
        "00000000005 ",
    ] {
        let line = format!("{count}<34>a");
        let stream = format!("{line}\n<34>b\n");
        check(
            stream.as_bytes(),
            64,
            &[(line.as_bytes(), &[InvalidOctetCount]), (b"<34>b", &[])],
        );
    }
    let huge = format!("{} <34>a", "9".repeat(100));
    check(
        format!("{huge}\n5 <34>b").as_bytes(),
        200,
        &[(huge.as_bytes(), &[InvalidOctetCount]), (b"<34>b", &[])],
    );
    check(b"-1 <34>a\n", 64, &[(b"-1 <34>a", &[])]);
}

#[test]
fn long_messages_are_cut_and_the_next_is_whole() {
    let max = 20;
    for len in max - 2..max + 40 {
        let message = b"<34>"
            .iter()
            .chain(&[b'x'; 200])
            .copied()
            .take(len)
            .collect::<Vec<_>>();
        let (kept, tags): (&[u8], &[Tag]) = if len > max {
            (&message[..max], &[Truncated])
        } else {
            (&message, &[])
        };
        let cut_bytes = (len - kept.len()) as u64;
        let counted = format!("{len} ").into_bytes();
        let counted_line = format!("{} ", len + 1).into_bytes();
        for stream in [
            [&message[..], b"\n<34>b\n"].concat(),
            [&message[..], b"\0\n<34>b\n"].concat(),
            [&counted[..], &message, b"<34>b\n"].concat(),
            [&counted_line[..], &message, b"\n<34>b\n"].concat(),
            [&counted[..], &message, b"\n5 <34>b"].concat(),
        ] {
            check(&stream, max, &[(kept, tags), (b"<34>b", &[])]);
            let (_, cut) = feed(&stream, &[5], max);
            // The terminator of a cut message goes with it.
            assert!(
                (cut_bytes..=cut_bytes + 2).contains(&cut),
                "{cut_bytes} {cut}"
            );
        }
    }
}

#[test]
fn the_end_of_the_stream_cuts_a_frame_short() {
    check(
        b"<34>a\n<34>b",
        64,
        &[(b"<34>a", &[]), (b"<34>b", &[IncompleteFrame])],
    );
    check(b"50 <34>a", 64, &[(b"<34>a", &[IncompleteFrame])]);
    check(b"50 ", 64, &[(b"50 ", &[IncompleteFrame])]);
    check(b"50", 64, &[(b"50", &[IncompleteFrame])]);
    check(
        b"0 <34>a",
        64,
        &[(b"0 <34>a", &[InvalidOctetCount, IncompleteFrame])],
    );
    check(
        b"100 <34>456789012345678901234",
        20,
        &[(b"<34>4567890123456789", &[Truncated])],
    );
    for stream in [&b"50 <"[..], b"50 <3", b"50 z", b"50 zx", b"<34>a\0<3"] {
        check(stream, 64, &[(stream, &[IncompleteFrame])]);
    }
    check(b"<34>a\n\r\n\0", 64, &[(b"<34>a", &[])]);
}

#[test]
fn a_count_too_small_is_survived() {
    // As `loggen -P -s 20` sends it: 20 of 30 bytes counted, no line feed.
    let message = b"<38>1 - h p - - - 0123456789. ";
    let stream = [b"20 ", &message[..]].concat().repeat(3);
    let (head, tail) = message.split_at(20);
    check(
        &stream,
        64,
        &[
            (head, &[]),
            (tail, &[InvalidOctetCount]),
            (head, &[]),
            (tail, &[InvalidOctetCount]),
            (head, &[]),
            (tail, &[InvalidOctetCount, IncompleteFrame]),
        ],
    );
    // With a line feed the rest is a line of its own.
    check(
        b"8 <34>a b c d\n<34>e\n",
        64,
        &[
            (b"<34>a b ", &[]),
            (b"c d", &[InvalidOctetCount]),
            (b"<34>e", &[]),
        ],
    );
}

#[test]
fn the_terminator_of_a_datagram_is_trimmed() {
    for (datagram, expected) in [
        ("a\n", "a"),
        ("a\0", "a"),
        ("a\n\0", "a"),
        ("a\r\n", "a\r"),
        ("a\r\n\0", "a\r"),
        ("a\0\r\n", "a\0\r"),
        ("a\0\n", "a"),
        ("a", "a"),
        ("a\r", "a\r"),
        ("a\n\n", "a\n"),
        ("\n", ""),
        ("", ""),
    ] {
        assert_eq!(trim_terminator(datagram.as_bytes()), expected.as_bytes());
    }
}

#[test]
fn the_checksum_of_a_packed_message_is_no_terminator() {
    for raw in [&b"zx\x9cab\n"[..], b"zx\x9cab\r\n\0", b"zx\x9cab\0"] {
        assert_eq!(trim_counted(raw), raw);
        let mut stream = Vec::new();
        crate::write::octet_counted(raw, &mut stream);
        check(&stream, 100, &[(raw, &[])]);
    }
    assert_eq!(trim_counted(b"zebra\n"), b"zebra");
    check(b"zx\x9cab\n", 100, &[(b"zx\x9cab", &[])]);
}

#[test]
fn the_limit_holds_for_options_out_of_range() {
    for message_bytes_max in [0, usize::MAX] {
        let framer = Framer::new(FramerOptions {
            message_bytes_max,
            ..FramerOptions::default()
        });
        assert!(framer.buffer_bytes_min() <= MESSAGE_BYTES_MAX + FRAME_OVERHEAD_BYTES);
    }
    check(b"ab\nc\n", 0, &[(b"a", &[Truncated]), (b"c", &[])]);
}

#[test]
fn digits_are_text_where_there_are_no_counts() {
    check_as(
        Framing::Lines,
        b"5 <34>abc\n12 apples\n\n<34>x\n7",
        100,
        &[
            (b"5 <34>abc", &[]),
            (b"12 apples", &[]),
            (b"<34>x", &[]),
            (b"7", &[IncompleteFrame]),
        ],
    );
}

#[test]
fn a_nul_ends_a_message_of_several_lines_where_that_is_asked_for() {
    check_as(
        Framing::Nul,
        b"<34>a\nb\0\0{\n}\n\0\n\x005 <34>c\0<34>cut o",
        100,
        &[
            (b"<34>a\nb", &[]),
            (b"{\n}", &[]),
            (b"5 <34>c", &[]),
            (b"<34>cut o", &[IncompleteFrame]),
        ],
    );
    check_as(
        Framing::Nul,
        b"abc\ndef\0x\0",
        5,
        &[(b"abc\nd", &[Truncated]), (b"x", &[])],
    );
}

/// Pieces that streams are made of, to meet each other in any order.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[<> 0-9a-c\r\n\\x00]{0,12}".prop_map(String::into_bytes),
        "(<34>)?[a-z ]{0,40}\n".prop_map(String::into_bytes),
        "(<34>)?[a-z\n ]{1,40}".prop_map(|text| format!("{} {text}", text.len()).into_bytes()),
        "0{0,10}[0-9]{0,3} <34>[a-z]{0,9}".prop_map(String::into_bytes),
        "<[0-9]{1,3}>[a-z<>0-9\\x00 ]{0,40}\\x00".prop_map(String::into_bytes),
        "[0-9]{1,3} z?x?\\x5e?<?[0-9]{0,4}>?".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_split_gives_the_same_messages(
        stream in stream(),
        pieces in prop::collection::vec(1..20_usize, 1..8),
        message_bytes_max in prop_oneof![1..40_usize, Just(1000)],
        framing in prop_oneof![Just(Framing::Auto), Just(Framing::Lines), Just(Framing::Nul)],
    ) {
        let by = |pieces: &[usize]| feed_as(framing, &stream, pieces, message_bytes_max);
        let whole = by(&[usize::MAX]);
        prop_assert_eq!(&by(&pieces), &whole);
        prop_assert_eq!(&by(&[1]), &whole);
        for (raw, _) in &whole.0 {
            prop_assert!(!raw.is_empty() && raw.len() <= message_bytes_max);
        }
    }

    // The oracle: what was framed, not how the framer works.
    #[test]
    fn well_framed_messages_come_out_as_they_went_in(
        messages in prop::collection::vec(("<[0-9]{1,3}>[ -~]{0,60}", any::<bool>()), 0..10),
        pieces in prop::collection::vec(1..50_usize, 1..8),
    ) {
        let mut stream = Vec::new();
        for (message, is_counted) in &messages {
            if *is_counted {
                crate::write::octet_counted(message.as_bytes(), &mut stream);
            } else {
                stream.extend_from_slice(message.as_bytes());
                stream.push(b'\n');
            }
        }
        let expected: Found =
            messages.into_iter().map(|(message, _)| (message.into_bytes(), 0)).collect();
        prop_assert_eq!(feed(&stream, &pieces, 100).0, expected);
    }

    // Nothing is lost but terminators and counts where nothing is too long.
    #[test]
    fn the_bytes_of_lines_are_all_there(stream in "[a-z<>\r\n]{0,200}") {
        let (found, cut) = feed(stream.as_bytes(), &[9], 1000);
        let found: Vec<Vec<u8>> = found.into_iter().map(|(raw, _)| raw).collect();
        let lines = stream.split('\n').map(str::as_bytes);
        let lines: Vec<&[u8]> = lines.filter(|line| !is_terminator_only(line)).collect();
        prop_assert_eq!(found, lines);
        prop_assert_eq!(cut, 0);
    }
}
