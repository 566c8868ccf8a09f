//! [`ReconciliationStore`] in Postgres.

use async_trait::async_trait;
use domain::{
    AccountId, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, Serial, Timestamp,
};

use super::{Postgres, anomalies, orders, payments};
use crate::error::Failure;
use crate::stores::{OrderRecord, ReconciliationStore};

#[async_trait]
impl ReconciliationStore for Postgres {
    async fn orders_open(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move {
            orders::open(
                postgres.background(),
                postgres.secrets(),
                opened_before,
                limit,
            )
            .await
        })
        .await
    }

    async fn orders_captured(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move {
            orders::captured(postgres.background(), postgres.secrets(), since, limit).await
        })
        .await
    }

    async fn orders_of_cancelled_draws(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move {
            orders::called_off(postgres.background(), postgres.secrets(), limit).await
        })
        .await
    }

    async fn orders_without_address(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run(async move {
            orders::nameless(
                postgres.background(),
                postgres.secrets(),
                captured_before,
                limit,
            )
            .await
        })
        .await
    }

    async fn newest_order(&self) -> Result<Option<Timestamp>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::newest(postgres.background()).await })
            .await
    }

    async fn connected_accounts(&self) -> Result<Vec<AccountId>, Failure> {
        let postgres = self.clone();
        self.run(async move { orders::accounts(postgres.background()).await })
            .await
    }

    async fn record_provider_snapshots(
        &self,
        intents: &[PaymentIntent],
        at: Timestamp,
    ) -> Result<(), Failure> {
        let (postgres, intents) = (self.clone(), intents.to_vec());
        self.write(async move || {
            payments::store_snapshots(postgres.background(), &intents, at).await
        })
        .await
    }

    async fn account_of_payment(
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

    async fn ticket_owner(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure> {
        let postgres = self.clone();
        self.run(async move { anomalies::holder(postgres.background(), draw, serial).await })
            .await
    }
}
