//! One open anomaly of each type, so that the operator's console has something to work on. Four are made as they come about:
//! at the provider past our back, or by a buyer who left no address. What the operator does about them ends well.

use actors::{Gateway, NewIntent, Stripe};
use anyhow::{Context, ensure};
use domain::order::Wanted;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, DrawId, FeePolicy, OrderId, PaymentIntentId, Timestamp,
};
use persistence::Books;
use persistence::books::OrderRecord;
use uuid::Uuid;

use super::crowd::{self, CARD, Wish};
use super::plan::DRAWS;
use super::seed::{Seeding, Seller};

/// Places in [`DRAWS`]: on sale with room, on sale, awaiting its result, completed.
const FORGOTTEN: usize = 3;
const PAID_TWICE: usize = 1;
const NAMELESS: usize = 12;
const DISPUTED: usize = 14;

/// What is only true once the dates have been moved, and is raised then.
pub struct Late {
    anomaly: Anomaly,
    amount: Cents,
    at: Timestamp,
}

impl Late {
    pub async fn raise(&self, books: &dyn Books) -> anyhow::Result<()> {
        books
            .raise(&self.anomaly, Some(self.amount), self.at)
            .await?;
        Ok(())
    }
}

struct Trouble<'a> {
    seeding: &'a Seeding<'a>,
    gateway: Stripe,
}

/// Makes them. The reconciler's next look finds those that are the provider's.
pub async fn make(
    seeding: &Seeding<'_>,
    draws: &[DrawId],
    sellers: &[Seller],
) -> anyhow::Result<Vec<Late>> {
    let trouble = Trouble {
        seeding,
        gateway: seeding.provider()?,
    };
    let seller = |place: usize| &sellers[DRAWS[place].club];
    trouble
        .forgotten(draws[FORGOTTEN], &seller(FORGOTTEN).account)
        .await
        .context("a payment of a forgotten order")?;
    trouble
        .paid_twice(draws[PAID_TWICE])
        .await
        .context("an order that is paid twice")?;
    let disputed = trouble.first_order(draws[DISPUTED]).await?;
    let payment = disputed.order.payment_intent.context("a payment")?;
    ensure!(
        seeding.sandbox.dispute(&payment.0),
        "the sandbox refuses a dispute"
    );
    let nameless = trouble
        .nameless(draws[NAMELESS], seller(NAMELESS))
        .await
        .context("a buyer without an address")?;
    Ok(vec![nameless, trouble.stuck()])
}

impl Trouble<'_> {
    /// As after a backup was restored: the provider took money for an order that we do not know.
    async fn forgotten(&self, draw: DrawId, account: &AccountId) -> anyhow::Result<()> {
        let amount = Cents(2 * DRAWS[FORGOTTEN].price.0);
        let order = OrderId(Uuid::new_v4().as_u128());
        self.take(NewIntent {
            order,
            account: account.clone(),
            amount,
            draws: format!("{draw}x2"),
        })
        .await
    }

    /// A second payment in the name of an order that has its own.
    async fn paid_twice(&self, draw: DrawId) -> anyhow::Result<()> {
        let order = self.first_order(draw).await?.order;
        let lines: Vec<String> = order
            .lines
            .iter()
            .map(|line| format!("{}x{}", line.draw, line.count))
            .collect();
        let (account, amount) = (order.account.clone(), order.total());
        self.take(NewIntent {
            order: order.id,
            account,
            amount,
            draws: lines.join(","),
        })
        .await
    }

    /// Past our back, with the platform's part of it.
    async fn take(&self, new: NewIntent) -> anyhow::Result<()> {
        let key = |step: &str| format!("demo-{step}-{}", new.order);
        let (account, fee) = (&new.account, FeePolicy::DEFAULT.on(new.amount));
        let opened = self.gateway.create(&key("create"), &new).await?;
        self.gateway
            .confirm(&key("confirm"), account, &opened.id, CARD)
            .await?;
        self.gateway
            .capture(&key("capture"), account, &opened.id, fee)
            .await?;
        Ok(())
    }

    /// A wallet that gave no address: ten minutes after the sale it is a person's to find (decision C-11).
    async fn nameless(&self, draw: DrawId, seller: &Seller) -> anyhow::Result<Late> {
        let plan = &DRAWS[NAMELESS];
        let wanted = Wanted {
            draw,
            count: 1,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let wish = Wish {
            seller: seller.clone(),
            wanted,
            buyer: None,
        };
        let record = crowd::buy_one(&self.seeding.running.engine.payments, wish).await?;
        let anomaly = Anomaly {
            kind: AnomalyKind::OrphanedTicket,
            payment_intent: record.order.payment_intent.clone(),
            order: Some(record.order.id),
            note: "the tickets are paid but their buyer left no address".to_string(),
        };
        Ok(Late {
            anomaly,
            amount: record.order.total(),
            at: self.seeding.now,
        })
    }

    /// A real one heals as soon as the provider answers again; this one is only shown, and marked resolved.
    fn stuck(&self) -> Late {
        let anomaly = Anomaly {
            kind: AnomalyKind::FailedAllocation,
            payment_intent: Some(PaymentIntentId("pi_demo_unallocated".to_string())),
            order: None,
            note: "a refused order's authorisation could not be cancelled yet".to_string(),
        };
        Late {
            anomaly,
            amount: Cents(2_500),
            at: self.seeding.now,
        }
    }

    /// The order that has a draw's first ticket.
    async fn first_order(&self, draw: DrawId) -> anyhow::Result<OrderRecord> {
        let state = &self.seeding.running.state;
        let sold = state.records.sold_tickets(draw).await?;
        let order = sold.first().context("nobody has bought")?.order;
        state.payments.order(order).await?.context("an order")
    }
}
