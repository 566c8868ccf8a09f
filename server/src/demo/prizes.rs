//! What became of the demo's prizes: one draw at every step, from a winner nobody has written to yet to a prize that is paid.

use anyhow::Context;
use domain::{DrawId, GameResult};
use persistence::records::claims::{Bank, Invitation};
use persistence::records::payouts::NewPayout;
use persistence::records::tickets::SoldTicket;
use serde_json::json;

use super::plan::Prize;
use super::seed::{Seeding, Seller};
use crate::identity::{link_hash, random};
use crate::post::sealed_link;

const DAY_SECONDS: i64 = 86_400;

impl Seeding<'_> {
    /// The planned result, or one whose ticket somebody holds.
    pub(super) async fn result(
        &self,
        prize: Prize,
        draw: DrawId,
        planned: GameResult,
    ) -> anyhow::Result<GameResult> {
        if prize == Prize::Chance {
            return Ok(planned);
        }
        let sold = self.records().sold_serials(draw).await?;
        let serial = *sold
            .get(sold.len() / 2)
            .context("a draw with a winner has sold nothing")?;
        let cells = self.running.engine.draws.cells(draw, &[serial]).await?;
        let (_, cell) = cells.first().context("a sold ticket has its pair")?;
        GameResult::new(cell.home(), cell.away()).context("a pair is a result")
    }

    /// Brings a prize as far as planned. The draw's dates move by `back_ms` afterwards, and these with them.
    pub(super) async fn award(
        &self,
        prize: Prize,
        draw: DrawId,
        seller: &Seller,
        back_ms: i64,
    ) -> anyhow::Result<()> {
        if matches!(prize, Prize::Chance | Prize::Won) {
            return Ok(());
        }
        let view = self.running.engine.draws.view(draw).await?;
        let (_, serial) = view.result.context("the draw is completed")?;
        let sold = self.records().sold_tickets(draw).await?;
        let ticket = sold
            .into_iter()
            .find(|ticket| ticket.serial == serial)
            .context("the winner is there")?;
        let hash = self.invite(draw, &ticket, back_ms).await?;
        if !matches!(prize, Prize::Received | Prize::Paid) {
            return Ok(());
        }
        let claim = self
            .records()
            .claim_by_token(&hash)
            .await?
            .context("the link opens")?;
        let name = ticket.buyer_name.clone().unwrap_or_default();
        let bank = Bank {
            account_name: name,
            account_number: "00123456".to_string(),
            bsb: "484799".to_string(),
        };
        self.records()
            .winner_told(&claim, &bank, self.now.plus_seconds(DAY_SECONDS))
            .await?;
        let new = NewPayout {
            draw,
            club: seller.club,
            kind: "winner",
            amount: view.prize,
            recipient_email: ticket.buyer_email.as_deref(),
            recipient_name: ticket.buyer_name.as_deref(),
        };
        let payout = self.records().record_payout(&new).await?;
        if prize == Prize::Paid {
            self.records()
                .settle_payout(payout.id, "completed", Some("Bank transfer"))
                .await?;
            self.records()
                .claim_paid(draw, self.now.plus_seconds(2 * DAY_SECONDS))
                .await?;
        }
        Ok(())
    }

    /// The winner's mail and its link, as `notify-winners` makes them; the hash under which the link is known.
    async fn invite(
        &self,
        draw: DrawId,
        ticket: &SoldTicket,
        back_ms: i64,
    ) -> anyhow::Result<[u8; 32]> {
        let token: [u8; 32] = random();
        let to = ticket
            .buyer_email
            .clone()
            .context("the demo's buyers have addresses")?;
        // Where the demo will be reached is not known yet: the letter completes the address.
        let link = format!("/claim#{}", hex::encode(token));
        let respond_by = self.now.plus_seconds(7 * DAY_SECONDS);
        // The mail says the day as it will be once the dates have moved.
        let until = respond_by.plus_ms(-back_ms);
        let serial = ticket.serial.number();
        let sealed = sealed_link(self.records(), &to, &link);
        let data =
            json!({ "draw": draw.0, "serial": serial, "until": until.0, "sealedLink": sealed });
        let listings = self.records().listings().await?;
        let listing = listings
            .iter()
            .find(|listing| listing.id() == draw)
            .context("the draw is listed")?;
        let invitation = Invitation {
            draw,
            serial: ticket.serial,
            order: ticket.order,
            dedupe_key: format!(
                "winner:{draw}:{}:{serial}",
                listing.completed_revision.unwrap_or_default()
            ),
            to,
            data: data.to_string(),
            token_hash: link_hash(&token),
            respond_by,
            at: self.now,
        };
        self.records().invite_winner(&invitation).await?;
        Ok(link_hash(&token))
    }
}
