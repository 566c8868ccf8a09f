//! Share cards: 1200 × 630 pictures in a club's colours, so that every shared link shows its game
//! (ux.md section 5).

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::api;
use crate::render::colour::Colour;
use crate::render::date_time_text;
use crate::render::page::first_paint::dollars;
use crate::render::page::{DrawPhase, DrawTexts};
use crate::services::catalogue::CatalogueFacts;
use crate::services::offer::Offer;
use persistence::records::clubs::Club;

pub(super) mod canvas;

use canvas::Canvas;

/// Width of a share card in pixels.
pub const CARD_WIDTH_PIXELS: u32 = 1200;
/// Height of a share card in pixels.
pub const CARD_HEIGHT_PIXELS: u32 = 630;

/// The contents of a share card. Equal contents give identical image bytes.
#[derive(Clone, Debug, Hash)]
pub struct ShareCard {
    /// Primary, secondary and accent colour of the club.
    colours: [Colour; 3],
    heading: String,
    title: Vec<String>,
    /// Up to three figures of the card: a number or amount, and its label.
    figures: Vec<(String, &'static str)>,
    /// Seed of the background pattern (decision H-11).
    seed: u64,
}

const DEFAULT_COLOURS: [&str; 3] = ["#0b5d4b", "#06382e", "#ffb81c"];

fn default_colours() -> [Colour; 3] {
    DEFAULT_COLOURS.map(|text| Colour::parse(text).expect("a colour"))
}

pub(super) fn club_colours(club: &Club) -> [Colour; 3] {
    let [primary, secondary, accent] = default_colours();
    [
        (&club.primary_color, primary),
        (&club.secondary_color, secondary),
        (&club.accent_color, accent),
    ]
    .map(|(text, otherwise)| Colour::parse(text).unwrap_or(otherwise))
}

pub(super) fn digest_of(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl ShareCard {
    /// Builds the share card of the landing page.
    pub fn of_site() -> ShareCard {
        ShareCard {
            colours: default_colours(),
            heading: "Football Doubles".to_string(),
            title: vec![
                "Two first tries.".to_string(),
                "One winning ticket.".to_string(),
            ],
            figures: vec![
                ("169".to_string(), "tickets a game"),
                ("2".to_string(), "numbers a ticket, dealt at random"),
            ],
            seed: 1,
        }
    }

    /// Builds the share card of a draw.
    pub fn of_draw(club: &Club, draw: &api::draw::Draw, face: &DrawTexts) -> ShareCard {
        let sold = (format!("{}/169", face.sold), "tickets sold");
        let figures = match face.phase {
            // Show only the refund for a cancelled draw, which has no prize and no tickets on sale.
            DrawPhase::Cancelled => vec![("Cancelled".to_string(), "every ticket is refunded")],
            _ => vec![
                (face.prize.to_string(), "prize pool"),
                sold,
                (face.price.clone(), "a ticket"),
            ],
        };
        ShareCard {
            colours: club_colours(club),
            // Replace the non-breaking space, because the font has no glyph for it.
            heading: format!(
                "{} · {}",
                club.name,
                face.kick_off
                    .replace(date_time_text::NON_BREAKING_SPACE, " ")
            ),
            title: vec![draw.home_team.clone(), format!("v {}", draw.away_team)],
            figures,
            seed: digest_of(draw.draw_number),
        }
    }

    /// Builds the share card of a club.
    pub fn of_club(club: &Club, facts: &CatalogueFacts) -> ShareCard {
        let draws = facts.count_on_sale(club.id);
        let name = club.title.clone().unwrap_or_else(|| club.name.clone());
        ShareCard {
            colours: club_colours(club),
            heading: "Football Doubles".to_string(),
            title: vec![name],
            figures: if draws > 0 {
                vec![(draws.to_string(), "draws on sale")]
            } else {
                Vec::new()
            },
            seed: digest_of(&club.slug),
        }
    }

    /// Builds the share card of an offer.
    pub fn of_offer(offer: &Offer) -> ShareCard {
        let (price, prize) = (dollars(offer.total), dollars(offer.prize()));
        ShareCard {
            colours: club_colours(&offer.club),
            heading: offer.club.name.clone(),
            title: vec![offer.bundle.name.clone()],
            figures: vec![
                (
                    offer.games.len().to_string(),
                    if offer.games.len() == 1 {
                        "game"
                    } else {
                        "games"
                    },
                ),
                (prize, "prize pools"),
                (price, "from"),
            ],
            seed: digest_of((&offer.bundle.slug, offer.bundle.id)),
        }
    }

    /// Returns a digest of the card's contents. It is the parameter `v` of the card's URL, so that
    /// a changed picture has a new URL.
    pub fn version(&self) -> String {
        format!("{:016x}", digest_of(self))
    }

    /// Draws the card as a PNG file of less than 300 KB.
    pub fn render_png(&self) -> Vec<u8> {
        const MARGIN_PIXELS: f32 = 64.0;
        let [primary, secondary, accent] = self.colours;
        let ink = Colour::parse(primary.readable_text_colour()).unwrap_or(primary);
        let mut canvas = Canvas::new(CARD_WIDTH_PIXELS, CARD_HEIGHT_PIXELS, primary);
        draw_pattern(&mut canvas, self.seed, secondary);
        canvas.fill_rectangle(
            0,
            CARD_HEIGHT_PIXELS - 190,
            CARD_WIDTH_PIXELS,
            190,
            secondary,
        );
        canvas.fill_rectangle(0, CARD_HEIGHT_PIXELS - 196, CARD_WIDTH_PIXELS, 6, accent);
        let wide = CARD_WIDTH_PIXELS as f32 - 2.0 * MARGIN_PIXELS;
        canvas.draw_text(&self.heading, MARGIN_PIXELS, 96.0, 36.0, wide, ink);
        let size = if self.title.len() == 1 { 104.0 } else { 96.0 };
        for (line, text) in (0u8..).zip(&self.title) {
            canvas.draw_text(
                text,
                MARGIN_PIXELS,
                224.0 + f32::from(line) * 112.0,
                size,
                wide,
                ink,
            );
        }
        let ink = Colour::parse(secondary.readable_text_colour()).unwrap_or(secondary);
        let mut left = MARGIN_PIXELS;
        for (number, words) in &self.figures {
            let reach = (wide + MARGIN_PIXELS - left).max(120.0);
            let first = canvas.draw_text(number, left, 524.0, 72.0, reach, ink);
            let second = canvas.draw_text(words, left, 580.0, 30.0, reach, ink);
            left += first.max(second) + 72.0;
        }
        canvas.draw_logo(CARD_WIDTH_PIXELS - 64 - 88, 48, accent, ink);
        canvas.encode_png()
    }
}

/// Draws the background pattern of a card: 7 × 6 cells. The seed decides which of them are
/// coloured.
fn draw_pattern(canvas: &mut Canvas, seed: u64, colour: Colour) {
    const CELL_PIXELS: u32 = 62;
    let mut random = seed | 1;
    for row in 0..7 {
        for column in 0..6 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if (random >> 60) < 7 {
                canvas.blend_rectangle(
                    CARD_WIDTH_PIXELS - 396 + column * 66,
                    row * 66 + 4,
                    CELL_PIXELS,
                    CELL_PIXELS,
                    colour,
                    0.35,
                );
            }
        }
    }
}

/// Builds the URL of a share card. `path` is the path after `/og/`, such as `draw/1042`.
pub fn share_card_url(public_url: &str, path: &str, card: &ShareCard) -> String {
    format!("{public_url}/og/{path}?v={}", card.version())
}

/// Returns the URL of the share image that the club uploaded for an offer, or else of the generated
/// card.
pub fn offer_image_url(public_url: &str, offer: &Offer) -> String {
    match offer
        .bundle
        .share_image_url
        .as_deref()
        .filter(|url| !url.is_empty())
    {
        Some(own) if own.starts_with('/') => format!("{public_url}{own}"),
        Some(own) => own.to_string(),
        None => {
            let path = format!("offer/{}/{}", offer.club.slug, offer.bundle.slug);
            share_card_url(public_url, &path, &ShareCard::of_offer(offer))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(title: &str, accent: &str) -> ShareCard {
        let colours =
            ["#0b2e6b", "#071c42", accent].map(|text| Colour::parse(text).expect("a colour"));
        let figures = vec![
            ("$290".to_string(), "prize pool"),
            ("113/169".to_string(), "tickets sold"),
        ];
        ShareCard {
            colours,
            heading: "Bayside Barracudas".into(),
            title: vec![title.into()],
            figures,
            seed: 7,
        }
    }

    #[test]
    fn card_is_a_small_png_of_the_right_size() {
        let png = card("Bayside Barracudas", "#ffc72c").render_png();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(
            (&png[16..20], &png[20..24]),
            (
                &CARD_WIDTH_PIXELS.to_be_bytes()[..],
                &CARD_HEIGHT_PIXELS.to_be_bytes()[..]
            )
        );
        assert!(png.len() < 300 * 1024, "{} bytes", png.len());
        if let Ok(path) = std::env::var("CARD") {
            std::fs::write(path, &png).expect("written");
        }
    }

    #[test]
    fn equal_contents_give_equal_pictures() {
        let one = card("Sharks", "#ffc72c");
        assert_eq!(
            (one.version(), one.render_png()),
            (
                card("Sharks", "#ffc72c").version(),
                card("Sharks", "#ffc72c").render_png()
            )
        );
        for other in [card("Tigers", "#ffc72c"), card("Sharks", "#ff8a3d")] {
            assert_ne!(one.version(), other.version());
            assert_ne!(one.render_png(), other.render_png());
        }
    }

    #[test]
    fn text_of_any_length_and_alphabet_is_drawn() {
        for title in [
            "",
            "Ā very long name of a club that would never fit on one line of a card, whatever its size",
            "龙 🐉",
        ] {
            assert!(card(title, "#ffffff").render_png().len() > 1000, "{title}");
        }
    }
}
