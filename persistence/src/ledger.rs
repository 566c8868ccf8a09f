//! The ledger of draws: the calls that claim a draw, load it and append commits to its journal.
//! Every write names the owner's epoch and the revision it follows.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::draw::DrawSnapshot;
use domain::{
    AccountId, ClubId, Deal, DrawId, Event, Line, OrderId, PaymentIntentId, Timestamp, View,
};

use crate::audit_log::AuditEntry;
use crate::error::Failure;
use crate::nodes::{InstanceId, Node};

/// A draw that this process has claimed: the draw's state, and its new epoch, which fences every
/// earlier owner.
#[derive(Clone, Debug)]
pub struct ClaimedDraw {
    pub epoch: i64,
    pub snapshot: DrawSnapshot,
}

/// The outcome of claiming draws. Both lists ascend by draw number. A requested draw that is in
/// neither list does not exist.
#[derive(Clone, Debug, Default)]
pub struct DrawClaims {
    pub taken: Vec<ClaimedDraw>,
    /// Draws that another node owns and whose lease has not ended.
    pub elsewhere: Vec<DrawOfAnotherNode>,
}

/// A draw that another node owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawOfAnotherNode {
    /// The draw's view, read from its database row.
    pub view: View,
    pub owner: Node,
}

/// What a process knows about a draw. [`Ledger::changed_draws`] compares it with the draw's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownDraw {
    pub draw: DrawId,
    pub revision: u64,
    /// Whether the process considers itself the owner of the draw.
    pub ours: bool,
}

/// A draw whose revision or ownership differs from what the process knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedDraw {
    /// The draw's view, read from its database row.
    pub view: View,
    pub ours: bool,
}

/// One commit of one draw. It has its own revision and journal row.
#[derive(Clone, Debug)]
pub struct DrawCommit {
    pub draw: DrawId,
    /// The epoch that the owner got when it claimed the draw. If the stored epoch is newer, the
    /// commit is refused.
    pub epoch: i64,
    /// The draw's revision before this commit. The commit gets revision `after + 1`.
    pub after: u64,
    /// The commit's events. Never empty.
    pub events: Vec<Event>,
    /// The time when the draw's actor decided the commit.
    pub at: Timestamp,
    /// Whether the commit sells tickets. Then the database's clock must not have reached
    /// `closes_at` (rule 5 of the decisions).
    pub sells: bool,
    /// An additional write in the transaction of the commit.
    pub attached_write: Option<AttachedWrite>,
    /// The audit entry, if a person made the change. It is written in the transaction of the commit
    /// (integrity rule A1).
    pub act: Option<AuditEntry>,
}

impl DrawCommit {
    /// Returns whether the commit may be written in one transaction with other commits of its draw.
    /// This holds for buyers' ordinary actions. Rare changes, voids, repairs and commits with an
    /// audit entry need a separate transaction.
    pub fn may_share_transaction(&self) -> bool {
        let ordinary = |event: &Event| match event {
            Event::Reserved { .. }
            | Event::Released { .. }
            | Event::Expired { .. }
            | Event::Closed => true,
            Event::Allocated { .. } => self.sells,
            _ => false,
        };
        let rides = !matches!(self.attached_write, Some(AttachedWrite::Describe(_)));
        self.act.is_none() && rides && self.events.iter().all(ordinary)
    }

    /// Returns the orders that the commit's events and attached write name.
    fn orders(&self) -> BTreeSet<OrderId> {
        let in_events = self.events.iter().filter_map(|event| match event {
            Event::Reserved { order, .. }
            | Event::Released { order }
            | Event::Allocated { order, .. } => Some(*order),
            _ => None,
        });
        in_events
            .chain(self.attached_write.as_ref().and_then(AttachedWrite::order))
            .collect()
    }
}

/// Checks whether the given commits of one draw may share a transaction. Compares the commits only
/// with each other, not with the database.
pub(crate) fn check_shared_transaction(appends: &[DrawCommit]) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::NotWritten(why.into()));
    if appends.is_empty() || appends.iter().any(|append| append.events.is_empty()) {
        return refused("a commit needs events");
    }
    let mut orders = BTreeSet::new();
    for (place, append) in appends.iter().enumerate() {
        let first = &appends[0];
        if append.draw != first.draw {
            return refused("the commits are of different draws");
        }
        if append.epoch != first.epoch || append.after != first.after + place as u64 {
            return Err(Failure::Fenced);
        }
        if appends.len() > 1 && !append.may_share_transaction() {
            return refused("this commit needs a transaction of its own");
        }
        if append
            .orders()
            .into_iter()
            .any(|order| !orders.insert(order))
        {
            return refused("an order may have only one commit in a transaction");
        }
    }
    Ok(())
}

/// A write about an order or draw that shares the transaction of a draw's commit.
#[derive(Clone, Debug)]
pub enum AttachedWrite {
    /// A new order with all its lines, written with its first reservation. Without a payment intent
    /// it gets a pending `create` operation.
    Open(NewOrder),
    /// New lines of a `quoted` order, whose reservation is resized in the same commit. If the order
    /// has a payment intent, an `update` operation is queued and replaces any earlier `update`.
    Reprice { order: OrderId, lines: Vec<Line> },
    /// The provider reported that the buyer authorised the payment. Written with an `Allocated`
    /// event.
    Authorised { order: OrderId, at: Timestamp },
    /// New names or a new contact for the draw. Written with a `Described` event.
    Describe(DrawDetails),
}

impl AttachedWrite {
    fn order(&self) -> Option<OrderId> {
        match self {
            AttachedWrite::Open(order) => Some(order.id),
            AttachedWrite::Reprice { order, .. } | AttachedWrite::Authorised { order, .. } => {
                Some(*order)
            }
            AttachedWrite::Describe(_) => None,
        }
    }
}

/// The names, contact and settings of a draw that its page shows beside its terms. `None` leaves a
/// field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawDetails {
    /// The league of the game. `None` leaves the league unchanged, `Some(None)` removes it.
    pub league: Option<Option<String>>,
    pub home_team: Option<String>,
    pub away_team: Option<String>,
    /// The IANA name of the draw's time zone, such as `Australia/Brisbane`.
    pub zone: Option<String>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    /// Whether buyers pay the card fee from now on. Orders that already exist keep their price.
    pub pass_card_fee: Option<bool>,
}

/// A buyer's name, e-mail address and phone number. This is personal data: never in logs, URLs,
/// metrics or the provider's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuyerDetails {
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
}

impl BuyerDetails {
    /// Fills blank details from `other`. Details that are already present do not change. Name and
    /// address are filled together or not at all, because a name without an e-mail address is not a
    /// contact (decisions C-7, F-2).
    #[must_use]
    pub fn with_blanks_filled_from(self, other: &BuyerDetails) -> BuyerDetails {
        let (name, email) = match (self.name, self.email) {
            (Some(name), Some(email)) => (Some(name), Some(email)),
            _ => other.name.clone().zip(other.email.clone()).unzip(),
        };
        BuyerDetails {
            name,
            email,
            phone: self.phone.or_else(|| other.phone.clone()),
        }
    }

    /// Replaces the details by the details in `by`. A blank detail in `by` replaces nothing. Name
    /// and address are replaced together.
    #[must_use]
    pub fn corrected_by(self, by: &BuyerDetails) -> BuyerDetails {
        BuyerDetails::default()
            .with_blanks_filled_from(by)
            .with_blanks_filled_from(&self)
    }
}

#[derive(Clone, Debug)]
pub struct NewOrder {
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    /// Unique key of the browser session and its purchase, so that a retried request opens no
    /// second order (decision C-2).
    pub client_key: String,
    /// The buyer's secret for the order page: 128 random bits, as 32 hexadecimal digits (decision
    /// B-9).
    pub token: String,
    pub lines: Vec<Line>,
    pub buyer: BuyerDetails,
    pub at: Timestamp,
    /// When the payment was authorised. Set only for an order that is missing from a restored
    /// backup, because such an order is opened again after the authorisation.
    pub authorised_at: Option<Timestamp>,
    /// The order's payment intent, if it already exists. Set only for an order that is missing from
    /// a restored backup.
    pub payment_intent: Option<PaymentIntentId>,
}

/// Stores the journal and the tables of draws.
///
/// An `Allocated` event also writes, in the same transaction: the ticket rows, the fee step, and
/// the order line's fee and serials. The primary key of the ticket rows (draw and serial) prevents
/// a double sale. With the order's last line it also writes the state `allocated`, the application
/// fee and a pending `capture` operation.
///
/// A sale needs a `quoted` order, and is refused once the database's clock has reached `closes_at`.
/// A repair (`sells` is false) also accepts an order that is `rejecting`, `released` or `anomaly`.
/// That order is `quoted` again until its last line, and its pending `cancel` is dropped.
///
/// A `Voided` event takes the tickets and the fee step back and drops a pending `capture`. An
/// `allocated` order becomes `rejecting` with a pending `cancel`, so that nothing can be captured
/// for missing tickets. A captured order stays `captured`, with its fee, until it is refunded or
/// void.
///
/// # Errors
///
/// [`Failure::NotFound`] when an order has no such line, or none of these tickets. Nothing is
/// written in this case.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Takes ownership of each given draw that has no owner, is already owned by `me`, or whose
    /// owner's lease has ended by the database's clock. Increments the draw's epoch and loads its
    /// state.
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure>;

    /// Claims a draw from the unreachable node `from`, even if that node's lease has not ended.
    ///
    /// The new epoch fences later writes of the node `from`. It does not stop that node from
    /// answering clients from memory, so the caller waits until no client can rely on such an
    /// answer. A draw that another node owns is returned as `elsewhere`, as by [`Ledger::claim`].
    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure>;

    /// Writes consecutive commits of one draw, all or none. Several commits are allowed only if
    /// [`DrawCommit::may_share_transaction`] holds for each, and each is about another order.
    /// Commits of different draws may share a transaction, and each draw gets a separate result.
    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure>;

    /// Returns every draw that is neither completed nor cancelled. A starting process must own all
    /// of them.
    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure>;

    /// Returns which of the given draws have changed: those that `me` owned and no longer owns, and
    /// those of other nodes that have a newer revision than the known one.
    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure>;

    /// Returns a draw's deal (its secret assignment of number pairs to tickets), which never
    /// changes. The caller need not own the draw. The deal is secret (rule 4 of the decisions).
    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure>;
}
