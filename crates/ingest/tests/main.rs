//! The receivers against a real store on a temporary directory, with clients written by hand.

mod disk;
mod harness;
mod pressure;
mod reload;
mod relp;
mod relp_client;
mod shutdown;
mod submit;
mod tcp;
mod tls;
mod tls_client;
mod udp;
