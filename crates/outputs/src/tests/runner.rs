//! What the runner promises, with another side that does what it is told.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

fn all_delivered(destinations: &Destinations, count: u64) {
    until("all are delivered", || {
        let status = destinations.status();
        assert_adds_up(only(&status));
        only(&status).totals.delivered == count
    });
}

#[test]
fn records_come_in_order_and_go_on_after_a_restart() {
    let dir = tempfile::tempdir().expect("makes one");
    let kind = Scripted::new(|_| Outcome::default());
    let texts = messages(0..1_000);
    for (round, part) in texts.chunks(400).enumerate() {
        let house = House::open(dir.path());
        let destinations = house.destinations(vec![hasty(kind.clone())]);
        house.put("main", part);
        all_delivered(&destinations, (round * 400 + part.len()) as u64);
        destinations.shutdown(Duration::from_secs(10));
        house.store.close();
    }
    assert_eq!(kind.got(), texts);
}

#[test]
fn what_is_left_is_tried_again_and_refused_records_are_kept_with_the_reason() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let tries = AtomicUsize::new(0);
    let kind = Scripted::new(move |batch| {
        let mut outcome = Outcome::default();
        let is_odd = tries.fetch_add(1, Ordering::Relaxed) % 2 == 1;
        for (place, item) in batch.iter().enumerate() {
            let text = text(item);
            if text.ends_with('7') {
                outcome.reject(place, "it ends in seven");
            } else if is_odd || place % 2 == 1 {
                outcome.left.push(place);
            }
        }
        outcome.failure = (!outcome.left.is_empty()).then(|| Failure::new("busy"));
        outcome
    });
    let mut options = hasty(kind.clone());
    options.batch.records_max = 10;
    options.on_reject = LogspaceName::parse("refused").ok();
    let destinations = house.destinations(vec![options]);
    let texts = messages(0..100);
    house.put("main", &texts);
    all_delivered(&destinations, 90);
    let status = destinations.status();
    assert_eq!(only(&status).totals.dropped.rejected, 10);
    assert!(only(&status).retries > 0);
    assert_eq!(
        only(&status)
            .last_error
            .as_ref()
            .map(|(_, what)| what.as_str()),
        Some("busy")
    );
    let mut got = kind.got();
    got.sort();
    let mut expected: Vec<_> = texts
        .into_iter()
        .filter(|text| !text.ends_with('7'))
        .collect();
    expected.sort();
    assert_eq!(got, expected);
    destinations.shutdown(Duration::from_secs(10));
    assert_dead_letter(&house);
}

/// The dead letters have the message, the reason and the place.
fn assert_dead_letter(house: &House) {
    let found = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&found);
    let reader = Scripted::new(move |batch| {
        let mut seen = seen.lock().expect("whole");
        for item in batch.iter() {
            let fields = item.record.fields();
            let fields: Vec<_> = fields
                .map(|field| (field.full_name(), field.value.to_vec()))
                .collect();
            let tags: Vec<_> = item.record.tags().map(str::to_owned).collect();
            seen.push((text(item), fields, tags));
        }
        Outcome::default()
    });
    let mut options = hasty(reader);
    options.name = "letters".to_owned();
    options.from = vec![LogspaceName::parse("refused").expect("a name")];
    let again = house.destinations(vec![options]);
    all_delivered(&again, 10);
    let found = found.lock().expect("whole");
    let (text, fields, tags) = found.first().expect("one");
    assert_eq!(text, "host1 message 7");
    let value = |name: &str| {
        let field = fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    };
    assert_eq!(
        value("logwood@32473.reason").as_deref(),
        Some("it ends in seven")
    );
    assert_eq!(value("logwood@32473.id").as_deref(), Some("main:8"));
    assert_eq!(
        value("logwood@32473.destination").as_deref(),
        Some("scripted.one")
    );
    assert!(tags.contains(&"rejected".to_owned()));
    again.shutdown(Duration::from_secs(10));
}

#[test]
fn one_that_is_down_keeps_nobody_else_and_loses_nothing() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    let down = Scripted::new(move |batch| match up.load(Ordering::Relaxed) {
        true => Outcome::default(),
        false => Outcome::left_from(0, batch, Failure::new("nobody is there")),
    });
    let well = Scripted::new(|_| Outcome::default());
    let mut other = hasty(well.clone());
    other.name = "other".to_owned();
    let destinations = house.destinations(vec![hasty(down.clone()), other]);
    let texts = messages(0..500);
    for part in texts.chunks(50) {
        house.put("main", part);
    }
    until("the other has all", || well.got().len() == 500);
    let status = destinations.status();
    assert_eq!(only(&status).state, State::Failing);
    assert_eq!(only(&status).totals.delivered, 0);
    assert_eq!(only(&status).pending + only(&status).unread, 500);
    is_up.store(true, Ordering::Relaxed);
    all_delivered(&destinations, 500);
    assert_eq!(only(&destinations.status()).state, State::Working);
    assert_eq!(down.got(), texts);
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn records_of_a_key_stay_in_order_with_many_workers() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let kind = Scripted::new(|_| Outcome::default());
    let mut options = hasty(kind.clone());
    options.workers = 4;
    options.order_by = OrderBy::Host;
    options.batch.records_max = 7;
    let destinations = house.destinations(vec![options]);
    let texts = messages(0..600);
    for part in texts.chunks(60) {
        house.put("main", part);
    }
    all_delivered(&destinations, 600);
    for host in ["host0 ", "host1 ", "host2 "] {
        let of_host = |texts: Vec<String>| -> Vec<String> {
            texts
                .into_iter()
                .filter(|text| text.starts_with(host))
                .collect()
        };
        assert_eq!(of_host(kind.got()), of_host(texts.clone()));
    }
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn a_query_chooses_and_numbers_go_past_the_rest() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let kind = Scripted::new(|_| Outcome::default());
    let mut options = hasty(kind.clone());
    options.matching = Some(query::parse("host1").query);
    options.batch.records_max = 10;
    let destinations = house.destinations(vec![options]);
    house.put("main", &messages(0..300));
    all_delivered(&destinations, 100);
    until("all is read", || {
        let status = destinations.status();
        only(&status)
            .sources
            .iter()
            .all(|source| source.settled.0 == 300)
    });
    assert!(kind.got().iter().all(|text| text.starts_with("host1 ")));
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn it_rests_goes_back_and_passes_over_when_told() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let kind = Scripted::new(|_| Outcome::default());
    let destinations = house.destinations(vec![hasty(kind)]);
    house.put("main", &messages(0..10));
    all_delivered(&destinations, 10);
    destinations.pause("one").expect("rests");
    house.put("main", &messages(10..20));
    let status = destinations.status();
    assert_eq!(only(&status).state, State::Paused);
    assert_eq!(only(&status).unread, 10);
    // Five are passed over, and counted; the rest comes.
    let number = Place::Number(model::RecordNumber(16));
    destinations
        .set("scripted.one", None, number)
        .expect("passes over");
    destinations.resume("one").expect("goes on");
    all_delivered(&destinations, 15);
    assert_eq!(only(&destinations.status()).totals.dropped.skipped, 5);
    assert_adds_up(only(&destinations.status()));
    destinations
        .set("one", None, Place::Start(Start::Beginning))
        .expect("goes back");
    all_delivered(&destinations, 35);
    assert!(matches!(
        destinations.pause("two"),
        Err(Error::Unknown { .. })
    ));
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn a_reload_touches_only_what_has_changed() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let kinds = [0; 3].map(|_| Scripted::new(|_| Outcome::default()));
    let named = |name: &str, kind: &Scripted, definition: &str| {
        let mut options = hasty(kind.clone());
        options.name = name.to_owned();
        options.definition = definition.to_owned();
        options
    };
    let [a, b, c] = &kinds;
    let destinations = house.destinations(vec![named("a", a, ""), named("b", b, "")]);
    house.put("main", &messages(0..10));
    until("all came", || a.got().len() == 10 && b.got().len() == 10);
    destinations.reload(vec![named("b", c, "another"), named("c", c, "")]);
    house.put("main", &messages(10..20));
    // The new b goes on where the old one was; c is new and begins at the beginning.
    until("all came", || c.got().len() == 30);
    assert_eq!((a.got().len(), b.got().len()), (10, 10));
    destinations.shutdown(Duration::from_secs(10));
}

#[test]
fn a_stop_leaves_an_other_side_that_does_not_answer() {
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let kind = Scripted::new(|batch| Outcome::left_from(0, batch, Failure::new("no")));
    let mut options = hasty(kind);
    options.retry.min = Duration::from_secs(3_600);
    options.retry.max = Duration::from_secs(3_600);
    let destinations = house.destinations(vec![options]);
    house.put("main", &messages(0..10));
    until("it fails", || {
        only(&destinations.status()).state == State::Failing
    });
    let begun = Instant::now();
    destinations.shutdown(Duration::from_secs(1_800));
    assert!(begun.elapsed() < Duration::from_secs(1_800));
}
