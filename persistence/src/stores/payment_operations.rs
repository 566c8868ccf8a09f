//! The store for payment operations: calls to the payment provider, which are stored before they
//! are tried.

use async_trait::async_trait;
use domain::{Cents, DrawId, OrderId, PaymentIntentId, Timestamp};

use crate::error::Failure;

/// The kind of a call to the payment provider. A call is stored before it is made, and its outcome
/// afterwards (architecture invariant A10).
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
    /// Returns the key of the first operation of this kind for an order, if a commit of the order
    /// writes that operation. `None` for the other kinds. The process that made the commit may try
    /// the operation at once under this key, without a claim, for [`FAST_PATH_MS`].
    pub fn first_key(self, order: OrderId) -> Option<String> {
        match self {
            OperationKind::Create => Some(format!("create-{order}-1")),
            OperationKind::Capture => Some(format!("cap-{order}")),
            OperationKind::Cancel => Some(format!("cancel-{order}")),
            OperationKind::Update | OperationKind::Refund | OperationKind::FeeRefund => None,
        }
    }
}

/// How long a new operation may be tried only by the process that wrote it, in milliseconds.
/// Afterwards any worker may claim the operation.
pub const FAST_PATH_MS: i64 = 2_000;

/// A call to the payment provider that a worker has claimed.
#[derive(Clone, Debug)]
pub struct Operation {
    pub id: i64,
    pub order: OrderId,
    pub kind: OperationKind,
    /// The idempotency key for the provider. It is the same for every attempt, until
    /// [`Attempt::Again`] replaces it.
    pub key: String,
    /// The amount to refund. `None` for an operation that refunds nothing.
    pub amount: Option<Cents>,
    /// How often the operation was claimed so far, including this time.
    pub attempts: u32,
}

/// The outcome of an attempt to carry out an operation.
#[derive(Clone, Debug)]
pub enum Attempt {
    Done,
    /// Try the operation again at the time `at`. `new_key` replaces the idempotency key, if the
    /// provider cached a failure under the old key. Ignored if an attempt after number `attempts`
    /// has been claimed meanwhile.
    Again {
        attempts: u32,
        at: Timestamp,
        new_key: Option<String>,
    },
    /// The operation can never succeed, and is not tried again.
    Failed {
        why: String,
    },
}

/// How an operator repairs a payment that belongs to no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Allocate the tickets that the payment's metadata names.
    Tickets,
    /// Refund the payment to the buyer.
    Return,
}

/// How long a repair whose end was never recorded blocks a repair of the other kind, in
/// milliseconds. This is longer than all provider calls of one repair take.
pub const REPAIR_MS: i64 = 300_000;

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
    async fn record_attempt(&self, operation: i64, attempt: Attempt) -> Result<(), Failure>;

    /// Returns by how much voiding this order's tickets reduced the application fees of its draws,
    /// as a positive amount. The caller reads it after the voids. So a refund that was interrupted
    /// still returns the right amount when it continues.
    async fn fee_returned(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Returns how much of this order's application fee was refunded so far: the sum of its fee
    /// refunds that are done. The provider's total is not enough, because one order's fee may be
    /// refunded for several other orders.
    async fn fee_refunded(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Queues a `refund` operation of `amount` and voids the order in the same transaction, so that
    /// no node gives tickets to the order any more. A repeated call changes nothing.
    ///
    /// For a captured order, `fee` is only recorded (see
    /// [`fee_returned`](PaymentOperationStore::fee_returned)), and
    /// [`queue_fee_refunds`](PaymentOperationStore::queue_fee_refunds) refunds it later. Any other
    /// order adds nothing to a draw's fee, so this call queues a `fee_refund` of `fee`.
    async fn queue_refund(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure>;

    /// Returns the draws whose orders hold more application fee than the draw's fee ledger says is
    /// due. The excess must be refunded.
    async fn fees_owed(&self) -> Result<Vec<DrawId>, Failure>;
    /// Queues `fee_refund` operations for the application fee that a draw must refund (decision
    /// D-3).
    ///
    /// They refund the fee of captured orders that hold some of it: refunded orders first, then the
    /// earliest captured. A later call refunds the fee of orders whose capture is pending now. A
    /// repeated call changes nothing.
    async fn queue_fee_refunds(&self, draw: DrawId) -> Result<(), Failure>;

    /// Starts or continues an operator's repair of a payment. Only one kind of repair runs at a
    /// time, on any node, until it ends or [`REPAIR_MS`] have passed. Returns `false` while the
    /// other kind of repair runs.
    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Records that a repair has ended, so that a repair of the other kind may start.
    async fn end_repair(&self, id: &PaymentIntentId, repair: Repair) -> Result<(), Failure>;
}
