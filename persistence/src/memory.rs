//! Ledger and Books in memory, for simulations: the same rules as the database's, no clock, no randomness, and faults on
//! demand. Everything is ordered, so the same calls give the same answers.

use std::sync::{Arc, Mutex, MutexGuard};

use domain::draw::Snapshot;
use domain::{AccountId, ClubId, Draw, DrawId, Serial, Timestamp};

use crate::books::{AnomalyRecord, Operation, OrderRecord};
use crate::error::Failure;
use crate::ledger::{Append, Claimed};
use crate::nodes::Boot;

mod anomalies;
mod books;
mod draws;
mod ledger;
mod nodes;
mod notices;
mod operations;
mod orders;
mod outbox;
mod refunds;
mod repairs;

pub use notices::Witness;
pub use operations::OperationState;
pub use outbox::QueuedMail;
pub use refunds::Refund;

/// What is asked of the memory, for a fault to be decided on.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    Append(&'a [Append]),
    Claim(&'a [DrawId]),
    /// A method of `Books` that writes, by name.
    Write(&'static str),
    /// A method of `Books` or `Ledger` that only reads, by name.
    Read(&'static str),
}

/// What goes wrong with one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// Not written, and said so.
    NotWritten,
    /// Written, but the answer is lost.
    UnknownWritten,
    /// Not written, and the answer is lost.
    UnknownNotWritten,
}

/// Both books in memory. Clones share them, as processes share a database.
#[derive(Clone, Default)]
pub struct Memory {
    state: Arc<Mutex<State>>,
    fixtures: Arc<Mutex<Fixtures>>,
}

type Decides = Box<dyn FnMut(Call<'_>) -> Fault + Send>;

#[derive(Default)]
struct Fixtures {
    fault: Option<Decides>,
    clock: Option<Box<dyn Fn() -> Timestamp + Send>>,
}

#[derive(Clone, Default)]
struct State {
    nodes: nodes::List,
    draws: draws::Draws,
    orders: orders::Orders,
    operations: operations::Operations,
    refunds: refunds::Refunds,
    notices: notices::Notices,
    anomalies: anomalies::Anomalies,
    outbox: outbox::Outbox,
    repairs: repairs::Repairs,
    clubs: std::collections::BTreeMap<ClubId, AccountId>,
}

impl Memory {
    pub fn new() -> Memory {
        Memory::default()
    }

    /// What a backup of this moment holds: nothing that happens later is in it.
    #[must_use]
    pub fn backup(&self) -> Memory {
        Memory {
            state: Arc::new(Mutex::new(self.state().clone())),
            fixtures: Arc::default(),
        }
    }

    /// Decides what goes wrong, call by call; it replaces the one before.
    pub fn set_faults(&self, fault: impl FnMut(Call<'_>) -> Fault + Send + 'static) {
        self.fixtures().fault = Some(Box::new(fault));
    }

    pub fn clear_faults(&self) {
        self.fixtures().fault = None;
    }

    /// The database's clock, which decides the close (rule 5). Without one it agrees with whoever writes.
    pub fn set_clock(&self, now: impl Fn() -> Timestamp + Send + 'static) {
        self.fixtures().clock = Some(Box::new(now));
    }

    /// A draw somebody created, at revision 0 or anywhere else in its life.
    pub fn add_draw(&self, snapshot: Snapshot) {
        self.state().draws.add(snapshot);
    }

    pub fn add_club(&self, club: ClubId, account: AccountId) {
        self.state().clubs.insert(club, account);
    }

    /// Takes a draw from its owner whatever lease runs: what nobody may do, and every write must survive.
    pub fn steal(&self, draw: DrawId) -> Option<Claimed> {
        self.state()
            .draws
            .get_mut(draw)
            .map(|row| row.taken_by(None))
    }

    /// Ends every lease, as their time would.
    pub fn end_leases(&self) {
        self.state().nodes.end_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere in a test must not hide behind a second one here.
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn fixtures(&self) -> MutexGuard<'_, Fixtures> {
        self.fixtures
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn fault(&self, call: Call<'_>) -> Fault {
        self.fixtures()
            .fault
            .as_mut()
            .map_or(Fault::None, |fault| fault(call))
    }

    /// `None`: as the writer says.
    fn now(&self) -> Option<Timestamp> {
        self.fixtures().clock.as_ref().map(|clock| clock())
    }

    fn reading<T>(&self, name: &'static str, read: impl FnOnce(&State) -> T) -> Result<T, Failure> {
        match self.fault(Call::Read(name)) {
            Fault::None => Ok(read(&self.state())),
            _ => Err(Failure::NotWritten("fault on demand".into())),
        }
    }

    fn writing<T>(
        &self,
        call: Call<'_>,
        write: impl FnOnce(&mut State) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let unknown = || Failure::Unknown("fault on demand".into());
        match self.fault(call) {
            Fault::None => write(&mut self.state()),
            Fault::NotWritten => Err(Failure::NotWritten("fault on demand".into())),
            Fault::UnknownWritten => write(&mut self.state()).and(Err(unknown())),
            Fault::UnknownNotWritten => Err(unknown()),
        }
    }
}

/// What an auditor may look at.
impl Memory {
    /// Every draw as its tables hold it, ascending.
    pub fn draws(&self) -> Vec<Draw> {
        self.state()
            .draws
            .all()
            .map(|row| Draw::restore(row.snapshot()))
            .collect()
    }

    /// One draw as its tables hold it.
    pub fn draw(&self, id: DrawId) -> Option<Draw> {
        // The lock is not held while a draw is checked: that may panic.
        let snapshot = self.state().draws.get(id).map(draws::Row::snapshot);
        snapshot.map(Draw::restore)
    }

    /// The node that owns a draw, while its lease runs.
    pub fn owner(&self, draw: DrawId) -> Option<Boot> {
        let now = self.now();
        let state = self.state();
        let owner = state.draws.get(draw)?.owner?;
        state.nodes.living(owner, now).map(|node| node.boot)
    }

    /// Whether an operation ever had this key.
    pub fn has_key(&self, key: &str) -> bool {
        self.state().operations.has_key(key)
    }

    /// Each draw's journal replayed from its first state: what `draws` must agree with.
    pub fn replayed(&self) -> Vec<Draw> {
        self.state().draws.all().map(draws::Row::replay).collect()
    }

    /// A draw's sold tickets and when the database's clock said they were.
    pub fn sold_at(&self, draw: DrawId) -> Vec<(Serial, Timestamp)> {
        self.state()
            .draws
            .get(draw)
            .map(|row| row.tickets.iter().map(|(s, t)| (*s, t.sold_at)).collect())
            .unwrap_or_default()
    }

    /// Every order, ascending by id.
    pub fn orders(&self) -> Vec<OrderRecord> {
        self.state()
            .orders
            .all()
            .map(|row| row.record.clone())
            .collect()
    }

    /// Every mail ever queued, in order.
    pub fn mails(&self) -> Vec<QueuedMail> {
        self.state().outbox.all().cloned().collect()
    }

    /// Every operation ever written, in order, and how it stands.
    pub fn operations(&self) -> Vec<(Operation, OperationState)> {
        self.state().operations.all().collect()
    }

    pub fn refunds(&self) -> Vec<Refund> {
        self.state().refunds.all().cloned().collect()
    }

    pub fn anomaly_records(&self) -> Vec<AnomalyRecord> {
        self.state().anomalies.all().cloned().collect()
    }

    /// What the reconciler saw last of each payment intent.
    pub fn witnesses(&self) -> Vec<Witness> {
        self.state().notices.witnesses().cloned().collect()
    }
}
