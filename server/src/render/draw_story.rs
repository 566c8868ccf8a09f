//! A draw's picture for a story on social media: 1080 × 1920 pixels in the club's colours.

use domain::TICKETS;
use persistence::records::clubs::Club;

use crate::render::colour::Colour;
use crate::render::date_time_text::NON_BREAKING_SPACE;
use crate::render::page::{DrawPhase, DrawTexts};
use crate::render::qr;
use crate::render::share_card::canvas::Canvas;
use crate::render::share_card::{Crest, club_colours, digest_of, draw_crest};

/// Width of a story in pixels.
pub const STORY_WIDTH_PIXELS: u32 = 1080;
/// Height of a story in pixels. Apps cover about 250 pixels at the top and at the bottom.
pub const STORY_HEIGHT_PIXELS: u32 = 1920;

const MIDDLE: f32 = STORY_WIDTH_PIXELS as f32 / 2.0;
const TEXT_WIDTH_PIXELS: f32 = 920.0;
const CREST_PIXELS: u32 = 136;
const QR_TOP_PIXELS: u32 = 1130;
const QR_PLATE_PIXELS: u32 = 400;
/// Blank modules around the code, which a camera needs to find it.
const QR_QUIET_MODULES: u32 = 4;

/// The contents of a story. Equal contents give identical image bytes. It shows no sold place and
/// no number pair.
#[derive(Clone, Debug, Hash)]
pub struct DrawStory {
    /// Primary, secondary and accent colour of the club.
    colours: [Colour; 3],
    crest: Crest,
    club: String,
    teams: [String; 2],
    kick_off: String,
    /// The largest text, and the words below it.
    figure: (String, String),
    /// What the reader can do.
    call: String,
    link: String,
}

impl DrawStory {
    pub fn new(club: &Club, draw: &DrawTexts, link: String) -> DrawStory {
        let left = TICKETS.saturating_sub(draw.sold);
        let (figure, call) = match draw.phase {
            DrawPhase::Cancelled => (
                (
                    "Cancelled".to_string(),
                    "every ticket is refunded".to_string(),
                ),
                "More at".to_string(),
            ),
            DrawPhase::Active => (
                (
                    draw.prize.to_string(),
                    "prize now, and it grows".to_string(),
                ),
                format!("{} · {left} left", draw.price_line),
            ),
            _ => (
                (draw.prize.to_string(), "prize".to_string()),
                "Follow the draw".to_string(),
            ),
        };
        DrawStory {
            colours: club_colours(club),
            crest: Crest::of_club(club),
            club: club.name.clone(),
            teams: [draw.home.clone(), format!("v {}", draw.away)],
            // The font has no glyph for the non-breaking space.
            kick_off: draw.kick_off.replace(NON_BREAKING_SPACE, " "),
            figure,
            call,
            link,
        }
    }

    /// Returns a digest of the contents.
    pub fn version(&self) -> String {
        format!("story-{:016x}", digest_of(self))
    }

    /// Returns the key of the uploaded picture that is the crest, if any.
    pub fn crest_upload_key(&self) -> Option<&str> {
        self.crest.upload_key()
    }

    /// Draws the story as a PNG file. `logo` is the file of the club's logo.
    pub fn render_png(&self, logo: Option<&[u8]>) -> Vec<u8> {
        let [primary, secondary, accent] = self.colours;
        let text_on =
            |ground: Colour| Colour::parse(ground.readable_text_colour()).unwrap_or(ground);
        let mut canvas = Canvas::new(STORY_WIDTH_PIXELS, STORY_HEIGHT_PIXELS, primary);
        canvas.fill_rectangle(
            0,
            1040,
            STORY_WIDTH_PIXELS,
            STORY_HEIGHT_PIXELS - 1040,
            secondary,
        );
        canvas.fill_rectangle(0, 1034, STORY_WIDTH_PIXELS, 6, accent);
        let ink = text_on(primary);
        draw_crest(
            &mut canvas,
            &self.crest,
            logo,
            [(STORY_WIDTH_PIXELS - CREST_PIXELS) / 2, 220, CREST_PIXELS],
            [secondary, accent],
        );
        let line = |canvas: &mut Canvas, words: &str, base: f32, size: f32, ink: Colour| {
            canvas.draw_centred_text(words, MIDDLE, base, size, TEXT_WIDTH_PIXELS, ink);
        };
        line(&mut canvas, &self.club, 420.0, 48.0, ink);
        line(&mut canvas, &self.teams[0], 550.0, 104.0, ink);
        line(&mut canvas, &self.teams[1], 664.0, 104.0, ink);
        line(&mut canvas, &self.kick_off, 736.0, 46.0, ink);
        line(&mut canvas, &self.figure.0, 926.0, 190.0, ink);
        line(&mut canvas, &self.figure.1, 992.0, 46.0, ink);
        let ink = text_on(secondary);
        line(&mut canvas, &self.call, 1100.0, 50.0, ink);
        draw_qr_plate(&mut canvas, &self.link);
        let address = self
            .link
            .trim_start_matches("https://")
            .trim_start_matches("http://");
        line(&mut canvas, address, 1606.0, 46.0, ink);
        canvas.encode_png()
    }
}

/// Draws the QR code of the link on a white plate, so that it can be scanned on any club colour.
fn draw_qr_plate(canvas: &mut Canvas, link: &str) {
    let Some((dark, modules)) = qr::modules(link) else {
        return;
    };
    let count = modules as u32;
    let module = QR_PLATE_PIXELS / (count + 2 * QR_QUIET_MODULES);
    let left = (STORY_WIDTH_PIXELS - QR_PLATE_PIXELS) / 2;
    let inset = (QR_PLATE_PIXELS - count * module) / 2;
    canvas.fill_rectangle(
        left,
        QR_TOP_PIXELS,
        QR_PLATE_PIXELS,
        QR_PLATE_PIXELS,
        Colour([255; 3]),
    );
    for (index, _) in dark.iter().enumerate().filter(|(_, dark)| **dark) {
        let (row, column) = ((index / modules) as u32, (index % modules) as u32);
        canvas.fill_rectangle(
            left + inset + column * module,
            QR_TOP_PIXELS + inset + row * module,
            module,
            module,
            Colour([0; 3]),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(home: &str, link: &str) -> DrawStory {
        DrawStory {
            colours: ["#0b2e6b", "#071c42", "#ffc72c"]
                .map(|text| Colour::parse(text).expect("a colour")),
            crest: Crest {
                letters: "BB".to_string(),
                logo_url: None,
            },
            club: "Bayside Barracudas".to_string(),
            teams: [home.to_string(), "v Northside Otters".to_string()],
            kick_off: "Fri 20 Nov 2026, 7:10 pm".to_string(),
            figure: ("$290".to_string(), "prize now, and it grows".to_string()),
            call: "$5.00 a ticket · 56 left".to_string(),
            link: link.to_string(),
        }
    }

    #[test]
    fn story_is_a_png_of_the_story_format() {
        let png = story(
            "Bayside Barracudas",
            "https://doubles.example.com/draw/1042",
        )
        .render_png(None);
        assert_eq!(
            (&png[16..20], &png[20..24]),
            (
                &STORY_WIDTH_PIXELS.to_be_bytes()[..],
                &STORY_HEIGHT_PIXELS.to_be_bytes()[..]
            )
        );
        assert!(png.len() < 500 * 1024, "{} bytes", png.len());
        if let Ok(path) = std::env::var("STORY") {
            std::fs::write(path, &png).expect("written");
        }
    }

    #[test]
    fn another_game_or_link_is_another_picture() {
        let known = story("Sharks", "https://a.example/draw/1");
        for other in [
            story("Tigers", "https://a.example/draw/1"),
            story("Sharks", "https://a.example/draw/2"),
        ] {
            assert_ne!(known.version(), other.version());
            assert_ne!(known.render_png(None), other.render_png(None));
        }
    }

    #[test]
    fn long_names_and_links_are_drawn() {
        let long = "Ā very long name of a club that never fits on one line of a story ".repeat(4);
        assert!(story(&long, &"x".repeat(400)).render_png(None).len() > 1000);
    }
}
