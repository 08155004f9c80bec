//! Destinations: what arrived is what was stored.

mod files;
mod http;
mod kills;
mod operating;
mod servers;

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use testkit::{Server, Setup, send_stream, wait_for};

const LIMIT: Duration = Duration::from_secs(120);

/// A server with a configuration.
fn server(config: impl Into<String>) -> Result<Server> {
    Server::start_with(Setup {
        config: Some(config.into()),
        ..Setup::default()
    })
}

/// Numbered messages of a few hosts.
fn messages(numbers: std::ops::Range<usize>) -> Vec<String> {
    let message = |number| {
        format!(
            "<13>Nov 29 04:05:06 host{} app[7]: message {number}",
            number % 3
        )
    };
    numbers.map(message).collect()
}

/// Sends messages as lines, and waits until so many are stored in all.
fn send(server: &Server, messages: &[String], total: usize) -> Result<()> {
    let lines: String = messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    send_stream(server.addresses().tcp, lines.as_bytes())?;
    server.api().wait_for_count("", total as u64)
}

/// The status of the only destination.
fn destination(server: &Server) -> Result<Value> {
    let answer = server.api().get("/api/v1/destinations")?.ok()?.json()?;
    let first = answer["destinations"].get(0).cloned();
    first.context("there is a destination")
}

/// Waits until a destination has nothing left to do.
fn wait_until_idle(server: &Server) -> Result<Value> {
    wait_for("everything was delivered", LIMIT, || {
        let status = destination(server)?;
        let left = status["pending"].as_u64().unwrap_or(1) + status["unread"].as_u64().unwrap_or(1);
        let dropped: u64 = { status["dropped"].as_object().into_iter().flatten() }
            .filter_map(|(_, records)| records.as_u64())
            .sum();
        let figure = |name: &str| status[name].as_u64().unwrap_or(0);
        anyhow::ensure!(
            figure("matched") == figure("delivered") + dropped + figure("pending"),
            "it does not add up: {status}"
        );
        Ok((left == 0).then_some(status))
    })
}
