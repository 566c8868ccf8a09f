//! Responses about one draw: the draw itself and its 169 tickets.

use domain::{Deal, DrawId, Serial, Timestamp, View};
use persistence::Failure;

use super::Catalogue;
use super::prepared_response::{PreparedResponse, PreparedResponseKey};
use crate::api::ticket::{RevealedTickets, Ticket};

impl Catalogue {
    /// Returns a draw as a prepared response; `None` when the draw does not exist.
    pub async fn draw_response(&self, draw: DrawId, now: Timestamp) -> Option<PreparedResponse> {
        let (facts, listing, view) = self.draw(draw).await?;
        let key = facts.response_key(&view, now);
        if let Some(prepared) = self.singles.get(draw, key) {
            return Some(prepared);
        }
        let club = facts.club(listing.club)?;
        let draw_json = facts
            .to_api_draw(&listing, &view, now)?
            .with_page_fields(&listing, club);
        Some(
            self.singles
                .insert(draw, PreparedResponse::from_json(key, &draw_json)),
        )
    }

    /// Returns a draw as a prepared response from memory; `None` if the draw's actor would have to
    /// be started, or the response built.
    pub fn draw_response_if_cached(
        &self,
        draw: DrawId,
        now: Timestamp,
    ) -> Option<PreparedResponse> {
        self.singles
            .get(draw, self.response_key_from_memory(draw, now)?)
    }

    /// Returns a draw's tickets as a prepared response from memory; `None` if the draw's actor
    /// would have to be started, or the response built.
    pub fn tickets_response_if_cached(
        &self,
        draw: DrawId,
        now: Timestamp,
    ) -> Option<PreparedResponse> {
        self.tickets
            .get(draw, self.response_key_from_memory(draw, now)?)
    }

    /// Returns the current cache key of a draw's prepared responses; `None` if the draw's actor
    /// would have to be started to know the key.
    pub fn response_key_from_memory(
        &self,
        draw: DrawId,
        now: Timestamp,
    ) -> Option<PreparedResponseKey> {
        self.with_facts(|facts| {
            Some(facts.response_key(&self.view_from_memory(facts, draw)?.1, now))
        })
    }

    /// Returns the draw's 169 tickets, as the public may see them (decision F-1), as a prepared
    /// response.
    ///
    /// # Errors
    ///
    /// The database could not be read.
    pub async fn tickets_response(
        &self,
        draw: DrawId,
        now: Timestamp,
    ) -> Result<Option<PreparedResponse>, Failure> {
        let Some((facts, _, view)) = self.draw(draw).await else {
            return Ok(None);
        };
        let key = facts.response_key(&view, now);
        if let Some(prepared) = self.tickets.get(draw, key) {
            return Ok(Some(prepared));
        }
        let sold = self.sold_serials(draw).await?;
        let deal = self.revealed_deal(&view, now).await;
        let rows = public_tickets(&view, &sold, deal.as_ref(), now);
        Ok(Some(
            self.tickets
                .insert(draw, PreparedResponse::from_json(key, &rows)),
        ))
    }

    /// Reads the deal of a draw: which number pair each ticket has. `None` while the deal is not
    /// public, or if it cannot be read.
    pub async fn revealed_deal(&self, view: &View, now: Timestamp) -> Option<Deal> {
        if !view.is_deal_public(now) {
            return None;
        }
        self.draws.deal(view.draw).await.ok()
    }
}

fn public_tickets(
    view: &View,
    sold: &[Serial],
    deal: Option<&Deal>,
    now: Timestamp,
) -> Vec<Ticket> {
    let revealed = deal
        .zip(view.public_result(now))
        .map(|(deal, (_, winner))| RevealedTickets { deal, winner });
    let row = |serial: Serial| {
        Ticket::for_public(
            view.draw,
            serial,
            sold.binary_search(&serial).is_ok(),
            revealed,
        )
    };
    Serial::all().map(row).collect()
}
