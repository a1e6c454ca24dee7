//! The payment provider as a neighbour: slow, dying, losing answers, and telling what happened, truly or not.

use std::time::Duration;

use reqwest::Method;
use seathold::{
    audit::{self, Ledger, Witnesses},
    local::Purpose,
    payment::{LedgerRow, Provider, Remote, Seen, Signer},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::{
    box_office::{BoxOffice, Rules, Stage},
    neighbour::{self, SECRET, Victim},
    person::{APPROVED, Answer, Person},
};

const CAPTURED_LATER: &str = "4000000000000127";
const REFUNDS_FAIL: &str = "4000000000005126";
const NOTICES_LATE: &str = "4000000000000036";

/// A box office and its payment provider next door.
struct Street {
    office: BoxOffice,
    provider: Victim,
    _server: Victim,
    // Last, so that the stores outlive the servers.
    stage: Stage,
}

impl Street {
    async fn open() -> Self {
        let (stage, server, provider) = tokio::task::spawn_blocking(|| {
            let stage = Stage::of(Purpose::ThrowAway);
            let settings = [("LIMITS", "off"), ("PAYMENT_TIMEOUT_MS", "4000")];
            let ([server], provider) = neighbour::open(&stage, &settings);
            (stage, server, provider)
        })
        .await
        .expect("a street");
        let office = BoxOffice::at(&stage, vec![server.base()], Rules::default()).await;
        Self {
            office,
            provider,
            _server: server,
            stage,
        }
    }

    fn remote(&self) -> Remote {
        Remote::new(&self.provider.base(), SECRET, Duration::from_secs(4)).expect("an address")
    }

    /// Makes the provider behave so towards everybody.
    async fn behave(&self, behaviour: Value) {
        let asked = self
            .ask(Method::PUT, "/v1/behaviour", Some(behaviour))
            .await;
        assert_eq!(asked.0, 200, "{}", asked.1);
    }

    /// Asks the provider itself.
    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> (u16, String) {
        let url = format!("{}{path}", self.provider.base());
        let mut request = reqwest::Client::new()
            .request(method, url)
            .bearer_auth(SECRET);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("an answer");
        (
            answer.status().as_u16(),
            answer.text().await.expect("a text"),
        )
    }

    async fn ledger(&self) -> Vec<LedgerRow> {
        self.remote().ledger().await.expect("the ledger")
    }

    /// Tells the box office something, with these headers.
    async fn tells(&self, headers: &[(&str, String)], body: &str) -> Answer {
        let nobody = self.office.person();
        let mut request = nobody
            .request(Method::POST, "/payments/notices")
            .body(body.to_owned());
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        nobody.send(request).await
    }

    /// No violation, by the provider's own word.
    async fn is_right(&self) {
        let found = audit::run(&Witnesses {
            database: self.office.database.clone(),
            redis: self.office.redis.clone(),
            ledger: Some(Ledger::Remote(self.remote())),
            stuck_after: Duration::ZERO,
        })
        .await
        .expect("audited");
        assert!(found.is_empty(), "{found:?}");
    }
}

/// Waits until a booking's page has something to tell.
async fn waits(ana: &Person, page: &str) -> Answer {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let answer = ana.gets(page).await;
        if answer.status == 200 {
            return answer;
        }
        assert!(Instant::now() < end, "{} {}", answer.status, answer.html);
        sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until one number of PostgreSQL is as it must become.
async fn becomes(office: &BoxOffice, sql: &str, wanted: i64) {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let now = office.count(sql).await;
        if now == wanted {
            return;
        }
        assert!(Instant::now() < end, "{now} instead of {wanted}: {sql}");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_neighbour_charges_once_and_its_ledger_survives_its_death() {
    let mut street = Street::open().await;
    let ana = street.office.person();
    ana.holds(&street.office, ["A1", "A2"]).await.expect(303);
    let form = ana.payment_form().await;
    let page = ana.presses_pay(&form, APPROVED).await.expect(303).location;
    waits(&ana, &page).await;
    street.provider.kill();
    street.provider.start();
    let key: Uuid = form.get("payment").parse().expect("a key");
    assert_eq!(street.remote().look_up(key).await, Ok(Seen::Captured));
    // The money goes back through the same neighbour.
    ana.cancels(&page, &[street.office.seat("A1")])
        .await
        .expect(303);
    let pending = "select count(*) from refund join payment on payment.id = payment_id
                    where event_id = $1 and refund.state = 'pending'";
    becomes(&street.office, pending, 0).await;
    let ledger = street.ledger().await;
    assert_eq!(ledger.len(), 1);
    assert_eq!(
        (ledger[0].taken_minor, ledger[0].returned_minor),
        (9000, 4500)
    );
    street.is_right().await;
}

#[tokio::test]
async fn an_answer_that_is_lost_after_the_charge_becomes_tickets() {
    let street = Street::open().await;
    let ana = street.office.person();
    ana.holds(&street.office, ["A1", "A2"]).await.expect(303);
    street.behave(json!({"lost_answer_percent": 100})).await;
    let page = ana.pays(APPROVED).await.expect(303).location;
    street.behave(json!({})).await;
    assert_eq!(waits(&ana, &page).await.texts(".ticket__seat").len(), 2);
    assert_eq!(street.ledger().await.len(), 1);
    street.is_right().await;
}

#[tokio::test]
async fn notices_that_are_forged_late_doubled_or_out_of_order_change_nothing() {
    let street = Street::open().await;
    street
        .behave(json!({"forged_notices": true, "duplicate_notices": 2, "shuffle_notices": true}))
        .await;
    let office = &street.office;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(office, ["A1"]).await.expect(303);
    let first = ana.pays(APPROVED).await.expect(303).location;
    bo.holds(office, ["A2"]).await.expect(303);
    let second = bo.pays(NOTICES_LATE).await.expect(303).location;
    for (who, page) in [(&ana, &first), (&bo, &second)] {
        assert_eq!(waits(who, page).await.texts(".ticket__seat").len(), 1);
    }
    // Until the last of the late ones was told.
    sleep(Duration::from_secs(6)).await;
    let told =
        "select count(*) from outbox join booking on booking.id = booking_id where event_id = $1";
    assert_eq!((office.booked().await, office.count(told).await), (2, 2));
    street.is_right().await;
}

#[tokio::test]
async fn only_what_the_provider_signed_is_heeded() {
    let street = Street::open().await;
    let ana = street.office.person();
    ana.holds(&street.office, ["A1"]).await.expect(303);
    let form = ana.payment_form().await;
    ana.presses_pay(&form, APPROVED).await.expect(303);
    let body = json!({"type": "charge.captured", "data": {"key": form.get("payment")}}).to_string();
    let now = jiff::Timestamp::now();
    let signer = Signer::new(SECRET);

    let forged = Signer::new("another secret").sign("one", now, &body);
    street.tells(&forged, &body).await.expect(401);
    street.tells(&[], &body).await.expect(401);
    let of_another_body = signer.sign("one", now, "{}");
    street.tells(&of_another_body, &body).await.expect(401);
    street.tells(&of_another_body, "{}").await.expect(400);
    let large = " ".repeat(100_000);
    street.tells(&[], &large).await.expect(413);
    let unknown = body.replace(form.get("payment"), &Uuid::new_v4().to_string());
    let signed = signer.sign("one", now, &unknown);
    street.tells(&signed, &unknown).await.expect(404);
    let signed = signer.sign("one", now, &body);
    street.tells(&signed, &body).await.expect(204);
    street.tells(&signed, &body).await.expect(204);
    // Where no provider tells anything, nobody does.
    let nobody = BoxOffice::open().await.person();
    let request = nobody.request(Method::POST, "/payments/notices").body(body);
    nobody.send(request).await.expect(404);
    street.is_right().await;
}

#[tokio::test]
async fn a_notice_that_could_not_be_heeded_is_told_again_and_then_buys_the_seats() {
    let mut street = Street::open().await;
    let ana = street.office.person();
    ana.holds(&street.office, ["A1", "A2"]).await.expect(303);
    ana.pays(CAPTURED_LATER).await.expect(402);
    // The money arrives while PostgreSQL is away.
    let street = tokio::task::spawn_blocking(move || {
        street.stage.servers.stop_postgres();
        std::thread::sleep(Duration::from_secs(7));
        street.stage.servers.start_postgres().expect("back");
        street
    })
    .await
    .expect("stopped");
    // Long before recovery would look again.
    becomes(
        &street.office,
        "select count(*) from booking_seat where event_id = $1",
        2,
    )
    .await;
    street.is_right().await;
}

#[tokio::test]
async fn while_the_provider_is_away_nothing_is_left_pending_and_the_seats_stay() {
    let mut street = Street::open().await;
    let ana = street.office.person();
    ana.holds(&street.office, ["A1", "A2"]).await.expect(303);
    street.provider.kill();
    let asked = "select count(*) from payment where event_id = $1";
    for _ in 0..5 {
        let answer = ana.pays(APPROVED).await.expect(503);
        let said = answer.text("[role=alert]");
        assert!(said.contains("your seats stay yours until"), "{said}");
        assert!(answer.headers.contains_key("retry-after"));
    }
    assert_eq!(street.office.count(asked).await, 5);
    // Now it is left alone: whoever presses is told at once, and nothing is even begun.
    let answer = ana.pays(APPROVED).await.expect(503);
    assert!(
        answer
            .text("[role=alert]")
            .contains("your seats stay yours until")
    );
    assert_eq!(street.office.count(asked).await, 5);
    let open = "select count(*) from payment where event_id = $1 and state <> 'voided'";
    assert_eq!(street.office.count(open).await, 0);
    assert_eq!(ana.held_seats().await, ["A1", "A2"]);
    let ready = ana.gets("/health/ready").await.expect(200);
    assert!(ready.html.contains("payments away"), "{}", ready.html);

    street.provider.start();
    let end = Instant::now() + Duration::from_secs(30);
    let page = loop {
        let answer = ana.pays(APPROVED).await;
        if answer.status == 303 {
            break answer.location;
        }
        assert!(Instant::now() < end, "it stays away");
        sleep(Duration::from_millis(500)).await;
    };
    assert_eq!(waits(&ana, &page).await.texts(".ticket__seat").len(), 2);
    street.is_right().await;
}

#[tokio::test]
async fn a_provider_that_is_too_slow_or_fails_leaves_no_charge_without_tickets() {
    let street = Street::open().await;
    let office = &street.office;
    let ana = office.person();
    ana.holds(office, ["A1", "A2"]).await.expect(303);
    street.behave(json!({"error_percent": 100})).await;
    let page = ana.pays(APPROVED).await.expect(303).location;
    street.behave(json!({})).await;
    // It failed before it charged: the key is made void, and the seats are still there.
    let said = waits(&ana, &page).await.text("main");
    assert!(said.contains("not charged"), "{said}");
    street.behave(json!({"latency_ms": 5000})).await;
    let page = ana.pays(APPROVED).await.expect(303).location;
    street.behave(json!({})).await;
    waits(&ana, &page).await;
    let settled =
        "select count(*) from payment where event_id = $1 and state in ('booked', 'voided')";
    becomes(office, settled, 2).await;
    street.is_right().await;
}

#[tokio::test]
async fn a_refund_that_fails_at_first_is_tried_until_it_is_through_and_returns_once() {
    let street = Street::open().await;
    let office = &street.office;
    let ana = office.person();
    ana.holds(office, ["A1", "A2"]).await.expect(303);
    let page = ana.pays(REFUNDS_FAIL).await.expect(303).location;
    waits(&ana, &page).await;
    ana.cancels(&page, &[]).await.expect(303);
    let tried = "select coalesce(max(refund.attempts), 0)::bigint from refund
                   join payment on payment.id = payment_id where event_id = $1";
    becomes(office, tried, 1).await;
    let said = ana.gets(&page).await.expect(200).text("main");
    assert!(said.contains("on its way"), "{said}");
    let end = Instant::now() + Duration::from_secs(30);
    let done = "select count(*) from refund join payment on payment.id = payment_id
                 where event_id = $1 and refund.state = 'done'";
    while office.count(done).await == 0 {
        assert!(Instant::now() < end, "it never got through");
        office
            .run("update refund set next_try_at = now() from payment where payment.id = payment_id and event_id = $1")
            .await;
        sleep(Duration::from_millis(300)).await;
    }
    assert_eq!(street.ledger().await[0].returned_minor, 9000);
    let told = "select count(*) from outbox join booking on booking.id = booking_id
                 where event_id = $1 and kind = 'refund.completed'";
    assert_eq!(office.count(told).await, 1);
    street.is_right().await;
}

#[tokio::test]
async fn the_simulator_answers_only_to_whoever_knows_the_secret_and_says_what_it_does_not_take() {
    let street = Street::open().await;
    let stranger = reqwest::Client::new();
    for (path, status) in [
        ("/health", 200),
        ("/v1/ledger", 401),
        ("/v1/behaviour", 401),
    ] {
        let answer = stranger
            .get(format!("{}{path}", street.provider.base()))
            .bearer_auth("guessed")
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status().as_u16(), status, "{path}");
    }
    let behaviours = [
        (json!({"error_percent": 101}), 422),
        (json!({"kindness": 1}), 400),
        (json!({"latency_ms": 1}), 200),
    ];
    for (behaviour, status) in behaviours {
        let asked = street
            .ask(Method::PUT, "/v1/behaviour", Some(behaviour))
            .await;
        assert_eq!(asked.0, status, "{}", asked.1);
    }
    let key = Uuid::new_v4();
    let charge = |amount: i64| {
        let card = json!({"number": "4242424242424242", "expiry": "12/40", "cvc": "123"});
        json!({"key": key, "amount_minor": amount, "currency": "EUR", "card": card})
    };
    for (amount, status) in [(4500, 200), (4500, 200), (1, 409)] {
        let asked = street
            .ask(Method::POST, "/v1/charges", Some(charge(amount)))
            .await;
        assert_eq!(asked.0, status, "{}", asked.1);
    }
    let refunds = format!("/v1/charges/{key}/refunds");
    let asked = street
        .ask(Method::POST, &refunds, Some(json!({"amount_minor": 1})))
        .await;
    assert_eq!(asked.0, 422, "without a key of its own: {}", asked.1);
}
