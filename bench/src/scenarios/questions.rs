//! The questions that a search page asks, over HTTP as the page does.

use anyhow::{Context as _, Result, ensure};
use api::StreamLine;
use client::{Client, Parameters};

use crate::manifest::Query;

/// What is asked of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Count,
    /// 30 counts over the time of all records.
    Bars,
    /// The newest ones.
    Rows(u64),
}

/// Asks, reads the whole answer and compares it with what was planted.
pub(super) fn ask(client: &Client, query: &Query, asked: Asked) -> Result<()> {
    let found = match asked {
        Asked::Count => {
            let answer = client.count(&Parameters::query(&query.query))?;
            ensure!(
                answer.cost.complete,
                "a count is not complete: {:?}",
                answer.cost.reason
            );
            answer.count
        }
        Asked::Bars => bars(client, &query.query)?,
        Asked::Rows(limit) => {
            let rows = rows(client, &query.query, limit)?;
            ensure!(
                rows == query.count.min(limit),
                "{rows} rows for {}",
                query.name
            );
            return Ok(());
        }
    };
    query.check("logwood", found)
}

/// 30 bars; returns the sum of them.
pub(super) fn bars(client: &Client, query: &str) -> Result<u64> {
    let answer = client.histogram(&Parameters::query(query).with("bars", "30"))?;
    ensure!(
        answer.cost.complete,
        "bars are not complete: {:?}",
        answer.cost.reason
    );
    let sum = answer.bars.iter().map(|bar| bar.count).sum();
    ensure!(
        sum == answer.total,
        "the bars have {sum}, and {} is told",
        answer.total
    );
    Ok(sum)
}

/// The newest rows, read to the end; returns how many.
pub(super) fn rows(client: &Client, query: &str, limit: u64) -> Result<u64> {
    let parameters = Parameters::query(query).with("limit", limit.to_string());
    let mut rows = 0;
    let mut end = None;
    for line in client.search(&parameters)? {
        match line? {
            StreamLine::Row(_) => rows += 1,
            StreamLine::End(line) => end = Some(line),
            _ => {}
        }
    }
    let end = end.context("the rows have no end")?;
    ensure!(
        end.cost.complete,
        "rows are not complete: {:?}",
        end.cost.reason
    );
    Ok(rows)
}
