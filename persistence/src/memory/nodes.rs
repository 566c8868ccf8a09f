//! The list of nodes of the memory store.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::Timestamp;

use super::{MemoryCall, MemoryStores};
use crate::error::Failure;
use crate::nodes::{GONE_AFTER_LEASE_END_MS, InstanceId, LEASE_MS, Node, Nodes, OtherNodes};

/// The nodes, in the order in which they started.
#[derive(Clone, Default)]
pub(super) struct NodeList {
    rows: Vec<NodeLease>,
    /// Processes that have not ended. A process that hangs counts as running.
    running: BTreeSet<InstanceId>,
}

#[derive(Clone)]
struct NodeLease {
    node: Node,
    /// When the lease ends. `None` when no clock is set: the lease then lasts until the node leaves
    /// or is removed.
    until: Option<Timestamp>,
}

impl NodeList {
    /// Returns the node if its lease has not ended.
    pub fn find_living_node(&self, boot: InstanceId, now: Option<Timestamp>) -> Option<&Node> {
        let row = self.rows.iter().find(|row| row.node.boot == boot)?;
        row.is_valid_at(now).then_some(&row.node)
    }

    /// Returns whether the node left, was removed, or has not renewed its lease for
    /// [`GONE_AFTER_LEASE_END_MS`] after the lease ended.
    pub fn is_gone(&self, boot: InstanceId, now: Option<Timestamp>) -> bool {
        let row = self.rows.iter().find(|row| row.node.boot == boot);
        row.is_none_or(|row| {
            row.until
                .zip(now)
                .is_some_and(|(until, now)| until.plus_ms(GONE_AFTER_LEASE_END_MS) <= now)
        })
    }

    fn renew(&mut self, me: &Node, now: Option<Timestamp>) -> OtherNodes {
        self.running.insert(me.boot);
        let until = now.map(|now| now.plus_ms(LEASE_MS));
        match self.rows.iter_mut().find(|row| row.node.boot == me.boot) {
            Some(row) => row.until = until,
            None => self.rows.push(NodeLease {
                node: me.clone(),
                until,
            }),
        }
        let living: Vec<&Node> = self
            .rows
            .iter()
            .filter(|row| row.is_valid_at(now))
            .map(|row| &row.node)
            .collect();
        OtherNodes {
            eldest: living.first().is_some_and(|first| first.boot == me.boot),
            others: living
                .into_iter()
                .filter(|node| node.boot != me.boot)
                .cloned()
                .collect(),
        }
    }

    pub fn end_all_leases(&mut self) {
        self.rows.clear();
    }

    fn end_lease(&mut self, boot: InstanceId) {
        self.rows.retain(|row| row.node.boot != boot);
    }
}

impl NodeLease {
    fn is_valid_at(&self, now: Option<Timestamp>) -> bool {
        self.until.zip(now).is_none_or(|(until, now)| now < until)
    }
}

#[async_trait]
impl Nodes for MemoryStores {
    async fn renew(&self, me: &Node) -> Result<OtherNodes, Failure> {
        let now = self.now();
        self.write_state(MemoryCall::Write("renew"), |state| {
            Ok(state.nodes.renew(me, now))
        })
    }

    async fn remove_ended_node(&self, gone: InstanceId) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("bury"), |state| {
            let dead = !state.nodes.running.contains(&gone);
            if dead {
                state.nodes.end_lease(gone);
            }
            Ok(dead)
        })
    }

    async fn leave(&self, me: InstanceId) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("leave"), |state| {
            state.nodes.end_lease(me);
            Ok(())
        })
    }

    fn simulate_kill(&self, me: InstanceId) {
        self.state().nodes.running.remove(&me);
    }
}
