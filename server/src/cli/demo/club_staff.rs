//! Creates the staff of the demo's first club, and the first sale of one of its offers.

use anyhow::Context;
use domain::DrawId;
use domain::access::Role;
use domain::order::LineRequest;
use persistence::records::club_users::NewClubUser;

use super::buyers::{self, PlannedOrder};
use super::plan::{BUYER_NAMES, CLUBS, DRAWS, LOCKED_OFFER_SLUG, OFFERS, STAFF};
use super::seed::{SeedRun, SellingClub};
use crate::services::identity::random;

/// Lifetime in seconds of an invitation to a staff member. Seeding takes less time than this on any
/// machine.
const INVITATION_LIFETIME_SECONDS: i64 = 3600;

/// Returns the e-mail address with which a staff member of this role signs in.
pub fn staff_email(role: Role, slug: &str) -> String {
    format!("{}.{slug}@demo.test", role.name())
}

impl SeedRun<'_> {
    /// Invites the club's staff and accepts the invitations for them, as opening the mailed links
    /// would (decision G-17).
    pub(super) async fn seed_staff(
        &self,
        seller: &SellingClub,
        password_hash: &str,
    ) -> anyhow::Result<()> {
        for (role, name) in STAFF {
            let token_hash: [u8; 32] = random();
            let new = NewClubUser {
                club: seller.club,
                email: staff_email(role, CLUBS[0].slug),
                name: name.to_string(),
                role,
                token_hash,
                at: self.now,
                until: self.now.plus_seconds(INVITATION_LIFETIME_SECONDS),
            };
            self.records().invite_club_user(&new).await?;
            let joined = self
                .records()
                .finish_password_reset(&token_hash, password_hash, self.now)
                .await?;
            joined.with_context(|| format!("{name} has not joined"))?;
        }
        Ok(())
    }

    /// Makes the first sale of an offer. A sold offer stays on sale and can no longer be edited
    /// (decision H-4).
    pub(super) async fn make_first_offer_sale(
        &self,
        sellers: &[SellingClub],
        draws: &[DrawId],
    ) -> anyhow::Result<()> {
        let offer = OFFERS
            .iter()
            .find(|offer| offer.slug == LOCKED_OFFER_SLUG)
            .context("the locked offer is planned")?;
        let (game, seller) = (offer.games[0], &sellers[offer.club]);
        let plan = &DRAWS[game];
        let wanted = LineRequest {
            draw: draws[game],
            count: 1,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let order_to_place = PlannedOrder {
            seller: seller.clone(),
            wanted,
            buyer: Some(BUYER_NAMES[0]),
        };
        let bundle = self
            .records()
            .bundle_by_slug(seller.club, LOCKED_OFFER_SLUG)
            .await?
            .context("the offer exists")?
            .id;
        let payments = &self.running.engine.payments;
        let order = buyers::open_order(payments, &order_to_place).await?;
        self.records()
            .record_order_offers(order.order.id, &[(bundle, 1)])
            .await?;
        buyers::pay_open_order(payments, order).await?;
        Ok(())
    }
}
