//! The picture of a buyer's own tickets of one draw, to save or to share: 1080 pixels wide, as a PNG.

use crate::api::order::{OrderLine, OrderTicket};
use crate::render::colour::Colour;
use crate::render::share_card::canvas::Canvas;
use crate::render::share_card::{Crest, club_colours, draw_crest, whole_if_no_cents};
use domain::Cents;
use persistence::records::clubs::Club;

use super::date_time_text::{self, NON_BREAKING_SPACE};
use super::page::first_paint::{dollars, parse_rfc3339};

/// Width of the picture in pixels.
pub const PICTURE_WIDTH_PIXELS: u32 = 1080;

const MARGIN_PIXELS: f32 = 64.0;
const GAP_PIXELS: f32 = 20.0;
/// Height of the part above the tickets, in pixels.
const HEAD_PIXELS: f32 = 216.0;
/// Height of the part below the tickets, in pixels.
const FOOT_PIXELS: f32 = 120.0;
const WHITE: Colour = Colour([255; 3]);
const INK: Colour = Colour([0x08, 0x13, 0x11]);

/// The contents of the picture.
pub struct TicketPicture {
    colours: [Colour; 3],
    crest: Crest,
    title: String,
    line: OrderLine,
}

/// The places of the tickets.
struct TicketLayout {
    columns: usize,
    ticket: [f32; 2],
    number_size: f32,
    label_size: f32,
}

impl TicketLayout {
    fn for_count(tickets: usize) -> TicketLayout {
        let (columns, height, number_size, label_size) = match tickets {
            0..=4 => (1, 252.0, 150.0, 34.0),
            5..=16 => (2, 190.0, 104.0, 30.0),
            _ => (3, 150.0, 78.0, 26.0),
        };
        let inner = PICTURE_WIDTH_PIXELS as f32 - 2.0 * MARGIN_PIXELS;
        let width = (inner - GAP_PIXELS * (columns as f32 - 1.0)) / columns as f32;
        TicketLayout {
            columns,
            ticket: [width, height],
            number_size,
            label_size,
        }
    }
}

impl TicketPicture {
    /// Builds the picture of the tickets that an order's page shows. The caller must have proved to
    /// be the buyer.
    pub fn new(club: &Club, line: OrderLine) -> TicketPicture {
        let kick_off =
            date_time_text::non_breaking_date_time(parse_rfc3339(&line.game_date), &line.timezone);
        TicketPicture {
            colours: club_colours(club),
            crest: Crest::of_club(club),
            // Replace the non-breaking space, because the font has no glyph for it.
            title: format!("{} v {} · {kick_off}", line.home_team, line.away_team)
                .replace(NON_BREAKING_SPACE, " "),
            line,
        }
    }

    /// Returns the key of the uploaded picture that is the crest, if any.
    pub fn crest_upload_key(&self) -> Option<&str> {
        self.crest.upload_key()
    }

    /// Draws the picture as a PNG file. `logo` is the file of the club's logo.
    pub fn render_png(&self, logo: Option<&[u8]>) -> Vec<u8> {
        let [primary, _, accent] = self.colours;
        let ground = primary.band_colour();
        let prize = ground.prize_colour(accent);
        let layout = TicketLayout::for_count(self.line.tickets.len());
        let [width, height] = layout.ticket;
        let rows = self.line.tickets.len().div_ceil(layout.columns) as f32;
        let tickets_height = rows * height + (rows - 1.0).max(0.0) * GAP_PIXELS;
        let picture_height = HEAD_PIXELS + tickets_height + FOOT_PIXELS;
        let mut canvas = Canvas::new(PICTURE_WIDTH_PIXELS, picture_height as u32, ground);
        canvas.fill_gradient(ground.mixed(WHITE, 0.06), ground.mixed(Colour([0; 3]), 0.5));
        let wide = PICTURE_WIDTH_PIXELS as f32 - 2.0 * MARGIN_PIXELS;
        draw_crest(
            &mut canvas,
            &self.crest,
            logo,
            [64, 56, 120],
            [ground, prize],
        );
        let (left, reach) = (MARGIN_PIXELS + 148.0, wide - 148.0);
        canvas.draw_text("My numbers", left, 112.0, 68.0, reach, WHITE);
        canvas.draw_text(
            &self.title,
            left,
            164.0,
            34.0,
            reach,
            WHITE.mixed(ground, 0.15),
        );
        for (at, ticket) in self.line.tickets.iter().enumerate() {
            let (row, column) = (at / layout.columns, at % layout.columns);
            let left = MARGIN_PIXELS + column as f32 * (width + GAP_PIXELS);
            let top = HEAD_PIXELS + row as f32 * (height + GAP_PIXELS);
            let colour = if ticket.is_winner == Some(true) {
                prize
            } else {
                WHITE
            };
            canvas.fill_ticket(left, top, [width, height], colour);
            self.draw_ticket(&mut canvas, ticket, &layout, [left, top]);
        }
        let base = HEAD_PIXELS + tickets_height + 76.0;
        let prize_text = whole_if_no_cents(&dollars(
            Cents::parse(&self.line.current_prize).unwrap_or_default(),
        ));
        let label = canvas.draw_text("Prize pool", MARGIN_PIXELS, base, 36.0, wide, WHITE);
        canvas.draw_text(
            &prize_text,
            MARGIN_PIXELS + label + 18.0,
            base,
            60.0,
            wide / 2.0,
            prize,
        );
        let product = canvas.text_width("Football Doubles", 36.0);
        let right = PICTURE_WIDTH_PIXELS as f32 - MARGIN_PIXELS;
        canvas.draw_text("Football Doubles", right - product, base, 36.0, wide, WHITE);
        canvas.encode_png()
    }

    /// Draws the pair of a ticket, the teams and the serial number.
    fn draw_ticket(
        &self,
        canvas: &mut Canvas,
        ticket: &OrderTicket,
        layout: &TicketLayout,
        [left, top]: [f32; 2],
    ) {
        let [width, height] = layout.ticket;
        let has_teams = layout.columns < 3;
        let quiet = INK.mixed(WHITE, 0.3);
        let middle = left + width / 2.0;
        let shift = width * 0.26;
        let base = top + height * if has_teams { 0.68 } else { 0.6 };
        for (centre, team, number) in [
            (middle - shift, &self.line.home_team, ticket.home_number),
            (middle + shift, &self.line.away_team, ticket.away_number),
        ] {
            if has_teams {
                let base = top + height * 0.22;
                draw_centred(
                    canvas,
                    team,
                    [centre, base],
                    layout.label_size,
                    width * 0.42,
                    quiet,
                );
            }
            let number = number.to_string();
            draw_centred(
                canvas,
                &number,
                [centre, base],
                layout.number_size,
                width,
                INK,
            );
        }
        draw_centred(
            canvas,
            "&",
            [middle, base],
            layout.number_size * 0.5,
            width,
            quiet,
        );
        let serial = if ticket.is_winner == Some(true) {
            format!("{} · Winning ticket", ticket.serial_number)
        } else {
            ticket.serial_number.clone()
        };
        let base = top + height * 0.89;
        draw_centred(
            canvas,
            &serial,
            [middle, base],
            layout.label_size,
            width * 0.9,
            quiet,
        );
    }
}

/// Draws a text around a centre. Text wider than `wide` pixels is drawn smaller.
fn draw_centred(
    canvas: &mut Canvas,
    text: &str,
    [centre, base]: [f32; 2],
    size: f32,
    wide: f32,
    colour: Colour,
) {
    let width = canvas.text_width(text, size);
    let fitted = if width > wide {
        size * wide / width
    } else {
        size
    };
    let left = centre - width.min(wide) / 2.0;
    canvas.draw_text(text, left, base, fitted, wide + 1.0, colour);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(tickets: u16, winner: Option<u16>) -> TicketPicture {
        let ticket = |number| OrderTicket {
            ticket_number: number,
            serial_number: format!("FD-1001-{number:03}"),
            home_number: (number % 13 + 1) as u8,
            away_number: (number * 5 % 13 + 1) as u8,
            is_winner: winner.map(|winner| winner == number),
        };
        let colours =
            ["#0b2e6b", "#071c42", "#ffc72c"].map(|text| Colour::parse(text).expect("a colour"));
        TicketPicture {
            colours,
            crest: Crest {
                letters: "BB".to_string(),
                logo_url: None,
            },
            title: "Bayside Barracudas v Ipswich Jetties · Tue 24 Nov 2026, 7:25 pm AEST"
                .to_string(),
            line: OrderLine {
                draw_number: 1001,
                home_team: "Bayside Barracudas".to_string(),
                away_team: "Ipswich Jetties".to_string(),
                league: None,
                game_date: "2026-11-24T09:25:00Z".to_string(),
                timezone: "Australia/Brisbane".to_string(),
                status: "active",
                ticket_count: tickets,
                ticket_price: "10.00".to_string(),
                current_prize: "580.00".to_string(),
                tickets_sold: 116,
                tickets: (1..=tickets).map(ticket).collect(),
            },
        }
    }

    #[test]
    fn picture_has_room_for_each_ticket_and_stays_small() {
        for (count, height) in [(1, 588), (2, 860), (4, 1404), (5, 946), (50, 3206)] {
            let png = picture(count, None).render_png(None);
            let decoded = image::load_from_memory(&png).expect("a picture");
            assert_eq!(
                (decoded.width(), decoded.height()),
                (1080, height),
                "{count}"
            );
            assert!(png.len() < 500 * 1024, "{count}: {} bytes", png.len());
            if let Ok(folder) = std::env::var("TICKET_PICTURES") {
                std::fs::write(format!("{folder}/tickets-{count}.png"), &png).expect("written");
            }
        }
    }

    #[test]
    fn each_number_changes_the_picture() {
        let one = picture(2, None).render_png(None);
        assert_eq!(one, picture(2, None).render_png(None));
        let mut other = picture(2, None);
        other.line.tickets[1].away_number = 13;
        assert_ne!(one, other.render_png(None));
        assert_ne!(
            one,
            picture(2, Some(2)).render_png(None),
            "the winner is marked"
        );
    }
}
