//! Work on threads of its own, which step back where others want the processors.
//!
//! A thread cannot become less nice again, so that these are not those of the runtime, which
//! receive. What a thread starts is as nice as itself.

use std::thread::Builder;

use rustix::process::setpriority_process;
use tokio::sync::oneshot;

use crate::problem::Refusal;

/// Runs work on a thread that is so nice, and resolves to what it returns. The work goes on where
/// nobody waits for it any more.
pub(crate) async fn run<T: Send + 'static>(
    niceness: i32,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    let (done, result) = oneshot::channel();
    let thread = Builder::new().name("question".to_owned()).spawn(move || {
        // Where the system forbids it, the work is done all the same.
        _ = setpriority_process(None, niceness);
        _ = done.send(work());
    });
    if let Err(error) = thread {
        tracing::warn!(%error, "cannot start a thread");
        return Err(Refusal::busy(
            error.to_string(),
            "the system's limit of threads",
        ));
    }
    let crashed = |_| Refusal::internal("the query crashed; the server's log says where");
    result.await.map_err(crashed)
}
