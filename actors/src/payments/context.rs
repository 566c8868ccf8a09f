//! What all payment services share: stores and clients, caches, the job queue, and the execution of
//! draw commands for an order. The lines of an order are processed in ascending draw number.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{
    AllocationAuthority, Command, DrawId, OrderId, OrderState, PaymentIntentId, Refusal,
    Reservation, ReservationSource,
};
use persistence::ledger::AttachedWrite;
use persistence::records::audit::AuditEntry;
use persistence::stores::OrderRecord;
use persistence::{Failure, PaymentStores};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::confirmed_intents::ConfirmedIntents;
use super::foreign_payments::ClubAccounts;
use super::job_queue::{JobKey, KeyedJobQueue};
use crate::{Clock, CommandOutcome, Denied, Draws, EngineMetrics, Gateway, PaymentFailure};

/// Delays between attempts while a draw's actor is being rebuilt. After the last attempt the call
/// fails with `Unavailable`.
const DRAW_RETRY_DELAYS: [Duration; 3] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(800),
];

/// Largest number of entries in each of the two maps of an [`OrderIndex`].
const ENTRIES_PER_INDEX_GENERATION_MAX: usize = 50_000;

/// Everything a payment service needs. One per engine, shared by all services and workers.
pub(crate) struct PaymentContext {
    pub(crate) draws: Draws,
    pub(crate) store: Arc<dyn PaymentStores>,
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) jobs: KeyedJobQueue,
    pub(crate) index: OrderIndex,
    pub(crate) club_accounts: ClubAccounts,
    pub(crate) confirmed_intents: ConfirmedIntents,
    pub(crate) wakeups: WorkerWakeups,
    /// Number of attempts to confirm a payment since this process started. Makes the key of each
    /// attempt unique.
    pub(crate) confirmation_attempts: AtomicU64,
    pub(crate) metrics: EngineMetrics,
}

/// Wakes a worker as soon as it has work, so that the worker needs to poll only rarely.
#[derive(Default)]
pub(crate) struct WorkerWakeups {
    pub(crate) operations: Notify,
    pub(crate) mail: Notify,
    pub(crate) webhook_events: Notify,
}

/// Payment work that could not be completed now. The completed part is stored, and a later call
/// continues with the rest.
#[derive(Debug)]
pub(crate) struct Deferred;

impl From<Failure> for Deferred {
    fn from(failure: Failure) -> Deferred {
        tracing::warn!(%failure, "payment work deferred: database error");
        Deferred
    }
}

impl From<Deferred> for PaymentFailure {
    fn from(_: Deferred) -> PaymentFailure {
        PaymentFailure::Unavailable
    }
}

/// Logs a database error and converts it for the caller.
pub(super) fn unavailable(failure: Failure) -> PaymentFailure {
    Deferred::from(failure).into()
}

impl PaymentContext {
    /// Runs `work` after all earlier work of the same order. The work is completed even when the
    /// caller stops waiting.
    pub(crate) fn run_for_order<T: Send + 'static>(
        &self,
        order: OrderId,
        work: impl Future<Output = Result<T, PaymentFailure>> + Send + 'static,
    ) -> impl Future<Output = Result<T, PaymentFailure>> + Send {
        let result = self.jobs.run_job(JobKey::Order(order), work);
        async move { result.await.unwrap_or(Err(PaymentFailure::Unavailable)) }
    }

    /// Reads an order from the database.
    ///
    /// # Errors
    /// `OrderUnknown`, or `Unavailable` if the database could not be read.
    pub(super) async fn load_order(&self, order: OrderId) -> Result<OrderRecord, PaymentFailure> {
        match self.store.order(order).await {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(PaymentFailure::OrderUnknown),
            Err(failure) => {
                tracing::warn!(%failure, order.id = %order, "order could not be read: database error");
                Err(PaymentFailure::Unavailable)
            }
        }
    }

    /// Executes a command on a draw, and retries while the draw is being rebuilt. Commands are
    /// idempotent, so a retry is safe.
    pub(crate) async fn execute(
        &self,
        draw: DrawId,
        command: Command,
        attached_write: Option<AttachedWrite>,
    ) -> Result<CommandOutcome, Denied> {
        self.execute_audited(draw, command, attached_write, &mut None)
            .await
    }

    /// Executes a command on a draw for a person's action, and retries while the draw is being
    /// rebuilt. The first commit writes `audit_entry` to the audit log. The option is then set to
    /// `None`, so that the entry is written once.
    pub(crate) async fn execute_audited(
        &self,
        draw: DrawId,
        command: Command,
        attached_write: Option<AttachedWrite>,
        audit_entry: &mut Option<AuditEntry>,
    ) -> Result<CommandOutcome, Denied> {
        let draws = audit_entry.as_ref().map_or_else(
            || self.draws.clone(),
            |entry| self.draws.with_audit_entry(entry.clone()),
        );
        let answer = retry_while_unavailable(|| {
            draws.execute(draw, command.clone(), attached_write.clone())
        })
        .await;
        if answer.as_ref().is_ok_and(|committed| committed.written) {
            *audit_entry = None;
        }
        answer
    }

    /// Reserves tickets and counts them against the quota of `source`.
    pub(super) async fn reserve(
        &self,
        source: Option<ReservationSource>,
        draw: DrawId,
        reserve: Command,
        attached_write: Option<AttachedWrite>,
    ) -> Result<CommandOutcome, Denied> {
        let draws = self.draws.with_reservation_source(source);
        retry_while_unavailable(|| draws.execute(draw, reserve.clone(), attached_write.clone()))
            .await
    }

    /// Returns the order's active reservation in a draw.
    pub(super) async fn current_reservation(
        &self,
        draw: DrawId,
        order: OrderId,
    ) -> Result<Option<Reservation>, Denied> {
        retry_while_unavailable(|| self.draws.current_reservation(draw, order)).await
    }

    /// Allocates all tickets of an authorised order.
    ///
    /// `Ok(Ok(true))`: this call certainly made the commit that stored the order's capture
    /// operation. The value is always `false` for an order of several lines: another node may have
    /// taken back the tickets of one line meanwhile. Then the last commit stores no operation.
    /// `Ok(Err(refusal))`: a draw refused. The caller must return the tickets of the other lines.
    pub(super) async fn allocate_tickets(
        &self,
        record: &mut OrderRecord,
        authority: AllocationAuthority,
        audit_entry: &mut Option<AuditEntry>,
    ) -> Result<Result<bool, Refusal>, Deferred> {
        let order = record.order.id;
        let authorised_at = record.authorised_at.unwrap_or_else(|| self.clock.now());
        let mut tickets = Vec::new();
        let mut is_new = false;
        let started_at = Instant::now();
        for line in record.order.lines.clone() {
            let command = Command::Allocate {
                order,
                count: line.count,
                unit_price: line.unit_price,
                authority,
            };
            let attached_write = Some(AttachedWrite::Authorised {
                order,
                at: authorised_at,
            });
            match self
                .execute_audited(line.draw, command, attached_write, audit_entry)
                .await
            {
                Ok(committed) => {
                    is_new = committed.written;
                    if let (true, Some(allocation)) = (is_new, &committed.allocation) {
                        self.metrics.add_tickets_sold(allocation.serials.len());
                    }
                    tickets.extend(
                        committed
                            .allocation
                            .map(|allocation| (line.draw, allocation)),
                    );
                }
                Err(Denied::Refused(refusal)) => return Ok(Err(refusal)),
                Err(Denied::NoSuchDraw) => return Ok(Err(Refusal::DrawClosed)),
                Err(denied @ (Denied::Unavailable | Denied::Paused)) => {
                    tracing::warn!(%denied, order.id = %order, draw.id = %line.draw, "allocation deferred: draw unavailable");
                    return Err(Deferred);
                }
            }
        }
        if is_new {
            self.metrics
                .allocations
                .record_duration(started_at.elapsed());
        }
        let has_one_line = record.order.lines.len() == 1;
        record.authorised_at = Some(authorised_at);
        record.order.state = OrderState::Allocated;
        record.order.application_fee = tickets.iter().map(|(_, allocation)| allocation.fee).sum();
        record.tickets = tickets
            .into_iter()
            .map(|(draw, allocation)| (draw, allocation.serials))
            .collect();
        Ok(Ok(is_new && has_one_line))
    }

    /// Takes back the order's tickets and reservations in all of its draws.
    pub(super) async fn return_tickets(&self, record: &OrderRecord) -> Result<(), Deferred> {
        self.return_tickets_audited(record, &mut None).await
    }

    /// Takes back the order's tickets and reservations in all of its draws, for a person's action.
    /// The first commit writes `audit_entry` to the audit log (see [`Self::execute_audited`]).
    pub(super) async fn return_tickets_audited(
        &self,
        record: &OrderRecord,
        audit_entry: &mut Option<AuditEntry>,
    ) -> Result<(), Deferred> {
        let (order, charged) = (&record.order, record.captured_at.is_some());
        for line in &order.lines {
            for command in [
                Command::Void {
                    order: order.id,
                    charged,
                },
                Command::Release { order: order.id },
            ] {
                match self
                    .execute_audited(line.draw, command, None, audit_entry)
                    .await
                {
                    Ok(_) | Err(Denied::NoSuchDraw) => {}
                    Err(denied) => {
                        tracing::warn!(%denied, order.id = %order.id, draw.id = %line.draw, "return of tickets deferred: draw unavailable");
                        return Err(Deferred);
                    }
                }
            }
        }
        Ok(())
    }
}

async fn retry_while_unavailable<T, F>(mut call: impl FnMut() -> F) -> Result<T, Denied>
where
    F: Future<Output = Result<T, Denied>>,
{
    let mut delays = DRAW_RETRY_DELAYS.into_iter();
    loop {
        match (call().await, delays.next()) {
            (Err(Denied::Unavailable), Some(delay)) => tokio::time::sleep(delay).await,
            (answer, _) => return answer,
        }
    }
}

/// Caches which order a payment intent or a client key belongs to. This assignment never changes,
/// so a cached entry is always valid.
#[derive(Default)]
pub(crate) struct OrderIndex {
    generations: Mutex<IndexGenerations>,
}

/// The two maps of an [`OrderIndex`], which limit its size. When the newer map is full, it replaces
/// the older map, whose entries are dropped.
#[derive(Default)]
struct IndexGenerations {
    newer: BTreeMap<IndexKey, OrderId>,
    older: BTreeMap<IndexKey, OrderId>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum IndexKey {
    Intent(PaymentIntentId),
    Client(String),
}

impl OrderIndex {
    fn generations(&self) -> MutexGuard<'_, IndexGenerations> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert_intent(&self, id: &PaymentIntentId, order: OrderId) {
        self.generations()
            .insert(IndexKey::Intent(id.clone()), order);
    }

    pub(crate) fn order_of_intent(&self, id: &PaymentIntentId) -> Option<OrderId> {
        self.generations().find(&IndexKey::Intent(id.clone()))
    }

    pub(crate) fn insert_client_key(&self, client_key: &str, order: OrderId) {
        self.generations()
            .insert(IndexKey::Client(client_key.into()), order);
    }

    /// Whether this process has seen an order with the client key. If not, only the database knows.
    pub(crate) fn has_client_key(&self, client_key: &str) -> bool {
        self.generations()
            .find(&IndexKey::Client(client_key.into()))
            .is_some()
    }
}

impl IndexGenerations {
    fn insert(&mut self, key: IndexKey, order: OrderId) {
        if self.newer.len() >= ENTRIES_PER_INDEX_GENERATION_MAX {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, order);
    }

    fn find(&self, key: &IndexKey) -> Option<OrderId> {
        self.newer.get(key).or_else(|| self.older.get(key)).copied()
    }
}
