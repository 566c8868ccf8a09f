//! QR codes as SVG. They are drawn by this server, so that no third party learns a purchase link
//! (decision B-20).

use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};

/// Maximum bytes of the encoded text. A QR code of this length can still be scanned from a poster.
const QR_TEXT_BYTES_MAX: usize = 300;

/// Draws a text as QR code with a quiet zone (blank border) of four modules. `None` when the text
/// is too long.
pub fn svg(text: &str) -> Option<String> {
    if text.len() > QR_TEXT_BYTES_MAX {
        return None;
    }
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    Some(
        code.render::<svg::Color>()
            .min_dimensions(260, 260)
            .quiet_zone(true)
            .build(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_becomes_a_qr_code_and_long_text_is_refused() {
        let drawing = svg("http://localhost:8080/draw/1042?src=widget").expect("a code");
        assert!(drawing.contains("<svg") && drawing.contains("</svg>"));
        assert!(
            !drawing.contains("localhost"),
            "the link is drawn, not written"
        );
        assert_eq!(svg(&"x".repeat(301)), None);
    }
}
