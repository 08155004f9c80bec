//! Hostile questions, each beside a burst of records as fast as they can be sent: it is answered or
//! refused with a reason, in bounded time and memory, and not one record is lost or late for it.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};
use model::Timestamp;
use testkit::{Api, Corpus, Server, resident_bytes_max};

const QUERIES: &str = include_str!("queries.txt");

/// Records that the questions are about.
const RECORDS: usize = 6_000;

/// Who asks at the same time.
const ASKERS: usize = 3;

/// How long one question may take, in a debug build on a busy machine. The regular expressions and
/// wildcards take a tenth of a second here.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);

/// How long a record may wait for its acknowledgement meanwhile.
const ACKNOWLEDGEMENT_TIME_MAX: Duration = Duration::from_secs(10);

/// The most memory that the server may have taken; all of this takes some 100 MiB.
const MEMORY_BYTES_MAX: u64 = 384 << 20;

/// Messages of a burst, which comes with every question: few enough that the questions to all of them
/// take seconds in a debug build.
const BURST_MESSAGES: u64 = 40;

/// A question of the list.
struct Bomb {
    line: &'static str,
    path: String,
}

/// The list, `{N*text}` written out and the query escaped.
fn bombs() -> Result<Vec<Bomb>> {
    let lines = QUERIES.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let written = repeated(line).with_context(|| line.to_owned())?;
            let (endpoint, rest) = written.split_once(' ').context("an endpoint and a query")?;
            let (parameters, query) = match rest.split_once(' ') {
                Some((first, query)) if is_parameters(first) => (first, query),
                _ if is_parameters(rest) => (rest, ""),
                _ => ("", rest),
            };
            let query = escaped(query);
            let path = format!("/api/v1/{endpoint}?q={query}&{parameters}");
            Ok(Bomb { line, path })
        })
        .collect()
}

fn is_parameters(word: &str) -> bool {
    let names = [
        "from=",
        "to=",
        "bars=",
        "time=",
        "limit=",
        "cursor=",
        "by=",
        "logspace=",
        "at=",
    ];
    names.iter().any(|name| word.starts_with(name))
}

/// Writes `{N*text}` out.
fn repeated(line: &str) -> Result<String> {
    let mut whole = String::new();
    let mut left = line;
    while let Some((before, behind)) = left.split_once('{') {
        whole.push_str(before);
        let times = behind
            .split_once('*')
            .and_then(|(digits, rest)| Some((digits.parse().ok()?, rest)));
        let Some((times, rest)) = times else {
            whole.push('{');
            left = behind;
            continue;
        };
        let (text, behind): (&str, &str) = rest.split_once('}').context("no end")?;
        whole.push_str(&text.repeat(times));
        left = behind;
    }
    Ok(whole + left)
}

/// As it stands in a URL; `%XX` stays.
fn escaped(query: &str) -> String {
    let mut out = String::new();
    for (index, byte) in query.bytes().enumerate() {
        let two = query.get(index + 1..index + 3).unwrap_or_default();
        let is_escape = two.len() == 2 && two.bytes().all(|byte| byte.is_ascii_hexdigit());
        if byte.is_ascii_alphanumeric() || b"-._~*()".contains(&byte) || (byte == b'%' && is_escape)
        {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Whether a question was answered, rather than refused; an error where it was neither.
fn is_answered(api: &Api, bomb: &Bomb) -> Result<bool> {
    let answer = api.get(&bomb.path)?;
    match answer.status {
        200 => Ok(true),
        // HTTP itself takes addresses of 64 KiB.
        414 | 431 if bomb.path.len() > 60_000 => Ok(false),
        // What is not UTF-8 is no parameter.
        400 if !answer.body.starts_with(b"{") => {
            ensure!(answer.text().contains("UTF-8"), "{}", answer.text());
            Ok(false)
        }
        400 | 404 => {
            let problem = answer.json()?;
            for member in ["code", "detail", "title"] {
                let text = problem[member].as_str().unwrap_or_default();
                ensure!(!text.is_empty(), "no {member} in {problem}");
            }
            ensure!(answer.body.len() < 64 * 1024, "a long refusal");
            Ok(false)
        }
        status => bail!("HTTP {status}: {}", answer.text()),
    }
}

/// Sends a burst for each question, as fast as the server takes it; how many messages those were.
fn send(server: &Server, bursts: &Receiver<()>) -> Result<u64> {
    let mut stream = TcpStream::connect(server.addresses().tcp)?;
    let line =
        "<13>1 2026-11-21T18:00:00Z flood app - - - one of many, of usual length: 0123456789\n";
    let lines = line.repeat(usize::try_from(BURST_MESSAGES)?);
    let mut sent = 0;
    for () in bursts {
        stream.write_all(lines.as_bytes())?;
        sent += BURST_MESSAGES;
    }
    Ok(sent)
}

/// Sends records that are acknowledged, one after the other; the longest time that one took.
fn probe(server: &Server, stop: &AtomicBool) -> Result<Duration> {
    let api = server.api();
    let mut longest = Duration::ZERO;
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        api.post("/api/v1/ingest", b"<13>1 - probe p - - - m\n")?
            .ok()?;
        longest = longest.max(start.elapsed());
    }
    Ok(longest)
}

/// Asks every question, several at once; how many were answered, and which took longest.
fn ask_all(server: &Server, bombs: &[Bomb], bursts: &Sender<()>) -> Result<Asked> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let askers: Vec<_> = (0..ASKERS)
            .map(|_| {
                let (next, bursts) = (&next, bursts.clone());
                scope.spawn(move || ask_next(server, bombs, next, &bursts))
            })
            .collect();
        let mut all = Asked::default();
        for asker in askers {
            let asked = asker.join().map_err(|_| anyhow!("an asker panicked"))??;
            all.answered += asked.answered;
            all.slowest = all.slowest.max(asked.slowest);
        }
        Ok(all)
    })
}

/// What became of questions.
#[derive(Default)]
struct Asked {
    answered: u64,
    slowest: (Duration, &'static str),
}

/// Asks what nobody has asked yet, one after the other.
fn ask_next(
    server: &Server,
    bombs: &[Bomb],
    next: &AtomicUsize,
    bursts: &Sender<()>,
) -> Result<Asked> {
    let (api, mut asked) = (server.api(), Asked::default());
    while let Some(bomb) = bombs.get(next.fetch_add(1, Ordering::Relaxed)) {
        bursts.send(())?;
        let start = Instant::now();
        asked.answered += u64::from(is_answered(&api, bomb).with_context(|| bomb.line)?);
        let taken = start.elapsed();
        asked.slowest = asked.slowest.max((taken, bomb.line));
        ensure!(taken < ANSWER_TIME_MAX, "{} took {taken:?}", bomb.line);
    }
    Ok(asked)
}

#[test]
fn hostile_questions_are_answered_or_refused_and_receiving_goes_on() -> Result<()> {
    let mut server = Server::start()?;
    let bombs = bombs()?;
    assert!(bombs.len() >= 200, "only {} questions", bombs.len());
    let start = Timestamp::from_seconds(1_795_300_000);
    let lines: Vec<String> = Corpus::new(7, start)
        .take(RECORDS)
        .map(|line| line.rfc5424() + "\n")
        .collect();
    for half in lines.chunks(RECORDS / 2) {
        let path = "/api/v1/import?time=message";
        server.api().post(path, half.concat().as_bytes())?.ok()?;
    }

    let stop = AtomicBool::new(false);
    let (bursts, of_sender) = mpsc::channel();
    let (asked, sent, longest) = thread::scope(|scope| -> Result<_> {
        let of_server = &server;
        let sender = scope.spawn(move || send(of_server, &of_sender));
        let probe = scope.spawn(|| probe(&server, &stop));
        let asked = ask_all(&server, &bombs, &bursts);
        drop(bursts);
        stop.store(true, Ordering::Relaxed);
        let sent = sender.join().expect("no panic")?;
        let longest = probe.join().expect("no panic")?;
        Ok((asked?, sent, longest))
    })?;
    let answered = asked.answered;
    let refused = bombs.len() as u64 - answered;
    println!("slowest: {:?}", asked.slowest);
    println!("{answered} answered, {refused} refused, beside {sent} messages; ack {longest:?}");
    assert!(
        answered > 100 && refused > 30,
        "{answered} answered, {refused} refused"
    );
    assert!(longest < ACKNOWLEDGEMENT_TIME_MAX, "{longest:?}");
    server.api().wait_for_count("host:flood", sent)?;
    let counts = server.api().conserved("tcp")?;
    assert_eq!((counts.received, counts.dropped), (sent, 0));
    let memory = resident_bytes_max(server.process().id())?;
    println!("{} MiB", memory >> 20);
    assert!(memory < MEMORY_BYTES_MAX, "{memory} bytes");
    Ok(())
}
