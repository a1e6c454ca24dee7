//! Paying: once, for what was shown, and never for seats that are known to be lost.

use std::time::Duration;

use seathold::payment::{Bounds, State};
use uuid::Uuid;

use crate::{
    box_office::{BoxOffice, Rules},
    person::{ANSWER_LOST, APPROVED, DECLINED, Form, NO_FUNDS, Person, SLOW},
};

async fn with_seats(office: &BoxOffice) -> Person {
    let ana = office.person();
    ana.holds(office, ["A1", "A2"]).await.expect(303);
    ana
}

fn key(form: &Form) -> Uuid {
    form.get("payment").parse().expect("a key")
}

#[tokio::test]
async fn a_paid_hold_becomes_a_booking_with_a_ticket_for_each_seat() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let booked = ana.pays(APPROVED).await.expect(303);
    let page = ana.gets(&booked.location).await.expect(200);
    assert_eq!(page.texts(".ticket__seat"), ["A1", "A2"]);
    assert_eq!(page.attributes("svg.ticket__code path", "d").len(), 2);
    assert!(page.text(".facts").contains("Ana Núñez"));
    assert!(page.text(".facts").contains("€90.00"));
    assert_eq!(page.headers["cache-control"], "no-store");
    assert_eq!(office.booked().await, 2);
    assert_eq!(
        office
            .count("select count(*) from seat_claim where event_id = $1")
            .await,
        0
    );
    assert_eq!(office.count("select count(*) from outbox join booking on booking.id = booking_id where event_id = $1 and kind = 'booking.confirmed'").await, 1);
    // The seats are sold for everyone, and nobody can lock them.
    let bo = office.person();
    let refused = bo.holds(&office, ["A1"]).await.expect(409);
    assert_eq!(refused.texts(".notice--bad li"), ["A1: sold"]);
}

#[tokio::test]
async fn the_booking_page_opens_by_its_token_only() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let booked = ana.pays(APPROVED).await.expect(303);
    let page = ana.gets(&booked.location).await.expect(200);
    // Who has the address has the booking, also in another browser; nothing on the ticket is that key.
    office.person().gets(&booked.location).await.expect(200);
    let reference = page.text(".facts__reference");
    for wrong in [reference, "0".repeat(32), "x".to_owned()] {
        office
            .person()
            .gets(&format!("/bookings/{wrong}"))
            .await
            .expect(404);
    }
    let codes = office.database.get().await.expect("a connection");
    let codes = codes
        .query(
            "select ticket_code from booking_seat where event_id = $1",
            &[&office.event],
        )
        .await
        .expect("codes");
    for code in codes {
        office
            .person()
            .gets(&format!("/bookings/{}", code.get::<_, &str>(0)))
            .await
            .expect(404);
    }
    let calendar = ana
        .gets(&format!("{}/event.ics", booked.location))
        .await
        .expect(200);
    assert!(
        calendar.html.contains("DTSTART:20370131T183000Z"),
        "{}",
        calendar.html
    );
}

#[tokio::test]
async fn a_second_click_on_pay_is_not_a_second_sale() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    let presses = (0..5).map(|_| ana.presses_pay(&form, APPROVED));
    let answers = futures_util::future::join_all(presses).await;
    let first = answers[0].location.clone();
    for answer in answers {
        assert_eq!(
            (answer.expect(303).location, first.starts_with("/bookings/")),
            (first.clone(), true)
        );
    }
    // So do the reload of the answer, and the way back to the checkout.
    assert_eq!(
        ana.presses_pay(&form, APPROVED).await.expect(303).location,
        first
    );
    assert_eq!(ana.opens_checkout().await.expect(303).location, first);
    assert_eq!(office.booked().await, 2);
    let charged = office.simulator.ledger().await.expect("the ledger");
    assert_eq!(
        charged.iter().filter(|row| row.key == key(&form)).count(),
        1
    );
}

#[tokio::test]
async fn two_checkout_tabs_with_two_keys_make_one_booking() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let (one, two) = (ana.payment_form().await, ana.payment_form().await);
    assert_ne!(key(&one), key(&two));
    let (one, two) = tokio::join!(
        ana.presses_pay(&one, APPROVED),
        ana.presses_pay(&two, APPROVED)
    );
    assert_eq!(one.expect(303).location, two.expect(303).location);
    assert_eq!(office.booked().await, 2);
    let payments = office
        .count("select count(*) from payment where event_id = $1")
        .await;
    assert_eq!(payments, 1);
}

#[tokio::test]
async fn a_declined_card_leaves_hold_and_time_and_can_be_tried_again() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let before = ana.time_left_ms().await;
    for (card, words) in [(DECLINED, "declined"), (NO_FUNDS, "funds")] {
        let form = ana.payment_form().await;
        let declined = ana.presses_pay(&form, card).await.expect(402);
        assert!(
            declined.text(".notice--bad").contains(words),
            "{}",
            declined.text(".notice--bad")
        );
        assert_eq!(
            declined.attributes("#name", "value"),
            ["Ana Núñez"],
            "what was typed is kept"
        );
        assert!(
            declined.attributes("#card", "value").is_empty(),
            "but never the card"
        );
        assert_ne!(
            declined.form("/payment").get("payment"),
            form.get("payment"),
            "a new key for a new attempt"
        );
        // The same key and body again: the same answer.
        ana.presses_pay(&form, card).await.expect(402);
    }
    assert_eq!(ana.held_seats().await, ["A1", "A2"]);
    assert!(ana.time_left_ms().await <= before);
    assert_eq!(
        office
            .count("select count(*) from seat_claim where event_id = $1")
            .await,
        0
    );
    ana.pays(APPROVED).await.expect(303);
    assert_eq!(office.booked().await, 2);
}

#[tokio::test]
async fn the_same_key_with_another_body_is_refused_and_gets_a_new_key() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    ana.presses_pay(&form, DECLINED).await.expect(402);
    let again = ana
        .presses_pay(&form.clone().with("name", "Somebody Else"), APPROVED)
        .await
        .expect(422);
    assert_ne!(again.form("/payment").get("payment"), form.get("payment"));
    assert_eq!(again.attributes("#name", "value"), ["Somebody Else"]);
    // One letter is enough, with everything else the same.
    ana.presses_pay(&form.clone().with("name", "Ana Nuñez"), DECLINED)
        .await
        .expect(422);
    ana.presses_pay(&form.clone().with("email", "anna@example.org"), DECLINED)
        .await
        .expect(422);
    assert_eq!(office.booked().await, 0);
}

#[tokio::test]
async fn the_key_of_another_buyer_is_unknown() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (with_seats(&office).await, office.person());
    let form = ana.payment_form().await;
    let booked = ana.presses_pay(&form, APPROVED).await.expect(303);
    bo.holds(&office, ["D1"]).await.expect(303);
    let stolen = bo.payment_form().await.with("payment", form.get("payment"));
    let refused = bo.presses_pay(&stolen, APPROVED).await.expect(422);
    assert!(!refused.html.contains(&booked.location), "it leads nowhere");
    assert_eq!(office.booked().await, 2);
}

#[tokio::test]
async fn a_form_with_mistakes_says_so_beside_the_fields_and_does_not_use_up_its_key() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    let wrong = form
        .clone()
        .with("name", " ")
        .with("email", "ana@")
        .with("expiry", "01/20")
        .with("cvc", "12");
    let refused = ana
        .presses_pay(&wrong, "4242424242424241")
        .await
        .expect(422);
    for field in ["name", "email", "card", "expiry", "cvc"] {
        assert!(refused.has(&format!("#{field}-complaint")), "{field}");
        assert_eq!(
            refused.attributes(&format!("#{field}"), "aria-invalid"),
            ["true"],
            "{field}"
        );
    }
    assert_eq!(refused.attributes("#email", "value"), ["ana@"]);
    assert_eq!(refused.form("/payment").get("payment"), form.get("payment"));
    ana.presses_pay(&form, APPROVED).await.expect(303);
}

#[tokio::test]
async fn a_total_that_is_not_the_price_charges_nothing_and_shows_the_new_price() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    ana.presses_pay(&form.clone().with("total", "1"), APPROVED)
        .await
        .expect(409);
    office
        .run("update category set price_minor = 5000 where event_id = $1 and name = 'front'")
        .await;
    let refused = ana
        .presses_pay(&ana_form(&ana, &form).await, APPROVED)
        .await
        .expect(409);
    assert!(
        refused.text(".notice--bad").contains("€100.00"),
        "{}",
        refused.text(".notice--bad")
    );
    assert_eq!(office.booked().await, 0);
    ana.presses_pay(&refused.form("/payment"), APPROVED)
        .await
        .expect(303);
    assert_eq!(
        office
            .count("select total_minor from booking where event_id = $1")
            .await,
        10_000
    );
}

/// A fresh key with the total that an old page showed.
async fn ana_form(ana: &Person, old: &Form) -> Form {
    ana.payment_form().await.with("total", old.get("total"))
}

#[tokio::test]
async fn a_slow_card_is_waited_for() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let booked = ana.pays(SLOW).await.expect(303);
    ana.gets(&booked.location).await.expect(200);
}

#[tokio::test]
async fn while_a_payment_runs_nothing_else_touches_the_hold() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let (hold, form) = (ana.hold_id().await, ana.payment_form().await);
    let paying = {
        let (ana, form) = (ana.clone(), form.clone());
        tokio::spawn(async move { ana.presses_pay(&form, SLOW).await })
    };
    tokio::time::sleep(Duration::from_millis(800)).await;
    let amend = ana
        .presses_hold(&hold, &office.ids(["B1"]))
        .await
        .expect(409);
    let link = amend.attributes(".notice--bad a", "href");
    assert_eq!(link.len(), 1, "it links to the payment");
    for answer in [
        ana.gives_back(&hold, None).await,
        ana.gives_back(&hold, Some(office.seat("A1"))).await,
        ana.extends(&hold, 1).await,
        ana.opens_checkout().await,
    ] {
        assert_eq!(answer.expect(303).location, link[0]);
    }
    ana.gets(&link[0]).await.expect(202);
    let refused = office.person().holds(&office, ["A1"]).await.expect(409);
    assert_eq!(
        refused.texts(".notice--bad li"),
        ["A1: held by someone"],
        "claimed looks like held"
    );
    let booked = paying.await.expect("paid").expect(303);
    assert_eq!(booked.location, link[0]);
    assert_eq!(
        ana.gets(&link[0]).await.expect(200).texts(".ticket__seat"),
        ["A1", "A2"]
    );
}

#[tokio::test]
async fn a_mark_of_a_payment_that_nobody_knows_does_not_bind() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let hold = ana.hold_id().await;
    let buyer = office.count("select 1::bigint where $1::bigint > 0").await;
    assert_eq!(buyer, 1);
    // A server died between the mark and the claim.
    let mut redis = office.redis.get().await.expect("a connection");
    let key = seathold::hold::Keys::of(office.event).hold(&hold);
    let _: i64 = deadpool_redis::redis::cmd("HSET")
        .arg(key)
        .arg(&["state", "paying", "payment", &Uuid::new_v4().to_string()])
        .query_async(&mut redis)
        .await
        .expect("marked");
    ana.opens_checkout().await.expect(200);
    ana.holds(&office, ["A1"]).await.expect(303);
    ana.pays(APPROVED).await.expect(303);
    assert_eq!(office.booked().await, 1);
}

#[tokio::test]
async fn a_hold_that_ended_before_pay_is_not_charged() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 1,
        hold_cap_seconds: 1,
        ..Rules::default()
    })
    .await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    tokio::time::sleep(Duration::from_millis(1200)).await;
    ana.presses_pay(&form, APPROVED).await.expect(410);
    assert_eq!(
        office
            .count("select count(*) from payment where event_id = $1")
            .await,
        0
    );
    assert!(
        office
            .simulator
            .ledger()
            .await
            .expect("the ledger")
            .iter()
            .all(|row| row.key != key(&form))
    );
}

#[tokio::test]
async fn pressing_pay_in_the_last_second_grants_one_grace() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 2,
        hold_cap_seconds: 2,
        ..Rules::default()
    })
    .await;
    let ana = with_seats(&office).await;
    ana.pays(DECLINED).await.expect(402);
    let left = ana.time_left_ms().await;
    assert!((55_000..=60_000).contains(&left), "{left}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    ana.pays(DECLINED).await.expect(402);
    assert!(
        ana.time_left_ms().await <= left - 300,
        "the grace is given once"
    );
}

#[tokio::test]
async fn the_claim_wins_when_the_hold_ends_between_pay_and_confirm() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    let paying = {
        let ana = ana.clone();
        tokio::spawn(async move { ana.presses_pay(&form, SLOW).await })
    };
    tokio::time::sleep(Duration::from_millis(800)).await;
    // Redis forgets all of this event's holds while the provider is asked.
    let mut redis = office.redis.get().await.expect("a connection");
    let tag = seathold::hold::Keys::of(office.event).tag().to_owned();
    let keys: Vec<String> = deadpool_redis::redis::cmd("KEYS")
        .arg(format!("*{tag}*"))
        .query_async(&mut redis)
        .await
        .expect("keys");
    let _: i64 = deadpool_redis::redis::cmd("DEL")
        .arg(keys)
        .query_async(&mut redis)
        .await
        .expect("gone");
    office.person().holds(&office, ["A1"]).await.expect(409);
    let booked = paying.await.expect("paid").expect(303);
    ana.gets(&booked.location).await.expect(200);
    assert_eq!(office.booked().await, 2);
}

#[tokio::test]
async fn a_lost_answer_is_checked_and_then_confirmed() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let checking = ana.pays(ANSWER_LOST).await.expect(303);
    let page = ana.gets(&checking.location).await.expect(202);
    assert!(page.text("main").contains("do not pay again"));
    assert!(
        page.html.contains("http-equiv=\"refresh\""),
        "it moves on by itself"
    );
    office
        .run("update payment set next_try_at = now() where event_id = $1")
        .await;
    settle(&office, &ana, &checking.location, 200).await;
    assert_eq!(office.booked().await, 2);
}

/// Waits until the settle loop has brought the booking's page to this status.
async fn settle(office: &BoxOffice, ana: &Person, page: &str, status: u16) {
    let end = tokio::time::Instant::now() + Bounds::default().settle_after * 3;
    while ana.gets(page).await.status != status {
        assert!(tokio::time::Instant::now() < end, "still unsettled");
        office.cashier.recover_due().await.expect("settled");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_payment_that_the_provider_never_saw_is_voided_and_its_seats_are_free() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    // The server died after the claim: the row is there, the provider was not asked.
    let booked = ana.presses_pay(&form, DECLINED).await.expect(402);
    drop(booked);
    let crashed = Uuid::new_v4();
    let client = office.database.get().await.expect("a connection");
    client
        .batch_execute(&format!(
            "insert into payment (id, event_id, hold_id, buyer_id, amount_minor, currency, name, email, card_last4,
                                  card_expiry, token)
             select '{crashed}', event_id, hold_id || 'x', buyer_id, amount_minor, currency, name, email, card_last4,
                    card_expiry, md5('{crashed}')
               from payment where id = '{key}';
             insert into payment_seat select '{crashed}', event_id, seat_id, price_minor from payment_seat
              where payment_id = '{key}';
             insert into seat_claim (event_id, seat_id, payment_id)
             select event_id, seat_id, '{crashed}' from payment_seat where payment_id = '{key}'",
            key = key(&form)
        ))
        .await
        .expect("as a crash leaves it");
    let token = office
        .payments
        .by_id(crashed)
        .await
        .expect("an answer")
        .expect("there")
        .token;
    let page = format!("/bookings/{token}");
    settle(&office, &ana, &page, 200).await;
    assert_eq!(
        office
            .payments
            .by_id(crashed)
            .await
            .expect("an answer")
            .expect("there")
            .state,
        State::Voided
    );
    assert_eq!(
        office
            .count("select count(*) from seat_claim where event_id = $1")
            .await,
        0
    );
    let seen = office.simulator.ledger().await.expect("the ledger");
    assert!(
        seen.iter()
            .any(|row| row.key == crashed && row.state == "voided"),
        "the provider was told never to charge it"
    );
    assert!(ana.gets(&page).await.text("main").contains("not charged"));
    ana.pays(APPROVED).await.expect(303);
    assert_eq!(office.booked().await, 2);
}

#[tokio::test]
async fn seats_that_were_lost_after_a_capture_send_the_money_back() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let checking = ana.pays(ANSWER_LOST).await.expect(303);
    // Nobody can do this by the rules; a repair by hand could.
    office
        .run("update seat set blocked_reason = 'collapsed' where event_id = $1 and name = 'A2'")
        .await;
    office
        .run("update payment set next_try_at = now() where event_id = $1")
        .await;
    settle(&office, &ana, &checking.location, 200).await;
    office
        .run("update payment set next_try_at = now() where event_id = $1")
        .await;
    office.cashier.recover_due().await.expect("settled");
    let page = ana.gets(&checking.location).await.expect(200);
    assert!(
        page.text("main").contains("€90.00"),
        "{}",
        page.text("main")
    );
    let end = tokio::time::Instant::now() + Bounds::default().settle_after;
    while office
        .count("select count(*) from payment where event_id = $1 and state = 'refunded'")
        .await
        == 0
    {
        assert!(tokio::time::Instant::now() < end, "still not refunded");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(office.booked().await, 0);
    assert_eq!(
        office
            .count("select count(*) from seat_claim where event_id = $1")
            .await,
        0
    );
}

#[tokio::test]
async fn sales_that_close_between_hold_and_pay_charge_nothing() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    office.events.close(&office.slug).await.expect("closed");
    ana.presses_pay(&form, APPROVED).await.expect(409);
    assert_eq!(
        office
            .count("select count(*) from payment where event_id = $1")
            .await,
        0
    );
}

#[tokio::test]
async fn a_seat_that_was_blocked_while_held_cannot_be_paid_for() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    let form = ana.payment_form().await;
    office
        .run("update seat set blocked_reason = 'broken' where event_id = $1 and name = 'A2'")
        .await;
    ana.presses_pay(&form, APPROVED).await.expect(409);
    assert!(
        office
            .simulator
            .ledger()
            .await
            .expect("the ledger")
            .iter()
            .all(|row| row.key != key(&form))
    );
    assert_eq!(office.booked().await, 0);
}

#[tokio::test]
async fn a_database_error_in_the_middle_of_confirm_leaves_all_or_nothing_and_is_settled() {
    let office = BoxOffice::open().await;
    let ana = with_seats(&office).await;
    // The statement after the seats were sold fails for this event only.
    let client = office.database.get().await.expect("a connection");
    let event = office.event;
    client
        .batch_execute(&format!(
            "create function fail_{event}() returns trigger language plpgsql as $$
             begin raise exception 'disk full' using errcode = '53100'; end $$;
             create trigger fail_{event} before insert on booking for each row when (new.event_id = {event})
             execute function fail_{event}()"
        ))
        .await
        .expect("a trap");
    let checking = ana.pays(APPROVED).await.expect(303);
    ana.gets(&checking.location).await.expect(202);
    assert_eq!(
        office
            .count("select count(*) from seat where event_id = $1 and status = 'booked'")
            .await,
        0
    );
    assert_eq!(
        office
            .count("select count(*) from seat_claim where event_id = $1")
            .await,
        2
    );
    client
        .batch_execute(&format!("drop function fail_{event} cascade"))
        .await
        .expect("gone");
    office
        .run("update payment set next_try_at = now() where event_id = $1")
        .await;
    settle(&office, &ana, &checking.location, 200).await;
    assert_eq!(office.booked().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_buyers_with_one_key_neither_sees_the_page_of_the_other() {
    for _ in 0..8 {
        let office = BoxOffice::open().await;
        let (ana, bo) = (office.person_at(0), office.person_at(1));
        ana.holds(&office, ["A1", "A2"]).await.expect(303);
        bo.holds(&office, ["D1"]).await.expect(303);
        let mine = ana.payment_form().await;
        let stolen = bo.payment_form().await.with("payment", mine.get("payment"));
        let (one, two) = tokio::join!(
            ana.presses_pay(&mine, APPROVED),
            bo.presses_pay(&stolen, APPROVED)
        );
        let mut statuses = [one.status, two.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [303, 422]);
        // Whoever was refused still has the seats, and pays for them with a key of their own.
        let (loser, seats) = if one.status == 422 {
            (&ana, 2)
        } else {
            (&bo, 1)
        };
        assert_eq!(loser.held_seats().await.len(), seats);
        loser.pays(APPROVED).await.expect(303);
        assert_eq!(office.booked().await, 3);
    }
}
