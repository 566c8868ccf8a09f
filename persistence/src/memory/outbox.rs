//! The queued mails of the memory store.

use std::collections::{BTreeMap, BTreeSet};

use domain::{ClubId, OrderId, PaymentIntent, Timestamp};

use super::MemoryState;
use crate::error::Failure;
use crate::nodes::InstanceId;
use crate::stores::{Mail, NotifyBuyer};

/// A mail and the state of its delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedMail {
    pub id: i64,
    pub dedupe_key: String,
    pub kind: String,
    pub order: Option<OrderId>,
    /// The recipient's e-mail address. `None` while the buyer has left no e-mail address.
    pub to: Option<String>,
    pub data: String,
    pub message_id: String,
    pub attempts: u32,
    pub due_at: Timestamp,
    /// The node that claimed the mail last. `None` before the first claim, and after a failed
    /// attempt to send.
    pub sender: Option<InstanceId>,
    pub sent_at: Option<Timestamp>,
    /// Whether the mail failed for good and is never tried again.
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

    pub fn queue_mail_once(
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

    /// Sets the recipient's address of those mails of the order that waited for it.
    pub fn set_waiting_mails_address(&mut self, order: OrderId, to: &str) {
        for id in self.waiting.remove(&order).unwrap_or_default() {
            self.rows.get_mut(&id).expect("waiting rows exist").to = Some(to.into());
            self.pending.insert(id);
        }
    }

    /// Claims due mails for the node `sender`. Also claims mails of other nodes for which `freed`
    /// returns true, because those nodes are gone.
    pub fn claim_due_mails(
        &mut self,
        sender: InstanceId,
        freed: impl Fn(InstanceId) -> bool,
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

    pub fn mark_sent(&mut self, id: i64, at: Timestamp) -> Result<(), Failure> {
        let row = self.rows.get_mut(&id).ok_or(Failure::NotFound)?;
        row.sent_at.get_or_insert(at);
        self.pending.remove(&id);
        Ok(())
    }

    pub fn record_send_failure(
        &mut self,
        id: i64,
        again: Option<Timestamp>,
    ) -> Result<(), Failure> {
        let row = self.rows.get_mut(&id).ok_or(Failure::NotFound)?;
        if row.sent_at.is_some() {
            return Ok(());
        }
        row.sender = None;
        if let Some(at) = again {
            row.due_at = at;
        } else {
            row.dead = true;
            self.pending.remove(&id);
        }
        Ok(())
    }
}

/// Returns an invented e-mail address for a club. The memory store holds no club addresses, only
/// connected accounts.
fn fake_club_email(club: ClubId) -> String {
    format!("club-{club}@club.test")
}

impl MemoryState {
    /// Queues the mail that tells the buyer that nothing was charged, when an order ends. An order
    /// that was ever captured gets other mails instead.
    pub(super) fn queue_not_charged_mail(
        &mut self,
        order: OrderId,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let record = &self.orders.get(order)?.record;
        if let (NotifyBuyer::Buyer, Some(to), None) =
            (tell, record.buyer.email.clone(), record.captured_at)
        {
            self.outbox.queue_mail_once(
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

    /// Stores a provider snapshot. For a disputed payment, or one about which the bank asks, it
    /// queues a mail to the order's club.
    pub(super) fn store_provider_snapshot(
        &mut self,
        intent: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.webhook_events.store_provider_snapshot(intent, at);
        let kind = match (intent.is_disputed(), intent.has_open_inquiry()) {
            (true, _) => "disputed",
            (false, true) => "inquiry",
            (false, false) => return Ok(()),
        };
        if let Some(order) = self.orders.id_by_payment_intent(&intent.id) {
            let to = fake_club_email(self.orders.get(order)?.record.order.club);
            self.outbox.queue_mail_once(
                &format!("{kind}-{}", intent.id),
                kind,
                Some(order),
                Some(&to),
                "{}",
                at,
            );
        }
        Ok(())
    }
}
