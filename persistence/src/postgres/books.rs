//! The trait `Books` in Postgres. What every purchase does goes over a desk and is written or read many at once; what is
//! rare is a statement or a transaction of its own.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, OrderId, PaymentIntent,
    PaymentIntentId, Serial, Timestamp,
};

use super::endings::Ending;
use super::entries::{Entry, Said};
use super::finder::Name;
use super::outbox::NewMail;
use super::{
    Postgres, anomalies, endings, fees, notices, operations, orders, outbox, payments, repairs,
    words,
};
use crate::books::{
    AnomalyRecord, Attempt, Books, Mail, Notice, Operation, OperationKind, OrderRecord, Repair,
    Tell, TermsAgreed,
};
use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::nodes::Boot;
use crate::records::audit;

impl Postgres {
    async fn enter(&self, entry: Entry) -> Result<Said, Failure> {
        let answer = self.inner.entries.ask(entry).await;
        answer.unwrap_or_else(|_| Err(Failure::Unknown("the writer vanished".into())))
    }

    async fn find(&self, name: Name) -> Result<Option<OrderRecord>, Failure> {
        let answer = self.inner.finders.ask(name).await;
        answer.unwrap_or_else(|_| Err(Failure::NotWritten("the reader vanished".into())))
    }

    async fn begin(&self) -> Result<sqlx::Transaction<'static, sqlx::Postgres>, Failure> {
        self.actors().begin().await.map_err(Failure::before_commit)
    }
}

async fn commit(transaction: sqlx::Transaction<'_, sqlx::Postgres>) -> Result<(), Failure> {
    transaction.commit().await.map_err(Failure::at_commit)
}

#[async_trait]
impl Books for Postgres {
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure> {
        self.find(Name::Id(id)).await
    }

    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure> {
        self.find(Name::ClientKey(client_key.into())).await
    }

    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        self.find(Name::Token(token.into())).await
    }

    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        self.find(Name::PaymentIntent(id.clone())).await
    }

    async fn opened(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure> {
        let entry = Entry::Opened {
            order,
            id: id.clone(),
            client_secret: client_secret.into(),
        };
        self.enter(entry).await.map(drop)
    }

    async fn fill_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<(), Failure> {
        let (postgres, buyer) = (self.clone(), buyer.clone());
        let filled = async move || {
            let mut transaction = postgres.begin().await?;
            orders::fill_buyer(&mut transaction, order, &buyer).await?;
            commit(transaction).await
        };
        self.write(filled).await
    }

    async fn correct_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<bool, Failure> {
        let (postgres, buyer) = (self.clone(), buyer.clone());
        self.write(async move || orders::correct_buyer(postgres.actors(), order, &buyer).await)
            .await
    }

    async fn recover(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        act: Option<&audit::Entry>,
    ) -> Result<(), Failure> {
        let (postgres, buyer, act) = (self.clone(), buyer.clone(), act.cloned());
        let recovered = async move || {
            let mut transaction = postgres.begin().await?;
            orders::fill_buyer(&mut transaction, order, &buyer).await?;
            if let Some(act) = act {
                audit::write(&mut transaction, &act)
                    .await
                    .map_err(Failure::before_commit)?;
            }
            commit(transaction).await
        };
        self.write(recovered).await
    }

    async fn note(&self, act: &audit::Entry) -> Result<(), Failure> {
        let (postgres, act) = (self.clone(), act.clone());
        let noted = async move || {
            let mut transaction = postgres.begin().await?;
            audit::write(&mut transaction, &act)
                .await
                .map_err(Failure::before_commit)?;
            commit(transaction).await
        };
        self.write(noted).await
    }

    async fn consented(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: TermsAgreed,
    ) -> Result<(), Failure> {
        self.enter(Entry::Consented {
            order,
            at,
            ip: ip.into(),
            terms,
        })
        .await
        .map(drop)
    }

    async fn captured(
        &self,
        order: OrderId,
        said: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.enter(Entry::Captured {
            order,
            said: said.clone(),
            at,
        })
        .await
        .map(drop)
    }

    async fn rejecting(&self, order: OrderId, reason: &str, at: Timestamp) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let rejected = async move || {
            let mut transaction = postgres.begin().await?;
            endings::reject(&mut transaction, order, &reason, at).await?;
            commit(transaction).await
        };
        self.write(rejected).await
    }

    async fn released(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.end(order, Ending::Released, reason, tell, at).await
    }

    async fn voided(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.end(order, Ending::Void, reason, tell, at).await
    }

    async fn fee_returned(&self, order: OrderId) -> Result<Cents, Failure> {
        let postgres = self.clone();
        self.run(async move { payments::fee_returned(postgres.actors(), words::uuid(order)).await })
            .await
    }

    async fn fee_given_back(&self, order: OrderId) -> Result<Cents, Failure> {
        let postgres = self.clone();
        self.run(
            async move { payments::fee_given_back(postgres.actors(), words::uuid(order)).await },
        )
        .await
    }

    async fn refunding(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let queued = async move || {
            let mut transaction = postgres.begin().await?;
            endings::refund(&mut transaction, order, amount, fee, &reason).await?;
            commit(transaction).await
        };
        self.write(queued).await
    }

    async fn fees_owed(&self) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        self.run(async move { fees::owing(postgres.background()).await })
            .await
    }

    async fn give_fees_back(&self, draw: DrawId) -> Result<(), Failure> {
        let postgres = self.clone();
        let given = async move || {
            let mut transaction = postgres.begin().await?;
            fees::give_back(&mut transaction, draw).await?;
            commit(transaction).await
        };
        self.write(given).await
    }

    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure> {
        let postgres = self.clone();
        self.write(async move || {
            operations::claim(postgres.background(), now, lease_ms, limit).await
        })
        .await
    }

    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Operation>, Failure> {
        match self
            .enter(Entry::Claim {
                order,
                kind,
                now,
                lease_ms,
            })
            .await?
        {
            Said::Claimed(operation) => Ok(operation),
            Said::Done | Said::New(_) => Ok(None),
        }
    }

    async fn attempted(&self, operation: i64, attempt: Attempt) -> Result<(), Failure> {
        self.enter(Entry::Attempted { operation, attempt })
            .await
            .map(drop)
    }

    async fn notice(&self, notice: &Notice, taker: Boot, at: Timestamp) -> Result<bool, Failure> {
        let said = self
            .enter(Entry::Notice {
                notice: notice.clone(),
                taker,
                at,
            })
            .await?;
        Ok(matches!(said, Said::New(true)))
    }

    async fn notices_unhandled(
        &self,
        taker: Boot,
        overdue: Timestamp,
        limit: u32,
    ) -> Result<Vec<Notice>, Failure> {
        let postgres = self.clone();
        self.run(
            async move { notices::unhandled(postgres.background(), taker, overdue, limit).await },
        )
        .await
    }

    async fn notice_handled(&self, event_id: &str, at: Timestamp) -> Result<(), Failure> {
        self.enter(Entry::NoticeHandled {
            event_id: event_id.into(),
            at,
        })
        .await
        .map(drop)
    }

    async fn orders_open(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::open(postgres.background(), opened_before, limit).await })
            .await
    }

    async fn orders_captured(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::captured(postgres.background(), since, limit).await })
            .await
    }

    async fn orders_called_off(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::called_off(postgres.background(), limit).await })
            .await
    }

    async fn newest_order(&self) -> Result<Option<Timestamp>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::newest(postgres.background()).await })
            .await
    }

    async fn accounts(&self) -> Result<Vec<AccountId>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::accounts(postgres.background()).await })
            .await
    }

    async fn witness(&self, said: &[PaymentIntent], at: Timestamp) -> Result<(), Failure> {
        let (postgres, said) = (self.clone(), said.to_vec());
        self.write(async move || payments::witness(postgres.background(), &said, at).await)
            .await
    }

    async fn raise(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, anomaly) = (self.clone(), anomaly.clone());
        self.write(async move || {
            anomalies::raise(postgres.background(), &anomaly, amount, at).await
        })
        .await
    }

    async fn heal(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.write(async move || anomalies::heal(postgres.background(), &id, kind, at).await)
            .await
    }

    async fn open_about(&self, payment_intent: &PaymentIntentId) -> Result<Vec<u128>, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.run(async move { anomalies::open_about(postgres.background(), &id).await })
            .await
    }

    async fn reported(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure> {
        let (postgres, among) = (self.clone(), among.to_vec());
        self.run(async move { anomalies::reported(postgres.background(), &among).await })
            .await
    }

    async fn heal_known(&self, anomalies: &[u128], at: Timestamp) -> Result<u64, Failure> {
        let (postgres, anomalies) = (self.clone(), anomalies.to_vec());
        self.write(async move || anomalies::heal_known(postgres.background(), &anomalies, at).await)
            .await
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move { anomalies::list(postgres.background(), only_open, limit).await })
            .await
    }

    async fn anomaly_counts(&self) -> Result<(u64, u64), Failure> {
        let postgres = self.clone();
        self.run(async move { anomalies::counts(postgres.background()).await })
            .await
    }

    async fn resolve(
        &self,
        anomaly: u128,
        resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, resolution) = (self.clone(), resolution.to_string());
        self.write(async move || {
            anomalies::resolve(postgres.background(), anomaly, &resolution, at).await
        })
        .await
    }

    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, id) = (self.clone(), id.clone());
        self.write(async move || repairs::begin(postgres.background(), &id, repair, at).await)
            .await
    }

    async fn end_repair(&self, id: &PaymentIntentId, repair: Repair) -> Result<(), Failure> {
        let (postgres, id) = (self.clone(), id.clone());
        self.write(async move || repairs::end(postgres.background(), &id, repair).await)
            .await
    }

    async fn witnessed(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Option<AccountId>, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.run(async move { anomalies::witnessed(postgres.background(), &id).await })
            .await
    }

    async fn club_of(&self, account: &AccountId) -> Result<Option<ClubId>, Failure> {
        let (postgres, account) = (self.clone(), account.clone());
        self.run(async move { anomalies::club_of(postgres.background(), &account).await })
            .await
    }

    async fn holder(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure> {
        let postgres = self.clone();
        self.run(async move { anomalies::holder(postgres.background(), draw, serial).await })
            .await
    }

    async fn orders_nameless(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(
            async move { orders::nameless(postgres.background(), captured_before, limit).await },
        )
        .await
    }

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
        self.write(async move || outbox::queue(postgres.actors(), &mail).await)
            .await
    }

    async fn claim_mail(
        &self,
        sender: Boot,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure> {
        let postgres = self.clone();
        self.write(async move || {
            outbox::claim(postgres.background(), sender, now, lease_ms, limit).await
        })
        .await
    }

    async fn mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure> {
        self.enter(Entry::MailSent { mail, at }).await.map(drop)
    }

    async fn mail_failed(
        &self,
        mail: i64,
        why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure> {
        let (postgres, why) = (self.clone(), why.to_string());
        self.write(async move || outbox::failed(postgres.background(), mail, &why, again).await)
            .await
    }
}

impl Postgres {
    async fn end(
        &self,
        order: OrderId,
        ending: Ending,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let ended = async move || {
            let mut transaction = postgres.begin().await?;
            endings::end(&mut transaction, order, ending, &reason, tell, at).await?;
            commit(transaction).await
        };
        self.write(ended).await
    }
}
