//! What follows from several messages: contexts, their ends, and the messages that actions make.
//!
//! A [`Correlator`] is given every message with the rule that it matched. Time is that of the messages: it
//! goes forward with each, never back, and never beyond the time that the caller's clock shows; while none
//! come, the caller moves it on. A message of a rule with a context joins the context of its id and scope,
//! which then waits for the next one as long as the rule says. When nothing came for longer, the actions of
//! the last rule follow that wait for this.
//!
//! In templates of an action, `${X}` is the new message, `${X}@1` the last one of the context, or the one
//! that matched where there is no context, and so on back.
//!
//! All of it is bounded: where there are too many contexts or bytes, the context whose end is next ends
//! early, and where a context has too many messages, it forgets its oldest.

mod context;
mod message;
mod rates;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use macros::{Template, View};
use model::Timestamp;
use smallvec::SmallVec;

pub use message::Message;

use crate::database::Database;
use crate::limits::{CONTEXT_MESSAGES_MAX, CONTEXTS_BYTES_MAX, CONTEXTS_MAX};
use crate::rule::{Action, Content, ContextRule, Inherit, NewMessage, Rule, RuleValue, Trigger};
use context::{Context, Key};
use rates::Rates;

/// The value with the class of a message.
const CLASS: &str = ".classifier.class";

/// The class of messages that match nothing, and their tag.
const CLASS_UNKNOWN: &str = "unknown";
const TAG_UNKNOWN: &str = ".classifier.unknown";

/// The value with the id of its rule.
const RULE_ID: &str = ".classifier.rule_id";

/// The value with the id of its context.
const CONTEXT_ID: &str = ".classifier.context_id";

/// The bounds of a [`Correlator`].
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most contexts.
    pub contexts_max: usize,
    /// Most messages of a context.
    pub messages_max: usize,
    /// Most bytes of all contexts.
    pub bytes_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            contexts_max: CONTEXTS_MAX,
            messages_max: CONTEXT_MESSAGES_MAX,
            bytes_max: CONTEXTS_BYTES_MAX,
        }
    }
}

/// What was lost to the bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Contexts that ended early.
    pub contexts: u64,
    /// Messages that their contexts forgot.
    pub messages: u64,
}

/// The state of all contexts.
#[derive(Clone, Debug, Default)]
pub struct Correlator {
    bounds: Bounds,
    contexts: HashMap<Key, Context>,
    /// Contexts by their ends.
    ends: BTreeMap<(i64, u64), Key>,
    rates: Rates,
    /// The time of the messages, in seconds; none before the first.
    now: Option<i64>,
    serial: u64,
    bytes: usize,
    losses: Losses,
}

/// What an action is done for.
struct Cause<'c> {
    rule: &'c Arc<Rule>,
    trigger: Trigger,
    /// The context without its last message, and its key.
    context: Option<(&'c Key, &'c VecDeque<Message>)>,
    /// The last message.
    message: &'c Message,
}

impl Correlator {
    /// A correlator without contexts.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            ..Self::default()
        }
    }

    /// How many contexts there are.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// The memory that contexts take, roughly.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What was lost to the bounds since the start.
    pub fn losses(&self) -> Losses {
        self.losses
    }

    /// Does all that a database does to a message: the time moves on, the message is classified and gets the
    /// values of its pattern, class and rule, and what follows from it is done. Hands back its rule.
    pub fn process<'d>(
        &mut self,
        database: &'d Database,
        message: &mut Message,
        clock: Timestamp,
        scene: &macros::Context,
        emit: &mut dyn FnMut(Message),
    ) -> Option<&'d Arc<Rule>> {
        self.advance_to(message.time, clock, scene, emit);
        let program = message.get("PROGRAM").to_vec();
        let text = message.get("MESSAGE").to_vec();
        let Some(found) = database.classify(&program, &text) else {
            message.set(CLASS, CLASS_UNKNOWN.as_bytes());
            message.add_tag(TAG_UNKNOWN);
            return None;
        };
        message.set(CLASS, found.rule.class.as_bytes());
        message.set(RULE_ID, found.rule.id.as_bytes());
        for value in found.program_values().chain(found.values()) {
            message.set(value.name, value.value);
        }
        self.matched(found.rule, message, scene, emit);
        Some(found.rule)
    }

    /// Takes a message whose pattern matched: adds what the rule adds, and hands `emit` what actions make.
    /// [`Correlator::advance_to`] comes before it, with the time of the message.
    ///
    /// The values that the pattern took, `.classifier.class` and `.classifier.rule_id` are set already. What
    /// templates need beside messages is in `scene`.
    pub fn matched(
        &mut self,
        rule: &Arc<Rule>,
        message: &mut Message,
        scene: &macros::Context,
        emit: &mut dyn FnMut(Message),
    ) {
        let context = rule.context.as_ref().map(|context| {
            let id = rendered(&context.id, &[], message, scene);
            message.set(CONTEXT_ID, &id);
            let key = Key::new(context.scope, &id, message);
            (context, key)
        });
        let Some((context, key)) = context else {
            add(&rule.tags, &rule.values, &[], message, scene);
            let cause = Cause {
                rule,
                trigger: Trigger::Match,
                context: None,
                message,
            };
            return self.follow(&cause, scene, emit);
        };
        let earlier = self.take(&key);
        add(&rule.tags, &rule.values, &views(&earlier), message, scene);
        let cause = Cause {
            rule,
            trigger: Trigger::Match,
            context: Some((&key, &earlier)),
            message,
        };
        self.follow(&cause, scene, emit);
        let mut messages = earlier;
        messages.push_back(message.clone());
        while messages.len() > self.bounds.messages_max.max(1) {
            messages.pop_front();
            self.losses.messages += 1;
        }
        self.put(key, Arc::clone(rule), messages, seconds_of(context));
        self.make_room(scene, emit);
    }

    /// Moves the time on to that of a message, at most to that of the caller's clock. Contexts that waited for
    /// longer than they do end, and `emit` gets what their actions make.
    pub fn advance_to(
        &mut self,
        time: Timestamp,
        clock: Timestamp,
        scene: &macros::Context,
        emit: &mut dyn FnMut(Message),
    ) {
        let time = time.min(clock).nanos().div_euclid(1_000_000_000);
        if self.now.is_none_or(|now| now < time) {
            self.now = Some(time);
            self.end_before(time, scene, emit);
        }
    }

    /// Moves the time on while no messages come.
    pub fn advance_by(
        &mut self,
        seconds: u32,
        scene: &macros::Context,
        emit: &mut dyn FnMut(Message),
    ) {
        if let Some(now) = self.now {
            let now = now.saturating_add(seconds.into());
            self.now = Some(now);
            self.end_before(now, scene, emit);
        }
    }

    /// Ends all contexts, as at the end of a file. Those that actions start meanwhile end without any.
    pub fn end_all(&mut self, scene: &macros::Context, emit: &mut dyn FnMut(Message)) {
        self.end_before(i64::MAX, scene, emit);
        self.contexts.clear();
        self.ends.clear();
        self.bytes = 0;
    }

    /// Ends contexts that waited up to a second before this one. Those that actions start meanwhile stay.
    fn end_before(&mut self, time: i64, scene: &macros::Context, emit: &mut dyn FnMut(Message)) {
        let later = self.ends.split_off(&(time, 0));
        let over = std::mem::replace(&mut self.ends, later);
        for key in over.into_values() {
            self.end(&key, scene, emit);
        }
    }

    /// Ends a context.
    fn end(&mut self, key: &Key, scene: &macros::Context, emit: &mut dyn FnMut(Message)) {
        let Some(mut context) = self.contexts.remove(key) else {
            return;
        };
        self.ends.remove(&(context.end, context.serial));
        self.bytes = self.bytes.saturating_sub(size(key, &context.messages));
        let Some(last) = context.messages.pop_back() else {
            return;
        };
        let cause = Cause {
            rule: &context.rule,
            trigger: Trigger::Timeout,
            context: Some((key, &context.messages)),
            message: &last,
        };
        self.follow(&cause, scene, emit);
    }

    /// Takes the messages of a context out of the state.
    fn take(&mut self, key: &Key) -> VecDeque<Message> {
        let Some(context) = self.contexts.remove(key) else {
            return VecDeque::new();
        };
        self.ends.remove(&(context.end, context.serial));
        self.bytes = self.bytes.saturating_sub(size(key, &context.messages));
        context.messages
    }

    /// Puts a context into the state, in place of one of the same key.
    fn put(&mut self, key: Key, rule: Arc<Rule>, messages: VecDeque<Message>, seconds: i64) {
        self.take(&key);
        self.serial += 1;
        let context = Context {
            rule,
            end: self.now.unwrap_or(0).saturating_add(seconds),
            serial: self.serial,
            messages,
        };
        self.bytes += size(&key, &context.messages);
        self.ends.insert((context.end, context.serial), key.clone());
        self.contexts.insert(key, context);
    }

    /// Ends contexts early while there are too many or they are too large.
    fn make_room(&mut self, scene: &macros::Context, emit: &mut dyn FnMut(Message)) {
        // Actions may start contexts: so many are ended that there is room again, and then no more.
        for _ in 0..=self.contexts.len() {
            let is_full = self.contexts.len() > self.bounds.contexts_max
                || self.bytes > self.bounds.bytes_max;
            let next = self.ends.first_key_value().map(|(_, key)| key.clone());
            let Some(key) = next.filter(|_| is_full) else {
                return;
            };
            self.losses.contexts += 1;
            self.end(&key, scene, emit);
        }
    }

    /// Does the actions of a rule.
    fn follow(
        &mut self,
        cause: &Cause<'_>,
        scene: &macros::Context,
        emit: &mut dyn FnMut(Message),
    ) {
        for (place, action) in cause.rule.actions.iter().enumerate() {
            if !self.is_due(cause, action, place, scene) {
                continue;
            }
            match &action.content {
                Content::Nothing => {}
                Content::Message(new) => emit(made(new, cause, scene)),
                Content::Context(context, new) => self.start(context, new, cause, scene),
            }
        }
    }

    fn is_due(
        &mut self,
        cause: &Cause<'_>,
        action: &Action,
        place: usize,
        scene: &macros::Context,
    ) -> bool {
        if action.trigger != cause.trigger {
            return false;
        }
        if let Some(condition) = &action.condition {
            let earlier = cause.earlier();
            if !condition.holds_behind(&earlier, &cause.message.view(), scene) {
                return false;
            }
        }
        let Some(rate) = action.rate else {
            return true;
        };
        let scope = cause.rule.context.as_ref().map(|context| context.scope);
        let id = format!("{}:{place}", cause.rule.id);
        let key = Key::new(scope.unwrap_or_default(), id.as_bytes(), cause.message);
        self.rates.take(key, rate, self.now.unwrap_or(0))
    }

    /// Starts a context, with a message of its own.
    fn start(
        &mut self,
        context: &ContextRule,
        new: &NewMessage,
        cause: &Cause<'_>,
        scene: &macros::Context,
    ) {
        let message = made(new, cause, scene);
        let id = rendered(&context.id, &cause.earlier(), cause.message, scene);
        let key = Key::new(context.scope, &id, &message);
        // One without a timeout of its own has that of the rule.
        let seconds = match &cause.rule.context {
            Some(outer) if context.timeout.is_zero() => seconds_of(outer),
            _ => seconds_of(context),
        };
        let rule = Arc::clone(cause.rule);
        self.put(key, rule, VecDeque::from([message]), seconds);
    }
}

impl Cause<'_> {
    /// The messages of the context before the last one, the oldest first.
    fn earlier(&self) -> Views<'_> {
        self.context
            .map(|(_, messages)| views(messages))
            .unwrap_or_default()
    }
}

/// Messages as templates see them.
type Views<'m> = SmallVec<[View<'m>; 4]>;

fn views(messages: &VecDeque<Message>) -> Views<'_> {
    messages.iter().map(Message::view).collect()
}

/// What a template makes of a message with others before it; nothing where that is too long.
fn rendered(
    template: &Template,
    earlier: &[View<'_>],
    message: &Message,
    scene: &macros::Context,
) -> Vec<u8> {
    let mut out = Vec::new();
    // What is too long leaves nothing behind.
    _ = template.render_behind(earlier, &message.view(), scene, &mut out);
    out
}

/// Adds tags and values to a message with others before it. A value sees those that are set before it.
fn add(
    tags: &[String],
    values: &[RuleValue],
    earlier: &[View<'_>],
    message: &mut Message,
    scene: &macros::Context,
) {
    for tag in tags {
        message.add_tag(tag);
    }
    for value in values {
        let text = rendered(&value.template, earlier, message, scene);
        message.set(&value.name, &text);
    }
}

/// A message that an action makes.
fn made(new: &NewMessage, cause: &Cause<'_>, scene: &macros::Context) -> Message {
    let mut message = match new.inherit {
        Inherit::None => Message::new(cause.message.time),
        Inherit::LastMessage | Inherit::Context => cause.message.clone(),
    };
    let mut earlier = cause.earlier();
    if let Some((key, messages)) = cause.context {
        if new.inherit == Inherit::Context {
            for other in messages.iter().rev() {
                message.merge(other);
            }
        }
        key.mark(&mut message);
    }
    earlier.push(cause.message.view());
    add(&new.tags, &new.values, &earlier, &mut message, scene);
    message
}

fn seconds_of(context: &ContextRule) -> i64 {
    i64::try_from(context.timeout.as_secs()).unwrap_or(i64::MAX)
}

/// The memory that a context takes, roughly.
fn size(key: &Key, messages: &VecDeque<Message>) -> usize {
    // The key stands beside the context and beside its end.
    let messages: usize = messages.iter().map(Message::size).sum();
    2 * key.size() + size_of::<Context>() + messages
}
