//! Cancelling: seats of a booking go on sale again at once, and their price goes back once.

use seathold::event::{Cancelling, Changes, Write};

use crate::{
    box_office::BoxOffice,
    person::{Answer, Person},
    staff::clerk,
};

const REFUNDS: &str = "
    select count(*) from refund join payment on payment.id = payment_id where event_id = $1";

const RETURNED: &str = "
    select coalesce(sum(refund.amount_minor), 0)::bigint
      from refund join payment on payment.id = payment_id where event_id = $1";

/// How many messages of this kind tell of the event's bookings.
async fn messages(office: &BoxOffice, kind: &str) -> i64 {
    let sql = format!(
        "select count(*) from outbox join booking on booking.id = booking_id
          where event_id = $1 and kind = '{kind}'"
    );
    office.count(&sql).await
}

/// The codes of the live tickets by seat name, in reading order.
async fn codes(office: &BoxOffice) -> Vec<(String, String)> {
    let client = office.database.get().await.expect("a connection");
    let sql = "select seat.name, ticket_code from booking_seat join seat on seat.id = seat_id
                where seat.event_id = $1 and cancelled_at is null order by seat.position";
    let rows = client.query(sql, &[&office.event]).await.expect("codes");
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

fn reference(page: &Answer) -> String {
    page.text(".facts__reference")
}

#[tokio::test]
async fn one_seat_of_three_is_cancelled_and_the_other_tickets_stay_as_they_were() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let booking = ana.books(&office, ["A1", "A2", "C1"]).await;
    let before = codes(&office).await;
    let page = ana.gets(&booking).await.expect(200);
    assert_eq!(page.texts(".cancel .tick strong"), ["A1", "A2", "C1"]);
    assert!(!page.has(".cancel input[checked]"), "nothing is ticked");
    let until = page.text(".cancel__until");
    assert!(
        until.contains("You can cancel until Fri 30 January 2037, 19:30 CET."),
        "{until}"
    );

    let asked = ana.asks_to_cancel(&booking, &[office.seat("A2")]).await;
    let asked = asked.expect(200);
    let said = asked.text("main");
    for words in ["A2", "front, Row A, seat 2", "€45.00", "4242", "A1, C1"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(
        asked.text("button[type=submit]"),
        "Cancel 1 seat and return €45.00"
    );
    assert_eq!(office.booked().await, 3, "asking changes nothing");
    let done = ana
        .presses_cancel(&booking, &asked.form("/cancel"))
        .await
        .expect(303);
    assert_eq!(done.location, booking);

    let page = ana.gets(&booking).await.expect(200);
    assert_eq!(page.texts(".ticket__seat"), ["A1", "C1"]);
    let cancelled = page.text(".cancelled");
    for words in ["A2", "cancelled on", "€45.00 is on its way back", "4242"] {
        assert!(cancelled.contains(words), "{words}: {cancelled}");
    }
    let kept: Vec<_> = before
        .into_iter()
        .filter(|(seat, _)| seat != "A2")
        .collect();
    assert_eq!(codes(&office).await, kept);
    assert_eq!(office.count(RETURNED).await, 4500);
    assert_eq!(messages(&office, "seats.cancelled").await, 1);
    assert_eq!(messages(&office, "booking.cancelled").await, 0);
    let state = "select count(*) from payment where event_id = $1 and state = 'booked'";
    assert_eq!(office.count(state).await, 1, "the payment stays booked");
    let calendar = ana.gets(&format!("{booking}/event.ics")).await.expect(200);
    assert!(
        !calendar.html.contains("seat 2"),
        "no place in the calendar for what was given back: {}",
        calendar.html
    );
}

#[tokio::test]
async fn a_cancelled_seat_is_on_sale_at_once_and_its_next_ticket_has_another_code() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person_at(1));
    let booking = ana.books(&office, ["A1", "A2"]).await;
    let old = codes(&office).await;
    ana.cancels(&booking, &[office.seat("A1")])
        .await
        .expect(303);
    let map = bo.opens_map().await.expect(200);
    let spoken = map.attributes(".seat__box", "aria-label");
    assert_eq!(spoken[0], "Row A, seat 1, front, €45.00, available");
    assert_eq!(spoken[1], "Row A, seat 2, front, €45.00, sold");
    let others = bo.books(&office, ["A1"]).await;
    assert_ne!(codes(&office).await[0].1, old[0].1);
    assert_eq!(ana.gets(&booking).await.texts(".ticket__seat"), ["A2"]);
    assert_eq!(bo.gets(&others).await.texts(".ticket__seat"), ["A1"]);
}

#[tokio::test]
async fn a_seat_is_booked_cancelled_booked_and_cancelled_with_one_message_each() {
    let office = BoxOffice::open().await;
    for round in 1..=3 {
        let somebody = office.person();
        let booking = somebody.books(&office, ["A1"]).await;
        assert_eq!(messages(&office, "booking.confirmed").await, round);
        assert_eq!(messages(&office, "booking.cancelled").await, round - 1);
        somebody.cancels(&booking, &[]).await.expect(303);
        assert_eq!(messages(&office, "booking.cancelled").await, round);
        assert_eq!(messages(&office, "seats.cancelled").await, 0);
        assert_eq!(office.count(REFUNDS).await, round);
        assert_eq!(office.booked().await, 0);
    }
    let payloads = "select count(*) from outbox join booking on booking.id = booking_id
                     where event_id = $1 and kind = 'booking.cancelled'
                       and payload - array['booking', 'event', 'seats', 'returned_minor', 'currency'] = '{}'
                       and payload ->> 'returned_minor' = '4500' and payload ->> 'currency' = 'EUR'";
    assert_eq!(office.count(payloads).await, 3, "and nothing else in them");
}

#[tokio::test]
async fn a_second_click_on_cancel_is_not_a_second_refund() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    let booking = ana.books(&office, ["A1", "A2"]).await;
    let asked = ana.asks_to_cancel(&booking, &[office.seat("A1")]).await;
    let form = asked.expect(200).form("/cancel");
    for _ in 0..3 {
        let done = ana.presses_cancel(&booking, &form).await.expect(303);
        assert_eq!(done.location, booking);
    }
    assert_eq!(office.count(REFUNDS).await, 1);
    assert_eq!(messages(&office, "seats.cancelled").await, 1);
    // Also when the seat is somebody else's by now.
    bo.books(&office, ["A1"]).await;
    ana.presses_cancel(&booking, &form).await.expect(303);
    assert_eq!(office.booked().await, 2);
    assert_eq!(office.count(REFUNDS).await, 1);
    let asked = ana.asks_to_cancel(&booking, &[office.seat("A1")]).await;
    assert_eq!(asked.expect(303).location, booking);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_that_cancel_the_same_seats_at_once_make_one_refund() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let other_tab = ana.at(&office.bases[1]);
    for round in 1..=8 {
        let booking = ana.books(&office, ["A1", "A2"]).await;
        let asked = ana.asks_to_cancel(&booking, &[]).await.expect(200);
        let form = asked.form("/cancel");
        let (one, two) = tokio::join!(
            ana.presses_cancel(&booking, &form),
            other_tab.presses_cancel(&booking, &form)
        );
        assert_eq!((one.status, two.status), (303, 303));
        assert_eq!(office.count(REFUNDS).await, round);
        assert_eq!(messages(&office, "booking.cancelled").await, round);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_that_cancel_different_seats_at_once_tell_once_that_nothing_is_left() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let other_tab = ana.at(&office.bases[1]);
    for round in 1..=8 {
        let booking = ana.books(&office, ["A1", "A2"]).await;
        let first = ana.asks_to_cancel(&booking, &[office.seat("A1")]).await;
        let second = ana.asks_to_cancel(&booking, &[office.seat("A2")]).await;
        let (first, second) = (first.form("/cancel"), second.form("/cancel"));
        let (one, two) = tokio::join!(
            ana.presses_cancel(&booking, &first),
            other_tab.presses_cancel(&booking, &second)
        );
        assert_eq!((one.status, two.status), (303, 303));
        assert_eq!(office.booked().await, 0);
        assert_eq!(messages(&office, "seats.cancelled").await, round);
        assert_eq!(messages(&office, "booking.cancelled").await, round);
    }
}

#[tokio::test]
async fn a_wholly_cancelled_booking_has_a_face_of_its_own_without_tickets() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let booking = ana.books(&office, ["A1", "A2"]).await;
    let asked = ana.asks_to_cancel(&booking, &[]).await.expect(200);
    assert_eq!(asked.text("h1"), "Cancel the whole booking?");
    ana.presses_cancel(&booking, &asked.form("/cancel"))
        .await
        .expect(303);
    let page = ana.gets(&booking).await.expect(200);
    assert_eq!(page.text("h1"), "Your booking is cancelled");
    for gone in [
        ".ticket",
        "svg.ticket__code",
        "[data-print]",
        "a[href$='.ics']",
        "form[action$='/cancel']",
    ] {
        assert!(!page.has(gone), "{gone}");
    }
    assert!(page.text(".cancelled").contains("€90.00 is on its way"));
    assert!(reference(&page).len() == 8);
    let calendar = ana.gets(&format!("{booking}/event.ics")).await.expect(404);
    assert!(
        calendar.has(".message__id"),
        "the page of what is not there"
    );
    assert_eq!(
        ana.asks_to_cancel(&booking, &[]).await.expect(303).location,
        booking
    );
}

#[tokio::test]
async fn the_page_tells_how_far_the_money_is() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let booking = ana.books(&office, ["A1", "A2"]).await;
    ana.cancels(&booking, &[office.seat("A1")])
        .await
        .expect(303);
    let of_event = "where payment_id in (select id from payment where event_id = $1)";
    for (change, words) in [
        (
            "attempts = 2",
            "on its way back to your card (ends in 4242).",
        ),
        ("attempts = 3", "taking longer than usual; we keep trying"),
        (
            "state = 'done', done_at = '2036-12-24T12:00:00Z'",
            "was returned on Wed 24 December 2036, 13:00 CET to your card (ends in 4242).",
        ),
    ] {
        office
            .run(&format!("update refund set {change} {of_event}"))
            .await;
        let said = ana
            .gets(&booking)
            .await
            .expect(200)
            .text(".cancelled__refund");
        assert!(said.contains("€45.00") && said.contains(words), "{said}");
    }
}

#[tokio::test]
async fn the_page_of_lost_seats_tells_how_far_the_money_is() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let booking = ana.pays(crate::person::DECLINED).await.expect(402);
    assert!(!booking.has(".ticket"));
    office
        .run("update payment set state = 'refunding' where event_id = $1")
        .await;
    let client = office.database.get().await.expect("a connection");
    let token = "select token from payment where event_id = $1";
    let row = client
        .query_one(token, &[&office.event])
        .await
        .expect("one");
    let page = format!("/bookings/{}", row.get::<_, &str>(0));
    let told = |answer: Answer| format!("{}: {}", answer.text("h1"), answer.text(".message p"));
    let said = told(ana.gets(&page).await.expect(200));
    assert!(said.contains("Nothing was charged"), "{said}");
    office
        .run("insert into refund (id, payment_id, amount_minor, reason) select id, id, 4500, 'x' from payment where event_id = $1")
        .await;
    let said = told(ana.gets(&page).await.expect(200));
    assert!(
        said.contains("on its way back") && said.contains("€45.00 goes back"),
        "{said}"
    );
    office
        .run("update refund set attempts = 3 where payment_id in (select id from payment where event_id = $1)")
        .await;
    let said = told(ana.gets(&page).await.expect(200));
    assert!(said.contains("longer than usual"), "{said}");
    office
        .run("update refund set state = 'done', done_at = now() where payment_id in (select id from payment where event_id = $1)")
        .await;
    let said = told(ana.gets(&page).await.expect(200));
    assert!(
        said.contains("was returned") && said.contains("€45.00 went back"),
        "{said}"
    );
    // What never became a booking cannot be cancelled.
    ana.asks_to_cancel(&page, &[]).await.expect(404);
}

#[tokio::test]
async fn after_the_cut_off_only_the_box_office_cancels() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    let booking = ana.books(&office, ["A1", "A2", "A3"]).await;
    let start = "update event set starts_at = now() + interval '24 hours' + interval '1 minute' * ";
    office.run(&format!("{start} 1 where id = $1")).await;
    let clicked = ana.asks_to_cancel(&booking, &[office.seat("A3")]).await;
    let clicked = clicked.expect(200).form("/cancel");
    ana.presses_cancel(&booking, &clicked).await.expect(303);
    let form = ana.asks_to_cancel(&booking, &[]).await.expect(200);
    let form = form.form("/cancel");
    office.run(&format!("{start} -1 where id = $1")).await;

    let page = ana.gets(&booking).await.expect(200);
    assert!(!page.has("form[action$='/cancel']"));
    let why = page.text(".cancel");
    assert!(why.contains("Seats could be cancelled until"), "{why}");
    ana.asks_to_cancel(&booking, &[]).await.expect(409);
    let refused = ana.presses_cancel(&booking, &form).await.expect(409);
    let why = refused.text("main");
    assert!(
        why.contains("Nothing was cancelled") && why.contains("until"),
        "{why}"
    );
    // A click that comes twice, the second one too late, was a success all the same.
    ana.presses_cancel(&booking, &clicked).await.expect(303);
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (2, 1));

    let done = staff_cancels(&clerk, &reference(&page), &[office.seat("A1")], "ill").await;
    done.expect(303);
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (1, 2));
}

#[tokio::test]
async fn an_event_that_takes_no_seats_back_says_so() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let booking = ana.books(&office, ["A1"]).await;
    let form = ana.asks_to_cancel(&booking, &[]).await.expect(200);
    let form = form.form("/cancel");
    let off = Changes {
        cancelling: Some(Cancelling::Off),
        ..Changes::default()
    };
    office
        .events
        .set(&office.slug, &off, Write::ForGood)
        .await
        .expect("changed");
    let page = ana.gets(&booking).await.expect(200);
    assert!(!page.has("form[action$='/cancel']"));
    assert!(page.text(".cancel").contains("cannot be cancelled"));
    let refused = ana.presses_cancel(&booking, &form).await.expect(409);
    assert!(refused.text("main").contains("cannot be cancelled"));
    assert_eq!(office.booked().await, 1);
}

#[tokio::test]
async fn a_photographed_ticket_cancels_nobody() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    let booking = ana.books(&office, ["A1", "A2"]).await;
    let others = bo.books(&office, ["B1"]).await;
    let form = bo.asks_to_cancel(&others, &[]).await.expect(200);
    let form = form.form("/cancel");
    let mut seen = vec![reference(&ana.gets(&booking).await)];
    seen.extend(codes(&office).await.into_iter().map(|(_, code)| code));
    for key in seen {
        let address = format!("/bookings/{key}");
        bo.asks_to_cancel(&address, &[]).await.expect(404);
        bo.presses_cancel(&address, &form).await.expect(404);
    }
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (3, 0));
}

#[tokio::test]
async fn a_cancel_form_needs_the_token_of_its_own_booking() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    let booking = ana.books(&office, ["A1"]).await;
    let others = bo.books(&office, ["A2"]).await;
    let form = ana.asks_to_cancel(&booking, &[]).await.form("/cancel");
    let foreign = bo.asks_to_cancel(&others, &[]).await.form("/cancel");
    for token in ["", "0000", foreign.get("token")] {
        let form = form.clone().with("token", token);
        ana.presses_cancel(&booking, &form).await.expect(403);
    }
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (2, 0));
}

#[tokio::test]
async fn seats_of_another_booking_are_not_cancelled_by_this_one() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    let booking = ana.books(&office, ["A1", "A2"]).await;
    bo.books(&office, ["B1"]).await;
    let asked = ana.asks_to_cancel(&booking, &[office.seat("A1")]).await;
    let form = asked.expect(200).form("/cancel");
    for foreign in [
        office.seat("B1").to_string(),
        office.seat("B2").to_string(),
        "0".to_owned(),
        "x".to_owned(),
        "99999999999999999999".to_owned(),
    ] {
        let mut both = form.clone();
        both.0.push(("seat".to_owned(), foreign.clone()));
        for form in [form.clone().with("seat", &foreign), both] {
            ana.presses_cancel(&booking, &form).await.expect(422);
        }
        let asked = ana.gets(&format!("{booking}/cancel?seat={foreign}")).await;
        asked.expect(422);
    }
    for sum in ["", "x", "45.00"] {
        let form = form.clone().with("returns", sum);
        ana.presses_cancel(&booking, &form).await.expect(422);
    }
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (3, 0));
}

#[tokio::test]
async fn another_sum_than_was_shown_is_shown_first() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let booking = ana.books(&office, ["A1", "A2", "C1"]).await;
    let form = ana.asks_to_cancel(&booking, &[]).await.form("/cancel");
    for sum in ["0", "-1", "12001", "9223372036854775807"] {
        let form = form.clone().with("returns", sum);
        ana.presses_cancel(&booking, &form).await.expect(409);
    }
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (3, 0));

    // In another tab one of them goes: what is left is shown anew, and goes at the next press.
    ana.cancels(&booking, &[office.seat("C1")])
        .await
        .expect(303);
    let asked = ana.presses_cancel(&booking, &form).await.expect(409);
    assert_eq!(asked.texts(".leaving__place strong"), ["A1", "A2"]);
    assert!(asked.text(".notice--bad").contains("Nothing was cancelled"));
    assert!(asked.text("button[type=submit]").contains("€90.00"));
    assert_eq!(office.booked().await, 2);
    ana.presses_cancel(&booking, &asked.form("/cancel"))
        .await
        .expect(303);
    assert_eq!(office.count(RETURNED).await, 12_000);
}

#[tokio::test]
async fn a_free_booking_is_cancelled_and_promises_no_money() {
    let office = BoxOffice::open().await;
    office
        .run("update category set price_minor = 0 where event_id = $1")
        .await;
    let ana = office.person();
    let booking = ana.books(&office, ["A1", "A2"]).await;
    assert!(!ana.gets(&booking).await.text(".cancel").contains("card"));
    let asked = ana.asks_to_cancel(&booking, &[]).await.expect(200);
    assert_eq!(asked.text("button[type=submit]"), "Cancel 2 seats");
    assert!(!asked.text("main").contains("card"));
    for _ in 0..2 {
        ana.presses_cancel(&booking, &asked.form("/cancel"))
            .await
            .expect(303);
    }
    let page = ana.gets(&booking).await.expect(200);
    assert!(page.has(".cancelled") && !page.has(".cancelled__refund"));
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (0, 0));
    assert_eq!(messages(&office, "booking.cancelled").await, 1);
}

/// Presses the button on the confirm page of the box office.
async fn staff_cancels(clerk: &Person, reference: &str, seats: &[i64], reason: &str) -> Answer {
    let address = format!("/staff/bookings/{reference}");
    let asked = clerk.asks_to_cancel(&address, seats).await.expect(200);
    let form = asked.form("/cancel").with("reason", reason);
    clerk.presses_cancel(&address, &form).await
}

#[tokio::test]
async fn the_box_office_cancels_with_a_reason_that_is_kept() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    let booking = ana.books(&office, ["A1", "A2", "C1"]).await;
    let reference = reference(&ana.gets(&booking).await);
    let address = format!("/staff/bookings/{reference}");
    let page = clerk.gets(&address).await.expect(200);
    assert_eq!(page.attributes("input[name=seat]", "type"), ["checkbox"; 3]);
    let seats = office.ids(["A1", "C1"]);
    for reason in ["", "   ", &"x".repeat(501)] {
        let refused = staff_cancels(&clerk, &reference, &seats, reason).await;
        let refused = refused.expect(422);
        assert!(refused.has("#reason-complaint"));
        assert_eq!(refused.attributes("#reason", "value"), [reason.trim()]);
        assert_eq!(
            refused.attributes("input[name=seat]", "value"),
            seats.iter().map(ToString::to_string).collect::<Vec<_>>()
        );
    }
    assert_eq!(office.booked().await, 3);

    let done = staff_cancels(&clerk, &reference, &seats, "ill, rang up").await;
    let done = done.expect(303);
    assert!(done.location.starts_with(&address), "{}", done.location);
    let page = clerk.gets(&done.location).await.expect(200);
    assert!(page.has("[role=status]"));
    let said = page.text("main");
    for words in ["€75.00", "On its way back", "Cancelled on"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(page.attributes("input[name=seat]", "type"), ["checkbox"]);
    let kept = "select count(*) from audit where event_id = $1 and action = 'booking.cancel'
                   and reason = 'ill, rang up' and detail ->> 'reference' is not null
                   and jsonb_path_query_array(detail, '$.seats[*].name') = '[\"A1\", \"C1\"]'";
    assert_eq!(office.count(kept).await, 1);
    let log = clerk.gets("/staff").await.expect(200).text("main");
    assert!(
        log.contains("ill, rang up") && log.contains("Cancelled after the sale"),
        "{log}"
    );
    let again = "select count(*) from audit where event_id = $1 and action = 'booking.cancel'";
    assert_eq!(office.count(again).await, 1);
    assert_eq!(ana.gets(&booking).await.texts(".ticket__seat"), ["A2"]);
    office.person().books(&office, ["A1", "C1"]).await;

    // What the provider answered is for staff, not for the buyer.
    office
        .run("update refund set attempts = 4, problem = 'card closed' where payment_id in (select id from payment where event_id = $1)")
        .await;
    let said = clerk.gets(&address).await.expect(200).text("main");
    assert!(
        said.contains("tried 4 times") && said.contains("card closed"),
        "{said}"
    );
    assert!(!ana.gets(&booking).await.html.contains("card closed"));
}

#[tokio::test]
async fn the_box_office_cancels_only_by_its_own_form_and_only_what_was_shown() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    let booking = ana.books(&office, ["A1", "A2"]).await;
    let others = office.person().books(&office, ["B1"]).await;
    let reference = reference(&ana.gets(&booking).await);
    let address = format!("/staff/bookings/{reference}");
    let asked = clerk.asks_to_cancel(&address, &[]).await.expect(200);
    let form = asked.form("/cancel").with("reason", "x");
    for token in ["", "0000"] {
        let form = form.clone().with("token", token);
        clerk.presses_cancel(&address, &form).await.expect(403);
    }
    let foreign = office.seat("B1").to_string();
    for form in [
        form.clone().with("seat", &foreign),
        form.clone().with("seat", "x"),
        form.clone().with("returns", "x"),
    ] {
        clerk.presses_cancel(&address, &form).await.expect(400);
    }
    let shown = form.clone().with("returns", "1");
    let again = clerk.presses_cancel(&address, &shown).await.expect(409);
    assert_eq!(again.attributes("#reason", "value"), ["x"]);
    assert_eq!((office.booked().await, office.count(REFUNDS).await), (3, 0));
    let audited = "select count(*) from audit where event_id = $1";
    assert_eq!(
        office.count(audited).await,
        0,
        "what was refused is no deed"
    );

    clerk.presses_cancel(&address, &form).await.expect(303);
    let again = clerk.presses_cancel(&address, &form).await.expect(303);
    assert!(again.location.ends_with("done=already"));
    assert_eq!(office.count(REFUNDS).await, 1);
    assert_eq!(office.count(audited).await, 1);
    assert_eq!(ana.gets(&others).await.texts(".ticket__seat"), ["B1"]);
}
