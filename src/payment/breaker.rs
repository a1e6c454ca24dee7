//! The circuit breaker: after several failures in a row, the provider is left alone for a while, so that nobody waits for
//! what will not come, and a neighbour that is ill can get well.
//!
//! The invariant: while it is open no call goes out; when its pause is over, one call at a time tries, and the first that
//! succeeds closes it. (Nygard, *Release It!*, "Circuit Breaker".)

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// So many failures in a row open it.
const FAILURES: u32 = 5;

/// How long it stays open at first; each trial that fails doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(5);

/// How long it stays open at most.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How long a trial may take: one that never ends lets another in after this.
const TRIAL: Duration = Duration::from_secs(10);

/// Stands before every call to the provider.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    pause: Duration,
    until: Instant,
    /// Whether a trial is under way.
    trial: bool,
}

impl Breaker {
    /// Whether a call made now would go out.
    pub(super) fn would_allow(&self, now: Instant) -> bool {
        self.state()
            .open
            .as_ref()
            .is_none_or(|open| open.until <= now)
    }

    /// Whether this call may go out. After a pause, only one may: the trial.
    pub(super) fn allows(&self, now: Instant) -> bool {
        match &mut self.state().open {
            None => true,
            Some(open) if open.until <= now => {
                open.until = now + TRIAL;
                open.trial = true;
                true
            }
            Some(_) => false,
        }
    }

    /// A call was answered; true when this closes the breaker.
    pub(super) fn succeeded(&self) -> bool {
        let mut state = self.state();
        state.failures = 0;
        state.open.take().is_some()
    }

    /// A call came to nothing; the pause, when this opens the breaker.
    pub(super) fn failed(&self, now: Instant) -> Option<Duration> {
        let mut state = self.state();
        state.failures = state.failures.saturating_add(1);
        let pause = match &state.open {
            Some(open) if open.trial => (open.pause * 2).min(LONGEST_PAUSE),
            // It was under way when the breaker opened, and says nothing new.
            Some(_) => return None,
            None if state.failures < FAILURES => return None,
            None => FIRST_PAUSE,
        };
        state.open = Some(Open {
            pause,
            until: now + pause,
            trial: false,
        });
        Some(pause)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(breaker: &Breaker, now: Instant) {
        for _ in 1..FAILURES {
            assert!(breaker.allows(now));
            assert_eq!(breaker.failed(now), None);
        }
        assert_eq!(breaker.failed(now), Some(FIRST_PAUSE));
    }

    #[test]
    fn some_failures_in_a_row_open_it_and_a_success_between_them_does_not() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        for _ in 1..FAILURES {
            breaker.failed(now);
        }
        assert!(!breaker.succeeded());
        opened(&breaker, now);
        assert!(!breaker.allows(now) && !breaker.would_allow(now));
    }

    #[test]
    fn after_the_pause_one_call_tries_and_its_success_closes_it() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        opened(&breaker, now);
        let later = now + FIRST_PAUSE;
        assert!(breaker.would_allow(later));
        assert!(breaker.allows(later));
        assert!(!breaker.allows(later), "one trial at a time");
        assert!(breaker.succeeded());
        assert!(breaker.allows(later) && breaker.allows(later));
    }

    #[test]
    fn each_trial_that_fails_doubles_the_pause_up_to_a_minute() {
        let (breaker, mut now) = (Breaker::default(), Instant::now());
        opened(&breaker, now);
        // What was under way when it opened does not make it longer.
        assert_eq!(breaker.failed(now), None);
        let mut pauses = vec![FIRST_PAUSE];
        for _ in 0..5 {
            now += *pauses.last().expect("one");
            assert!(breaker.allows(now));
            pauses.extend(breaker.failed(now));
        }
        let seconds: Vec<_> = pauses.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [5, 10, 20, 40, 60, 60]);
    }

    #[test]
    fn a_trial_that_never_ends_lets_another_in() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        opened(&breaker, now);
        let later = now + FIRST_PAUSE;
        assert!(breaker.allows(later));
        assert!(!breaker.allows(later + TRIAL / 2));
        assert!(breaker.allows(later + TRIAL));
    }
}
