//! Stores that are away: every page says so, loses nothing, charges nothing, and works again when they are back.

use seathold::{local::Servers, payment::Bounds};

use crate::{
    box_office::{BoxOffice, Rules, Stage},
    person::{APPROVED, Answer, Form, Person, SLOW},
};

/// Everything that a shopper can press or open.
async fn every_page(
    ana: &Person,
    office: &BoxOffice,
    hold: &str,
    form: &Form,
) -> Vec<(&'static str, Answer)> {
    let seats = office.ids(["B1"]);
    vec![
        ("map", ana.opens_map().await),
        ("hold", ana.presses_hold(hold, &seats).await),
        ("checkout", ana.opens_checkout().await),
        ("extend", ana.extends(hold, 1).await),
        (
            "give back",
            ana.gives_back(hold, Some(office.seat("A1"))).await,
        ),
        ("release", ana.gives_back(hold, None).await),
        ("pay", ana.presses_pay(form, APPROVED).await),
    ]
}

fn assert_away(name: &str, answer: &Answer) {
    assert_eq!(answer.status, 503, "{name}: {}", answer.text("main"));
    assert!(answer.headers.contains_key("retry-after"), "{name}");
    assert!(
        answer.text("main").contains("Nothing was held or charged"),
        "{name}"
    );
    assert!(answer.has("main a[href='/']"), "{name}: a way back");
}

async fn stage_with_a_hold() -> (Stage, BoxOffice, Person, String, Form) {
    let stage = tokio::task::spawn_blocking(|| Stage::start(&["LIMITS=on"], 1))
        .await
        .expect("a stage");
    let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let (hold, form) = (ana.hold_id().await, ana.payment_form().await);
    (stage, office, ana, hold, form)
}

/// Runs what blocks on the stage's servers.
async fn with(mut stage: Stage, work: fn(&mut Servers)) -> Stage {
    tokio::task::spawn_blocking(move || {
        work(&mut stage.servers);
        stage
    })
    .await
    .expect("done")
}

#[tokio::test]
async fn with_redis_away_the_map_pauses_and_nothing_is_held_or_charged() {
    let (stage, office, ana, hold, form) = stage_with_a_hold().await;
    let bo = office.person();
    bo.holds(&office, ["D1"]).await.expect(303);
    let booked = bo.pays(APPROVED).await.expect(303).location;
    let stage = with(stage, Servers::stop_redis).await;

    for (name, answer) in every_page(&ana, &office, &hold, &form).await {
        if name == "map" {
            let map = answer.expect(200);
            assert!(
                map.text(".notice").contains("paused"),
                "{}",
                map.text(".notice")
            );
            assert!(
                map.attributes(".seat__box:not([disabled])", "value")
                    .is_empty(),
                "no seat looks free"
            );
            let sold = format!("#p{}.seat--booked", office.seat("D1"));
            assert!(map.has(&sold), "what is sold is still shown as sold");
        } else {
            assert_away(name, &answer);
        }
    }
    ana.gets("/").await.expect(200);
    ana.gets(&booked).await.expect(200);
    ana.gets("/health/live").await.expect(200);
    ana.gets("/health/ready").await.expect(503);
    assert_eq!(
        office
            .count("select count(*) from payment where event_id = $1")
            .await,
        1
    );

    let stage = with(stage, |servers| servers.start_redis().expect("back")).await;
    ana.opens_map().await.expect(200);
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    ana.pays(APPROVED).await.expect(303);
    assert_eq!(office.booked().await, 3);
    drop(stage);
}

#[tokio::test]
async fn with_postgresql_away_every_page_says_so_and_nothing_is_charged() {
    let (stage, office, ana, hold, form) = stage_with_a_hold().await;
    let before = office.simulator.ledger().await.expect("the ledger").len();
    let stage = with(stage, Servers::stop_postgres).await;

    for (name, answer) in every_page(&ana, &office, &hold, &form).await {
        assert_away(name, &answer);
    }
    assert_away("list", &ana.gets("/").await);
    assert_away(
        "booking",
        &ana.gets(&format!("/bookings/{}", "0".repeat(32))).await,
    );
    ana.gets("/health/live").await.expect(200);
    ana.gets("/health/ready").await.expect(503);

    let stage = with(stage, |servers| servers.start_postgres().expect("back")).await;
    // The hold outlived it, and the same form pays for it, once.
    ana.presses_pay(&form, APPROVED).await.expect(303);
    assert_eq!(
        office.simulator.ledger().await.expect("the ledger").len(),
        before + 1
    );
    drop(stage);
}

#[tokio::test]
async fn a_server_that_is_killed_while_it_pays_leaves_a_payment_that_another_settles() {
    let (stage, office, ana, _, form) = stage_with_a_hold().await;
    let second = stage.serve(&[]);
    let twin = ana.at(&second.base);
    let paying = tokio::spawn(async move { twin.presses_pay(&form, SLOW).await });
    while office
        .count("select count(*) from payment where event_id = $1")
        .await
        == 0
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    // SIGKILL while the provider is being asked.
    drop(second);
    let _ = paying.await;
    office
        .run("update payment set next_try_at = now() where event_id = $1")
        .await;
    let end = tokio::time::Instant::now() + Bounds::default().settle_after * 3;
    while office
        .count("select count(*) from seat_claim where event_id = $1")
        .await
        > 0
    {
        assert!(tokio::time::Instant::now() < end, "still claimed");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    // The provider had not charged, so it was made void; the seats are still ana's and can be paid for.
    assert_eq!(office.booked().await, 0);
    ana.pays(APPROVED).await.expect(303);
    assert_eq!(office.booked().await, 2);
}

#[tokio::test]
async fn what_is_over_a_limit_keeps_what_was_typed_and_says_when_to_try_again() {
    let stage = tokio::task::spawn_blocking(|| {
        Stage::start(&["LIMIT_HOLD_BUYER=2/60", "LIMIT_PAY_BUYER=1/60"], 1)
    })
    .await
    .expect("a stage");
    let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    ana.holds(&office, ["A2"]).await.expect(303);
    let form = ana.payment_form().await;
    let refused = ana.holds(&office, ["A2", "A3"]).await.expect(429);
    assert!(refused.headers.contains_key("retry-after"));
    let ticked = refused.attributes(".seat__box[checked]", "value");
    assert_eq!(
        ticked,
        office
            .ids(["A2", "A3"])
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    );
    assert_eq!(ana.held_seats().await, ["A2"]);

    ana.presses_pay(&form.clone().with("email", "wrong"), APPROVED)
        .await
        .expect(422);
    let refused = ana
        .presses_pay(&form.with("name", "Bo"), APPROVED)
        .await
        .expect(429);
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(refused.attributes("#name", "value"), ["Bo"]);
    // Somebody else is not held up.
    office.person().holds(&office, ["D1"]).await.expect(303);
}

#[tokio::test]
async fn payments_that_wait_for_the_provider_hold_no_connection_of_others() {
    let stage =
        tokio::task::spawn_blocking(|| Stage::start(&["LIMITS=off", "REDIS_CONNECTIONS=2"], 1))
            .await
            .expect("a stage");
    let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
    let mut paying = Vec::new();
    for seat in ["A1", "A2", "A3", "A4"] {
        let ana = office.person();
        ana.holds(&office, [seat]).await.expect(303);
        let form = ana.payment_form().await;
        // The second press of the same form waits as well.
        for _ in 0..2 {
            let (ana, form) = (ana.clone(), form.clone());
            paying.push(tokio::spawn(async move {
                ana.presses_pay(&form, SLOW).await.status
            }));
        }
    }
    while office
        .count("select count(*) from payment where event_id = $1")
        .await
        < 4
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let map = office.person().opens_map().await.expect(200);
    assert!(
        !map.text("main").contains("paused"),
        "others are not held up"
    );
    office.person().holds(&office, ["D1"]).await.expect(303);
    office.person().gets("/health/ready").await.expect(200);
    for paid in paying {
        assert_eq!(paid.await.expect("an answer"), 303);
    }
    assert_eq!(office.booked().await, 4);
}

#[tokio::test]
async fn what_was_refused_does_not_count_against_a_network() {
    let stage = tokio::task::spawn_blocking(|| {
        Stage::start(&["LIMIT_HOLD_BUYER=100/60", "LIMIT_HOLD_NETWORK=10/60"], 1)
    })
    .await
    .expect("a stage");
    let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2", "A3", "A4"])
        .await
        .expect(303);
    bo.opens_map().await;
    for _ in 0..5 {
        bo.presses_hold("", &office.ids(["A1", "A2", "A3", "A4", "B1", "B2", "B3"]))
            .await
            .expect(409);
        bo.presses_hold("", &[1; 200].map(|_: i64| i64::MAX))
            .await
            .expect(422);
    }
    // Nor do seats that one had before.
    ana.holds(&office, ["A1", "A2", "A3", "A5"])
        .await
        .expect(303);
    ana.holds(&office, ["A1", "A2", "A3"]).await.expect(303);
    bo.holds(&office, ["B1", "B2", "B3", "B4", "B5"])
        .await
        .expect(303);
    // Ten seats in all, abandoned ones included: that is the limit.
    let refused = office.person().holds(&office, ["D1"]).await.expect(429);
    assert!(refused.headers.contains_key("retry-after"));
}
