//! The draws' ledger, the payment stores and the node list in memory, for simulations.
//!
//! They enforce the same rules as the Postgres stores. They use no clock and no randomness, and can
//! return injected faults. All collections are ordered, so that the same calls have the same
//! results.

use std::sync::{Arc, Mutex, MutexGuard};

use domain::draw::DrawSnapshot;
use domain::{AccountId, ClubId, Draw, DrawId, Serial, Timestamp};

use crate::error::Failure;
use crate::ledger::{ClaimedDraw, DrawCommit};
use crate::nodes::InstanceId;
use crate::stores::{AnomalyRecord, Operation, OrderRecord};

mod anomalies;
mod anomaly_store;
mod draws;
mod ledger;
mod nodes;
mod operations;
mod order_store;
mod orders;
mod outbox;
mod outbox_store;
mod payment_operation_store;
mod reconciliation_store;
mod refunds;
mod repairs;
mod webhook_event_store;
mod webhook_events;

pub use operations::OperationState;
pub use outbox::QueuedMail;
pub use refunds::Refund;
pub use webhook_events::ProviderSnapshot;

/// A call to the memory store. The fault injector gets it and decides whether the call fails.
#[derive(Clone, Copy, Debug)]
pub enum MemoryCall<'a> {
    Append(&'a [DrawCommit]),
    Claim(&'a [DrawId]),
    /// A writing method of a payment store or of the node list. The text is the method's fixed
    /// label, by which tests recognise the call.
    Write(&'static str),
    /// A reading method of a store. The text is the method's fixed label, as for `Write`.
    Read(&'static str),
}

/// The fault injected into one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryFault {
    #[default]
    None,
    /// Nothing is written, and the caller gets [`Failure::NotWritten`].
    NotWritten,
    /// The write happens, but the caller gets an error with an unknown outcome.
    UnknownWritten,
    /// Nothing is written, and the caller gets an error with an unknown outcome.
    UnknownNotWritten,
}

/// All stores in memory. Clones share their data, as processes share one database.
#[derive(Clone, Default)]
pub struct MemoryStores {
    state: Arc<Mutex<MemoryState>>,
    hooks: Arc<Mutex<TestHooks>>,
}

type FaultInjector = Box<dyn FnMut(MemoryCall<'_>) -> MemoryFault + Send>;

#[derive(Default)]
struct TestHooks {
    fault: Option<FaultInjector>,
    clock: Option<Box<dyn Fn() -> Timestamp + Send>>,
}

#[derive(Clone, Default)]
struct MemoryState {
    nodes: nodes::NodeList,
    draws: draws::Draws,
    orders: orders::Orders,
    operations: operations::Operations,
    refunds: refunds::Refunds,
    webhook_events: webhook_events::WebhookEvents,
    anomalies: anomalies::Anomalies,
    outbox: outbox::Outbox,
    repairs: repairs::Repairs,
    clubs: std::collections::BTreeMap<ClubId, AccountId>,
}

impl MemoryStores {
    pub fn new() -> MemoryStores {
        MemoryStores::default()
    }

    /// Returns a copy of the current data, as a backup would hold it.
    #[must_use]
    pub fn backup(&self) -> MemoryStores {
        MemoryStores {
            state: Arc::new(Mutex::new(self.state().clone())),
            hooks: Arc::default(),
        }
    }

    /// Sets the function that chooses the fault of each call. Replaces a function set before.
    pub fn set_faults(&self, fault: impl FnMut(MemoryCall<'_>) -> MemoryFault + Send + 'static) {
        self.lock_hooks().fault = Some(Box::new(fault));
    }

    pub fn clear_faults(&self) {
        self.lock_hooks().fault = None;
    }

    /// Sets the database's clock, which decides when sales close (rule 5 of the decisions). Without
    /// a clock, the store uses the time given by the writer.
    pub fn set_clock(&self, now: impl Fn() -> Timestamp + Send + 'static) {
        self.lock_hooks().clock = Some(Box::new(now));
    }

    /// Adds a draw in the given state. Any state is accepted.
    pub fn add_draw(&self, snapshot: DrawSnapshot) {
        self.state().draws.add(snapshot);
    }

    pub fn add_club(&self, club: ClubId, account: AccountId) {
        self.state().clubs.insert(club, account);
    }

    /// Takes a draw from its owner although the owner's lease has not ended. Real processes cannot
    /// do this. Tests use it to check that the former owner's writes are fenced.
    pub fn remove_owner_despite_lease(&self, draw: DrawId) -> Option<ClaimedDraw> {
        self.state()
            .draws
            .get_mut(draw)
            .map(|row| row.change_owner(None))
    }

    /// Clears the flag that the draw was revealed. Tests use it to check that a wrong flag is
    /// detected.
    pub fn clear_revealed_flag(&self, draw: DrawId) {
        if let Some(row) = self.state().draws.get_mut(draw) {
            row.base.revealed = false;
        }
    }

    /// Ends the lease of every node.
    pub fn end_all_node_leases(&self) {
        self.state().nodes.end_all_leases();
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        // A poisoned lock is ignored, so that the first panic of a test is the one reported.
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn lock_hooks(&self) -> MutexGuard<'_, TestHooks> {
        self.hooks
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn choose_fault(&self, call: MemoryCall<'_>) -> MemoryFault {
        self.lock_hooks()
            .fault
            .as_mut()
            .map_or(MemoryFault::None, |fault| fault(call))
    }

    /// Returns the database's time. `None` means that no clock is set and the writer's time counts.
    fn now(&self) -> Option<Timestamp> {
        self.lock_hooks().clock.as_ref().map(|clock| clock())
    }

    fn read_state<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&MemoryState) -> T,
    ) -> Result<T, Failure> {
        match self.choose_fault(MemoryCall::Read(name)) {
            MemoryFault::None => Ok(read(&self.state())),
            _ => Err(Failure::NotWritten("fault on demand".into())),
        }
    }

    fn write_state<T>(
        &self,
        call: MemoryCall<'_>,
        write: impl FnOnce(&mut MemoryState) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let unknown = || Failure::Unknown("fault on demand".into());
        match self.choose_fault(call) {
            MemoryFault::None => write(&mut self.state()),
            MemoryFault::NotWritten => Err(Failure::NotWritten("fault on demand".into())),
            MemoryFault::UnknownWritten => write(&mut self.state()).and(Err(unknown())),
            MemoryFault::UnknownNotWritten => Err(unknown()),
        }
    }
}

/// Queries for audits of a simulation.
impl MemoryStores {
    /// Returns the stored state of every draw, ascending by number.
    pub fn draws(&self) -> Vec<Draw> {
        self.state()
            .draws
            .all()
            .map(|row| Draw::restore(row.snapshot()))
            .collect()
    }

    /// Returns the stored state of one draw.
    pub fn draw(&self, id: DrawId) -> Option<Draw> {
        // The snapshot is copied and the store's lock released before `Draw::restore` checks the
        // draw, because that check may panic.
        let snapshot = self.state().draws.get(id).map(draws::MemoryDraw::snapshot);
        snapshot.map(Draw::restore)
    }

    /// Returns the node that owns a draw, if the node's lease has not ended.
    pub fn owner(&self, draw: DrawId) -> Option<InstanceId> {
        let now = self.now();
        let state = self.state();
        let owner = state.draws.get(draw)?.owner?;
        state
            .nodes
            .find_living_node(owner, now)
            .map(|node| node.boot)
    }

    /// Returns whether any payment operation ever had this idempotency key.
    pub fn has_operation_key(&self, key: &str) -> bool {
        self.state().operations.has_operation_key(key)
    }

    /// Replays each draw's journal from the state in which the draw was added. The result must
    /// equal [`MemoryStores::draws`].
    pub fn replayed_draws(&self) -> Vec<Draw> {
        self.state()
            .draws
            .all()
            .map(draws::MemoryDraw::replay)
            .collect()
    }

    /// Returns a draw's sold tickets, each with its time of sale by the database's clock.
    pub fn sale_times(&self, draw: DrawId) -> Vec<(Serial, Timestamp)> {
        self.state()
            .draws
            .get(draw)
            .map(|row| row.tickets.iter().map(|(s, t)| (*s, t.sold_at)).collect())
            .unwrap_or_default()
    }

    /// Returns every order, ascending by id.
    pub fn orders(&self) -> Vec<OrderRecord> {
        self.state()
            .orders
            .all()
            .map(|row| row.record.clone())
            .collect()
    }

    /// Returns every mail that was ever queued, oldest first.
    pub fn mails(&self) -> Vec<QueuedMail> {
        self.state().outbox.all().cloned().collect()
    }

    /// Returns every payment operation that was ever written, oldest first, with its state.
    pub fn operations(&self) -> Vec<(Operation, OperationState)> {
        self.state().operations.all().collect()
    }

    pub fn refunds(&self) -> Vec<Refund> {
        self.state().refunds.all().cloned().collect()
    }

    pub fn anomaly_records(&self) -> Vec<AnomalyRecord> {
        self.state().anomalies.all().cloned().collect()
    }

    /// Returns the newest provider snapshot of each payment intent.
    pub fn provider_snapshots(&self) -> Vec<ProviderSnapshot> {
        self.state()
            .webhook_events
            .provider_snapshots()
            .cloned()
            .collect()
    }
}
