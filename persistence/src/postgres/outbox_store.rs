//! Implements [`OutboxStore`] in Postgres.

use async_trait::async_trait;
use domain::{OrderId, Timestamp};

use super::outbox::NewMail;
use super::purchase_writes::PurchaseWrite;
use super::{Postgres, outbox};
use crate::error::Failure;
use crate::nodes::InstanceId;
use crate::stores::{Mail, OutboxStore};

#[async_trait]
impl OutboxStore for Postgres {
    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let postgres = self.clone();
        let (dedupe_key, kind) = (dedupe_key.into(), kind.into());
        let mail = NewMail {
            dedupe_key,
            kind,
            order,
            to: to.into(),
            data: data.into(),
            at,
        };
        self.write_with_retries(async move || {
            outbox::queue_mail_once(postgres.actors_pool(), &mail).await
        })
        .await
    }

    async fn claim_mail(
        &self,
        sender: InstanceId,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure> {
        let postgres = self.clone();
        self.write_with_retries(async move || {
            outbox::claim_due_mails(postgres.background_pool(), sender, now, lease_ms, limit).await
        })
        .await
    }

    async fn mark_mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure> {
        self.submit(PurchaseWrite::MarkMailSent { mail, at })
            .await
            .map(drop)
    }

    async fn record_mail_failure(
        &self,
        mail: i64,
        why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure> {
        let (postgres, why) = (self.clone(), why.to_string());
        self.write_with_retries(async move || {
            outbox::record_send_failure(postgres.background_pool(), mail, &why, again).await
        })
        .await
    }
}
