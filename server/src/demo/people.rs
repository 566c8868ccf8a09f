//! Who helps the demo's first club, and the offer that somebody has bought already.

use anyhow::Context;
use domain::DrawId;
use domain::access::Role;
use domain::order::Wanted;
use persistence::records::club_users::NewClubUser;

use super::crowd::{self, Wish};
use super::plan::{BUYERS, CLUBS, DRAWS, HELPERS, LOCKED, OFFERS};
use super::seed::{Seeding, Seller};
use crate::identity::random;

/// Long enough for a seed on any machine.
const INVITATION_SECONDS: i64 = 3600;

/// Under which somebody with a role in a club signs in.
pub fn login(role: Role, slug: &str) -> String {
    format!("{}.{slug}@demo.test", role.word())
}

impl Seeding<'_> {
    /// Asked in and joined, as by the mailed link (decision G-17).
    pub(super) async fn helpers(&self, seller: &Seller, password_hash: &str) -> anyhow::Result<()> {
        for (role, name) in HELPERS {
            let token_hash: [u8; 32] = random();
            let new = NewClubUser {
                club: seller.club,
                email: login(role, CLUBS[0].slug),
                name: name.to_string(),
                role,
                token_hash,
                at: self.now,
                until: self.now.plus_seconds(INVITATION_SECONDS),
            };
            self.records().invite_club_user(&new).await?;
            let joined = self
                .records()
                .finish_reset(&token_hash, password_hash, self.now)
                .await?;
            joined.with_context(|| format!("{name} has not joined"))?;
        }
        Ok(())
    }

    /// The first sale of an offer: it stays on sale, and cannot be edited any more (decision H-4).
    pub(super) async fn first_sale(
        &self,
        sellers: &[Seller],
        draws: &[DrawId],
    ) -> anyhow::Result<()> {
        let offer = OFFERS
            .iter()
            .find(|offer| offer.slug == LOCKED)
            .context("the locked offer is planned")?;
        let (game, seller) = (offer.games[0], &sellers[offer.club]);
        let plan = &DRAWS[game];
        let wanted = Wanted {
            draw: draws[game],
            count: 1,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let wish = Wish {
            seller: seller.clone(),
            wanted,
            buyer: Some(BUYERS[0]),
        };
        let bundle = self
            .records()
            .bundle_by_slug(seller.club, LOCKED)
            .await?
            .context("it was made")?
            .id;
        let payments = &self.running.engine.payments;
        let order = crowd::open(payments, &wish).await?;
        self.records()
            .note_offers(order.order.id, &[(bundle, 1)])
            .await?;
        crowd::pay(payments, order).await?;
        Ok(())
    }
}
