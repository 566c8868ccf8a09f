//! Returns the money of a payment that pays for no tickets. The payment has no order, is the second
//! payment for an order, or its order has ended.

use std::slice;

use domain::provider_error::ProviderErrorClass;
use domain::{AccountId, Cents, OrderState, PaymentIntent, PaymentIntentId};
use persistence::records::audit::AuditEntry;
use persistence::stores::{NotifyBuyer, OrderRecord, PaymentRepair};

use super::{RepairError, Repairs};
use crate::GatewayError;

/// The amounts that were returned from a payment without tickets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnedAmounts {
    /// The amount refunded to the buyer.
    pub amount: Cents,
    /// The part of the platform's application fee that was returned to the club.
    pub fee: Cents,
}

impl Repairs<'_> {
    /// Returns the money of a payment without tickets. The provider stores one answer per
    /// idempotency key, so a repeated call returns nothing twice. The audit entry is written before
    /// the refund.
    pub(crate) async fn return_unmatched_payment(
        self,
        id: &PaymentIntentId,
        audit_entry: Option<AuditEntry>,
    ) -> Result<ReturnedAmounts, RepairError> {
        let store = &self.context.store;
        let account = match self.find_order_without_tickets(id).await? {
            Some(record) => record.order.account,
            None => store
                .account_of_payment(id)
                .await?
                .ok_or(RepairError::Unknown)?,
        };
        if !store
            .begin_repair(id, PaymentRepair::Return, self.context.clock.now())
            .await?
        {
            return Err(RepairError::HasTickets);
        }
        let returned = self
            .return_payment_in_repair(id, &account, audit_entry)
            .await;
        self.end_repair(id, PaymentRepair::Return, returned).await
    }

    /// Returns the money while this repair is registered in the database.
    async fn return_payment_in_repair(
        self,
        id: &PaymentIntentId,
        account: &AccountId,
        audit_entry: Option<AuditEntry>,
    ) -> Result<ReturnedAmounts, RepairError> {
        let context = self.context;
        let intent = context
            .gateway
            .retrieve(account, id)
            .await
            .map_err(|_| RepairError::Unavailable)?;
        // The order is checked again, because it may have got tickets during the call to the
        // provider.
        let order = self.find_order_without_tickets(id).await?;
        if !context.is_platform_payment(&intent).await? {
            return Err(RepairError::Unknown);
        }
        // The ledgers of the draws contain the fee of a captured order, so no fee is returned here.
        // The part that is due stays with the platform, and the fee refunds return the rest.
        let fee_is_in_ledger = order
            .as_ref()
            .is_some_and(|record| record.captured_at.is_some());
        if !intent.is_captured() {
            return Err(RepairError::Unknown);
        }
        if intent.is_disputed() {
            return Err(RepairError::Disputed);
        }
        let to_return = ReturnedAmounts {
            amount: intent.amount_received - intent.amount_refunded,
            fee: if fee_is_in_ledger {
                Cents::ZERO
            } else {
                intent.application_fee - intent.application_fee_refunded
            },
        };
        if to_return.amount <= Cents::ZERO && to_return.fee <= Cents::ZERO {
            return Err(RepairError::Refunded);
        }
        if let Some(entry) = &audit_entry {
            context.store.write_audit_entry(entry).await?;
        }
        if let Some(record) = &order {
            // A void order cannot get tickets while its payment is being refunded. If another node
            // has just allocated tickets, this write fails.
            let reason = "the payment was given back by hand";
            context
                .store
                .void_order(
                    record.order.id,
                    reason,
                    NotifyBuyer::Nobody,
                    context.clock.now(),
                )
                .await?;
        }
        self.refund_at_provider(&intent, to_return).await?;
        let refunded = context
            .gateway
            .retrieve(account, id)
            .await
            .map_err(|_| RepairError::Unavailable)?;
        context
            .store
            .record_provider_snapshots(slice::from_ref(&refunded), context.clock.now())
            .await?;
        Ok(to_return)
    }

    /// Returns the payment's order. `None`: there is none.
    ///
    /// # Errors
    /// `HasTickets`: the order has its tickets, even if their capture is not stored yet.
    /// `Unavailable`: the database could not be read.
    async fn find_order_without_tickets(
        self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, RepairError> {
        let order = self.context.store.order_by_payment_intent(id).await?;
        let has_tickets = |record: &OrderRecord| {
            matches!(
                record.order.state,
                OrderState::Allocated | OrderState::Captured
            )
        };
        if order.as_ref().is_some_and(has_tickets) {
            Err(RepairError::HasTickets)
        } else {
            Ok(order)
        }
    }

    async fn refund_at_provider(
        self,
        intent: &PaymentIntent,
        to_return: ReturnedAmounts,
    ) -> Result<(), RepairError> {
        let gateway = &self.context.gateway;
        let repair_error = |error: GatewayError| {
            tracing::warn!(%error, payment_intent.id = %intent.id, "return of an unmatched payment failed: provider error");
            match error.class() {
                ProviderErrorClass::LowBalance => RepairError::LowBalance,
                ProviderErrorClass::PaymentDisputed => RepairError::Disputed,
                _ => RepairError::Unavailable,
            }
        };
        // The key contains the amount refunded before, because after a partial manual refund the
        // rest is a different request. It contains the number of refunds, because a refund after a
        // failed one is a new request too.
        if to_return.amount > Cents::ZERO {
            let refunds = intent.refunds.len();
            let key = format!(
                "return-{}-{}-{refunds}",
                intent.id, intent.amount_refunded.0
            );
            let refund = gateway
                .refund(&key, &intent.account, &intent.id, to_return.amount)
                .await
                .map_err(repair_error)?;
            if refund.status.failure().is_some() {
                return Err(RepairError::RefundFailed);
            }
        }
        if to_return.fee > Cents::ZERO {
            let key = format!(
                "return-fee-{}-{}",
                intent.id, intent.application_fee_refunded.0
            );
            gateway
                .refund_fee(&key, &intent.account, &intent.id, to_return.fee)
                .await
                .map_err(repair_error)?;
        }
        Ok(())
    }
}
