//! Fills an empty demo through the same doors a real season comes through: clubs and draws by Records, every ticket by an
//! order that is reserved, authorised, allocated and captured, so that our books and the sandbox's agree to the cent.

use actors::{Stripe, StripeSettings};
use anyhow::{Context, ensure};
use domain::order::Wanted;
use domain::{AccountId, Cents, ClubId, Command, DrawId, FeePolicy, GameResult, Timestamp};
use persistence::Postgres;
use persistence::records::Records;
use persistence::records::bundles::NewBundle;
use persistence::records::clubs::NewClub;
use persistence::records::draws::NewDraw;
use persistence::records::payouts::NewPayout;

use super::plan::{BUYERS, CLUBS, ClubPlan, DRAWS, DrawPlan, FOOTERS, Fate, OFFERS, WAITLIST};
use super::{PASSWORD, crowd, trouble};
use crate::app::Running;
use crate::identity::{link_hash, password, random};
use crate::sandbox::Sandbox;
use crate::sandbox::authenticator::OPERATOR_SECRET;

pub const OPERATOR: &str = "operator@demo.test";
/// For what needs the approval of two (decision I-8).
const SECOND_OPERATOR: &str = "second-operator@demo.test";
/// Written last: a database without it was never seeded, or not to the end.
const SEEDED: &str = "demo_seeded";
/// Kick-off of a draw that has been played, while its tickets are being sold: far enough for any machine.
const REHEARSAL_MS: i64 = 2 * HOUR_MS;
/// Tenths of a second in which the provider tells what it declined.
const NOTICE_TRIES: u32 = 100;
const MINUTE_MS: i64 = 60 * 1000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// What the books are to a demo that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// A seed that was cut off: it is begun anew.
    Half,
    Whole,
}

/// Looks whether this database has been seeded.
pub async fn look(records: &Records) -> anyhow::Result<Found> {
    if records.settings().await?.contains_key(SEEDED) {
        return Ok(Found::Whole);
    }
    Ok(if records.clubs().await?.is_empty() {
        Found::Nothing
    } else {
        Found::Half
    })
}

/// Moves the games that have been played into the past, and says that the seed is whole. No actor may be awake.
pub async fn finish(postgres: &Postgres, rehearsed: Rehearsed) -> anyhow::Result<()> {
    let records = Records::new(postgres.clone());
    for Played { draw, back_ms } in rehearsed.played {
        records.backdate(draw, back_ms).await?;
    }
    for late in rehearsed.late {
        late.raise(postgres).await?;
    }
    records.set_setting(SEEDED, "true", "demo").await?;
    Ok(())
}

/// What a seed works with.
pub struct Seeding<'a> {
    pub running: &'a Running,
    pub sandbox: &'a Sandbox,
    pub now: Timestamp,
}

/// What is left to do when nothing runs any more.
pub struct Rehearsed {
    played: Vec<Played>,
    late: Vec<trouble::Late>,
}

/// A draw whose dates are still to be moved into the past.
pub struct Played {
    draw: DrawId,
    back_ms: i64,
}

/// A club of the demo, as it was written.
#[derive(Clone, Debug)]
pub struct Seller {
    pub club: ClubId,
    pub account: AccountId,
}

impl Seeding<'_> {
    /// Everything the demo shows, but for what is left to do when nothing runs.
    pub async fn run(&self) -> anyhow::Result<Rehearsed> {
        let hash = password::hash(PASSWORD);
        for (email, name) in [
            (OPERATOR, "Demo Operator"),
            (SECOND_OPERATOR, "Second Operator"),
        ] {
            let operator = self.records().create_admin(email, name, &hash).await?;
            self.records()
                .begin_second_factor(operator, OPERATOR_SECRET)
                .await?;
            self.records().use_step(operator, 1, self.now).await?;
        }
        let mut sellers = Vec::new();
        for plan in &CLUBS {
            sellers.push(
                self.club(plan, &hash)
                    .await
                    .with_context(|| format!("club {}", plan.slug))?,
            );
        }
        let draws = self.draws(&sellers).await?;
        self.furniture(&sellers, &draws).await?;
        self.helpers(&sellers[0], &hash).await?;
        let orders: Vec<crowd::Wish> = DRAWS
            .iter()
            .zip(&draws)
            .flat_map(|(plan, draw)| crowd::wishes(&sellers[plan.club], *draw, plan))
            .collect();
        crowd::buy(&self.running.engine.payments, orders).await?;
        self.first_sale(&sellers, &draws).await?;
        self.declined(&sellers, &draws).await?;
        let mut played = Vec::new();
        for (plan, draw) in DRAWS.iter().zip(&draws) {
            played.extend(self.settle(plan, *draw, &sellers[plan.club]).await?);
        }
        let late = trouble::make(self, &draws, &sellers).await?;
        // The second witness sees every payment before its dates move.
        self.running
            .engine
            .reconciler
            .scan(self.now.plus_ms(-REHEARSAL_MS))
            .await?;
        Ok(Rehearsed { played, late })
    }

    /// The provider, past the engine's back.
    pub fn provider(&self) -> anyhow::Result<Stripe> {
        let key = self.running.state.config.stripe.secret_key.expose();
        let settings = StripeSettings::new(key, format!("{}/sandbox/stripe", self.running.url()));
        Stripe::new(&settings).map_err(anyhow::Error::msg)
    }

    /// One buyer of each club whose card is declined.
    async fn declined(&self, sellers: &[Seller], draws: &[DrawId]) -> anyhow::Result<()> {
        for (club, seller) in sellers.iter().enumerate() {
            let of_club = |plan: &DrawPlan| {
                plan.club == club && plan.sold < 169 && matches!(plan.fate, Fate::OnSale { .. })
            };
            let place = DRAWS
                .iter()
                .position(of_club)
                .context("every club has a draw with room")?;
            let plan = &DRAWS[place];
            let wanted = Wanted {
                draw: draws[place],
                count: 3,
                unit_price: plan.price,
                passes_card_fee: plan.pass_card_fee,
            };
            let wish = crowd::Wish {
                seller: seller.clone(),
                wanted,
                buyer: Some(BUYERS[club]),
            };
            crowd::declined(&self.running.engine.payments, wish).await?;
        }
        // The provider's notices tell of them; one that is late comes again after the start.
        for _ in 0..NOTICE_TRIES {
            if self
                .records()
                .failed_payments(None, self.now.plus_ms(-HOUR_MS))
                .await?
                .newest
                .len()
                >= sellers.len()
            {
                break;
            }
            crowd::pause().await;
        }
        Ok(())
    }

    pub(super) fn records(&self) -> &Records {
        &self.running.state.records
    }

    async fn club(&self, plan: &ClubPlan, hash: &str) -> anyhow::Result<Seller> {
        let club = self
            .records()
            .create_club(&NewClub {
                name: plan.name.to_string(),
                email: format!("{}@demo.test", plan.slug),
                password_hash: hash.to_string(),
                location: Some(plan.location.to_string()),
                phone: Some(plan.phone.to_string()),
                slug: plan.slug.to_string(),
                title: Some(plan.title.to_string()),
                tagline: Some(plan.tagline.to_string()),
                logo_url: None,
                colors: Some(plan.colours.map(String::from)),
            })
            .await?;
        if plan.is_verified {
            let token: [u8; 32] = random();
            let hash = link_hash(&token);
            self.records()
                .begin_verification(club.id, &hash, self.now.plus_ms(HOUR_MS))
                .await?;
            ensure!(
                self.records().finish_verification(&hash, self.now).await?,
                "the club's address is confirmed"
            );
        }
        let account = AccountId(format!("acct_demo_{}", plan.slug.replace('-', "_")));
        self.sandbox.ensure_account(&account.0, plan.name)?;
        self.records().connect_account(club.id, &account).await?;
        self.records()
            .account_updated(&account, true, true, true)
            .await?;
        Ok(Seller {
            club: club.id,
            account,
        })
    }

    async fn draws(&self, sellers: &[Seller]) -> anyhow::Result<Vec<DrawId>> {
        let new: Vec<NewDraw> = DRAWS
            .iter()
            .map(|plan| {
                let kick_off = match plan.fate {
                    Fate::OnSale { minutes } => round(self.now.plus_ms(minutes * MINUTE_MS)),
                    Fate::Awaiting { .. } | Fate::Completed { .. } => {
                        round(self.now.plus_ms(REHEARSAL_MS))
                    }
                };
                new_draw(plan, &sellers[plan.club], kick_off)
            })
            .collect();
        let ids = self.records().create_draws(&new).await?;
        for id in &ids {
            self.running.engine.draws.wake(*id).await?;
        }
        Ok(ids)
    }

    /// What stands around the draws: offers, footers, the waitlist.
    async fn furniture(&self, sellers: &[Seller], draws: &[DrawId]) -> anyhow::Result<()> {
        for offer in &OFFERS {
            let new = NewBundle {
                name: offer.name.to_string(),
                slug: offer.slug.to_string(),
                status: offer.status.to_string(),
                kind: offer.kind.to_string(),
                display_tag: Some(offer.tag.to_string()),
                primary_copy: Some(offer.copy.to_string()),
                games: offer.games.iter().map(|game| draws[*game]).collect(),
                ..NewBundle::default()
            };
            self.records()
                .create_bundle(sellers[offer.club].club, &new)
                .await?;
        }
        for (order, (heading, items)) in (0..).zip(FOOTERS) {
            let menu = self.records().create_footer_menu(heading, order).await?;
            for (order, (label, url)) in (0..).zip(items) {
                self.records()
                    .create_footer_item(menu, label, url, order)
                    .await?;
            }
        }
        for (club, name, email, phone) in WAITLIST {
            self.records()
                .join_waitlist(club, name, email, phone)
                .await?;
        }
        Ok(())
    }

    /// Enters the result of a draw that has been played, and what follows from it.
    async fn settle(
        &self,
        plan: &DrawPlan,
        draw: DrawId,
        seller: &Seller,
    ) -> anyhow::Result<Option<Played>> {
        let (days_ago, (home, away)) = match plan.fate {
            Fate::OnSale { .. } => return Ok(None),
            Fate::Awaiting { hours_ago } => {
                return Ok(Some(Played {
                    draw,
                    back_ms: REHEARSAL_MS + hours_ago * HOUR_MS,
                }));
            }
            Fate::Completed { days_ago, result } => (days_ago, result),
        };
        let planned = GameResult::new(home, away).context("a result within 1…13")?;
        let result = self.result(plan.prize, draw, planned).await?;
        let done = self
            .running
            .engine
            .draws
            .execute(draw, Command::Complete { result }, None)
            .await?;
        ensure!(done.view.result.is_some(), "draw {draw} has no result");
        let kept = self.records().draw_financials(draw).await?;
        let share = kept.revenue + kept.card_fees_passed_on
            - kept.provider_fees_known
            - kept.application_fee;
        self.pay(draw, seller, "club_share", share).await?;
        let back_ms = REHEARSAL_MS + days_ago * 24 * HOUR_MS;
        self.award(plan.prize, draw, seller, back_ms).await?;
        Ok(Some(Played { draw, back_ms }))
    }
}

impl Seeding<'_> {
    /// Records a payout that has been made (decision D-17).
    pub(super) async fn pay(
        &self,
        draw: DrawId,
        seller: &Seller,
        kind: &str,
        amount: Cents,
    ) -> anyhow::Result<()> {
        let new = NewPayout {
            draw,
            club: seller.club,
            kind,
            amount,
            recipient_email: None,
            recipient_name: None,
        };
        let payout = self.records().record_payout(&new).await?;
        self.records()
            .settle_payout(payout.id, "completed", None)
            .await?;
        Ok(())
    }
}

/// Kick-offs stand on five minutes, as on a fixture list.
pub fn round(at: Timestamp) -> Timestamp {
    let step = 5 * MINUTE_MS;
    Timestamp((at.0 + step / 2).div_euclid(step) * step)
}

/// A draw as planned, with a kick-off.
pub fn new_draw(plan: &DrawPlan, seller: &Seller, kick_off: Timestamp) -> NewDraw {
    let club = &CLUBS[plan.club];
    NewDraw {
        club: seller.club,
        league: Some(plan.league.to_string()),
        home_team: club.home.to_string(),
        away_team: plan.away.to_string(),
        zone: club.zone.to_string(),
        kick_off,
        opens_at: None,
        price: plan.price,
        prize_percentage: plan.prize_percentage,
        round_up_prize: plan.round_up_prize,
        pass_card_fee: plan.pass_card_fee,
        fee_policy: FeePolicy::DEFAULT,
        contact_name: club.contact.0.to_string(),
        contact_phone: club.contact.1.to_string(),
    }
}
