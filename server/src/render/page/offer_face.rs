//! An offer in the words of a first paint.

use crate::offer::{Offer, Standing};
use crate::render::page::face::{dollars, whole_dollars};
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
    /// Teams, and when.
    pub games: Vec<(String, String)>,
    pub price: String,
    pub prize_whole: String,
    pub sold: u16,
    pub cap: u16,
    pub closed: bool,
}

impl OfferFace {
    pub fn new(offer: &Offer) -> OfferFace {
        let games = offer.games.iter().map(|(listing, view)| {
            let teams = format!("{} v {}", listing.home_team, listing.away_team);
            (teams, when::day_and_time(view.closes_at, &listing.zone))
        });
        OfferFace {
            name: offer.bundle.name.clone(),
            slug: offer.bundle.slug.clone(),
            club: offer.club.name.clone(),
            club_slug: offer.club.slug.clone(),
            tag: offer.bundle.display_tag.as_deref().and_then(shown_tag),
            copy: offer.bundle.primary_copy.clone(),
            games: games.collect(),
            price: dollars(offer.total),
            prize_whole: whole_dollars(offer.prize()),
            sold: offer.sold(),
            cap: offer.cap(),
            closed: matches!(offer.standing, Standing::Closed | Standing::Ended),
        }
    }

    /// One sentence for a share card.
    pub fn summary(&self) -> String {
        let games = self.games.len();
        let copy = self.copy.clone().unwrap_or_else(|| format!("A ticket in {games} games of {}.", self.club));
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
