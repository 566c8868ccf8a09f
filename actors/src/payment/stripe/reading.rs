//! The provider's words in ours.

use domain::{
    AccountId, Cents, Decline, DrawId, OrderId, PaymentIntent, PaymentIntentId, PaymentStatus,
    Timestamp,
};
use stripe_shared::{
    ApiErrors, ApplicationFeeId, Charge, PaymentIntent as Theirs, PaymentIntentStatus,
};
use uuid::Uuid;

use crate::{GatewayError, Opened};

/// What must come with an intent, so that one question tells everything.
pub(super) const EXPAND: [&str; 2] = [
    "latest_charge.balance_transaction",
    "latest_charge.application_fee",
];
pub(super) const ORDER: &str = "order_id";
pub(super) const DRAWS: &str = "draws";

pub(super) fn intent(account: &AccountId, theirs: &Theirs) -> Result<PaymentIntent, GatewayError> {
    let charge = charge(theirs);
    let fee = charge
        .and_then(|charge| charge.application_fee.as_ref())
        .and_then(|fee| fee.as_object());
    let taken = fee
        .map(|fee| fee.amount)
        .or_else(|| charge.and_then(|charge| charge.application_fee_amount));
    Ok(PaymentIntent {
        id: PaymentIntentId(theirs.id.as_str().to_owned()),
        account: account.clone(),
        status: status(&theirs.status)?,
        amount: Cents(theirs.amount),
        amount_received: Cents(theirs.amount_received),
        // Cancelling an authorisation counts as a refund of the charge, though nothing was taken.
        amount_refunded: charge.map_or(Cents::ZERO, |charge| {
            Cents(charge.amount_refunded.min(theirs.amount_received))
        }),
        application_fee: taken.map_or(Cents::ZERO, Cents),
        application_fee_refunded: fee.map_or(Cents::ZERO, |fee| Cents(fee.amount_refunded)),
        currency: theirs.currency.to_string(),
        order: theirs.metadata.get(ORDER).and_then(|order| order_id(order)),
        provider_fee: charge.and_then(provider_fee),
        disputed: charge.is_some_and(|charge| charge.disputed),
        // Confirming makes the charge; one that failed authorised nothing.
        authorised_at: charge
            .filter(|charge| charge.paid)
            .map(|charge| Timestamp(charge.created * 1000)),
        draws: theirs
            .metadata
            .get(DRAWS)
            .map(|draws| draws_of(draws))
            .unwrap_or_default(),
        method: charge.and_then(method),
        decline: theirs.last_payment_error.as_deref().map(decline),
    })
}

/// A wallet's card is told by its wallet.
fn method(charge: &Charge) -> Option<String> {
    let details = charge.payment_method_details.as_ref()?;
    let wallet = details.card.as_ref().and_then(|card| card.wallet.as_ref());
    Some(wallet.map_or_else(|| details.type_.clone(), |wallet| wallet.type_.to_string()))
}

/// `1042x3,1043x2`; what cannot be read is left out.
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

pub(super) fn opened(account: &AccountId, theirs: &Theirs) -> Result<Opened, GatewayError> {
    let intent = intent(account, theirs)?;
    let client_secret = theirs.client_secret.clone().unwrap_or_default();
    Ok(Opened {
        id: intent.id.clone(),
        client_secret,
        intent,
    })
}

/// The platform's fee object of an intent, once captured.
pub(super) fn fee_id(theirs: &Theirs) -> Option<ApplicationFeeId> {
    charge(theirs)?
        .application_fee
        .as_ref()
        .map(|fee| fee.id().clone())
}

fn charge(theirs: &Theirs) -> Option<&Charge> {
    theirs.latest_charge.as_ref()?.as_object()
}

/// On a direct charge the balance transaction's fee also holds the platform's own; only the rest is the provider's.
fn provider_fee(charge: &Charge) -> Option<Cents> {
    let transaction = charge.balance_transaction.as_ref()?.as_object()?;
    let theirs = transaction
        .fee_details
        .iter()
        .filter(|fee| fee.type_ != "application_fee");
    Some(theirs.map(|fee| Cents(fee.amount)).sum())
}

fn status(theirs: &PaymentIntentStatus) -> Result<PaymentStatus, GatewayError> {
    Ok(match theirs {
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
