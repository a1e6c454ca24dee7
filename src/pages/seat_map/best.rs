//! Best available: so many seats together, chosen and held in one step.

use actix_web::{
    HttpRequest,
    http::StatusCode,
    web::{Data, Path},
};

use super::{
    Refusal, draw,
    hold::{held, try_hold},
    read,
};
use crate::{
    best::{Ask, best},
    hold::BuyerId,
    pages::{Answer, App, buyer, error::Failure, forms},
    text,
};

/// How often others may be faster before it is said so.
const TRIES: usize = 4;

/// Holds the best free seats for a party, or says that there are not so many.
pub async fn find(
    app: Data<App>,
    request: HttpRequest,
    slug: Path<String>,
    fields: forms::Fields,
) -> Answer {
    let known = buyer::buyer(&app, &request);
    let category = Some(forms::first(&fields, "category")).filter(|name| !name.is_empty());
    let found = match (&known, forms::first(&fields, "count").parse()) {
        (None, _) => Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            text::t("cookies-off"),
        )),
        (Some(buyer), Ok(count)) if count > 0 => {
            try_best(&app, &request, &slug, buyer, Ask { count, category }).await?
        }
        _ => Err(Refusal::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            text::t("best-count"),
        )),
    };
    match found {
        Ok(hold) => Ok(held(&app, &request, &slug, &hold)),
        Err(refusal) => draw(&app, &request, &slug, known.as_ref(), &[], Some(refusal)).await,
    }
}

/// Chooses and holds; when someone was faster, chooses again from what is left.
async fn try_best(
    app: &App,
    request: &HttpRequest,
    slug: &str,
    buyer: &BuyerId,
    ask: Ask<'_>,
) -> Result<Result<String, Refusal>, Failure> {
    let mut refused = None;
    for _ in 0..TRIES {
        let seen = read(app, slug, Some(buyer)).await?;
        if seen.paused {
            return Err(crate::Error::Away.into());
        }
        let most = usize::try_from(seen.map.event.max_seats).unwrap_or(0);
        if ask.count > most {
            let words = text::t("refused-too-many").count("most", most);
            return Ok(Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, words)));
        }
        let Some(seats) = best(&seen.map, ask) else {
            let words = text::t("best-none").count("n", ask.count);
            return Ok(Err(Refusal::new(StatusCode::CONFLICT, words)));
        };
        let drawn_with = seen.hold.as_ref().map(|hold| hold.id.as_str());
        match try_hold(app, request, slug, buyer, &seats, drawn_with).await? {
            Err(refusal) if refusal.status == StatusCode::CONFLICT && refusal.payment.is_none() => {
                refused = Some(refusal);
            }
            done => return Ok(done),
        }
    }
    Ok(Err(refused.unwrap_or_else(|| {
        Refusal::new(StatusCode::CONFLICT, text::t("refused-taken"))
    })))
}
