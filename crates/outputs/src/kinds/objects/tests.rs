use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::http::Url;
use crate::secret::Secret;
use crate::tests::{House, assert_adds_up, hasty, messages, only, until};
use crate::tls::TlsOptions;
use crate::{Options, Place, Start, Status};
use double::Double;

mod double;

fn client(double: &Double) -> ClientOptions {
    ClientOptions {
        urls: vec![Url::parse(&double.url()).expect("a URL")],
        tls: TlsOptions::default(),
        timeout: Duration::from_secs(30),
        gzip: None,
    }
}

fn objects(double: &Double, store: ObjectStore) -> Objects {
    let path = PathTemplate::parse("logs/${HOST}").expect("a path");
    let rendering = Rendering::template("${MSG}").expect("a template");
    Objects::new(store, client(double), path, rendering)
}

fn s3(double: &Double) -> Objects {
    let endpoint = Url::parse(&double.url()).expect("a URL");
    let s3 = S3 {
        address: S3Address::new(&endpoint, false, "bucket", "eu-central-1").expect("an address"),
        access_key: "AK".to_owned(),
        secret_key: Secret::Text("SK".to_owned()),
        storage_class: Some("STANDARD_IA".to_owned()),
    };
    objects(double, ObjectStore::S3(s3))
}

fn hdfs(double: &Double) -> Objects {
    let user = Some("log wood".to_owned());
    objects(double, ObjectStore::Hdfs(Hdfs { user }))
}

/// Sends messages, and waits until each is settled.
fn send(dir: &Path, options: Options, texts: &[String]) -> Status {
    let house = House::open(dir);
    let destinations = house.destinations(vec![options]);
    house.put("main", texts);
    until("all are settled", || {
        let status = destinations.status();
        assert_adds_up(only(&status));
        let totals = &only(&status).totals;
        totals.delivered + totals.dropped.all() == texts.len() as u64
    });
    let status = only(&destinations.status()).clone();
    destinations.shutdown(Duration::from_secs(10));
    status
}

/// The lines of all objects, which are in order under each directory.
fn lines(double: &Double) -> Vec<String> {
    let mut lines = Vec::new();
    let mut by_directory: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, bytes) in &double.lock().objects {
        let directory = path.rsplit_once('/').expect("a directory").0.to_owned();
        let text = str::from_utf8(bytes).expect("a text");
        let own = text.lines().map(str::to_owned);
        by_directory.entry(directory).or_default().extend(own);
    }
    for (directory, own) in by_directory {
        let number = |line: &String| -> u64 {
            let number = line.rsplit(' ').next().expect("a number");
            number.parse().expect("a number")
        };
        assert!(own.is_sorted_by_key(number), "{directory}");
        lines.extend(own);
    }
    lines.sort();
    lines
}

fn sorted(texts: &[String]) -> Vec<String> {
    let mut texts = texts.to_vec();
    texts.sort();
    texts
}

fn small(kind: Objects) -> Options {
    let mut options = hasty(kind);
    options.batch.records_max = 50;
    options
}

#[test]
fn records_are_in_objects_by_directory_whatever_is_answered() {
    for kind in [s3, hdfs] {
        let double = Double::start();
        double.lock().answers = [503, 403, 500].into();
        let dir = tempfile::tempdir().expect("makes one");
        let texts = messages(0..500);
        let status = send(dir.path(), small(kind(&double)), &texts);
        assert_eq!(status.totals.delivered, 500);
        assert_eq!(lines(&double), sorted(&texts));
        let path = double.lock().objects.keys().next().expect("one").clone();
        assert!(
            path.contains("logs/host0/") && path.ends_with("-main-00000000000000000001.log"),
            "{path}"
        );
    }
}

#[test]
fn an_upload_that_nobody_answered_is_done_again_under_its_name() {
    for kind in [s3, hdfs] {
        let double = Double::start();
        double.lock().forgets = 3;
        let dir = tempfile::tempdir().expect("makes one");
        let texts = messages(0..300);
        send(dir.path(), small(kind(&double)), &texts);
        assert_eq!(lines(&double), sorted(&texts));
        assert!(double.lock().replaced > 0);
    }
}

#[test]
fn requests_are_signed_and_name_the_bucket() {
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    send(dir.path(), small(s3(&double)), &messages(0..1));
    let inside = double.lock();
    let (path, query, headers) = inside.asked.first().expect("one");
    assert!(path.starts_with("/bucket/logs/host0/"), "{path}");
    for part in [
        "X-Amz-Algorithm=AWS4-HMAC-SHA256",
        "X-Amz-Credential=AK%2F",
        "%2Feu-central-1%2Fs3%2Faws4_request",
        "X-Amz-SignedHeaders=host%3Bx-amz-storage-class",
        "X-Amz-Signature=",
    ] {
        assert!(query.contains(part), "{part} in {query}");
    }
    assert_eq!(
        headers.get("x-amz-storage-class").expect("one"),
        "STANDARD_IA"
    );
}

#[test]
fn files_go_where_the_active_name_node_says() {
    let (standby, active) = (Double::start(), Double::start());
    standby.lock().stands_by = true;
    let mut kind = hdfs(&active);
    kind.client
        .urls
        .insert(0, Url::parse(&standby.url()).expect("a URL"));
    let dir = tempfile::tempdir().expect("makes one");
    let texts = messages(0..100);
    send(dir.path(), small(kind), &texts);
    assert_eq!(lines(&active), sorted(&texts));
    assert!(standby.lock().objects.is_empty());
    let inside = active.lock();
    // The object of the first directory may have met the other name node, and come later.
    let (path, query, _) = inside.asked.first().expect("one");
    assert!(path.starts_with("/webhdfs/v1/logs/host"), "{path}");
    assert!(query.contains("user.name=log%20wood"), "{query}");
}

#[test]
fn objects_are_compressed_as_a_whole() {
    use std::io::Read as _;
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    let mut kind = s3(&double);
    kind.path = PathTemplate::parse("all").expect("a path");
    kind.compression = Compression::Gzip(6);
    let texts = messages(0..200);
    send(dir.path(), hasty(kind), &texts);
    let mut found = String::new();
    for (path, bytes) in &double.lock().objects {
        assert!(path.ends_with(".log.gz"), "{path}");
        let mut reader = flate2::read::GzDecoder::new(bytes.as_slice());
        reader.read_to_string(&mut found).expect("gzip");
    }
    assert_eq!(found.lines().collect::<Vec<_>>(), texts);
}

#[test]
fn what_is_moved_back_is_uploaded_again_under_the_same_names() {
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let destinations = house.destinations(vec![small(s3(&double))]);
    let texts = messages(0..100);
    house.put("main", &texts);
    until("all are there", || {
        only(&destinations.status()).totals.delivered == 100
    });
    let place = Place::Start(Start::Beginning);
    destinations.set("s3.one", None, place).expect("moves");
    until("all are there again", || {
        only(&destinations.status()).totals.delivered == 200
    });
    destinations.shutdown(Duration::from_secs(10));
    assert_eq!(lines(&double), sorted(&texts));
}

#[test]
fn what_was_uploaded_before_a_crash_is_passed_over_and_nothing_else() {
    let double = Double::start();
    let dir = tempfile::tempdir().expect("makes one");
    let house = House::open(dir.path());
    let texts = messages(0..300);
    house.put("main", &texts);
    // The state of a crash: 120 records are uploaded, and the position knows nothing of that.
    let name = store::DocumentName::parse("destination.s3.one").expect("a name");
    let document = serde_json::json!({
        "positions": { "main": 0 },
        "states": { "0": { "uploaded": { "main": { "first": 1, "last": 120 } } } },
    });
    house
        .store
        .put_document(&name, document.to_string().as_bytes(), 0)
        .expect("keeps");
    let destinations = house.destinations(vec![small(s3(&double))]);
    until("all count", || {
        only(&destinations.status()).totals.delivered == 300
    });
    assert_eq!(lines(&double), sorted(&texts[120..]));
    destinations.shutdown(Duration::from_secs(10));
}
