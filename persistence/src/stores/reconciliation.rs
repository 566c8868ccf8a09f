//! The store for reconciliation: it lists the orders to compare with the provider, and stores the
//! snapshots that the provider returned.

use async_trait::async_trait;
use domain::{
    AccountId, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, Serial, Timestamp,
};

use super::orders::OrderRecord;
use crate::error::Failure;

/// Lists orders for the reconciler, and stores the provider's snapshots of payment intents.
///
/// # Errors
///
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait ReconciliationStore: Send + Sync {
    /// Returns orders whose outcome is undecided (`quoted`, `allocated` or `rejecting`) and that
    /// were opened before a time, oldest first. Includes captured orders without tickets, because
    /// their refund was interrupted after their tickets were voided.
    async fn unfinished_orders(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure>;
    /// Returns the orders that were captured at or after a time, earliest capture first.
    async fn orders_captured_since(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure>;
    /// Returns captured orders that still have a ticket of a cancelled draw. They must be refunded
    /// (decision E-9).
    async fn orders_of_cancelled_draws(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure>;
    /// Returns orders that were captured before a time, whose buyer left no e-mail address, and
    /// that are not reported yet. An order is reported when an anomaly about it is open, or was
    /// closed by a person.
    async fn captured_orders_without_email(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure>;
    /// Returns when the newest order was opened, or `None` when there is no order.
    async fn newest_order_opened_at(&self) -> Result<Option<Timestamp>, Failure>;
    /// Returns every connected account that may have received payments: the accounts of clubs, and
    /// the accounts named in orders.
    async fn connected_accounts(&self) -> Result<Vec<AccountId>, Failure>;
    /// Stores the provider's snapshots of payment intents. One call contains each payment intent at
    /// most once.
    ///
    /// Only this method writes the snapshots. The code that handles purchases never does, so the
    /// snapshots are an independent copy of the provider's data. `at` is the time of the request to
    /// the provider. An older snapshot never replaces a newer one. For a disputed payment of an
    /// order, the same transaction queues one mail to the club (kind `disputed`, key
    /// `disputed-{payment intent}`). For an inquiry that waits for the club's answer it queues one
    /// too (kind `inquiry`, key `inquiry-{payment intent}`).
    async fn record_provider_snapshots(
        &self,
        intents: &[PaymentIntent],
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// Returns the connected account of a payment intent. `None` when no snapshot of the payment
    /// intent is stored.
    async fn account_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Option<AccountId>, Failure>;
    /// Returns the club that owns a connected account.
    async fn club_of_account(&self, account: &AccountId) -> Result<Option<ClubId>, Failure>;
    /// Returns the order to which a sold ticket belongs. `None` when the ticket is not sold.
    async fn ticket_owner(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure>;
}
