//! The records of the journal. Each holds one object.

use serde::{Deserialize, Serialize};

use super::account::{Account, AccountLink};
use super::balance_transaction::BalanceTransaction;
use super::charge::Charge;
use super::confirmation_token::ConfirmationToken;
use super::dispute::Dispute;
use super::early_fraud_warning::EarlyFraudWarning;
use super::event::WebhookEvent;
use super::fee::{ApplicationFee, FeeRefund};
use super::idempotency::SavedResponse;
use super::intent::Intent;
use super::payment_method::PaymentMethod;
use super::payment_method_domain::PaymentMethodDomain;
use super::payout::Payout;
use super::refund::Refund;
use super::webhook_endpoint::WebhookEndpoint;

/// Declares the record type twice with the same variants: one borrows its object for writing, one
/// owns it for reading. Variant names are stored in the journal.
macro_rules! records {
    ($($variant:ident: $kind:ident),*) => {
        #[derive(Debug, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum RecordRef<'a> { $($variant(&'a $kind),)* Delivered(&'a str), Lost(&'a str) }

        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(clippy::large_enum_variant, reason = "a record is parsed and applied at once")]
        pub enum Record { $($variant($kind),)* Delivered(String), Lost(String) }
    };
}

records!(
    Account: Account,
    AccountLink: AccountLink,
    Intent: Intent,
    Method: PaymentMethod,
    ConfirmationToken: ConfirmationToken,
    PaymentMethodDomain: PaymentMethodDomain,
    Charge: Charge,
    Transaction: BalanceTransaction,
    Fee: ApplicationFee,
    FeeRefund: FeeRefund,
    Refund: Refund,
    Dispute: Dispute,
    EarlyFraudWarning: EarlyFraudWarning,
    Payout: Payout,
    WebhookEndpoint: WebhookEndpoint,
    Event: WebhookEvent,
    Remembered: SavedResponse
);
