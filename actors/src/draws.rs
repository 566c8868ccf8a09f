//! The handle to all draws. It sends a command to the draw's actor and starts the actor if
//! necessary, or forwards the command to the node that owns the draw.

use std::sync::Arc;

use actix::{Addr, Handler, Message};
use domain::{
    Cell, Command, Deal, DrawId, OrderId, Reservation, ReservationSource, Serial, TermsEdit,
    TermsEditor, View,
};
use persistence::Ledger;
use persistence::ledger::{AttachedWrite, DrawDetails};
use persistence::nodes::{InstanceId, Node, OtherNodes};
use persistence::records::audit::AuditEntry;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use crate::draw::{DrawAction, DrawActor, PerformAction, ReadCells, ReadDeal};
use crate::membership::Membership;
use crate::peers::{DrawRequest, PeerAnswer, PeerError};
use crate::supervisor::registry::{DrawRegistry, MessageDelivery};
use crate::supervisor::{DrawSupervisor, RescanOwnership, WakeCause, WakeDraw};
use crate::unresponsive_owners::{UNRESPONSIVE_AFTER, UnresponsiveOwners, count_view_changes};
use crate::{CommandOutcome, Denied};

/// Largest number of attempts to deliver a command to the actor or the owner of its draw. Between
/// two attempts, the supervisor starts the actor or finds the owner.
const MESSAGE_DELIVERY_ATTEMPTS_MAX: usize = 4;

/// Whether a command may be forwarded to another node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ForwardingPolicy {
    Allowed,
    Forbidden,
}

/// A handle to all draws. Clones are cheap and use the same actors.
#[derive(Clone)]
pub struct Draws {
    router: Arc<DrawRouter>,
    audit_entry: Option<Arc<AuditEntry>>,
    source: Option<ReservationSource>,
}

/// Delivers messages to draws: to the actor on this node, or to the node that owns the draw.
struct DrawRouter {
    registry: Arc<DrawRegistry>,
    supervisor: Addr<DrawSupervisor>,
    membership: Arc<Membership>,
    ledger: Arc<dyn Ledger>,
    unresponsive_owners: UnresponsiveOwners,
}

impl Draws {
    pub(crate) fn new(
        registry: Arc<DrawRegistry>,
        supervisor: Addr<DrawSupervisor>,
        membership: Arc<Membership>,
        ledger: Arc<dyn Ledger>,
    ) -> Draws {
        let router = DrawRouter {
            registry,
            supervisor,
            membership,
            ledger,
            unresponsive_owners: UnresponsiveOwners::default(),
        };
        Draws {
            router: Arc::new(router),
            audit_entry: None,
            source: None,
        }
    }

    /// Returns a handle for a person's action. Every commit through this handle writes `act` to the
    /// audit log, in the same transaction. A command that changes nothing writes no entry.
    #[must_use]
    pub fn with_audit_entry(&self, act: AuditEntry) -> Draws {
        Draws {
            audit_entry: Some(Arc::new(act)),
            ..self.clone()
        }
    }

    /// Returns a handle whose reservations count against the quota of `source`. `None`:
    /// reservations are not limited.
    #[must_use]
    pub(crate) fn with_reservation_source(&self, source: Option<ReservationSource>) -> Draws {
        Draws {
            source,
            ..self.clone()
        }
    }

    /// Executes a command. `attached_write` is a further write in the same transaction. If the
    /// command was executed before, nothing is written, not even `attached_write`, and the answer
    /// describes the current state of the draw and the order.
    ///
    /// # Errors
    /// [`Denied`]; after `Unavailable` the same command may be sent again.
    pub async fn execute(
        &self,
        draw: DrawId,
        command: Command,
        attached_write: Option<AttachedWrite>,
    ) -> Result<CommandOutcome, Denied> {
        let request = DrawRequest {
            command,
            attached_write,
            audit_entry: self.audit_entry.as_deref().cloned(),
            source: self.source,
        };
        let action = DrawAction::Execute(Box::new(request));
        self.router
            .perform_action(draw, action, ForwardingPolicy::Allowed)
            .await
            .unwrap_or(Err(Denied::Unavailable))
    }

    /// Executes a command that another node sent, because it considers this node the owner. The
    /// draw is claimed first if necessary. The command is never forwarded again.
    ///
    /// # Errors
    /// [`PeerError`]: another node owns the draw.
    pub async fn execute_on_this_node(&self, draw: DrawId, request: DrawRequest) -> PeerAnswer {
        let action = DrawAction::Execute(Box::new(request));
        self.router
            .perform_action(draw, action, ForwardingPolicy::Forbidden)
            .await
    }

    /// Returns the active reservation of an order in a draw.
    ///
    /// # Errors
    /// [`Denied`], but not `Refused`.
    pub(crate) async fn current_reservation(
        &self,
        draw: DrawId,
        order: OrderId,
    ) -> Result<Option<Reservation>, Denied> {
        let action = DrawAction::CurrentReservation(order);
        let answer = self
            .router
            .perform_action(draw, action, ForwardingPolicy::Allowed)
            .await
            .unwrap_or(Err(Denied::Unavailable));
        match answer {
            Ok(outcome) => Ok(outcome.reservation),
            // Another node gives this answer if the order has no active reservation.
            Err(Denied::Refused(_)) => Ok(None),
            Err(denied) => Err(denied),
        }
    }

    /// Whether this node may answer from memory: its lease is valid, or it is the only node.
    pub fn may_serve(&self) -> bool {
        self.router.membership.may_serve()
    }

    /// Returns the number of other nodes.
    pub fn other_node_count(&self) -> usize {
        self.router.membership.other_nodes().len()
    }

    /// Returns a receiver that is notified when a node joins or leaves, or when another node
    /// becomes the oldest.
    pub(crate) fn watch_other_nodes(&self) -> watch::Receiver<OtherNodes> {
        self.router.membership.watch_other_nodes()
    }

    /// Whether this node is the oldest one. The oldest node does the work that only one node needs
    /// to do. For a moment two nodes may consider themselves the oldest.
    pub fn is_oldest_node(&self) -> bool {
        self.router.membership.is_oldest_node()
    }

    /// Changes a draw's terms and the text of its page in one commit. `None` in `edit` or `details`
    /// leaves a value unchanged. Price and prize cannot change while a ticket is sold or reserved
    /// (B:158, decision E-12). If kick-off moves, so does the timer.
    ///
    /// # Errors
    /// `Refused`: `DrawNotActive`; `GameStarted` (an operator may still edit, decision E-9);
    /// `TermsLocked` with the number of tickets sold; `TermsKept` while a buyer is paying at the
    /// old price; `TermsInvalid`. After `Unavailable` the same edit may be sent again.
    pub async fn edit_draw(
        &self,
        draw: DrawId,
        edit: TermsEdit,
        details: Option<DrawDetails>,
        by: TermsEditor,
    ) -> Result<CommandOutcome, Denied> {
        let command = Command::Amend {
            edit,
            by,
            described: details.is_some(),
        };
        self.execute(draw, command, details.map(AttachedWrite::Describe))
            .await
    }

    /// Removes a draw that has ended from the public lists, or puts it back (B:140, decision E-14).
    ///
    /// # Errors
    /// `Refused(NotCompleted)` while the draw is on sale or awaits its result.
    pub async fn archive(&self, draw: DrawId, archived: bool) -> Result<CommandOutcome, Denied> {
        self.execute(draw, Command::Archive { archived }, None)
            .await
    }

    /// Undoes a result (decision E-6). The status becomes `active` again only before kick-off,
    /// otherwise `closed`. The same commit removes pending payouts and the winner's claim, and
    /// queues a correction mail for every recipient of a winner's mail.
    ///
    /// # Errors
    /// `Refused`: `NotCompleted`, or `PaidOut` once a payout was completed.
    pub async fn undo_draw_result(&self, draw: DrawId) -> Result<CommandOutcome, Denied> {
        self.execute(draw, Command::Undo, None).await
    }

    /// Returns a receiver of the draw's views. It stays valid when the draw's actor stops.
    ///
    /// # Errors
    /// [`Denied`]: the draw is unknown, or its actor cannot be started now.
    pub async fn watch(&self, draw: DrawId) -> Result<watch::Receiver<View>, Denied> {
        if let Some(receiver) = self.router.registry.watch_view(draw) {
            return Ok(receiver);
        }
        self.router.wake_draw(draw, WakeCause::Caller).await?;
        self.router
            .registry
            .watch_view(draw)
            .ok_or(Denied::Unavailable)
    }

    /// Returns the public view of a draw.
    ///
    /// # Errors
    /// [`Denied`]: the draw is unknown, or its actor cannot be started now.
    pub async fn view(&self, draw: DrawId) -> Result<View, Denied> {
        if let Some(view) = self.router.registry.view(draw) {
            return Ok(view);
        }
        self.router.wake_draw(draw, WakeCause::Caller).await?;
        self.router.registry.view(draw).ok_or(Denied::Unavailable)
    }

    /// Returns the views of all draws in memory, ascending by draw number.
    pub fn views(&self) -> Vec<View> {
        self.router.registry.views()
    }

    /// Returns the number of draws that are paused until an operator resumes them.
    pub fn paused_draw_count(&self) -> usize {
        self.router.registry.paused_count()
    }

    /// Returns a receiver of the counter that increases when any view changes. Tests wait for a
    /// change; lists and caches compare [`Self::view_change_count`].
    pub fn view_change_counter(&self) -> watch::Receiver<u64> {
        self.router.registry.change_counter()
    }

    /// Returns the number of changes of all views since this node started.
    pub fn view_change_count(&self) -> u64 {
        self.router.registry.change_count()
    }

    /// Returns the number pairs of some tickets. Secret: only the tickets' owner may see them
    /// before the reveal (rule 4 of the decisions).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn cells(
        &self,
        draw: DrawId,
        serials: &[Serial],
    ) -> Result<Vec<(Serial, Cell)>, Denied> {
        let requested = serials.to_vec();
        if let Some(cells) = self
            .router
            .read_from_actor(draw, |reply| ReadCells {
                serials: requested,
                reply,
            })
            .await?
        {
            return Ok(cells);
        }
        let deal = self.router.read_remote_deal(draw).await?;
        Ok(serials
            .iter()
            .map(|serial| (*serial, deal.cell(*serial)))
            .collect())
    }

    /// Returns the whole deal with its seed. Secret until the draw is completed and its kick-off
    /// has passed (decisions K-1, E-6).
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn deal(&self, draw: DrawId) -> Result<Deal, Denied> {
        match self
            .router
            .read_from_actor(draw, |reply| ReadDeal { reply })
            .await?
        {
            Some(deal) => Ok(deal),
            None => self.router.read_remote_deal(draw).await,
        }
    }

    /// Starts the actor of a draw: of a new draw, or of a paused draw that is to be resumed.
    ///
    /// # Errors
    /// [`Denied`]
    pub async fn wake(&self, draw: DrawId) -> Result<(), Denied> {
        self.router.wake_draw(draw, WakeCause::Operator).await
    }

    /// Asks the supervisor to rescan, because an anomaly was closed that may have paused a draw.
    /// Other nodes notice the closed anomaly within seconds.
    pub(crate) fn rescan_ownership(&self) {
        // Sending fails when the supervisor's mailbox is full. It then rescans at its next
        // interval.
        let _ = self.router.supervisor.try_send(RescanOwnership);
    }

    /// Returns the id of this run of the process.
    pub(crate) fn instance_id(&self) -> InstanceId {
        self.router.membership.instance_id()
    }

    /// Returns the latest view of a draw in memory, without starting the draw's actor.
    pub fn cached_view(&self, draw: DrawId) -> Option<View> {
        self.router.registry.view(draw)
    }
}

impl DrawRouter {
    /// Performs an action on this node, or forwards it to the draw's owner once.
    async fn perform_action(
        &self,
        draw: DrawId,
        action: DrawAction,
        forwarding: ForwardingPolicy,
    ) -> PeerAnswer {
        let Some(term) = self.membership.lease_number() else {
            return Ok(Err(Denied::Unavailable));
        };
        let (reply, answer) = oneshot::channel();
        let mut message = PerformAction { action, reply };
        let mut asked_owner = None;
        for _ in 0..MESSAGE_DELIVERY_ATTEMPTS_MAX {
            message = match self.registry.deliver_message(draw, message) {
                // If the actor stops, it drops the reply channel. The outcome is then unknown, and
                // the caller may safely repeat the command. An answer after a write is always
                // valid. An answer from memory is valid only if no other node can have owned the
                // draw since the command arrived.
                MessageDelivery::Sent => {
                    let answer = answer.await.unwrap_or(Err(Denied::Unavailable));
                    let is_written = answer.as_ref().is_ok_and(|outcome| outcome.written);
                    let is_true = is_written
                        || (self.membership.lease_number() == Some(term)
                            && self.membership.may_answer_from_memory());
                    return Ok(if is_true {
                        answer
                    } else {
                        Err(Denied::Unavailable)
                    });
                }
                MessageDelivery::Paused => return Ok(Err(Denied::Paused)),
                MessageDelivery::MailboxFull => return Ok(Err(Denied::Unavailable)),
                MessageDelivery::NoActor(message) => {
                    if let Err(denied) = self.wake_draw(draw, WakeCause::Caller).await {
                        return Ok(Err(denied));
                    }
                    message
                }
                MessageDelivery::RemoteOwner(owner, _)
                    if asked_owner.replace(owner.boot) == Some(owner.boot) =>
                {
                    break;
                }
                MessageDelivery::RemoteOwner(owner, message) => {
                    let mut is_stalled = false;
                    if forwarding == ForwardingPolicy::Allowed {
                        match self.forward_to_owner(&owner, draw, &message.action).await {
                            Ok(answer) => return Ok(answer),
                            Err(stalled) => is_stalled = stalled,
                        }
                    }
                    // The owner's process or lease may have ended, or the draw may have a new
                    // owner. The supervisor reads the current owner from the database.
                    let cause = WakeCause::OwnerUnreachable {
                        owner: owner.boot,
                        is_stalled,
                    };
                    if let Err(denied) = self.wake_draw(draw, cause).await {
                        return Ok(Err(denied));
                    }
                    message
                }
            };
        }
        Err(PeerError::NotTheOwner)
    }

    /// Forwards an action to the draw's owner. `Err(is_stalled)`: no node answered as the owner,
    /// but the action may have been executed. The draw is stalled if its owner did not answer in
    /// time and the draw hardly changed, although this node's connection to the database works.
    async fn forward_to_owner(
        &self,
        owner: &Node,
        draw: DrawId,
        action: &DrawAction,
    ) -> Result<Result<CommandOutcome, Denied>, bool> {
        let Some(view) = self.registry.watch_view(draw) else {
            return Err(false);
        };
        let asked_at = Instant::now();
        let call = self
            .membership
            .peers
            .client
            .execute(owner, draw, action.to_request());
        let (answer, view_changes) = count_view_changes(view, call).await;
        let wait = asked_at.elapsed();
        // Only an answer after a commit proves that the owner is responsive. A commit takes about a
        // dozen network packets. An answer from memory takes one packet in each direction, so it
        // often succeeds even on a failing connection.
        if wait < UNRESPONSIVE_AFTER && matches!(&answer, Ok(Ok(outcome)) if outcome.written) {
            self.unresponsive_owners.clear_unanswered_calls(draw);
        }
        answer.map_err(|error| {
            let is_unanswered = error == PeerError::Silent && wait >= UNRESPONSIVE_AFTER;
            // While the database is slow, every owner would look unresponsive, so no call counts
            // against its owner.
            let database_is_healthy = self.membership.has_healthy_database()
                && self.membership.has_ownership_check_since(asked_at);
            is_unanswered
                && database_is_healthy
                && self.unresponsive_owners.add_unanswered_call(
                    draw,
                    owner.boot,
                    wait,
                    view_changes,
                )
        })
    }

    /// Sends a read to the draw's actor. `None`: another node owns the draw.
    async fn read_from_actor<M, T>(
        &self,
        draw: DrawId,
        message: impl FnOnce(oneshot::Sender<T>) -> M,
    ) -> Result<Option<T>, Denied>
    where
        M: Message<Result = ()> + Send + 'static,
        DrawActor: Handler<M>,
    {
        let (reply, answer) = oneshot::channel();
        let message = match self.registry.deliver_message(draw, message(reply)) {
            MessageDelivery::NoActor(message) => message,
            delivery => return Self::await_actor_answer(delivery, answer).await,
        };
        self.wake_draw(draw, WakeCause::Caller).await?;
        Self::await_actor_answer(self.registry.deliver_message(draw, message), answer).await
    }

    async fn await_actor_answer<M, T>(
        delivery: MessageDelivery<M>,
        answer: oneshot::Receiver<T>,
    ) -> Result<Option<T>, Denied> {
        match delivery {
            MessageDelivery::Sent => answer.await.map(Some).map_err(|_| Denied::Unavailable),
            MessageDelivery::RemoteOwner(..) => Ok(None),
            MessageDelivery::Paused => Err(Denied::Paused),
            MessageDelivery::MailboxFull | MessageDelivery::NoActor(_) => Err(Denied::Unavailable),
        }
    }

    async fn wake_draw(&self, draw: DrawId, cause: WakeCause) -> Result<(), Denied> {
        self.supervisor
            .send(WakeDraw { draw, cause })
            .await
            .unwrap_or(Err(Denied::Unavailable))
    }

    /// Reads the deal of a draw that another node owns from the database.
    async fn read_remote_deal(&self, draw: DrawId) -> Result<Deal, Denied> {
        self.ledger.deal(draw).await.map_err(|failure| {
            tracing::warn!(draw.id = %draw, %failure, "deal could not be read: database error");
            Denied::Unavailable
        })
    }
}
