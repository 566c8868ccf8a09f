//! A draw's report as CSV and PDF, and its poster. CSV and PDF contain the same amounts, from
//! `services::draw_revenue`.

use domain::{Cents, DrawId, Timestamp};

use super::pdf_writer::{
    LINE_HEIGHT_POINTS, PAGE_HEIGHT_POINTS, PAGE_MARGIN_POINTS, PAGE_WIDTH_POINTS, PdfWriter,
    money_text,
};
use crate::render::date_time_text;
use crate::services::draw_revenue::DrawRevenue;

mod csv_report;
mod poster;

pub use csv_report::csv;
pub use poster::Poster;

/// The data of the draw that a report is about.
#[derive(Clone)]
pub struct ReportFacts {
    pub club: String,
    pub draw: DrawId,
    pub league: Option<String>,
    pub home: String,
    pub away: String,
    pub zone: String,
    pub kick_off: Timestamp,
    pub price: Cents,
    pub prize_percentage: u8,
    /// The jersey numbers of the two first try scorers; `None` without a result.
    pub result: Option<(u8, u8)>,
    /// The tax note next to the platform's fee (decision D-15).
    pub fee_note: String,
    pub generated_at: Timestamp,
}

/// A sold ticket. It never contains bank details.
pub struct ReportRow {
    pub label: String,
    pub number: u16,
    /// The ticket's number pair; `None` until the pairs of the draw are revealed.
    pub pair: Option<(u8, u8)>,
    pub won: bool,
    pub name: String,
    pub email: String,
    pub phone: String,
    pub sold_at: Timestamp,
}

impl ReportRow {
    /// Whether the buyer left an e-mail address. A ticket without a buyer does not count as sold
    /// (decision F-3).
    fn has_buyer(&self) -> bool {
        !self.email.is_empty()
    }

    fn buyer_text(&self) -> &str {
        if self.has_buyer() {
            &self.name
        } else {
            "No buyer yet (not counted)"
        }
    }
}

/// Whether the draw was cancelled. Only a cancelled draw has no result and no prize that is due.
fn is_cancelled(facts: &ReportFacts, takings: &DrawRevenue) -> bool {
    facts.result.is_none() && !takings.prize_is_due
}

/// Returns the sums of a draw's report with their labels, in the sequence in which they are shown.
pub fn labelled_sums(facts: &ReportFacts, takings: &DrawRevenue) -> Vec<(String, String)> {
    let prize = match takings.prize_is_due {
        true => "Prize",
        false if is_cancelled(facts, takings) => "Prize (not due: the draw was cancelled)",
        false => "Prize (not due: the winning ticket was not sold)",
    };
    let card_fees = if takings.is_estimated {
        "Card fees (partly estimated)"
    } else {
        "Card fees"
    };
    let sums: [(&str, String); 8] = [
        ("Tickets sold", takings.sold.to_string()),
        ("Total revenue", takings.revenue.decimal()),
        ("Card fees paid by buyers", takings.passed_on.decimal()),
        (card_fees, takings.provider_fees.decimal()),
        (
            &format!("Platform fee ({})", facts.fee_note),
            takings.platform_fee.decimal(),
        ),
        ("Club revenue", takings.club_revenue().decimal()),
        (prize, takings.prize.decimal()),
        ("Club profit", takings.club_profit().decimal()),
    ];
    let mut sums = sums
        .map(|(name, amount)| (name.to_string(), amount))
        .to_vec();
    if takings.without_buyer > 0 {
        let label = "Paid tickets without a buyer (not counted as sold)".to_string();
        sums.push((label, takings.without_buyer.to_string()));
    }
    sums
}

const TABLE_COLUMNS: [(&str, f32, f32); 5] = [
    ("Ticket", 0.0, 82.0),
    ("Numbers", 84.0, 56.0),
    ("Buyer", 142.0, 122.0),
    ("E-mail", 266.0, 142.0),
    ("Phone", 410.0, 98.0),
];

/// Writes a draw's report as PDF. `None` means that the font cannot be read, which only a damaged
/// build causes.
pub fn pdf(facts: &ReportFacts, takings: &DrawRevenue, rows: &[ReportRow]) -> Option<Vec<u8>> {
    let title = format!("FD-{} {} v {}", facts.draw, facts.home, facts.away);
    let mut pdf_writer = PdfWriter::new(&title)?;
    let generated = format!(
        "Generated {} for {}",
        date_time_text::date_time_with_zone(facts.generated_at, &facts.zone),
        facts.club
    );
    write_heading(&mut pdf_writer, facts, takings, rows);
    let sums = labelled_sums(facts, takings)
        .into_iter()
        .map(|(name, amount)| {
            // Only amounts of money contain a decimal point; the others count tickets.
            let amount = if amount.contains('.') {
                money_text(&amount)
            } else {
                amount
            };
            (name, amount)
        });
    pdf_writer.write_labelled_sums(&sums.collect::<Vec<_>>());
    pdf_writer.y -= 1.5 * LINE_HEIGHT_POINTS;
    if rows.is_empty() {
        let words = if is_cancelled(facts, takings) {
            ALL_REFUNDED_TEXT
        } else {
            "No ticket is sold."
        };
        let y = pdf_writer.y;
        pdf_writer.write_text(PAGE_MARGIN_POINTS, y, 10.0, words);
        return Some(pdf_writer.finish_with_footer(&generated));
    }
    write_table_head(&mut pdf_writer);
    for (index, row) in rows.iter().enumerate() {
        // Keep room for the total below the last row, so that the total never stands alone on a
        // page.
        let lines = if index + 1 == rows.len() { 2.5 } else { 1.5 };
        if pdf_writer.y < PAGE_MARGIN_POINTS + lines * LINE_HEIGHT_POINTS {
            pdf_writer.next_page();
            write_page_title(&mut pdf_writer, &title);
            write_table_head(&mut pdf_writer);
        }
        write_table_row(&mut pdf_writer, row);
    }
    let y = pdf_writer.y - 4.0;
    pdf_writer.draw_horizontal_line(y);
    pdf_writer.y -= LINE_HEIGHT_POINTS + 2.0;
    let sold = rows.iter().filter(|row| row.has_buyer()).count();
    let tickets = if sold == 1 { "ticket" } else { "tickets" };
    let total = format!(
        "Total: {sold} {tickets}, {}",
        money_text(&(facts.price * sold as i64).decimal())
    );
    let y = pdf_writer.y;
    pdf_writer.write_text(PAGE_MARGIN_POINTS, y, 9.0, &total);
    Some(pdf_writer.finish_with_footer(&generated))
}

const ALL_REFUNDED_TEXT: &str = "Every ticket is refunded; none is left.";

/// Writes the draw's name at the top of a page after the first, because printed pages may get
/// separated.
fn write_page_title(pdf_writer: &mut PdfWriter, title: &str) {
    pdf_writer.y -= LINE_HEIGHT_POINTS;
    let y = pdf_writer.y;
    pdf_writer.write_text_within_width(
        PAGE_MARGIN_POINTS,
        y,
        9.0,
        PAGE_WIDTH_POINTS - 2.0 * PAGE_MARGIN_POINTS,
        title,
    );
    pdf_writer.y -= LINE_HEIGHT_POINTS / 2.0;
}

fn write_heading(
    pdf_writer: &mut PdfWriter,
    facts: &ReportFacts,
    takings: &DrawRevenue,
    rows: &[ReportRow],
) {
    let wide = PAGE_WIDTH_POINTS - 2.0 * PAGE_MARGIN_POINTS;
    let top = write_title(pdf_writer, facts);
    let league = facts
        .league
        .as_ref()
        .map_or_else(String::new, |league| format!(" · {league}"));
    let line = format!(
        "FD-{} · {}{league}",
        facts.draw,
        date_time_text::date_time_with_zone(facts.kick_off, &facts.zone)
    );
    pdf_writer.write_text_within_width(PAGE_MARGIN_POINTS, top - 18.0, 10.0, wide, &line);
    let price = format!(
        "{} a ticket · {} % of sales is the prize",
        facts.price, facts.prize_percentage
    );
    pdf_writer.write_text(PAGE_MARGIN_POINTS, top - 33.0, 10.0, &price);
    let result = match facts.result {
        Some((home, away)) => {
            let winner = rows.iter().find(|row| row.won);
            let wins =
                winner.map_or_else(String::new, |row| format!(" · ticket {} wins", row.number));
            let width_per_team = (wide
                - pdf_writer.text_width(&format!("Result: … #13 and … #13{wins}"), 10.0))
                / 2.0;
            let team = |name: &str| pdf_writer.cut_to_width(name, 10.0, width_per_team);
            format!(
                "Result: {} #{home} and {} #{away}{wins}",
                team(&facts.home),
                team(&facts.away)
            )
        }
        None if is_cancelled(facts, takings) => "Result: none, the draw was cancelled".to_string(),
        None => "Result: not entered yet. The numbers of the tickets stay secret until then."
            .to_string(),
    };
    pdf_writer.write_text(PAGE_MARGIN_POINTS, top - 48.0, 10.0, &result);
    pdf_writer.draw_horizontal_line(top - 58.0);
    pdf_writer.y = top - 62.0;
}

/// Writes the teams on one line if they fit, otherwise on two. Returns the vertical position of the
/// last line.
fn write_title(pdf_writer: &mut PdfWriter, facts: &ReportFacts) -> f32 {
    const TITLE_FONT_SIZE: f32 = 18.0;
    const ONE_LINE_FONT_SIZE_MIN: f32 = 12.0;
    let (top, wide) = (
        PAGE_HEIGHT_POINTS - PAGE_MARGIN_POINTS - TITLE_FONT_SIZE,
        PAGE_WIDTH_POINTS - 2.0 * PAGE_MARGIN_POINTS,
    );
    let game = format!("{} v {}", facts.home, facts.away);
    let size =
        pdf_writer.font_size_fitting_width(&game, TITLE_FONT_SIZE, wide, ONE_LINE_FONT_SIZE_MIN);
    if pdf_writer.text_width(&game, size) <= wide + 0.1 {
        pdf_writer.write_text(PAGE_MARGIN_POINTS, top, size, &game);
        return top;
    }
    let away = format!("v {}", facts.away);
    let size = [&facts.home, &away]
        .map(|team| pdf_writer.font_size_fitting_width(team, TITLE_FONT_SIZE, wide, 10.0));
    let size = size[0].min(size[1]);
    let bottom = top - 1.25 * size;
    for (y, team) in [(top, &facts.home), (bottom, &away)] {
        let team = pdf_writer.cut_to_width(team, size, wide);
        pdf_writer.write_text(PAGE_MARGIN_POINTS, y, size, &team);
    }
    bottom
}

fn write_table_head(pdf_writer: &mut PdfWriter) {
    pdf_writer.y -= LINE_HEIGHT_POINTS;
    let y = pdf_writer.y;
    for (name, x, _) in TABLE_COLUMNS {
        pdf_writer.write_text(PAGE_MARGIN_POINTS + x, y, 9.0, name);
    }
    pdf_writer.draw_horizontal_line(y - 4.0);
    pdf_writer.y -= 4.0;
}

fn write_table_row(pdf_writer: &mut PdfWriter, row: &ReportRow) {
    pdf_writer.y -= LINE_HEIGHT_POINTS;
    let y = pdf_writer.y;
    if row.won {
        // Highlight the row of the winning ticket.
        pdf_writer.draw_grey_band(y - 4.0, LINE_HEIGHT_POINTS);
    }
    let won = if row.won { " ★" } else { "" };
    let pair = row.pair.map_or_else(
        || "–".to_string(),
        |(home, away)| format!("{home} × {away}"),
    );
    let cells = [
        format!("{}{won}", row.label),
        pair,
        row.buyer_text().to_string(),
        row.email.clone(),
        row.phone.clone(),
    ];
    for ((_, x, width), cell) in TABLE_COLUMNS.into_iter().zip(cells) {
        pdf_writer.write_text_within_width(PAGE_MARGIN_POINTS + x, y, 8.5, width, &cell);
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
