//! The audit: what is broken on purpose is found, each by the rule that it breaks.

use crate::box_office::{BoxOffice, Rules, Stage};

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_finds_each_way_in_which_a_cancellation_can_be_wrong() {
    let stage = tokio::task::spawn_blocking(|| Stage::start(&["LIMITS=off"], 2))
        .await
        .expect("a stage");
    let office = BoxOffice::at(&stage, stage.bases(), Rules::default()).await;
    let ana = office.person();
    let whole = ana.books(&office, ["B1"]).await;
    ana.cancels(&whole, &[]).await.expect(303);
    let booking = ana.books(&office, ["A1", "A2", "C1"]).await;
    ana.cancels(&booking, &[office.seat("A1")])
        .await
        .expect(303);
    // Both refunds are through: no worker touches them any more.
    let open = "select count(*) from refund join payment on payment.id = payment_id
                 where event_id = $1 and refund.state = 'pending'";
    while office.count(open).await > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let (code, printed) = stage.command(&["audit"]);
    assert!(code == 0 && printed.contains("0 violations"), "{printed}");

    for (harm, repair, found) in harms() {
        office.run(&harm).await;
        let (code, printed) = stage.command(&["audit"]);
        assert!(code != 0 && printed.contains(found), "{found}: {printed}");
        office.run(&repair).await;
    }
    let (code, printed) = stage.command(&["audit"]);
    assert!(code == 0 && printed.contains("0 violations"), "{printed}");
}

/// How the books can be wrong, how each is set right, and what the audit says of it; `$1` is the event.
fn harms() -> [(String, String, &'static str); 10] {
    let ticket =
        "event_id = $1 and seat_id in (select id from seat where event_id = $1 and name = 'A1')";
    let message =
        "kind = 'seats.cancelled' and booking_id in (select id from booking where event_id = $1)";
    let refund =
        "id in (select refund_id from booking_seat where event_id = $1) and amount_minor > 0
                  and reason <> 'x'";
    [
        (
            format!("update refund set amount_minor = amount_minor - 1 where {refund}"),
            format!("update refund set amount_minor = amount_minor + 1 where {refund}"),
            "invariant 2: refund",
        ),
        (
            format!("update refund set amount_minor = amount_minor - 1 where {refund}"),
            format!("update refund set amount_minor = amount_minor + 1 where {refund}"),
            "invariant 2: payment",
        ),
        (
            format!("update booking_seat set refund_id = null where {ticket}"),
            format!("update booking_seat set refund_id = (
                         select refund.id from refund join booking on booking.payment_id = refund.payment_id
                          where booking.id = booking_seat.booking_id)
                      where {ticket}"),
            "has no refund",
        ),
        (
            format!("update outbox set kind = 'mislaid' where {message}"),
            "update outbox set kind = 'seats.cancelled'
              where kind = 'mislaid' and booking_id in (select id from booking where event_id = $1)"
                .to_owned(),
            "invariant 8: booking",
        ),
        (
            format!("update outbox set payload = jsonb_set(payload, '{{returned_minor}}', '1') where {message}"),
            format!("update outbox set payload = jsonb_set(payload, '{{returned_minor}}', '4500') where {message}"),
            "invariant 8: booking",
        ),
        (
            format!("update outbox set kind = 'booking.cancelled' where {message}"),
            "update outbox set kind = 'seats.cancelled'
              where kind = 'booking.cancelled' and payload ->> 'seats' = (
                        select jsonb_build_array(id)::text from seat where event_id = $1 and name = 'A1')"
                .to_owned(),
            "has 2 live seats and 1 booking.cancelled messages",
        ),
        (
            "update outbox set kind = 'mislaid' where kind = 'refund.completed'
                and booking_id in (select id from booking where event_id = $1)"
                .to_owned(),
            "update outbox set kind = 'refund.completed' where kind = 'mislaid'
                and booking_id in (select id from booking where event_id = $1)"
                .to_owned(),
            "has 0 refund.completed messages",
        ),
        (
            format!("insert into outbox (kind, booking_id, payload, created_at)
                     select kind, booking_id, payload, created_at + interval '1 s' from outbox where {message}"),
            format!("delete from outbox where {message} and id not in (
                         select min(id) from outbox where {message})"),
            "but message",
        ),
        (
            format!("with live as (update booking_seat set cancelled_at = null where {ticket})
                     update seat set status = 'booked' where event_id = $1 and name = 'A1'"),
            format!("with again as (
                         update booking_seat set cancelled_at = (select created_at from outbox where {message})
                          where {ticket}
                     )
                     update seat set status = 'available' where event_id = $1 and name = 'A1'"),
            "invariant 9: booking",
        ),
        (
            format!("update refund set done_at = null where {refund}"),
            format!("update refund set done_at = now() where {refund}"),
            "invariant 9: refund",
        ),
    ]
}
