//! Files: what is in them, also when the end came in the middle.

use std::fs;
use std::io::Read as _;

use super::*;
use crate::kinds::{Compression, Rotation};

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn delivered(destinations: &Destinations) -> u64 {
    only(&destinations.status()).totals.delivered
}

#[test]
fn hosts_have_files_of_their_own_and_more_than_may_be_open() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(&dir.path().join("store"));
    let mut file = raw_file(&dir.path().join("logs/${HOST}/all.log"));
    file.open_max = 2;
    let destinations = house.destinations(vec![hasty(file)]);
    let texts = messages(0..90);
    house.put("main", &texts);
    until("all are delivered", || delivered(&destinations) == 90);
    for host in 0..3 {
        let expected: Vec<_> = texts.iter().skip(host).step_by(3).cloned().collect();
        let path = dir.path().join(format!("logs/host{host}/all.log"));
        assert_eq!(lines(&path), expected);
    }
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn what_was_written_behind_the_position_is_cut_off() {
    let dir = tempfile::tempdir().expect("makes one");
    let path = dir.path().join("all.log");
    let store_dir = dir.path().join("store");
    let house = House::open(&store_dir);
    let destinations = house.destinations(vec![hasty(raw_file(&path))]);
    let texts = messages(0..20);
    house.put("main", &texts[..10]);
    until("all are delivered", || delivered(&destinations) == 10);
    destinations.shutdown(Duration::from_secs(10));
    // As if it had been killed while it wrote the next batch.
    let mut torn = fs::read(&path).expect("reads");
    torn.extend_from_slice(b"host1 message 10\nhost2 mess");
    fs::write(&path, torn).expect("writes");
    let destinations = house.destinations(vec![hasty(raw_file(&path))]);
    house.put("main", &texts[10..]);
    until("all are delivered", || delivered(&destinations) == 20);
    destinations.shutdown(Duration::from_secs(10));
    assert_eq!(lines(&path), texts);
}

#[test]
fn compressed_files_can_be_read_after_every_batch() {
    for compression in [Compression::Gzip(6), Compression::Zstd(3)] {
        let dir = tempfile::tempdir().expect("makes one");
        let house = House::open(&dir.path().join("store"));
        let path = dir.path().join("all.log");
        let mut file = raw_file(&path);
        file.compression = compression;
        let destinations = house.destinations(vec![hasty(file)]);
        let texts = messages(0..300);
        for (part, end) in texts.chunks(100).zip([100, 200, 300]) {
            house.put("main", part);
            until("all are delivered", || delivered(&destinations) == end);
            let bytes = fs::read(&path).expect("reads");
            let mut text = String::new();
            match compression {
                Compression::Gzip(_) => {
                    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text)
                }
                _ => zstd::Decoder::new(&bytes[..])
                    .expect("a frame")
                    .read_to_string(&mut text),
            }
            .expect("is whole");
            assert_eq!(text.lines().count() as u64, end);
        }
        destinations.shutdown(Duration::from_secs(10));
    }
}

#[test]
fn a_file_that_is_long_enough_is_renamed_and_the_oldest_are_removed() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(&dir.path().join("store"));
    let logs = dir.path().join("logs");
    let mut file = raw_file(&logs.join("all.log"));
    file.rotation = Rotation {
        bytes: Some(1_000),
        period: None,
        keep: Some(2),
    };
    let mut options = hasty(file);
    options.batch.records_max = 50;
    let destinations = house.destinations(vec![options]);
    for round in 0..8 {
        house.put("main", &messages(round * 100..round * 100 + 100));
        until("all are delivered", || {
            delivered(&destinations) == (round as u64 + 1) * 100
        });
    }
    destinations.shutdown(Duration::from_secs(10));
    let names = fs::read_dir(&logs)
        .expect("lists")
        .map(|entry| entry.expect("one").file_name());
    let mut names: Vec<_> = names
        .map(|name| name.into_string().expect("a text"))
        .collect();
    names.sort();
    let rotated: Vec<_> = names.iter().filter(|name| *name != "all.log").collect();
    assert_eq!(rotated.len(), 2, "{names:?}");
    // What is there is the newest, without a hole.
    let kept: Vec<_> = rotated
        .iter()
        .flat_map(|name| lines(&logs.join(name)))
        .collect();
    let kept = [kept, lines(&logs.join("all.log"))].concat();
    let all = messages(0..800);
    assert_eq!(kept, all[800 - kept.len()..]);
}

#[test]
fn a_file_that_somebody_takes_away_is_begun_anew() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(&dir.path().join("store"));
    let (path, old) = (dir.path().join("all.log"), dir.path().join("all.log.1"));
    let destinations = house.destinations(vec![hasty(raw_file(&path))]);
    house.put("main", &messages(0..10));
    until("all are delivered", || delivered(&destinations) == 10);
    fs::rename(&path, &old).expect("renames");
    let mut sent = 10;
    // It is noticed when the position is kept.
    until("it is begun anew", || {
        house.put("main", &messages(sent..sent + 1));
        sent += 1;
        path.exists()
    });
    until("all are delivered", || {
        delivered(&destinations) == sent as u64
    });
    destinations.shutdown(Duration::from_secs(10));
    assert_eq!([lines(&old), lines(&path)].concat(), messages(0..sent));
}

#[test]
fn values_that_make_no_file_are_refused_and_the_others_go_on() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(&dir.path().join("store"));
    let path = dir.path().join("${HOST}.log");
    let destinations = house.destinations(vec![hasty(raw_file(&path))]);
    fs::create_dir(dir.path().join("host1.log")).expect("makes one");
    house.put("main", &messages(0..9));
    let hostile = ["../../escape x", "a/b x", ". x", ".. x"].map(str::to_owned);
    house.put("main", &hostile);
    until("all are settled", || {
        let status = destinations.status();
        let totals = &only(&status).totals;
        totals.delivered == 10 && totals.dropped.rejected == 3
    });
    destinations.shutdown(Duration::from_secs(10));
    assert_eq!(
        lines(&dir.path().join(".._.._escape.log")),
        ["../../escape x"]
    );
    assert_eq!(lines(&dir.path().join("a_b.log")), ["a/b x"]);
    assert_eq!(
        lines(&dir.path().join("...log")),
        [".", ".."].map(|host| format!("{host} x"))[1..]
    );
    assert!(!dir.path().join("escape.log").exists());
    _ = now();
}

#[test]
fn values_and_links_lead_to_no_file_of_the_store() {
    let dir = tempfile::tempdir().expect("makes one");
    let out = tempfile::tempdir().expect("makes one");
    std::os::unix::fs::symlink(dir.path(), out.path().join("host1")).expect("links");
    let template = out.path().join("${HOST}/all.log");
    let mut file = raw_file(&template);
    file.kept_out = Some(dir.path().to_owned());
    let house = House::open(dir.path());
    let destinations = house.destinations(vec![hasty(file)]);
    house.put("main", &messages(0..30));
    until("all are settled", || {
        let totals = only(&destinations.status()).totals.clone();
        (totals.delivered, totals.dropped.rejected) == (20, 10)
    });
    destinations.shutdown(Duration::from_secs(10));
    assert!(!dir.path().join("all.log").exists());
}
