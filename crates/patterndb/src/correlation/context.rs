//! Contexts: which messages belong together, and what is kept of them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::message::Message;
use crate::rule::{Rule, Scope};

/// What tells contexts apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) scope: Scope,
    host: Box<[u8]>,
    program: Box<[u8]>,
    pid: Box<[u8]>,
    /// The id, expanded.
    pub(super) id: Box<[u8]>,
}

impl Key {
    pub(super) fn new(scope: Scope, id: &[u8], message: &Message) -> Self {
        let part = |is_used: bool, name: &str| match is_used {
            true => message.get(name).into(),
            false => Box::default(),
        };
        Self {
            scope,
            host: part(scope != Scope::Global, "HOST"),
            program: part(matches!(scope, Scope::Process | Scope::Program), "PROGRAM"),
            pid: part(scope == Scope::Process, "PID"),
            id: id.into(),
        }
    }

    /// Gives a message what those of a context have in common.
    pub(super) fn mark(&self, message: &mut Message) {
        if self.scope == Scope::Process {
            message.set("PID", &self.pid);
        }
        if matches!(self.scope, Scope::Process | Scope::Program) {
            message.set("PROGRAM", &self.program);
        }
        if self.scope != Scope::Global {
            message.set("HOST", &self.host);
        }
    }

    pub(super) fn size(&self) -> usize {
        size_of::<Self>() + self.host.len() + self.program.len() + self.pid.len() + self.id.len()
    }
}

/// Messages that belong together.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The rule of its last message.
    pub(super) rule: Arc<Rule>,
    /// The oldest first.
    pub(super) messages: VecDeque<Message>,
    /// The second up to which it waits for its next message.
    pub(super) end: i64,
    /// What tells it apart from those that end in the same second.
    pub(super) serial: u64,
}
