//! Client certificates of every kind, shown by openssl: whose are taken, and what is said of others.

mod cases;
mod zoo;

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use testkit::peers::{Rsyslog, program};
use testkit::{Server, Setup, Signal, need, send_stream, wait_for};

use cases::{ANIMALS, CASES, Case};
use zoo::Zoo;

const LIMIT: Duration = Duration::from_secs(60);

/// Sources over TLS, each with other rules.
const SOURCES: [&str; 7] = [
    "required",
    "optional",
    "optional-untrusted",
    "required-untrusted",
    "names",
    "fingerprints",
    "none",
];

fn zoo() -> Result<Option<Zoo>> {
    let Some(program) = need(program("openssl", "openssl"))? else {
        return Ok(None);
    };
    let zoo = Zoo::new(program)?;
    for animal in ANIMALS {
        zoo.make(animal).context(animal.name)?;
    }
    let revoked = ANIMALS.iter().find(|animal| animal.name == "revoked");
    zoo.revoke(revoked.context("an animal")?)?;
    Ok(Some(zoo))
}

fn config(zoo: &Zoo) -> Result<String> {
    let folder = zoo.folder().display();
    let trusting = format!("client_ca = \"{folder}/root.pem\"\n");
    let revoking = format!("client_crl = \"{folder}/root.crl\"\n");
    let fingerprint = zoo.fingerprint("self-signed")?;
    let mut config = String::from("[source.tcp.detecting]\ntls = \"detect\"\n");
    for source in SOURCES {
        let mode = match source {
            "names" => "required",
            "fingerprints" => "required-untrusted",
            other => other,
        };
        config += &format!("[source.tls.{source}]\nclient_certificates = \"{mode}\"\n");
        config += &match source {
            "required" => format!("{trusting}{revoking}"),
            "optional" => trusting.clone(),
            "names" => {
                format!("{trusting}client_names = [\"*.example\", \"O=Zoo Buda*, CN=plain*\"]\n")
            }
            "fingerprints" => format!("client_fingerprints = [\"{fingerprint}\"]\n"),
            _ => String::new(),
        };
    }
    Ok(config)
}

fn start(config: String) -> Result<Server> {
    // One is there already.
    let words = ["--tls", "127.0.0.1:0"].repeat(SOURCES.len() - 1);
    Server::start_with(Setup {
        config: Some(config),
        words: words.into_iter().map(str::to_owned).collect(),
        // Lines about refusals that come fast are written at this level only.
        environment: vec![("LOGWOOD_LOG".to_owned(), "debug".to_owned())],
        ..Setup::default()
    })
}

/// Where each source listens.
fn addresses(server: &Server) -> Result<HashMap<String, String>> {
    let status = server.api().status()?;
    let listeners = status["listeners"].as_array().context("no listeners")?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let pairs = listeners.iter();
    Ok(pairs
        .map(|listener| (text(&listener["source"]), text(&listener["address"])))
        .collect())
}

fn refusals(server: &mut Server) -> Vec<String> {
    let lines = server.process().errors();
    let is_refusal = |line: &String| line.contains("connection refused");
    lines.into_iter().filter(is_refusal).collect()
}

fn check(zoo: &Zoo, server: &mut Server, to: &str, case: &Case, index: usize) -> Result<()> {
    let (certificate, key) = (
        format!("{}.pem", case.animal),
        format!("{}.key", case.animal),
    );
    let mut words = vec!["-connect", to];
    if !case.animal.is_empty() {
        words.extend(["-cert", &certificate, "-key", &key]);
    }
    let chain = format!("chain{index}.pem");
    if !case.chain.is_empty() {
        let parts = case.chain.iter();
        let parts = parts.map(|name| std::fs::read_to_string(zoo.path(&format!("{name}.pem"))));
        std::fs::write(zoo.path(&chain), parts.collect::<Result<String, _>>()?)?;
        words.extend(["-cert_chain", &chain]);
    }
    words.extend(case.words);
    let before = refusals(server).len();
    let said = zoo.send(&words, &format!("<13>1 - h case{index} - - - hello\n"))?;
    let Some(why) = case.refusal else {
        let rows = server
            .api()
            .wait_for_rows(&format!("program:case{index}"), 1);
        rows.with_context(|| format!("openssl said: {said}"))?;
        return Ok(());
    };
    let told = wait_for("the refusal was told", LIMIT, || {
        Ok(refusals(server).get(before).cloned())
    })?;
    ensure!(told.contains(why), "{told:?} says nothing of {why:?}");
    ensure!(told.contains(&format!("\"{}\"", case.source)), "{told:?}");
    Ok(())
}

#[test]
fn every_kind_of_certificate_gets_its_verdict() -> Result<()> {
    let Some(zoo) = zoo()? else {
        return Ok(());
    };
    let mut server = start(config(&zoo)?)?;
    let addresses = addresses(&server)?;
    let mut wrong = Vec::new();
    for (index, case) in CASES.iter().enumerate() {
        let to = addresses.get(case.source).context(case.source)?;
        if let Err(error) = check(&zoo, &mut server, to, case, index) {
            let Case {
                source,
                animal,
                words,
                ..
            } = case;
            wrong.push(format!("{source} {animal} {words:?}: {error:#}"));
        }
    }
    if !wrong.is_empty() {
        bail!(
            "{} of {} cases:\n{}",
            wrong.len(),
            CASES.len(),
            wrong.join("\n")
        );
    }
    // Nobody who was refused has been stored.
    let taken = CASES.iter().filter(|case| case.refusal.is_none()).count();
    let stored = server.api().wait_for_rows("program:case*", taken as u64)?;
    ensure!(stored.len() == taken, "{} of {taken}", stored.len());
    Ok(())
}

#[test]
fn what_is_no_handshake_is_told() -> Result<()> {
    let mut server = start("[source.tls.none]\n".to_owned())?;
    send_stream(server.addresses().tls, b"<13>1 - h p - - - plain text\n")?;
    let told = wait_for("the refusal was told", LIMIT, || {
        Ok(refusals(&mut server).first().cloned())
    })?;
    ensure!(told.contains("is no TLS handshake"), "{told}");
    Ok(())
}

#[test]
fn a_list_of_revoked_certificates_holds_from_a_reload_on() -> Result<()> {
    let Some(zoo) = zoo()? else {
        return Ok(());
    };
    let mut server = start(config(&zoo)?)?;
    let to = addresses(&server)?;
    let to = to.get("required").context("listens")?;
    let words = ["-connect", to, "-cert", "good.pem", "-key", "good.key"];
    zoo.send(&words, "<13>1 - h before - - - hello\n")?;
    server.api().wait_for_rows("program:before", 1)?;

    let good = ANIMALS.iter().find(|animal| animal.name == "good");
    zoo.revoke(good.context("an animal")?)?;
    server.process().signal(Signal::HUP)?;
    wait_for("it was reloaded", LIMIT, || {
        let lines = server.process().errors();
        let is_told = |line: &String| line.contains("configuration reloaded");
        Ok(lines.iter().any(is_told).then_some(()))
    })?;
    zoo.send(&words, "<13>1 - h after - - - hello\n")?;
    let told = wait_for("the refusal was told", LIMIT, || {
        Ok(refusals(&mut server).first().cloned())
    })?;
    ensure!(told.contains("it is revoked"), "{told}");
    Ok(())
}

#[test]
fn rsyslog_shows_its_certificate() -> Result<()> {
    let (Some(zoo), true) = (zoo()?, need(Rsyslog::find())?.is_some()) else {
        return Ok(());
    };
    for (animal, is_taken) in [("good", true), ("self-signed", false)] {
        let mut server = start(config(&zoo)?)?;
        let to = addresses(&server)?;
        let to = to.get("required").context("listens")?;
        let port = to.rsplit(':').next().unwrap_or_default();
        let file = |name: &str| zoo.path(name).display().to_string();
        let mut rsyslog = Rsyslog::start(&format!(
            "action(type=\"omfwd\" target=\"127.0.0.1\" port=\"{port}\" protocol=\"tcp\"\n\
             StreamDriver=\"gtls\" StreamDriverMode=\"1\" StreamDriverAuthMode=\"anon\"\n\
             StreamDriver.CAFile=\"{}\" StreamDriver.CertFile=\"{}\" StreamDriver.KeyFile=\"{}\"\n\
             template=\"RSYSLOG_SyslogProtocol23Format\" TCP_Framing=\"octet-counted\")",
            file("root.pem"),
            file(&format!("{animal}.pem")),
            file(&format!("{animal}.key")),
        ))?;
        rsyslog.feed(&["<13>Oct 11 22:14:15 h rs: hello".to_owned()])?;
        if is_taken {
            let rows = server.api().wait_for_rows("program:rs", 1);
            rows.with_context(|| format!("rsyslog said: {}", rsyslog.errors().join("\n")))?;
            continue;
        }
        let told = wait_for("the refusal was told", LIMIT, || {
            Ok(refusals(&mut server).first().cloned())
        })?;
        ensure!(told.contains("no authority of `client_ca`"), "{told}");
    }
    Ok(())
}

#[test]
fn who_verifies_addresses_accepts_the_certificate_that_was_made_for_where_we_listen() -> Result<()>
{
    let Some(openssl) = need(program("openssl", "openssl"))? else {
        return Ok(());
    };
    let words = ["--tls", "127.0.0.2:0"].map(str::to_owned);
    let server = Server::start_with(Setup {
        words: words.to_vec(),
        ..Setup::default()
    })?;
    let addresses = addresses(&server)?;
    let mut addresses = addresses.values();
    let to = addresses.find(|address| address.starts_with("127.0.0.2:"));
    let to = to.context("it listens there")?;
    let trusted = server.data_dir().join("tls/certificate.pem");
    for (name, expected) in [
        ("127.0.0.2", true),
        ("127.0.0.1", true),
        ("127.0.0.3", false),
    ] {
        let output = Command::new(&openssl)
            .args(["s_client", "-connect", to, "-verify_return_error", "-brief"])
            .args(["-verify_ip", name, "-CAfile"])
            .arg(&trusted)
            .stdin(Stdio::null())
            .output()?;
        let told = String::from_utf8_lossy(&output.stderr);
        ensure!(
            told.contains("Verification: OK") == expected,
            "{name}: {told}"
        );
    }
    Ok(())
}
