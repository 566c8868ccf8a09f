//! The list of nodes in memory.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::Timestamp;

use super::{Call, Memory};
use crate::error::Failure;
use crate::nodes::{Boot, GONE_MS, LEASE_MS, Node, Nodes, Roll};

/// In the order they started.
#[derive(Clone, Default)]
pub(super) struct List {
    rows: Vec<Row>,
    /// Processes that run, as far as the kernel knows: a hung one runs.
    running: BTreeSet<Boot>,
}

#[derive(Clone)]
struct Row {
    node: Node,
    /// `None` without a clock: until it leaves or is buried.
    until: Option<Timestamp>,
}

impl List {
    /// The node, if its lease runs.
    pub fn living(&self, boot: Boot, now: Option<Timestamp>) -> Option<&Node> {
        let row = self.rows.iter().find(|row| row.node.boot == boot)?;
        row.lives(now).then_some(&row.node)
    }

    /// Not there any more, or silent for so long that nobody waits for it.
    pub fn is_gone(&self, boot: Boot, now: Option<Timestamp>) -> bool {
        let row = self.rows.iter().find(|row| row.node.boot == boot);
        row.is_none_or(|row| {
            row.until
                .zip(now)
                .is_some_and(|(until, now)| until.plus_ms(GONE_MS) <= now)
        })
    }

    fn renew(&mut self, me: &Node, now: Option<Timestamp>) -> Roll {
        self.running.insert(me.boot);
        let until = now.map(|now| now.plus_ms(LEASE_MS));
        match self.rows.iter_mut().find(|row| row.node.boot == me.boot) {
            Some(row) => row.until = until,
            None => self.rows.push(Row {
                node: me.clone(),
                until,
            }),
        }
        let living: Vec<&Node> = self
            .rows
            .iter()
            .filter(|row| row.lives(now))
            .map(|row| &row.node)
            .collect();
        Roll {
            eldest: living.first().is_some_and(|first| first.boot == me.boot),
            others: living
                .into_iter()
                .filter(|node| node.boot != me.boot)
                .cloned()
                .collect(),
        }
    }

    pub fn end_all(&mut self) {
        self.rows.clear();
    }

    fn end(&mut self, boot: Boot) {
        self.rows.retain(|row| row.node.boot != boot);
    }
}

impl Row {
    fn lives(&self, now: Option<Timestamp>) -> bool {
        self.until.zip(now).is_none_or(|(until, now)| now < until)
    }
}

#[async_trait]
impl Nodes for Memory {
    async fn renew(&self, me: &Node) -> Result<Roll, Failure> {
        let now = self.now();
        self.writing(Call::Write("renew"), |state| Ok(state.nodes.renew(me, now)))
    }

    async fn bury(&self, gone: Boot) -> Result<bool, Failure> {
        self.writing(Call::Write("bury"), |state| {
            let dead = !state.nodes.running.contains(&gone);
            if dead {
                state.nodes.end(gone);
            }
            Ok(dead)
        })
    }

    async fn leave(&self, me: Boot) -> Result<(), Failure> {
        self.writing(Call::Write("leave"), |state| {
            state.nodes.end(me);
            Ok(())
        })
    }

    fn vanish(&self, me: Boot) {
        self.state().nodes.running.remove(&me);
    }
}
