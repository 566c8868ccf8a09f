//! Converts Stripe's types to the domain's.

use domain::{
    AccountId, Cents, Decline, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus,
    Timestamp,
};
use stripe_shared::{
    ApiErrors, ApplicationFeeId, Charge, PaymentIntent as StripeIntent, PaymentIntentStatus,
};
use uuid::Uuid;

use crate::{GatewayError, OpenedIntent};

/// Fields that Stripe expands in an intent, so that one call returns everything.
pub(super) const EXPANDED_FIELDS: [&str; 2] = [
    "latest_charge.balance_transaction",
    "latest_charge.application_fee",
];
/// Key of the order id in the metadata.
pub(super) const ORDER_KEY: &str = "order_id";
/// Key of the draws and ticket counts in the metadata.
pub(super) const DRAWS_KEY: &str = "draws";

/// Converts a payment intent of an account.
pub(super) fn payment_intent(
    account: &AccountId,
    intent: &StripeIntent,
) -> Result<PaymentIntent, GatewayError> {
    let charge = charge(intent);
    let fee = charge
        .and_then(|charge| charge.application_fee.as_ref())
        .and_then(|fee| fee.as_object());
    let application_fee = fee
        .map(|fee| fee.amount)
        .or_else(|| charge.and_then(|charge| charge.application_fee_amount));
    Ok(PaymentIntent {
        id: PaymentIntentId(intent.id.as_str().to_owned()),
        account: account.clone(),
        status: status(&intent.status)?,
        amount: Cents(intent.amount),
        amount_received: Cents(intent.amount_received),
        // Stripe counts a cancelled authorisation as a refund of the charge, although no money was
        // taken.
        amount_refunded: charge.map_or(Cents::ZERO, |charge| {
            Cents(charge.amount_refunded.min(intent.amount_received))
        }),
        application_fee: application_fee.map_or(Cents::ZERO, Cents),
        application_fee_refunded: fee.map_or(Cents::ZERO, |fee| Cents(fee.amount_refunded)),
        currency: intent.currency.to_string(),
        order: intent
            .metadata
            .get(ORDER_KEY)
            .and_then(|order| order_id(order)),
        provider_fee: charge.and_then(provider_fee),
        disputed: charge.is_some_and(|charge| charge.disputed),
        // The confirmation creates the charge. A failed charge authorised nothing.
        authorised_at: charge
            .filter(|charge| charge.paid)
            .map(|charge| Timestamp(charge.created * 1000)),
        draws: intent
            .metadata
            .get(DRAWS_KEY)
            .map(|draws| draws_of(draws))
            .unwrap_or_default(),
        method: charge.and_then(method),
        decline: intent.last_payment_error.as_deref().map(decline),
    })
}

/// Returns the payment method type; for a card in a wallet, the wallet's type.
fn method(charge: &Charge) -> Option<String> {
    let details = charge.payment_method_details.as_ref()?;
    let wallet = details.card.as_ref().and_then(|card| card.wallet.as_ref());
    Some(wallet.map_or_else(|| details.type_.clone(), |wallet| wallet.type_.to_string()))
}

/// Parses `1042x3,1043x2`. Unreadable parts are skipped.
fn draws_of(text: &str) -> Vec<(DrawId, u16)> {
    let line = |part: &str| {
        let (draw, count) = part.split_once('x')?;
        Some((DrawId(draw.parse().ok()?), count.parse().ok()?))
    };
    text.split(',').filter_map(line).collect()
}

fn decline(error: &ApiErrors) -> Decline {
    let code = error
        .code
        .as_ref()
        .map_or_else(|| error.type_.to_string(), ToString::to_string);
    let payment_method = error
        .payment_method
        .as_ref()
        .map(|method| method.id.as_str().to_owned());
    Decline {
        message: error.message.clone().unwrap_or_else(|| code.clone()),
        code,
        payment_method,
    }
}

/// Converts a payment intent together with its client secret.
pub(super) fn opened_intent(
    account: &AccountId,
    intent: &StripeIntent,
) -> Result<OpenedIntent, GatewayError> {
    let converted = payment_intent(account, intent)?;
    let client_secret = intent.client_secret.clone().unwrap_or_default();
    Ok(OpenedIntent {
        id: converted.id.clone(),
        client_secret,
        intent: converted,
    })
}

/// Returns the id of the platform's application fee of a captured intent.
pub(super) fn application_fee_id(intent: &StripeIntent) -> Option<ApplicationFeeId> {
    charge(intent)?
        .application_fee
        .as_ref()
        .map(|fee| fee.id().clone())
}

fn charge(intent: &StripeIntent) -> Option<&Charge> {
    intent.latest_charge.as_ref()?.as_object()
}

/// Returns Stripe's own fee. On a direct charge the fees of the balance transaction also contain
/// the platform's application fee.
fn provider_fee(charge: &Charge) -> Option<Cents> {
    let transaction = charge.balance_transaction.as_ref()?.as_object()?;
    let provider_fees = transaction
        .fee_details
        .iter()
        .filter(|fee| fee.type_ != "application_fee");
    Some(provider_fees.map(|fee| Cents(fee.amount)).sum())
}

fn status(stripe_status: &PaymentIntentStatus) -> Result<PaymentStatus, GatewayError> {
    Ok(match stripe_status {
        PaymentIntentStatus::RequiresPaymentMethod => PaymentStatus::RequiresPaymentMethod,
        PaymentIntentStatus::RequiresConfirmation => PaymentStatus::RequiresConfirmation,
        PaymentIntentStatus::RequiresAction => PaymentStatus::RequiresAction,
        PaymentIntentStatus::Processing => PaymentStatus::Processing,
        PaymentIntentStatus::RequiresCapture => PaymentStatus::RequiresCapture,
        PaymentIntentStatus::Succeeded => PaymentStatus::Succeeded,
        PaymentIntentStatus::Canceled => PaymentStatus::Canceled,
        other => return Err(GatewayError::Unknown(format!("an unknown status: {other}"))),
    })
}

fn order_id(text: &str) -> Option<OrderId> {
    Uuid::parse_str(text).ok().map(|id| OrderId(id.as_u128()))
}
