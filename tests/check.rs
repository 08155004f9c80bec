//! Configurations that name something that is not so on this machine: `check` reports each at its
//! place with a remedy, and `serve` does not start on it and says the same.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use testkit::{Process, Server, Setup, binary, run};

const LIMIT: Duration = Duration::from_secs(60);

/// A configuration that cannot be used here. `{dir}` stands for the folder of the test.
struct Case {
    config: &'static str,
    /// Line and column of the caret.
    place: &'static str,
    message: &'static str,
    remedy: &'static str,
}

const fn case(
    config: &'static str,
    place: &'static str,
    message: &'static str,
    remedy: &'static str,
) -> Case {
    Case {
        config,
        place,
        message,
        remedy,
    }
}

const CASES: &[Case] = &[
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{dir}/none.pem\"\nkey = \"{dir}/good.key\"\n",
        ":3:15",
        "cannot open {dir}/none.pem",
        "name a file that is there",
    ),
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{dir}/good.pem\"\nkey = \"{dir}/none.key\"\n",
        ":4:7",
        "cannot open {dir}/none.key",
        "name a file that is there",
    ),
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{dir}/good.pem\"\nkey = \"{dir}/other.key\"\n",
        ":4:7",
        "the private key in {dir}/other.key is not that of the certificate",
        "must print the same",
    ),
    case(
        "[source.relp.a]\nlisten = \"127.0.0.1:0\"\ntls = true\ncertificate = \"{dir}/good.pem\"\nkey = \"{dir}/encrypted.key\"\n",
        ":5:7",
        "the private key in {dir}/encrypted.key is encrypted",
        "openssl pkey -in {dir}/encrypted.key",
    ),
    case(
        "[source.tcp.a]\nlisten = \"127.0.0.1:0\"\ntls = \"detect\"\ncertificate = \"{dir}/good.pem\"\nkey = \"{dir}/good.pem\"\n",
        ":5:7",
        "{dir}/good.pem holds no private key",
        "BEGIN PRIVATE KEY",
    ),
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{dir}/text\"\nkey = \"{dir}/good.key\"\n",
        ":3:15",
        "{dir}/text holds no certificate",
        "BEGIN CERTIFICATE",
    ),
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\nclient_certificates = \"required\"\nclient_ca = \"{dir}/none.pem\"\n",
        ":4:13",
        "cannot open {dir}/none.pem",
        "name a file that is there",
    ),
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\nclient_certificates = \"required\"\nclient_ca = \"{dir}/text\"\n",
        ":4:13",
        "{dir}/text holds no certificate",
        "BEGIN CERTIFICATE",
    ),
    case(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\nclient_certificates = \"required\"\nclient_ca = \"{dir}/good.pem\"\nclient_crl = \"{dir}/none.crl\"\n",
        ":5:14",
        "cannot open {dir}/none.crl",
        "name a file that is there",
    ),
    case(
        "[source.unix.a]\nlisten = \"{dir}/none/log\"\n",
        ":2:10",
        "there is no directory {dir}/none",
        "mkdir {dir}/none",
    ),
    case(
        "[source.unix.a]\nlisten = \"{dir}/text\"\n",
        ":2:10",
        "is no socket",
        "choose another path",
    ),
    case(
        "[source.unix.a]\nlisten = \"{dir}/log\"\nowner = \"no-such-user\"\n",
        ":3:9",
        "no user \"no-such-user\"",
        "getent passwd NAME",
    ),
    case(
        "[source.unix.a]\nlisten = \"{dir}/log\"\ngroup = \"no-such-group\"\n",
        ":3:9",
        "no group \"no-such-group\"",
        "getent group NAME",
    ),
    case(
        "[source.tcp.a]\nlisten = \"192.0.2.77:5514\"\n",
        ":2:10",
        "listener a cannot listen on tcp 192.0.2.77:5514",
        "this machine has no address 192.0.2.77",
    ),
    case(
        "[source.udp.a]\nlisten = \"127.0.0.1:0\"\nzone = \"Europe/Budapes\"\n",
        ":3:8",
        "Europe/Budapes",
        "Europe/Budapest",
    ),
];

struct Ground {
    folder: TempDir,
}

impl Ground {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let ground = Self { folder };
        for name in ["good", "other"] {
            let made = run(&[
                "certificate",
                "--data-dir",
                &ground.text(name),
                "--name",
                name,
            ])?;
            ensure!(made.code == Some(0), "{}", made.errors);
            fs::copy(
                ground.path(name).join("tls/certificate.pem"),
                ground.path(&format!("{name}.pem")),
            )?;
            ground.write(
                &format!("{name}.key"),
                &fs::read(ground.path(name).join("tls/key.pem"))?,
            )?;
        }
        let encrypted =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
        ground.write("encrypted.key", encrypted.as_bytes())?;
        ground.write("text", b"nothing of use")?;
        Ok(ground)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn fill(&self, text: &str) -> String {
        text.replace("{dir}", &self.folder.path().display().to_string())
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        fs::write(self.path(name), content)?;
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600))?;
        Ok(())
    }

    /// What `check` says of a configuration, and its exit code.
    fn check(&self, config: &str) -> Result<(Option<i32>, String)> {
        self.write("logwood.toml", config.as_bytes())?;
        let path = self.text("logwood.toml");
        let told = run(&["check", &path, "--data-dir", &self.text("data")])?;
        Ok((told.code, told.errors))
    }

    /// What `serve` says of the configuration that was checked last. It does not start.
    fn serve(&self) -> Result<String> {
        let mut command = Command::new(binary()?);
        command.args(["serve", "--config", &self.text("logwood.toml")]);
        command.args(["--data-dir", &self.text("data"), "--http", "127.0.0.1:0"]);
        let mut process = Process::start(&mut command)?;
        let status = process.wait(LIMIT)?;
        let told = process.errors().join("\n");
        ensure!(status.code() == Some(2), "{status}: {told}");
        Ok(told)
    }
}

/// The problem whose first line has this text, from there to the next.
fn problem<'a>(told: &'a str, message: &str) -> Result<&'a str> {
    let problems = told.split("\n\n");
    let mut found = problems.filter(|problem| {
        let first = problem.trim_start().lines().next().unwrap_or_default();
        first.contains(message)
    });
    let found = found
        .next()
        .with_context(|| format!("no {message:?} in: {told}"))?;
    Ok(found.trim())
}

#[test]
fn check_and_serve_report_the_same_problem_at_its_place_with_its_remedy() -> Result<()> {
    let ground = Ground::new()?;
    for case in CASES {
        let config = ground.fill(case.config);
        let (code, told) = ground.check(&config)?;
        ensure!(code == Some(2), "{config}: {told}");
        let problem = problem(&told, &ground.fill(case.message))?;
        let place = format!("{}{}", ground.text("logwood.toml"), case.place);
        let remedy = ground.fill(case.remedy);
        ensure!(problem.starts_with("error: "), "{problem}");
        ensure!(problem.contains(&place), "{place}: {problem}");
        let hint = problem.split("hint: ").nth(1).unwrap_or_default();
        ensure!(hint.contains(&remedy), "{remedy}: {problem}");
        let served = ground.serve()?;
        ensure!(served.contains(problem), "not {problem}\nbut {served}");
        ensure!(
            !ground.path("data").exists(),
            "{config}: something was made"
        );
    }
    Ok(())
}

#[test]
fn every_problem_is_reported_at_once() -> Result<()> {
    let ground = Ground::new()?;
    let config = ground.fill(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{dir}/none.pem\"\nkey = \"{dir}/none.key\"\n\
         [source.unix.b]\nlisten = \"{dir}/none/log\"\nowner = \"no-such-user\"\n\
         [source.tcp.c]\nlisten = \"192.0.2.77:5514\"\n[logspace.main]\narchive_after = \"30d\"\narchive_dir = \"{dir}/gone\"\n",
    );
    let (code, told) = ground.check(&config)?;
    ensure!(code == Some(2), "{told}");
    let places: Vec<_> = told
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--> ")?.split(':').nth(1))
        .collect();
    ensure!(
        places == ["3", "4", "6", "7", "9", "12"],
        "{places:?}: {told}"
    );
    ensure!(told.ends_with("5 errors, 1 warnings\n"), "{told}");
    Ok(())
}

#[test]
fn what_may_be_so_for_a_moment_only_is_a_warning_of_check_and_an_error_of_serve() -> Result<()> {
    let ground = Ground::new()?;
    let tcp = TcpListener::bind("127.0.0.1:0")?;
    let udp = UdpSocket::bind("127.0.0.1:0")?;
    let config = format!(
        "[source.tcp.t]\nlisten = \"{}\"\n[source.udp.u]\nlisten = \"{}\"\n[http]\nlisten = \"{}\"\n",
        tcp.local_addr()?,
        udp.local_addr()?,
        TcpListener::bind("127.0.0.1:0")?.local_addr()?,
    );
    let (code, told) = ground.check(&config)?;
    ensure!(code == Some(0), "{told}");
    let served = ground.serve()?;
    for (name, port) in [("t", tcp.local_addr()?), ("u", udp.local_addr()?)] {
        let message = format!("listener {name} cannot listen on");
        let warning = problem(&told, &message)?;
        ensure!(warning.starts_with("warning: "), "{warning}");
        ensure!(
            warning.contains(&format!("sport = :{}", port.port())),
            "{warning}"
        );
        let error = problem(&served, &message)?;
        ensure!(
            error.strip_prefix("error") == warning.strip_prefix("warning"),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn an_archive_that_is_not_there_is_a_warning_and_a_file_alone_can_be_checked() -> Result<()> {
    let ground = Ground::new()?;
    let config = ground.fill(
        "[source.tls.a]\nlisten = \"127.0.0.1:0\"\ncertificate = \"{dir}/none.pem\"\nkey = \"{dir}/none.key\"\n\
         [logspace.main]\narchive_after = \"30d\"\narchive_dir = \"{dir}/gone\"\n[store]\nmemory_max = \"1024GiB\"\n",
    );
    let (_, told) = ground.check(&config)?;
    let archive = problem(&told, "nothing can be archived")?;
    ensure!(
        archive.starts_with("warning: ") && archive.contains(":7:15"),
        "{archive}"
    );
    ensure!(archive.contains("mount its disk"), "{archive}");
    let memory = problem(&told, "memory_max")?;
    ensure!(
        memory.starts_with("warning: ") && memory.contains(":9:14"),
        "{memory}"
    );
    let path = ground.text("logwood.toml");
    let alone = run(&["check", &path, "--file-only"])?;
    ensure!(alone.code == Some(0), "{}", alone.errors);
    ensure!(!alone.errors.contains("none.pem"), "{}", alone.errors);
    Ok(())
}

#[test]
fn the_addresses_of_a_server_that_runs_are_its_own() -> Result<()> {
    let server = Server::start_with(Setup {
        config: Some("[source.tcp.a]\nlisten = \"127.0.0.1:0\"\n".to_owned()),
        ..Setup::default()
    })?;
    let http = server.addresses().http;
    let data = server.data_dir().display().to_string();
    let file = server.folder().join("other.toml");
    fs::write(&file, format!("[http]\nlisten = \"{http}\"\n"))?;
    let path = file.display().to_string();
    let told = run(&["check", &path, "--data-dir", &data, "--deny-warnings"])?;
    ensure!(told.code == Some(0), "{}", told.errors);
    ensure!(
        told.errors.contains("its addresses are not tried"),
        "{}",
        told.errors
    );
    Ok(())
}

#[test]
fn a_certificate_is_made_for_names_and_replaced_only_when_asked() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path().display().to_string();
    let words = |more: &[&'static str]| [&["certificate", "--data-dir", &dir], more].concat();
    let made = run(&words(&[
        "--name",
        "logs.example.com",
        "--name",
        "192.0.2.7",
    ]))?;
    ensure!(made.code == Some(0), "{}", made.errors);
    for part in [
        "tls/certificate.pem",
        "logs.example.com 192.0.2.7",
        "127.0.0.1",
        "valid",
        "SHA256:",
    ] {
        ensure!(made.output.contains(part), "{part}: {}", made.output);
    }
    let file = Path::new(&dir).join("tls/certificate.pem");
    let first = fs::read(&file)?;
    let shown = run(&words(&["--name", "LOGS.example.com"]))?;
    ensure!(shown.output == made.output, "{}", shown.output);
    let refused = run(&words(&["--name", "other.example.com"]))?;
    ensure!(
        refused.code == Some(2) && refused.errors.contains("--replace"),
        "{}",
        refused.errors
    );
    ensure!(fs::read(&file)? == first);
    let replaced = run(&words(&["--name", "other.example.com", "--replace"]))?;
    ensure!(
        replaced.output.contains("other.example.com"),
        "{}",
        replaced.output
    );
    ensure!(fs::read(&file)? != first);
    let wrong = run(&words(&["--name", "https://logs", "--replace"]))?;
    ensure!(
        wrong.code == Some(2) && wrong.errors.contains("logs.example.com"),
        "{}",
        wrong.errors
    );
    Ok(())
}
