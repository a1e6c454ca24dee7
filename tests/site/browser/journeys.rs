//! Journeys: what a stranger does, from the list of events to the tickets.

use super::{Browser, DESK, PHONE, Window};
use crate::{
    box_office::{BoxOffice, Rules},
    person::{ANSWER_LOST, APPROVED, DECLINED},
};

const NO_JAVASCRIPT: Window = Window {
    javascript: false,
    ..PHONE
};

#[tokio::test]
async fn a_stranger_on_a_phone_buys_two_seats() {
    let office = BoxOffice::open().await;
    let ana = Browser::open(&office, PHONE).await;
    ana.goes(&format!("/events/{}", office.slug)).await;
    ana.picks("Row A, seat 5,").await;
    ana.picks("Row A, seat 6,").await;
    let total = ana.text("[data-total-text]").await;
    assert!(total.contains('2') && total.contains("€90.00"), "{total}");
    ana.clicks(".bar button").await;
    ana.arrives(&format!("/events/{}/checkout", office.slug))
        .await;
    assert!(ana.text(".time [data-clock]").await.starts_with("9:5"));
    ana.pays(APPROVED).await;
    ana.arrives("/bookings/").await;
    assert_eq!(
        ana.page
            .find_all(thirtyfour::By::Css("svg.ticket__code"))
            .await
            .expect("codes")
            .len(),
        2
    );
    // The way back leads to the same booking, and nothing is paid twice.
    let booking = ana.path().await;
    ana.page.back().await.expect("back");
    ana.arrives(&booking).await;
    assert_eq!(office.booked().await, 2);
    ana.close().await;
}

mod slow {
    use std::time::Duration;

    use thirtyfour::{Key, prelude::*};

    use super::*;

    #[tokio::test]
    async fn a_buyer_without_javascript_cancels_one_seat_and_then_the_rest() {
        let office = BoxOffice::open().await;
        let booking = office.person().books(&office, ["A1", "A2", "A3"]).await;
        let ana = Browser::open(&office, NO_JAVASCRIPT).await;
        ana.goes(&booking).await;
        ana.clicks(".cancel .tick__box").await;
        ana.clicks(".cancel button").await;
        ana.reads("h1", "Cancel this seat?").await;
        ana.clicks(".leaving button[type=submit]").await;
        ana.reads(".cancelled", "A1").await;
        assert_eq!(office.booked().await, 2);
        ana.clicks(".cancel__all").await;
        ana.reads("h1", "Cancel the whole booking?").await;
        ana.clicks(".leaving button[type=submit]").await;
        ana.reads("h1", "Your booking is cancelled").await;
        assert_eq!(office.booked().await, 0);
        ana.close().await;
    }

    #[tokio::test]
    async fn a_stranger_without_javascript_buys_two_seats_under_a_running_clock() {
        let office = BoxOffice::open().await;
        let ana = Browser::open(&office, NO_JAVASCRIPT).await;
        ana.goes(&format!("/events/{}", office.slug)).await;
        ana.picks("Row A, seat 5,").await;
        ana.picks("Row B, seat 5,").await;
        ana.clicks(".bar button").await;
        ana.arrives(&format!("/events/{}/checkout", office.slug))
            .await;
        // The clock is a style sheet's animation.
        let first = ana
            .sees(".time")
            .await
            .screenshot_as_png()
            .await
            .expect("a picture");
        tokio::time::sleep(Duration::from_millis(2500)).await;
        let second = ana
            .sees(".time")
            .await
            .screenshot_as_png()
            .await
            .expect("a picture");
        assert_ne!(first, second, "the clock stands still");
        ana.clicks("form[action$='/extend'] button").await;
        ana.sees("input[name=extension][value='2']").await;
        let give_back = "form[action$='/release'] button[aria-label='Give back seat B5']";
        ana.clicks(give_back).await;
        ana.misses(give_back).await;
        ana.pays(DECLINED).await;
        ana.reads(".notice--bad", "declined").await;
        ana.pays(APPROVED).await;
        ana.arrives("/bookings/").await;
        assert_eq!(ana.text(".ticket__seat").await, "A5");
        ana.close().await;
    }

    #[tokio::test]
    async fn a_stranger_buys_by_keyboard_alone() {
        let office = BoxOffice::open().await;
        let ana = Browser::open(&office, DESK).await;
        ana.goes(&format!("/events/{}", office.slug)).await;
        tabs_to(&ana, "Row A, seat 3,").await;
        press(&ana, " ").await;
        tabs_to(&ana, "Row A, seat 4,").await;
        press(&ana, " ").await;
        tabs_to(&ana, "Hold these seats").await;
        press(&ana, Key::Enter).await;
        ana.arrives(&format!("/events/{}/checkout", office.slug))
            .await;
        for (field, text) in [
            ("name", "Ana"),
            ("email", "ana@example.org"),
            ("card", APPROVED),
            ("expiry", "12/40"),
            ("cvc", "123"),
        ] {
            tabs_to(&ana, field).await;
            press(&ana, text).await;
        }
        tabs_to(&ana, "Pay €90.00").await;
        press(&ana, Key::Enter).await;
        ana.arrives("/bookings/").await;
        assert_eq!(office.booked().await, 2);
        ana.close().await;
    }

    /// Presses a key, or types a text, where the focus is.
    async fn press(browser: &Browser, keys: impl Into<TypingData>) {
        let focus = browser.page.active_element().await.expect("a focus");
        focus.send_keys(keys).await.expect("pressed");
    }

    /// Presses Tab until the focus is on what is called so: by its id, its label or its words.
    async fn tabs_to(browser: &Browser, called: &str) {
        for _ in 0..200 {
            let focus = browser.page.active_element().await.expect("a focus");
            let id = focus
                .attr("id")
                .await
                .expect("an answer")
                .unwrap_or_default();
            let label = focus
                .attr("aria-label")
                .await
                .expect("an answer")
                .unwrap_or_default();
            let words = focus.text().await.unwrap_or_default();
            if id == called || label.starts_with(called) || words == called {
                return;
            }
            focus.send_keys(Key::Tab).await.expect("pressed");
        }
        panic!("Tab never reached {called}");
    }

    #[tokio::test]
    async fn of_two_browsers_on_one_seat_the_second_is_told_and_keeps_the_rest() {
        let office = BoxOffice::open().await;
        let ana = Browser::open(&office, DESK).await;
        let bo = Browser::open(&office, DESK).await;
        let map = format!("/events/{}", office.slug);
        for browser in [&ana, &bo] {
            browser.goes(&map).await;
            browser.picks("Row A, seat 1,").await;
        }
        bo.picks("Row A, seat 2,").await;
        ana.clicks(".bar button").await;
        ana.arrives(&format!("{map}/checkout")).await;
        bo.clicks(".bar button").await;
        assert!(
            bo.text(".notice--bad")
                .await
                .contains("A1: held by someone")
        );
        assert!(
            bo.sees("input[aria-label^='Row A, seat 2,']")
                .await
                .is_selected()
                .await
                .expect("a state")
        );
        bo.clicks(".bar button").await;
        bo.arrives(&format!("{map}/checkout")).await;
        ana.close().await;
        bo.close().await;
    }

    #[tokio::test]
    async fn when_the_hold_ends_the_page_says_so_by_itself() {
        for window in [DESK, NO_JAVASCRIPT] {
            let office = BoxOffice::with(Rules {
                hold_seconds: 4,
                hold_cap_seconds: 4,
                ..Rules::default()
            })
            .await;
            let ana = Browser::open(&office, window).await;
            ana.goes(&format!("/events/{}", office.slug)).await;
            ana.picks("Row A, seat 5,").await;
            ana.clicks(".bar button").await;
            ana.arrives(&format!("/events/{}/checkout", office.slug))
                .await;
            ana.sees(".message").await;
            assert_eq!(ana.text("h1").await, "Your hold has ended");
            ana.clicks(".message a").await;
            ana.arrives(&format!("/events/{}", office.slug)).await;
            ana.close().await;
        }
    }

    #[tokio::test]
    async fn a_double_click_on_pay_is_one_booking() {
        let office = BoxOffice::open().await;
        let ana = Browser::open(&office, DESK).await;
        ana.goes(&format!("/events/{}", office.slug)).await;
        ana.picks("Row A, seat 5,").await;
        ana.clicks(".bar button").await;
        for (field, text) in [
            ("#name", "Ana"),
            ("#email", "a@example.org"),
            ("#card", APPROVED),
            ("#expiry", "12/40"),
            ("#cvc", "123"),
        ] {
            ana.types(field, text).await;
        }
        let button = ana.sees("form.pay button[type=submit]").await;
        ana.page
            .action_chain()
            .double_click_element(&button)
            .perform()
            .await
            .expect("clicked twice");
        ana.arrives("/bookings/").await;
        ana.page.refresh().await.expect("again");
        ana.sees(".ticket").await;
        assert_eq!(office.booked().await, 1);
        assert_eq!(
            office
                .count("select count(*) from payment where event_id = $1")
                .await,
            1
        );
        ana.close().await;
    }

    #[tokio::test]
    async fn a_lost_answer_ends_with_the_tickets_on_the_same_page() {
        let office = BoxOffice::open().await;
        let ana = Browser::open(&office, PHONE).await;
        ana.goes(&format!("/events/{}", office.slug)).await;
        ana.picks("Row A, seat 5,").await;
        ana.clicks(".bar button").await;
        ana.pays(ANSWER_LOST).await;
        ana.arrives("/bookings/").await;
        assert!(ana.text("h1").await.contains("checking"));
        ana.sees(".ticket").await;
        assert_eq!(office.booked().await, 1);
        ana.close().await;
    }
}
