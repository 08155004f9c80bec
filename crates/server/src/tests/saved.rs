//! Saved searches over HTTP.

use api::SavedView;

use super::Fixture;

fn view(q: &str) -> SavedView {
    SavedView {
        q: q.to_owned(),
        from: "now-1h".to_owned(),
        cols: "host,pid".to_owned(),
        ..SavedView::default()
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, client::Error>) -> api::Problem {
    match result {
        Err(client::Error::Refused(problem)) => *problem,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn searches_are_saved_replaced_and_deleted_by_name() {
    let fixture = Fixture::start();
    let client = &fixture.client;
    let names = || -> Vec<String> {
        let all = client.saved_searches().expect("answers").searches;
        all.into_iter().map(|search| search.name).collect()
    };
    assert!(names().is_empty());
    for name in ["disks", "a b/c", "\u{e9}"] {
        client.save_search(name, &view("error")).expect("saves");
    }
    assert_eq!(names(), ["a b/c", "disks", "\u{e9}"]);
    let saved = client.save_search("disks", &view("disk | top host"));
    assert_eq!(saved.expect("saves").view, view("disk | top host"));
    assert_eq!(names().len(), 3);
    client.delete_search("a b/c").expect("deletes");
    assert_eq!(names(), ["disks", "\u{e9}"]);
    assert_eq!(refusal(client.delete_search("a")).code, "search-unknown");
}

#[test]
fn what_could_not_be_shown_again_is_refused() {
    let fixture = Fixture::start();
    let save = |name: &str, view: &SavedView| refusal(fixture.client.save_search(name, view));
    assert_eq!(save("x", &view("(")).code, "query-invalid");
    let late = SavedView {
        from: "tea time".to_owned(),
        ..SavedView::default()
    };
    assert_eq!(save("x", &late).code, "parameter-invalid");
    let long = "x".repeat(101);
    for name in [&long[..], " x", "a\nb"] {
        assert!(save(name, &view("")).detail.contains("no name"), "{name}");
    }
    assert!(
        fixture
            .client
            .saved_searches()
            .expect("answers")
            .searches
            .is_empty()
    );
}

#[test]
fn a_file_that_is_not_understood_is_not_written_over() {
    let fixture = Fixture::start();
    let path = fixture.dir.path().join("searches.json");
    for text in ["{", "{\"version\": 2, \"searches\": []}"] {
        std::fs::write(&path, text).expect("writes");
        let problem = refusal(fixture.client.save_search("x", &view("error")));
        assert_eq!(problem.code, "searches-damaged");
        assert!(
            problem
                .hint
                .is_some_and(|hint| hint.contains("searches.json"))
        );
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), text);
    }
}

#[test]
fn damage_to_any_byte_of_the_file_is_told_or_makes_no_difference() {
    let fixture = Fixture::start();
    fixture
        .client
        .save_search("disks", &view("disk"))
        .expect("saves");
    fixture
        .client
        .save_search("errors", &view("severity:<=err"))
        .expect("saves");
    let before = fixture.client.saved_searches().expect("answers");
    let path = fixture.dir.path().join("searches.json");
    let good = std::fs::read(&path).expect("reads");
    let is_told = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("writes");
        match fixture.client.saved_searches() {
            // White space between the parts of JSON says nothing.
            Ok(read) => assert_eq!(read, before),
            refused => assert_eq!(refusal(refused).code, "searches-damaged"),
        }
    };
    for at in 0..good.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= flip;
            is_told(&bad);
        }
        is_told(&good[..at]);
    }
    // Whoever mends it by hand leaves the checksum out.
    let text = String::from_utf8(good).expect("text");
    let start = text.find("  \"checksum\"").expect("there is one");
    let end = start + text[start..].find('\n').expect("a line") + 1;
    let mended =
        text[..start].to_owned() + &text[end..].replace("severity:<=err", "severity:<=crit");
    std::fs::write(&path, mended).expect("writes");
    let read = fixture.client.saved_searches().expect("answers").searches;
    assert_eq!(read[1].view.q, "severity:<=crit");
    fixture.client.delete_search("disks").expect("deletes");
    assert!(
        std::fs::read_to_string(&path)
            .expect("reads")
            .contains("\"checksum\"")
    );
}
