//! An offer in the words of a first paint.

use crate::offer::{Offer, Standing};
use crate::render::page::face::{short_dollars, whole_dollars};
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
            tag: offer.bundle.display_tag.as_ref().map(|tag| tag.chars().take(TAG_CHARS_MAX).collect()),
            copy: offer.bundle.primary_copy.clone(),
            games: games.collect(),
            price: short_dollars(offer.price()),
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
