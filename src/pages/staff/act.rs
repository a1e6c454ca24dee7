//! What staff do at the desk, each with a reason: releasing a hold, taking seats off sale and putting them back.

use actix_web::{
    http::StatusCode,
    web::{Data, Path},
};
use serde_json::json;

use super::{
    super::{Answer, App, error::Failure, forms, see_other},
    desk::{Refusal, draw},
    door::Clerk,
};
use crate::{
    event::Event,
    hold::Changed,
    staff::{Action, Blocked, Unblocked},
    text,
};

/// Releases somebody's hold.
///
/// The audit's row is committed before Redis is asked: a release without a row cannot be, whatever breaks in between.
pub async fn release(
    app: Data<App>,
    clerk: Clerk,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    clerk.check(&app, &fields)?;
    let event = find(&app, &slug).await?;
    let hold = forms::hold(&fields).ok_or(Failure::BadForm)?;
    let refuse = |refusal: Refusal| Refusal {
        hold: Some(hold.to_owned()),
        ..refusal
    };
    let reason = match reason(&fields) {
        Ok(reason) => reason,
        Err(refusal) => return draw(&app, &clerk, &slug, true, None, refuse(*refusal)).await,
    };
    let locks = app.holds.list(event.id).await?;
    let ids: Vec<i64> = locks
        .iter()
        .filter(|seat| seat.hold == hold)
        .map(|seat| seat.seat)
        .collect();
    let gone = format!("/staff/events/{slug}?done=gone");
    if ids.is_empty() {
        return Ok(see_other(&gone));
    }
    let seats = app.seat_maps.priced(event.id, &ids).await?;
    let seats: Vec<_> = seats
        .iter()
        .map(|seat| json!({ "id": seat.id, "name": seat.name }))
        .collect();
    let detail = json!({ "hold": hold, "seats": seats });
    let member = clerk.session.member.id;
    app.staff
        .record(member, Action::Release, event.id, reason, &detail)
        .await?;

    let mut redis = app.holds.connect().await?;
    loop {
        match app.holds.release(&mut redis, event.id, hold, None).await? {
            Changed::Done(_) => {
                return Ok(see_other(&format!("/staff/events/{slug}?done=released")));
            }
            Changed::Gone | Changed::Former | Changed::Capped => {
                app.staff
                    .record(
                        member,
                        Action::ReleaseRefused,
                        event.id,
                        "hold ended",
                        &detail,
                    )
                    .await?;
                return Ok(see_other(&gone));
            }
            Changed::Paying(running) => {
                // A mark that does not bind is taken off, and the release tried again.
                if app
                    .cashier
                    .binding(&mut redis, event.id, &running)
                    .await?
                    .is_some()
                {
                    app.staff
                        .record(
                            member,
                            Action::ReleaseRefused,
                            event.id,
                            "payment running",
                            &detail,
                        )
                        .await?;
                    let refusal = Refusal {
                        status: StatusCode::CONFLICT,
                        title: Some(text::t("staff-payment-running")),
                        reason: reason.to_owned(),
                        ..Refusal::default()
                    };
                    return draw(&app, &clerk, &slug, true, None, refuse(refusal)).await;
                }
            }
        }
    }
}

/// Takes the ticked seats off sale.
pub async fn block(
    app: Data<App>,
    clerk: Clerk,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    clerk.check(&app, &fields)?;
    let event = find(&app, &slug).await?;
    let (seats, reason) = match ticked(&fields) {
        Ok(asked) => asked,
        Err(refusal) => return draw(&app, &clerk, &slug, true, None, *refusal).await,
    };
    let (title, named) = match app
        .staff
        .block(clerk.session.member.id, event.id, &seats, reason)
        .await?
    {
        Blocked::Done(_) => return Ok(see_other(&format!("/staff/events/{slug}?done=blocked"))),
        Blocked::Unknown => return Err(Failure::BadForm),
        Blocked::Refused { booked, claimed } => {
            let booked = booked
                .into_iter()
                .map(|name| (name, text::t("staff-state-booked")));
            let claimed = claimed
                .into_iter()
                .map(|name| (name, text::t("staff-state-claimed")));
            (
                text::t("staff-block-refused"),
                booked.chain(claimed).collect(),
            )
        }
    };
    let refusal = conflict(title, named, &seats, reason);
    draw(&app, &clerk, &slug, true, None, refusal).await
}

/// Puts the ticked seats back on sale.
pub async fn unblock(
    app: Data<App>,
    clerk: Clerk,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    clerk.check(&app, &fields)?;
    let event = find(&app, &slug).await?;
    let (seats, reason) = match ticked(&fields) {
        Ok(asked) => asked,
        Err(refusal) => return draw(&app, &clerk, &slug, true, None, *refusal).await,
    };
    let (title, named) = match app
        .staff
        .unblock(clerk.session.member.id, event.id, &seats, reason)
        .await?
    {
        Unblocked::Done(freed) if freed.is_empty() => (text::t("staff-unblock-none"), Vec::new()),
        Unblocked::Done(_) => {
            return Ok(see_other(&format!("/staff/events/{slug}?done=unblocked")));
        }
        Unblocked::Unknown => return Err(Failure::BadForm),
        Unblocked::NeedLabel(nameless) => {
            let named = nameless
                .into_iter()
                .map(|name| (name, text::t("staff-needs-label")))
                .collect();
            (text::t("staff-unblock-refused"), named)
        }
    };
    let refusal = conflict(title, named, &seats, reason);
    draw(&app, &clerk, &slug, true, None, refusal).await
}

async fn find(app: &App, slug: &str) -> Result<Event, Failure> {
    app.events.by_slug(slug).await?.ok_or(Failure::NotFound)
}

/// The seats that a form names, each once, and its reason.
fn ticked(fields: &forms::Fields) -> Result<(Vec<i64>, &str), Box<Refusal>> {
    let mut seats: Vec<i64> = forms::all(fields, "seat")
        .map(|id| id.parse().unwrap_or(0))
        .collect();
    seats.sort_unstable();
    seats.dedup();
    let reason = reason(fields).map_err(|refusal| {
        Box::new(Refusal {
            ticked: seats.iter().copied().collect(),
            ..*refusal
        })
    })?;
    if seats.is_empty() {
        return Err(Box::new(Refusal {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            title: Some(text::t("staff-no-seat")),
            reason: reason.to_owned(),
            ..Refusal::default()
        }));
    }
    Ok((seats, reason))
}

fn reason(fields: &forms::Fields) -> Result<&str, Box<Refusal>> {
    super::reason(fields).map_err(|complaint| {
        Box::new(Refusal {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            title: Some(text::t("staff-nothing-changed")),
            complaint: Some(complaint),
            reason: forms::first(fields, "reason").to_owned(),
            ..Refusal::default()
        })
    })
}

fn conflict(
    title: text::Text,
    seats: Vec<(String, text::Text)>,
    ticked: &[i64],
    reason: &str,
) -> Refusal {
    Refusal {
        status: StatusCode::CONFLICT,
        title: Some(title),
        seats,
        reason: reason.to_owned(),
        ticked: ticked.iter().copied().collect(),
        ..Refusal::default()
    }
}
