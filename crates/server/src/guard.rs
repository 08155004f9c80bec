//! Which requests are answered at all: those for this server, from a program or from its own page.
//!
//! A browser lets any page send requests to any address that its user can reach, the loopback
//! address among them. Two things tell such a request from one of our page, and pages can fake
//! neither. The name in `Host` is the one that the page was loaded by, where its author points a
//! name of theirs at our address to be taken for us (DNS rebinding). `Sec-Fetch-Site`, or `Origin`
//! from browsers and addresses that go without it, says that the page is another's.
//!
//! Programs send neither `Origin` nor `Sec-Fetch-Site`, and pass.

use std::net::IpAddr;

use api::Problem;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::http::Context;
use crate::limits::SHOWN_NAME_CHARS;
use crate::problem::Refusal;

/// Refuses what a foreign page may have sent, before anything else looks at it.
pub(crate) async fn guard(
    State(context): State<Context>,
    request: Request,
    next: Next,
) -> Response {
    let authority = request.uri().authority().map(Authority::as_str);
    let hosts = context.app.hosts();
    let checked = check_host(authority, request.headers(), &hosts)
        .and_then(|()| check_site(request.method(), request.headers(), &hosts));
    match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Whether a host, with or without a port, is a name for this machine that no DNS can give away.
pub(crate) fn is_loopback(host: &str) -> bool {
    name_of(host).is_some_and(|name| is_localhost(name) || is_address(name, IpAddr::is_loopback))
}

/// The name in the target of the request and that in `Host` must both be ours. Only programs leave
/// `Host` out. The port is not looked at: a name that is ours is ours behind a tunnel as well.
fn check_host(target: Option<&str>, headers: &HeaderMap, hosts: &[String]) -> Result<(), Refusal> {
    let named = headers.get_all(header::HOST).iter();
    let named = named.map(|host| host.to_str().unwrap_or_default());
    match target
        .into_iter()
        .chain(named)
        .find(|host| !is_ours(host, hosts))
    {
        None => Ok(()),
        Some(host) => Err(foreign_host(host)),
    }
}

/// An address is no name that somebody else can point here; which addresses are ours, a server
/// behind a proxy or in a container does not know.
fn is_ours(host: &str, hosts: &[String]) -> bool {
    name_of(host).is_some_and(|name| {
        is_localhost(name) || is_address(name, |_| true) || is_listed(name, hosts)
    })
}

/// The page of another asks for nothing here but to be left for our page, by a link.
fn check_site(method: &Method, headers: &HeaderMap, hosts: &[String]) -> Result<(), Refusal> {
    let is_allowed = match (text(headers, SEC_FETCH_SITE), text(headers, header::ORIGIN)) {
        (Some("same-origin" | "none"), _) => true,
        (Some(_), _) => is_link(method, headers),
        (None, Some(origin)) => is_own_origin(origin, headers, hosts),
        (None, None) => true,
    };
    if is_allowed {
        return Ok(());
    }
    let detail = match text(headers, header::ORIGIN) {
        Some(origin) => format!("the request comes from a page of {}", shown(origin)),
        None => "the request comes from a page of another server".to_owned(),
    };
    let title = "pages of other servers are not answered";
    Err(Problem::new(403, "origin-foreign", title, detail)
        .with_hint(
            "programs send neither Origin nor Sec-Fetch-Site; a reverse proxy passes the Host of \
             the request on, or its name stands in `hosts` of [http]",
        )
        .into())
}

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Whether the answer takes the place of the page that asks, which changes nothing here and which
/// that page cannot read.
fn is_link(method: &Method, headers: &HeaderMap) -> bool {
    (method == Method::GET || method == Method::HEAD)
        && text(headers, SEC_FETCH_MODE) == Some("navigate")
        && text(headers, SEC_FETCH_DEST) == Some("document")
}

/// Whether a page is from where it asks, or from a listed name at its usual port, which a proxy
/// that puts its own name for us into `Host` answers for.
fn is_own_origin(origin: &str, headers: &HeaderMap, hosts: &[String]) -> bool {
    let (authority, port) = match origin.split_once("://") {
        Some(("http", authority)) => (authority, ":80"),
        Some(("https", authority)) => (authority, ":443"),
        _ => return false,
    };
    let without_port = |authority: &str| authority.strip_suffix(port).map(str::to_owned);
    let usual = |authority: &str| without_port(authority).unwrap_or_else(|| authority.to_owned());
    let is_host = text(headers, header::HOST)
        .is_some_and(|host| usual(host).eq_ignore_ascii_case(&usual(authority)));
    is_host || is_listed(&usual(authority), hosts)
}

/// The name in an authority, without its port and the final dot of DNS; `None` where it is none.
fn name_of(authority: &str) -> Option<&str> {
    let (name, behind) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    if !behind.is_empty() && !behind.strip_prefix(':').is_some_and(is_port) {
        return None;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

fn is_localhost(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
}

fn is_address(name: &str, is_good: impl Fn(&IpAddr) -> bool) -> bool {
    name.parse()
        .is_ok_and(|address: IpAddr| is_good(&address.to_canonical()))
}

fn is_listed(name: &str, hosts: &[String]) -> bool {
    hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
}

/// The value of a header; empty, which nothing is satisfied with, where it is no text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let value = headers.get(name)?;
    Some(value.to_str().unwrap_or_default())
}

fn foreign_host(host: &str) -> Refusal {
    let host = shown(host);
    let detail = format!("{host:?} is no name of this server");
    let name = name_of(&host).unwrap_or("logs.example.com");
    let hint = format!(
        "ask by an address or by localhost, or let the configuration name it: \
         [http] hosts = [{name:?}]"
    );
    Problem::new(421, "host-unknown", "this is another server", detail)
        .with_hint(hint)
        .into()
}

/// As much of a foreign name as an answer repeats.
fn shown(name: &str) -> String {
    name.chars().take(SHOWN_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests;
