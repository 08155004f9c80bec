//! Bytes on disk of a message, by what packs it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::child;
use crate::collectors::{Setup, VictoriaLogs};
use crate::context::Context;
use crate::file::ScenarioFile;
use crate::logs;
use crate::measurement::{Measurement, figure};
use crate::parameters::Parameters;
use crate::peers::{OpenSearch, python};
use crate::scenario::{Scenario, Step};
use crate::segments;

/// The scenario `size`.
#[derive(Debug)]
pub(super) struct Space {
    file: ScenarioFile,
}

impl Space {
    pub(super) fn new() -> Result<Self> {
        let file = ScenarioFile::parse(include_str!("../../scenarios/size.toml"))?;
        Ok(Self { file })
    }
}

impl Scenario for Space {
    fn file(&self) -> &ScenarioFile {
        &self.file
    }

    fn obstacle(&self, step: &Step, context: &Context) -> Option<String> {
        logs::obstacle(step, context).or_else(|| context.programs.obstacle(&step.subject))
    }

    fn run(&self, step: &Step, context: &Context) -> Result<Vec<Measurement>> {
        if !step.parameters.is_on("given")? {
            let path = generated(&step.parameters, context)?;
            return measure(&step.subject, &path, context);
        }
        let mut measurements = Vec::new();
        for log in logs::given(context)? {
            let measured = measure(&step.subject, &log.path, context)
                .with_context(|| format!("cannot measure {}", log.path.display()))?;
            measurements.extend(measured.into_iter().map(|one| one.of_case(&log.name)));
        }
        Ok(measurements)
    }
}

/// A file of generated messages, made once for all subjects.
fn generated(parameters: &Parameters, context: &Context) -> Result<PathBuf> {
    let (format, messages) = (parameters.text("format")?, parameters.count("messages")?);
    let path = context.work().join(format!("{format}-{messages}.log"));
    if path.exists() {
        return Ok(path);
    }
    let half = path.with_extension("half");
    let mut generator = Command::new(&context.programs.generator);
    generator
        .args(["load", "--format", format, "--seed", "1", "--framing", "lf"])
        .args(["--count", &messages.to_string()])
        .args(["--quiet", "--no-progress"]);
    if let Some(size) = parameters.optional_count("size")? {
        generator.args(["--size", &size.to_string()]);
    }
    let status = generator
        .arg("file:-")
        .stdout(File::create(&half)?)
        .status()
        .context("cannot start the generator")?;
    ensure!(status.success(), "the generator ended with {status}");
    fs::rename(&half, &path)?;
    Ok(path)
}

/// What a subject makes of a file.
fn measure(subject: &str, path: &Path, context: &Context) -> Result<Vec<Measurement>> {
    let text = Text::of(path)?;
    match subject.split(' ').next().unwrap_or_default() {
        "logwood" => logwood(&text, context),
        "opensearch" => opensearch(&text, context),
        "victoria-logs" => victoria_logs(&text, context),
        "clickhouse" | "tantivy" => library(subject, &text, context),
        _ => compressor(subject, &text),
    }
}

/// A file of lines.
struct Text<'a> {
    path: &'a Path,
    bytes: u64,
    messages: u64,
}

impl<'a> Text<'a> {
    fn of(path: &'a Path) -> Result<Self> {
        let messages = logs::count_lines(path)?;
        let bytes = fs::metadata(path)?.len();
        Ok(Self {
            path,
            bytes,
            messages,
        })
    }

    /// Bytes of a message and what of the text is saved.
    fn measurements(&self, bytes: f64, cpu_seconds: Option<f64>) -> Vec<Measurement> {
        let messages = figure(self.messages);
        let saved = 100.0 * (1.0 - bytes * messages / figure(self.bytes));
        let cpu =
            cpu_seconds.map(|cpu| Measurement::new("cpu", cpu * 1e6 / messages, "us/message"));
        [
            Measurement::new("bytes", bytes, "B/message"),
            Measurement::new("saved", saved, "%"),
        ]
        .into_iter()
        .chain(cpu)
        .collect()
    }
}

fn logwood(text: &Text<'_>, context: &Context) -> Result<Vec<Measurement>> {
    let folder = context.folder()?;
    let data_dir = folder.path().join("data");
    let mut import = Command::new(&context.programs.logwood);
    import
        .arg("import")
        .arg(text.path)
        .arg("--data-dir")
        .arg(&data_dir);
    let imported = child::run(&mut import, b"", &[0])?;
    let mut plan = Command::new(&context.programs.logwood);
    plan.args(["plan", "--rate", "1", "--json", "--data-dir"])
        .arg(&data_dir);
    let plan: serde_json::Value =
        serde_json::from_slice(&child::run(&mut plan, b"", &[0])?.output)?;
    let of = |part: &str| {
        let bytes = plan["bytes_per_message"][part].as_f64();
        bytes.with_context(|| format!("the plan does not say the bytes of {part}"))
    };
    let mut measurements = text.measurements(of("total")?, Some(imported.cpu_seconds));
    measurements.push(Measurement::new("data", of("data")?, "B/message"));
    measurements.push(Measurement::new("index", of("index")?, "B/message"));
    let kept = segments::sealed(&data_dir)?;
    for (section, bytes) in &kept.sections {
        let of_each = figure(*bytes) / figure(kept.messages);
        let name = segments::metric(*section);
        measurements.push(Measurement::new(name, of_each, "B/message"));
    }
    Ok(measurements)
}

fn compressor(subject: &str, text: &Text<'_>) -> Result<Vec<Measurement>> {
    let mut words = subject.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command
        .args(words)
        .arg("-c")
        .arg(text.path)
        .stdin(Stdio::null());
    let packed = child::run(&mut command, b"", &[0])?;
    let bytes = figure(u64::try_from(packed.output.len())?) / figure(text.messages);
    Ok(text.measurements(bytes, Some(packed.cpu_seconds)))
}

fn opensearch(text: &Text<'_>, context: &Context) -> Result<Vec<Measurement>> {
    let server = OpenSearch::start(context)?;
    let messages = server.index(text.path)?;
    ensure!(
        messages == text.messages,
        "{messages} of {} are indexed",
        text.messages
    );
    let bytes = figure(server.disk_bytes()?) / figure(messages);
    Ok(text.measurements(bytes, None))
}

fn victoria_logs(text: &Text<'_>, context: &Context) -> Result<Vec<Measurement>> {
    let server = VictoriaLogs::start(&Setup::plain(), context)?;
    let messages = server.index(text.path)?;
    ensure!(
        messages == text.messages,
        "{messages} of {} are indexed",
        text.messages
    );
    let bytes = figure(server.disk_bytes()?) / figure(messages);
    Ok(text.measurements(bytes, None))
}

fn library(subject: &str, text: &Text<'_>, context: &Context) -> Result<Vec<Measurement>> {
    let python = context.programs.python.as_deref();
    let folder = context.folder()?;
    let path = text.path.canonicalize()?;
    let taken = python::index(
        python.context("needs --python PATH")?,
        subject,
        &path,
        folder.path(),
    )?;
    ensure!(
        taken.messages == text.messages,
        "{} of {} are indexed",
        taken.messages,
        text.messages
    );
    let of_each = |bytes: u64| figure(bytes) / figure(taken.messages);
    let index = of_each(taken.index_bytes);
    let bytes = of_each(taken.bytes);
    let mut measurements = text.measurements(bytes, Some(taken.cpu_seconds));
    measurements.push(Measurement::new("data", bytes - index, "B/message"));
    measurements.push(Measurement::new("index", index, "B/message"));
    Ok(measurements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_told_of_the_text() {
        let text = Text {
            path: Path::new("x"),
            bytes: 24_500,
            messages: 100,
        };
        let told = text.measurements(24.5, Some(0.001));
        let values: Vec<_> = told
            .iter()
            .map(|one| (one.metric.as_str(), one.value))
            .collect();
        assert_eq!(values, [("bytes", 24.5), ("saved", 90.0), ("cpu", 10.0)]);
    }
}
