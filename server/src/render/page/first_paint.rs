//! The texts of a draw and a club in server-rendered HTML. React renders the same texts afterwards.

use std::fmt;

use domain::{Cents, TICKETS, Timestamp, fee};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::api;
use crate::render::colour::Colour;
use crate::render::date_time_text;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Heading while every ticket is sold or held.
const TAKEN_FOR_NOW: &str = "Every ticket is taken for now";
/// Smallest prize that the card on the landing page rounds up to whole dollars, for display only
/// (decision D-8).
const ROUNDED_DISPLAY_PRIZE_MIN: Cents = Cents(500);

/// The state of a draw as shown to a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawPhase {
    Active,
    SoldOut,
    Closed,
    Completed,
    Cancelled,
}

impl DrawPhase {
    fn from_draw(draw: &api::draw::Draw) -> DrawPhase {
        match draw.status {
            "active" if draw.tickets_available > 0 => DrawPhase::Active,
            "active" => DrawPhase::SoldOut,
            "completed" => DrawPhase::Completed,
            "cancelled" => DrawPhase::Cancelled,
            _ => DrawPhase::Closed,
        }
    }

    /// Returns the text of the draw's status badge.
    pub fn badge_text(self) -> &'static str {
        match self {
            DrawPhase::Active | DrawPhase::SoldOut => "Active",
            DrawPhase::Closed => "Closed",
            DrawPhase::Completed => "Completed",
            DrawPhase::Cancelled => "Cancelled",
        }
    }

    /// Returns the CSS class of the draw's status badge.
    pub fn badge_class(self) -> &'static str {
        match self {
            DrawPhase::Active | DrawPhase::SoldOut => "is-active",
            DrawPhase::Closed => "is-closed",
            DrawPhase::Completed => "is-completed",
            DrawPhase::Cancelled => "is-cancelled",
        }
    }

    /// Returns the heading and text that replace the purchase form when the draw's phase allows no
    /// purchase (specification A, line 73).
    fn not_buyable_panel(self) -> Option<(&'static str, &'static str)> {
        match self {
            DrawPhase::Active => None,
            DrawPhase::SoldOut => Some((
                "Sold Out!",
                "All tickets for this draw have been sold. The draw will close soon.",
            )),
            DrawPhase::Closed => Some((
                "Draw Closed",
                "This draw has closed as the game has started. No more tickets can be purchased.",
            )),
            DrawPhase::Completed => Some((
                "Draw Completed",
                "This draw has completed and the winner has been announced.",
            )),
            DrawPhase::Cancelled => Some((
                "Draw cancelled",
                "This draw was cancelled. Every ticket is refunded.",
            )),
        }
    }
}

/// The time until kick-off, as text and as CSS colour classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The remaining time as text, such as `3d 4h`, `2h 14m` or `01:23`.
    pub words: String,
    /// CSS colour class on the draw's page: green above 24 h, yellow within 24 h, orange within 6
    /// h, red within 1 h (specification A, line 178).
    pub band: &'static str,
    /// CSS colour class on a card in a list of draws: red under 1 h, orange under 6 h, yellow on
    /// the same day, otherwise green (specification A, line 178).
    pub card_band: &'static str,
}

/// An amount of money as text. Pages show its cents smaller than its dollars.
#[derive(Clone, Debug)]
pub struct DollarsAndCents(String);

impl DollarsAndCents {
    /// Returns the whole dollars with the dollar sign, such as `$5`.
    pub fn dollars_part(&self) -> &str {
        &self.0[..self.0.len() - 3]
    }

    /// Returns the cents with the point, such as `.50`.
    pub fn cents_part(&self) -> &str {
        &self.0[self.0.len() - 3..]
    }
}

impl fmt::Display for DollarsAndCents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The texts and states of a draw that a page shows.
#[derive(Clone, Debug)]
pub struct DrawTexts {
    pub number: i64,
    pub home: String,
    pub away: String,
    pub league: Option<String>,
    pub club: String,
    pub club_mark: ClubMark,
    pub kick_off: String,
    pub left: Option<TimeLeft>,
    pub phase: DrawPhase,
    /// When sales open, as text; `None` once they are open (decision E-20).
    pub opens: Option<String>,
    /// Whether the club may start payments. Also true if the draw's data does not contain it.
    pub club_selling: bool,
    /// The ticket price as text, such as `$5.00`. If the card fee is passed on, its parts and the
    /// total (ux.md D14): `$5.00 + $0.39 fee = $5.39`.
    pub price: String,
    /// The price for a line of text, such as `$5.00 a ticket`. With a passed-on fee, `a ticket` is
    /// left out, because the text is long.
    pub price_line: String,
    pub prize: DollarsAndCents,
    prize_cents: Cents,
    pub card_prize: DollarsAndCents,
    /// The prize in whole dollars, for boards.
    pub prize_whole: String,
    pub prize_max: DollarsAndCents,
    pub sold: u16,
    /// The sold share of the tickets as a number from 0 to 1.
    pub part: String,
    /// The sold share of the tickets as a percentage, such as `66.9%`.
    pub share: String,
}

impl DrawTexts {
    pub fn new(draw: &api::draw::Draw, now: Timestamp) -> DrawTexts {
        let cents = |decimal: &str| Cents::parse(decimal).unwrap_or_default();
        let kick_off = parse_rfc3339(&draw.game_date);
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
        let rounds_up = |prize: Cents| draw.round_up_prize && prize >= ROUNDED_DISPLAY_PRIZE_MIN;
        let plain = domain::prize::prize(draw.tickets_sold, ticket, draw.prize_percentage, false);
        let card_prize = domain::prize::prize(
            draw.tickets_sold,
            ticket,
            draw.prize_percentage,
            rounds_up(plain),
        );
        let sold = f64::from(draw.tickets_sold) / f64::from(TICKETS);
        let phase = DrawPhase::from_draw(draw);
        let on_sale = matches!(phase, DrawPhase::Active | DrawPhase::SoldOut);
        let opens_at = draw
            .opens_at
            .as_deref()
            .map(parse_rfc3339)
            .filter(|at| phase == DrawPhase::Active && now < *at);
        DrawTexts {
            number: draw.draw_number,
            home: draw.home_team.clone(),
            away: draw.away_team.clone(),
            league: draw.league.clone(),
            club: draw.club_name.clone(),
            club_mark: ClubMark::new(
                &draw.club_name,
                draw.club_logo_url.as_deref(),
                &draw.club_primary_color,
                &draw.club_accent_color,
            ),
            kick_off: date_time_text::non_breaking_date_time(kick_off, &draw.timezone),
            left: on_sale
                .then(|| time_left(now, kick_off, &draw.timezone))
                .flatten(),
            phase,
            opens: opens_at.map(|at| {
                format!(
                    "On sale from {}",
                    date_time_text::non_breaking_date_time(at, &draw.timezone)
                )
            }),
            club_selling: draw.club_selling != Some(false),
            price_line: if draw.pass_stripe_fees {
                price.clone()
            } else {
                format!("{price} a ticket")
            },
            price,
            prize: DollarsAndCents(dollars(cents(&draw.current_prize))),
            prize_cents: cents(&draw.current_prize),
            card_prize: DollarsAndCents(dollars(card_prize)),
            prize_whole: whole_dollars(cents(&draw.current_prize)),
            prize_max: DollarsAndCents(dollars(cents(&draw.max_prize))),
            sold: draw.tickets_sold,
            part: format!("{sold:.4}"),
            share: format!("{:.1}%", sold * 100.0),
        }
    }

    /// Returns the heading and text that replace the purchase form when no tickets can be bought.
    pub fn not_buyable_panel(&self) -> Option<(&str, &str)> {
        match &self.opens {
            _ if self.is_blocked_by_club() => Some((
                "Not on sale",
                "This club is not selling tickets at the moment.",
            )),
            Some(opens) => Some(("Not on sale yet", opens)),
            // No ticket is free, but some are only reserved and may become free again. React shows
            // how many.
            None if self.phase == DrawPhase::SoldOut && self.sold < TICKETS => Some((
                TAKEN_FOR_NOW,
                "The last ones are being paid for. You’ll see here if any come free.",
            )),
            None => self.phase.not_buyable_panel(),
        }
    }

    /// Returns the title and note of a card without tickets to buy. A draw is sold out only once no
    /// ticket is held either (decision M-8).
    pub fn sold_out_texts(&self) -> (&'static str, &'static str) {
        if self.phase == DrawPhase::SoldOut && self.sold < TICKETS {
            (TAKEN_FOR_NOW, "The last ones are being paid for")
        } else {
            ("Sold Out", "All tickets purchased")
        }
    }

    /// Returns the draw with the biggest prize of those on sale; of equal prizes the first. React
    /// chooses in the same way (`web/src/features/buyer/landing/find.ts`).
    pub fn with_biggest_prize(draws: &[DrawTexts]) -> Option<&DrawTexts> {
        // `max_by_key` returns the last of equal elements.
        draws
            .iter()
            .rev()
            .filter(|draw| draw.is_buyable())
            .max_by_key(|draw| draw.prize_cents)
    }

    /// Whether tickets can be bought now.
    pub fn is_buyable(&self) -> bool {
        self.phase == DrawPhase::Active && self.opens.is_none() && self.club_selling
    }

    /// Whether the draw's own state allows sales, but its club may not start payments.
    fn is_blocked_by_club(&self) -> bool {
        matches!(self.phase, DrawPhase::Active | DrawPhase::SoldOut) && !self.club_selling
    }

    /// Whether the page shows the result's grid instead of the grid that counts sales.
    pub fn has_result_grid(&self) -> bool {
        self.phase == DrawPhase::Completed
    }

    /// Returns the teams, such as `Redcliffe Sharks v Wynnum Tigers`.
    pub fn title(&self) -> String {
        format!("{} v {}", self.home, self.away)
    }

    /// Whether the draw was cancelled. A cancelled draw has no prize, and its buyers are refunded.
    pub fn is_cancelled(&self) -> bool {
        self.phase == DrawPhase::Cancelled
    }

    /// Returns one sentence about the draw for its share card.
    pub fn summary(&self) -> String {
        if self.is_cancelled() {
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

/// Parses a time of the API.
pub fn parse_rfc3339(rfc3339: &str) -> Timestamp {
    let at = OffsetDateTime::parse(rfc3339, &Rfc3339).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    Timestamp((at.unix_timestamp_nanos() / 1_000_000) as i64)
}

/// Returns the time until kick-off; `None` once kick-off is reached.
pub fn time_left(now: Timestamp, kick_off: Timestamp, zone: &str) -> Option<TimeLeft> {
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
        _ if date_time_text::is_same_day(now, kick_off, zone) => "band-yellow",
        _ => "band-green",
    };
    Some(TimeLeft {
        words,
        band,
        card_band,
    })
}

/// A club's crest and the colours of its bands.
#[derive(Clone, Debug)]
pub struct ClubMark {
    pub logo: Option<String>,
    /// Two initials, shown for a club without a logo.
    pub letters: String,
    /// Background with legible white text.
    pub band: String,
    /// Colour of the prize on the band.
    pub prize: String,
}

impl ClubMark {
    fn new(name: &str, logo: Option<&str>, primary: &str, accent: &str) -> ClubMark {
        let band = colour_or(primary, "#1f2937").band_colour();
        ClubMark {
            logo: logo.map(str::to_string),
            letters: initials(name),
            band: band.css(),
            prize: band.prize_colour(colour_or(accent, "#3b82f6")).css(),
        }
    }
}

/// Parses a club's colour. An invalid colour becomes the specification's default.
fn colour_or(text: &str, default: &str) -> Colour {
    Colour::parse(text)
        .or_else(|| Colour::parse(default))
        .expect("the specification's defaults are colours")
}

/// The texts and validated colours of a club that a page shows.
#[derive(Clone, Debug)]
pub struct ClubTexts {
    /// The current slug (decision A-16).
    pub slug: String,
    pub title: String,
    pub tagline: String,
    pub mark: ClubMark,
    pub primary: String,
    pub on_primary: &'static str,
    pub secondary: String,
    pub accent: String,
    pub on_accent: &'static str,
    pub photo: Option<String>,
    pub goal: Option<GoalTexts>,
}

/// What a club raises money for, and how much it has raised.
#[derive(Clone, Debug)]
pub struct GoalTexts {
    pub text: String,
    pub amount: String,
    pub raised: String,
    /// The raised share of the goal as a number from 0 to 1.
    pub part: String,
    pub percent: i64,
}

impl GoalTexts {
    fn new(club: &api::club::Club) -> Option<GoalTexts> {
        let amount = Cents::parse(club.goal_amount.as_deref()?)?;
        let raised = Cents::parse(club.raised_so_far.as_deref()?)?;
        let percent = raised.0 * 100 / amount.0.max(1);
        Some(GoalTexts {
            text: club.goal_text.clone()?,
            amount: whole_dollars(amount),
            raised: whole_dollars(raised),
            part: format!("{:.4}", (percent as f64 / 100.0).min(1.0)),
            percent,
        })
    }
}

impl ClubTexts {
    pub fn new(club: &api::club::Club) -> ClubTexts {
        let primary = colour_or(&club.primary_color, "#1f2937");
        let accent = colour_or(&club.accent_color, "#3b82f6");
        ClubTexts {
            slug: club.canonical_slug.clone(),
            title: club
                .home_page_title
                .clone()
                .unwrap_or_else(|| club.name.clone()),
            tagline: club.home_page_tagline.clone(),
            mark: ClubMark::new(
                &club.name,
                club.logo_url.as_deref(),
                &club.primary_color,
                &club.accent_color,
            ),
            primary: primary.css(),
            on_primary: primary.readable_text_colour(),
            secondary: colour_or(&club.secondary_color, "#374151").css(),
            accent: accent.css(),
            on_accent: accent.readable_text_colour(),
            photo: club.photo_url.clone(),
            goal: GoalTexts::new(club),
        }
    }
}

/// Returns the two letters of a club without a logo.
pub fn initials(name: &str) -> String {
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

/// Formats an amount with cents, such as `$1,047.50`. Pages show all amounts so, except the prize
/// on a board (specification A, line 306).
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

/// Formats an amount in whole dollars, rounded down.
pub fn whole_dollars(amount: Cents) -> String {
    let text = dollars(amount);
    text[..text.len() - 3].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn club_without_logo_shows_two_initials() {
        assert_eq!(initials("Bayside Barracudas"), "BB");
        assert_eq!(initials("sharks"), "SH");
        assert_eq!(initials(""), "F");
    }

    #[test]
    fn amounts_are_formatted_as_in_react() {
        assert_eq!(dollars(Cents(104_750)), "$1,047.50");
        assert_eq!(dollars(Cents(5)), "$0.05");
        assert_eq!(whole_dollars(Cents(123_456_789)), "$1,234,567");
    }

    #[test]
    fn time_left_has_a_text_and_a_colour_class() {
        let now = Timestamp(1_795_165_800_000);
        let face = |ms| {
            time_left(now, now.plus_ms(ms), "Australia/Brisbane")
                .map(|time_left| (time_left.words, time_left.band))
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
