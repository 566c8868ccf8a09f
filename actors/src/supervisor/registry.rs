//! The registry: for each draw in memory, its actor or the node that owns it, and its latest view.
//! A view stays available when the draw's actor stops.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use actix::dev::{MessageResponse, SendError, ToEnvelope};
use actix::{Actor, Addr, Handler, Message};
use domain::{DrawId, View};
use persistence::ledger::KnownDraw;
use persistence::nodes::{InstanceId, Node};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::draw::DrawActor;

mod writer;

pub(super) use writer::DrawRegistryWriter;

/// All draws in memory. Read by every handle, written by the supervisor through
/// [`DrawRegistryWriter`].
pub(crate) struct DrawRegistry {
    slots: RwLock<BTreeMap<DrawId, DrawRegistrySlot>>,
    /// Counter that increases when any view changes.
    changes: watch::Sender<u64>,
    created_at: Instant,
    killed: watch::Receiver<bool>,
}

struct DrawRegistrySlot {
    view: watch::Sender<View>,
    state: DrawRegistrySlotState,
    /// When the draw was last used, in milliseconds since the registry was created.
    used_at: AtomicU64,
}

enum DrawRegistrySlotState {
    Running {
        generation: u64,
        addr: Addr<DrawActor>,
    },
    /// No actor is running on this node, and no other owner is known.
    Stopped,
    /// Another node owns the draw. The draw's view is read from the database.
    Remote(Node),
    Paused,
}

/// The result of sending a message to a draw's actor. An undelivered message is returned.
pub(crate) enum MessageDelivery<M> {
    Sent,
    MailboxFull,
    Paused,
    /// The draw is owned by another node. Contains the owner and the message.
    RemoteOwner(Node, M),
    /// No actor of the draw is running. Contains the message.
    NoActor(M),
}

impl DrawRegistry {
    pub(crate) fn new(killed: watch::Receiver<bool>) -> DrawRegistry {
        DrawRegistry {
            slots: RwLock::default(),
            changes: watch::channel(0).0,
            created_at: Instant::now(),
            killed,
        }
    }

    fn read_slots(&self) -> RwLockReadGuard<'_, BTreeMap<DrawId, DrawRegistrySlot>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_slots(&self) -> RwLockWriteGuard<'_, BTreeMap<DrawId, DrawRegistrySlot>> {
        self.slots.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn registry_age_ms(&self) -> u64 {
        self.created_at.elapsed().as_millis() as u64
    }

    /// Sends a message to a draw's actor. All callers share one address, because actix adds a
    /// mailbox slot for each clone of an address, which would raise the mailbox limit.
    pub(crate) fn deliver_message<M>(&self, draw: DrawId, message: M) -> MessageDelivery<M>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        DrawActor: Handler<M>,
        <DrawActor as Handler<M>>::Result: MessageResponse<DrawActor, M>,
        <DrawActor as Actor>::Context: ToEnvelope<DrawActor, M>,
    {
        let slots = self.read_slots();
        let Some(slot) = slots.get(&draw) else {
            return MessageDelivery::NoActor(message);
        };
        slot.used_at
            .store(self.registry_age_ms(), Ordering::Relaxed);
        match &slot.state {
            DrawRegistrySlotState::Stopped => MessageDelivery::NoActor(message),
            DrawRegistrySlotState::Paused => MessageDelivery::Paused,
            DrawRegistrySlotState::Remote(owner) => {
                MessageDelivery::RemoteOwner(owner.clone(), message)
            }
            DrawRegistrySlotState::Running { addr, .. } => match addr.try_send(message) {
                Ok(()) => MessageDelivery::Sent,
                Err(SendError::Full(_)) => MessageDelivery::MailboxFull,
                Err(SendError::Closed(message)) => MessageDelivery::NoActor(message),
            },
        }
    }

    pub(crate) fn watch_view(&self, draw: DrawId) -> Option<watch::Receiver<View>> {
        self.read_slots()
            .get(&draw)
            .map(|slot| slot.view.subscribe())
    }

    pub(crate) fn view(&self, draw: DrawId) -> Option<View> {
        self.read_slots().get(&draw).map(|slot| *slot.view.borrow())
    }

    pub(crate) fn is_killed(&self) -> bool {
        *self.killed.borrow()
    }

    pub(crate) fn views(&self) -> Vec<View> {
        self.read_slots()
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
        self.read_slots()
            .get(&draw)
            .is_some_and(|slot| match &slot.state {
                DrawRegistrySlotState::Running { addr, .. } => addr.connected(),
                DrawRegistrySlotState::Stopped
                | DrawRegistrySlotState::Remote(_)
                | DrawRegistrySlotState::Paused => false,
            })
    }

    pub(crate) fn is_paused(&self, draw: DrawId) -> bool {
        self.read_slots()
            .get(&draw)
            .is_some_and(|slot| matches!(slot.state, DrawRegistrySlotState::Paused))
    }

    pub(crate) fn paused_count(&self) -> usize {
        self.read_slots()
            .values()
            .filter(|slot| matches!(slot.state, DrawRegistrySlotState::Paused))
            .count()
    }

    /// Returns the node that owns a draw. `None`: no other node is known to own it.
    pub(crate) fn remote_owner(&self, draw: DrawId) -> Option<InstanceId> {
        self.read_slots()
            .get(&draw)
            .and_then(|slot| match &slot.state {
                DrawRegistrySlotState::Remote(owner) => Some(owner.boot),
                DrawRegistrySlotState::Running { .. }
                | DrawRegistrySlotState::Stopped
                | DrawRegistrySlotState::Paused => None,
            })
    }

    pub(crate) fn has_remote_draw(&self) -> bool {
        self.read_slots()
            .values()
            .any(|slot| matches!(slot.state, DrawRegistrySlotState::Remote(_)))
    }

    /// Returns the revisions of all draws in memory, for a comparison with the database, and the
    /// generation of each draw's actor. A draw without an actor has generation 0.
    pub(crate) fn known_revisions(&self) -> Vec<(KnownDraw, u64)> {
        let slots = self.read_slots();
        let known = slots.iter().map(|(draw, slot)| {
            let generation = match &slot.state {
                DrawRegistrySlotState::Running { generation, .. } => Some(*generation),
                DrawRegistrySlotState::Stopped
                | DrawRegistrySlotState::Remote(_)
                | DrawRegistrySlotState::Paused => None,
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
}
