//! The demo's simulated buyers. Every sold ticket of the demo is bought through a real order.

use actors::{ConfirmationOutcome, FulfilStatus, OpenOrderRequest, PaymentFailure, Payments};
use anyhow::{bail, ensure};
use domain::order::{LineRequest, price_lines};
use domain::{DrawId, OrderId, SurchargeMode};
use futures_util::{StreamExt, TryStreamExt, stream};
use persistence::ledger::BuyerDetails;
use persistence::stores::OrderRecord;
use uuid::Uuid;

use super::plan::{BUYER_NAMES, DrawPlan};
use super::seed::SellingClub;
use crate::text::terms;

/// Maximum number of concurrent orders.
const CONCURRENT_ORDERS_MAX: usize = 8;
/// Maximum number of repetitions of a request while the server is busy, and of checks whether an
/// order is fulfilled.
const REQUEST_RETRIES_MAX: u32 = 100;
/// The sandbox card that always pays.
pub const PAYING_CARD: &str = "pm_card_visa";
/// The sandbox card with insufficient funds.
const INSUFFICIENT_FUNDS_CARD: &str = "pm_card_chargeDeclinedInsufficientFunds";
/// Numbers of tickets in one order. Successive orders use them in turn.
const ORDER_SIZES: [u16; 8] = [2, 5, 10, 1, 4, 20, 3, 8];

/// An order that a simulated buyer will place.
#[derive(Clone, Debug)]
pub struct PlannedOrder {
    pub seller: SellingClub,
    pub wanted: LineRequest,
    /// Name of the buyer, from which the e-mail address is made. `None` for a buyer who leaves
    /// neither.
    pub buyer: Option<&'static str>,
}

/// Plans the orders that together buy the planned number of tickets of a draw.
pub fn planned_orders(seller: &SellingClub, draw: DrawId, plan: &DrawPlan) -> Vec<PlannedOrder> {
    let mut remaining = plan.sold;
    let mut planned_orders = Vec::new();
    for turn in draw.0 as usize.. {
        if remaining == 0 {
            break;
        }
        let count = ORDER_SIZES[turn % ORDER_SIZES.len()].min(remaining);
        remaining -= count;
        let wanted = LineRequest {
            draw,
            count,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let buyer = Some(BUYER_NAMES[(turn * 7) % BUYER_NAMES.len()]);
        planned_orders.push(PlannedOrder {
            seller: seller.clone(),
            wanted,
            buyer,
        });
    }
    planned_orders
}

/// Places all planned orders, several of them concurrently.
pub async fn place_orders(
    payments: &Payments,
    planned_orders: Vec<PlannedOrder>,
) -> anyhow::Result<()> {
    stream::iter(planned_orders)
        .map(|order_to_place| place_order(payments, order_to_place))
        .buffer_unordered(CONCURRENT_ORDERS_MAX)
        .try_for_each(|_| async { Ok(()) })
        .await
}

/// Reserves, authorises and fulfils one order, as a browser does.
pub async fn place_order(
    payments: &Payments,
    order_to_place: PlannedOrder,
) -> anyhow::Result<OrderRecord> {
    let record = open_order(payments, &order_to_place).await?;
    pay_open_order(payments, record).await
}

/// Authorises and fulfils the payment of an order that is already open.
pub async fn pay_open_order(
    payments: &Payments,
    record: OrderRecord,
) -> anyhow::Result<OrderRecord> {
    let order = record.order.id;
    let Some(intent) = record.order.payment_intent else {
        bail!("order {order} has no payment intent")
    };
    payments
        .record_consent(order, "127.0.0.1", terms::SALE_TERMS.as_agreed_terms())
        .await?;
    let confirmed = retry_while_busy(|| payments.confirm(order, PAYING_CARD)).await?;
    ensure!(
        confirmed == ConfirmationOutcome::Authorised,
        "the demo's card was not authorised: {confirmed:?}"
    );
    for _ in 0..REQUEST_RETRIES_MAX {
        let fulfilled = retry_while_busy(|| payments.fulfil(&intent)).await?;
        match fulfilled.status {
            FulfilStatus::Succeeded => return Ok(fulfilled.record),
            FulfilStatus::Processing | FulfilStatus::Waiting => wait_before_retry().await,
            other => bail!("order {order} came to {other:?}"),
        }
    }
    bail!("order {order} is still under way")
}

/// Tries to pay with a declined card and abandons the order. The club's payment page lists it as
/// failed.
pub async fn place_declined_order(
    payments: &Payments,
    order_to_place: PlannedOrder,
) -> anyhow::Result<()> {
    let order = open_order(payments, &order_to_place).await?.order.id;
    match retry_while_busy(|| payments.confirm(order, INSUFFICIENT_FUNDS_CARD)).await {
        Err(PaymentFailure::Declined { .. }) => {
            retry_while_busy(|| payments.abandon(order)).await?;
            Ok(())
        }
        other => bail!("the bank was to decline order {order}: {other:?}"),
    }
}

/// Opens an order: its tickets are reserved and its payment is not authorised.
pub async fn open_order(
    payments: &Payments,
    order_to_place: &PlannedOrder,
) -> anyhow::Result<OrderRecord> {
    let id = Uuid::new_v4();
    let order = OpenOrderRequest {
        client_key: format!("demo:{id}"),
        token: Uuid::new_v4().simple().to_string(),
        id: OrderId(id.as_u128()),
        club: order_to_place.seller.club,
        account: order_to_place.seller.account.clone(),
        lines: price_lines(
            std::slice::from_ref(&order_to_place.wanted),
            SurchargeMode::PerLine,
        ),
        buyer: order_to_place
            .buyer
            .map(details_of_buyer)
            .unwrap_or_default(),
        source: None,
    };
    Ok(retry_while_busy(|| payments.open(order.clone())).await?)
}

fn details_of_buyer(name: &str) -> BuyerDetails {
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
async fn retry_while_busy<T, F>(mut ask: impl FnMut() -> F) -> Result<T, PaymentFailure>
where
    F: Future<Output = Result<T, PaymentFailure>>,
{
    for _ in 0..REQUEST_RETRIES_MAX {
        match ask().await {
            Err(PaymentFailure::Unavailable) => wait_before_retry().await,
            result => return result,
        }
    }
    ask().await
}

/// Waits a tenth of a second before a request is repeated.
pub(super) async fn wait_before_retry() {
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
}
