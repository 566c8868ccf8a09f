//! The steps of a fulfilment for a payment that does not match its order: captured without tickets,
//! or with another amount, account or order.

use domain::{AllocationAuthority, AnomalyKind, OrderState, PaymentStatus, Refusal};
use persistence::stores::NotifyBuyer;

use super::{Fulfilment, FulfilmentContext};
use crate::payments::context::Deferred;

impl Fulfilment<'_> {
    /// Repairs an order whose payment was captured although it has no tickets, manually at the
    /// provider or before a backup was restored. Allocates tickets if that is still allowed,
    /// otherwise refunds (decision C-9). An anomaly is raised in both cases.
    pub(super) async fn repair_captured_order(
        self,
        state: &mut FulfilmentContext,
    ) -> Result<(), Deferred> {
        let context = self.context;
        let order = state.record.order.id;
        if state.intent.is_refunded() {
            // Some lines may have got tickets before another line was refused.
            context.return_tickets(&state.record).await?;
            return self
                .void_repaired_order(state, "the payment was refunded")
                .await;
        }
        self.raise_anomaly(
            state,
            AnomalyKind::MissingTicket,
            "the payment was taken before the order had its tickets",
        )
        .await?;
        // An order whose buyer was told "not charged" never gets tickets, so its payment is
        // refunded.
        let refused = if state.record.order.state == OrderState::Quoted {
            let authorised_at = state
                .record
                .authorised_at
                .unwrap_or_else(|| context.clock.now());
            context
                .allocate_tickets(
                    &mut state.record,
                    AllocationAuthority::Repair { authorised_at },
                    &mut None,
                )
                .await?
                .err()
        } else {
            Some(Refusal::DrawClosed)
        };
        let Some(refusal) = refused else {
            context
                .store
                .resolve_healed_anomalies(
                    &state.intent.id,
                    AnomalyKind::MissingTicket,
                    context.clock.now(),
                )
                .await?;
            return Ok(());
        };
        context.return_tickets(&state.record).await?;
        let amount = state.intent.amount_received - state.intent.amount_refunded;
        // A payment captured outside this system has no application fee. But if another node
        // captured it while this node returned the tickets, it has a fee that the draws' ledgers no
        // longer contain. So the fee to refund is computed from the provider's amounts.
        let fee = state.intent.application_fee - state.intent.application_fee_refunded;
        context
            .store
            .queue_refund(order, amount, fee, &refusal.to_string())
            .await?;
        context.wakeups.operations.notify_one();
        self.void_repaired_order(state, &refusal.to_string()).await
    }

    /// Ends a repaired order whose payment is refunded or being refunded.
    async fn void_repaired_order(
        self,
        state: &mut FulfilmentContext,
        reason: &str,
    ) -> Result<(), Deferred> {
        self.context
            .store
            .void_order(
                state.record.order.id,
                reason,
                NotifyBuyer::Nobody,
                self.context.clock.now(),
            )
            .await?;
        state.record.order.state = OrderState::Void;
        state.record.reason.get_or_insert_with(|| reason.into());
        state.record.tickets.clear();
        Ok(())
    }

    /// Handles a payment intent that differs from the order. If only the amount changed while the
    /// buyer was paying, the order ends without a charge. Any other difference raises an anomaly
    /// and returns `false`.
    pub(super) async fn resolve_mismatch(
        self,
        state: &mut FulfilmentContext,
    ) -> Result<bool, Deferred> {
        let (order, intent) = (&state.record.order, &state.intent);
        let is_own_intent = intent.account == order.account
            && intent.order == Some(order.id)
            && order.payment_intent.as_ref() == Some(&intent.id);
        if is_own_intent
            && order.state == OrderState::Quoted
            && intent.status == PaymentStatus::RequiresCapture
        {
            let rejected = self
                .reject_order(state, "the order changed while it was being paid")
                .await?;
            return if rejected { Ok(true) } else { Err(Deferred) };
        }
        self.raise_anomaly(
            state,
            AnomalyKind::MismatchedAmount,
            "amount, currency, account or order differ from ours",
        )
        .await?;
        Ok(false)
    }
}
