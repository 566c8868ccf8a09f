//! The demo's buyers: every ticket they have, they bought.

use actors::{Confirmed, FulfilStatus, OpenOrder, PaymentFailure, Payments};
use anyhow::{bail, ensure};
use domain::order::{Wanted, price};
use domain::{DrawId, OrderId, SurchargeMode};
use futures_util::{StreamExt, TryStreamExt, stream};
use persistence::books::OrderRecord;
use persistence::ledger::BuyerDetails;
use uuid::Uuid;

use super::plan::{BUYERS, DrawPlan};
use super::seed::Seller;
use crate::terms;

/// Orders under way at once.
const AT_ONCE: usize = 8;
/// How often a busy moment is waited out.
const TRIES_MAX: u32 = 20;
/// The sandbox's card that always pays.
pub const CARD: &str = "pm_card_visa";
/// The sandbox's card that has nothing left on it.
const EMPTY_CARD: &str = "pm_card_chargeDeclinedInsufficientFunds";
/// How many tickets one buyer takes, in turn.
const COUNTS: [u16; 8] = [2, 5, 10, 1, 4, 20, 3, 8];

/// One order somebody wants.
#[derive(Clone, Debug)]
pub struct Wish {
    pub seller: Seller,
    pub wanted: Wanted,
    /// `None`: leaves neither name nor address.
    pub buyer: Option<&'static str>,
}

/// Who buys the planned tickets of a draw, in portions.
pub fn wishes(seller: &Seller, draw: DrawId, plan: &DrawPlan) -> Vec<Wish> {
    let mut left = plan.sold;
    let mut wishes = Vec::new();
    for turn in draw.0 as usize.. {
        if left == 0 {
            break;
        }
        let count = COUNTS[turn % COUNTS.len()].min(left);
        left -= count;
        let wanted = Wanted {
            draw,
            count,
            unit_price: plan.price,
            passes_card_fee: plan.pass_card_fee,
        };
        let buyer = Some(BUYERS[(turn * 7) % BUYERS.len()]);
        wishes.push(Wish {
            seller: seller.clone(),
            wanted,
            buyer,
        });
    }
    wishes
}

/// Buys everything, several orders at once.
pub async fn buy(payments: &Payments, wishes: Vec<Wish>) -> anyhow::Result<()> {
    stream::iter(wishes)
        .map(|wish| buy_one(payments, wish))
        .buffer_unordered(AT_ONCE)
        .try_for_each(|_| async { Ok(()) })
        .await
}

/// Reserve, authorise, fulfil: a purchase as a browser makes it.
pub async fn buy_one(payments: &Payments, wish: Wish) -> anyhow::Result<OrderRecord> {
    let record = open(payments, &wish).await?;
    pay(payments, record).await
}

/// An order that is open already.
pub async fn pay(payments: &Payments, record: OrderRecord) -> anyhow::Result<OrderRecord> {
    let order = record.order.id;
    let Some(intent) = record.order.payment_intent else {
        bail!("order {order} has no payment intent")
    };
    payments
        .consented(order, "127.0.0.1", terms::SALE.agreed())
        .await?;
    let confirmed = patiently(|| payments.confirm(order, CARD)).await?;
    ensure!(
        confirmed == Confirmed::Authorised,
        "the demo's card was not authorised: {confirmed:?}"
    );
    for _ in 0..TRIES_MAX {
        let fulfilled = patiently(|| payments.fulfil(&intent)).await?;
        match fulfilled.status {
            FulfilStatus::Succeeded => return Ok(fulfilled.record),
            FulfilStatus::Processing | FulfilStatus::Waiting => pause().await,
            other => bail!("order {order} came to {other:?}"),
        }
    }
    bail!("order {order} is still under way")
}

/// Tries to pay with a card that its bank declines, and leaves: what a club's payment page lists as failed.
pub async fn declined(payments: &Payments, wish: Wish) -> anyhow::Result<()> {
    let order = open(payments, &wish).await?.order.id;
    match patiently(|| payments.confirm(order, EMPTY_CARD)).await {
        Err(PaymentFailure::Declined { .. }) => Ok(patiently(|| payments.abandon(order)).await?),
        other => bail!("the bank was to decline order {order}: {other:?}"),
    }
}

/// Opens an order: its tickets are reserved, its payment is not authorised.
pub async fn open(payments: &Payments, wish: &Wish) -> anyhow::Result<OrderRecord> {
    let id = Uuid::new_v4();
    let wanted = OpenOrder {
        client_key: format!("demo:{id}"),
        token: Uuid::new_v4().simple().to_string(),
        id: OrderId(id.as_u128()),
        club: wish.seller.club,
        account: wish.seller.account.clone(),
        lines: price(std::slice::from_ref(&wish.wanted), SurchargeMode::PerLine),
        buyer: wish.buyer.map(details).unwrap_or_default(),
    };
    Ok(patiently(|| payments.open(wanted.clone())).await?)
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

/// The machine may be busy for a moment; asking again is always safe.
async fn patiently<T, F>(mut ask: impl FnMut() -> F) -> Result<T, PaymentFailure>
where
    F: Future<Output = Result<T, PaymentFailure>>,
{
    for _ in 0..TRIES_MAX {
        match ask().await {
            Err(PaymentFailure::Unavailable) => pause().await,
            answered => return answered,
        }
    }
    ask().await
}

pub(super) async fn pause() {
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
}
