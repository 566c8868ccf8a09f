//! [`OrderStore`] in Postgres.

use async_trait::async_trait;
use domain::{OrderId, PaymentIntent, PaymentIntentId, Timestamp};

use super::order_lookup::OrderKey;
use super::order_transitions::FinalState;
use super::purchase_writes::PurchaseWrite;
use super::{Postgres, commit, order_transitions, orders};
use crate::audit_log;
use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::stores::{BuyerSource, NotifyBuyer, OrderRecord, OrderStore, TermsAgreed};

#[async_trait]
impl OrderStore for Postgres {
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure> {
        self.find(OrderKey::Id(id)).await
    }

    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure> {
        self.find(OrderKey::ClientKey(client_key.into())).await
    }

    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        self.find(OrderKey::Token(token.into())).await
    }

    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        self.find(OrderKey::PaymentIntent(id.clone())).await
    }

    async fn record_payment_intent(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure> {
        let entry = PurchaseWrite::RecordPaymentIntent {
            order,
            id: id.clone(),
            client_secret: client_secret.into(),
        };
        self.submit(entry).await.map(drop)
    }

    async fn fill_buyer(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
    ) -> Result<bool, Failure> {
        let (postgres, buyer) = (self.clone(), buyer.clone());
        let work = async move || {
            let mut transaction = postgres.begin().await?;
            let accepted = orders::fill_buyer(&mut transaction, order, &buyer, source).await?;
            commit(transaction).await.map(|()| accepted)
        };
        self.write(work).await
    }

    async fn correct_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<bool, Failure> {
        let (postgres, buyer) = (self.clone(), buyer.clone());
        self.write(async move || orders::correct_buyer(postgres.actors(), order, &buyer).await)
            .await
    }

    async fn fill_buyer_audited(
        &self,
        order: OrderId,
        buyer: &BuyerDetails,
        source: BuyerSource,
        audit_entry: Option<&audit_log::AuditEntry>,
    ) -> Result<bool, Failure> {
        let (postgres, buyer, audit_entry) = (self.clone(), buyer.clone(), audit_entry.cloned());
        let work = async move || {
            let mut transaction = postgres.begin().await?;
            let accepted = orders::fill_buyer(&mut transaction, order, &buyer, source).await?;
            if let Some(audit_entry) = audit_entry.filter(|_| accepted) {
                audit_log::write(&mut transaction, postgres.sealer(), &audit_entry)
                    .await
                    .map_err(Failure::before_commit)?;
            }
            commit(transaction).await.map(|()| accepted)
        };
        self.write(work).await
    }

    async fn write_audit_entry(&self, audit_entry: &audit_log::AuditEntry) -> Result<(), Failure> {
        let (postgres, audit_entry) = (self.clone(), audit_entry.clone());
        let work = async move || {
            let mut transaction = postgres.begin().await?;
            audit_log::write(&mut transaction, postgres.sealer(), &audit_entry)
                .await
                .map_err(Failure::before_commit)?;
            commit(transaction).await
        };
        self.write(work).await
    }

    async fn record_consent(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: TermsAgreed,
    ) -> Result<(), Failure> {
        self.submit(PurchaseWrite::RecordConsent {
            order,
            at,
            ip: ip.into(),
            terms,
        })
        .await
        .map(drop)
    }

    async fn record_capture(
        &self,
        order: OrderId,
        intent: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.submit(PurchaseWrite::RecordCapture {
            order,
            intent: intent.clone(),
            at,
        })
        .await
        .map(drop)
    }

    async fn reject(&self, order: OrderId, reason: &str, at: Timestamp) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let work = async move || {
            let mut transaction = postgres.begin().await?;
            order_transitions::reject(&mut transaction, order, &reason, at).await?;
            commit(transaction).await
        };
        self.write(work).await
    }

    async fn release(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.end(order, FinalState::Released, reason, tell, at)
            .await
    }

    async fn void(
        &self,
        order: OrderId,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.end(order, FinalState::Void, reason, tell, at).await
    }
}

impl Postgres {
    async fn find(&self, key: OrderKey) -> Result<Option<OrderRecord>, Failure> {
        let answer = self.inner.lookups.submit(key).await;
        answer.unwrap_or_else(|_| Err(Failure::NotWritten("the lookup worker panicked".into())))
    }

    async fn end(
        &self,
        order: OrderId,
        becomes: FinalState,
        reason: &str,
        tell: NotifyBuyer,
        at: Timestamp,
    ) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let work = async move || {
            let mut transaction = postgres.begin().await?;
            order_transitions::end(&mut transaction, order, becomes, &reason, tell, at).await?;
            commit(transaction).await
        };
        self.write(work).await
    }
}
