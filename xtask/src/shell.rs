//! Running other programs, and where things lie.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of the repository.
pub(crate) fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.parent().context("xtask/ lies in no folder")?.into())
}

/// Where cargo builds.
pub(crate) fn target() -> Result<PathBuf> {
    let root = root()?;
    Ok(match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    })
}

/// The cargo that runs us, in the root of the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Result<Command> {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()?);
    Ok(command)
}

/// Runs a command with our own standard streams; an exit code other than 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", shown(command));
    }
    Ok(())
}

/// Runs a command and returns its standard output; what it says on standard error passes through.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} ended with {}", shown(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("{} printed something else than UTF-8", shown(command)))
}

/// Whether a program can be found on the path or where Debian keeps daemons.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/sbin")])
        .any(|folder| folder.join(program).is_file())
}

fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(command.get_args().map(|word| word.to_string_lossy()));
    format!("`{}`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`sh -c exit 3` ended with exit status: 3"
        );
    }

    #[test]
    fn output_is_what_the_command_printed() {
        assert_eq!(output(Command::new("echo").arg("a")).unwrap(), "a\n");
    }

    #[test]
    fn programs_are_looked_for_on_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program-anywhere"));
    }
}
