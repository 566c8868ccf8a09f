//! The store for payment operations: calls to the payment provider, which are stored before they
//! are tried.

use async_trait::async_trait;
use domain::{Cents, DrawId, OrderId, PaymentIntentId, ProviderRefund, Timestamp};

use crate::error::Failure;

/// The kind of a call to the payment provider. Each call is stored before it is made, and its
/// outcome is stored afterwards (architecture invariant A10).
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
    /// Returns the idempotency key of an order's first operation of this kind, if a draw commit
    /// queues that operation. `None` for other kinds. For [`FAST_PATH_EXCLUSIVE_MS`] after the
    /// commit, the process that wrote it may try the operation under this key without a claim.
    pub fn first_idempotency_key(self, order: OrderId) -> Option<String> {
        match self {
            OperationKind::Create => Some(format!("create-{order}-1")),
            OperationKind::Capture => Some(format!("cap-{order}")),
            OperationKind::Cancel => Some(format!("cancel-{order}")),
            OperationKind::Update | OperationKind::Refund | OperationKind::FeeRefund => None,
        }
    }
}

/// Time during which only the process that queued an operation may try it, in milliseconds.
/// Afterwards any worker may claim the operation.
pub const FAST_PATH_EXCLUSIVE_MS: i64 = 2_000;

/// A call to the payment provider that a worker has claimed.
#[derive(Clone, Debug)]
pub struct Operation {
    pub id: i64,
    pub order: OrderId,
    pub kind: OperationKind,
    /// The idempotency key for the provider. Every attempt uses this key, until
    /// [`AttemptOutcome::Again`] replaces it.
    pub key: String,
    /// The amount to refund. `None` for an operation that refunds nothing.
    pub amount: Option<Cents>,
    /// How often the operation was claimed so far, including the current claim.
    pub attempts: u32,
}

/// The outcome of an attempt to carry out an operation.
#[derive(Clone, Debug)]
pub enum AttemptOutcome {
    Done,
    /// Try the operation again at the time `at`. `new_key` replaces the idempotency key, if the
    /// provider cached a failure under the old key. This outcome is ignored if the operation was
    /// claimed again after attempt number `attempts`.
    Again {
        attempts: u32,
        at: Timestamp,
        new_key: Option<String>,
        /// Why the provider refused the attempt, if the operation waits for more than a failure to
        /// pass. The text is stored for the operator.
        why: Option<String>,
    },
    /// The operation can never succeed, and is not tried again.
    Failed {
        why: String,
    },
}

/// How an operator repairs a payment that belongs to no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentRepair {
    /// Allocate the tickets that the payment's metadata names.
    Tickets,
    /// Refund the payment to the buyer.
    Return,
}

/// Time after which an operator's repair of a payment whose end was never recorded no longer
/// blocks a repair of the other kind (tickets or refund), in milliseconds. It exceeds the duration of all provider calls of one repair.
pub const REPAIR_BLOCK_MS: i64 = 300_000;

/// Stores calls to the payment provider, refunds, and operators' repairs.
///
/// # Errors
///
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait PaymentOperationStore: Send + Sync {
    /// Claims due operations for `lease_ms` milliseconds: captures first, then oldest first. Skips
    /// operations that another worker is claiming.
    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure>;
    /// Claims the oldest pending operation of a kind for one order, if it is due or was never
    /// tried. Used right after a commit, to make the call without waiting for a worker.
    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Operation>, Failure>;
    /// Records the outcome of an attempt at an operation.
    async fn record_attempt(&self, operation: i64, attempt: AttemptOutcome) -> Result<(), Failure>;

    /// Returns by how much voiding this order's tickets reduced the application fees of its draws,
    /// as a positive amount. The amount is read from the database after the voids. So a refund that
    /// was interrupted uses the right amount when it continues.
    async fn fee_to_refund_for_voided_tickets(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Returns how much of this order's application fee was refunded so far: the sum of its fee
    /// refunds that are done. The refunded total that the provider reports is not enough, because
    /// one order's fee may be refunded for several other orders.
    async fn fee_refunded_so_far(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Queues a `refund` operation of `amount` and voids the order in the same transaction, so that
    /// no node gives tickets to the order any more. A repeated call changes nothing.
    ///
    /// For a captured order, `fee` is only recorded (see
    /// [`fee_to_refund_for_voided_tickets`](PaymentOperationStore::fee_to_refund_for_voided_tickets)), and
    /// [`queue_fee_refunds`](PaymentOperationStore::queue_fee_refunds) refunds it later. Any other
    /// order adds nothing to a draw's fee, so this call queues a `fee_refund` of `fee`.
    async fn queue_refund(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure>;

    /// Stores the status of an order's refund at the provider, and returns whether it was new.
    /// Does nothing if no refund of the order is queued, if the refund cannot have this status
    /// after the stored one ([`domain::RefundStatus::may_become`]), or if it is another refund
    /// while the stored one has not failed.
    ///
    /// While the refund is pending, the buyer is not shown as refunded. A refund that failed is
    /// owed again: an ended `refund` operation becomes failed, so that an operator can retry it.
    ///
    /// The same transaction queues mails: to the buyer `refund-pending`, `refunded` or
    /// `refund-failed`, and of a failed refund `refund-failed-operator` to every operator.
    async fn record_refund_status(
        &self,
        order: OrderId,
        refund: &ProviderRefund,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Returns the orders whose refund the provider has accepted but not completed, oldest refund
    /// first.
    async fn orders_with_pending_refunds(&self, limit: u32) -> Result<Vec<OrderId>, Failure>;

    /// Returns the draws whose orders hold more application fee than the draw's fee ledger says is
    /// due. The excess must be refunded to the club.
    async fn draws_owing_fee_refunds(&self) -> Result<Vec<DrawId>, Failure>;
    /// Queues `fee_refund` operations for the application fee that a draw must refund (decision
    /// D-3).
    ///
    /// The operations refund the fee of captured orders that hold some of it: refunded orders
    /// first, then the earliest captured. The fee of orders whose capture is still pending is left
    /// to a later call. A repeated call changes nothing.
    async fn queue_fee_refunds(&self, draw: DrawId) -> Result<(), Failure>;

    /// Starts or continues an operator's repair of a payment. On all nodes together, only one kind
    /// of repair of a payment runs at a time, until it ends or [`REPAIR_BLOCK_MS`] have passed.
    /// Returns `false` while the other kind of repair runs.
    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: PaymentRepair,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Records that a repair has ended, so that a repair of the other kind may start.
    async fn end_repair(&self, id: &PaymentIntentId, repair: PaymentRepair) -> Result<(), Failure>;
}
