//! Mail waiting to leave, in memory.

use std::collections::{BTreeMap, BTreeSet};

use domain::{ClubId, OrderId, PaymentIntent, Timestamp};

use super::State;
use crate::books::{Mail, Tell};
use crate::error::Failure;
use crate::nodes::Boot;

/// A mail, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedMail {
    pub id: i64,
    pub dedupe_key: String,
    pub kind: String,
    pub order: Option<OrderId>,
    /// `None` waits for the buyer to leave an address.
    pub to: Option<String>,
    pub data: String,
    pub message_id: String,
    pub attempts: u32,
    pub due_at: Timestamp,
    /// Who claimed it last, until it is known to have failed.
    pub sender: Option<Boot>,
    pub sent_at: Option<Timestamp>,
    /// Never tried again.
    pub dead: bool,
}

#[derive(Clone, Default)]
pub(super) struct Outbox {
    rows: BTreeMap<i64, QueuedMail>,
    keys: BTreeSet<String>,
    pending: BTreeSet<i64>,
    waiting: BTreeMap<OrderId, Vec<i64>>,
}

impl Outbox {
    pub fn all(&self) -> impl Iterator<Item = &QueuedMail> {
        self.rows.values()
    }

    pub fn queue(
        &mut self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: Option<&str>,
        data: &str,
        at: Timestamp,
    ) -> bool {
        if !self.keys.insert(dedupe_key.into()) {
            return false;
        }
        let id = self.rows.len() as i64 + 1;
        self.rows.insert(
            id,
            QueuedMail {
                id,
                dedupe_key: dedupe_key.into(),
                kind: kind.into(),
                order,
                to: to.map(String::from),
                data: data.into(),
                message_id: format!("<mail-{id}@football-doubles>"),
                attempts: 0,
                due_at: at,
                sender: None,
                sent_at: None,
                dead: false,
            },
        );
        match (to, order) {
            (None, Some(order)) => self.waiting.entry(order).or_default().push(id),
            _ => drop(self.pending.insert(id)),
        }
        true
    }

    /// The buyer left an address: what waited for it may leave.
    pub fn addressed(&mut self, order: OrderId, to: &str) {
        for id in self.waiting.remove(&order).unwrap_or_default() {
            self.rows.get_mut(&id).expect("waiting rows exist").to = Some(to.into());
            self.pending.insert(id);
        }
    }

    /// What is due, and what was claimed by a sender that is `freed` of it.
    pub fn claim(
        &mut self,
        sender: Boot,
        freed: impl Fn(Boot) -> bool,
        now: Timestamp,
        lease_ms: i64,
        limit: usize,
    ) -> Vec<Mail> {
        let due = |row: &QueuedMail| row.due_at <= now || row.sender.is_some_and(&freed);
        let ids: Vec<i64> = self
            .pending
            .iter()
            .copied()
            .filter(|id| due(&self.rows[id]))
            .take(limit)
            .collect();
        let claimed = ids.into_iter().map(|id| {
            let row = self.rows.get_mut(&id).expect("pending rows exist");
            row.due_at = now.plus_ms(lease_ms);
            row.attempts += 1;
            row.sender = Some(sender);
            Mail {
                id,
                kind: row.kind.clone(),
                order: row.order,
                to: row.to.clone().unwrap_or_default(),
                data: row.data.clone(),
                message_id: row.message_id.clone(),
                attempts: row.attempts,
            }
        });
        claimed.collect()
    }

    pub fn sent(&mut self, id: i64, at: Timestamp) -> Result<(), Failure> {
        let row = self.rows.get_mut(&id).ok_or(Failure::NotFound)?;
        row.sent_at.get_or_insert(at);
        self.pending.remove(&id);
        Ok(())
    }

    pub fn failed(&mut self, id: i64, again: Option<Timestamp>) -> Result<(), Failure> {
        let row = self.rows.get_mut(&id).ok_or(Failure::NotFound)?;
        if row.sent_at.is_some() {
            return Ok(());
        }
        row.sender = None;
        match again {
            Some(at) => row.due_at = at,
            None => {
                row.dead = true;
                self.pending.remove(&id);
            }
        }
        Ok(())
    }
}

/// A club's address: this memory knows clubs by their accounts alone.
fn address_of(club: ClubId) -> String {
    format!("club-{club}@club.test")
}

impl State {
    /// To the buyer of an order that is over, with its ending. Whose money was taken once has other mails.
    pub(super) fn tell(
        &mut self,
        order: OrderId,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let record = &self.orders.get(order)?.record;
        if let (Tell::Buyer, Some(to), None) =
            (tell, record.buyer.email.clone(), record.captured_at)
        {
            self.outbox.queue(
                &format!("not-charged-{order}"),
                "not-charged",
                Some(order),
                Some(&to),
                "{}",
                at,
            );
        }
        Ok(())
    }

    /// What the reconciler saw. Of a dispute the order's club hears.
    pub(super) fn witness(&mut self, said: &PaymentIntent, at: Timestamp) -> Result<(), Failure> {
        self.notices.witness(said, at);
        if let Some(order) = self
            .orders
            .id_by_payment_intent(&said.id)
            .filter(|_| said.disputed)
        {
            let to = address_of(self.orders.get(order)?.record.order.club);
            self.outbox.queue(
                &format!("disputed-{}", said.id),
                "disputed",
                Some(order),
                Some(&to),
                "{}",
                at,
            );
        }
        Ok(())
    }
}
