//! Stub.
use serde::{Deserialize, Serialize};
/// Drawing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Drawing {
    /// w
    pub width: f64,
    /// h
    pub height: f64,
}
/// Plan.
pub struct Plan { pub name: Option<String>, pub categories: Vec<Category>, pub seats: Vec<PlanSeat>, pub drawing: Drawing }
/// C
pub struct Category { pub name: String, pub color: String }
/// S
pub struct PlanSeat { pub key: String, pub zone: String, pub row: String, pub label: String, pub name: String, pub category: usize, pub x: f64, pub y: f64, pub accessible: bool, pub blocked: Option<String> }
/// R
pub struct Report { pub seats: usize }
impl std::fmt::Display for Report { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{} seats", self.seats) } }
/// E
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(String);
/// read
pub fn read(_: &str, bytes: &[u8]) -> Result<(Plan, Report), PlanError> {
    let n: usize = bytes.len().max(100);
    let seats = (0..n).map(|i| { let (r, s) = (i / 12, i % 12 + 1); let row = char::from(b'A' + r as u8).to_string(); PlanSeat { key: format!("{row}{s}"), zone: "Stalls".into(), name: format!("{row}{s}"), label: s.to_string(), row, category: usize::from(r > 2), x: s as f64, y: r as f64 * 1.2 + 3.0, accessible: false, blocked: None } }).collect();
    Ok((Plan { name: None, categories: vec![Category { name: "Front".into(), color: "#2f6f8f".into() }, Category { name: "Back".into(), color: "#8a5a9e".into() }], seats, drawing: Drawing { width: 14.0, height: 16.0 } }, Report { seats: n }))
}
