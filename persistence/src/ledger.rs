//! A draw's memory: claim it, load it, append to it. Every write carries the owner's epoch and the revision it follows.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::draw::Snapshot;
use domain::{
    AccountId, ClubId, Deal, DrawId, Event, Line, OrderId, PaymentIntentId, Timestamp, View,
};

use crate::error::Failure;
use crate::nodes::{Boot, Node};
use crate::records::audit::Entry;

/// A draw claimed by this process: its state, and the epoch that fences every earlier owner.
#[derive(Clone, Debug)]
pub struct Claimed {
    pub epoch: i64,
    pub snapshot: Snapshot,
}

/// What a claim came to, each part ascending by draw; draws that are in neither are unknown.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    pub taken: Vec<Claimed>,
    /// Owned by another node, whose lease runs.
    pub elsewhere: Vec<Elsewhere>,
}

/// A draw that another node owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// As its row says.
    pub view: View,
    pub owner: Node,
}

/// A draw as a process knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub draw: DrawId,
    pub revision: u64,
    /// The process takes itself for the owner.
    pub ours: bool,
}

/// A draw that stands otherwise than a process knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// As its row says.
    pub view: View,
    pub ours: bool,
}

/// One commit of one draw, with a revision and a row of the journal to itself.
#[derive(Clone, Debug)]
pub struct Append {
    pub draw: DrawId,
    /// The owner's epoch, from `claim`.
    pub epoch: i64,
    /// The revision this commit follows; the commit becomes `after + 1`.
    pub after: u64,
    /// Never empty.
    pub events: Vec<Event>,
    /// When the actor decided.
    pub at: Timestamp,
    /// The commit sells tickets: the database's clock must not have reached `closes_at` (rule 5).
    pub sells: bool,
    /// What the asker wants written in the same transaction.
    pub rider: Option<Rider>,
    /// Who did it, when a person did: stands in the audit log with the commit, or neither does (integrity rule A1).
    pub act: Option<Entry>,
}

impl Append {
    /// Whether it may be written together with others of its draw: what buyers do all day. What happens once or twice in a
    /// draw's life, takes tickets back, repairs or is signed has a transaction to itself.
    pub fn shares(&self) -> bool {
        let ordinary = |event: &Event| match event {
            Event::Reserved { .. }
            | Event::Released { .. }
            | Event::Expired { .. }
            | Event::Closed => true,
            Event::Allocated { .. } => self.sells,
            _ => false,
        };
        let rides = !matches!(self.rider, Some(Rider::Describe(_)));
        self.act.is_none() && rides && self.events.iter().all(ordinary)
    }

    /// The orders that asked for it.
    fn orders(&self) -> BTreeSet<OrderId> {
        let asked = self.events.iter().filter_map(|event| match event {
            Event::Reserved { order, .. }
            | Event::Released { order }
            | Event::Allocated { order, .. } => Some(*order),
            _ => None,
        });
        asked
            .chain(self.rider.as_ref().and_then(Rider::order))
            .collect()
    }
}

/// Whether these may be one transaction of one draw, whatever the books hold.
pub(crate) fn check_together(appends: &[Append]) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::NotWritten(why.into()));
    if appends.is_empty() || appends.iter().any(|append| append.events.is_empty()) {
        return refused("a commit has events");
    }
    let mut orders = BTreeSet::new();
    for (place, append) in appends.iter().enumerate() {
        let first = &appends[0];
        if append.draw != first.draw {
            return refused("each draw has its own");
        }
        if append.epoch != first.epoch || append.after != first.after + place as u64 {
            return Err(Failure::Fenced);
        }
        if appends.len() > 1 && !append.shares() {
            return refused("it has a transaction to itself");
        }
        if append
            .orders()
            .into_iter()
            .any(|order| !orders.insert(order))
        {
            return refused("an order has one commit in a transaction");
        }
    }
    Ok(())
}

/// What an order wants written together with a draw's commit.
#[derive(Clone, Debug)]
pub enum Rider {
    /// A new order with all its lines, and with its pending `create` operation unless it has its payment, written with its first
    /// reservation.
    Open(NewOrder),
    /// The order is repriced while it is `quoted`: its lines are replaced (its reservation is resized in the same commit) and,
    /// when its payment intent exists, an `update` operation is pending in place of any earlier one.
    Reprice { order: OrderId, lines: Vec<Line> },
    /// The provider said that the buyer authorised it. Written with an `Allocated` event.
    Authorised { order: OrderId, at: Timestamp },
    /// Names or the contact of the draw itself. Written with a `Described` event.
    Describe(DrawDetails),
}

impl Rider {
    fn order(&self) -> Option<OrderId> {
        match self {
            Rider::Open(order) => Some(order.id),
            Rider::Reprice { order, .. } | Rider::Authorised { order, .. } => Some(*order),
            Rider::Describe(_) => None,
        }
    }
}

/// What a draw's page says beside its terms; `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawDetails {
    /// `Some(None)`: no league.
    pub league: Option<Option<String>>,
    pub home_team: Option<String>,
    pub away_team: Option<String>,
    /// IANA name.
    pub zone: Option<String>,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    /// Whether buyers pay the card fee from now on; orders already quoted keep theirs.
    pub pass_card_fee: Option<bool>,
}

/// Who buys. Personal data: never in logs, URLs, metrics or the provider's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuyerDetails {
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
}

impl BuyerDetails {
    /// Blanks filled from `other`; what is there stays. A name without an address is no contact, so the two come together or
    /// not at all, and every view agrees on who is a buyer (decisions C-7, F-2).
    #[must_use]
    pub fn filled(self, other: &BuyerDetails) -> BuyerDetails {
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

    /// What `by` says in place of what is there; its blanks leave it. A name and an address are corrected together.
    #[must_use]
    pub fn corrected(self, by: &BuyerDetails) -> BuyerDetails {
        BuyerDetails::default().filled(by).filled(&self)
    }
}

#[derive(Clone, Debug)]
pub struct NewOrder {
    pub id: OrderId,
    pub club: ClubId,
    pub account: AccountId,
    /// Unique: the browser session and what it buys, so that a retried call opens nothing twice (decision C-2).
    pub client_key: String,
    /// The buyer's secret for the order page: 128 random bits, as 32 hexadecimal digits (decision B-9).
    pub token: String,
    pub lines: Vec<Line>,
    pub buyer: BuyerDetails,
    pub at: Timestamp,
    /// Only of an order that the books forgot: it was authorised before it was opened again.
    pub authorised_at: Option<Timestamp>,
    /// Only of such an order: what it was paid with. None is made for it.
    pub payment_intent: Option<PaymentIntentId>,
}

/// A draw's journal and tables.
///
/// An `Allocated` event also writes, in the same transaction: the ticket rows (primary key draw + serial: a double sale is
/// refused by the database), the fee ledger step, the line's fee and serials, and — when this was the order's last line —
/// the order's state `allocated`, its application fee and its pending `capture` operation. A sale is only for an order that
/// is `quoted`; a repair (`sells` is false) also for one that is `rejecting`, `released` or `anomaly`, which is `quoted`
/// again until its last line, and whose pending `cancel` is dropped. `Allocated` with `Authority::Sale` is refused when the database's clock has reached `closes_at`;
/// `Append::sells` says which.
///
/// A `Voided` event takes the tickets and the fee step back and drops a pending `capture`. An order that was `allocated` is
/// `rejecting` from that moment, with a pending `cancel`: nothing can be captured for tickets that are gone, wherever the
/// asker stops. One that was captured stays `captured`, with its fee, until the books say that it is refunded or void.
///
/// An order that has no such line, or none of these tickets, is [`Failure::NotFound`]; nothing is written then.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Takes ownership of those draws that are free, ours already, or owned by a node whose lease is over by the database's
    /// clock: bumps each epoch and loads each state. One statement, however many draws.
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure>;

    /// Claims a draw although the lease of its owner, which nobody reaches, runs. From then on that one's writes are fenced;
    /// what it answers from memory is not, so whoever takes over waits until nobody believes such an answer any more. Another
    /// owner's draw is `elsewhere`, as with [`Ledger::claim`].
    async fn take_over(&self, me: Boot, draw: DrawId, from: Boot) -> Result<Claims, Failure>;

    /// Writes commits of one draw that follow each other: all of them or none. Only those that [`Append::shares`] come with
    /// others, and an order once. What different draws append may share a transaction; each draw is answered for itself.
    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure>;

    /// Every draw that is not completed or cancelled: what a starting process must own.
    async fn live(&self) -> Result<Vec<DrawId>, Failure>;

    /// Of these draws, those of others that have gone on, and those that are not ours any more.
    async fn moved(&self, me: Boot, known: &[Known]) -> Result<Vec<Moved>, Failure>;

    /// A draw's deal, which never changes, whoever owns the draw. Secret (rule 4).
    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure>;
}
