//! The box office: behind a log-in, every action with a reason, and every action in the audit.

use crate::{
    box_office::{BoxOffice, SHARED},
    person::{APPROVED, Answer, Person, SLOW},
};

const PASSWORD: &str = "a long enough password";

/// Somebody of the box office, logged in.
pub async fn clerk(office: &BoxOffice) -> Person {
    let (email, password) = account().await;
    let clerk = office.person();
    log_in(&clerk, &email, &password).await.expect(303);
    clerk
}

/// An account that is ready to log in: its e-mail address and its password.
pub async fn account() -> (String, String) {
    let email = format!("{}@example.org", seathold::random::token());
    let link = invite(&email).await;
    let person = Person::new(&SHARED.bases()[0], "");
    person
        .posts(
            &link,
            &fields(&[("password", PASSWORD), ("again", PASSWORD)]),
        )
        .await
        .expect(303);
    (email, PASSWORD.to_owned())
}

/// The one-time link that the command prints, without its site.
async fn invite(email: &str) -> String {
    let arguments = [
        "staff".to_owned(),
        "add".to_owned(),
        "--email".to_owned(),
        email.to_owned(),
    ];
    let (code, printed) = tokio::task::spawn_blocking(move || {
        SHARED.command(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    })
    .await
    .expect("it ran");
    assert_eq!(code, 0, "{printed}");
    let at = printed
        .find("/staff/invite/")
        .unwrap_or_else(|| panic!("no link in {printed}"));
    printed[at..]
        .split_whitespace()
        .next()
        .expect("a link")
        .to_owned()
}

async fn log_in(person: &Person, email: &str, password: &str) -> Answer {
    person
        .posts(
            "/staff/log-in",
            &fields(&[("email", email), ("password", password)]),
        )
        .await
}

fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// Presses a button of the desk, with the form's own token.
async fn acts(clerk: &Person, office: &BoxOffice, action: &str, pairs: &[(&str, &str)]) -> Answer {
    let desk = clerk
        .gets(&format!("/staff/events/{}", office.slug))
        .await
        .expect(200);
    let token = desk.form("/block").get("token").to_owned();
    let mut form = fields(pairs);
    form.push(("token".to_owned(), token));
    clerk
        .posts(&format!("/staff/events/{}/{action}", office.slug), &form)
        .await
}

#[tokio::test]
async fn nobody_gets_in_without_an_account() {
    let office = BoxOffice::open().await;
    let shopper = office.person();
    shopper.opens_map().await;
    for page in [
        "/staff".to_owned(),
        format!("/staff/events/{}", office.slug),
        "/staff/bookings?q=a".to_owned(),
        "/staff/payments".to_owned(),
        "/staff/bookings/ABCDEFGH".to_owned(),
    ] {
        let answer = shopper.gets(&page).await.expect(303);
        assert!(
            answer.location.starts_with("/staff/log-in"),
            "{page}: {}",
            answer.location
        );
    }
    for action in ["release", "block", "unblock"] {
        let path = format!("/staff/events/{}/{action}", office.slug);
        let answer = shopper
            .posts(&path, &fields(&[("seat", "1"), ("reason", "x")]))
            .await;
        assert_eq!(answer.status, 303, "{action}");
        assert!(
            answer.location.starts_with("/staff/log-in"),
            "{action}: {}",
            answer.location
        );
    }
    log_in(&shopper, "nobody@example.org", "whatever it may be")
        .await
        .expect(401);
}

#[tokio::test]
async fn a_one_time_link_works_once_and_a_wrong_password_never() {
    let office = BoxOffice::open().await;
    let email = format!("{}@example.org", seathold::random::token());
    let link = invite(&email).await;
    let person = office.person();
    person.gets(&link).await.expect(200);
    person
        .posts(&link, &fields(&[("password", "short"), ("again", "short")]))
        .await
        .expect(422);
    person
        .posts(
            &link,
            &fields(&[("password", PASSWORD), ("again", PASSWORD)]),
        )
        .await
        .expect(303);
    person
        .posts(
            &link,
            &fields(&[("password", PASSWORD), ("again", PASSWORD)]),
        )
        .await
        .expect(410);
    log_in(&person, &email, "a wrong password here")
        .await
        .expect(401);
    log_in(&person, &email.to_uppercase(), PASSWORD)
        .await
        .expect(303);
    person.gets("/staff").await.expect(200);
    // A new password ends every session.
    let link = invite(&email).await;
    person
        .posts(
            &link,
            &fields(&[
                ("password", "another long password"),
                ("again", "another long password"),
            ]),
        )
        .await
        .expect(303);
    log_in(&office.person(), &email, PASSWORD).await.expect(401);
    person.gets("/staff").await.expect(303);
}

#[tokio::test]
async fn logging_out_ends_the_session() {
    let office = BoxOffice::open().await;
    let clerk = clerk(&office).await;
    let token = clerk
        .gets("/staff")
        .await
        .expect(200)
        .form("/log-out")
        .get("token")
        .to_owned();
    clerk
        .posts("/staff/log-out", &fields(&[("token", "wrong")]))
        .await
        .expect(403);
    clerk
        .posts("/staff/log-out", &fields(&[("token", &token)]))
        .await
        .expect(303);
    clerk.gets("/staff").await.expect(303);
}

#[tokio::test]
async fn the_desk_shows_every_seat_with_its_state_holder_and_buyer() {
    let office = BoxOffice::open().await;
    let (ana, bo, clerk) = (office.person(), office.person(), clerk(&office).await);
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    bo.holds(&office, ["D1"]).await.expect(303);
    let booked = bo.pays(APPROVED).await.expect(303).location;
    let reference = bo.gets(&booked).await.expect(200).text(".facts__reference");
    let desk = clerk
        .gets(&format!("/staff/events/{}", office.slug))
        .await
        .expect(200);
    let hold = ana.hold_id().await;
    let holds = desk.text("#desk-holds");
    assert!(
        holds.contains(&hold[..8]) && holds.contains("A1, A2"),
        "{holds}"
    );
    assert!(
        !desk.text("main").contains(&hold),
        "only a short id is shown"
    );
    assert!(
        desk.text("#count-takings").contains("€30.00"),
        "{}",
        desk.text("#count-takings")
    );
    let main = desk.text("main");
    assert!(
        main.contains(&reference) && main.contains("Ana Núñez"),
        "{main}"
    );
    // The key to the buyer's page is not for staff.
    assert!(!desk.html.contains(booked.trim_start_matches("/bookings/")));
}

#[tokio::test]
async fn a_hold_is_released_with_a_reason_that_is_kept() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let hold = ana.hold_id().await;
    acts(&clerk, &office, "release", &[("hold", &hold)])
        .await
        .expect(422);
    assert_eq!(ana.hold_id().await, hold);
    acts(
        &clerk,
        &office,
        "release",
        &[("hold", &hold), ("reason", "left at the counter")],
    )
    .await
    .expect(303);
    ana.opens_checkout().await.expect(410);
    office
        .person()
        .holds(&office, ["A1", "A2"])
        .await
        .expect(303);
    let kept = "select count(*) from audit where event_id = $1 and reason = 'left at the counter'";
    assert_eq!(office.count(kept).await, 1);
}

#[tokio::test]
async fn a_hold_that_is_being_paid_for_is_not_released() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    ana.holds(&office, ["A1"]).await.expect(303);
    let (hold, form) = (ana.hold_id().await, ana.payment_form().await);
    let paying = {
        let ana = ana.clone();
        tokio::spawn(async move { ana.presses_pay(&form, SLOW).await })
    };
    while office
        .count("select count(*) from seat_claim where event_id = $1")
        .await
        == 0
    {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    acts(
        &clerk,
        &office,
        "release",
        &[("hold", &hold), ("reason", "impatient")],
    )
    .await
    .expect(409);
    acts(
        &clerk,
        &office,
        "block",
        &[
            ("seat", &office.seat("A1").to_string()),
            ("reason", "broken"),
        ],
    )
    .await
    .expect(409);
    let booked = paying.await.expect("paid").expect(303);
    ana.gets(&booked.location).await.expect(200);
    assert_eq!(office.booked().await, 1);
}

#[tokio::test]
async fn seats_are_blocked_and_put_back_with_a_reason() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    let (one, two) = (office.seat("A1").to_string(), office.seat("A2").to_string());
    acts(&clerk, &office, "block", &[("seat", &one), ("seat", &two)])
        .await
        .expect(422);
    ana.holds(&office, ["A1"]).await.expect(303);
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, None).await.expect(303);
    acts(
        &clerk,
        &office,
        "block",
        &[("seat", &one), ("seat", &two), ("reason", "camera")],
    )
    .await
    .expect(303);
    let refused = ana.holds(&office, ["A1", "A3"]).await.expect(409);
    assert_eq!(refused.texts(".notice--bad li"), ["A1: not for sale"]);
    acts(
        &clerk,
        &office,
        "unblock",
        &[("seat", &one), ("reason", "camera is gone")],
    )
    .await
    .expect(303);
    ana.holds(&office, ["A1"]).await.expect(303);
    assert_eq!(
        office
            .count("select count(*) from audit where event_id = $1 and reason like 'camera%'")
            .await,
        2
    );
}

#[tokio::test]
async fn a_sold_seat_is_not_blocked_and_nothing_else_of_that_wish_is() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    ana.holds(&office, ["A1"]).await.expect(303);
    ana.pays(APPROVED).await.expect(303);
    let (one, two) = (office.seat("A1").to_string(), office.seat("A2").to_string());
    let refused = acts(
        &clerk,
        &office,
        "block",
        &[("seat", &one), ("seat", &two), ("reason", "x")],
    )
    .await
    .expect(409);
    assert!(
        refused.text(".notice--bad").contains("A1"),
        "{}",
        refused.text(".notice--bad")
    );
    assert_eq!(
        office
            .count("select count(*) from seat where event_id = $1 and blocked_reason is not null")
            .await,
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn block_beside_claim_never_leaves_a_seat_both_blocked_and_sold() {
    let office = BoxOffice::open().await;
    let clerk = clerk(&office).await;
    for seat in ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"] {
        let ana = office.person_at(1);
        ana.holds(&office, [seat]).await.expect(303);
        let form = ana.payment_form().await;
        let id = office.seat(seat).to_string();
        let pairs = [("seat", id.as_str()), ("reason", "at once")];
        let (paid, blocked) = tokio::join!(
            ana.presses_pay(&form, APPROVED),
            acts(&clerk, &office, "block", &pairs)
        );
        let outcome = (paid.status, blocked.status);
        assert!(
            [(303, 409), (409, 303)].contains(&outcome),
            "{seat}: {outcome:?}"
        );
    }
    let both = "select count(*) from seat where event_id = $1 and status = 'booked' and blocked_reason is not null";
    assert_eq!(office.count(both).await, 0);
}

#[tokio::test]
async fn a_booking_is_found_by_name_mail_or_reference() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), clerk(&office).await);
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let marker = seathold::random::token();
    let form = ana
        .payment_form()
        .await
        .with("name", &format!("Zoë {marker}"))
        .with("email", &format!("{marker}@example.org"));
    let booked = ana.presses_pay(&form, APPROVED).await.expect(303).location;
    let reference = ana
        .gets(&booked)
        .await
        .expect(200)
        .text(".facts__reference");
    for question in [
        marker[..12].to_owned(),
        format!("{marker}@EXAMPLE.org"),
        reference.to_lowercase(),
    ] {
        let found = clerk
            .gets(&format!("/staff/bookings?q={question}"))
            .await
            .expect(200);
        let link = format!("/staff/bookings/{reference}");
        assert!(
            found.attributes("main a", "href").contains(&link),
            "{question}: {}",
            found.text("main")
        );
    }
    let page = clerk
        .gets(&format!("/staff/bookings/{reference}"))
        .await
        .expect(200);
    assert!(page.text("main").contains("A1") && page.text("main").contains(&marker));
    assert!(
        !page.html.contains(booked.trim_start_matches("/bookings/")),
        "not the buyer's own key"
    );
    let nothing = clerk.gets("/staff/bookings?q=%25").await.expect(200);
    assert!(
        !nothing.html.contains(&reference),
        "a wildcard is a letter like others"
    );
}

#[tokio::test]
async fn every_action_of_staff_needs_the_token_of_the_session() {
    let office = BoxOffice::open().await;
    let clerk = clerk(&office).await;
    let seat = office.seat("A1").to_string();
    for token in ["", "0000"] {
        let form = fields(&[("seat", &seat), ("reason", "x"), ("token", token)]);
        for action in ["block", "unblock", "release"] {
            clerk
                .posts(&format!("/staff/events/{}/{action}", office.slug), &form)
                .await
                .expect(403);
        }
    }
}
