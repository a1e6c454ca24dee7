//! What an accessibility engine finds, and whether pages fit the screens that people have.

mod slow {
    use std::path::Path;

    use crate::{
        box_office::BoxOffice,
        browser::{Browser, DESK, PHONE, Window},
        person::{ANSWER_LOST, APPROVED, DECLINED},
    };

    /// The engine's text, which npm brings.
    fn engine() -> String {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/browser/node_modules/axe-core/axe.min.js");
        std::fs::read_to_string(&file).unwrap_or_else(|_| {
            panic!(
                "{} is missing: run bin/test, or npm ci --prefix tests/browser",
                file.display()
            )
        })
    }

    /// Whether the page that is open has any violation, and whether it scrolls sideways.
    async fn looks(browser: &Browser, state: &str) -> Vec<String> {
        let script = format!("{}; return null;", engine());
        browser
            .page
            .execute(script, vec![])
            .await
            .expect("the engine loads");
        let found = browser
            .page
            .execute_async(
                "const done = arguments[arguments.length - 1];
                 axe.run().then(r => done(r.violations.map(v => `${v.id}: ${v.nodes[0].target} ${v.help}`)),
                                e => done([String(e)]));",
                vec![],
            )
            .await
            .expect("the engine runs");
        let mut found: Vec<String> = serde_json::from_value(found.json().clone()).expect("a list");
        let sideways = browser
            .runs("return document.scrollingElement.scrollWidth > document.documentElement.clientWidth")
            .await;
        if sideways == true {
            found.push("the page scrolls sideways".to_owned());
        }
        let twice = browser
            .runs(
                "const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
                 return ids.filter((id, at) => ids.indexOf(id) !== at)",
            )
            .await;
        if twice.as_array().is_some_and(|twice| !twice.is_empty()) {
            found.push(format!("ids that stand twice: {twice}"));
        }
        found
            .into_iter()
            .map(|violation| format!("{state}: {violation}"))
            .collect()
    }

    /// Opens every page in every state and gathers what is wrong.
    async fn walk(window: Window) {
        let office = BoxOffice::open().await;
        let map = format!("/events/{}", office.slug);
        let bo = office.person();
        let booking = bo.books(&office, ["A1", "A2"]).await;
        bo.holds(&office, ["B1"]).await.expect(303);
        office
            .run("update seat set blocked_reason = 'camera' where event_id = $1 and name = 'C1'")
            .await;

        let ana = Browser::open(&office, window).await;
        let mut wrong = Vec::new();
        ana.goes("/").await;
        wrong.extend(looks(&ana, "events").await);
        ana.goes("/nowhere").await;
        wrong.extend(looks(&ana, "404").await);
        ana.goes(&format!("{map}/checkout")).await;
        wrong.extend(looks(&ana, "hold ended").await);
        ana.goes("/staff/log-in").await;
        wrong.extend(looks(&ana, "log-in").await);
        ana.goes(&map).await;
        wrong.extend(looks(&ana, "map").await);
        ana.picks("Row A, seat 5,").await;
        ana.picks("Row A, seat 6,").await;
        wrong.extend(looks(&ana, "map, ticked").await);
        office.person().holds(&office, ["A6"]).await.expect(303);
        ana.clicks(".bar button").await;
        ana.sees(".notice--bad").await;
        wrong.extend(looks(&ana, "map, refused").await);
        ana.clicks(".bar button").await;
        ana.arrives(&format!("{map}/checkout")).await;
        wrong.extend(looks(&ana, "checkout").await);
        ana.clicks("form.pay button[type=submit]").await;
        ana.sees("#name-complaint").await;
        wrong.extend(looks(&ana, "checkout, incomplete").await);
        ana.pays(DECLINED).await;
        ana.reads(".notice--bad", "declined").await;
        wrong.extend(looks(&ana, "checkout, declined").await);
        ana.goes(&map).await;
        wrong.extend(looks(&ana, "map, holding").await);
        ana.goes(&format!("{map}/checkout")).await;
        ana.pays(ANSWER_LOST).await;
        ana.arrives("/bookings/").await;
        wrong.extend(looks(&ana, "checking").await);
        ana.sees(".ticket").await;
        wrong.extend(looks(&ana, "booking").await);
        wrong.extend(cancels(&ana, &office, &booking).await);
        ana.close().await;
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// Cancels first one seat of a booking, then the rest, and gathers what is wrong with what it sees.
    async fn cancels(ana: &Browser, office: &BoxOffice, booking: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        ana.goes(booking).await;
        ana.clicks(".cancel .tick__box").await;
        ana.clicks(".cancel button").await;
        ana.sees(".leaving").await;
        wrong.extend(looks(ana, "cancel one").await);
        ana.clicks(".leaving button[type=submit]").await;
        ana.sees(".ticket").await;
        wrong.extend(looks(ana, "booking, one seat cancelled").await);
        office
            .run("update event set cancel_before_seconds = null where id = $1")
            .await;
        ana.clicks(".cancel button").await;
        ana.sees(".message").await;
        wrong.extend(looks(ana, "cancel, refused").await);
        office
            .run("update event set cancel_before_seconds = 86400 where id = $1")
            .await;
        ana.clicks(".message a.button").await;
        ana.sees(".ticket").await;
        ana.clicks(".cancel button").await;
        ana.sees(".leaving").await;
        wrong.extend(looks(ana, "cancel all").await);
        ana.clicks(".leaving button[type=submit]").await;
        ana.sees(".main:not(:has(.ticket)) .cancelled").await;
        wrong.extend(looks(ana, "booking, cancelled").await);
        wrong
    }

    #[tokio::test]
    async fn no_page_has_a_violation_on_a_phone() {
        walk(PHONE).await;
    }

    #[tokio::test]
    async fn no_page_has_a_violation_on_a_wide_screen_in_the_dark() {
        walk(Window { dark: true, ..DESK }).await;
    }

    #[tokio::test]
    async fn no_page_has_a_violation_on_the_narrowest_screen() {
        walk(Window {
            width: 320,
            height: 640,
            ..PHONE
        })
        .await;
    }

    #[tokio::test]
    async fn no_page_of_the_box_office_has_a_violation() {
        let office = BoxOffice::open().await;
        let bo = office.person();
        bo.holds(&office, ["A1", "A2"]).await.expect(303);
        let booked = bo.pays(APPROVED).await.expect(303).location;
        let reference = bo.gets(&booked).await.expect(200).text(".facts__reference");
        bo.holds(&office, ["B1"]).await.expect(303);
        for window in [PHONE, Window { dark: true, ..DESK }] {
            let (email, password) = crate::staff::account().await;
            let clerk = Browser::open(&office, window).await;
            clerk.goes("/staff").await;
            clerk.types("[name=email]", &email).await;
            clerk.types("[name=password]", &password).await;
            clerk.clicks("main form button[type=submit]").await;
            clerk.arrives("/staff").await;
            let mut wrong = Vec::new();
            for page in [
                "/staff".to_owned(),
                format!("/staff/events/{}", office.slug),
                "/staff/bookings?q=ana".to_owned(),
                "/staff/payments".to_owned(),
                format!("/staff/bookings/{reference}"),
                format!("/staff/bookings/{reference}/cancel"),
            ] {
                clerk.goes(&page).await;
                wrong.extend(looks(&clerk, &page).await);
            }
            clerk
                .clicks("main form[method=post].desk__form button")
                .await;
            clerk.sees("#reason-complaint").await;
            wrong.extend(looks(&clerk, "cancel, incomplete").await);
            clerk.close().await;
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
    }

    #[tokio::test]
    async fn seats_are_large_enough_for_a_thumb_on_a_phone() {
        let office = BoxOffice::open().await;
        let ana = Browser::open(&office, PHONE).await;
        ana.goes(&format!("/events/{}", office.slug)).await;
        ana.sees("input[name=zoom][value=seat]").await;
        let smallest = ana
            .runs(
                "document.querySelector('input[name=zoom][value=seat]').click();
                 return Math.min(...[...document.querySelectorAll('.seat')].flatMap(seat => {
                     const box = seat.getBoundingClientRect(); return [box.width, box.height];
                 }))",
            )
            .await;
        assert!(
            smallest.as_f64().is_some_and(|pixels| pixels >= 44.0),
            "{smallest}"
        );
        ana.close().await;
    }
}
