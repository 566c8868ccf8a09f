//! Seeds one open anomaly of each type for the operator's console. Four of them have a real cause
//! in the sandbox: two payments made directly at Stripe, a dispute, and a buyer without an e-mail
//! address. The operator can resolve them with the console's actions.

use actors::{Gateway, NewIntent, Stripe};
use anyhow::{Context, ensure};
use domain::order::LineRequest;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, DrawId, FeePolicy, OrderId, PaymentIntentId, Timestamp,
};
use persistence::PaymentStores;
use persistence::stores::OrderRecord;
use uuid::Uuid;

use super::buyers::{self, PAYING_CARD, PlannedOrder};
use super::plan::DRAWS;
use super::seed::{SeedRun, SellingClub};

/// Index in [`DRAWS`] of the draw with a payment for an unknown order. It has free tickets.
const UNKNOWN_ORDER_DRAW_INDEX: usize = 3;
/// Index in [`DRAWS`] of the draw with an order that is paid twice. It is on sale.
const ORDER_PAID_TWICE_DRAW_INDEX: usize = 1;
/// Index in [`DRAWS`] of the draw with a ticket without buyer. It awaits its result.
const TICKET_WITHOUT_BUYER_DRAW_INDEX: usize = 12;
/// Index in [`DRAWS`] of the draw with a disputed payment. It is completed.
const DISPUTED_PAYMENT_DRAW_INDEX: usize = 14;

/// An anomaly that is stored at the end of seeding, after the games' dates have been moved into the
/// past.
pub struct DeferredAnomaly {
    anomaly: Anomaly,
    amount: Cents,
    at: Timestamp,
}

impl DeferredAnomaly {
    /// Stores the anomaly as open, so that the operator's console lists it.
    pub async fn raise(&self, books: &dyn PaymentStores) -> anyhow::Result<()> {
        books
            .raise_anomaly(&self.anomaly, Some(self.amount), self.at)
            .await?;
        Ok(())
    }
}

struct AnomalySeeder<'a> {
    seeding: &'a SeedRun<'a>,
    gateway: Stripe,
}

/// Causes the anomalies of the demo. The reconciler finds the payments without order at Stripe in
/// its next run. Returns the anomalies to store after the games' dates have been moved.
pub async fn create_anomalies(
    seeding: &SeedRun<'_>,
    draws: &[DrawId],
    sellers: &[SellingClub],
) -> anyhow::Result<Vec<DeferredAnomaly>> {
    let seeder = AnomalySeeder {
        seeding,
        gateway: seeding.stripe_client()?,
    };
    let seller = |index: usize| &sellers[DRAWS[index].club];
    seeder
        .create_unknown_order_payment(
            draws[UNKNOWN_ORDER_DRAW_INDEX],
            &seller(UNKNOWN_ORDER_DRAW_INDEX).account,
        )
        .await
        .context("a payment for an unknown order")?;
    seeder
        .pay_order_twice(draws[ORDER_PAID_TWICE_DRAW_INDEX])
        .await
        .context("an order that is paid twice")?;
    let disputed = seeder
        .first_order(draws[DISPUTED_PAYMENT_DRAW_INDEX])
        .await?;
    let payment = disputed.order.payment_intent.context("a payment")?;
    ensure!(
        seeding.sandbox.dispute(&payment.0),
        "the sandbox refuses a dispute"
    );
    let without_buyer = seeder
        .sell_without_buyer(
            draws[TICKET_WITHOUT_BUYER_DRAW_INDEX],
            seller(TICKET_WITHOUT_BUYER_DRAW_INDEX),
        )
        .await
        .context("a buyer without an address")?;
    Ok(vec![
        without_buyer,
        seeder.unresolved_cancellation(),
        seeder.wrong_amount(),
    ])
}

impl AnomalySeeder<'_> {
    /// Creates a payment whose order is not in the database, as after a restore from an old backup.
    async fn create_unknown_order_payment(
        &self,
        draw: DrawId,
        account: &AccountId,
    ) -> anyhow::Result<()> {
        let amount = Cents(2 * DRAWS[UNKNOWN_ORDER_DRAW_INDEX].price.0);
        let order = OrderId(Uuid::new_v4().as_u128());
        self.capture_at_stripe(NewIntent {
            order,
            account: account.clone(),
            amount,
            draws: format!("{draw}x2"),
        })
        .await
    }

    /// Creates a second payment for an order that is already paid.
    async fn pay_order_twice(&self, draw: DrawId) -> anyhow::Result<()> {
        let order = self.first_order(draw).await?.order;
        let lines: Vec<String> = order
            .lines
            .iter()
            .map(|line| format!("{}x{}", line.draw, line.count))
            .collect();
        let (account, amount) = (order.account.clone(), order.total());
        self.capture_at_stripe(NewIntent {
            order: order.id,
            account,
            amount,
            draws: lines.join(","),
        })
        .await
    }

    /// Captures a payment directly at Stripe, including the platform's application fee.
    async fn capture_at_stripe(&self, new: NewIntent) -> anyhow::Result<()> {
        let key = |step: &str| format!("demo-{step}-{}", new.order);
        let (account, fee) = (&new.account, FeePolicy::DEFAULT.fee_on_revenue(new.amount));
        let opened = self.gateway.create(&key("create"), &new).await?;
        self.gateway
            .confirm(&key("confirm"), account, &opened.id, PAYING_CARD)
            .await?;
        self.gateway
            .capture(&key("capture"), account, &opened.id, fee)
            .await?;
        Ok(())
    }

    /// Creates a sale through a wallet that gave no name or e-mail address. It becomes an anomaly
    /// after ten minutes, and the operator must find the buyer (decision C-11).
    async fn sell_without_buyer(
        &self,
        draw: DrawId,
        seller: &SellingClub,
    ) -> anyhow::Result<DeferredAnomaly> {
        let plan = &DRAWS[TICKET_WITHOUT_BUYER_DRAW_INDEX];
        let wanted = LineRequest {
            draw,
            count: 1,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let order_to_place = PlannedOrder {
            seller: seller.clone(),
            wanted,
            buyer: None,
        };
        let record =
            buyers::place_order(&self.seeding.running.engine.payments, order_to_place).await?;
        let anomaly = Anomaly {
            kind: AnomalyKind::OrphanedTicket,
            payment_intent: record.order.payment_intent.clone(),
            order: Some(record.order.id),
            note: "the tickets are paid but their buyer left no address".to_string(),
        };
        Ok(DeferredAnomaly {
            anomaly,
            amount: record.order.total(),
            at: self.seeding.now,
        })
    }

    /// Returns an invented anomaly for display: an authorisation that could not be cancelled. A
    /// real one resolves itself once Stripe answers again. The operator can mark the invented one
    /// as resolved.
    fn unresolved_cancellation(&self) -> DeferredAnomaly {
        let anomaly = Anomaly {
            kind: AnomalyKind::FailedAllocation,
            payment_intent: Some(PaymentIntentId("pi_demo_unallocated".to_string())),
            order: None,
            note: "a refused order's authorisation could not be cancelled yet".to_string(),
        };
        DeferredAnomaly {
            anomaly,
            amount: Cents(2_500),
            at: self.seeding.now,
        }
    }

    /// Returns an invented anomaly for display: a payment with another amount than its order. The
    /// operator can mark it as resolved.
    fn wrong_amount(&self) -> DeferredAnomaly {
        let anomaly = Anomaly {
            kind: AnomalyKind::MismatchedAmount,
            payment_intent: Some(PaymentIntentId("pi_demo_wrong_amount".to_string())),
            order: None,
            note: "amount, currency, account or order differ from ours".to_string(),
        };
        DeferredAnomaly {
            anomaly,
            amount: Cents(4_000),
            at: self.seeding.now,
        }
    }

    /// Returns the order that bought a draw's first ticket.
    async fn first_order(&self, draw: DrawId) -> anyhow::Result<OrderRecord> {
        let state = &self.seeding.running.state;
        let sold = state.records.sold_tickets(draw).await?;
        let order = sold.first().context("no ticket is sold")?.order;
        state.payments.order(order).await?.context("an order")
    }
}
