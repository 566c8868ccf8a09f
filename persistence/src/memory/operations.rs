//! The payment operations of the memory store.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Cents, OrderId, RefundFailure, Timestamp};

use crate::error::Failure;
use crate::ledger::DrawCommit;
use crate::stores::{AttemptOutcome, FAST_PATH_EXCLUSIVE_MS, Operation, OperationKind};

/// The state of a payment operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperationState {
    Pending {
        due_at: Timestamp,
    },
    Done,
    Failed {
        why: String,
    },
    /// The operation is no longer needed. Earlier attempts at it may have been made.
    Dropped,
}

#[derive(Clone, Default)]
pub(super) struct Operations {
    rows: BTreeMap<i64, (Operation, OperationState)>,
    by_order: BTreeMap<OrderId, Vec<i64>>,
    by_key: BTreeMap<String, i64>,
    /// Pending operations in the order in which they are claimed: captures first, then oldest
    /// first.
    pending: BTreeSet<(bool, i64)>,
}

/// The due time of a payment operation that any worker may try at once.
const DUE_NOW: Timestamp = Timestamp(0);

impl Operations {
    pub fn all(&self) -> impl Iterator<Item = (Operation, OperationState)> {
        self.rows.values().cloned()
    }

    pub fn has_operation_key(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// Returns the total amount of the order's operations of a kind that are done.
    pub fn sum_done_amounts(&self, order: OrderId, kind: OperationKind) -> Cents {
        let of_order = self
            .by_order
            .get(&order)
            .into_iter()
            .flatten()
            .map(|id| &self.rows[id]);
        let done = of_order
            .filter(|(operation, state)| operation.kind == kind && *state == OperationState::Done);
        done.filter_map(|(operation, _)| operation.amount).sum()
    }

    pub fn add_create_operation(&mut self, order: OrderId, at: Timestamp) {
        self.put_operation(
            order,
            OperationKind::Create,
            format!("create-{order}-1"),
            None,
            at.plus_ms(FAST_PATH_EXCLUSIVE_MS),
        );
    }

    /// Replaces the order's pending `update` operation after the order's price has changed. Queues
    /// none if the order has no payment intent.
    pub fn replace_update_operation(
        &mut self,
        order: OrderId,
        has_intent: bool,
        append: &DrawCommit,
    ) {
        self.drop_pending_operations(order, &[OperationKind::Update]);
        if has_intent {
            let key = format!("update-{order}-{}-{}", append.draw, append.after + 1);
            self.put_operation(
                order,
                OperationKind::Update,
                key,
                None,
                append.at.plus_ms(FAST_PATH_EXCLUSIVE_MS),
            );
        }
    }

    /// Drops the order's pending `cancel` operation, because a repair gives tickets to the order.
    pub fn drop_pending_cancel_operation(&mut self, order: OrderId) {
        self.drop_pending_operations(order, &[OperationKind::Cancel]);
    }

    pub fn add_capture_operation(&mut self, order: OrderId, at: Timestamp) {
        self.add_or_revive_operation(
            order,
            OperationKind::Capture,
            format!("cap-{order}"),
            at.plus_ms(FAST_PATH_EXCLUSIVE_MS),
        );
    }

    /// Drops the order's pending `capture` operation, because the order's tickets were taken back.
    pub fn drop_capture_operation(&mut self, order: OrderId, rejected: bool, at: Timestamp) {
        self.drop_pending_operations(order, &[OperationKind::Capture]);
        if rejected {
            self.add_cancel_operation(order, at);
        }
    }

    pub fn add_cancel_operation(&mut self, order: OrderId, at: Timestamp) {
        self.add_or_revive_operation(
            order,
            OperationKind::Cancel,
            format!("cancel-{order}"),
            at.plus_ms(FAST_PATH_EXCLUSIVE_MS),
        );
    }

    pub fn add_refund(&mut self, order: OrderId, kind: OperationKind, key: String, amount: Cents) {
        self.put_operation(order, kind, key, Some(amount), DUE_NOW);
    }

    pub fn mark_operations_done(&mut self, order: OrderId, kinds: &[OperationKind]) {
        self.end_pending_operations(order, kinds, OperationState::Done);
    }

    pub fn drop_pending_operations(&mut self, order: OrderId, kinds: &[OperationKind]) {
        self.end_pending_operations(order, kinds, OperationState::Dropped);
    }

    pub fn claim_due_operations(
        &mut self,
        now: Timestamp,
        lease_ms: i64,
        limit: usize,
    ) -> Vec<Operation> {
        let due = |id: &i64| matches!(self.rows[id].1, OperationState::Pending { due_at } if due_at <= now);
        let due = |id: &i64| due(id) && !self.waits_for_earlier_fee_refund(*id);
        let ids: Vec<i64> = self
            .pending
            .iter()
            .map(|(_, id)| *id)
            .filter(due)
            .take(limit)
            .collect();
        ids.into_iter()
            .map(|id| self.lease_operation(id, now.plus_ms(lease_ms)))
            .collect()
    }

    /// Returns whether an earlier fee refund of the same order is still pending. Fee refunds of an
    /// order run one after the other: when a response is lost, only the total refunded shows
    /// whether the refund happened.
    fn waits_for_earlier_fee_refund(&self, id: i64) -> bool {
        let (operation, _) = &self.rows[&id];
        let mut earlier = self.by_order[&operation.order]
            .iter()
            .filter(|operation_before| **operation_before < id)
            .map(|operation_before| &self.rows[operation_before]);
        operation.kind == OperationKind::FeeRefund
            && earlier.any(|(operation_before, state)| {
                operation_before.kind == OperationKind::FeeRefund
                    && matches!(state, OperationState::Pending { .. })
            })
    }

    pub fn claim_operation_of_order(
        &mut self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Option<Operation> {
        let claimable = |id: &&i64| match &self.rows[id] {
            (operation, OperationState::Pending { due_at }) => {
                operation.kind == kind && (operation.attempts == 0 || *due_at <= now)
            }
            _ => false,
        };
        let id = *self.by_order.get(&order)?.iter().find(claimable)?;
        Some(self.lease_operation(id, now.plus_ms(lease_ms)))
    }

    /// Records the outcome of an attempt at a payment operation. Returns the operation if no
    /// further attempt follows.
    pub fn record_attempt_outcome(
        &mut self,
        id: i64,
        attempt: &AttemptOutcome,
    ) -> Result<Option<Operation>, Failure> {
        let (operation, state) = self.rows.get_mut(&id).ok_or(Failure::NotFound)?;
        if !matches!(state, OperationState::Pending { .. }) {
            return Ok(None);
        }
        match attempt {
            AttemptOutcome::Again { attempts, .. } if *attempts != operation.attempts => Ok(None),
            AttemptOutcome::Again { at, new_key, .. } => {
                *state = OperationState::Pending { due_at: *at };
                if let Some(key) = new_key {
                    operation.key.clone_from(key);
                    self.by_key.insert(key.clone(), id);
                }
                Ok(None)
            }
            AttemptOutcome::Done | AttemptOutcome::Failed { .. } => {
                *state = match attempt {
                    AttemptOutcome::Failed { why } => OperationState::Failed { why: why.clone() },
                    _ => OperationState::Done,
                };
                let operation = operation.clone();
                self.pending
                    .remove(&(operation.kind != OperationKind::Capture, id));
                Ok(Some(operation))
            }
        }
    }

    /// Makes the order's ended refund operation say whether its money is refunded. Returns `false`
    /// while the operation is pending, or if there is none.
    pub fn correct_ended_refund(&mut self, order: OrderId, failure: Option<RefundFailure>) -> bool {
        for id in self.by_order.get(&order).into_iter().flatten() {
            let (operation, state) = self.rows.get_mut(id).expect("orders name rows");
            if operation.kind != OperationKind::Refund {
                continue;
            }
            match state {
                OperationState::Pending { .. } => return false,
                OperationState::Dropped => {}
                OperationState::Done | OperationState::Failed { .. } => {
                    *state = match failure {
                        Some(failure) => OperationState::Failed {
                            why: failure.name().into(),
                        },
                        None => OperationState::Done,
                    };
                }
            }
            return true;
        }
        false
    }

    fn put_operation(
        &mut self,
        order: OrderId,
        kind: OperationKind,
        key: String,
        amount: Option<Cents>,
        due_at: Timestamp,
    ) {
        let id = self.rows.len() as i64 + 1;
        self.by_key.insert(key.clone(), id);
        self.by_order.entry(order).or_default().push(id);
        self.pending.insert((kind != OperationKind::Capture, id));
        let operation = Operation {
            id,
            order,
            kind,
            key,
            amount,
            attempts: 0,
        };
        self.rows
            .insert(id, (operation, OperationState::Pending { due_at }));
    }

    /// Adds a pending payment operation. If an operation with this idempotency key exists, it
    /// becomes pending again, unless it is done.
    fn add_or_revive_operation(
        &mut self,
        order: OrderId,
        kind: OperationKind,
        key: String,
        due_at: Timestamp,
    ) {
        let Some(id) = self.by_key.get(&key).copied() else {
            return self.put_operation(order, kind, key, None, due_at);
        };
        let (operation, state) = self.rows.get_mut(&id).expect("keys name rows");
        if matches!(
            state,
            OperationState::Dropped | OperationState::Failed { .. }
        ) {
            operation.attempts = 0;
            *state = OperationState::Pending { due_at };
            self.pending.insert((kind != OperationKind::Capture, id));
        }
    }

    fn end_pending_operations(
        &mut self,
        order: OrderId,
        kinds: &[OperationKind],
        becomes: OperationState,
    ) {
        for id in self.by_order.get(&order).into_iter().flatten() {
            let (operation, state) = self.rows.get_mut(id).expect("orders name rows");
            if kinds.contains(&operation.kind) && matches!(state, OperationState::Pending { .. }) {
                *state = becomes.clone();
                self.pending
                    .remove(&(operation.kind != OperationKind::Capture, *id));
            }
        }
    }

    fn lease_operation(&mut self, id: i64, until: Timestamp) -> Operation {
        let (operation, state) = self.rows.get_mut(&id).expect("claimed from the rows");
        operation.attempts += 1;
        *state = OperationState::Pending { due_at: until };
        operation.clone()
    }
}
