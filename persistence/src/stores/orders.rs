//! The store for orders: it looks up an order by its keys, and moves it from state to state.

use async_trait::async_trait;
use domain::{
    DrawId, Order, OrderEndReason, OrderId, PaymentIntent, PaymentIntentId, Serial, Timestamp,
};

use crate::audit_log::AuditEntry;
use crate::error::Failure;
use crate::ledger::BuyerDetails;

/// An order as it is stored.
#[derive(Clone, Debug)]
pub struct OrderRecord {
    pub order: Order,
    /// Unique key of the browser session and its purchase. When the browser repeats a request, the
    /// server finds the earlier order by this key.
    pub client_key: String,
    /// Secret token of the order page. The buyer's link contains it.
    pub token: String,
    /// The provider's client secret for the payment intent. Sent only to the browser session that
    /// opened the order. `None` while no payment intent is stored.
    pub client_secret: Option<String>,
    pub buyer: BuyerDetails,
    pub consent_at: Option<Timestamp>,
    pub opened_at: Timestamp,
    pub authorised_at: Option<Timestamp>,
    pub captured_at: Option<Timestamp>,
    /// Why the order ended without a charge. `None` for any other order.
    pub reason: Option<OrderEndReason>,
    /// The allocated tickets of each draw, ascending by draw. Empty while no tickets are allocated.
    pub tickets: Vec<(DrawId, Vec<Serial>)>,
}

impl OrderRecord {
    /// Returns the draws in which the order has lines, ascending.
    pub fn draws(&self) -> impl Iterator<Item = DrawId> {
        self.order.lines.iter().map(|line| line.draw)
    }

    /// Returns the tickets whose number pairs the buyer may see: all tickets once the payment was
    /// captured, none before (decision M-2).
    pub fn tickets_shown_to_buyer(&self) -> &[(DrawId, Vec<Serial>)] {
        if self.order.state.shows_number_pairs() {
            &self.tickets
        } else {
            &[]
        }
    }
}

/// The person who supplies buyer details for an order. The deadline for the details depends on this
/// person (decision M-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuyerSource {
    /// The browser that opened the order, or anybody with the order's client secret. The order
    /// accepts these details until the capture.
    Checkout,
    /// Anybody with the order's token. The order accepts these details until one of its draws has
    /// its first result, even if that result is undone later.
    OrderToken,
    /// An operator. The order refuses these details once its winning ticket was revealed, unless a
    /// second operator approved (decision I-8).
    Operator { at: Timestamp, approved: bool },
}

/// The terms of sale that a buyer agreed to: version, and SHA-256 of the text (decision B-15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgreedTerms {
    pub version: &'static str,
    pub sha256: [u8; 32],
}

/// Whether the buyer gets a mail when an order ends without a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifyBuyer {
    /// Send no mail, because the payment was never authorised or the buyer left.
    Nobody,
    /// Send a mail, because the payment was authorised and the buyer expects tickets.
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
    /// Returns the order that was opened with this client key (the key of a browser session and its
    /// purchase).
    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure>;
    /// Returns the order whose order page has this secret token.
    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure>;
    /// Returns the order whose payment intent has this id.
    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure>;

    /// Stores the id and client secret of the order's new payment intent, and marks the order's
    /// `create` operation done.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the order has another payment intent, or ended without one. The
    /// caller then cancels the new payment intent.
    async fn record_payment_intent(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure>;
    /// Fills the order's blank buyer details. Buyer details that are already stored are never
    /// replaced (decision C-7). An order whose buyer was erased does not change (decision F-8).
    ///
    /// Returns `false` when the order no longer accepts details from this source. The check and the
    /// write are one transaction.
    async fn fill_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> Result<bool, Failure>;
    /// Replaces stored buyer details of an unpaid order. A blank new detail replaces nothing.
    ///
    /// Returns `false` and changes nothing when the order is unknown, is not `quoted`, or is known
    /// to be authorised.
    async fn correct_buyer_details(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
    ) -> Result<bool, Failure>;
    /// Fills blank buyer details as [`OrderStore::fill_buyer_details`] does, for an operator.
    /// Writes the audit entry in the same transaction. The memory store has no audit log and only
    /// fills the details.
    async fn fill_buyer_details_audited(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
        audit_entry: Option<&AuditEntry>,
    ) -> Result<bool, Failure> {
        let _ = audit_entry;
        self.fill_buyer_details(order, buyer, source).await
    }
    /// Writes an audit entry for an operator's action that writes no draw commit. The caller calls
    /// this before the action takes effect. The memory store has no audit log and ignores the call.
    async fn write_audit_entry(&self, audit_entry: &AuditEntry) -> Result<(), Failure> {
        let _ = audit_entry;
        Ok(())
    }
    /// Records that the buyer confirmed the age limit and the terms (decision C-12). Only the first
    /// confirmation is kept.
    async fn record_consent(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: AgreedTerms,
    ) -> Result<(), Failure>;
    /// Records that the provider captured the payment: the state `allocated` becomes `captured`.
    ///
    /// The same transaction stores the provider's figures, marks the capture operation done, and
    /// queues the confirmation mail (kind `tickets`, key `tickets-{order}`). If the buyer left no
    /// e-mail address, the mail waits until there is one. A repeated call changes nothing.
    async fn record_capture(
        &self,
        order: OrderId,
        intent: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// Starts to refuse the order. Its state becomes `rejecting`, a reason is stored, and a
    /// `cancel` operation is queued. From now on no sale allocates tickets to it. The caller then
    /// voids the tickets that the order already has. An order that has ended does not change.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] when the order has all its tickets, or is captured.
    async fn reject_order(
        &self,
        order: OrderId,
        reason: &str,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// Ends the order without a charge: its state becomes `released`, and its open operations are
    /// dropped. An order that has ended does not change.
    ///
    /// With [`NotifyBuyer::Buyer`] the same transaction queues one mail (kind `not-charged`, key
    /// `not-charged-{order}`), unless the buyer left no e-mail address or the order was ever
    /// captured.
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] unless the order is `quoted` or `rejecting` and has no tickets.
    async fn release_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// Ends the order for good: its state becomes `void`, and it can never get tickets again.
    /// Called when the order's tickets are taken back or its payment is refunded, even if the order
    /// was released before. `tell` has the same meaning as in [`OrderStore::release_order`].
    ///
    /// # Errors
    ///
    /// [`Failure::NotWritten`] while the order has tickets.
    async fn void_order(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure>;
}
