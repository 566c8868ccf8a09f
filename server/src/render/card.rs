//! Share cards: 1200 × 630 pictures in a club's own colours, drawn here so that every link shows its game (ux.md section 5).

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::catalogue::Facts;
use crate::offer::Offer;
use crate::render::colour::Colour;
use crate::render::page::face::dollars;
use crate::render::page::{DrawFace, Phase};
use crate::render::when;
use crate::wire;
use persistence::records::clubs::Club;

mod canvas;

use canvas::Canvas;

pub const WIDTH: u32 = 1200;
pub const HEIGHT: u32 = 630;

/// What a card shows. Two cards of the same words are the same bytes.
#[derive(Clone, Debug, Hash)]
pub struct Card {
    /// Primary, secondary, accent.
    colours: [Colour; 3],
    above: String,
    title: Vec<String>,
    /// Number and what it counts, at most three.
    figures: Vec<(String, &'static str)>,
    /// Its pattern of lit cells (decision H-11).
    seed: u64,
}

const HOUSE: [&str; 3] = ["#0b5d4b", "#06382e", "#ffb81c"];

fn house() -> [Colour; 3] {
    HOUSE.map(|text| Colour::parse(text).expect("a colour"))
}

fn of_club(club: &Club) -> [Colour; 3] {
    let [primary, secondary, accent] = house();
    [
        (&club.primary_color, primary),
        (&club.secondary_color, secondary),
        (&club.accent_color, accent),
    ]
    .map(|(text, otherwise)| Colour::parse(text).unwrap_or(otherwise))
}

fn digest(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Card {
    pub fn of_site() -> Card {
        Card {
            colours: house(),
            above: "Football Doubles".to_string(),
            title: vec![
                "Pick the first try scorers.".to_string(),
                "Back your club.".to_string(),
            ],
            figures: vec![
                ("169".to_string(), "tickets a game"),
                ("1".to_string(), "winning pair"),
            ],
            seed: 1,
        }
    }

    pub fn of_draw(club: &Club, draw: &wire::draw::Draw, face: &DrawFace) -> Card {
        let sold = (format!("{}/169", face.sold), "tickets sold");
        let figures = match face.phase {
            // Nothing is to be won, and nothing is for sale.
            Phase::Cancelled => vec![("Cancelled".to_string(), "every ticket is refunded")],
            _ => vec![
                (face.prize.to_string(), "prize pool"),
                sold,
                (face.price.clone(), "a ticket"),
            ],
        };
        Card {
            colours: of_club(club),
            // The face has no letter for what ties a time together.
            above: format!("{} · {}", club.name, face.kick_off.replace(when::TIE, " ")),
            title: vec![draw.home_team.clone(), format!("v {}", draw.away_team)],
            figures,
            seed: digest(draw.draw_number),
        }
    }

    pub fn of_club(club: &Club, facts: &Facts) -> Card {
        let draws = facts.count_on_sale(club.id);
        let name = club.title.clone().unwrap_or_else(|| club.name.clone());
        Card {
            colours: of_club(club),
            above: "Football Doubles".to_string(),
            title: vec![name],
            figures: if draws > 0 {
                vec![(draws.to_string(), "draws on sale")]
            } else {
                Vec::new()
            },
            seed: digest(&club.slug),
        }
    }

    pub fn of_offer(offer: &Offer) -> Card {
        let (price, prize) = (dollars(offer.total), dollars(offer.prize()));
        Card {
            colours: of_club(&offer.club),
            above: offer.club.name.clone(),
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
            seed: digest((&offer.bundle.slug, offer.bundle.id)),
        }
    }

    /// Names what it shows, for the `v` of its address: another picture has another address.
    pub fn version(&self) -> String {
        format!("{:016x}", digest(self))
    }

    /// The picture as PNG, far below 300 KB.
    pub fn draw(&self) -> Vec<u8> {
        const MARGIN: f32 = 64.0;
        let [primary, secondary, accent] = self.colours;
        let ink = Colour::parse(primary.text()).unwrap_or(primary);
        let mut canvas = Canvas::new(WIDTH, HEIGHT, primary);
        pattern(&mut canvas, self.seed, secondary);
        canvas.fill(0, HEIGHT - 190, WIDTH, 190, secondary);
        canvas.fill(0, HEIGHT - 196, WIDTH, 6, accent);
        let wide = WIDTH as f32 - 2.0 * MARGIN;
        canvas.text(&self.above, MARGIN, 96.0, 36.0, wide, ink);
        let size = if self.title.len() == 1 { 104.0 } else { 96.0 };
        for (line, text) in (0u8..).zip(&self.title) {
            canvas.text(
                text,
                MARGIN,
                224.0 + f32::from(line) * 112.0,
                size,
                wide,
                ink,
            );
        }
        let ink = Colour::parse(secondary.text()).unwrap_or(secondary);
        let mut left = MARGIN;
        for (number, words) in &self.figures {
            let reach = (wide + MARGIN - left).max(120.0);
            let first = canvas.text(number, left, 524.0, 72.0, reach, ink);
            let second = canvas.text(words, left, 580.0, 30.0, reach, ink);
            left += first.max(second) + 72.0;
        }
        canvas.mark(WIDTH - 64 - 88, 48, accent, ink);
        canvas.png()
    }
}

/// Some of a 7 × 6 field of cells, lit by the seed.
fn pattern(canvas: &mut Canvas, seed: u64, colour: Colour) {
    const CELL: u32 = 62;
    let mut lot = seed | 1;
    for row in 0..7 {
        for column in 0..6 {
            lot = lot
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            if (lot >> 60) < 7 {
                canvas.blend(
                    WIDTH - 396 + column * 66,
                    row * 66 + 4,
                    CELL,
                    CELL,
                    colour,
                    0.35,
                );
            }
        }
    }
}

/// Where a card is asked for. `path` is the page's own, without its slash.
pub fn address(public_url: &str, path: &str, card: &Card) -> String {
    format!("{public_url}/og/{path}?v={}", card.version())
}

/// The club's own picture of an offer, else the card.
pub fn address_of_offer(public_url: &str, offer: &Offer) -> String {
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
            address(public_url, &path, &Card::of_offer(offer))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(title: &str, accent: &str) -> Card {
        let colours =
            ["#0b2e6b", "#071c42", accent].map(|text| Colour::parse(text).expect("a colour"));
        let figures = vec![
            ("$290".to_string(), "prize pool"),
            ("113/169".to_string(), "tickets sold"),
        ];
        Card {
            colours,
            above: "Bayside Barracudas".into(),
            title: vec![title.into()],
            figures,
            seed: 7,
        }
    }

    #[test]
    fn a_card_is_a_png_of_the_right_size_and_small() {
        let png = card("Bayside Barracudas", "#ffc72c").draw();
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(
            (&png[16..20], &png[20..24]),
            (&WIDTH.to_be_bytes()[..], &HEIGHT.to_be_bytes()[..])
        );
        assert!(png.len() < 300 * 1024, "{} bytes", png.len());
        if let Ok(path) = std::env::var("CARD") {
            std::fs::write(path, &png).expect("written");
        }
    }

    #[test]
    fn the_same_words_are_the_same_picture_and_others_are_not() {
        let one = card("Sharks", "#ffc72c");
        assert_eq!(
            (one.version(), one.draw()),
            (
                card("Sharks", "#ffc72c").version(),
                card("Sharks", "#ffc72c").draw()
            )
        );
        for other in [card("Tigers", "#ffc72c"), card("Sharks", "#ff8a3d")] {
            assert_ne!(one.version(), other.version());
            assert_ne!(one.draw(), other.draw());
        }
    }

    #[test]
    fn words_of_any_length_and_script_are_drawn() {
        for title in [
            "",
            "Ā very long name of a club that would never fit on one line of a card, whatever its size",
            "龙 🐉",
        ] {
            assert!(card(title, "#ffffff").draw().len() > 1000, "{title}");
        }
    }
}
