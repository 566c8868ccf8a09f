//! Share cards: 1200 × 630 pictures in a club's colours, so that every shared link shows its game
//! (ux.md section 5).

use std::hash::{DefaultHasher, Hash, Hasher};

use domain::TICKETS;

use crate::api;
use crate::render::colour::Colour;
use crate::render::date_time_text;
use crate::render::page::first_paint::{DollarsAndCents, dollars, initials};
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
    /// The club's crest. `None` shows the product's logo.
    crest: Option<Crest>,
    heading: String,
    title: Vec<String>,
    /// The largest text of the card, with its label above.
    headline: Option<(&'static str, String)>,
    /// One line of facts below the headline.
    facts: String,
    grid: CardGrid,
}

/// A club's crest: its logo, or a shield with two letters.
#[derive(Clone, Debug, Hash)]
pub struct Crest {
    pub letters: String,
    /// URL of the club's logo. Only a picture that was uploaded to this server is drawn.
    pub logo_url: Option<String>,
}

impl Crest {
    /// Returns the crest of a club.
    pub fn of_club(club: &Club) -> Crest {
        Crest {
            letters: initials(&club.name),
            logo_url: club.logo_url.clone(),
        }
    }

    /// Returns the key of the uploaded logo; `None` if the club has none.
    pub fn upload_key(&self) -> Option<&str> {
        self.logo_url.as_deref()?.strip_prefix("/uploads/")
    }
}

/// The 13 × 13 grid of a card.
#[derive(Clone, Copy, Debug, Hash)]
enum CardGrid {
    /// As many filled cells as tickets are sold. The places are the same for every draw, so that
    /// they disclose no number pair (decision D2 of ux.md).
    Sold(u16),
    /// A row that crosses a column, as in the product's logo.
    Crossing,
}

const DEFAULT_COLOURS: [&str; 3] = ["#0b5d4b", "#06382e", "#ffb81c"];

fn default_colours() -> [Colour; 3] {
    DEFAULT_COLOURS.map(|text| Colour::parse(text).expect("a colour"))
}

/// Returns the primary, secondary and accent colour of a club.
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
            crest: None,
            heading: "Football Doubles".to_string(),
            title: vec![
                "Two first tries.".to_string(),
                "One winning ticket.".to_string(),
            ],
            headline: None,
            facts: "169 tickets a game · two numbers each, dealt at random".to_string(),
            grid: CardGrid::Crossing,
        }
    }

    /// Builds the share card of a draw.
    pub fn of_draw(club: &Club, draw: &api::draw::Draw, face: &DrawTexts) -> ShareCard {
        let is_cancelled = face.phase == DrawPhase::Cancelled;
        ShareCard {
            colours: club_colours(club),
            crest: Some(Crest::of_club(club)),
            // Replace the non-breaking space, because the font has no glyph for it.
            heading: format!(
                "{} · {}",
                club.name,
                face.kick_off
                    .replace(date_time_text::NON_BREAKING_SPACE, " ")
            ),
            title: vec![draw.home_team.clone(), format!("v {}", draw.away_team)],
            // Show only the refund for a cancelled draw, which has no prize and no tickets on sale.
            headline: Some(if is_cancelled {
                ("Draw", "Cancelled".to_string())
            } else {
                ("Prize pool", card_amount(&face.prize))
            }),
            facts: if is_cancelled {
                "Every ticket is refunded".to_string()
            } else {
                let price = face.price.rsplit(" = ").next().unwrap_or(&face.price);
                format!("{} of {TICKETS} sold · {price} a ticket", face.sold)
            },
            grid: CardGrid::Sold(if is_cancelled { 0 } else { face.sold }),
        }
    }

    /// Builds the share card of a club.
    pub fn of_club(club: &Club, facts: &CatalogueFacts) -> ShareCard {
        let draws = facts.count_on_sale(club.id);
        let name = club.title.clone().unwrap_or_else(|| club.name.clone());
        ShareCard {
            colours: club_colours(club),
            crest: Some(Crest::of_club(club)),
            heading: "Football Doubles".to_string(),
            title: vec![name],
            headline: (draws > 0).then(|| {
                let label = if draws == 1 {
                    "Draw on sale"
                } else {
                    "Draws on sale"
                };
                (label, draws.to_string())
            }),
            facts: "Two first tries. One winning ticket.".to_string(),
            grid: CardGrid::Crossing,
        }
    }

    /// Builds the share card of an offer.
    pub fn of_offer(offer: &Offer) -> ShareCard {
        let games = offer.games.len();
        ShareCard {
            colours: club_colours(&offer.club),
            crest: Some(Crest::of_club(&offer.club)),
            heading: offer.club.name.clone(),
            title: vec![offer.bundle.name.clone()],
            headline: Some(("Prize pools", whole_if_no_cents(&dollars(offer.prize())))),
            facts: format!(
                "{games} {} · from {}",
                if games == 1 { "game" } else { "games" },
                dollars(offer.total)
            ),
            grid: CardGrid::Crossing,
        }
    }

    /// Returns a digest of the card's contents. It is the parameter `v` of the card's URL, so that
    /// a changed picture has a new URL.
    pub fn version(&self) -> String {
        format!("{:016x}", digest_of((self, CARD_DESIGN)))
    }

    /// Returns the key of the uploaded picture that the card shows as crest, if any.
    pub fn crest_upload_key(&self) -> Option<&str> {
        self.crest.as_ref()?.upload_key()
    }

    /// Draws the card as a PNG file of less than 300 KB. `logo` is the file of the club's logo.
    pub fn render_png(&self, logo: Option<&[u8]>) -> Vec<u8> {
        const MARGIN_PIXELS: f32 = 60.0;
        /// Width of the texts beside the grid.
        const TEXT_WIDTH_PIXELS: f32 = 590.0;
        let [primary, _, accent] = self.colours;
        let ground = primary.band_colour();
        let prize = ground.prize_colour(accent);
        let white = Colour([255; 3]);
        let mut canvas = Canvas::new(CARD_WIDTH_PIXELS, CARD_HEIGHT_PIXELS, ground);
        canvas.fill_gradient(ground.mixed(white, 0.06), ground.mixed(Colour([0; 3]), 0.5));
        self.draw_grid(&mut canvas, prize, ground.mixed(Colour([0; 3]), 0.55));
        match &self.crest {
            Some(crest) => draw_crest(&mut canvas, crest, logo, [60, 54, 112], [ground, prize]),
            None => canvas.draw_logo(64, 60, prize, white),
        }
        let quiet = white.mixed(ground, 0.2);
        if let Some((label, headline)) = &self.headline {
            let beside_crest = TEXT_WIDTH_PIXELS - 132.0;
            let (size, first) = if self.title.len() == 1 {
                (60.0, 130.0)
            } else {
                (52.0, 102.0)
            };
            for (line, text) in (0u8..).zip(&self.title) {
                let base = first + f32::from(line) * 58.0;
                canvas.draw_text(text, MARGIN_PIXELS + 132.0, base, size, beside_crest, white);
            }
            canvas.draw_text(
                &self.heading,
                MARGIN_PIXELS,
                226.0,
                30.0,
                TEXT_WIDTH_PIXELS,
                quiet,
            );
            canvas.draw_text(label, MARGIN_PIXELS, 308.0, 38.0, TEXT_WIDTH_PIXELS, white);
            canvas.draw_text(
                headline,
                MARGIN_PIXELS,
                486.0,
                220.0,
                TEXT_WIDTH_PIXELS,
                prize,
            );
        } else {
            canvas.draw_text(
                &self.heading,
                MARGIN_PIXELS + 132.0,
                124.0,
                44.0,
                440.0,
                white,
            );
            for (line, text) in (0u8..).zip(&self.title) {
                let base = 320.0 + f32::from(line) * 104.0;
                let ink = if line == 0 { white } else { prize };
                canvas.draw_text(text, MARGIN_PIXELS, base, 96.0, TEXT_WIDTH_PIXELS, ink);
            }
        }
        canvas.draw_text(
            &self.facts,
            MARGIN_PIXELS,
            568.0,
            36.0,
            TEXT_WIDTH_PIXELS,
            white,
        );
        canvas.encode_png()
    }

    /// Draws the 13 × 13 grid at the right edge, each cell in the shape of a ticket.
    fn draw_grid(&self, canvas: &mut Canvas, filled: Colour, empty: Colour) {
        const CELL_PIXELS: f32 = 30.0;
        const STEP_PIXELS: u16 = 36;
        const LEFT_PIXELS: u16 = 678;
        const TOP_PIXELS: u16 = 84;
        let order = tally_order();
        for cell in 0..TICKETS {
            let (row, column) = (cell / GRID_SIDE, cell % GRID_SIDE);
            let is_filled = match self.grid {
                CardGrid::Sold(sold) => order[usize::from(cell)] < sold,
                CardGrid::Crossing => row == 6 || column == 8,
            };
            let is_centre = matches!(self.grid, CardGrid::Crossing) && row == 6 && column == 8;
            canvas.fill_ticket(
                f32::from(LEFT_PIXELS + column * STEP_PIXELS),
                f32::from(TOP_PIXELS + row * STEP_PIXELS),
                [CELL_PIXELS, CELL_PIXELS],
                if is_centre {
                    Colour([255; 3])
                } else if is_filled {
                    filled
                } else {
                    empty
                },
            );
        }
    }
}

/// The number of the card's design. Change it with the drawing, so that changed pictures get new
/// URLs.
const CARD_DESIGN: u8 = 2;

/// Tickets in a row and in a column of the grid.
const GRID_SIDE: u16 = 13;

/// Returns for each cell of the grid at which sale it lights up. The order is that of the web pages
/// (`web/src/features/shared-grid/grid.ts`).
fn tally_order() -> [u16; TICKETS as usize] {
    let mut slots: [u16; TICKETS as usize] = std::array::from_fn(|slot| slot as u16);
    let mut word: u32 = 20_261_120;
    for last in (1..slots.len()).rev() {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let other = (u64::from(word) * (last as u64 + 1)) >> 32;
        slots.swap(last, other as usize);
    }
    let mut sales = [0; TICKETS as usize];
    for (sale, slot) in (0u16..).zip(slots) {
        sales[usize::from(slot)] = sale;
    }
    sales
}

/// Draws a club's logo, or its shield, into a square that is given by left, top and side. `colours`
/// are the field and the edge of the shield.
pub(super) fn draw_crest(
    canvas: &mut Canvas,
    crest: &Crest,
    logo: Option<&[u8]>,
    [left, top, side]: [u32; 3],
    [field, edge]: [Colour; 2],
) {
    if logo.is_some_and(|file| canvas.draw_picture(file, left, top, side)) {
        return;
    }
    let [x, y, size] = [left as f32, top as f32, side as f32];
    canvas.fill_shield(x, y, size, edge);
    canvas.fill_shield(x + size * 0.06, y + size * 0.06, size * 0.88, field);
    let font_size = size * 0.44;
    let width = canvas.text_width(&crest.letters, font_size);
    canvas.draw_text(
        &crest.letters,
        x + (size - width) / 2.0,
        y + size * 0.6,
        font_size,
        size,
        Colour([255; 3]),
    );
}

/// Returns an amount without `.00`.
pub(super) fn whole_if_no_cents(amount: &str) -> String {
    amount.strip_suffix(".00").unwrap_or(amount).to_string()
}

fn card_amount(amount: &DollarsAndCents) -> String {
    whole_if_no_cents(&amount.to_string())
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

    /// The first cells of `grid.test.ts`.
    const FIRST_CELLS: [usize; 3] = [159, 12, 5];

    fn card(title: &str, accent: &str) -> ShareCard {
        let colours =
            ["#0b2e6b", "#071c42", accent].map(|text| Colour::parse(text).expect("a colour"));
        ShareCard {
            colours,
            crest: Some(Crest {
                letters: "BB".into(),
                logo_url: None,
            }),
            heading: "Bayside Barracudas · Tue 24 Nov 2026, 7:25 pm AEST".into(),
            title: vec![title.into(), "v Ipswich Jetties".into()],
            headline: Some(("Prize pool", "$570".into())),
            facts: "114 of 169 sold · $10.48 a ticket".into(),
            grid: CardGrid::Sold(114),
        }
    }

    /// Returns the colours of the centres of the grid's cells, row by row.
    fn cell_colours(png: &[u8]) -> Vec<[u8; 3]> {
        let picture = image::load_from_memory(png).expect("a picture").to_rgb8();
        (0..u32::from(TICKETS))
            .map(|cell| {
                let (row, column) = (cell / 13, cell % 13);
                picture
                    .get_pixel(678 + column * 36 + 15, 84 + row * 36 + 15)
                    .0
            })
            .collect()
    }

    #[test]
    fn grid_fills_one_cell_for_each_sold_ticket() {
        let filled = |sold| {
            let png = ShareCard {
                grid: CardGrid::Sold(sold),
                ..card("Bayside Barracudas", "#ffc72c")
            }
            .render_png(None);
            let gold = Colour::parse("#ffc72c").expect("a colour").0;
            cell_colours(&png)
                .iter()
                .filter(|cell| **cell == gold)
                .count()
        };
        assert_eq!(
            [filled(0), filled(1), filled(114), filled(169)],
            [0, 1, 114, 169]
        );
    }

    /// The same order as in the web pages, whose test names the same cells.
    #[test]
    fn sales_light_the_cells_in_the_public_order() {
        let order = tally_order();
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..TICKETS), "each cell once");
        let first = (0..3).map(|sale| order.iter().position(|at| *at == sale));
        assert_eq!(
            first.collect::<Option<Vec<_>>>(),
            Some(FIRST_CELLS.to_vec())
        );
    }

    #[test]
    fn uploaded_logo_replaces_the_shield() {
        let mut logo = Vec::new();
        image::RgbImage::from_pixel(300, 300, image::Rgb([250, 1, 2]))
            .write_to(
                &mut std::io::Cursor::new(&mut logo),
                image::ImageFormat::Png,
            )
            .expect("encoded");
        let card = card("Sharks", "#ffc72c");
        let centre = |png: &[u8]| {
            let picture = image::load_from_memory(png).expect("a picture").to_rgb8();
            picture.get_pixel(116, 150).0
        };
        assert_eq!(centre(&card.render_png(Some(&logo))), [250, 1, 2]);
        assert_ne!(centre(&card.render_png(Some(b"no picture"))), [250, 1, 2]);
    }

    #[test]
    fn card_is_a_small_png_of_the_right_size() {
        let png = card("Bayside Barracudas", "#ffc72c").render_png(None);
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
            (one.version(), one.render_png(None)),
            (
                card("Sharks", "#ffc72c").version(),
                card("Sharks", "#ffc72c").render_png(None)
            )
        );
        for other in [card("Tigers", "#ffc72c"), card("Sharks", "#ff8a3d")] {
            assert_ne!(one.version(), other.version());
            assert_ne!(one.render_png(None), other.render_png(None));
        }
    }

    #[test]
    fn text_of_any_length_and_alphabet_is_drawn() {
        for title in [
            "",
            "Ā very long name of a club that would never fit on one line of a card, whatever its size",
            "龙 🐉",
        ] {
            assert!(
                card(title, "#ffffff").render_png(None).len() > 1000,
                "{title}"
            );
        }
    }
}
