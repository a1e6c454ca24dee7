//! Forms as they arrive: pairs of names and values, of which a page takes those that it knows and no others.

use actix_web::web;
use uuid::Uuid;

/// The body of a form.
pub type Fields = web::Form<Vec<(String, String)>>;

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
