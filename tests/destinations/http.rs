//! Webhooks and APIs over HTTP: another server of ours takes lines over its API, with headers, compression and a kill
//! in between.

use std::fs;

use anyhow::Result;
use testkit::{Server, Signal};

use super::{destination, messages, send, server, wait_until_idle};

const COUNT: usize = 3_000;

fn pushing(to: &Server, keys: &str) -> String {
    format!(
        "[destination.http.next]\nurl = \"{}/api/v1/ingest?format=lines\"\nform = \"lines\"\nformat = \"raw\"\n\
         batch_records = 100\nbatch_wait = \"0ms\"\nretry_max = \"1s\"\n{keys}\n",
        to.url()
    )
}

#[test]
fn lines_arrive_whole_and_in_order_and_none_is_lost_when_the_other_side_is_killed() -> Result<()> {
    let mut next = Server::start()?;
    let mut own = server(pushing(&next, "compression = \"gzip\""))?;
    let sent = messages(0..COUNT);
    send(&own, &sent[..COUNT / 2], COUNT / 2)?;
    wait_until_idle(&own)?;
    let rows = next.api().export("", &[("raw", "true")])?;
    let arrived: Vec<Vec<u8>> = rows.iter().map(testkit::raw).collect::<Result<_>>()?;
    let expected = sent[..COUNT / 2]
        .iter()
        .map(|line| line.clone().into_bytes());
    assert!(
        arrived == expected.collect::<Vec<_>>(),
        "{} lines",
        arrived.len()
    );
    next.kill()?;
    send(&own, &sent[COUNT / 2..], COUNT)?;
    testkit::wait_until("it fails", super::LIMIT, || {
        destination(&own).is_ok_and(|status| status["state"] == "failing")
    })?;
    next.start_again()?;
    // It listens somewhere else now.
    fs::write(own.config_file(), pushing(&next, ""))?;
    own.process().signal(Signal::HUP)?;
    let status = wait_until_idle(&own)?;
    assert_eq!(status["delivered"], COUNT);
    let rows = next.api().export("", &[("raw", "true")])?;
    let mut arrived: Vec<Vec<u8>> = rows.iter().map(testkit::raw).collect::<Result<_>>()?;
    // What was answered by nobody may be there twice, and stands together.
    arrived.dedup();
    let expected = sent.iter().map(|line| line.clone().into_bytes());
    assert!(
        arrived == expected.collect::<Vec<_>>(),
        "{} lines",
        arrived.len()
    );
    Ok(())
}

#[test]
fn what_the_other_side_refuses_is_kept_with_its_answer() -> Result<()> {
    let next = Server::start()?;
    let own = server(format!(
        "[logspace.refused]\n{}",
        pushing(
            &next,
            "on_reject = \"refused\"\nformat = \"json\"\nrefused = [\"400\"]"
        )
        .replace("format=lines", "format=nonsense")
        .replace("format = \"raw\"\n", "")
    ))?;
    send(&own, &messages(0..3), 3)?;
    testkit::wait_until("all are refused", super::LIMIT, || {
        destination(&own).is_ok_and(|status| status["dropped"]["rejected"] == 3)
    })?;
    let rows = own
        .api()
        .export("tag:rejected", &[("logspace", "refused"), ("raw", "true")])?;
    assert_eq!(rows.len(), 3);
    let reason = rows[0].to_string();
    assert!(
        reason.contains("400") && reason.contains("nonsense"),
        "{reason}"
    );
    Ok(())
}
