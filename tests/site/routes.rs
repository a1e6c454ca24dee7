//! Every route, and what it answers to nobody, to a shopper, to another shopper, and to staff.

use crate::{
    box_office::BoxOffice,
    person::{APPROVED, Person},
    staff::clerk,
};

/// A route: its method, its address, its fields, and the status for nobody, ana, bo and staff.
type Row = (&'static str, String, Vec<(&'static str, String)>, [u16; 4]);

async fn status(person: &Person, (method, path, fields, _): &Row) -> u16 {
    if *method == "GET" {
        return person.gets(path).await.status;
    }
    let fields: Vec<(String, String)> = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    person.posts(path, &fields).await.status
}

#[tokio::test]
#[expect(
    clippy::too_many_lines,
    reason = "one table, a line or more for each route"
)]
async fn every_route_answers_rightly_to_nobody_a_shopper_another_shopper_and_staff() {
    let office = BoxOffice::open().await;
    let (nobody, ana, bo, clerk) = (
        office.person(),
        office.person(),
        office.person(),
        clerk(&office).await,
    );
    // ana has a booking and a hold; bo has only looked.
    ana.holds(&office, ["B1"]).await.expect(303);
    let booking = ana.pays(APPROVED).await.expect(303).location;
    let reference = ana
        .gets(&booking)
        .await
        .expect(200)
        .text(".facts__reference");
    ana.holds(&office, ["A1", "A2"]).await.expect(303);
    bo.opens_map().await.expect(200);
    let hold = ana.hold_id().await;
    let form = ana.payment_form().await;

    let event = format!("/events/{}", office.slug);
    let desk = format!("/staff/events/{}", office.slug);
    let of_hold = || vec![("hold", hold.clone())];
    let seat = || vec![("seat", office.seat("A1").to_string())];
    let pay: Vec<(&'static str, String)> = ["hold", "payment", "total", "token"]
        .map(|name| (name, form.get(name).to_owned()))
        .to_vec();
    let rows: Vec<Row> = vec![
        ("GET", "/".to_owned(), vec![], [200, 200, 200, 200]),
        ("GET", event.clone(), vec![], [200, 200, 200, 200]),
        (
            "GET",
            format!("{event}/map.css"),
            vec![],
            [200, 200, 200, 200],
        ),
        (
            "GET",
            "/countdown/60.css".to_owned(),
            vec![],
            [200, 200, 200, 200],
        ),
        ("GET", booking.clone(), vec![], [200, 200, 200, 200]),
        (
            "GET",
            format!("{booking}/event.ics"),
            vec![],
            [200, 200, 200, 200],
        ),
        (
            "GET",
            format!("{booking}/cancel"),
            vec![],
            [200, 200, 200, 200],
        ),
        // Without the form's token not even the address of the booking cancels anything.
        (
            "POST",
            format!("{booking}/cancel"),
            vec![("returns", "4500".to_owned())],
            [403, 403, 403, 403],
        ),
        (
            "GET",
            format!("/bookings/{reference}/cancel"),
            vec![],
            [404, 404, 404, 404],
        ),
        (
            "GET",
            format!("/bookings/{reference}"),
            vec![],
            [404, 404, 404, 404],
        ),
        (
            "GET",
            "/health/live".to_owned(),
            vec![],
            [200, 200, 200, 200],
        ),
        (
            "GET",
            "/health/ready".to_owned(),
            vec![],
            [200, 200, 200, 200],
        ),
        ("GET", "/metrics".to_owned(), vec![], [200, 200, 200, 200]),
        (
            "GET",
            format!("{event}/checkout"),
            vec![],
            [410, 200, 410, 410],
        ),
        (
            "POST",
            format!("{event}/extend"),
            of_hold(),
            [410, 303, 410, 410],
        ),
        // The form is complete but for the card: only its owner gets as far as that.
        (
            "POST",
            format!("{event}/payment"),
            pay,
            [403, 422, 403, 403],
        ),
        (
            "POST",
            format!("{event}/hold"),
            seat(),
            [409, 303, 409, 409],
        ),
        (
            "POST",
            format!("{event}/best"),
            vec![("count", "0".to_owned())],
            [422, 422, 422, 422],
        ),
        ("GET", "/staff".to_owned(), vec![], [303, 303, 303, 200]),
        (
            "GET",
            "/staff/log-in".to_owned(),
            vec![],
            [200, 200, 200, 200],
        ),
        (
            "GET",
            "/staff/invite/unknown".to_owned(),
            vec![],
            [410, 410, 410, 410],
        ),
        ("GET", desk.clone(), vec![], [303, 303, 303, 200]),
        (
            "GET",
            "/staff/bookings".to_owned(),
            vec![],
            [303, 303, 303, 200],
        ),
        (
            "GET",
            "/staff/payments".to_owned(),
            vec![],
            [303, 303, 303, 200],
        ),
        (
            "GET",
            format!("/staff/bookings/{reference}"),
            vec![],
            [303, 303, 303, 200],
        ),
        (
            "GET",
            format!("/staff/bookings/{reference}/cancel"),
            vec![],
            [303, 303, 303, 200],
        ),
        // Without the form's token not even staff do anything.
        (
            "POST",
            format!("/staff/bookings/{reference}/cancel"),
            vec![("reason", "x".to_owned()), ("returns", "4500".to_owned())],
            [303, 303, 303, 403],
        ),
        (
            "POST",
            format!("{desk}/block"),
            seat(),
            [303, 303, 303, 403],
        ),
        (
            "POST",
            format!("{desk}/unblock"),
            seat(),
            [303, 303, 303, 403],
        ),
        (
            "POST",
            format!("{desk}/release"),
            of_hold(),
            [303, 303, 303, 403],
        ),
        (
            "POST",
            "/staff/log-out".to_owned(),
            vec![],
            [303, 303, 303, 403],
        ),
        // Releasing what is not one's own is a success that does nothing.
        (
            "POST",
            format!("{event}/release"),
            vec![("hold", "0".repeat(32))],
            [303, 409, 303, 303],
        ),
    ];
    let people = [&nobody, &ana, &bo, &clerk];
    let mut wrong = Vec::new();
    for row in &rows {
        for (person, (who, expected)) in people
            .iter()
            .zip(["nobody", "ana", "bo", "staff"].iter().zip(row.3))
        {
            let seen = status(person, row).await;
            if seen != expected {
                wrong.push(format!(
                    "{} {} for {who}: {seen}, not {expected}",
                    row.0, row.1
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        ana.held_seats().await,
        ["A1", "A2"],
        "nobody else has touched ana's hold"
    );
}
