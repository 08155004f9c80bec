//! Steps of routes: what they make of what real senders send, and what stays true whatever they do.

mod peer;
mod running;
