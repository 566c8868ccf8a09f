//! Payment operations: calls to the payment provider, stored before they are tried.

use async_trait::async_trait;
use domain::{Cents, DrawId, OrderId, PaymentIntentId, Timestamp};

use crate::error::Failure;

/// The kind of a call to the payment provider. It is stored before the call, and its outcome after
/// it (architecture invariant A10).
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
    /// Returns the key of the operation that a commit of an order writes itself, if it writes one
    /// of this kind. The process that made the commit may try the operation at once under this
    /// key, without claiming it, for [`FAST_PATH_MS`].
    pub fn first_key(self, order: OrderId) -> Option<String> {
        match self {
            OperationKind::Create => Some(format!("create-{order}-1")),
            OperationKind::Capture => Some(format!("cap-{order}")),
            OperationKind::Cancel => Some(format!("cancel-{order}")),
            OperationKind::Update | OperationKind::Refund | OperationKind::FeeRefund => None,
        }
    }
}

/// How long only the process that wrote a new operation tries it, in milliseconds. Afterwards any
/// worker may claim it.
pub const FAST_PATH_MS: i64 = 2_000;

/// A claimed call to the payment provider.
#[derive(Clone, Debug)]
pub struct Operation {
    pub id: i64,
    pub order: OrderId,
    pub kind: OperationKind,
    /// The provider's idempotency key, the same for every attempt.
    pub key: String,
    /// The amount of a refund or fee refund.
    pub amount: Option<Cents>,
    /// The number of claims so far, including this one.
    pub attempts: u32,
}

/// The outcome of an attempt to carry out an operation.
#[derive(Clone, Debug)]
pub enum Attempt {
    Done,
    /// Try again at `at`. `new_key` is set when the provider cached a failure under the old key.
    /// Ignored when a later attempt than number `attempts` has been claimed since.
    Again {
        attempts: u32,
        at: Timestamp,
        new_key: Option<String>,
    },
    /// The operation can never succeed.
    Failed {
        why: String,
    },
}

/// An operator's decision about a payment that belongs to no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Allocate the tickets that the payment names.
    Tickets,
    /// Refund the payment.
    Return,
}

/// How long a repair that never reported its end blocks a repair of the other kind, in
/// milliseconds. Longer than all provider calls of one repair take.
pub const REPAIR_MS: i64 = 300_000;

/// Stores calls to the payment provider, refunds, and operators' repairs.
///
/// # Errors
/// Every method returns [`Failure::NotWritten`] when the database certainly changed nothing, and
/// [`Failure::Unknown`] when a write may or may not have happened.
#[async_trait]
pub trait PaymentOperationStore: Send + Sync {
    /// Claims due operations for `lease_ms`, captures first, then oldest first. Skips operations
    /// that another worker is claiming.
    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure>;
    /// Claims the oldest pending operation of a kind of one order, if it is due or was never
    /// tried. This is the fast path after a commit.
    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Operation>, Failure>;
    /// Records the outcome of an attempt.
    async fn record_attempt(&self, operation: i64, attempt: Attempt) -> Result<(), Failure>;

    /// Returns what voiding this order's tickets took off its draws' application fees, as a
    /// positive amount. The caller reads it after the voids, so that an interrupted refund still
    /// returns the right part.
    async fn fee_returned(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Returns how much of this order's application fee was refunded so far: the sum of its fee
    /// refunds that are done. One order's fee may pay for several refunds, so the provider's total
    /// does not show which of them are done.
    async fn fee_refunded(&self, order: OrderId) -> Result<Cents, Failure>;
    /// Queues a `refund` operation of `amount` and voids the order in the same transaction, so that
    /// no node gives it tickets any more. A repeated call changes nothing.
    ///
    /// For a captured order, `fee` is only recorded (see
    /// [`fee_returned`](PaymentOperationStore::fee_returned)), and
    /// [`queue_fee_refunds`](PaymentOperationStore::queue_fee_refunds) returns it. For any other
    /// order no draw holds a fee, so a `fee_refund` of `fee` is queued here.
    async fn queue_refund(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure>;

    /// Returns the draws whose orders hold more application fee than the draw's fee ledger says is
    /// due.
    async fn fees_owed(&self) -> Result<Vec<DrawId>, Failure>;
    /// Queues `fee_refund` operations for the application fee that a draw owes (decision D-3).
    ///
    /// They go to the captured orders that hold some of it: refunded orders first, then the
    /// earliest captured. Fees that captures in flight hold are returned by a later call. A
    /// repeated call changes nothing.
    async fn queue_fee_refunds(&self, draw: DrawId) -> Result<(), Failure>;

    /// Starts or continues an operator's repair of a payment. Only one kind of repair runs at a
    /// time, on any node: for [`REPAIR_MS`], or until it ends. Returns `false` while the other
    /// kind runs.
    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        at: Timestamp,
    ) -> Result<bool, Failure>;
    /// Records that a repair ended, so that the other kind may start.
    async fn end_repair(&self, id: &PaymentIntentId, repair: Repair) -> Result<(), Failure>;
}
