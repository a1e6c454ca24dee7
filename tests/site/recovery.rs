//! Recovery: whatever broke, a payment ends in tickets or in no charge, and money that arrives late buys its seats or goes back.

use rusqlite::Connection;
use uuid::Uuid;

use crate::{
    box_office::{BoxOffice, Stage},
    person::{APPROVED, Answer, DECLINED, Person, SLOW},
    staff::clerk,
};

/// A payment that was declined, and whose money the provider takes nevertheless: the address of its page.
async fn late_capture(office: &BoxOffice, stage: &Stage, ana: &Person) -> String {
    let form = ana.payment_form().await;
    ana.presses_pay(&form, DECLINED).await.expect(402);
    let key: Uuid = form.get("payment").parse().expect("a key");
    Connection::open(stage.ledger())
        .expect("the ledger")
        .execute(
            "update charge set state = 'captured' where key = ?1",
            [key.to_string()],
        )
        .expect("charged after all");
    let payment = office.payments.by_id(key).await.expect("an answer");
    format!("/bookings/{}", payment.expect("there").token)
}

/// Makes everything of the event due, and recovers it.
async fn recover(office: &BoxOffice) {
    for _ in 0..3 {
        office
            .run("update payment set next_try_at = now(), look_again_at = case when look_again_at is null then null else now() end where event_id = $1")
            .await;
        office
            .run("update refund set next_try_at = now() from payment where payment.id = payment_id and event_id = $1")
            .await;
        office.cashier.recover_due().await.expect("recovered");
    }
}

async fn refunds(office: &BoxOffice) -> i64 {
    office
        .count("select count(*) from refund join payment on payment.id = payment_id where event_id = $1")
        .await
}

/// A stage of its own: no other worker takes what the test looks at.
async fn stage() -> Stage {
    tokio::task::spawn_blocking(|| Stage::start(&["LIMITS=off"], 1))
        .await
        .expect("a stage")
}

fn returned(page: &Answer) -> bool {
    page.text("main").contains("could not be kept")
}

#[tokio::test]
async fn a_late_capture_buys_its_seats_when_they_are_still_free() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let page = late_capture(&office, &stage, &ana).await;
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, None).await.expect(303);
    recover(&office).await;
    let page = ana.gets(&page).await.expect(200);
    assert_eq!(page.texts(".ticket__seat"), ["A1", "A2"]);
    assert_eq!((office.booked().await, refunds(&office).await), (2, 0));
    let claims = "select count(*) from seat_claim where event_id = $1";
    assert_eq!(office.count(claims).await, 0);
}

#[tokio::test]
async fn a_late_capture_buys_the_seats_that_its_buyer_still_holds() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let page = late_capture(&office, &stage, &ana).await;
    recover(&office).await;
    ana.gets(&page).await.expect(200);
    assert_eq!((office.booked().await, refunds(&office).await), (2, 0));
    // The hold became the booking.
    assert_eq!(ana.opens_checkout().await.expect(303).location, page);
}

#[tokio::test]
async fn a_late_capture_goes_back_when_its_seats_are_sold() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let page = late_capture(&office, &stage, &ana).await;
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, None).await.expect(303);
    bo.holds(&office, ["A2", "A3"]).await.expect(303);
    bo.pays(APPROVED).await.expect(303);
    recover(&office).await;
    assert!(returned(&ana.gets(&page).await.expect(200)));
    assert_eq!((office.booked().await, refunds(&office).await), (2, 1));
    let back = "select count(*) from payment where event_id = $1 and state = 'refunded'";
    assert_eq!(office.count(back).await, 1);
}

#[tokio::test]
async fn a_late_capture_goes_back_when_somebody_else_holds_a_seat_of_it() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let page = late_capture(&office, &stage, &ana).await;
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, None).await.expect(303);
    bo.holds(&office, ["A2"]).await.expect(303);
    recover(&office).await;
    assert!(returned(&ana.gets(&page).await.expect(200)));
    assert_eq!((office.booked().await, refunds(&office).await), (0, 1));
    // Whoever holds it buys it.
    bo.pays(APPROVED).await.expect(303);
}

#[tokio::test]
async fn a_late_capture_goes_back_when_redis_cannot_say_who_holds_its_seats() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let page = late_capture(&office, &stage, &ana).await;
    let stage = tokio::task::spawn_blocking(move || {
        let mut stage = stage;
        stage.servers.stop_redis();
        stage
    })
    .await
    .expect("stopped");
    recover(&office).await;
    assert!(returned(&ana.gets(&page).await.expect(200)));
    assert_eq!((office.booked().await, refunds(&office).await), (0, 1));
    drop(stage);
}

#[tokio::test]
async fn a_late_capture_of_a_first_card_goes_back_when_a_second_one_paid() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let page = late_capture(&office, &stage, &ana).await;
    let booked = ana.pays(APPROVED).await.expect(303).location;
    recover(&office).await;
    assert!(returned(&ana.gets(&page).await.expect(200)));
    let tickets = ana.gets(&booked).await.expect(200);
    assert_eq!(tickets.texts(".ticket__seat"), ["A1", "A2"]);
    assert_eq!((office.booked().await, refunds(&office).await), (2, 1));
}

#[tokio::test]
async fn several_workers_at_once_settle_each_payment_once() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let location = ana
        .pays(crate::person::ANSWER_LOST)
        .await
        .expect(303)
        .location;
    office
        .run("update payment set next_try_at = now() where event_id = $1")
        .await;
    let workers = (0..6).map(|_| office.cashier.recover_due());
    futures_util::future::join_all(workers).await;
    recover(&office).await;
    ana.gets(&location).await.expect(200);
    assert_eq!((office.booked().await, refunds(&office).await), (2, 0));
    let told =
        "select count(*) from outbox join booking on booking.id = booking_id where event_id = $1";
    assert_eq!(office.count(told).await, 1);
}

#[tokio::test]
async fn a_key_that_is_sent_again_with_another_body_while_the_first_runs_leads_to_the_running_payment()
 {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let form = ana.payment_form().await;
    let first = {
        let (ana, form) = (ana.clone(), form.clone());
        tokio::spawn(async move { ana.presses_pay(&form, SLOW).await })
    };
    while office
        .count("select count(*) from payment where event_id = $1")
        .await
        == 0
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let other = form.with("name", "Somebody Else");
    let led = ana.presses_pay(&other, SLOW).await.expect(303).location;
    let booked = first.await.expect("an answer").expect(303).location;
    assert_eq!(led, booked);
    assert_eq!(office.booked().await, 2);
    let page = ana.gets(&booked).await.expect(200);
    assert!(
        page.text(".facts").contains("Ana Núñez"),
        "the first body counts"
    );
}

#[tokio::test]
async fn staff_see_what_takes_long_and_that_nobody_paid_without_a_ticket() {
    let stage = stage().await;
    let office = BoxOffice::at(&stage, stage.bases(), crate::box_office::Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    ana.pays(crate::person::ANSWER_LOST).await.expect(303);
    office
        .run("update payment set created_at = now() - interval '2 minutes', next_try_at = now() + interval '1 hour' where event_id = $1")
        .await;
    assert_eq!(office.payments.overdue().await.expect("an answer").len(), 1);
    let without = office.payments.without_ticket().await.expect("an answer");
    assert!(without.is_empty());
    // A payment that is stuck between the charge and its booking is on the list that must be empty.
    office
        .run("update payment set state = 'captured' where event_id = $1")
        .await;
    let without = office.payments.without_ticket().await.expect("an answer");
    assert_eq!(without.len(), 1);
    assert_eq!(without[0].amount_minor, 4500);
    recover(&office).await;
    let without = office.payments.without_ticket().await.expect("an answer");
    assert!(without.is_empty());

    let shared = BoxOffice::open().await;
    let page = clerk(&shared).await.gets("/staff/payments").await;
    let page = page.expect(200);
    assert!(page.text("main").contains("It is empty, as it must be."));
}
