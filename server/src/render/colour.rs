//! Club colours with legible text (WCAG 2.2, criterion 1.4.3).

/// A colour as red, green and blue bytes. Its text form `#rrggbb` is safe in a style attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour(pub [u8; 3]);

/// The band of a club whose primary colour is too light for white text.
const DARK_BAND: Colour = Colour([0x10, 0x20, 0x1d]);
const GOLD: Colour = Colour([0xff, 0xb8, 0x1c]);

impl Colour {
    /// Parses `#` and six hexadecimal digits.
    pub fn parse(text: &str) -> Option<Colour> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let mut rgb = [0; 3];
        hex::decode_to_slice(digits, &mut rgb).ok()?;
        Some(Colour(rgb))
    }

    /// Returns the colour as CSS text, `#rrggbb`.
    pub fn css(self) -> String {
        format!("#{}", hex::encode(self.0))
    }

    /// Returns the text colour for this background: white if its contrast is at least 4.5,
    /// otherwise black, whose contrast is then at least 4.58.
    pub fn readable_text_colour(self) -> &'static str {
        if self.contrast(Colour([255; 3])) >= 4.5 {
            "#ffffff"
        } else {
            "#000000"
        }
    }

    /// Returns the background of a club's bands and buttons, on which white text is legible: the
    /// club's primary colour, or a dark colour for a light one.
    #[must_use]
    pub fn band_colour(self) -> Colour {
        if self.contrast(Colour([255; 3])) >= 4.5 {
            self
        } else {
            DARK_BAND
        }
    }

    /// Returns the colour of the prize on this band: the club's accent colour, gold or white,
    /// whichever first has the contrast of 3 that large text needs.
    #[must_use]
    pub fn prize_colour(self, accent: Colour) -> Colour {
        let legible = |colour: &Colour| self.contrast(*colour) >= 3.0;
        [accent, GOLD]
            .into_iter()
            .find(legible)
            .unwrap_or(Colour([255; 3]))
    }

    /// Returns a mixture of two colours. `part` is the other colour's part, 0 to 1.
    #[must_use]
    pub fn mixed(self, other: Colour, part: f32) -> Colour {
        let channel = |at: usize| {
            let (from, to) = (f32::from(self.0[at]), f32::from(other.0[at]));
            (from + (to - from) * part).round() as u8
        };
        Colour([channel(0), channel(1), channel(2)])
    }

    /// Returns the WCAG contrast ratio of two colours, 1 to 21.
    pub fn contrast(self, other: Colour) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = self.0.map(|byte| {
            let part = f64::from(byte) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_accent_has_black_text() {
        let accent = Colour::parse("#3b82f6").expect("a colour");
        assert!((accent.contrast(Colour([255; 3])) - 3.68).abs() < 0.01);
        assert_eq!(accent.readable_text_colour(), "#000000");
    }

    #[test]
    fn band_and_prize_of_every_club_are_legible() {
        let white = Colour([255; 3]);
        let all = ["#0b2e6b", "#ffeb3b", "#3b82f6", "#ffffff", "#000000"]
            .map(|text| Colour::parse(text).expect("a colour"));
        for primary in all {
            let band = primary.band_colour();
            assert!(band.contrast(white) >= 4.5, "{primary:?}");
            for accent in all {
                assert!(
                    band.contrast(band.prize_colour(accent)) >= 3.0,
                    "{primary:?}"
                );
            }
        }
        assert_eq!(all[0].band_colour(), all[0]);
        assert_eq!(all[0].prize_colour(all[1]), all[1]);
    }

    #[test]
    fn every_colour_has_legible_text() {
        for r in (0..=255).step_by(15) {
            for g in (0..=255).step_by(15) {
                for b in (0..=255).step_by(15) {
                    let colour = Colour([r, g, b]);
                    let text = Colour::parse(colour.readable_text_colour()).expect("a colour");
                    assert!(colour.contrast(text) >= 4.5, "{colour:?}");
                }
            }
        }
    }

    #[test]
    fn invalid_colours_are_refused() {
        for text in [
            "", "red", "#12345", "#12345g", "#1234567", "url(x)", "#fff;}",
        ] {
            assert_eq!(Colour::parse(text), None, "{text}");
        }
    }
}
