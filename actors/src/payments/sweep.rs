//! What the sweeper does with one order that is still open.

use std::sync::Arc;

use domain::reservation::ACTUAL_RESERVATION_SECONDS;
use domain::{AbandonReason, OrderId};
use persistence::stores::OrderRecord;

use super::checkout::Checkout;
use super::context::PaymentContext;
use super::fulfilment::Fulfilment;
use super::refunds::Refunds;
use super::repairs::Repairs;
use crate::{FulfilStatus, GatewayError, PaymentFailure};

/// Fulfils an open order, completes an interrupted refund or dispute, or abandons an order whose
/// reservation lapsed without a payment (decision C-1). Must run in a job of the order.
pub(crate) async fn sweep_order(
    context: &Arc<PaymentContext>,
    order: OrderId,
) -> Result<(), PaymentFailure> {
    let fulfilled = Fulfilment::new(context).fulfil(order, &mut None).await?;
    // A refund takes the tickets back line by line, and so does the release after a dispute. So a
    // captured order that lacks the tickets of a line has an interrupted refund or release.
    let lines = fulfilled.record.order.lines.len();
    if fulfilled.status == FulfilStatus::Succeeded && fulfilled.record.tickets.len() < lines {
        return finish_return(context, &fulfilled.record).await;
    }
    let age_ms = context.clock.now().ms_since(fulfilled.record.opened_at);
    if fulfilled.status != FulfilStatus::Waiting || age_ms < ACTUAL_RESERVATION_SECONDS * 1000 {
        return Ok(());
    }
    let checkout = Checkout::new(context);
    match checkout.shown_reservation(order).await? {
        Some(_) => Ok(()),
        None => checkout
            .abandon_order(order, AbandonReason::ReservationLapsed)
            .await
            .map(drop),
    }
}

/// Takes back the remaining tickets of a captured order, and refunds the order unless its payment
/// is disputed. The bank returns the money of a disputed payment, so a refund would return the
/// money twice (decision C-25).
async fn finish_return(
    context: &Arc<PaymentContext>,
    record: &OrderRecord,
) -> Result<(), PaymentFailure> {
    if is_disputed(context, record).await? {
        return Ok(Repairs::new(context).void_disputed(record).await?);
    }
    Refunds::new(context)
        .refund_captured_order(record, "a refund was cut off", None)
        .await
}

/// Reads from the provider whether the order's payment is disputed. `false` if the provider does
/// not show the payment: the refund then fails and raises an anomaly.
///
/// # Errors
/// `Unavailable`: the provider did not answer.
async fn is_disputed(
    context: &Arc<PaymentContext>,
    record: &OrderRecord,
) -> Result<bool, PaymentFailure> {
    let Some(id) = &record.order.payment_intent else {
        return Ok(false);
    };
    match context.gateway.retrieve(&record.order.account, id).await {
        Ok(intent) => Ok(intent.is_disputed()),
        Err(GatewayError::Refused { .. }) => Ok(false),
        Err(error) => {
            tracing::warn!(%error, order.id = %record.order.id, "interrupted return of tickets deferred: provider error");
            Err(PaymentFailure::Unavailable)
        }
    }
}
