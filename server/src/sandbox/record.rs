//! One object as the journal keeps it.

use serde::{Deserialize, Serialize};

use super::account::{Account, AccountLink};
use super::charge::Charge;
use super::dispute::Dispute;
use super::event::Event;
use super::fee::{Fee, FeeRefund};
use super::idempotency::Remembered;
use super::intent::Intent;
use super::method::Method;
use super::refund::Refund;
use super::transaction::Transaction;

/// Declares the record twice: borrowed for writing, owned for reading, with the same names.
macro_rules! records {
    ($($kind:ident),*) => {
        #[derive(Debug, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum RecordRef<'a> { $($kind(&'a $kind),)* Delivered(&'a str), Lost(&'a str) }

        #[derive(Debug, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Record { $($kind($kind),)* Delivered(String), Lost(String) }
    };
}

records!(
    Account,
    AccountLink,
    Intent,
    Method,
    Charge,
    Transaction,
    Fee,
    FeeRefund,
    Refund,
    Dispute,
    Event,
    Remembered
);
