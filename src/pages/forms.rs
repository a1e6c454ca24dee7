//! Forms as they arrive: pairs of names and values, of which a page takes those that it knows and no others.

use std::{ops::Deref, time::Duration};

use actix_web::{FromRequest, HttpRequest, dev::Payload, web};
use futures_util::future::LocalBoxFuture;
use tokio::time::timeout;
use uuid::Uuid;

use super::error::Failure;

/// How long the body of a form may take to arrive.
const BOUND: Duration = Duration::from_secs(10);

/// The body of a form.
pub struct Fields(Vec<(String, String)>);

impl Deref for Fields {
    type Target = [(String, String)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromRequest for Fields {
    type Error = actix_web::Error;
    type Future = LocalBoxFuture<'static, Result<Self, actix_web::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let form = web::Form::<Vec<(String, String)>>::from_request(request, payload);
        Box::pin(async move {
            let form = timeout(BOUND, form).await.map_err(|_| Failure::TooSlow)?;
            Ok(Self(form?.into_inner()))
        })
    }
}

/// The first value of a field, without the spaces around it; empty when it is missing.
pub fn first<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields
        .iter()
        .find(|(key, _)| key == name)
        .map_or("", |(_, value)| value.trim())
}

/// All values of a field.
pub fn all<'a>(fields: &'a Fields, name: &'static str) -> impl Iterator<Item = &'a str> {
    fields
        .iter()
        .filter(move |(key, _)| key == name)
        .map(|(_, value)| value.trim())
}

/// The hold that a form names, if it has a hold's form.
pub fn hold(fields: &Fields) -> Option<&str> {
    Some(first(fields, "hold")).filter(|id| crate::random::is_token(id))
}

/// The payment that a form names.
pub fn payment(fields: &Fields) -> Option<Uuid> {
    Uuid::try_parse(first(fields, "payment")).ok()
}
