//! A draw's printable poster for a clubhouse wall.

use domain::TICKETS;

use crate::render::colour::Colour;
use crate::render::page::DrawPhase;
use crate::render::pdf_writer::{
    PAGE_HEIGHT_POINTS, PAGE_MARGIN_POINTS, PAGE_WIDTH_POINTS, PdfWriter,
};

/// The texts of a poster.
#[derive(Clone, Debug)]
pub struct Poster {
    pub club: String,
    pub league: Option<String>,
    pub home: String,
    pub away: String,
    pub kick_off: String,
    /// Price of a ticket as text. If the card fee is passed on, its parts and the total (ux.md
    /// D14).
    pub price: String,
    pub prize_max: String,
    pub phase: DrawPhase,
    /// The club's two colours, for the upper and the lower stripe.
    pub colours: [Colour; 2],
    /// The URL that the QR code contains.
    pub link: String,
}

impl Poster {
    /// Draws the poster: one page with a QR code of 100 mm including its quiet zone (blank border).
    /// `None` when the code or the font cannot be used.
    pub fn pdf(&self) -> Option<Vec<u8>> {
        let mut pdf = PdfWriter::new(&format!("{} v {}", self.home, self.away))?;
        let (offer, scan) = self.texts_around_qr_code();
        let [first, second] = self.colours;
        pdf.draw_colour_band(PAGE_HEIGHT_POINTS - 20.0, 20.0, first);
        pdf.draw_colour_band(PAGE_HEIGHT_POINTS - 28.0, 8.0, second);
        write_centred_line(&mut pdf, 774.0, 20.0, &self.club);
        if let Some(league) = &self.league {
            write_centred_line(&mut pdf, 750.0, 14.0, league);
        }
        write_centred_line(&mut pdf, 696.0, 40.0, &self.home);
        write_centred_line(&mut pdf, 664.0, 18.0, "v");
        write_centred_line(&mut pdf, 620.0, 40.0, &self.away);
        write_centred_line(&mut pdf, 584.0, 16.0, &self.kick_off);
        write_centred_line(&mut pdf, 543.0, 24.0, &offer);
        pdf.draw_qr_code(&self.link, 525.0, 311.8)?;
        write_centred_line(&mut pdf, 190.0, 18.0, scan);
        write_centred_line(
            &mut pdf,
            160.0,
            14.0,
            self.link
                .trim_start_matches("https://")
                .trim_start_matches("http://"),
        );
        let rule = format!(
            "{TICKETS} tickets, two jersey numbers on each. The first try scorers’ numbers win."
        );
        write_centred_line(&mut pdf, 118.0, 12.0, &rule);
        write_centred_line(&mut pdf, 90.0, 11.0, "18+ only, in Australia.");
        Some(pdf.finish_without_footer())
    }

    /// Returns the text above the QR code and the text below it. The first is price and prize, or
    /// why nothing is on sale. The second says what the QR code is for.
    fn texts_around_qr_code(&self) -> (String, &'static str) {
        match self.phase {
            DrawPhase::Active | DrawPhase::SoldOut => (
                format!("Win up to {} · {} a ticket", self.prize_max, self.price),
                "Scan to buy tickets",
            ),
            DrawPhase::Closed => ("Sales have closed".to_string(), "Scan to see who wins"),
            DrawPhase::Completed => (
                "The draw is completed".to_string(),
                "Scan to see the winning ticket",
            ),
            DrawPhase::Cancelled => (
                "This draw was cancelled. Every ticket is refunded.".to_string(),
                "Scan to read more",
            ),
        }
    }
}

/// Writes a centred line of text at font size `most`, scaled down if it does not fit between the
/// margins.
fn write_centred_line(pdf: &mut PdfWriter, y: f32, most: f32, text: &str) {
    let width = PAGE_WIDTH_POINTS - 2.0 * PAGE_MARGIN_POINTS;
    let size = most.min(most * width / pdf.text_width(text, most).max(1.0));
    pdf.write_centred(y, size, text);
}
