//! Which draws are awake, where to ask them, and their latest views. The views outlive the actors that write them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use actix::dev::{MessageResponse, SendError, ToEnvelope};
use actix::{Actor, Addr, Handler, Message};
use domain::{DrawId, Status, View};
use persistence::ledger::Known;
use persistence::nodes::{Boot, Node};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::draw::{DrawActor, Leave};

/// Written by the supervisor, read by every handle.
pub(crate) struct Roster {
    slots: RwLock<BTreeMap<DrawId, Slot>>,
    changed: watch::Sender<u64>,
    since: Instant,
    killed: watch::Receiver<bool>,
}

struct Slot {
    view: watch::Sender<View>,
    stand: Stand,
    /// Milliseconds since the roster began.
    used_at: AtomicU64,
}

enum Stand {
    Live {
        generation: u64,
        addr: Addr<DrawActor>,
    },
    Asleep,
    /// Another node owns it; its view is read from the books.
    Elsewhere(Node),
    Paused,
}

/// What became of asking a draw.
pub(crate) enum Asked<M> {
    Sent,
    Full,
    Paused,
    /// Another node owns the draw.
    Elsewhere(Node, M),
    /// Nobody is there to take the message.
    Absent(M),
}

/// Where one draw's actor shows its views.
#[derive(Clone)]
pub(crate) struct Window {
    view: watch::Sender<View>,
    changed: watch::Sender<u64>,
    killed: watch::Receiver<bool>,
}

impl Window {
    /// The engine was killed: a ghost touches nothing.
    pub(crate) fn is_killed(&self) -> bool {
        *self.killed.borrow()
    }

    /// Beat 4. An older view never replaces a newer one, so that a late ghost cannot turn the watchers back.
    pub(crate) fn show(&self, view: View) {
        if self.is_killed() {
            return;
        }
        let newer = self.view.send_if_modified(|shown| {
            let newer = view.revision >= shown.revision && view != *shown;
            if newer {
                *shown = view;
            }
            newer
        });
        if newer {
            self.changed.send_modify(|count| *count += 1);
        }
    }
}

impl Roster {
    pub(crate) fn new(killed: watch::Receiver<bool>) -> Roster {
        Roster {
            slots: RwLock::default(),
            changed: watch::channel(0).0,
            since: Instant::now(),
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
        self.since.elapsed().as_millis() as u64
    }

    /// Hands a message to a draw's actor. Every asker shares one address: actix grants each clone of an address a slot
    /// beyond the mailbox's limit, so that a limit shared by clones is none.
    pub(crate) fn ask<M>(&self, draw: DrawId, message: M) -> Asked<M>
    where
        M: Message + Send + 'static,
        M::Result: Send,
        DrawActor: Handler<M>,
        <DrawActor as Handler<M>>::Result: MessageResponse<DrawActor, M>,
        <DrawActor as Actor>::Context: ToEnvelope<DrawActor, M>,
    {
        let slots = self.read();
        let Some(slot) = slots.get(&draw) else {
            return Asked::Absent(message);
        };
        slot.used_at.store(self.age_ms(), Ordering::Relaxed);
        match &slot.stand {
            Stand::Asleep => Asked::Absent(message),
            Stand::Paused => Asked::Paused,
            Stand::Elsewhere(owner) => Asked::Elsewhere(owner.clone(), message),
            Stand::Live { addr, .. } => match addr.try_send(message) {
                Ok(()) => Asked::Sent,
                Err(SendError::Full(_)) => Asked::Full,
                Err(SendError::Closed(message)) => Asked::Absent(message),
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

    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(crate) fn changes(&self) -> u64 {
        *self.changed.borrow()
    }

    pub(crate) fn is_live(&self, draw: DrawId) -> bool {
        self.read()
            .get(&draw)
            .is_some_and(|slot| match &slot.stand {
                Stand::Live { addr, .. } => addr.connected(),
                Stand::Asleep | Stand::Elsewhere(_) | Stand::Paused => false,
            })
    }

    pub(crate) fn is_paused(&self, draw: DrawId) -> bool {
        self.read()
            .get(&draw)
            .is_some_and(|slot| matches!(slot.stand, Stand::Paused))
    }

    pub(crate) fn paused(&self) -> usize {
        self.read()
            .values()
            .filter(|slot| matches!(slot.stand, Stand::Paused))
            .count()
    }

    /// The window of a draw that is being built; a draw that was awake before keeps its channel and its watchers.
    pub(crate) fn window(&self, view: View) -> Window {
        let mut slots = self.write();
        let slot = slots.entry(view.draw).or_insert_with(|| {
            self.changed.send_modify(|count| *count += 1);
            Slot {
                view: watch::channel(view).0,
                stand: Stand::Asleep,
                used_at: AtomicU64::new(self.age_ms()),
            }
        });
        Window {
            view: slot.view.clone(),
            changed: self.changed.clone(),
            killed: self.killed.clone(),
        }
    }

    pub(crate) fn live(&self, draw: DrawId, generation: u64, addr: Addr<DrawActor>) {
        if let Some(slot) = self.write().get_mut(&draw) {
            slot.stand = Stand::Live { generation, addr };
        }
    }

    /// Another node owns the draw. Its watchers keep their channel, and hear what the books say.
    pub(crate) fn elsewhere(&self, view: View, owner: Node) {
        self.window(view).show(view);
        if let Some(slot) = self.write().get_mut(&view.draw) {
            slot.stand = Stand::Elsewhere(owner);
        }
    }

    /// Who owns a draw, when another node does.
    pub(crate) fn owner(&self, draw: DrawId) -> Option<Boot> {
        self.read().get(&draw).and_then(|slot| match &slot.stand {
            Stand::Elsewhere(owner) => Some(owner.boot),
            Stand::Live { .. } | Stand::Asleep | Stand::Paused => None,
        })
    }

    /// The draw is not this node's, or not any more; whose it is, the books say.
    pub(crate) fn forget_owner(&self, draw: DrawId, was: Boot) -> bool {
        let mut slots = self.write();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        let matches = matches!(&slot.stand, Stand::Elsewhere(owner) if owner.boot == was);
        if matches {
            slot.stand = Stand::Asleep;
        }
        matches
    }

    pub(crate) fn has_elsewhere(&self) -> bool {
        self.read()
            .values()
            .any(|slot| matches!(slot.stand, Stand::Elsewhere(_)))
    }

    /// What the books are to be compared with, and the generation of each draw that is ours.
    pub(crate) fn known(&self) -> Vec<(Known, u64)> {
        let slots = self.read();
        let known = slots.iter().map(|(draw, slot)| {
            let generation = match &slot.stand {
                Stand::Live { generation, .. } => Some(*generation),
                Stand::Asleep | Stand::Elsewhere(_) | Stand::Paused => None,
            };
            let known = Known {
                draw: *draw,
                revision: slot.view.borrow().revision,
                ours: generation.is_some(),
            };
            (known, generation.unwrap_or_default())
        });
        known.collect()
    }

    /// An owner that is none any more finishes what it was asked, which is fenced, and goes. `false`: it is gone already.
    pub(crate) fn evict(&self, draw: DrawId, lost: u64) -> bool {
        let mut slots = self.write();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        match &slot.stand {
            Stand::Live { generation, addr } if *generation == lost => {
                let _ = addr.clone().try_send(Leave);
                slot.stand = Stand::Asleep;
                true
            }
            _ => false,
        }
    }

    /// The same for all that are ours, or were; answers which.
    pub(crate) fn doubt(&self) -> Vec<DrawId> {
        let ours = self.known().into_iter().filter(|(known, _)| known.ours);
        let gone = ours.filter(|(known, generation)| self.evict(known.draw, *generation));
        gone.map(|(known, _)| known.draw).collect()
    }

    /// A newer view from the books, of a draw that others write.
    pub(crate) fn show(&self, view: View) {
        self.window(view).show(view);
    }

    /// The actor of this generation is gone; `false` when the roster had forgotten it already.
    pub(crate) fn asleep(&self, draw: DrawId, gone: u64) -> bool {
        let mut slots = self.write();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        let matches = matches!(slot.stand, Stand::Live { generation, .. } if generation == gone);
        if matches {
            slot.stand = Stand::Asleep;
        }
        matches
    }

    pub(crate) fn pause(&self, draw: DrawId) {
        if let Some(slot) = self.write().get_mut(&draw) {
            slot.stand = Stand::Paused;
        }
    }

    pub(crate) fn resume(&self, draw: DrawId) {
        if let Some(slot) = self.write().get_mut(&draw)
            && matches!(slot.stand, Stand::Paused)
        {
            slot.stand = Stand::Asleep;
        }
    }

    /// Lets draws go that are decided, unwatched and were not asked for `idle_ms`. An actor whose address is gone finishes
    /// what it was asked and ends by itself.
    pub(crate) fn retire(&self, idle_ms: u64) -> usize {
        let oldest = self.age_ms().saturating_sub(idle_ms);
        let mut slots = self.write();
        let before = slots.len();
        slots.retain(|_, slot| {
            let decided = matches!(
                slot.view.borrow().status,
                Status::Completed | Status::Cancelled
            );
            let idle = slot.used_at.load(Ordering::Relaxed) < oldest;
            let paused = matches!(slot.stand, Stand::Paused);
            paused || !decided || !idle || slot.view.receiver_count() > 0
        });
        before - slots.len()
    }

    /// Tells every actor to finish what it was asked and go; views stay.
    pub(crate) fn let_go(&self) {
        for slot in self.write().values_mut() {
            if let Stand::Live { addr, .. } = &slot.stand {
                // A clone of its own has a slot in the fullest mailbox; an actor that is gone already needs no telling.
                let _ = addr.clone().try_send(Leave);
            }
            if !matches!(slot.stand, Stand::Elsewhere(_)) {
                slot.stand = Stand::Asleep;
            }
        }
    }
}
