//! Payments that need an eye: money without a ticket (none, ever), what takes long, and money on its way back.

use actix_web::{http::StatusCode, web::Data};
use askama::Template;

use super::{
    super::{
        Answer, App,
        frame::{self, Frame},
        page,
    },
    Bar,
    door::Clerk,
};
use crate::{
    payment::{Overdue, OverdueRefund},
    text,
};

#[derive(Template)]
#[template(path = "staff/payments.html")]
struct PaymentsPage {
    frame: Frame,
    bar: Bar,
    without_ticket: Vec<Overdue>,
    overdue: Vec<Overdue>,
    refunds: Vec<OverdueRefund>,
}

/// Shows all three lists, each of which may be empty and says so.
pub async fn show(app: Data<App>, clerk: Clerk) -> Answer {
    page(
        &PaymentsPage {
            frame: Frame::bare(&app),
            bar: Bar::of(&app, &clerk),
            without_ticket: app.payments.without_ticket().await?,
            overdue: app.payments.overdue().await?,
            refunds: app.payments.refunds_under_way().await?,
        },
        StatusCode::OK,
    )
}

impl PaymentsPage {
    fn state(payment: &Overdue) -> text::Text {
        text::t(format!("staff-payment-{}", payment.state))
    }
}
