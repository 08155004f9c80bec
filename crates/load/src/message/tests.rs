use super::*;
use model::Timestamp;

/// 2026-11-22T05:12:21.123456Z, the time of the captures.
const NOW: Timestamp = Timestamp::from_nanos(1_795_324_341_123_456_000);

fn recipe(format: Format) -> Recipe {
    Recipe {
        format,
        bytes: None,
        bytes_max: None,
        connections: 1,
        run: 1_795_324_341,
        seed: 1,
        dynamic_ids: 0,
        json_cookie: None,
        structured_data: String::new(),
        zone: TimeZone::UTC,
    }
}

fn messages(recipe: &Recipe, connection: u32, count: usize) -> Vec<String> {
    let mut source = recipe.source(connection).expect("a source");
    (0..count)
        .map(|_| {
            let mut out = Vec::new();
            assert!(source.next_message(NOW, &mut out));
            String::from_utf8(out).expect("UTF-8")
        })
        .collect()
}

#[test]
fn loggen_is_as_captured() {
    // loggen -i -S -n 2
    let expected = |seq: &str| {
        format!(
            "<38>2026-11-22T05:12:21 localhost prg00000[1234]: seq: {seq}, thread: 0000, \
             runid: 1795324341, stamp: 2026-11-22T05:12:21 {}",
            "PADD".repeat(32)
        )
    };
    let made = messages(&recipe(Format::Loggen), 0, 2);
    assert_eq!(made, [expected("0000000000"), expected("0000000001")]);
    // loggen -i -S -P -s 200 -p '[test name="value"]'
    let ietf = Recipe {
        bytes: Some(199),
        structured_data: "[test name=\"value\"]".to_owned(),
        ..recipe(Format::LoggenIetf)
    };
    assert_eq!(
        messages(&ietf, 0, 1),
        [
            "<38>1 2026-11-22T05:12:21+00:00 localhost prg00000 1234 - [test name=\"value\"] \
             \u{feff}seq: 0000000000, thread: 0000, runid: 1795324341, \
             stamp: 2026-11-22T05:12:21 PADDPADDPADDPADDPADDPADDPADDPADDPADDPADDP"
        ]
    );
    // loggen -i -S -s 127, the smallest.
    let smallest = Recipe {
        bytes: Some(126),
        ..recipe(Format::Loggen)
    };
    assert!(messages(&smallest, 0, 1)[0].ends_with("stamp: 2026-11-22T05:12:21"));
    let smaller = Recipe {
        bytes: Some(125),
        ..recipe(Format::Loggen)
    };
    assert!(matches!(
        smaller.source(0).err(),
        Some(Error::TooShort { bytes_min: 126, .. })
    ));
}

#[test]
fn tcpflood_is_as_captured() {
    // tcpflood -m2; tcpflood -m2 -d10; tcpflood -m1 -y
    let plain = recipe(Format::Tcpflood);
    let head = "<167>Mar  1 01:00:00 172.20.245.8 tag msgnum:";
    let expected = [format!("{head}00000000:"), format!("{head}00000001:")];
    assert_eq!(messages(&plain, 0, 2), expected);
    let long = Recipe {
        bytes: Some(head.len() + 9 + "10:".len() + 10),
        ..plain.clone()
    };
    assert_eq!(
        messages(&long, 0, 1),
        [format!("{head}00000000:10:XXXXXXXXXX")]
    );
    assert_eq!(
        messages(&recipe(Format::TcpfloodIetf), 0, 1),
        [
            "<167>1 2003-03-01T01:00:00.000Z mymachine.example.com tcpflood - tag \
             [tcpflood@32473 MSGNUM=\"00000000\"] msgnum:00000000:"
        ]
    );
    let shared = Recipe {
        connections: 3,
        ..plain
    };
    let expected = [format!("{head}00000002:"), format!("{head}00000005:")];
    assert_eq!(messages(&shared, 2, 2), expected);
}

#[test]
fn tcpflood_varies_as_captured() {
    // tcpflood -m2 -jcee: ; tcpflood -m1 -y -jcee: ; tcpflood -f3; tcpflood -d20 -r
    let json = Recipe {
        json_cookie: Some("@cee:".to_owned()),
        ..recipe(Format::Tcpflood)
    };
    let head = "<167>Mar  1 01:00:00 172.20.245.8 tag ";
    let expected = [0, 1].map(|number| format!("{head}@cee:{{\"msgnum\":{number}}}"));
    assert_eq!(messages(&json, 0, 2), expected);
    let ietf = Recipe {
        format: Format::TcpfloodIetf,
        ..json
    };
    assert_eq!(
        messages(&ietf, 0, 1),
        [
            "<167>1 2003-03-01T01:00:00.000Z mymachine.example.com tcpflood - tag \
             [tcpflood@32473 MSGNUM=\"00000000\"] @cee:{\"msgnum\":0}"
        ]
    );
    let files = Recipe {
        dynamic_ids: 3,
        ..recipe(Format::Tcpflood)
    };
    let ids: std::collections::BTreeSet<String> = messages(&files, 0, 60)
        .iter()
        .zip(0..)
        .map(|(message, number)| {
            let id = message.strip_prefix(&format!("{head}msgnum:"));
            let id = id.and_then(|rest| rest.strip_suffix(&format!(":{number:08}:")));
            id.expect("as tcpflood writes it").to_owned()
        })
        .collect();
    assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["0", "1", "2"]);
    let least = head.len() + "msgnum:00000000:1:X".len();
    let sizes = Recipe {
        bytes: Some(least),
        bytes_max: Some(least + 30),
        ..recipe(Format::Tcpflood)
    };
    for message in messages(&sizes, 0, 60) {
        assert!((least..=least + 30).contains(&message.len()), "{message}");
        let (front, padding) = message.rsplit_once(':').expect("padding");
        let (_, told) = front.rsplit_once(':').expect("a length");
        assert_eq!(told.parse(), Ok(padding.len()), "{message}");
    }
    let open = Recipe {
        bytes_max: Some(300),
        ..recipe(Format::Tcpflood)
    };
    assert!(matches!(
        open.source(0).err(),
        Some(Error::Contradiction { .. })
    ));
    let wrong = Recipe {
        dynamic_ids: 3,
        ..recipe(Format::Loggen)
    };
    assert!(matches!(
        wrong.source(0).err(),
        Some(Error::Contradiction { .. })
    ));
}

#[test]
fn our_own_forms_have_stamps_of_the_zone() {
    let zone = TimeZone::fixed(jiff::tz::offset(2));
    let bsd = Recipe {
        zone: zone.clone(),
        ..recipe(Format::Rfc3164)
    };
    let made = messages(&bsd, 7, 1).remove(0);
    assert!(
        made.starts_with(
            "<38>Nov 22 07:12:21 localhost logwood[1234]: seq: 0000000000, thread: 0007,"
        ),
        "{made}"
    );
    assert_eq!(made.len(), SIZE_DEFAULT - 1);
    let ietf = Recipe {
        zone,
        ..recipe(Format::Rfc5424)
    };
    let made = messages(&ietf, 0, 1).remove(0);
    let head = "<38>1 2026-11-22T05:12:21.123456Z localhost logwood 1234 - - seq: 0000000000,";
    assert!(made.starts_with(head), "{made}");
}

#[test]
fn sizes_are_drawn_from_the_whole_range_by_the_seed() {
    let random = Recipe {
        bytes: Some(200),
        bytes_max: Some(203),
        ..recipe(Format::Rfc3164)
    };
    let made = messages(&random, 0, 200);
    let lengths: std::collections::BTreeSet<usize> = made.iter().map(String::len).collect();
    assert!(lengths.iter().eq(&[200, 201, 202, 203]));
    assert_eq!(made, messages(&random, 0, 200));
    let other = Recipe { seed: 2, ..random };
    assert_ne!(made, messages(&other, 0, 200));
}

#[test]
fn a_number_that_outgrows_its_place_moves_what_follows() {
    let shared = Recipe {
        connections: 99_999_999,
        ..recipe(Format::TcpfloodIetf)
    };
    let made = messages(&shared, 1, 3);
    assert!(made[0].ends_with("MSGNUM=\"00000001\"] msgnum:00000001:"));
    assert!(made[1].ends_with("MSGNUM=\"100000000\"] msgnum:100000000:"));
    assert!(made[2].ends_with("MSGNUM=\"199999999\"] msgnum:199999999:"));
    let padded = Recipe {
        bytes: Some(200),
        ..shared
    };
    let made = messages(&padded, 1, 2);
    assert!(made.iter().all(|message| message.len() == 200));
    assert!(made[1].contains("] msgnum:100000000:XX"), "{}", made[1]);
}

#[test]
fn a_file_is_sent_line_by_line_with_the_stamps_of_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let text = "<34>Oct 11 22:14:15 h su: a\r\n\n<38>1 2020-01-01T00:00:00Z h p - - - b\nno stamp";
    std::fs::write(&path, text).expect("writes");
    let lines = |is_endless, restamp, count| {
        let replay = Replay::open(&path, is_endless, restamp).expect("opens");
        let mut source = replay.source();
        let mut lines = Vec::new();
        for _ in 0..count {
            let mut out = Vec::new();
            if source.next_message(NOW, &mut out) {
                lines.push(String::from_utf8(out).expect("UTF-8"));
            }
        }
        assert!(replay.failure().is_none());
        lines
    };
    assert_eq!(
        lines(false, Some(TimeZone::UTC), 9),
        [
            "<34>Nov 22 05:12:21 h su: a",
            "<38>1 2026-11-22T05:12:21.123456Z h p - - - b",
            "no stamp"
        ]
    );
    let again = lines(true, None, 7);
    assert_eq!(again.len(), 7);
    assert_eq!(again[6], "<34>Oct 11 22:14:15 h su: a");
    std::fs::write(&path, "").expect("writes");
    assert!(lines(true, None, 2).is_empty());
}

#[test]
fn connections_share_the_lines_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    std::fs::write(&path, "a\nb\n\nc\n").expect("writes");
    let replay = Replay::open(&path, true, None).expect("opens");
    let mut sources: Vec<_> = (0..4).map(|_| replay.source()).collect();
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..6 {
        for source in &mut sources {
            let mut out = Vec::new();
            assert!(source.next_message(NOW, &mut out));
            *counts.entry(out).or_insert(0) += 1;
        }
    }
    // 24 lines are the three of the file eight times.
    assert_eq!(counts.into_values().collect::<Vec<_>>(), [8, 8, 8]);
}
