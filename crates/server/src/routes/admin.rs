//! What only the administrator of the machine may ask for.
//!
//! There are no accounts yet, so such a request must come from the machine itself, and from a
//! program: not through a proxy, whose clients could be anybody, and not from a page in a browser,
//! which can be made to send requests anywhere. A browser sends JSON to another origin only after
//! asking, which is never answered, and names the host in its address bar.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use api::{BackupAnswer, BackupRequest, Problem};
use axum::Json;
use axum::http::{HeaderMap, header};

use crate::backup;
use crate::guard::is_loopback;
use crate::http::Context;
use crate::problem::Refusal;
use crate::upload::Upload;

/// Makes a backup, however long it takes; it goes on where the client goes away.
pub(crate) async fn backup(
    context: Context,
    headers: HeaderMap,
    upload: Upload,
) -> Result<Json<BackupAnswer>, Refusal> {
    check_origin(context.peer, &headers)?;
    let hint = "send JSON, with its content type: {\"directory\": \"/an/absolute/path\"}";
    let request: BackupRequest = upload.json(hint).await?;
    let directory = PathBuf::from(request.directory);
    if !directory.is_absolute() {
        let detail = format!("{} is not an absolute path", directory.display());
        return Err(Refusal::parameter("directory", detail, hint));
    }
    let work = tokio::task::spawn_blocking(move || {
        let answer = backup::backup(&context.app.store, &directory);
        match &answer {
            Ok(made) => tracing::info!(
                directory = %directory.display(),
                complete = made.complete,
                "made a backup"
            ),
            Err(error) => tracing::error!(%error, "cannot make a backup"),
        }
        answer.map_err(|error| refusal(&error, &directory))
    });
    let answer = work
        .await
        .map_err(|_| Refusal::internal("the backup crashed; the server's log says where"))?;
    answer.map(Json)
}

fn refusal(error: &store::Error, directory: &Path) -> Refusal {
    let title = "no backup was made";
    let detail = error.to_string();
    match error {
        store::Error::WrongDirectory { .. } | store::Error::Locked { .. } => {
            Problem::new(409, "directory-unsuitable", title, detail).into()
        }
        _ => Problem::new(500, "backup-failed", title, detail)
            .with_hint(backup::hint(directory, error).unwrap_or_else(|| {
                "what an older backup in the directory had is still there".to_owned()
            }))
            .into(),
    }
}

/// Refuses whoever may not be on this machine.
pub(crate) fn check_origin(peer: IpAddr, headers: &HeaderMap) -> Result<(), Refusal> {
    let forwarded = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];
    let is_forwarded = forwarded.iter().any(|name| headers.contains_key(*name));
    let is_page = headers.contains_key(header::ORIGIN);
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    if peer.to_canonical().is_loopback()
        && !is_forwarded
        && !is_page
        && host.is_some_and(is_loopback)
    {
        return Ok(());
    }
    let title = "this is for the administrator of the machine";
    let detail = "the request does not come straight from a program on the server's machine";
    Err(Problem::new(403, "not-local", title, detail)
        .with_hint("ask on that machine, at the address 127.0.0.1, with the command `logwood`")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(peer: &str, pairs: &[(&'static str, &'static str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().expect("a value"));
        }
        check_origin(peer.parse().expect("an address"), &headers).is_ok()
    }

    #[test]
    fn only_programs_on_the_machine_itself_are_let_in() {
        for host in ["127.0.0.1:8514", "localhost", "[::1]:80", "LOCALHOST:1"] {
            assert!(is_allowed("127.0.0.1", &[("host", host)]), "{host}");
            assert!(is_allowed("::1", &[("host", host)]), "{host}");
            assert!(is_allowed("::ffff:127.0.0.1", &[("host", host)]), "{host}");
            assert!(!is_allowed("192.0.2.1", &[("host", host)]), "{host}");
        }
        let local = ("host", "127.0.0.1:8514");
        for header in ["x-forwarded-for", "forwarded", "via", "origin"] {
            assert!(
                !is_allowed("127.0.0.1", &[local, (header, "x")]),
                "{header}"
            );
        }
        for host in ["evil.example", "localhost.evil.example", "[::2]", ""] {
            assert!(!is_allowed("127.0.0.1", &[("host", host)]), "{host}");
        }
        assert!(!is_allowed("127.0.0.1", &[]));
    }
}
