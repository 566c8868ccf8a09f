//! The roster: where each draw can be reached, and its latest view. Views outlive the actors that
//! publish them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use actix::dev::{MessageResponse, SendError, ToEnvelope};
use actix::{Actor, Addr, Handler, Message};
use domain::{DrawId, Status, View};
use persistence::ledger::KnownDraw;
use persistence::nodes::{InstanceId, Node};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::draw::{DrawActor, FinishAndStop, ViewPublisher};

/// All draws in memory. Written by the supervisor, read by every handle.
pub(crate) struct Roster {
    slots: RwLock<BTreeMap<DrawId, Slot>>,
    /// Counts the changes of all views.
    changes: watch::Sender<u64>,
    created_at: Instant,
    killed: watch::Receiver<bool>,
}

struct Slot {
    view: watch::Sender<View>,
    state: SlotState,
    /// Milliseconds since the roster was created.
    used_at: AtomicU64,
}

enum SlotState {
    Running {
        generation: u64,
        addr: Addr<DrawActor>,
    },
    /// No actor, and no known owner.
    Stopped,
    /// Another node owns the draw. Its view is read from the database.
    Remote(Node),
    Paused,
}

/// The result of sending a message to a draw's actor.
pub(crate) enum Delivery<M> {
    Sent,
    MailboxFull,
    Paused,
    /// Another node owns the draw.
    RemoteOwner(Node, M),
    /// There is no actor to receive the message.
    NoActor(M),
}

impl Roster {
    pub(crate) fn new(killed: watch::Receiver<bool>) -> Roster {
        Roster {
            slots: RwLock::default(),
            changes: watch::channel(0).0,
            created_at: Instant::now(),
            killed,
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<DrawId, Slot>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<DrawId, Slot>> {
        self.slots.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn age_ms(&self) -> u64 {
        self.created_at.elapsed().as_millis() as u64
    }

    /// Sends a message to a draw's actor. All callers share one address: actix grants each clone of
    /// an address a slot beyond the mailbox limit, which would defeat the limit.
    pub(crate) fn deliver<M>(&self, draw: DrawId, message: M) -> Delivery<M>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        DrawActor: Handler<M>,
        <DrawActor as Handler<M>>::Result: MessageResponse<DrawActor, M>,
        <DrawActor as Actor>::Context: ToEnvelope<DrawActor, M>,
    {
        let slots = self.read();
        let Some(slot) = slots.get(&draw) else {
            return Delivery::NoActor(message);
        };
        slot.used_at.store(self.age_ms(), Ordering::Relaxed);
        match &slot.state {
            SlotState::Stopped => Delivery::NoActor(message),
            SlotState::Paused => Delivery::Paused,
            SlotState::Remote(owner) => Delivery::RemoteOwner(owner.clone(), message),
            SlotState::Running { addr, .. } => match addr.try_send(message) {
                Ok(()) => Delivery::Sent,
                Err(SendError::Full(_)) => Delivery::MailboxFull,
                Err(SendError::Closed(message)) => Delivery::NoActor(message),
            },
        }
    }

    pub(crate) fn watch(&self, draw: DrawId) -> Option<watch::Receiver<View>> {
        self.read().get(&draw).map(|slot| slot.view.subscribe())
    }

    pub(crate) fn view(&self, draw: DrawId) -> Option<View> {
        self.read().get(&draw).map(|slot| *slot.view.borrow())
    }

    pub(crate) fn is_killed(&self) -> bool {
        *self.killed.borrow()
    }

    pub(crate) fn views(&self) -> Vec<View> {
        self.read()
            .values()
            .map(|slot| *slot.view.borrow())
            .collect()
    }

    pub(crate) fn change_counter(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(crate) fn change_count(&self) -> u64 {
        *self.changes.borrow()
    }

    pub(crate) fn is_running(&self, draw: DrawId) -> bool {
        self.read()
            .get(&draw)
            .is_some_and(|slot| match &slot.state {
                SlotState::Running { addr, .. } => addr.connected(),
                SlotState::Stopped | SlotState::Remote(_) | SlotState::Paused => false,
            })
    }

    pub(crate) fn is_paused(&self, draw: DrawId) -> bool {
        self.read()
            .get(&draw)
            .is_some_and(|slot| matches!(slot.state, SlotState::Paused))
    }

    pub(crate) fn paused_count(&self) -> usize {
        self.read()
            .values()
            .filter(|slot| matches!(slot.state, SlotState::Paused))
            .count()
    }

    /// Returns the publisher of a draw. A draw that was in memory before keeps its channel and its
    /// watchers.
    pub(crate) fn publisher(&self, view: View) -> ViewPublisher {
        let mut slots = self.write();
        let slot = slots.entry(view.draw).or_insert_with(|| {
            self.changes.send_modify(|count| *count += 1);
            Slot {
                view: watch::channel(view).0,
                state: SlotState::Stopped,
                used_at: AtomicU64::new(self.age_ms()),
            }
        });
        ViewPublisher::new(slot.view.clone(), self.changes.clone(), self.killed.clone())
    }

    pub(crate) fn set_running(&self, draw: DrawId, generation: u64, addr: Addr<DrawActor>) {
        if let Some(slot) = self.write().get_mut(&draw) {
            slot.state = SlotState::Running { generation, addr };
        }
    }

    /// Notes that another node owns the draw, and publishes the view that the database has.
    pub(crate) fn set_remote(&self, view: View, owner: Node) {
        self.publisher(view).publish(view);
        if let Some(slot) = self.write().get_mut(&view.draw) {
            slot.state = SlotState::Remote(owner);
        }
    }

    /// Returns the owner of a draw that another node owns.
    pub(crate) fn remote_owner(&self, draw: DrawId) -> Option<InstanceId> {
        self.read().get(&draw).and_then(|slot| match &slot.state {
            SlotState::Remote(owner) => Some(owner.boot),
            SlotState::Running { .. } | SlotState::Stopped | SlotState::Paused => None,
        })
    }

    /// Forgets the other node that owned a draw. `false`: the draw has another state.
    pub(crate) fn forget_owner(&self, draw: DrawId, former: InstanceId) -> bool {
        let mut slots = self.write();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        let matches = matches!(&slot.state, SlotState::Remote(owner) if owner.boot == former);
        if matches {
            slot.state = SlotState::Stopped;
        }
        matches
    }

    pub(crate) fn has_remote(&self) -> bool {
        self.read()
            .values()
            .any(|slot| matches!(slot.state, SlotState::Remote(_)))
    }

    /// Returns the revisions in memory, to be compared with the database, and the actor
    /// generations. The generation of a draw without an actor is 0.
    pub(crate) fn known_revisions(&self) -> Vec<(KnownDraw, u64)> {
        let slots = self.read();
        let known = slots.iter().map(|(draw, slot)| {
            let generation = match &slot.state {
                SlotState::Running { generation, .. } => Some(*generation),
                SlotState::Stopped | SlotState::Remote(_) | SlotState::Paused => None,
            };
            let known = KnownDraw {
                draw: *draw,
                revision: slot.view.borrow().revision,
                ours: generation.is_some(),
            };
            (known, generation.unwrap_or_default())
        });
        known.collect()
    }

    /// Stops the actor of a draw that this node no longer owns. Its remaining writes are fenced.
    /// `false`: the actor is gone already.
    pub(crate) fn evict(&self, draw: DrawId, lost: u64) -> bool {
        let mut slots = self.write();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        match &slot.state {
            SlotState::Running { generation, addr } if *generation == lost => {
                let _ = addr.clone().try_send(FinishAndStop);
                slot.state = SlotState::Stopped;
                true
            }
            _ => false,
        }
    }

    /// Stops the actors of all draws and returns these draws.
    pub(crate) fn evict_all(&self) -> Vec<DrawId> {
        let running = self
            .known_revisions()
            .into_iter()
            .filter(|(known, _)| known.ours);
        let evicted = running.filter(|(known, generation)| self.evict(known.draw, *generation));
        evicted.map(|(known, _)| known.draw).collect()
    }

    /// Publishes a newer view that another node wrote.
    pub(crate) fn publish_remote_view(&self, view: View) {
        self.publisher(view).publish(view);
    }

    /// Notes that the actor of a generation has stopped. `false`: the slot has another state.
    pub(crate) fn set_stopped(&self, draw: DrawId, stopped: u64) -> bool {
        let mut slots = self.write();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        let matches =
            matches!(slot.state, SlotState::Running { generation, .. } if generation == stopped);
        if matches {
            slot.state = SlotState::Stopped;
        }
        matches
    }

    pub(crate) fn pause(&self, draw: DrawId) {
        if let Some(slot) = self.write().get_mut(&draw) {
            slot.state = SlotState::Paused;
        }
    }

    pub(crate) fn resume(&self, draw: DrawId) {
        if let Some(slot) = self.write().get_mut(&draw)
            && matches!(slot.state, SlotState::Paused)
        {
            slot.state = SlotState::Stopped;
        }
    }

    /// Removes draws that are decided, unwatched and unused for `idle_ms`. Returns how many. An
    /// actor whose address is dropped completes its work and stops.
    pub(crate) fn remove_idle(&self, idle_ms: u64) -> usize {
        let oldest = self.age_ms().saturating_sub(idle_ms);
        let mut slots = self.write();
        let before = slots.len();
        slots.retain(|_, slot| {
            let is_decided = matches!(
                slot.view.borrow().status,
                Status::Completed | Status::Cancelled
            );
            let is_idle = slot.used_at.load(Ordering::Relaxed) < oldest;
            let is_paused = matches!(slot.state, SlotState::Paused);
            is_paused || !is_decided || !is_idle || slot.view.receiver_count() > 0
        });
        before - slots.len()
    }

    /// Tells every actor to complete its work and stop. The views stay.
    pub(crate) fn stop_all(&self) {
        for slot in self.write().values_mut() {
            if let SlotState::Running { addr, .. } = &slot.state {
                // A clone of the address has a slot even in a full mailbox.
                let _ = addr.clone().try_send(FinishAndStop);
            }
            if !matches!(slot.state, SlotState::Remote(_)) {
                slot.state = SlotState::Stopped;
            }
        }
    }
}
