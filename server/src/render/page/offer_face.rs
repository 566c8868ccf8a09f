//! An offer in the words of a first paint.

use domain::{Status, TICKETS, Timestamp, View, fee};
use persistence::records::listings::Listing;

use crate::offer::{Offer, Standing};
use crate::render::page::face::{Left, dollars, left, whole_dollars};
use crate::render::when;

/// A tag is cut here when it is shown (decision H-12).
const TAG_CHARS_MAX: usize = 90;

#[derive(Clone, Debug)]
pub struct OfferFace {
    pub name: String,
    pub slug: String,
    pub club: String,
    pub club_slug: String,
    pub tag: Option<String>,
    pub copy: Option<String>,
    /// Address of the picture, 1200 × 630.
    pub picture: String,
    pub games: Vec<GameFace>,
    /// One ticket of each game, the fee in it where it is passed on.
    pub price: String,
    /// `$10.00 + $0.39 fee = $10.39`, where it is.
    pub price_parts: Option<String>,
    /// To the first kick-off, while it is on sale.
    pub left: Option<Left>,
    pub prize_whole: String,
    pub sold: u16,
    pub cap: u16,
    pub closed: bool,
    /// When its sales open, while they have not.
    pub opens: Option<String>,
}

/// A game of an offer, as `web/src/features/buyer/offer/offer-games.tsx` lists it.
#[derive(Clone, Debug)]
pub struct GameFace {
    pub number: i64,
    pub teams: String,
    /// League, if it has one, and kick-off.
    pub when: String,
    pub price: String,
    /// Prize and tickets sold, or what a game that was called off has instead.
    pub figures: String,
    /// Why it is not on sale, and the badge's class.
    pub state: Option<(&'static str, &'static str)>,
}

impl GameFace {
    fn new(listing: &Listing, view: &View, now: Timestamp) -> GameFace {
        let kick_off = when::day_and_time(view.closes_at, &listing.zone);
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
        GameFace {
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

impl OfferFace {
    /// `picture`: address of its share image.
    pub fn new(offer: &Offer, picture: String, now: Timestamp) -> OfferFace {
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
            .filter(|_| offer.standing == Standing::OnSale);
        let opens_at = offer
            .bundle
            .start_at
            .filter(|_| offer.standing == Standing::Scheduled);
        OfferFace {
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
                .map(|(listing, view)| GameFace::new(listing, view, now))
                .collect(),
            price: dollars(offer.total),
            price_parts: (offer.total > plain).then(parts),
            left: closes_at.and_then(|at| left(now, at, zone)),
            prize_whole: whole_dollars(offer.prize()),
            sold: offer.sold(),
            cap: offer.cap(),
            closed: matches!(offer.standing, Standing::Closed | Standing::Ended),
            opens: opens_at.map(|at| when::day_and_time(at, zone)),
        }
    }

    /// One sentence for a share card.
    pub fn summary(&self) -> String {
        let games = self.games.len();
        let copy = self
            .copy
            .clone()
            .unwrap_or_else(|| format!("A ticket in {games} games of {}.", self.club));
        format!("{copy} From {}. Support {}.", self.price, self.club)
    }
}

/// Whole, or cut with a sign that it goes on: as `web/src/features/shared-offer/offer.ts` shows it.
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
    fn a_tag_is_cut_at_ninety_characters_and_says_so() {
        assert_eq!(shown_tag(" Two games "), Some("Two games".to_string()));
        assert_eq!(shown_tag("  "), None);
        let long = "é".repeat(91);
        assert_eq!(shown_tag(&long), Some("é".repeat(90) + "…"));
        assert_eq!(shown_tag(&long[..180]), Some("é".repeat(90)));
    }
}
