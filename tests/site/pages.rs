//! What every page owes to everyone: headers, failures with a face, and no way in for forms from elsewhere.

use reqwest::Method;

use crate::box_office::BoxOffice;

#[tokio::test]
async fn every_failure_has_a_page_with_a_request_id_and_a_way_back() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let missing = format!("/events/{}x", office.slug);
    for path in [
        "/nothing",
        missing.as_str(),
        "/bookings/short",
        "/static/0/../Cargo.toml",
        "/countdown/x.css",
    ] {
        let page = ana.gets(path).await.expect(404);
        assert!(
            page.has("main h1") && page.has("main a[href='/']") && page.has(".message__id"),
            "{path}: {}",
            page.html
        );
    }
    let page = ana.gets(&format!("/events/{}/hold", office.slug)).await;
    assert_eq!(page.status, 405, "a form's address is no page");
    assert!(page.has("main h1"));
    ana.send(ana.request(Method::HEAD, "/")).await.expect(200);
    ana.gets("/events/%00").await.expect(404);
    let huge = vec![("seat".to_owned(), "1".repeat(100_000))];
    let page = ana
        .posts(&format!("/events/{}/hold", office.slug), &huge)
        .await
        .expect(413);
    assert!(page.has("main h1"));
    let bad = ana
        .request(Method::POST, &format!("/events/{}/hold", office.slug))
        .header("Sec-Fetch-Site", "same-origin")
        .header("Content-Type", "application/json")
        .body("{}");
    let page = ana.send(bad).await;
    assert_eq!(page.status, 400, "{}", page.html);
    assert!(page.has("main h1"));
}

#[tokio::test]
async fn a_form_from_another_site_changes_nothing() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.opens_map().await;
    let path = format!("/events/{}/hold", office.slug);
    let seat = [("seat", office.seat("A1").to_string())];
    let press = |headers: &[(&'static str, String)]| {
        let mut request = ana.request(Method::POST, &path).form(&seat);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        ana.send(request)
    };
    let own = ana.base.clone();
    for foreign in [
        vec![],
        vec![("Sec-Fetch-Site", "cross-site".to_owned())],
        vec![
            ("Sec-Fetch-Site", "same-site".to_owned()),
            ("Origin", own.clone()),
        ],
        vec![("Origin", "https://evil.example".to_owned())],
        vec![("Origin", "null".to_owned())],
    ] {
        let refused = press(&foreign).await.expect(403);
        assert!(refused.has("main h1") && refused.headers.contains_key("content-security-policy"));
    }
    ana.opens_checkout().await.expect(410);
    press(&[("Origin", own)]).await.expect(303);
}

#[tokio::test]
async fn a_payment_form_needs_the_token_of_its_own_buyer() {
    let office = BoxOffice::open().await;
    let (ana, bo) = (office.person(), office.person());
    ana.holds(&office, ["A1"]).await.expect(303);
    bo.holds(&office, ["A2"]).await.expect(303);
    let (form, others) = (ana.payment_form().await, bo.payment_form().await);
    for token in ["", others.get("token")] {
        ana.presses_pay(&form.clone().with("token", token), crate::person::APPROVED)
            .await
            .expect(403);
    }
    assert_eq!(office.booked().await, 0);
}

#[tokio::test]
async fn a_cookie_that_we_did_not_sign_is_nobody() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let forged = ana
        .request(Method::POST, &format!("/events/{}/hold", office.slug))
        .header("Sec-Fetch-Site", "same-origin")
        .header("Cookie", format!("buyer={}", "a".repeat(32)))
        .form(&[("seat", office.seat("A1").to_string())]);
    ana.send(forged).await.expect(422);
}

#[tokio::test]
async fn pages_forbid_framing_sniffing_and_everything_inline() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let page = ana.opens_map().await.expect(200);
    let policy = page.headers["content-security-policy"]
        .to_str()
        .expect("text");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
    assert_eq!(page.headers["referrer-policy"], "same-origin");
    let cookies: Vec<_> = page
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|c| c.to_str().expect("text"))
        .collect();
    assert!(!cookies.is_empty());
    for cookie in cookies {
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
            "{cookie}"
        );
    }
    ana.holds(&office, ["A1"]).await.expect(303);
    for page in [
        ana.opens_map().await,
        ana.opens_checkout().await,
        ana.gets("/").await,
    ] {
        assert!(
            !page.has("[style], style, script:not([src]), [onclick]"),
            "nothing inline"
        );
    }
}

#[tokio::test]
async fn the_map_is_read_zone_by_zone_row_by_row_with_price_and_state() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let map = ana.opens_map().await.expect(200);
    let spoken = map.attributes(".seat__box", "aria-label");
    assert_eq!(spoken.len(), 40);
    assert_eq!(spoken[0], "Row A, seat 1, front, €45.00, available");
    assert_eq!(
        spoken[9], "Row A, seat 10, front, €45.00, available",
        "natural order: 2 before 10"
    );
    assert_eq!(spoken[39], "Row D, seat 10, back, €30.00, available");
}

#[tokio::test]
async fn static_files_are_kept_for_ever_under_the_name_of_their_content() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    let page = ana.gets("/").await.expect(200);
    let sheet = page.attributes("link[rel=stylesheet]", "href")[0].clone();
    let file = ana.gets(&sheet).await.expect(200);
    assert!(
        file.headers["cache-control"]
            .to_str()
            .expect("text")
            .contains("immutable")
    );
    let map = ana.opens_map().await.expect(200);
    let places = map.attributes("link[href*='/map.css']", "href")[0].clone();
    let places = ana.gets(&places).await.expect(200);
    assert!(places.html.contains(&format!("#p{} ", office.seat("A1"))));
    assert!(
        places.headers["cache-control"]
            .to_str()
            .expect("text")
            .contains("immutable")
    );
}

#[tokio::test]
async fn machines_are_told_whether_it_is_alive_and_ready() {
    let office = BoxOffice::open().await;
    let ana = office.person();
    ana.gets("/health/live").await.expect(200);
    ana.gets("/health/ready").await.expect(200);
    ana.opens_map().await;
    let metrics = ana.gets("/metrics").await.expect(200);
    assert!(
        metrics.html.contains("route=\"/events/{slug}\""),
        "{}",
        metrics.html
    );
}

#[tokio::test]
async fn every_page_is_valid_html_with_ids_that_stand_once() {
    let office = BoxOffice::open().await;
    let (ana, clerk) = (office.person(), crate::staff::clerk(&office).await);
    let event = format!("/events/{}", office.slug);
    let mut pages = vec![
        ana.gets("/").await,
        ana.gets("/nowhere").await,
        ana.opens_checkout().await,
        ana.opens_map().await,
    ];
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    pages.push(ana.opens_map().await);
    pages.push(office.person().holds(&office, ["A1", "B1"]).await);
    pages.push(ana.opens_checkout().await);
    let form = ana.payment_form().await;
    pages.push(
        ana.presses_pay(&form.clone().with("email", "x"), crate::person::APPROVED)
            .await,
    );
    let booked = ana
        .presses_pay(&form, crate::person::APPROVED)
        .await
        .expect(303)
        .location;
    let bookings = ana.gets(&booked).await;
    let sale = format!("/staff/bookings/{}", bookings.text(".facts__reference"));
    pages.push(bookings);
    pages.push(clerk.gets(&sale).await);
    pages.push(ana.asks_to_cancel(&booked, &[]).await);
    pages.push(ana.asks_to_cancel(&booked, &[0]).await);
    let staffs = clerk.asks_to_cancel(&sale, &[]).await;
    pages.push(
        clerk
            .presses_cancel(&sale, &staffs.form("/cancel"))
            .await
            .expect(422),
    );
    pages.push(staffs);
    for seat in office.ids(["A1", "A2"]) {
        let form = ana.asks_to_cancel(&booked, &[seat]).await.form("/cancel");
        pages.push(
            ana.presses_cancel(&booked, &form.clone().with("returns", "1"))
                .await
                .expect(409),
        );
        ana.presses_cancel(&booked, &form).await.expect(303);
        pages.push(ana.gets(&booked).await);
        pages.push(clerk.gets(&sale).await);
    }
    for page in [
        "/staff",
        &format!("/staff{event}"),
        "/staff/bookings?q=ana",
        "/staff/payments",
        "/staff/log-in",
    ] {
        pages.push(clerk.gets(page).await);
    }
    for page in pages {
        let title = page.text("title");
        let parsed = scraper::Html::parse_document(&page.html);
        assert!(parsed.errors.is_empty(), "{title}: {:?}", parsed.errors);
        let ids = page.attributes("[id]", "id");
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "{title}: an id stands twice");
        let known: std::collections::HashSet<_> = ids.iter().cloned().collect();
        for attribute in ["for", "aria-labelledby", "aria-describedby"] {
            for named in page.attributes(&format!("[{attribute}]"), attribute) {
                assert!(
                    known.contains(&named),
                    "{title}: {attribute} names {named}, which is not there"
                );
            }
        }
    }
}
