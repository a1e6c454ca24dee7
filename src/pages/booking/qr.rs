//! The code of a ticket as a drawing.

use std::fmt::Write;

use qrcode::{Color, QrCode};

use crate::Error;

/// A QR code as one SVG path.
pub struct Qr {
    pub size: usize,
    pub path: String,
}

impl Qr {
    /// The code as dark squares on a light ground, one unit each, without the quiet zone, which the style sheet gives.
    pub fn of(code: &str) -> Result<Self, Error> {
        let code =
            QrCode::new(code.as_bytes()).map_err(|e| Error::Broken(format!("QR code: {e}")))?;
        let size = code.width();
        let dark = code
            .to_colors()
            .into_iter()
            .enumerate()
            .filter(|(_, color)| *color == Color::Dark);
        let path = dark.fold(String::new(), |mut path, (at, _)| {
            let _ = write!(path, "M{} {}h1v1h-1z", at % size, at / size);
            path
        });
        Ok(Self { size, path })
    }
}
