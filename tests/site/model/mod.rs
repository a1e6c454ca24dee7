//! The money protocol as a model, checked against every interleaving: hold, claim, charge, confirm, recover, refund, cancel.
//!
//! The invariant: what the model does, the code does, step for step; `effects` and `steps` name the files. Everybody may die
//! between any two steps, and every answer may come late or never.
//!
//! Left out: blocking by staff, prices that change, amending and extending a hold (an extension only moves an expiry, and
//! expiries may come at any time here), and the outbox. Trusted: a provider that declines and then charges after all does so
//! before it is asked once more, two minutes later.

mod books;
mod effects;
mod happenings;
mod promises;
mod provider;
mod redis;
mod rules;
mod scenarios;
mod sights;
mod state;
mod steps;

use std::{collections::BTreeSet, ops::Range, time::Instant};

use stateright::{Checker, Expectation, HasDiscoveries, Model, Path};

use promises::{
    BALANCE, CLAIMED_SEAT_IS_SAFE, NO_BOOKING_AND_REFUND, NO_MORE_BACK, ONE_BOOKING, ONE_CAPTURE,
    RECOVERY_SETTLES, WHOLE_BOOKING, WHOLE_HOLD,
};
use rules::{PROTOCOL, Rules};
use scenarios::{LATE_CAPTURE, LOST_ANSWERS, QUICK, RIVALS, Scenario, TWO_WORKERS};
use state::{PARTIES, Seats, State};

/// A box office with two buyers who both want the seat in the middle.
#[derive(Clone, Copy, Debug)]
struct BoxOffice {
    rules: Rules,
    scenario: Scenario,
}

impl BoxOffice {
    fn keys(&self) -> Range<usize> {
        0..self.scenario.keys.len()
    }

    fn buyer(&self, key: usize) -> usize {
        self.scenario.keys[key]
    }

    fn party(&self, key: usize) -> Seats {
        PARTIES[self.buyer(key)]
    }

    fn locked(&self, state: &State) -> Seats {
        state.locked(self.scenario.keys)
    }
}

#[test]
fn the_protocol_keeps_every_promise() {
    QUICK.into_iter().for_each(keeps_every_promise);
}

/// Looks at every state of the scenario.
fn keeps_every_promise(scenario: Scenario) {
    let begun = Instant::now();
    let office = BoxOffice {
        rules: PROTOCOL,
        scenario,
    };
    let checker = office
        .checker()
        .threads(2)
        .finish_when(HasDiscoveries::AnyFailures)
        .spawn_bfs()
        .join();
    println!(
        "{}: {} states in {:.1?}",
        scenario.name,
        checker.unique_state_count(),
        begun.elapsed()
    );
    for property in office.properties() {
        let found = checker.discovery(property.name);
        let (at, name) = (scenario.name, property.name);
        if property.expectation == Expectation::Sometimes {
            assert!(found.is_some(), "{at}: never {name}");
        } else {
            let told = found.map(Path::into_actions);
            assert!(told.is_none(), "{at}: not {name}: {told:#?}");
        }
    }
}

#[test]
fn each_guard_is_needed() {
    type TakeAway = fn(&mut Rules);
    let guards: [(TakeAway, Scenario, &str); 12] = [
        (
            |without| without.postgres_decides = false,
            RIVALS,
            ONE_BOOKING,
        ),
        (
            |without| without.rows_are_counted = false,
            RIVALS,
            WHOLE_BOOKING,
        ),
        (
            |without| without.intent_first = false,
            LOST_ANSWERS,
            BALANCE,
        ),
        (
            |without| without.compare_and_set = false,
            TWO_WORKERS,
            NO_BOOKING_AND_REFUND,
        ),
        (
            |without| without.charges_have_keys = false,
            LOST_ANSWERS,
            ONE_CAPTURE,
        ),
        (
            |without| without.refunds_have_keys = false,
            TWO_WORKERS,
            NO_MORE_BACK,
        ),
        (
            |without| without.release_compares = false,
            RIVALS,
            WHOLE_HOLD,
        ),
        (|without| without.void_first = false, LOST_ANSWERS, BALANCE),
        (|without| without.look_again = false, LATE_CAPTURE, BALANCE),
        (
            |without| without.lock_first = false,
            RIVALS,
            CLAIMED_SEAT_IS_SAFE,
        ),
        (
            |without| without.claims_stay = false,
            RIVALS,
            CLAIMED_SEAT_IS_SAFE,
        ),
        (
            |without| without.captured_is_recovered = false,
            RIVALS,
            RECOVERY_SETTLES,
        ),
    ];
    for (take_away, scenario, promise) in guards {
        let mut rules = PROTOCOL;
        take_away(&mut rules);
        breaks(rules, scenario, promise);
    }
}

/// Without one of its guards the protocol breaks this promise.
fn breaks(rules: Rules, scenario: Scenario, promise: &'static str) {
    let checker = BoxOffice { rules, scenario }
        .checker()
        .threads(2)
        .finish_when(HasDiscoveries::AnyOf(BTreeSet::from([promise])))
        .spawn_bfs()
        .join();
    let found = checker.discovery(promise);
    let found = found.unwrap_or_else(|| panic!("still {promise}: {rules:?}"));
    println!("not {promise}: {:?}", found.into_actions());
}

mod slow {
    use super::{keeps_every_promise, scenarios::SLOW};

    #[test]
    fn the_protocol_keeps_every_promise_when_more_goes_wrong() {
        SLOW.into_iter().for_each(keeps_every_promise);
    }
}
