//! Orders: reading one by its keys, and moving one from state to state.

use async_trait::async_trait;
use domain::{
    DrawId, EndReason, Order, OrderId, PaymentIntent, PaymentIntentId, Serial, Timestamp,
};

use crate::audit_log::AuditEntry;
use crate::error::Failure;
use crate::ledger::BuyerDetails;

/// An order as it is stored.
#[derive(Clone, Debug)]
pub struct OrderRecord {
    pub order: Order,
    /// Unique key of the browser session and its purchase. A retried request finds the order by it.
    pub client_key: String,
    /// The buyer's secret for the order page.
    pub token: String,
    /// The client secret of the payment intent. Sent only to the session that opened the order.
    pub client_secret: Option<String>,
    pub buyer: BuyerDetails,
    pub consent_at: Option<Timestamp>,
    pub opened_at: Timestamp,
    pub authorised_at: Option<Timestamp>,
    pub captured_at: Option<Timestamp>,
    /// Why the order ended without a charge.
    pub reason: Option<EndReason>,
    /// The tickets of each draw, ascending by draw. Empty until tickets are allocated.
    pub tickets: Vec<(DrawId, Vec<Serial>)>,
}

impl OrderRecord {
    /// Returns the draws of the order's lines, ascending.
    pub fn draws(&self) -> impl Iterator<Item = DrawId> {
        self.order.lines.iter().map(|line| line.draw)
    }

    /// Returns the tickets whose number pairs the buyer may see. There are none before the capture
    /// (decision M-2).
    pub fn shown_tickets(&self) -> &[(DrawId, Vec<Serial>)] {
        if self.order.state.shows_pairs() {
            &self.tickets
        } else {
            &[]
        }
    }
}

/// The person who supplies buyer details. It decides how long the order accepts them
/// (decision M-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuyerSource {
    /// The browser that opened the order, or a holder of its client secret. Accepted until the
    /// capture.
    Checkout,
    /// A holder of the order's token. Accepted until one of its draws has its first result, even
    /// if that result is undone later.
    OrderToken,
    /// An operator. Refused for an order with a revealed winning ticket, unless a second operator
    /// approved (decision I-8).
    Operator { at: Timestamp, approved: bool },
}

/// The terms a buyer agreed to: their version, and the SHA-256 of their text (decision B-15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermsAgreed {
    pub version: &'static str,
    pub sha256: [u8; 32],
}

/// Whether the buyer is mailed when an order ends without a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifyBuyer {
    /// Send no mail: the payment was never authorised, or the buyer left.
    Nobody,
    /// Send the mail: the payment was authorised, so the buyer is waiting for tickets.
    Buyer,
}

/// Stores orders.
///
/// # Errors
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait OrderStore: Send + Sync {
    /// Returns the order with this id.
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure>;
    /// Returns the order that was opened with this client key.
    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure>;
    /// Returns the order with this buyer's token.
    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure>;
    /// Returns the order that is paid with this payment intent.
    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure>;

    /// Stores the id and client secret of the order's new payment intent, and marks its `create`
    /// operation done.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when the order has another payment intent, or ended without one.
    /// The caller then cancels the new payment intent.
    async fn record_payment_intent(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure>;
    /// Fills the buyer details that are still blank. Stored details are never replaced
    /// (decision C-7). An order whose buyer was erased does not change (decision F-8).
    ///
    /// Returns `false` when the order no longer accepts details from this source. The check and
    /// the write are one transaction.
    async fn fill_buyer(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> Result<bool, Failure>;
    /// Replaces stored buyer details before the payment. Blanks replace nothing.
    ///
    /// Returns `false` and changes nothing when the order is unknown, not `quoted`, or known to be
    /// authorised.
    async fn correct_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<bool, Failure>;
    /// Does the same as [`OrderStore::fill_buyer`] for an operator, and writes the audit entry in
    /// the same transaction. A store without an audit log only fills the details.
    async fn fill_buyer_audited(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
        audit_entry: Option<&AuditEntry>,
    ) -> Result<bool, Failure> {
        let _ = audit_entry;
        self.fill_buyer(order, buyer, source).await
    }
    /// Writes an audit entry for an operator's action that is not part of a draw's commit. The
    /// caller writes it before the action takes effect. A store without an audit log ignores it.
    async fn write_audit_entry(&self, audit_entry: &AuditEntry) -> Result<(), Failure> {
        let _ = audit_entry;
        Ok(())
    }
    /// Records that the buyer confirmed age and terms (decision C-12). Only the first confirmation
    /// is kept.
    async fn record_consent(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: TermsAgreed,
    ) -> Result<(), Failure>;
    /// Records that the provider captured the payment: `allocated` becomes `captured`.
    ///
    /// One transaction also mirrors the provider's figures, marks the capture operation done, and
    /// queues the confirmation mail (kind `tickets`, key `tickets-{order}`). Without an address
    /// the mail waits for one. A repeated call changes nothing.
    async fn record_capture(
        &self,
        order: OrderId,
        intent: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// Starts refusing the order: the state becomes `rejecting`, with a reason and a pending
    /// `cancel` operation. No sale allocates tickets to it any more. The caller then voids the
    /// tickets it already has. An order that has ended does not change.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] when the order has all its tickets, or is captured.
    async fn reject(&self, order: OrderId, reason: &str, at: Timestamp) -> Result<(), Failure>;
    /// Ends the order without a charge: the state becomes `released`, and open operations are
    /// dropped. An order that has ended does not change.
    ///
    /// With [`NotifyBuyer::Buyer`] the same transaction queues one mail (kind `not-charged`, key
    /// `not-charged-{order}`), unless the buyer has no address or the order was ever captured.
    ///
    /// # Errors
    /// [`Failure::NotWritten`] unless the order is `quoted` or `rejecting` and has no tickets.
    async fn release(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// Ends the order for good: the state becomes `void`, and it never gets tickets again. Used
    /// when its tickets are taken back or its money is returned, even after it was released.
    /// `tell` works as in [`OrderStore::release`].
    ///
    /// # Errors
    /// [`Failure::NotWritten`] while the order has tickets.
    async fn void(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure>;
}
