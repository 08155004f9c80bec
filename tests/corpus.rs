//! Every word of a log is counted as an independent program counts it.
//!
//! The log is a made-up one, and every file of the folder that `LOGWOOD_CORPUS` names.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail, ensure};
use model::Timestamp;
use serde_json::Value;
use testkit::{Connection, Corpus, Random, Server, encode, need, peers, raw, run, text};

const LINES: usize = 20_000;
/// Above this many words a sample of that size is asked for, so that a large file takes minutes.
const WORDS_MAX: usize = 20_000;
const ASKERS: usize = 4;

#[test]
fn every_word_of_a_made_up_log_is_counted_right() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("messages");
    let start = Timestamp::from_seconds(1_795_300_000);
    let lines: Vec<_> = Corpus::new(7, start).take(LINES).collect();
    let text: Vec<String> = lines.iter().map(|line| line.rfc3164() + "\n").collect();
    fs::write(&file, text.concat())?;
    let Some(rows) = check(&file)? else {
        return Ok(());
    };
    // Here we know the messages ourselves, so the parser is not believed.
    for (line, row) in lines.iter().zip(&rows) {
        ensure!(text_of(row) == line.message, "{line:?} became {row}");
    }
    Ok(())
}

#[test]
fn every_word_of_the_given_logs_is_counted_right() -> Result<()> {
    let Some(folder) = env::var_os("LOGWOOD_CORPUS") else {
        return Ok(());
    };
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    ensure!(!files.is_empty(), "{} holds no file", folder.display());
    for file in files {
        check(&file).with_context(|| file.display().to_string())?;
    }
    Ok(())
}

/// Imports a file, asserts that every line is there byte by byte, and compares all counts. Returns
/// the rows in the order of the file; `None` where there is no Python.
fn check(file: &Path) -> Result<Option<Vec<Value>>> {
    let Some(python) = need(peers::program("python3", "python3"))? else {
        return Ok(None);
    };
    let server = Server::start()?;
    let path = file.to_str().context("a path that is not UTF-8")?;
    let words = ["import", path, "--time", "now", "--url", &server.url()];
    let imported = run(&words)?;
    ensure!(imported.code == Some(0), "import: {}", imported.errors);

    let content = fs::read(file)?;
    let rows = server.api().export("", &[])?;
    assert_lines(&content, &rows)?;

    // Words are those of messages and not of headers; the oracle reads what the rows show of them.
    let messages = server.folder().join("messages");
    let shown: Vec<String> = rows.iter().map(|row| text_of(row) + "\n").collect();
    fs::write(&messages, shown.concat())?;
    let expected = oracle(&python, &messages)?;
    compare(&server, &expected)?;
    Ok(Some(rows))
}

/// The message of a row on one line: a byte that is none of a word stands for a line feed.
fn text_of(row: &Value) -> String {
    text(row, "message").replace('\n', " ")
}

fn assert_lines(content: &[u8], rows: &[Value]) -> Result<()> {
    let lines = content
        .strip_suffix(b"\n")
        .unwrap_or(content)
        .split(|byte| *byte == b'\n');
    // Empty lines are left out.
    let lines: Vec<&[u8]> = lines.filter(|line| !matches!(*line, b"" | b"\r")).collect();
    let rows: Vec<Vec<u8>> = rows.iter().map(raw).collect::<Result<_>>()?;
    let rows: Vec<&Vec<u8>> = rows.iter().filter(|raw| !raw.is_empty()).collect();
    ensure!(
        lines.len() == rows.len(),
        "{} lines, {} rows",
        lines.len(),
        rows.len()
    );
    for (number, (line, row)) in lines.iter().zip(rows).enumerate() {
        ensure!(line == row, "line {} is not kept as it was", number + 1);
    }
    Ok(())
}

/// `(word, lines)` by a program that shares nothing with ours.
fn oracle(python: &Path, messages: &Path) -> Result<Vec<(String, u64)>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle.py");
    let output = Command::new(python)
        .env("PYTHONUTF8", "1")
        .arg(script)
        .arg(messages)
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the oracle: {errors}");
    let mut words = Vec::new();
    for line in std::str::from_utf8(&output.stdout)?.lines() {
        let (count, word) = line.split_once(' ').context("no count and word")?;
        // U+FFFD stands for bytes that no query can spell.
        if !word.contains('\u{fffd}') {
            words.push((word.to_owned(), count.parse()?));
        }
    }
    ensure!(!words.is_empty(), "the oracle found no word");
    Ok(words)
}

fn compare(server: &Server, expected: &[(String, u64)]) -> Result<()> {
    let mut sample: Vec<&(String, u64)> = expected.iter().collect();
    let mut random = Random::new(1);
    while sample.len() > WORDS_MAX {
        let index = usize::try_from(random.below(sample.len() as u64))?;
        sample.swap_remove(index);
    }
    let share = sample.len().div_ceil(ASKERS);
    let wrong = thread::scope(|scope| {
        let askers: Vec<_> = sample
            .chunks(share)
            .map(|words| scope.spawn(|| ask(server, words)))
            .collect();
        let mut wrong = Vec::new();
        for asker in askers {
            match asker.join() {
                Ok(found) => wrong.extend(found?),
                Err(_) => bail!("an asker panicked"),
            }
        }
        Ok(wrong)
    })?;
    let first = &wrong[..wrong.len().min(10)];
    ensure!(
        wrong.is_empty(),
        "{} of {} words are counted wrong: {first:?}",
        wrong.len(),
        sample.len()
    );
    Ok(())
}

/// `word: expected, counted` for every word that the server counts otherwise.
fn ask(server: &Server, words: &[&(String, u64)]) -> Result<Vec<String>> {
    let mut connection = Connection::open(server.addresses().http)?;
    let mut wrong = Vec::new();
    for (word, expected) in words {
        let answer = connection
            .get(&format!("/api/v1/count?q={}", encode(word)))?
            .ok()?
            .json()?;
        if answer["count"] != *expected || answer["complete"] != true {
            wrong.push(format!("{word}: {expected}, {answer}"));
        }
    }
    Ok(wrong)
}
