//! Pattern databases: testing, trying, merging and showing them.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use macros::{Template, View};
use model::{RecordParts, Timestamp};
use patterndb::tool::{self, Verdict};
use patterndb::{Database, Message, limits::FILE_BYTES_MAX};
use store::{Clock as _, SystemClock};
use syslog::{Context, ParseOptions, Parser};

use crate::Outcome;
use crate::arguments::PatterndbCommand;
use crate::failure::Failure;
use crate::output;

pub(crate) fn patterndb(command: &PatterndbCommand) -> Result<Outcome, Failure> {
    match command {
        PatterndbCommand::Test { files, rule_id } => {
            let files = files.iter().map(|file| test(file, rule_id.as_deref()));
            let verdicts: Vec<Verdict> = files.collect::<Result<_, _>>()?;
            Ok(Outcome::Tested(Verdict::of_all(verdicts)))
        }
        PatterndbCommand::Match {
            database,
            message,
            program,
            file,
            template,
        } => {
            let database = loaded(database)?;
            let template = template.as_deref().map(compiled).transpose()?;
            let template = template.as_ref();
            match file {
                Some(file) => try_messages(&database, messages(file)?, template),
                None => {
                    let text = message.as_deref().unwrap_or_default();
                    let message = message_of(text, program.as_deref());
                    try_messages(&database, [Ok(message)], template)
                }
            }
        }
        PatterndbCommand::Merge { files } => merge(files),
        PatterndbCommand::Dump { database, program } => {
            let database = loaded(database)?;
            print(&match program {
                Some(program) => tool::rules(&database, program.as_bytes()),
                None => tool::programs(&database),
            })
        }
    }
}

fn print(text: &str) -> Result<Outcome, Failure> {
    let mut out = output::data();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Outcome::Done)
}

/// The bytes of a file, as far as they can be a database.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    // One byte more than a database may have tells that there are too many.
    let read = file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot read {}", path.display())).because(error)
}

/// A database, with its warnings on standard error.
fn loaded(path: &Path) -> Result<Database, Failure> {
    let database = Database::parse(&read(path)?).map_err(|error| {
        let what = format!("{} is no pattern database", path.display());
        Failure::new(what).because(error)
    })?;
    for warning in database.warnings() {
        output::words(&format!("warning: {}: {warning}", path.display()));
    }
    Ok(database)
}

fn test(path: &Path, rule_id: Option<&str>) -> Result<Verdict, Failure> {
    let report = match read(path) {
        Ok(bytes) => tool::test(&bytes, rule_id),
        Err(failure) => {
            output::words(&failure.to_string());
            return Ok(Verdict::NotLoaded);
        }
    };
    let lines = report.text.lines();
    let lines = lines.map(|line| format!("{}: {line}\n", path.display()));
    print(&lines.collect::<String>())?;
    Ok(report.verdict)
}

fn compiled(template: &str) -> Result<Template, Failure> {
    let compiled = Template::compile(&format!("{template}\n"));
    compiled.map_err(|error| {
        Failure::new("the template cannot be used").because(error.render(template).trim_end())
    })
}

fn message_of(text: &str, program: Option<&str>) -> Message {
    let mut message = Message::new(SystemClock.now());
    message.set("MESSAGE", text.as_bytes());
    if let Some(program) = program {
        message.set("PROGRAM", program.as_bytes());
    }
    message
}

/// The messages of a file of lines.
fn messages(path: &Path) -> Result<impl Iterator<Item = io::Result<Message>>, Failure> {
    let file: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(path).map_err(|error| unreadable(path, &error))?),
    };
    let mut parser = Parser::new(ParseOptions::default());
    let mut parts = RecordParts::default();
    let received = SystemClock.now();
    let lines = BufReader::new(file).split(b'\n');
    Ok(lines.map(move |line| Ok(parsed(&line?, &mut parser, &mut parts, received))))
}

fn parsed(
    line: &[u8],
    parser: &mut Parser,
    parts: &mut RecordParts,
    received: Timestamp,
) -> Message {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let context = Context {
        received,
        peer: None,
    };
    parser.parse(line, &context, parts);
    let bytes = [line, &parts.extra].concat();
    Message::of_view(&View::of_parts(&bytes, line.len(), parts))
}

fn try_messages(
    database: &Database,
    messages: impl IntoIterator<Item = io::Result<Message>>,
    template: Option<&Template>,
) -> Result<Outcome, Failure> {
    let mut out = output::data();
    let (mut read, mut written) = (Ok(()), Ok(()));
    let messages = messages.into_iter().map_while(|message| match message {
        Ok(message) => Some(message),
        Err(error) => {
            read = Err(error);
            None
        }
    });
    let has_all = tool::try_messages(database, messages, template, &mut |text| {
        if written.is_ok() {
            written = out.write_all(text.as_bytes());
        }
    });
    written?;
    out.flush()?;
    read.map_err(|error| Failure::new("cannot read the messages").because(error))?;
    Ok(match has_all {
        true => Outcome::Done,
        false => Outcome::NothingFound,
    })
}

fn merge(files: &[PathBuf]) -> Result<Outcome, Failure> {
    let read: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|path| Ok((path.display().to_string(), read(path)?)))
        .collect::<Result<_, Failure>>()?;
    let files = read.iter();
    let files: Vec<_> = files
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let today = jiff::Zoned::now().date().to_string();
    let merged = tool::merge(&files, &today);
    print(&merged.map_err(|error| Failure::new("the files cannot be merged").because(error))?)
}
