//! The demo's simulated buyers. Every sold ticket of the demo is bought through a real order.

use actors::{Confirmation, FulfilStatus, OpenOrder, PaymentFailure, Payments};
use anyhow::{bail, ensure};
use domain::order::{LineRequest, price};
use domain::{DrawId, OrderId, SurchargeMode};
use futures_util::{StreamExt, TryStreamExt, stream};
use persistence::ledger::BuyerDetails;
use persistence::stores::OrderRecord;
use uuid::Uuid;

use super::plan::{BUYERS, DrawPlan};
use super::seed::Seller;
use crate::text::terms;

/// Maximum number of concurrent orders.
const CONCURRENT_ORDERS: usize = 8;
/// Maximum number of repetitions of a request while the server is busy, and of checks whether an
/// order is fulfilled.
const ATTEMPTS_MAX: u32 = 20;
/// The sandbox card that always pays.
pub const CARD: &str = "pm_card_visa";
/// The sandbox card with insufficient funds.
const EMPTY_CARD: &str = "pm_card_chargeDeclinedInsufficientFunds";
/// Numbers of tickets in one order. Successive orders use them in turn.
const COUNTS: [u16; 8] = [2, 5, 10, 1, 4, 20, 3, 8];

/// An order that a simulated buyer will place.
#[derive(Clone, Debug)]
pub struct PlannedOrder {
    pub seller: Seller,
    pub wanted: LineRequest,
    /// Name of the buyer, from which the e-mail address is made. `None` for a buyer who leaves
    /// neither.
    pub buyer: Option<&'static str>,
}

/// Plans the orders that together buy the planned number of tickets of a draw.
pub fn planned_orders(seller: &Seller, draw: DrawId, plan: &DrawPlan) -> Vec<PlannedOrder> {
    let mut remaining = plan.sold;
    let mut planned_orders = Vec::new();
    for turn in draw.0 as usize.. {
        if remaining == 0 {
            break;
        }
        let count = COUNTS[turn % COUNTS.len()].min(remaining);
        remaining -= count;
        let wanted = LineRequest {
            draw,
            count,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let buyer = Some(BUYERS[(turn * 7) % BUYERS.len()]);
        planned_orders.push(PlannedOrder {
            seller: seller.clone(),
            wanted,
            buyer,
        });
    }
    planned_orders
}

/// Places all planned orders, several of them concurrently.
pub async fn buy(payments: &Payments, planned_orders: Vec<PlannedOrder>) -> anyhow::Result<()> {
    stream::iter(planned_orders)
        .map(|wish| buy_one(payments, wish))
        .buffer_unordered(CONCURRENT_ORDERS)
        .try_for_each(|_| async { Ok(()) })
        .await
}

/// Reserves, authorises and fulfils one order, as a browser does.
pub async fn buy_one(payments: &Payments, wish: PlannedOrder) -> anyhow::Result<OrderRecord> {
    let record = open(payments, &wish).await?;
    pay(payments, record).await
}

/// Authorises and fulfils the payment of an order that is already open.
pub async fn pay(payments: &Payments, record: OrderRecord) -> anyhow::Result<OrderRecord> {
    let order = record.order.id;
    let Some(intent) = record.order.payment_intent else {
        bail!("order {order} has no payment intent")
    };
    payments
        .record_consent(order, "127.0.0.1", terms::SALE.agreed())
        .await?;
    let confirmed = with_retry(|| payments.confirm(order, CARD)).await?;
    ensure!(
        confirmed == Confirmation::Authorised,
        "the demo's card was not authorised: {confirmed:?}"
    );
    for _ in 0..ATTEMPTS_MAX {
        let fulfilled = with_retry(|| payments.fulfil(&intent)).await?;
        match fulfilled.status {
            FulfilStatus::Succeeded => return Ok(fulfilled.record),
            FulfilStatus::Processing | FulfilStatus::Waiting => pause().await,
            other => bail!("order {order} came to {other:?}"),
        }
    }
    bail!("order {order} is still under way")
}

/// Tries to pay with a declined card and abandons the order. The club's payment page lists it as
/// failed.
pub async fn declined(payments: &Payments, wish: PlannedOrder) -> anyhow::Result<()> {
    let order = open(payments, &wish).await?.order.id;
    match with_retry(|| payments.confirm(order, EMPTY_CARD)).await {
        Err(PaymentFailure::Declined { .. }) => Ok(with_retry(|| payments.abandon(order)).await?),
        other => bail!("the bank was to decline order {order}: {other:?}"),
    }
}

/// Opens an order: its tickets are reserved and its payment is not authorised.
pub async fn open(payments: &Payments, wish: &PlannedOrder) -> anyhow::Result<OrderRecord> {
    let id = Uuid::new_v4();
    let order = OpenOrder {
        client_key: format!("demo:{id}"),
        token: Uuid::new_v4().simple().to_string(),
        id: OrderId(id.as_u128()),
        club: wish.seller.club,
        account: wish.seller.account.clone(),
        lines: price(std::slice::from_ref(&wish.wanted), SurchargeMode::PerLine),
        buyer: wish.buyer.map(details).unwrap_or_default(),
        source: None,
    };
    Ok(with_retry(|| payments.open(order.clone())).await?)
}

fn details(name: &str) -> BuyerDetails {
    let letter = |c: char| match c {
        ' ' => Some('.'),
        c if c.is_ascii_alphanumeric() => Some(c),
        _ => None,
    };
    let local: String = name.to_lowercase().chars().filter_map(letter).collect();
    BuyerDetails {
        name: Some(name.to_string()),
        email: Some(format!("{local}@example.com")),
        phone: Some(format!(
            "0400 5{:02} {:03}",
            name.len(),
            local.len() * 37 % 1000
        )),
    }
}

/// Repeats a request while the server is busy. This is safe because every request is idempotent.
async fn with_retry<T, F>(mut ask: impl FnMut() -> F) -> Result<T, PaymentFailure>
where
    F: Future<Output = Result<T, PaymentFailure>>,
{
    for _ in 0..ATTEMPTS_MAX {
        match ask().await {
            Err(PaymentFailure::Unavailable) => pause().await,
            result => return result,
        }
    }
    ask().await
}

/// Waits a tenth of a second before a request is repeated.
pub(super) async fn pause() {
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
}
