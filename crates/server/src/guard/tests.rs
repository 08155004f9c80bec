//! Who is answered, by headers.

use axum::http::StatusCode;

use super::*;

/// A browser at an address without TLS that is not its own machine's sends no `Sec-Fetch-Site`.
const BROWSER: (&str, &str) = ("host", "192.0.2.1:8514");

/// The code of the refusal; empty where there is none.
fn code(method: &Method, pairs: &[(&'static str, &str)]) -> String {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().expect("a value"));
    }
    let hosts = ["logs.example.com".to_owned(), "web1".to_owned()];
    let checked =
        check_host(None, &headers, &hosts).and_then(|()| check_site(method, &headers, &hosts));
    checked.map_or_else(|refusal| refusal.into_problem().code, |()| String::new())
}

fn read(pairs: &[(&'static str, &str)]) -> String {
    code(&Method::GET, pairs)
}

fn write(pairs: &[(&'static str, &str)]) -> String {
    code(&Method::POST, pairs)
}

#[test]
fn a_host_that_somebody_else_may_have_named_is_refused() {
    for host in [
        "127.0.0.1:8514",
        "127.8.8.8",
        "[::1]:8514",
        "[::ffff:127.0.0.1]:80",
        "192.0.2.7:8514",
        "[2001:db8::7]",
        "localhost",
        "LocalHost:9999",
        "localhost.:8514",
        "logs.example.com",
        "LOGS.example.com.:443",
        "web1:8514",
    ] {
        assert_eq!(read(&[("host", host)]), "", "{host}");
        assert_eq!(write(&[("host", host)]), "", "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:8514",
        "localhost.evil.example",
        "127.0.0.1.evil.example:8514",
        "127.0.0.1.:x",
        "logs.example.com.evil.example",
        "x.logs.example.com",
        "web1.evil.example",
        "localhost@evil.example",
        "localhost:80@evil.example",
        "evil.example@localhost",
        "[::1].evil.example",
        "[::1",
        "2130706433",
        "127.1",
        "",
        ":8514",
        ".",
        "localhost..",
        "localhost,evil.example",
        "local\u{301}host",
    ] {
        assert_eq!(read(&[("host", host)]), "host-unknown", "{host}");
        assert_eq!(write(&[("host", host)]), "host-unknown", "{host}");
    }
    assert_eq!(read(&[]), "", "a program without a Host");
    let two = [("host", "localhost"), ("host", "evil.example")];
    assert_eq!(read(&two), "host-unknown");
    let headers = HeaderMap::new();
    assert!(check_host(Some("evil.example:80"), &headers, &[]).is_err());
    assert!(check_host(Some("127.0.0.1:80"), &headers, &[]).is_ok());
}

#[test]
fn what_a_browser_says_is_foreign_is_refused_but_for_links() {
    let from = |site: &'static str| [("host", "localhost:8514"), ("sec-fetch-site", site)];
    for site in ["same-origin", "none"] {
        assert_eq!(read(&from(site)), "", "{site}");
        assert_eq!(write(&from(site)), "", "{site}");
    }
    // Another port of the same machine is the same site.
    for site in ["cross-site", "same-site", "", "nonsense"] {
        assert_eq!(read(&from(site)), "origin-foreign", "{site}");
        assert_eq!(write(&from(site)), "origin-foreign", "{site}");
        let follow = |dest: &'static str| {
            let [host, site] = from(site);
            [
                host,
                site,
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", dest),
            ]
        };
        assert_eq!(read(&follow("document")), "", "{site}");
        assert_eq!(read(&follow("iframe")), "origin-foreign", "{site}");
        assert_eq!(read(&follow("object")), "origin-foreign", "{site}");
        // A form that is sent is followed like a link.
        assert_eq!(write(&follow("document")), "origin-foreign", "{site}");
        assert_eq!(code(&Method::DELETE, &follow("document")), "origin-foreign");
    }
    let image = [("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")];
    let [host, site] = from("cross-site");
    assert_eq!(read(&[host, site, image[0], image[1]]), "origin-foreign");
}

#[test]
fn where_a_browser_says_no_more_the_origin_has_to_be_ours() {
    for origin in [
        "http://192.0.2.1:8514",
        "https://logs.example.com",
        "http://LOGS.example.com",
    ] {
        assert_eq!(write(&[BROWSER, ("origin", origin)]), "", "{origin}");
        assert_eq!(read(&[BROWSER, ("origin", origin)]), "", "{origin}");
    }
    for origin in [
        "http://192.0.2.1:8515",
        "http://192.0.2.1",
        "http://evil.example",
        "http://evil.example:8514",
        "http://logs.example.com:3000",
        "http://logs.example.com.evil.example",
        "chrome-extension://192.0.2.1:8514",
        "file://",
        "null",
        "",
        "192.0.2.1:8514",
    ] {
        let pairs = [BROWSER, ("origin", origin), ("content-type", "text/plain")];
        assert_eq!(write(&pairs), "origin-foreign", "{origin}");
        assert_eq!(read(&pairs), "origin-foreign", "{origin}");
        assert_eq!(code(&Method::OPTIONS, &pairs), "origin-foreign", "{origin}");
    }
    let usual = [
        ("host", "logs.example.com:443"),
        ("origin", "https://logs.example.com"),
    ];
    assert_eq!(write(&usual), "");
    let other = [
        ("host", "logs.example.com:443"),
        ("origin", "http://web1:443"),
    ];
    assert_eq!(write(&other), "origin-foreign");
}

#[test]
fn programs_send_any_content_type() {
    for media_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let pairs = [("host", "127.0.0.1:8514"), ("content-type", media_type)];
        assert_eq!(write(&pairs), "", "{media_type}");
    }
}

#[test]
fn a_refusal_says_what_to_do_and_repeats_little() {
    let long = format!("{}.example", "a".repeat(10_000));
    let refusal = check_host(Some(&long), &HeaderMap::new(), &[]).expect_err("refused");
    let problem = refusal.into_problem();
    assert_eq!(problem.status, StatusCode::MISDIRECTED_REQUEST.as_u16());
    assert!(problem.detail.len() < 400 && problem.hint.expect("a hint").len() < 500);
    let refusal = check_host(Some("logs.test:80"), &HeaderMap::new(), &[]).expect_err("refused");
    let hint = refusal.into_problem().hint.expect("a hint");
    assert!(hint.contains("[http] hosts = [\"logs.test\"]"), "{hint}");
}
