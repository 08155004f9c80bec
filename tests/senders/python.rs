//! Python's `SysLogHandler`, which ends messages over TCP with a NUL and nothing else.

use std::process::Command;

use anyhow::{Result, ensure};
use testkit::{Server, need, peers, raw};

const SCRIPT: &str = "
import logging, logging.handlers, socket, sys
handler = logging.handlers.SysLogHandler(('127.0.0.1', int(sys.argv[1])), socktype=socket.SOCK_STREAM)
handler.ident = 'app: '
log = logging.getLogger('x')
log.addHandler(handler)
for text in ['one', '20 errors found', 'h\\u00e9llo < world']:
    log.warning(text)
handler.close()
";

#[test]
fn messages_that_end_with_a_nul_are_told_apart() -> Result<()> {
    let Some(python) = need(peers::program("python3", "python3"))? else {
        return Ok(());
    };
    let server = Server::start()?;
    let port = server.addresses().tcp.port().to_string();
    let status = Command::new(python).args(["-c", SCRIPT, &port]).status()?;
    ensure!(status.success(), "the script failed");
    let rows = server.api().wait_for_rows("source:tcp", 3)?;
    let raws: Vec<Vec<u8>> = rows.iter().map(raw).collect::<Result<_>>()?;
    let expected = [
        "<12>app: one",
        "<12>app: 20 errors found",
        "<12>app: h\u{e9}llo < world",
    ];
    assert_eq!(raws, expected.map(str::as_bytes));
    for row in &rows {
        let tags = row["tags"].to_string();
        ensure!(!tags.contains("frame") && !tags.contains("count"), "{tags}");
    }
    Ok(())
}
