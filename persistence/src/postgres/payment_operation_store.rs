//! Implements [`PaymentOperationStore`] in Postgres.

use async_trait::async_trait;
use domain::{Cents, DrawId, OrderId, PaymentIntentId, ProviderRefund, Timestamp};

use super::purchase_writes::{PurchaseWrite, WriteOutcome};
use super::{Postgres, codec, commit, fees, operations, order_transitions, refund_status, repairs};
use crate::error::Failure;
use crate::stores::{
    AttemptOutcome, Operation, OperationKind, PaymentOperationStore, PaymentRepair,
};

#[async_trait]
impl PaymentOperationStore for Postgres {
    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure> {
        let postgres = self.clone();
        self.write_with_retries(async move || {
            operations::claim_due_operations(postgres.background_pool(), now, lease_ms, limit).await
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
            .submit(PurchaseWrite::ClaimOperation {
                order,
                kind,
                now,
                lease_ms,
            })
            .await?
        {
            WriteOutcome::Claimed(operation) => Ok(operation),
            WriteOutcome::Done | WriteOutcome::IsNewEvent(_) => Ok(None),
        }
    }

    async fn record_attempt(&self, operation: i64, attempt: AttemptOutcome) -> Result<(), Failure> {
        self.submit(PurchaseWrite::RecordAttempt { operation, attempt })
            .await
            .map(drop)
    }

    async fn fee_to_refund_for_voided_tickets(&self, order: OrderId) -> Result<Cents, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            fees::fee_to_refund_for_voided_tickets(postgres.actors_pool(), codec::order_uuid(order))
                .await
        })
        .await
    }

    async fn fee_refunded_so_far(&self, order: OrderId) -> Result<Cents, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            fees::fee_refunded_so_far(postgres.actors_pool(), codec::order_uuid(order)).await
        })
        .await
    }

    async fn queue_refund(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure> {
        let (postgres, reason) = (self.clone(), reason.to_string());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            order_transitions::queue_refund_and_void_order(
                &mut transaction,
                order,
                amount,
                fee,
                &reason,
            )
            .await?;
            commit(transaction).await
        };
        self.write_with_retries(work).await
    }

    async fn record_refund_status(
        &self,
        order: OrderId,
        refund: &ProviderRefund,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, refund) = (self.clone(), refund.clone());
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            let is_new = refund_status::record(&mut transaction, order, &refund, at).await?;
            commit(transaction).await?;
            Ok(is_new)
        };
        self.write_with_retries(work).await
    }

    async fn orders_with_pending_refunds(&self, limit: u32) -> Result<Vec<OrderId>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            refund_status::orders_with_pending_refunds(postgres.background_pool(), limit).await
        })
        .await
    }

    async fn draws_owing_fee_refunds(&self) -> Result<Vec<DrawId>, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            fees::draws_owing_fee_refunds(postgres.background_pool()).await
        })
        .await
    }

    async fn queue_fee_refunds(&self, draw: DrawId) -> Result<(), Failure> {
        let postgres = self.clone();
        let work = async move || {
            let mut transaction = postgres.begin_transaction().await?;
            fees::queue_fee_refunds_of_draw(&mut transaction, draw).await?;
            commit(transaction).await
        };
        self.write_with_retries(work).await
    }

    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: PaymentRepair,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        let (postgres, id) = (self.clone(), id.clone());
        self.write_with_retries(async move || {
            repairs::begin(postgres.background_pool(), &id, repair, at).await
        })
        .await
    }

    async fn end_repair(&self, id: &PaymentIntentId, repair: PaymentRepair) -> Result<(), Failure> {
        let (postgres, id) = (self.clone(), id.clone());
        self.write_with_retries(async move || {
            repairs::end(postgres.background_pool(), &id, repair).await
        })
        .await
    }
}
