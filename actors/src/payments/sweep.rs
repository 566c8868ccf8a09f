//! What the sweeper does with one order that is still open.

use std::sync::Arc;

use domain::reservation::ACTUAL_RESERVATION_SECONDS;
use domain::{AbandonReason, OrderId};

use super::checkout::Checkout;
use super::context::PaymentContext;
use super::fulfilment::Fulfilment;
use super::refunds::Refunds;
use crate::{FulfilStatus, PaymentFailure};

/// Fulfils an open order, completes an interrupted refund, or abandons an order whose reservation
/// lapsed without a payment (decision C-1). Must run in a job of the order.
pub(crate) async fn sweep_order(
    context: &Arc<PaymentContext>,
    order: OrderId,
) -> Result<(), PaymentFailure> {
    let fulfilled = Fulfilment::new(context).fulfil(order, &mut None).await?;
    // A refund takes the tickets back line by line. So a captured order that lacks the tickets of a
    // line has an interrupted refund.
    let lines = fulfilled.record.order.lines.len();
    if fulfilled.status == FulfilStatus::Succeeded && fulfilled.record.tickets.len() < lines {
        return Refunds::new(context)
            .refund_captured_order(&fulfilled.record, "a refund was cut off", None)
            .await;
    }
    let age_ms = context.clock.now().ms_since(fulfilled.record.opened_at);
    if fulfilled.status != FulfilStatus::Waiting || age_ms < ACTUAL_RESERVATION_SECONDS * 1000 {
        return Ok(());
    }
    let checkout = Checkout::new(context);
    match checkout.shown_reservation(order).await? {
        Some(_) => Ok(()),
        None => {
            checkout
                .abandon_order(order, AbandonReason::ReservationLapsed)
                .await
        }
    }
}
