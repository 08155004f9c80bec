//! Which of several URLs a request goes to: each in turn, and those that fail are left alone for a while.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::{HEALTH_TIMEOUT, SICK_PAUSE_MAX, SICK_PAUSE_MIN};

/// The health of URLs, by their place.
#[derive(Debug)]
pub(super) struct Balance(Mutex<State>);

#[derive(Debug)]
struct State {
    next: usize,
    all: Vec<Health>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Health {
    /// Until when it is left alone; nothing where it is well.
    sick_until: Option<Instant>,
    pause: Duration,
}

/// One that a request may go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) index: usize,
    /// Whether it was sick, and is to be asked for its health first.
    pub(super) was_sick: bool,
}

impl Balance {
    pub(super) fn new(count: usize) -> Self {
        Self(Mutex::new(State {
            next: 0,
            all: vec![Health::default(); count],
        }))
    }

    /// Those to be tried, in order: those whose pause is over, which are asked first whether they are well again and
    /// by one request alone, and the well ones in turn. Where there is none, the one whose pause is over first, since
    /// whoever asks has waited already.
    pub(super) fn choose(&self, now: Instant) -> Vec<Choice> {
        let mut state = self.lock();
        let count = state.all.len();
        let start = state.next;
        state.next = (start + 1) % count.max(1);
        let mut chosen = Vec::with_capacity(count);
        for index in (0..count).map(|step| (start + step) % count) {
            let Some(health) = state.all.get_mut(index) else {
                continue;
            };
            match health.sick_until {
                None => chosen.push(Choice {
                    index,
                    was_sick: false,
                }),
                Some(until) if until <= now => {
                    health.sick_until = Some(now + health.pause.max(HEALTH_TIMEOUT));
                    let choice = Choice {
                        index,
                        was_sick: true,
                    };
                    chosen.insert(0, choice);
                }
                Some(_) => {}
            }
        }
        if chosen.is_empty() {
            let sick = state.all.iter().enumerate();
            let first = sick.min_by_key(|(_, health)| health.sick_until);
            chosen.extend(first.map(|(index, _)| Choice {
                index,
                was_sick: false,
            }));
        }
        chosen
    }

    /// Whether there is one that is well.
    pub(super) fn has_well(&self) -> bool {
        let state = self.lock();
        state.all.iter().any(|health| health.sick_until.is_none())
    }

    /// One works.
    pub(super) fn works(&self, index: usize) {
        if let Some(health) = self.lock().all.get_mut(index) {
            *health = Health::default();
        }
    }

    /// One does not: it is left alone for twice as long as the last time, or as long as it asks for.
    pub(super) fn fails(&self, index: usize, now: Instant, asked: Option<Duration>) {
        if let Some(health) = self.lock().all.get_mut(index) {
            let pause = (health.pause * 2).clamp(SICK_PAUSE_MIN, SICK_PAUSE_MAX);
            health.pause = pause;
            health.sick_until =
                Some(now + pause.max(asked.unwrap_or_default().min(SICK_PAUSE_MAX)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexes(balance: &Balance, now: Instant) -> Vec<usize> {
        let chosen = balance.choose(now);
        chosen.iter().map(|choice| choice.index).collect()
    }

    #[test]
    fn each_has_its_turn_and_the_sick_wait() {
        let balance = Balance::new(3);
        let now = Instant::now();
        assert_eq!(indexes(&balance, now), [0, 1, 2]);
        assert_eq!(indexes(&balance, now), [1, 2, 0]);
        balance.fails(2, now, None);
        assert_eq!(indexes(&balance, now), [0, 1]);
        assert_eq!(indexes(&balance, now), [0, 1]);
        // Its pause is over: one request asks it, and others do not wait for that.
        let later = now + SICK_PAUSE_MIN;
        let chosen = balance.choose(later);
        assert_eq!(
            chosen.first(),
            Some(&Choice {
                index: 2,
                was_sick: true
            })
        );
        assert_eq!(balance.choose(later).len(), 2);
        balance.works(2);
        assert!(balance.choose(later).iter().all(|choice| !choice.was_sick));
    }

    #[test]
    fn where_all_are_sick_the_one_that_is_due_first_is_tried() {
        let balance = Balance::new(2);
        let now = Instant::now();
        balance.fails(0, now, Some(SICK_PAUSE_MAX));
        balance.fails(1, now, None);
        assert!(!balance.has_well());
        assert_eq!(
            balance.choose(now),
            [Choice {
                index: 1,
                was_sick: false
            }]
        );
    }
}
