//! matched = delivered + dropped + pending, whatever the other side does and whenever it ends.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// What the other side does with a record, by its number and how often it came.
fn fate(seed: u64, text: &str, tries: u32) -> u64 {
    let mut hash = seed ^ u64::from(tries).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash >> 33) % 10
}

fn moody(seed: u64) -> Scripted {
    let tries: Mutex<BTreeMap<String, u32>> = Mutex::default();
    Scripted::new(move |batch| {
        let mut tries = tries.lock().expect("whole");
        let mut outcome = Outcome::default();
        for (place, item) in batch.iter().enumerate() {
            let text = text(item);
            let tries = tries.entry(text.clone()).or_default();
            *tries += 1;
            // For good or not at all: a record that was refused once is refused always.
            match (fate(seed, &text, 0), fate(seed, &text, *tries)) {
                (0, _) => outcome.reject(place, "never"),
                (_, 1..=3) if *tries < 4 => outcome.left.push(place),
                _ => {}
            }
        }
        outcome.failure = (!outcome.left.is_empty()).then(|| Failure::new("not now"));
        outcome
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_record_is_accounted_for(
        seed in any::<u64>(),
        workers in 1_usize..4,
        order in 0_usize..3,
        batch in 1_usize..40,
        parts in proptest::collection::vec(0_usize..60, 1..5),
    ) {
        let dir = tempfile::tempdir().expect("makes one");
        let kind = moody(seed);
        let mut sum = 0;
        let all: usize = parts.iter().sum();
        let texts = messages(0..all);
        let refused = texts.iter().filter(|text| fate(seed, text, 0) == 0).count();
        // Each part is stored in a life of its own; only the last is waited for.
        for (life, part) in parts.iter().enumerate() {
            let house = House::open(dir.path());
            let mut options = hasty(kind.clone());
            options.workers = workers;
            options.order_by = OrderBy::ALL[order].1;
            options.batch.records_max = batch;
            let destinations = house.destinations(vec![options]);
            house.put("main", &texts[sum..sum + part]);
            sum += part;
            let is_last = life + 1 == parts.len();
            until("it adds up", || {
                let status = destinations.status();
                assert_adds_up(only(&status));
                let totals = &only(&status).totals;
                !is_last || totals.delivered + totals.dropped.rejected >= all as u64
            });
            destinations.shutdown(Duration::from_secs(10));
            if is_last {
                let kept = house.destinations(vec![hasty(kind.clone())]);
                let status = kept.status();
                assert_adds_up(only(&status));
                prop_assert_eq!(only(&status).totals.matched, all as u64);
                prop_assert_eq!(only(&status).totals.dropped.rejected, refused as u64);
                kept.shutdown(Duration::from_secs(10));
            }
            house.store.close();
        }
        let mut got = kind.got();
        got.sort();
        got.dedup();
        prop_assert_eq!(got.len(), all - refused);
    }
}
