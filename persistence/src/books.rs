//! What payments remember: orders, operations, notices, anomalies, mail. Owned by the payment actor and the mailer.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, Order, OrderId, PaymentIntent,
    PaymentIntentId, Serial, Timestamp,
};

use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::nodes::Boot;
use crate::records::audit::Entry;

/// An order as the books hold it.
#[derive(Clone, Debug)]
pub struct OrderRecord {
    pub order: Order,
    pub client_key: String,
    pub token: String,
    /// Secret; handed only to the session that opened the order.
    pub client_secret: Option<String>,
    pub buyer: BuyerDetails,
    pub consent_at: Option<Timestamp>,
    pub opened_at: Timestamp,
    pub authorised_at: Option<Timestamp>,
    pub captured_at: Option<Timestamp>,
    /// Why it was refused, for the buyer: the refusal's sentence.
    pub reason: Option<String>,
    /// Which tickets each line has, ascending; empty until allocated.
    pub tickets: Vec<(DrawId, Vec<Serial>)>,
}

/// Which terms a buyer agreed to: their version, and the SHA-256 of the very text (decision B-15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermsAgreed {
    pub version: &'static str,
    pub sha256: [u8; 32],
}

/// An effect outside: written before it is tried, recorded after (architecture invariant A10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperationKind {
    Create,
    Update,
    Capture,
    Cancel,
    Refund,
    FeeRefund,
}

impl OperationKind {
    /// The key of the operation of this kind that a commit writes by itself: an order's creation, its capture, its
    /// cancellation. Whoever made the commit may try it under this key at once, without claiming it, for `FAST_PATH_MS`.
    pub fn first_key(self, order: OrderId) -> Option<String> {
        match self {
            OperationKind::Create => Some(format!("create-{order}-1")),
            OperationKind::Capture => Some(format!("cap-{order}")),
            OperationKind::Cancel => Some(format!("cancel-{order}")),
            OperationKind::Update | OperationKind::Refund | OperationKind::FeeRefund => None,
        }
    }
}

/// A new operation is its asker's for so long (`claim_operation`); then it is anybody's (`claim_operations`).
pub const FAST_PATH_MS: i64 = 2_000;

#[derive(Clone, Debug)]
pub struct Operation {
    pub id: i64,
    pub order: OrderId,
    pub kind: OperationKind,
    /// The provider's idempotency key: stable over every attempt of this operation.
    pub key: String,
    /// Amount of a refund or fee refund.
    pub amount: Option<Cents>,
    /// How often it has been claimed, this time included.
    pub attempts: u32,
}

/// How an attempt of an operation ended.
#[derive(Clone, Debug)]
pub enum Attempt {
    Done,
    /// Try again at this time; `new_key` when the provider cached a failure under the old one. Said by the attempt of this
    /// number: when a later one has been claimed meanwhile, that one says how it goes on, and nothing changes.
    Again {
        attempts: u32,
        at: Timestamp,
        new_key: Option<String>,
    },
    /// It can never succeed.
    Failed {
        why: String,
    },
}

/// Whether the buyer of an order that is over without a charge is to read so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tell {
    /// The payment had never been authorised, or the buyer left: there is nothing to tell.
    Nobody,
    /// The payment had been authorised, so that the buyer waits for tickets.
    Buyer,
}

/// One message from the provider, stored once by its event id.
#[derive(Clone, Debug)]
pub struct Notice {
    pub event_id: String,
    pub account: Option<String>,
    pub kind: String,
    pub payment_intent: Option<PaymentIntentId>,
    /// Raw JSON as received.
    pub payload: String,
}

#[derive(Clone, Debug)]
pub struct Mail {
    pub id: i64,
    /// `tickets`, `not-charged`, `disputed`, `winner`, `reset`, …
    pub kind: String,
    pub order: Option<OrderId>,
    pub to: String,
    /// What the template needs beyond the order, as JSON text.
    pub data: String,
    /// Fixed when queued, so that a doubled send is one message to the reader (E4).
    pub message_id: String,
    /// How often it has been claimed, this time included.
    pub attempts: u32,
}

#[derive(Clone, Debug)]
pub struct AnomalyRecord {
    pub id: u128,
    pub anomaly: Anomaly,
    pub amount: Option<Cents>,
    pub detected_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
}

/// What a person does about a payment that no order holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// It gets the tickets it names.
    Tickets,
    /// Its money goes back.
    Return,
}

/// A repair that did not say how it ended, because its node is gone, keeps another one waiting for so long: longer than it takes
/// to ask the provider, as often as a repair does.
pub const REPAIR_MS: i64 = 300_000;

#[async_trait]
pub trait Books: Send + Sync {
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure>;
    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure>;
    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure>;
    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure>;

    /// The provider made the payment intent: its id and client secret, and the `create` operation is done. `NotWritten` for an
    /// order that has another one, or that is decided without any: whoever made the intent was too late and cancels it.
    async fn opened(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure>;
    /// Fills blanks only: what was stored first wins (decision C-7). An order whose buyer was erased stays as it is (F-8).
    async fn fill_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<(), Failure>;
    /// What the buyer says before paying replaces what is stored; blanks replace nothing. Only while the order is `quoted` and
    /// nothing of it is known to be authorised; else, and for an unknown one, `false`, and it stays as it is.
    async fn correct_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<bool, Failure>;
    /// The same by a person, whose act stands in the audit log with it, or neither does. Books that keep no audit log only fill.
    async fn recover(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        act: Option<&Entry>,
    ) -> Result<(), Failure> {
        let _ = act;
        self.fill_buyer(order, buyer).await
    }
    /// A person's act on an order that no draw's commit carries: written before its effect. Books that keep no audit log
    /// forget it.
    async fn note(&self, act: &Entry) -> Result<(), Failure> {
        let _ = act;
        Ok(())
    }
    /// Age and terms were confirmed (decision C-12). The first time counts.
    async fn consented(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: TermsAgreed,
    ) -> Result<(), Failure>;
    /// The money is taken: from `allocated` to state `captured`, the provider's figures mirrored, the capture operation done and the one
    /// confirmation mail queued (kind and key `tickets`, `tickets-{order}`; without an address it waits for one), in one
    /// transaction. Again: nothing.
    async fn captured(
        &self,
        order: OrderId,
        said: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// The order is refused: state `rejecting`, reason, and a pending `cancel` operation. From now on no sale allocates it any
    /// more; the tickets it may have of some of its draws are voided next. `NotWritten` while it has all of them, or is captured.
    /// One that has ended stays as it is.
    async fn rejecting(&self, order: OrderId, reason: &str, at: Timestamp) -> Result<(), Failure>;
    /// Nothing was charged: state `released`, open operations dropped. `NotWritten` unless it is `quoted` or `rejecting` and has
    /// no tickets; one that has ended stays as it is. With [`Tell::Buyer`] the one mail that nothing was charged is queued in the
    /// same transaction (kind and key `not-charged`, `not-charged-{order}`): not without an address, nor of an order that was ever
    /// captured.
    async fn released(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// It had tickets and they are taken back, or its money goes back, also one that was released: state `void`. From now on nobody
    /// gives it tickets. `NotWritten` while it has any. `tell` as with `released`.
    async fn voided(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure>;
    /// What voiding this order's tickets took off its draws' application fees: the sum of its negative fee ledger steps, as
    /// a positive amount. Read after the voids, so that a refund cut off half-way still returns the right part.
    async fn fee_returned(&self, order: OrderId) -> Result<Cents, Failure>;
    /// How much of this order's own application fee the provider gave back so far: the sum of its fee refunds that are done.
    /// One order's fee may give for several refunds, so that the provider's total alone says of none whether it was done.
    async fn fee_given_back(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Queues money back: a `refund` of `amount`. An order that was captured becomes `void`; `fee` is only noted with it
    /// (`fee_returned`), and `give_fees_back` sees to it. Of any other order no draw knows a fee: a `fee_refund` of `fee` is
    /// queued, too. Again: nothing.
    async fn refunding(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure>;

    /// Draws whose orders hold more of the application fee than the draw's ledger says is due.
    async fn fees_owed(&self) -> Result<Vec<DrawId>, Failure>;
    /// Queues a `fee_refund` for each captured order that has some of what its draw owes (decision D-3): refunded ones first,
    /// then the earliest captured; the operation names the order whose intent carries the fee. What captures in flight hold
    /// is given back when asked again after them. Again: nothing.
    async fn give_fees_back(&self, draw: DrawId) -> Result<(), Failure>;

    /// Claims due operations for `lease_ms`, oldest first, captures before the rest. `FOR UPDATE SKIP LOCKED`.
    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure>;
    /// Claims one order's oldest pending operation of a kind, for the fast path: one that nobody has tried yet, or that is due.
    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Operation>, Failure>;
    async fn attempted(&self, operation: i64, attempt: Attempt) -> Result<(), Failure>;

    /// Stores a notice, which its taker is to handle; `false` when this event id was stored before.
    async fn notice(&self, notice: &Notice, taker: Boot, at: Timestamp) -> Result<bool, Failure>;
    /// What is not handled yet, oldest first. One that another node took in is that node's, unless it is gone or the notice was
    /// taken in before `overdue`: handling one twice is harmless, and only work.
    async fn notices_unhandled(
        &self,
        taker: Boot,
        overdue: Timestamp,
        limit: u32,
    ) -> Result<Vec<Notice>, Failure>;
    async fn notice_handled(&self, event_id: &str, at: Timestamp) -> Result<(), Failure>;

    /// Orders in `quoted`, `allocated` or `rejecting` opened before a time, oldest first: what the reconciler asks the provider
    /// about. Also captured orders that have no ticket any more: their refund was cut off between the voids and `refunding`.
    async fn orders_open(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure>;
    /// Orders captured at or after a time, earliest capture first, to be compared with the provider.
    async fn orders_captured(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure>;
    /// Captured orders that still have a ticket of a draw that was cancelled: their refund is due (decision E-9).
    async fn orders_called_off(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure>;
    /// When the newest order was opened: so far do the books remember. `None`: there is no order.
    async fn newest_order(&self) -> Result<Option<Timestamp>, Failure>;
    /// Every connected account that may have taken payments: the clubs' accounts and those that orders name.
    async fn accounts(&self) -> Result<Vec<AccountId>, Failure>;
    /// The reconciler's own copy of what the provider said when it was asked (`at`), of each payment once: the second witness,
    /// never written by the purchase path. What was asked earlier never covers what was asked later. With a dispute of an order's
    /// own payment goes the one mail to its club, in the same transaction (kind and key `disputed`, `disputed-{payment intent}`).
    async fn witness(&self, said: &[PaymentIntent], at: Timestamp) -> Result<(), Failure>;

    /// Raises an anomaly unless one of its kind is open for its payment, or a person has closed just this one before; `true`
    /// when it is new.
    async fn raise(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Resolves the open anomalies of one kind of a payment that healed, and those of its order that name no payment. What names
    /// another payment of the same order stays open.
    async fn heal(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure>;
    /// The open anomalies of a payment, and those of its order that name no payment.
    async fn open_about(&self, payment_intent: &PaymentIntentId) -> Result<Vec<u128>, Failure>;
    /// Those of these payments that such an anomaly is open about.
    async fn reported(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure>;
    /// Resolves those of these that are still open: they turned out to be mended.
    async fn heal_known(&self, anomalies: &[u128], at: Timestamp) -> Result<u64, Failure>;
    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure>;
    /// How many there ever were, and how many of them are open.
    async fn anomaly_counts(&self) -> Result<(u64, u64), Failure>;
    /// A person has dealt with it: it is closed, and the same about the same payment is not raised again. `false`: no such one
    /// is open.
    async fn resolve(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// A person begins a repair of a payment, or goes on with it: one kind at a time, whichever node they asked. `false`: another
    /// kind is under way. It is so until it ends, or for [`REPAIR_MS`].
    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// It is known how a repair ended; from now on another kind may begin.
    async fn end_repair(&self, id: &PaymentIntentId, repair: Repair) -> Result<(), Failure>;
    /// The connected account of a payment that the reconciler saw.
    async fn witnessed(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Option<AccountId>, Failure>;
    /// The club of a connected account.
    async fn club_of(&self, account: &AccountId) -> Result<Option<ClubId>, Failure>;
    /// Whose a sold ticket is.
    async fn holder(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure>;
    /// Captured orders whose buyer left no address, captured before a time, that nobody was told of yet: no anomaly of theirs is
    /// open, and a person has closed none.
    async fn orders_nameless(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure>;

    /// Queues a mail; `false` when its dedupe key was queued before.
    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Mails that are due, oldest first, and those whose sender is gone ([`crate::nodes::GONE_MS`]). They are the sender's for
    /// so long.
    async fn claim_mail(
        &self,
        sender: Boot,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure>;
    async fn mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure>;
    /// Try again at `again`, or never.
    async fn mail_failed(
        &self,
        mail: i64,
        why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure>;
}
