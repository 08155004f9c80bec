//! HTTP for kinds that deliver over it.
//!
//! | to | see |
//! |---|---|
//! | know which URL a request goes to | `balance.rs` |
//! | send a request within bounds | `client.rs` |
//! | cut a batch into requests and settle each record | `carry.rs` |

mod balance;
mod carry;
mod client;
#[cfg(test)]
mod tests;
mod url;

pub(crate) use carry::{Carrier, Encoded, Run, Verdict, carry_all};
pub use client::ClientOptions;
pub(crate) use client::{Answer, Client, Request, text_of};
pub use url::{BadUrl, Url};
