//! Seeds an empty demo through the same code as a real season. Clubs and draws are created through
//! `Records`. Every ticket is bought through an order that is reserved, authorised, allocated and
//! captured, so that the database and the sandbox agree to the cent.

use actors::{Stripe, StripeSettings};
use anyhow::{Context, ensure};
use domain::order::LineRequest;
use domain::{AccountId, Cents, ClubId, Command, DrawId, FeePolicy, GameResult, Timestamp};
use persistence::Postgres;
use persistence::records::Records;
use persistence::records::bundles::NewBundle;
use persistence::records::clubs::{ClubGoal, NewClub, Sponsor};
use persistence::records::draws::DrawToCreate;
use persistence::records::pages::HomePage;
use persistence::records::payouts::NewPayout;

use super::plan::{
    BUYER_NAMES, CLUBS, ClubPlan, DEMO_FOOTER_MENUS, DRAWS, DrawPlan, OFFERS, PlannedStatus,
    WAITLIST_ENTRIES,
};
use super::{PASSWORD, anomalies, buyers};
use crate::app::RunningServer;
use crate::services::identity::{link_hash, password, random};
use sandbox::Sandbox;
use sandbox::authenticator::{DEMO_OPERATOR_EMAIL, DEMO_OPERATOR_TOTP_SECRET};

/// Login of the second operator, who approves actions that need two operators (decision I-8).
const SECOND_OPERATOR_EMAIL: &str = "second-operator@demo.test";
/// Name of the setting that seeding writes last. A database without this setting is not seeded
/// completely.
const SEEDED_SETTING_KEY: &str = "demo_seeded";
/// Time between seeding and the kick-off of a played draw, in milliseconds. Its tickets are sold in
/// this time, which is enough on any machine.
const SEEDING_DURATION_MS: i64 = 2 * HOUR_MS;
/// Maximum number of checks, a tenth of a second apart, whether the webhooks of declined payments
/// have arrived.
const WEBHOOK_CHECKS_MAX: u32 = 100;
const MINUTE_MS: i64 = 60 * 1000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// How much of the demo's data a database contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedState {
    Empty,
    /// Seeding was interrupted. The data is erased and seeding starts again.
    Partial,
    Complete,
}

/// Determines how much of the demo's data this database contains.
pub async fn read_seed_state(records: &Records) -> anyhow::Result<SeedState> {
    if records.settings().await?.contains_key(SEEDED_SETTING_KEY) {
        return Ok(SeedState::Complete);
    }
    Ok(if records.clubs().await?.is_empty() {
        SeedState::Empty
    } else {
        SeedState::Partial
    })
}

/// Moves the dates of played games into the past and marks the seed as complete. No draw actor may
/// be running, because it would not see the changed dates.
pub async fn finish_seeding(postgres: &Postgres, seed_result: SeedResult) -> anyhow::Result<()> {
    let records = Records::new(postgres.clone());
    for BackdatedDraw { draw, back_ms } in seed_result.played {
        records.backdate_draw(draw, back_ms).await?;
    }
    for late in seed_result.late {
        late.raise(postgres).await?;
    }
    records
        .set_setting(SEEDED_SETTING_KEY, "true", "demo")
        .await?;
    Ok(())
}

/// The parts of the demo that seeding uses.
pub struct SeedRun<'a> {
    pub running: &'a RunningServer,
    pub sandbox: &'a Sandbox,
    pub now: Timestamp,
}

/// What seeding leaves to do after its server has stopped.
pub struct SeedResult {
    played: Vec<BackdatedDraw>,
    late: Vec<anomalies::DeferredAnomaly>,
}

/// A draw whose dates will be moved into the past after seeding.
pub struct BackdatedDraw {
    draw: DrawId,
    back_ms: i64,
}

/// A club of the demo and its connected account.
#[derive(Clone, Debug)]
pub struct SellingClub {
    pub club: ClubId,
    pub account: AccountId,
}

impl SeedRun<'_> {
    /// Seeds everything except the steps that must wait until the server has stopped, and returns
    /// those steps.
    pub async fn seed_all(&self) -> anyhow::Result<SeedResult> {
        let hash = password::hash(PASSWORD);
        for (email, name) in [
            (DEMO_OPERATOR_EMAIL, "Demo Operator"),
            (SECOND_OPERATOR_EMAIL, "Second Operator"),
        ] {
            let operator = self.records().create_admin(email, name, &hash).await?;
            self.records()
                .begin_second_factor(operator, DEMO_OPERATOR_TOTP_SECRET)
                .await?;
            self.records()
                .mark_code_step_used(operator, 1, self.now)
                .await?;
        }
        let mut sellers = Vec::new();
        for plan in &CLUBS {
            sellers.push(
                self.seed_club(plan, &hash)
                    .await
                    .with_context(|| format!("club {}", plan.slug))?,
            );
        }
        let draws = self.seed_draws(&sellers).await?;
        self.seed_offers_and_footers(&sellers, &draws).await?;
        self.seed_staff(&sellers[0], &hash).await?;
        let orders: Vec<buyers::PlannedOrder> = DRAWS
            .iter()
            .zip(&draws)
            .flat_map(|(plan, draw)| buyers::planned_orders(&sellers[plan.club], *draw, plan))
            .collect();
        buyers::place_orders(&self.running.engine.payments, orders).await?;
        self.make_first_offer_sale(&sellers, &draws).await?;
        self.place_declined_orders(&sellers, &draws).await?;
        let mut played = Vec::new();
        for (plan, draw) in DRAWS.iter().zip(&draws) {
            played.extend(self.complete_draw(plan, *draw, &sellers[plan.club]).await?);
        }
        let late = anomalies::create_anomalies(self, &draws, &sellers).await?;
        // The reconciler must see every payment before the dates of its game change.
        self.running
            .engine
            .reconciler
            .scan_payments(self.now.plus_ms(-SEEDING_DURATION_MS))
            .await?;
        Ok(SeedResult { played, late })
    }

    /// Returns a Stripe client for payments that the product's own engine must not know.
    pub fn stripe_client(&self) -> anyhow::Result<Stripe> {
        let key = self.running.state.config.stripe.secret_key.expose();
        let settings = StripeSettings::new(key, format!("{}/sandbox/stripe", self.running.url()));
        Stripe::new(&settings).map_err(anyhow::Error::msg)
    }

    /// Places one declined order for each club.
    async fn place_declined_orders(
        &self,
        sellers: &[SellingClub],
        draws: &[DrawId],
    ) -> anyhow::Result<()> {
        for (club, seller) in sellers.iter().enumerate() {
            let of_club = |plan: &DrawPlan| {
                plan.club == club
                    && plan.sold < 169
                    && matches!(plan.status, PlannedStatus::OnSale { .. })
            };
            let index = DRAWS
                .iter()
                .position(of_club)
                .context("every club has a draw with room")?;
            let plan = &DRAWS[index];
            let wanted = LineRequest {
                draw: draws[index],
                count: 3,
                unit_price: plan.price,
                passes_card_fee: plan.pass_card_fee,
            };
            let order_to_place = buyers::PlannedOrder {
                seller: seller.clone(),
                wanted,
                buyer: Some(BUYER_NAMES[club]),
            };
            buyers::place_declined_order(&self.running.engine.payments, order_to_place).await?;
        }
        // Waits until webhooks have reported the declined payments. A webhook that arrives after
        // this wait is delivered at the next start of the demo.
        for _ in 0..WEBHOOK_CHECKS_MAX {
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
            buyers::wait_before_retry().await;
        }
        Ok(())
    }

    pub(super) fn records(&self) -> &Records {
        &self.running.state.records
    }

    async fn seed_club(&self, plan: &ClubPlan, hash: &str) -> anyhow::Result<SellingClub> {
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
        let story = HomePage {
            goal: Some(plan.goal.map(|(text, amount)| ClubGoal {
                text: text.to_string(),
                amount,
            })),
            sponsor: Some(plan.sponsor.map(|name| Sponsor {
                name: name.to_string(),
                logo_url: None,
            })),
            ..HomePage::default()
        };
        self.records().save_home_page(club.id, &story).await?;
        if plan.is_verified {
            let token: [u8; 32] = random();
            let hash = link_hash(&token);
            self.records()
                .begin_email_verification(club.id, &hash, self.now.plus_ms(HOUR_MS))
                .await?;
            ensure!(
                self.records()
                    .finish_email_verification(&hash, self.now)
                    .await?,
                "the club's address is confirmed"
            );
        }
        let account = AccountId(format!("acct_demo_{}", plan.slug.replace('-', "_")));
        self.sandbox.ensure_account(&account.0, plan.name)?;
        self.records().connect_account(club.id, &account).await?;
        self.records()
            .update_connected_account_state(&account, true, true, true)
            .await?;
        Ok(SellingClub {
            club: club.id,
            account,
        })
    }

    async fn seed_draws(&self, sellers: &[SellingClub]) -> anyhow::Result<Vec<DrawId>> {
        let new: Vec<DrawToCreate> = DRAWS
            .iter()
            .map(|plan| {
                let kick_off = match plan.status {
                    PlannedStatus::OnSale { minutes } => {
                        round_to_five_minutes(self.now.plus_ms(minutes * MINUTE_MS))
                    }
                    PlannedStatus::Awaiting { .. } | PlannedStatus::Completed { .. } => {
                        round_to_five_minutes(self.now.plus_ms(SEEDING_DURATION_MS))
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

    /// Seeds the clubs' offers, the footer's menus and the waitlist.
    async fn seed_offers_and_footers(
        &self,
        sellers: &[SellingClub],
        draws: &[DrawId],
    ) -> anyhow::Result<()> {
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
        for (order, (heading, items)) in (0..).zip(DEMO_FOOTER_MENUS) {
            let menu = self.records().create_footer_menu(heading, order).await?;
            for (order, (label, url)) in (0..).zip(items) {
                self.records()
                    .create_footer_item(menu, label, url, order)
                    .await?;
            }
        }
        for (club, name, email, phone) in WAITLIST_ENTRIES {
            self.records()
                .join_waitlist(club, name, email, phone)
                .await?;
        }
        Ok(())
    }

    /// Enters the result of a completed draw, records the club's share as paid and moves the prize
    /// to its planned stage.
    ///
    /// Returns by how much the dates of a played draw must be moved; `None` for a draw on sale.
    async fn complete_draw(
        &self,
        plan: &DrawPlan,
        draw: DrawId,
        seller: &SellingClub,
    ) -> anyhow::Result<Option<BackdatedDraw>> {
        let (days_ago, (home, away)) = match plan.status {
            PlannedStatus::OnSale { .. } => return Ok(None),
            PlannedStatus::Awaiting { hours_ago } => {
                return Ok(Some(BackdatedDraw {
                    draw,
                    back_ms: SEEDING_DURATION_MS + hours_ago * HOUR_MS,
                }));
            }
            PlannedStatus::Completed { days_ago, result } => (days_ago, result),
        };
        let planned = GameResult::new(home, away).context("a result within 1…13")?;
        let result = self.result_to_enter(plan.prize, draw, planned).await?;
        let outcome = self
            .running
            .engine
            .draws
            .execute(draw, Command::Complete { result }, None)
            .await?;
        ensure!(outcome.view.result.is_some(), "draw {draw} has no result");
        let financials = self.records().draw_financials(draw).await?;
        let share = financials.revenue + financials.card_fees_passed_on
            - financials.provider_fees_known
            - financials.application_fee;
        self.record_paid_payout(draw, seller, "club_share", share)
            .await?;
        let back_ms = SEEDING_DURATION_MS + days_ago * 24 * HOUR_MS;
        self.advance_prize(plan.prize, draw, seller, back_ms)
            .await?;
        Ok(Some(BackdatedDraw { draw, back_ms }))
    }
}

impl SeedRun<'_> {
    /// Records a payout and marks it as paid (decision D-17).
    pub(super) async fn record_paid_payout(
        &self,
        draw: DrawId,
        seller: &SellingClub,
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

/// Rounds a kick-off to five minutes, as in published fixture lists.
pub fn round_to_five_minutes(at: Timestamp) -> Timestamp {
    let step = 5 * MINUTE_MS;
    Timestamp((at.0 + step / 2).div_euclid(step) * step)
}

/// Converts a planned draw and its kick-off into a request to create the draw.
pub fn new_draw(plan: &DrawPlan, seller: &SellingClub, kick_off: Timestamp) -> DrawToCreate {
    let club = &CLUBS[plan.club];
    DrawToCreate {
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
