//! The texts of an offer in server-rendered HTML.

use domain::{Status, TICKETS, Timestamp, View, fee};
use persistence::records::listings::Listing;

use crate::render::date_time_text;
use crate::render::page::first_paint::{TimeLeft, dollars, time_left, whole_dollars};
use crate::services::offer::{Offer, OfferStatus};

/// Maximum characters of an offer's tag that pages show. A longer tag is cut (decision H-12).
const TAG_CHARS_MAX: usize = 90;

/// The texts of an offer that a page shows.
#[derive(Clone, Debug)]
pub struct OfferTexts {
    pub name: String,
    pub slug: String,
    pub club: String,
    pub club_slug: String,
    pub tag: Option<String>,
    pub copy: Option<String>,
    /// URL of the share image, 1200 × 630 pixels.
    pub picture: String,
    pub games: Vec<OfferGameTexts>,
    /// The price of one ticket of each game together, including passed-on card fees.
    pub price: String,
    /// The parts of a price that includes a passed-on card fee, such as `$10.00 + $0.39 fee =
    /// $10.39`; `None` without a fee.
    pub price_parts: Option<String>,
    /// The time until the earliest kick-off; `None` if the offer is not on sale.
    pub left: Option<TimeLeft>,
    pub prize_whole: String,
    pub sold: u16,
    pub cap: u16,
    pub closed: bool,
    /// When the sales of a scheduled offer start, as text. `None` if the offer is not scheduled, or
    /// only waits for the sales of its games.
    pub opens: Option<String>,
}

/// A game of an offer, as `web/src/features/buyer/offer/offer-games.tsx` lists it.
#[derive(Clone, Debug)]
pub struct OfferGameTexts {
    pub number: i64,
    pub teams: String,
    /// The league, if any, and the kick-off.
    pub when: String,
    pub price: String,
    /// The game's prize and sold tickets as text; for a cancelled game, that it is refunded.
    pub figures: String,
    /// Why the game is not on sale, and the CSS class of its badge; `None` if it is on sale.
    pub state: Option<(&'static str, &'static str)>,
}

impl OfferGameTexts {
    fn new(listing: &Listing, view: &View, now: Timestamp) -> OfferGameTexts {
        let kick_off = date_time_text::non_breaking_date_time(view.closes_at, &listing.zone);
        let total = if listing.pass_card_fee {
            view.price + fee::card_fee(view.price)
        } else {
            view.price
        };
        let state = match view.status {
            Status::Completed => Some(("COMPLETED", "is-completed")),
            Status::Cancelled => Some(("Cancelled", "is-cancelled")),
            Status::Closed => Some(("Draw Closed", "is-closed")),
            Status::Active if now >= view.closes_at => Some(("Draw Closed", "is-closed")),
            Status::Active if view.free() == 0 => Some(("Sold Out", "is-closed")),
            Status::Active => None,
        };
        OfferGameTexts {
            number: view.draw.0,
            teams: format!("{} v {}", listing.home_team, listing.away_team),
            when: listing.league.as_ref().map_or_else(
                || kick_off.clone(),
                |league| format!("{league} · {kick_off}"),
            ),
            price: dollars(total),
            figures: match view.status {
                Status::Cancelled => "Every ticket is refunded".to_string(),
                _ => format!(
                    "Prize {} · {}/{TICKETS} sold",
                    dollars(view.prize),
                    view.sold
                ),
            },
            state,
        }
    }
}

impl OfferTexts {
    /// Creates the texts of an offer. `picture` is the URL of its share image.
    pub fn new(offer: &Offer, picture: String, now: Timestamp) -> OfferTexts {
        let zone = offer.games.first().map_or("", |(listing, _)| &listing.zone);
        let plain = offer.price();
        let parts = || {
            format!(
                "{} + {} fee = {}",
                dollars(plain),
                dollars(offer.total - plain),
                dollars(offer.total)
            )
        };
        let closes_at = offer
            .closes_at()
            .filter(|_| offer.sale_status == OfferStatus::OnSale);
        let opens_at = offer
            .bundle
            .start_at
            .filter(|_| offer.sale_status == OfferStatus::Scheduled);
        OfferTexts {
            name: offer.bundle.name.clone(),
            slug: offer.bundle.slug.clone(),
            club: offer.club.name.clone(),
            club_slug: offer.club.slug.clone(),
            tag: offer.bundle.display_tag.as_deref().and_then(shown_tag),
            copy: offer.bundle.primary_copy.clone(),
            picture,
            games: offer
                .games
                .iter()
                .map(|(listing, view)| OfferGameTexts::new(listing, view, now))
                .collect(),
            price: dollars(offer.total),
            price_parts: (offer.total > plain).then(parts),
            left: closes_at.and_then(|at| time_left(now, at, zone)),
            prize_whole: whole_dollars(offer.prize()),
            sold: offer.sold(),
            cap: offer.ticket_count(),
            closed: matches!(offer.sale_status, OfferStatus::Closed | OfferStatus::Ended),
            opens: opens_at.map(|at| date_time_text::non_breaking_date_time(at, zone)),
        }
    }

    /// Returns one sentence about the offer for its share card.
    pub fn summary(&self) -> String {
        let games = self.games.len();
        let copy = self
            .copy
            .clone()
            .unwrap_or_else(|| format!("A ticket in {games} games of {}.", self.club));
        format!("{copy} From {}. Support {}.", self.price, self.club)
    }
}

/// Returns the offer's tag, cut with an ellipsis if it is too long, as
/// `web/src/features/shared-offer/offer.ts` shows it.
fn shown_tag(tag: &str) -> Option<String> {
    let tag = tag.trim();
    let cut: String = tag.chars().take(TAG_CHARS_MAX).collect();
    let more = if cut.len() < tag.len() { "…" } else { "" };
    (!tag.is_empty()).then(|| cut + more)
}

#[cfg(test)]
mod tests {
    use super::shown_tag;

    #[test]
    fn long_tag_is_cut_at_ninety_characters_with_an_ellipsis() {
        assert_eq!(shown_tag(" Two games "), Some("Two games".to_string()));
        assert_eq!(shown_tag("  "), None);
        let long = "é".repeat(91);
        assert_eq!(shown_tag(&long), Some("é".repeat(90) + "…"));
        assert_eq!(shown_tag(&long[..180]), Some("é".repeat(90)));
    }
}
