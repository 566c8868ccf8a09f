//! Implements [`ReconciliationStore`] in Postgres.

use async_trait::async_trait;
use domain::{
    AccountId, ClubId, DrawId, OrderId, PaymentIntent, PaymentIntentId, Serial, Timestamp,
};
use sqlx::postgres::PgPool;

use super::purchase_writes::PaymentIntentColumns;
use super::{Postgres, anomalies, codec, orders};
use crate::error::Failure;
use crate::stores::{OrderRecord, ReconciliationStore};

#[async_trait]
impl ReconciliationStore for Postgres {
    async fn unfinished_orders(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            orders::unfinished_orders_opened_before(
                postgres.background_pool(),
                postgres.secrets(),
                opened_before,
                limit,
            )
            .await
        })
        .await
    }

    async fn orders_captured_since(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            orders::orders_captured_since(
                postgres.background_pool(),
                postgres.secrets(),
                since,
                limit,
            )
            .await
        })
        .await
    }

    async fn orders_of_cancelled_draws(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            orders::captured_of_cancelled_draws(
                postgres.background_pool(),
                postgres.secrets(),
                limit,
            )
            .await
        })
        .await
    }

    async fn captured_orders_without_email(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            orders::captured_orders_without_email(
                postgres.background_pool(),
                postgres.secrets(),
                captured_before,
                limit,
            )
            .await
        })
        .await
    }

    async fn newest_order_opened_at(&self) -> Result<Option<Timestamp>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            orders::newest_opened_at(postgres.background_pool()).await
        })
        .await
    }

    async fn connected_accounts(&self) -> Result<Vec<AccountId>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            orders::connected_accounts(postgres.background_pool()).await
        })
        .await
    }

    async fn record_provider_snapshots(
        &self,
        intents: &[PaymentIntent],
        at: Timestamp,
    ) -> Result<(), Failure> {
        let (postgres, intents) = (self.clone(), intents.to_vec());
        self.write_with_retries(async move || {
            store_snapshots(postgres.background_pool(), &intents, at).await
        })
        .await
    }

    async fn account_of_payment(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Option<AccountId>, Failure> {
        let (postgres, id) = (self.clone(), payment_intent.clone());
        self.run_on_database_threads(async move {
            anomalies::account_of_payment(postgres.background_pool(), &id).await
        })
        .await
    }

    async fn club_of_account(&self, account: &AccountId) -> Result<Option<ClubId>, Failure> {
        let (postgres, account) = (self.clone(), account.clone());
        self.run_on_database_threads(async move {
            anomalies::club_of_account(postgres.background_pool(), &account).await
        })
        .await
    }

    async fn ticket_owner(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            anomalies::ticket_owner(postgres.background_pool(), draw, serial).await
        })
        .await
    }
}

/// Stores provider snapshots, and copies the provider's fee, the dispute and a missing payment
/// method to the payment's row. For a disputed payment, or one about which the bank asks, a mail to
/// the club is queued, even if the store already has a newer snapshot.
async fn store_snapshots(
    pool: &PgPool,
    intents: &[PaymentIntent],
    at: Timestamp,
) -> Result<(), Failure> {
    let mut columns = PaymentIntentColumns::default();
    for intent in intents {
        columns.add(intent.order.map(codec::order_uuid), intent, at);
    }
    let [amount, received, refunded, fee, fee_refunded] = &columns.amounts;
    sqlx::query!(
        "with seen as (
           insert into provider_pi (payment_intent_id, order_id, account_id, status, currency, amount_cents,
             amount_received_cents, amount_refunded_cents, application_fee_cents, application_fee_refunded_cents,
             provider_fee_cents, disputed, payment_method, first_seen_at, status_since, synced_at)
           select a.*, a.at, a.at from unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[],
             $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::boolean[], $13::text[],
             $14::timestamptz[]) as a (id, order_id, account, status, currency, amount, received, refunded, fee, fee_refunded,
               provider_fee, disputed, method, at)
           on conflict (payment_intent_id) do update set
             order_id = excluded.order_id, account_id = excluded.account_id, status = excluded.status,
             currency = excluded.currency, amount_cents = excluded.amount_cents,
             amount_received_cents = excluded.amount_received_cents,
             amount_refunded_cents = excluded.amount_refunded_cents,
             application_fee_cents = excluded.application_fee_cents,
             application_fee_refunded_cents = excluded.application_fee_refunded_cents,
             provider_fee_cents = coalesce(excluded.provider_fee_cents, provider_pi.provider_fee_cents),
             disputed = excluded.disputed,
             payment_method = coalesce(excluded.payment_method, provider_pi.payment_method),
             status_since = case when provider_pi.status = excluded.status then provider_pi.status_since
                                 else excluded.status_since end,
             synced_at = excluded.synced_at
             where provider_pi.synced_at <= excluded.synced_at
           returning payment_intent_id, provider_fee_cents, disputed, payment_method
         ), told as (
           insert into email_outbox (dedupe_key, kind, order_id, to_address)
           select m.kind || '-' || a.id, m.kind, o.id, c.email
           from unnest($1::text[], $12::boolean[], $15::boolean[]) as a (id, disputed, inquired)
           join (values ('disputed'), ('inquiry')) as m (kind)
             on case m.kind when 'disputed' then a.disputed else a.inquired end
           join orders o on o.payment_intent_id = a.id join clubs c on c.id = o.club_id
           on conflict (dedupe_key) do nothing
         )
         update payments p set provider_fee_cents = coalesce(s.provider_fee_cents, p.provider_fee_cents),
           disputed = s.disputed, payment_method = coalesce(p.payment_method, s.payment_method)
         from seen s where p.payment_intent_id = s.payment_intent_id",
        &columns.ids[..],
        &columns.orders as _,
        &columns.accounts[..],
        &columns.statuses as _,
        &columns.currencies[..],
        &amount[..],
        &received[..],
        &refunded[..],
        &fee[..],
        &fee_refunded[..],
        &columns.provider_fees as _,
        &columns.disputed[..],
        &columns.methods as _,
        &columns.at[..],
        &columns.inquiries[..]
    )
    .execute(pool)
    .await
    .map_err(Failure::from_commit_error)?;
    Ok(())
}
