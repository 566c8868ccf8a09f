//! Moves the demo's prizes to their planned stages. There is one draw for each stage, from "winner
//! not yet notified" to "prize paid".

use anyhow::Context;
use domain::{DrawId, GameResult};
use persistence::records::bank_changes::BankChange;
use persistence::records::claims::{ClaimBankDetails, WinnerInvitation};
use persistence::records::payouts::NewPayout;
use persistence::records::tickets::SoldTicket;
use serde_json::json;

use super::plan::PrizeStage;
use super::seed::{SeedRun, SellingClub};
use crate::render::mail_sender::sealed_link;
use crate::services::identity::{link_hash, random};

const DAY_SECONDS: i64 = 86_400;

impl SeedRun<'_> {
    /// Returns the result to enter for a draw: the planned result, or the number pair of a sold
    /// ticket if the plan needs a winner.
    pub(super) async fn result_to_enter(
        &self,
        prize: PrizeStage,
        draw: DrawId,
        planned: GameResult,
    ) -> anyhow::Result<GameResult> {
        if prize == PrizeStage::Chance {
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

    /// Moves a prize to its planned stage.
    ///
    /// The dates of the draw and its prize are moved back by `back_ms` afterwards. The dates
    /// written here are therefore later by `back_ms`.
    pub(super) async fn advance_prize(
        &self,
        prize: PrizeStage,
        draw: DrawId,
        seller: &SellingClub,
        back_ms: i64,
    ) -> anyhow::Result<()> {
        if matches!(prize, PrizeStage::Chance | PrizeStage::Won) {
            return Ok(());
        }
        let view = self.running.engine.draws.view(draw).await?;
        let (_, serial) = view.result.context("the draw is completed")?;
        let sold = self.records().sold_tickets(draw).await?;
        let ticket = sold
            .into_iter()
            .find(|ticket| ticket.serial == serial)
            .context("the winning ticket is sold")?;
        let hash = self.queue_claim_mail(draw, &ticket, back_ms).await?;
        if !matches!(prize, PrizeStage::Received | PrizeStage::Paid) {
            return Ok(());
        }
        let claim = self
            .records()
            .winner_claim_by_token(&hash)
            .await?
            .context("the link opens")?;
        let name = ticket.buyer_name.clone().unwrap_or_default();
        let bank = ClaimBankDetails {
            account_name: name,
            account_number: "00123456".to_string(),
            bsb: "484799".to_string(),
        };
        let (by, at) = ("winner".to_string(), self.now.plus_seconds(DAY_SECONDS));
        // `winner` is `None`, so that no mail is queued. The demo sends no mails about past games.
        let change = BankChange {
            draw,
            serial,
            bank,
            by,
            winner: None,
            at,
        };
        self.records().store_winner_details(&claim, &change).await?;
        let new = NewPayout {
            draw,
            club: seller.club,
            kind: "winner",
            amount: view.prize,
            recipient_email: ticket.buyer_email.as_deref(),
            recipient_name: ticket.buyer_name.as_deref(),
        };
        let payout = self.records().record_payout(&new).await?;
        if prize == PrizeStage::Paid {
            self.records()
                .settle_payout(payout.id, "completed", Some("Bank transfer"))
                .await?;
            self.records()
                .record_claim_paid(draw, self.now.plus_seconds(2 * DAY_SECONDS))
                .await?;
        }
        Ok(())
    }

    /// Queues the mail with the winner's claim link, as the API call `notify-winners` does. Returns
    /// the hash that identifies the link in the database.
    async fn queue_claim_mail(
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
        // The link is only a path, because the demo's public URL is not known yet. The mail writer
        // adds the host.
        let link = format!("/claim#{}", hex::encode(token));
        let respond_by = self.now.plus_seconds(7 * DAY_SECONDS);
        // The mail states the deadline that holds after the dates have been moved back.
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
        let invitation = WinnerInvitation {
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
