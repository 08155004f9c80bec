//! The receivers against a real store on a temporary directory, with clients written by hand.
#![expect(clippy::expect_used, reason = "a test that cannot go on fails")]

mod disk;
mod dns;
mod harness;
mod hosts;
mod packed;
mod pressure;
mod proxy;
mod reload;
mod relp;
mod relp_client;
mod senders;
mod shutdown;
mod storm;
mod submit;
mod tcp;
mod tls;
mod tls_client;
mod udp;
mod unix;
