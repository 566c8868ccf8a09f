//! All changes of the registry. Only the supervisor changes it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actix::Addr;
use domain::{DrawId, Status, View};
use persistence::nodes::{InstanceId, Node};
use tokio::sync::watch;

use super::{DrawRegistry, DrawRegistrySlot, DrawRegistrySlotState};
use crate::draw::{DrawActor, FinishAndStop, ViewPublisher};

/// Changes the registry. Owned by the supervisor only.
pub(in crate::supervisor) struct DrawRegistryWriter {
    registry: Arc<DrawRegistry>,
}

impl DrawRegistryWriter {
    pub(in crate::supervisor) fn new(registry: Arc<DrawRegistry>) -> DrawRegistryWriter {
        DrawRegistryWriter { registry }
    }

    /// Returns the publisher of a draw's views. If the draw was in memory before, the publisher
    /// uses the same channel, so that existing receivers stay connected.
    pub(in crate::supervisor) fn view_publisher(&self, view: View) -> ViewPublisher {
        let mut slots = self.registry.write_slots();
        let slot = slots.entry(view.draw).or_insert_with(|| {
            self.registry.changes.send_modify(|count| *count += 1);
            DrawRegistrySlot {
                view: watch::channel(view).0,
                state: DrawRegistrySlotState::Stopped,
                used_at: AtomicU64::new(self.registry.registry_age_ms()),
            }
        });
        ViewPublisher::new(
            slot.view.clone(),
            self.registry.changes.clone(),
            self.registry.killed.clone(),
        )
    }

    pub(in crate::supervisor) fn set_running(
        &self,
        draw: DrawId,
        generation: u64,
        addr: Addr<DrawActor>,
    ) {
        if let Some(slot) = self.registry.write_slots().get_mut(&draw) {
            slot.state = DrawRegistrySlotState::Running { generation, addr };
        }
    }

    /// Records that another node owns the draw, and publishes the view from the database.
    pub(in crate::supervisor) fn set_remote_owner(&self, view: View, owner: Node) {
        self.view_publisher(view).publish(view);
        if let Some(slot) = self.registry.write_slots().get_mut(&view.draw) {
            slot.state = DrawRegistrySlotState::Remote(owner);
        }
    }

    /// Removes the owner of a draw from the registry. `false`: the draw does not have this owner.
    pub(in crate::supervisor) fn forget_owner(&self, draw: DrawId, former: InstanceId) -> bool {
        let mut slots = self.registry.write_slots();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        let matches =
            matches!(&slot.state, DrawRegistrySlotState::Remote(owner) if owner.boot == former);
        if matches {
            slot.state = DrawRegistrySlotState::Stopped;
        }
        matches
    }

    /// Stops the actor of a draw that this node no longer owns. The database rejects the actor's
    /// remaining writes. `lost` is the actor's generation. `false`: according to the registry, this
    /// actor is not running.
    pub(in crate::supervisor) fn evict_actor(&self, draw: DrawId, lost: u64) -> bool {
        let mut slots = self.registry.write_slots();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        match &slot.state {
            DrawRegistrySlotState::Running { generation, addr } if *generation == lost => {
                let _ = addr.clone().try_send(FinishAndStop);
                slot.state = DrawRegistrySlotState::Stopped;
                true
            }
            _ => false,
        }
    }

    /// Stops the actors of all draws and returns the numbers of these draws.
    pub(in crate::supervisor) fn evict_all_actors(&self) -> Vec<DrawId> {
        let running = self
            .registry
            .known_revisions()
            .into_iter()
            .filter(|(known, _)| known.ours);
        let evicted =
            running.filter(|(known, generation)| self.evict_actor(known.draw, *generation));
        evicted.map(|(known, _)| known.draw).collect()
    }

    /// Publishes a view that another node wrote, if it is newer.
    pub(in crate::supervisor) fn publish_remote_view(&self, view: View) {
        self.view_publisher(view).publish(view);
    }

    /// Records that an actor has stopped. `stopped` is the actor's generation. `false`: according
    /// to the registry, the draw's running actor is another one, or none.
    pub(in crate::supervisor) fn set_stopped(&self, draw: DrawId, stopped: u64) -> bool {
        let mut slots = self.registry.write_slots();
        let Some(slot) = slots.get_mut(&draw) else {
            return false;
        };
        let matches = matches!(
            slot.state,
            DrawRegistrySlotState::Running { generation, .. } if generation == stopped
        );
        if matches {
            slot.state = DrawRegistrySlotState::Stopped;
        }
        matches
    }

    pub(in crate::supervisor) fn pause(&self, draw: DrawId) {
        if let Some(slot) = self.registry.write_slots().get_mut(&draw) {
            slot.state = DrawRegistrySlotState::Paused;
        }
    }

    pub(in crate::supervisor) fn resume(&self, draw: DrawId) {
        if let Some(slot) = self.registry.write_slots().get_mut(&draw)
            && matches!(slot.state, DrawRegistrySlotState::Paused)
        {
            slot.state = DrawRegistrySlotState::Stopped;
        }
    }

    /// Removes draws that are finished, unwatched and unused for `idle_ms` milliseconds. Returns
    /// their number. An actor whose address is dropped completes its work and stops.
    pub(in crate::supervisor) fn remove_idle_draws(&self, idle_ms: u64) -> usize {
        let oldest = self.registry.registry_age_ms().saturating_sub(idle_ms);
        let mut slots = self.registry.write_slots();
        let before = slots.len();
        slots.retain(|_, slot| {
            let is_decided = matches!(
                slot.view.borrow().status,
                Status::Completed | Status::Cancelled
            );
            let is_idle = slot.used_at.load(Ordering::Relaxed) < oldest;
            let is_paused = matches!(slot.state, DrawRegistrySlotState::Paused);
            is_paused || !is_decided || !is_idle || slot.view.receiver_count() > 0
        });
        before - slots.len()
    }

    /// Tells every actor to complete its work and stop. The views stay available.
    pub(in crate::supervisor) fn stop_all_actors(&self) {
        for slot in self.registry.write_slots().values_mut() {
            if let DrawRegistrySlotState::Running { addr, .. } = &slot.state {
                // The address is cloned because a new clone has a slot even in a full mailbox.
                let _ = addr.clone().try_send(FinishAndStop);
            }
            if !matches!(slot.state, DrawRegistrySlotState::Remote(_)) {
                slot.state = DrawRegistrySlotState::Stopped;
            }
        }
    }
}
