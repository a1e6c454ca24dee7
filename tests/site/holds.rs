//! Holding: all or none, amended in one step, released only by its owner.

use seathold::hold::{BuyerId, Holds, Keys};

use crate::{
    box_office::{BoxOffice, Rules},
    person::APPROVED,
};

#[tokio::test]
async fn a_hold_is_all_of_the_seats_or_none() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    assert_eq!(
        ana.holds(&office, ["A1", "A2"]).await.expect(303).location,
        format!("/events/{}/checkout", office.slug)
    );
    let refused = bo.holds(&office, ["A2", "A3", "B1"]).await.expect(409);
    assert_eq!(refused.texts(".notice--bad li"), ["A2: held by someone"]);
    // The rest is still ticked, and nothing of it is held.
    assert_eq!(
        refused.attributes(".seat__box[checked]", "value"),
        office.ids(["A3", "B1"]).map_strings()
    );
    bo.opens_checkout().await.expect(410);
    ana.holds(&office, ["A1", "A2", "A3", "B1"])
        .await
        .expect(303);
}

trait MapStrings {
    fn map_strings(&self) -> Vec<String>;
}

impl MapStrings for Vec<i64> {
    fn map_strings(&self) -> Vec<String> {
        self.iter().map(ToString::to_string).collect()
    }
}

#[tokio::test]
async fn each_refused_seat_is_named_with_its_reason() {
    let office = BoxOffice::open().await;
    let (ana, bo, cem) = (office.person(), office.person(), office.person());
    ana.holds(&office, ["A1"]).await.expect(303);
    bo.holds(&office, ["A2"]).await.expect(303);
    bo.pays(APPROVED).await.expect(303);
    office
        .run("update seat set blocked_reason = 'camera' where event_id = $1 and name = 'A3'")
        .await;
    let refused = cem
        .holds(&office, ["A1", "A2", "A3", "A4"])
        .await
        .expect(409);
    assert_eq!(
        refused.texts(".notice--bad li"),
        ["A1: held by someone", "A2: sold", "A3: not for sale"]
    );
}

#[tokio::test]
async fn a_form_that_names_no_known_seats_of_the_event_holds_nothing() {
    let (office, other) = (BoxOffice::open().await, BoxOffice::open().await);
    let ana = office.person();
    ana.opens_map().await;
    ana.presses_hold("", &[]).await.expect(422);
    ana.presses_hold("", &[other.seat("A1")]).await.expect(422);
    ana.presses_hold("", &[office.seat("A1"), 0, -5])
        .await
        .expect(422);
    ana.presses_hold("", &[i64::MAX]).await.expect(422);
    ana.opens_checkout().await.expect(410);
}

#[tokio::test]
async fn more_seats_than_the_event_allows_are_refused_also_when_they_add_up() {
    let office = BoxOffice::with(Rules {
        max_seats: 3,
        ..Rules::default()
    })
    .await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2", "A3", "A4"])
        .await
        .expect(422);
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    // From a map that was drawn before the hold: these would be added.
    ana.presses_hold("", &office.ids(["B1", "B2"]))
        .await
        .expect(422);
    assert_eq!(ana.held_seats().await, ["A1", "A2"]);
}

#[tokio::test]
async fn a_browser_without_cookies_holds_nothing_and_is_told_why() {
    let office = BoxOffice::open().await;
    // This browser has never opened the map.
    let refused = office
        .person()
        .presses_hold("", &office.ids(["A1"]))
        .await
        .expect(422);
    assert!(
        refused.text(".notice--bad").contains("cookie"),
        "{}",
        refused.text(".notice--bad")
    );
    office.person().holds(&office, ["A1"]).await.expect(303);
}

#[tokio::test]
async fn the_map_replaces_the_selection_that_it_was_drawn_with() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let first = ana.hold_id().await;
    ana.holds(&office, ["A2", "A3"]).await.expect(303);
    assert_eq!(ana.held_seats().await, ["A2", "A3"]);
    assert_ne!(ana.hold_id().await, first);
    office.person().holds(&office, ["A1"]).await.expect(303);
}

#[tokio::test]
async fn an_old_map_adds_to_the_selection_and_drops_nothing() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let old = ana.hold_id().await;
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    ana.presses_hold(&old, &office.ids(["B5"]))
        .await
        .expect(303);
    assert_eq!(ana.held_seats().await, ["A1", "A2", "B5"]);
}

#[tokio::test]
async fn a_form_with_nothing_ticked_leaves_the_hold_untouched() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let hold = ana.hold_id().await;
    ana.presses_hold(&hold, &[]).await.expect(422);
    assert_eq!(ana.hold_id().await, hold);
}

#[tokio::test]
async fn a_refused_amend_leaves_the_hold_as_it_was() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let hold = ana.hold_id().await;
    bo.holds(&office, ["A3"]).await.expect(303);
    ana.holds(&office, ["A2", "A3"]).await.expect(409);
    assert_eq!(
        (ana.held_seats().await, ana.hold_id().await),
        (vec!["A1".to_owned(), "A2".to_owned()], hold)
    );
}

#[tokio::test]
async fn changing_the_seats_never_moves_the_deadline() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 60,
        hold_cap_seconds: 120,
        ..Rules::default()
    })
    .await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let before = ana.time_left_ms().await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let after = ana.time_left_ms().await;
    assert!(after <= before - 300, "{before} then {after}");
}

#[tokio::test]
async fn nobody_can_release_or_extend_the_hold_of_another() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1"]).await.expect(303);
    let hold = ana.hold_id().await;
    bo.opens_map().await;
    bo.gives_back(&hold, None).await.expect(303);
    bo.extends(&hold, 1).await.expect(410);
    bo.gives_back(&hold, Some(office.seat("A1")))
        .await
        .expect(410);
    assert_eq!(ana.hold_id().await, hold);
    bo.holds(&office, ["A1"]).await.expect(409);
}

#[tokio::test]
async fn a_released_seat_is_free_at_once_and_releasing_again_is_a_success() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, None).await.expect(303);
    ana.gives_back(&hold, None).await.expect(303);
    bo.holds(&office, ["A1", "A2"]).await.expect(303);
}

#[tokio::test]
async fn a_hold_ends_by_itself_and_the_next_one_is_new() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 1,
        hold_cap_seconds: 1,
        ..Rules::default()
    })
    .await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
    ana.opens_checkout().await.expect(410);
    bo.holds(&office, ["A1"]).await.expect(303);
    ana.holds(&office, ["A2"]).await.expect(303);
    assert_eq!(ana.held_seats().await, ["A2"]);
}

#[tokio::test]
async fn every_key_of_a_hold_has_a_time_to_live() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let mut redis = office.redis.get().await.expect("a connection");
    let keys: Vec<String> = deadpool_redis::redis::cmd("KEYS")
        .arg(format!("*{}*", Keys::of(office.event).tag()))
        .query_async(&mut redis)
        .await
        .expect("keys");
    assert_eq!(keys.len(), 5, "{keys:?}");
    for key in keys {
        let ttl: i64 = deadpool_redis::redis::cmd("PTTL")
            .arg(&key)
            .query_async(&mut redis)
            .await
            .expect("a time");
        assert!((1..=600_000).contains(&ttl), "{key}: {ttl}");
    }
}

#[tokio::test]
async fn a_hold_whose_lock_was_lost_is_no_hold_any_more() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let form = ana.payment_form().await;
    let mut redis = office.redis.get().await.expect("a connection");
    let lock = Keys::of(office.event).lock(office.seat("A2"));
    let _: i64 = deadpool_redis::redis::cmd("DEL")
        .arg(lock)
        .query_async(&mut redis)
        .await
        .expect("gone");
    ana.opens_checkout().await.expect(410);
    ana.presses_pay(&form, APPROVED).await.expect(410);
    assert_eq!(office.booked().await, 0);
    // What is left of it does not stand in its own buyer's way.
    ana.holds(&office, ["A1", "B1"]).await.expect(303);
    office.person().holds(&office, ["A2"]).await.expect(303);
    assert_eq!(ana.held_seats().await, ["A1", "B1"]);
}

#[tokio::test]
async fn nothing_is_held_before_sales_open_or_after_they_close() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let far = |text: &str| Some(text.parse().expect("a time"));
    office.sell(far("2036-01-01T09:00:00Z"), None).await;
    let map = ana.opens_map().await.expect(200);
    assert!(
        map.text(".notice").contains("Wed 2 January")
            || map
                .text(".notice")
                .contains("Tue 1 January 2036, 10:00 CET"),
        "{}",
        map.text(".notice")
    );
    ana.holds(&office, ["A1"]).await.expect(409);
    office
        .sell(far("2026-01-01T09:00:00Z"), far("2026-02-01T09:00:00Z"))
        .await;
    let refused = ana.holds(&office, ["A1"]).await.expect(409);
    assert!(
        refused.text(".notice").contains("closed"),
        "{}",
        refused.text(".notice")
    );
    assert_eq!(
        refused
            .attributes(".seat__box:not([disabled])", "value")
            .len(),
        0
    );
}

#[tokio::test]
async fn the_best_seats_are_found_together_and_held_in_one_step() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    ana.opens_map().await;
    ana.finds_best(2, "").await.expect(303);
    assert_eq!(
        ana.held_seats().await,
        ["A5", "A6"],
        "the middle of the front"
    );
    bo.opens_map().await;
    bo.finds_best(3, "back").await.expect(303);
    assert_eq!(bo.held_seats().await.len(), 3);
    assert!(
        bo.held_seats()
            .await
            .iter()
            .all(|seat| seat.starts_with('C'))
    );
    // A wish replaces what one holds; what cannot be had holds nothing and says so.
    ana.finds_best(1, "back").await.expect(303);
    assert_eq!(ana.held_seats().await.len(), 1);
    for (count, category, status) in [(0, "", 422), (9, "", 422), (2, "nowhere", 409)] {
        bo.finds_best(count, category).await.expect(status);
    }
    assert_eq!(bo.held_seats().await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_ask_for_the_best_seats_at_once_get_different_ones() {
    let office = BoxOffice::open().await;
    let people: Vec<_> = (0..16).map(|number| office.person_at(number)).collect();
    let asks = people.iter().map(|person| async {
        person.opens_map().await.expect(200);
        person.finds_best(2, "").await.status
    });
    let statuses = futures_util::future::join_all(asks).await;
    assert!(
        statuses.iter().all(|status| [303, 409].contains(status)),
        "{statuses:?}"
    );
    let mut held = Vec::new();
    for person in &people {
        held.extend(person.held_seats().await);
    }
    let distinct: std::collections::HashSet<_> = held.iter().collect();
    assert_eq!(distinct.len(), held.len(), "{held:?}");
    assert!(held.len() >= 16, "most get theirs: {held:?}");
}

#[tokio::test]
async fn a_hold_that_ends_with_the_cancelling_of_a_seat_leaves_no_lock_that_outlives_it() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2", "A3"]).await.expect(303);
    let hold = ana.hold_id().await;
    // The server that confirmed the sale died before it ended the hold; then one of the seats is cancelled.
    let keys = Keys::of(office.event);
    let mut redis = office.redis.get().await.expect("Redis");
    let buyer: String = deadpool_redis::redis::cmd("HGET")
        .arg(&[keys.hold(&hold).as_str(), "buyer"])
        .query_async(&mut redis)
        .await
        .expect("a buyer");
    let buyer = BuyerId::parse(&buyer).expect("a buyer");
    Holds::new(office.redis.clone())
        .let_go(office.event, &hold, &buyer, &office.ids(["A1"]))
        .await
        .expect("let go");
    for (name, shortest, longest) in [("A1", -2, -2), ("A2", 1, 15_000), ("A3", 1, 15_000)] {
        let ttl_ms: i64 = deadpool_redis::redis::cmd("PTTL")
            .arg(keys.lock(office.seat(name)))
            .query_async(&mut redis)
            .await
            .expect("an answer");
        assert!((shortest..=longest).contains(&ttl_ms), "{name}: {ttl_ms}");
    }
}
