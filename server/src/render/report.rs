//! A draw's report as a table (CSV) and on paper (PDF), and its poster. The same figures in both, from `takings`.

use domain::{Cents, DrawId, Timestamp};

use super::paper::{HEIGHT, LINE, MARGIN, Paper, WIDTH, money};
use crate::render::when;
use crate::takings::Takings;

mod poster;
mod table;

pub use poster::Poster;
pub use table::csv;

/// What a report is about.
#[derive(Clone)]
pub struct Facts {
    pub club: String,
    pub draw: DrawId,
    pub league: Option<String>,
    pub home: String,
    pub away: String,
    pub zone: String,
    pub kick_off: Timestamp,
    pub price: Cents,
    pub prize_percentage: u8,
    /// The two first try scorers.
    pub result: Option<(u8, u8)>,
    /// What of the platform's fee is tax (decision D-15).
    pub fee_note: String,
    pub generated_at: Timestamp,
}

/// A sold ticket. No bank details, ever.
pub struct Row {
    pub label: String,
    pub number: u16,
    /// Once everybody may see it.
    pub pair: Option<(u8, u8)>,
    pub won: bool,
    pub name: String,
    pub email: String,
    pub phone: String,
    pub sold_at: Timestamp,
}

/// Called off: without a result the prize stays open, and only then is none due.
fn is_off(facts: &Facts, takings: &Takings) -> bool {
    facts.result.is_none() && !takings.prize_is_due
}

/// The sums under a report, in its order.
pub fn sums(facts: &Facts, takings: &Takings) -> [(String, String); 8] {
    let prize = match takings.prize_is_due {
        true => "Prize",
        false if is_off(facts, takings) => "Prize (not due: the draw was cancelled)",
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
    sums.map(|(name, amount)| (name.to_string(), amount))
}

const COLUMNS: [(&str, f32, f32); 5] = [
    ("Ticket", 0.0, 82.0),
    ("Numbers", 84.0, 56.0),
    ("Buyer", 142.0, 122.0),
    ("E-mail", 266.0, 142.0),
    ("Phone", 410.0, 98.0),
];

pub fn pdf(facts: &Facts, takings: &Takings, rows: &[Row]) -> Option<Vec<u8>> {
    let title = format!("FD-{} {} v {}", facts.draw, facts.home, facts.away);
    let mut paper = Paper::new(&title)?;
    let generated = format!(
        "Generated {} for {}",
        when::long(facts.generated_at, &facts.zone),
        facts.club
    );
    heading(&mut paper, facts, takings, rows);
    let sums = sums(facts, takings).map(|(name, amount)| {
        // All but the first, which counts tickets, are money.
        let amount = if amount.contains('.') {
            money(&amount)
        } else {
            amount
        };
        (name, amount)
    });
    paper.sums(&sums);
    paper.y -= 1.5 * LINE;
    if rows.is_empty() {
        let words = if is_off(facts, takings) {
            NOBODY_PAYS
        } else {
            "No ticket is sold."
        };
        let y = paper.y;
        paper.text(MARGIN, y, 10.0, words);
        return Some(paper.finish(&generated));
    }
    table_head(&mut paper);
    for (place, row) in rows.iter().enumerate() {
        // Room for the total under the last one, which does not stand on a page by itself.
        let lines = if place + 1 == rows.len() { 2.5 } else { 1.5 };
        if paper.y < MARGIN + lines * LINE {
            paper.next_page();
            continued(&mut paper, &title);
            table_head(&mut paper);
        }
        table_row(&mut paper, row);
    }
    let y = paper.y - 4.0;
    paper.rule(y);
    paper.y -= LINE + 2.0;
    let tickets = if rows.len() == 1 { "ticket" } else { "tickets" };
    let total = format!(
        "Total: {} {tickets}, {}",
        rows.len(),
        money(&(facts.price * rows.len() as i64).decimal())
    );
    let y = paper.y;
    paper.text(MARGIN, y, 9.0, &total);
    Some(paper.finish(&generated))
}

const NOBODY_PAYS: &str = "Every ticket is refunded; none is left.";

/// Which draw it is, on every page after the first: pages come apart.
fn continued(paper: &mut Paper, title: &str) {
    paper.y -= LINE;
    let y = paper.y;
    paper.text_within(MARGIN, y, 9.0, WIDTH - 2.0 * MARGIN, title);
    paper.y -= LINE / 2.0;
}

fn heading(paper: &mut Paper, facts: &Facts, takings: &Takings, rows: &[Row]) {
    let wide = WIDTH - 2.0 * MARGIN;
    let top = title(paper, facts);
    let league = facts
        .league
        .as_ref()
        .map_or_else(String::new, |league| format!(" · {league}"));
    let line = format!(
        "FD-{} · {}{league}",
        facts.draw,
        when::long(facts.kick_off, &facts.zone)
    );
    paper.text_within(MARGIN, top - 18.0, 10.0, wide, &line);
    let price = format!(
        "{} a ticket · {} % of sales is the prize",
        facts.price, facts.prize_percentage
    );
    paper.text(MARGIN, top - 33.0, 10.0, &price);
    let result = match facts.result {
        Some((home, away)) => {
            let winner = rows.iter().find(|row| row.won);
            let wins =
                winner.map_or_else(String::new, |row| format!(" · ticket {} wins", row.number));
            let room = (wide - paper.width(&format!("Result: … #13 and … #13{wins}"), 10.0)) / 2.0;
            let team = |name: &str| paper.fitting(name, 10.0, room);
            format!(
                "Result: {} #{home} and {} #{away}{wins}",
                team(&facts.home),
                team(&facts.away)
            )
        }
        None if is_off(facts, takings) => "Result: none, the draw was cancelled".to_string(),
        None => "Result: not entered yet. The numbers of the tickets stay secret until then."
            .to_string(),
    };
    paper.text(MARGIN, top - 48.0, 10.0, &result);
    paper.rule(top - 58.0);
    paper.y = top - 62.0;
}

/// The teams, on one line if they fit and else on two; answers where its last line stands.
fn title(paper: &mut Paper, facts: &Facts) -> f32 {
    const SIZE: f32 = 18.0;
    const SIZE_ON_ONE_LINE_MIN: f32 = 12.0;
    let (top, wide) = (HEIGHT - MARGIN - SIZE, WIDTH - 2.0 * MARGIN);
    let game = format!("{} v {}", facts.home, facts.away);
    let size = paper.size_within(&game, SIZE, wide, SIZE_ON_ONE_LINE_MIN);
    if paper.width(&game, size) <= wide + 0.1 {
        paper.text(MARGIN, top, size, &game);
        return top;
    }
    let away = format!("v {}", facts.away);
    let size = [&facts.home, &away].map(|team| paper.size_within(team, SIZE, wide, 10.0));
    let size = size[0].min(size[1]);
    let bottom = top - 1.25 * size;
    for (y, team) in [(top, &facts.home), (bottom, &away)] {
        let team = paper.fitting(team, size, wide);
        paper.text(MARGIN, y, size, &team);
    }
    bottom
}

fn table_head(paper: &mut Paper) {
    paper.y -= LINE;
    let y = paper.y;
    for (name, x, _) in COLUMNS {
        paper.text(MARGIN + x, y, 9.0, name);
    }
    paper.rule(y - 4.0);
    paper.y -= 4.0;
}

fn table_row(paper: &mut Paper, row: &Row) {
    paper.y -= LINE;
    let y = paper.y;
    if row.won {
        // One of up to 169, and the one that is looked for.
        paper.ground(y - 4.0, LINE);
    }
    let won = if row.won { " ★" } else { "" };
    let pair = row.pair.map_or_else(
        || "–".to_string(),
        |(home, away)| format!("{home} × {away}"),
    );
    let cells = [
        format!("{}{won}", row.label),
        pair,
        row.name.clone(),
        row.email.clone(),
        row.phone.clone(),
    ];
    for ((_, x, width), cell) in COLUMNS.into_iter().zip(cells) {
        paper.text_within(MARGIN + x, y, 8.5, width, &cell);
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
