//! One draw's own answers: the draw itself and its 169 tickets.

use domain::{Deal, DrawId, Serial, Timestamp, View};
use persistence::Failure;

use super::Catalogue;
use super::prepared::{Key, Prepared};
use crate::wire::ticket::{Revealed, Ticket};

impl Catalogue {
    /// A draw by itself, as prepared bytes; `None` when there is no such draw.
    pub async fn single(&self, draw: DrawId, now: Timestamp) -> Option<Prepared> {
        let (facts, listing, view) = self.draw(draw).await?;
        let key = facts.key(&view, now);
        if let Some(prepared) = self.singles.get(draw, key) {
            return Some(prepared);
        }
        let club = facts.club(listing.club)?;
        let alone = facts.wire(&listing, &view, now)?.alone(&listing, club);
        Some(self.singles.keep(draw, Prepared::json(key, &alone)))
    }

    /// The same, unless somebody would have to be woken for it or it would have to be made first.
    pub fn single_ready(&self, draw: DrawId, now: Timestamp) -> Option<Prepared> {
        self.singles.get(draw, self.key_now(draw, now)?)
    }

    /// As [`Self::single_ready`], of [`Self::tickets`].
    pub fn tickets_ready(&self, draw: DrawId, now: Timestamp) -> Option<Prepared> {
        self.tickets.get(draw, self.key_now(draw, now)?)
    }

    /// What a draw's answers depend on now; `None` when it is not known without waking somebody.
    pub fn key_now(&self, draw: DrawId, now: Timestamp) -> Option<Key> {
        self.looked_up(|facts| Some(facts.key(&self.view_now(facts, draw)?.1, now)))
    }

    /// The 169 tickets as strangers see them (decision F-1), as prepared bytes.
    ///
    /// # Errors
    /// The books could not be read.
    pub async fn tickets(&self, draw: DrawId, now: Timestamp) -> Result<Option<Prepared>, Failure> {
        let Some((facts, _, view)) = self.draw(draw).await else {
            return Ok(None);
        };
        let key = facts.key(&view, now);
        if let Some(prepared) = self.tickets.get(draw, key) {
            return Ok(Some(prepared));
        }
        let sold = self.sold_serials(draw).await?;
        let deal = self.deal_revealed(&view, now).await;
        let rows = public_rows(&view, &sold, deal.as_ref(), now);
        Ok(Some(self.tickets.keep(draw, Prepared::json(key, &rows))))
    }

    /// The deal, if everybody may see it.
    pub async fn deal_revealed(&self, view: &View, now: Timestamp) -> Option<Deal> {
        view.revealed(now)?;
        self.draws.deal(view.draw).await.ok()
    }
}

fn public_rows(view: &View, sold: &[Serial], deal: Option<&Deal>, now: Timestamp) -> Vec<Ticket> {
    let revealed = deal
        .zip(view.revealed(now))
        .map(|(deal, (_, winner))| Revealed { deal, winner });
    let row = |serial: Serial| {
        Ticket::public(
            view.draw,
            serial,
            sold.binary_search(&serial).is_ok(),
            revealed,
        )
    };
    Serial::all().map(row).collect()
}
