//! HTTP for kinds that deliver over it.
//!
//! | to | see |
//! |---|---|
//! | know which URL a request goes to | `balance.rs` |
//! | send a request within bounds | `client.rs` |
//! | say who we are | `login.rs` |
//! | cut a batch into requests and settle each record | `carry.rs` |

mod balance;
mod carry;
mod client;
mod login;
#[cfg(test)]
mod tests;
mod url;

pub(crate) use carry::{Bounds, Carrier, Encoded, Run, Verdict, carry_all};
pub use client::ClientOptions;
pub(crate) use client::{Answer, Client, Request, text_of};
pub(crate) use login::{basic, sensitive};
pub use login::{is_header_name, is_header_value};
pub use url::{BadUrl, Url};
