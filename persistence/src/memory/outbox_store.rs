//! Implements [`OutboxStore`] in memory.

use async_trait::async_trait;
use domain::{OrderId, Timestamp};

use super::{MemoryCall, MemoryState, MemoryStores};
use crate::error::Failure;
use crate::nodes::InstanceId;
use crate::stores::{Mail, OutboxStore};

#[async_trait]
impl OutboxStore for MemoryStores {
    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.write_state(MemoryCall::Write("queue_mail"), |state| {
            Ok(state
                .outbox
                .queue_mail_once(dedupe_key, kind, order, Some(to), data, at))
        })
    }

    async fn claim_mail(
        &self,
        sender: InstanceId,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure> {
        let database_now = self.now();
        self.write_state(MemoryCall::Write("claim_mail"), |state| {
            let MemoryState { outbox, nodes, .. } = state;
            let freed = |of: InstanceId| of != sender && nodes.is_gone(of, database_now);
            Ok(outbox.claim_due_mails(sender, freed, now, lease_ms, limit as usize))
        })
    }

    async fn mark_mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("mark_mail_sent"), |state| {
            state.outbox.mark_sent(mail, at)
        })
    }

    async fn record_mail_failure(
        &self,
        mail: i64,
        _why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure> {
        self.write_state(MemoryCall::Write("record_mail_failure"), |state| {
            state.outbox.record_send_failure(mail, again)
        })
    }
}
