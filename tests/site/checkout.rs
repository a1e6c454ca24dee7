//! The checkout: one countdown, more time within the cap, seats given back, and old tabs that cannot do harm.

use std::time::Duration;

use crate::{
    box_office::{BoxOffice, Rules},
    person::APPROVED,
};

#[tokio::test]
async fn the_checkout_shows_seats_prices_total_and_time_left() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["B10", "A2", "C1"]).await.expect(303);
    let page = ana.opens_checkout().await.expect(200);
    assert_eq!(page.texts(".basket__place strong"), ["A2", "B10", "C1"]);
    assert_eq!(page.texts(".basket__price"), ["€45.00", "€45.00", "€30.00"]);
    assert_eq!(page.text(".basket__total strong"), "€120.00");
    assert!(
        page.text(".event-head").contains("CET"),
        "times name their zone"
    );
    assert!((590_000..=600_000).contains(&ana.time_left_ms().await));
    assert_eq!(page.headers["cache-control"], "no-store");
}

#[tokio::test]
async fn reloading_never_resets_the_countdown() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let first = ana.time_left_ms().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(ana.time_left_ms().await <= first - 200);
}

#[tokio::test]
async fn more_time_is_counted_and_bounded_by_the_cap() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 100,
        hold_cap_seconds: 150,
        ..Rules::default()
    })
    .await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let hold = ana.hold_id().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    ana.extends(&hold, 1).await.expect(303);
    let once = ana.time_left_ms().await;
    assert!((99_000..=100_000).contains(&once), "{once}");
    tokio::time::sleep(Duration::from_millis(300)).await;
    // The same press again, from a double click, gives nothing more.
    ana.extends(&hold, 1).await.expect(303);
    assert!(ana.time_left_ms().await <= once - 300);
    ana.extends(&hold, 2).await.expect(303);
    for extension in 3..100 {
        if ana.extends(&hold, extension).await.status == 409 {
            break;
        }
    }
    assert!(
        ana.time_left_ms().await <= 149_500,
        "the cap counts from the first acquire"
    );
}

#[tokio::test]
async fn more_time_beyond_the_cap_is_refused_in_words() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 100,
        hold_cap_seconds: 100,
        ..Rules::default()
    })
    .await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    assert!(
        !ana.opens_checkout().await.has("form[action$='/extend']"),
        "what would give nothing is not offered"
    );
    let hold = ana.hold_id().await;
    let refused = ana.extends(&hold, 1).await.expect(409);
    assert!(
        refused
            .text(".notice")
            .contains("cannot be kept any longer"),
        "{}",
        refused.text(".notice")
    );
}

#[tokio::test]
async fn one_seat_can_be_given_back_and_the_others_keep_their_deadline() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let before = ana.time_left_ms().await;
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, Some(office.seat("A1")))
        .await
        .expect(303);
    assert_eq!(ana.held_seats().await, ["A2"]);
    assert!(ana.time_left_ms().await <= before);
    bo.holds(&office, ["A1"]).await.expect(303);
    // The last one takes the hold with it.
    let hold = ana.hold_id().await;
    let map = ana
        .gives_back(&hold, Some(office.seat("A2")))
        .await
        .expect(303);
    assert_eq!(map.location, format!("/events/{}", office.slug));
    ana.opens_checkout().await.expect(410);
}

#[tokio::test]
async fn an_old_tab_can_neither_pay_nor_give_back_nor_extend() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let (old, form) = (ana.hold_id().await, ana.payment_form().await);
    ana.holds(&office, ["A2", "A3"]).await.expect(303);
    let paid = ana.presses_pay(&form, APPROVED).await.expect(409);
    assert_eq!(
        paid.texts(".basket__place strong"),
        ["A2", "A3"],
        "it shows the present selection"
    );
    ana.gives_back(&old, None).await.expect(409);
    ana.gives_back(&old, Some(office.seat("A2")))
        .await
        .expect(409);
    ana.extends(&old, 1).await.expect(409);
    assert_eq!(ana.held_seats().await, ["A2", "A3"]);
    assert_eq!(office.booked().await, 0);
}

#[tokio::test]
async fn every_page_says_what_is_held_and_leads_to_the_checkout() {
    let office = BoxOffice::open().await;
    let other = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    for path in [
        "/".to_owned(),
        format!("/events/{}", office.slug),
        format!("/events/{}", other.slug),
    ] {
        let page = ana.gets(&path).await.expect(200);
        assert!(
            page.text(".holding").contains("A1, A2"),
            "{path}: {}",
            page.text(".holding")
        );
        let link = format!("/events/{}/checkout", office.slug);
        assert!(
            page.attributes(".holding a", "href").contains(&link),
            "{path}"
        );
    }
    assert!(!office.person().gets("/").await.has(".holding"));
}

#[tokio::test]
async fn without_javascript_the_page_moves_on_when_the_hold_ends() {
    let office = BoxOffice::with(Rules {
        hold_seconds: 100,
        hold_cap_seconds: 100,
        ..Rules::default()
    })
    .await;
    let ana = office.person();
    ana.holds(&office, ["A1"]).await.expect(303);
    let page = ana.opens_checkout().await.expect(200);
    let seconds: u32 = between(&page.html, "http-equiv=\"refresh\" content=\"", ";")
        .parse()
        .expect("seconds");
    assert!(
        (99..=101).contains(&seconds),
        "a refresh when the time is over: {seconds}"
    );
    let clock = between(&page.html, "/countdown/", ".css");
    assert!(["99", "100"].contains(&clock), "{clock}");
    let css = ana
        .gets(&format!("/countdown/{clock}.css"))
        .await
        .expect(200);
    assert!(
        css.html.contains(&format!("--seconds-left: {clock};")),
        "{}",
        css.html
    );
}

/// What stands between two texts.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text
        .split(start)
        .nth(1)
        .unwrap_or_else(|| panic!("no {start}"));
    rest.split(end).next().unwrap_or_default()
}

#[tokio::test]
async fn a_hold_that_has_ended_says_so_and_leads_back_to_the_map() {
    let office = BoxOffice::open().await;
    let page = office.person().opens_checkout().await.expect(410);
    assert!(page.text("main").contains("not charged"));
    assert_eq!(
        page.attributes("main a", "href"),
        [format!("/events/{}", office.slug)]
    );
}

#[tokio::test]
async fn giving_back_works_also_when_the_limit_was_lowered_meanwhile() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2", "A3", "A4"])
        .await
        .expect(303);
    office
        .run("update event set max_seats = 2 where id = $1")
        .await;
    let hold = ana.hold_id().await;
    ana.gives_back(&hold, Some(office.seat("A4")))
        .await
        .expect(303);
    assert_eq!(ana.held_seats().await, ["A1", "A2", "A3"]);
    ana.holds(&office, ["A1", "A2", "A3", "A4"])
        .await
        .expect(422);
}

#[tokio::test]
async fn a_seat_that_is_no_seat_gives_nothing_back() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    let fields = [("hold", ana.hold_id().await), ("seat", "abc".to_owned())];
    let fields = fields.map(|(name, value)| (name.to_owned(), value));
    ana.posts(&format!("/events/{}/release", office.slug), &fields)
        .await
        .expect(400);
    assert_eq!(ana.held_seats().await, ["A1", "A2"]);
}
