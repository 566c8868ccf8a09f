//! A draw and a club in the words of a first paint: the same words React will write a moment later.

use std::fmt;

use domain::{Cents, TICKETS, Timestamp, fee};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::render::colour::Colour;
use crate::render::when;
use crate::wire;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// The landing card rounds a prize up only from here on, for display (decision D-8).
const CARD_ROUNDS_UP_FROM: Cents = Cents(500);

/// What a draw is for the person looking at it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Active,
    SoldOut,
    Closed,
    Completed,
    Cancelled,
}

impl Phase {
    fn of(draw: &wire::draw::Draw) -> Phase {
        match draw.status {
            "active" if draw.tickets_available > 0 => Phase::Active,
            "active" => Phase::SoldOut,
            "completed" => Phase::Completed,
            "cancelled" => Phase::Cancelled,
            _ => Phase::Closed,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Phase::Active | Phase::SoldOut => "Active",
            Phase::Closed => "Closed",
            Phase::Completed => "Completed",
            Phase::Cancelled => "Cancelled",
        }
    }

    /// Class of the badge.
    pub fn look(self) -> &'static str {
        match self {
            Phase::Active | Phase::SoldOut => "is-active",
            Phase::Closed => "is-closed",
            Phase::Completed => "is-completed",
            Phase::Cancelled => "is-cancelled",
        }
    }

    /// What stands in the form's place when nothing can be bought (A:73).
    fn panel(self) -> Option<(&'static str, &'static str)> {
        match self {
            Phase::Active => None,
            Phase::SoldOut => Some((
                "Sold Out!",
                "All tickets for this draw have been sold. The draw will close soon.",
            )),
            Phase::Closed => Some((
                "Draw Closed",
                "This draw has closed as the game has started. No more tickets can be purchased.",
            )),
            Phase::Completed => Some((
                "Draw Completed",
                "This draw has completed and the winner has been announced.",
            )),
            Phase::Cancelled => Some((
                "Draw cancelled",
                "This draw was cancelled. Every ticket is refunded.",
            )),
        }
    }
}

/// Time to kick-off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// `3d 4h`, `2h 14m`, `01:23`.
    pub words: String,
    /// On the draw's page: green above 24 h, yellow within, orange within 6 h, red within 1 h (A:178).
    pub band: &'static str,
    /// On cards: red under 1 h, orange under 6 h, yellow on the same day, green after (A:178).
    pub card_band: &'static str,
}

/// A large sum, whose cents are written smaller beside it.
#[derive(Clone, Debug)]
pub struct Sum(String);

impl Sum {
    pub fn whole(&self) -> &str {
        &self.0[..self.0.len() - 3]
    }

    /// `.50`.
    pub fn part(&self) -> &str {
        &self.0[self.0.len() - 3..]
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A draw in words.
#[derive(Clone, Debug)]
pub struct DrawFace {
    pub number: i64,
    pub home: String,
    pub away: String,
    pub league: Option<String>,
    pub club: String,
    pub kick_off: String,
    pub left: Option<Left>,
    pub phase: Phase,
    /// When its sales open, while they have not (decision E-20).
    pub opens: Option<String>,
    /// Its club may begin payments, as far as the draw says.
    pub club_selling: bool,
    /// The whole price first where a fee is passed on (ux.md D14).
    pub price: String,
    /// The same as a line says it: with a fee in it, it is long enough without more words.
    pub price_line: String,
    pub prize: Sum,
    pub card_prize: Sum,
    /// Whole dollars, for boards.
    pub prize_whole: String,
    pub prize_max: Sum,
    pub sold: u16,
    /// 0…1.
    pub part: String,
    /// `66.9%`.
    pub share: String,
}

impl DrawFace {
    pub fn new(draw: &wire::draw::Draw, now: Timestamp) -> DrawFace {
        let cents = |decimal: &str| Cents::parse(decimal).unwrap_or_default();
        let kick_off = instant(&draw.game_date);
        let ticket = cents(&draw.ticket_price);
        let price = if draw.pass_stripe_fees {
            let fee = fee::card_fee(ticket);
            format!(
                "{} + {} fee = {}",
                dollars(ticket),
                dollars(fee),
                dollars(ticket + fee)
            )
        } else {
            dollars(ticket)
        };
        let rounds_up = |prize: Cents| draw.round_up_prize && prize >= CARD_ROUNDS_UP_FROM;
        let plain = domain::prize::prize(draw.tickets_sold, ticket, draw.prize_percentage, false);
        let card_prize = domain::prize::prize(
            draw.tickets_sold,
            ticket,
            draw.prize_percentage,
            rounds_up(plain),
        );
        let sold = f64::from(draw.tickets_sold) / f64::from(TICKETS);
        let phase = Phase::of(draw);
        let on_sale = matches!(phase, Phase::Active | Phase::SoldOut);
        let opens_at = draw
            .opens_at
            .as_deref()
            .map(instant)
            .filter(|at| phase == Phase::Active && now < *at);
        DrawFace {
            number: draw.draw_number,
            home: draw.home_team.clone(),
            away: draw.away_team.clone(),
            league: draw.league.clone(),
            club: draw.club_name.clone(),
            kick_off: when::day_and_time(kick_off, &draw.timezone),
            left: on_sale
                .then(|| left(now, kick_off, &draw.timezone))
                .flatten(),
            phase,
            opens: opens_at
                .map(|at| format!("On sale from {}", when::day_and_time(at, &draw.timezone))),
            club_selling: draw.club_selling != Some(false),
            price_line: if draw.pass_stripe_fees {
                price.clone()
            } else {
                format!("{price} a ticket")
            },
            price,
            prize: Sum(dollars(cents(&draw.current_prize))),
            card_prize: Sum(dollars(card_prize)),
            prize_whole: whole_dollars(cents(&draw.current_prize)),
            prize_max: Sum(dollars(cents(&draw.max_prize))),
            sold: draw.tickets_sold,
            part: format!("{sold:.4}"),
            share: format!("{:.1}%", sold * 100.0),
        }
    }

    /// What stands in the form's place when nothing can be bought.
    pub fn panel(&self) -> Option<(&str, &str)> {
        match &self.opens {
            _ if self.is_unsold() => Some((
                "Not on sale",
                "This club is not selling tickets at the moment.",
            )),
            Some(opens) => Some(("Not on sale yet", opens)),
            // The last ones are only reserved: they may come free, and React shows how many.
            None if self.phase == Phase::SoldOut && self.sold < TICKETS => Some((
                "Every ticket is taken for now",
                "The last ones are being paid for. You’ll see here if any come free.",
            )),
            None => self.phase.panel(),
        }
    }

    pub fn is_buyable(&self) -> bool {
        self.phase == Phase::Active && self.opens.is_none() && self.club_selling
    }

    /// It could be on sale, but for its club.
    fn is_unsold(&self) -> bool {
        matches!(self.phase, Phase::Active | Phase::SoldOut) && !self.club_selling
    }

    /// `Redcliffe Sharks v Wynnum Tigers`.
    pub fn title(&self) -> String {
        format!("{} v {}", self.home, self.away)
    }

    /// Called off: there is no prize, and whoever paid is paid back.
    pub fn is_off(&self) -> bool {
        self.phase == Phase::Cancelled
    }

    /// One sentence for a share card.
    pub fn summary(&self) -> String {
        if self.is_off() {
            return format!(
                "{}: this draw was cancelled. Every ticket is refunded.",
                self.club
            );
        }
        format!(
            "{}: prize pool {}, {}/{TICKETS} tickets sold. {}.",
            self.club, self.prize, self.sold, self.kick_off
        )
    }
}

fn instant(rfc3339: &str) -> Timestamp {
    let at = OffsetDateTime::parse(rfc3339, &Rfc3339).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    Timestamp((at.unix_timestamp_nanos() / 1_000_000) as i64)
}

/// `None` once it has begun.
pub fn left(now: Timestamp, kick_off: Timestamp, zone: &str) -> Option<Left> {
    let ms = kick_off.ms_since(now);
    let words = match ms {
        ..=0 => return None,
        DAY_MS.. => format!("{}d {}h", ms / DAY_MS, ms % DAY_MS / HOUR_MS),
        HOUR_MS.. => format!("{}h {}m", ms / HOUR_MS, ms % HOUR_MS / MINUTE_MS),
        _ => {
            let seconds = (ms + 999) / 1000;
            format!("{:02}:{:02}", seconds / 60, seconds % 60)
        }
    };
    let soon = 6 * HOUR_MS;
    let band = match ms {
        _ if ms < HOUR_MS => "band-red",
        _ if ms <= soon => "band-orange",
        _ if ms <= DAY_MS => "band-yellow",
        _ => "band-green",
    };
    let card_band = match ms {
        _ if ms < HOUR_MS => "band-red",
        _ if ms < soon => "band-orange",
        _ if when::same_day(now, kick_off, zone) => "band-yellow",
        _ => "band-green",
    };
    Some(Left {
        words,
        band,
        card_band,
    })
}

/// A club in words and safe colours.
#[derive(Clone, Debug)]
pub struct ClubFace {
    /// The present one (decision A-16).
    pub slug: String,
    pub title: String,
    pub tagline: String,
    pub logo: Option<String>,
    /// Two letters for a club without a logo.
    pub letters: String,
    pub primary: String,
    pub on_primary: &'static str,
    pub secondary: String,
    pub accent: String,
    pub on_accent: &'static str,
}

impl ClubFace {
    pub fn new(club: &wire::club::Club) -> ClubFace {
        let colour = |text: &str, default: &str| {
            Colour::parse(text)
                .or_else(|| Colour::parse(default))
                .expect("the specification's defaults are colours")
        };
        let primary = colour(&club.primary_color, "#1f2937");
        let accent = colour(&club.accent_color, "#3b82f6");
        ClubFace {
            slug: club.canonical_slug.clone(),
            title: club
                .home_page_title
                .clone()
                .unwrap_or_else(|| club.name.clone()),
            tagline: club.home_page_tagline.clone(),
            logo: club.logo_url.clone(),
            letters: letters(&club.name),
            primary: primary.css(),
            on_primary: primary.text(),
            secondary: colour(&club.secondary_color, "#374151").css(),
            accent: accent.css(),
            on_accent: accent.text(),
        }
    }
}

fn letters(name: &str) -> String {
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or("F");
    let second = words
        .next()
        .and_then(|word| word.chars().next())
        .or_else(|| first.chars().nth(1));
    first
        .chars()
        .take(1)
        .chain(second)
        .flat_map(char::to_uppercase)
        .collect()
}

/// `$1,047.50`: every sum but a board's prize has its cents (A:306).
pub fn dollars(amount: Cents) -> String {
    let (whole, part) = (amount.0 / 100, amount.0 % 100);
    let digits = whole.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("${grouped}.{part:02}")
}

/// Whole dollars, rounded down.
pub fn whole_dollars(amount: Cents) -> String {
    let text = dollars(amount);
    text[..text.len() - 3].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_club_without_a_logo_has_two_letters() {
        assert_eq!(letters("Bayside Barracudas"), "BB");
        assert_eq!(letters("sharks"), "SH");
        assert_eq!(letters(""), "F");
    }

    #[test]
    fn money_reads_as_react_writes_it() {
        assert_eq!(dollars(Cents(104_750)), "$1,047.50");
        assert_eq!(dollars(Cents(5)), "$0.05");
        assert_eq!(whole_dollars(Cents(123_456_789)), "$1,234,567");
    }

    #[test]
    fn time_left_changes_its_words_and_its_band() {
        let now = Timestamp(1_795_165_800_000);
        let face = |ms| {
            left(now, now.plus_ms(ms), "Australia/Brisbane").map(|left| (left.words, left.band))
        };
        let some = |words: &str, band| Some((words.to_string(), band));
        assert_eq!(face(0), None);
        assert_eq!(face(83_000), some("01:23", "band-red"));
        assert_eq!(
            face(2 * HOUR_MS + 14 * MINUTE_MS),
            some("2h 14m", "band-orange")
        );
        assert_eq!(face(7 * HOUR_MS), some("7h 0m", "band-yellow"));
        assert_eq!(face(3 * DAY_MS + 4 * HOUR_MS), some("3d 4h", "band-green"));
    }
}
