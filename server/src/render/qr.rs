//! QR codes as SVG. They are drawn by this server, so that no third party learns a purchase link
//! (decision B-20).

use qrcode::render::svg;
use qrcode::{Color, EcLevel, QrCode};

/// Maximum bytes of the encoded text. A QR code of this length can still be scanned from a poster.
const QR_TEXT_BYTES_MAX: usize = 300;

/// Whether a QR code is drawn with its quiet zone, a blank border of four modules. A page that
/// draws a white border of its own leaves it out, so that the code is larger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum QuietZone {
    Drawn,
    LeftOut,
}

/// Draws a text as QR code. `None` when the text is too long.
pub fn svg(text: &str, quiet_zone: QuietZone) -> Option<String> {
    if text.len() > QR_TEXT_BYTES_MAX {
        return None;
    }
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    Some(
        code.render::<svg::Color>()
            .min_dimensions(260, 260)
            .quiet_zone(quiet_zone == QuietZone::Drawn)
            .build(),
    )
}

/// Returns the modules of a QR code row by row, without a quiet zone: whether each is dark, and how
/// many are in a row. `None` when the text is too long.
pub fn modules(text: &str) -> Option<(Vec<bool>, usize)> {
    if text.len() > QR_TEXT_BYTES_MAX {
        return None;
    }
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = code.width();
    let dark = code
        .into_colors()
        .iter()
        .map(|module| *module == Color::Dark)
        .collect();
    Some((dark, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_becomes_a_qr_code_and_long_text_is_refused() {
        let drawing = svg(
            "http://localhost:8080/draw/1042?src=widget",
            QuietZone::Drawn,
        )
        .expect("a code");
        assert!(drawing.contains("<svg") && drawing.contains("</svg>"));
        assert!(
            !drawing.contains("localhost"),
            "the link is drawn, not written"
        );
        assert_eq!(svg(&"x".repeat(301), QuietZone::Drawn), None);
    }

    #[test]
    fn code_without_quiet_zone_begins_with_a_dark_module() {
        let [bordered, bare] = [QuietZone::Drawn, QuietZone::LeftOut]
            .map(|quiet_zone| svg("http://localhost:8080/draw/1042", quiet_zone).expect("a code"));
        let starts_dark = |drawing: &str| drawing.contains(r#"d="M0 0h"#);
        assert_eq!(
            [starts_dark(&bordered), starts_dark(&bare)],
            [false, true],
            "the first module of a code is dark"
        );
    }
}
