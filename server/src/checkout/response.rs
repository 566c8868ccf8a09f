//! Builds the response to a request that opens a payment.

use super::OpenedCheckout;
use crate::api::error::Problem;
use crate::api::purchase::{OpenedItem, OpenedPayment};
use crate::api::time_format::rfc3339;
use crate::state::State;

/// The kind of checkout, which decides the fields of the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckoutKind {
    /// Tickets of one draw.
    Single,
    /// A cart with several draws; the response lists its items.
    Cart,
}

impl OpenedCheckout {
    /// Builds the response for the opened order.
    ///
    /// # Errors
    /// 503 when the order has no payment intent yet.
    pub fn to_response(&self, state: &State, kind: CheckoutKind) -> Result<OpenedPayment, Problem> {
        let record = self.order.record();
        let order = &record.order;
        let (Some(secret), Some(intent)) = (&record.client_secret, &order.payment_intent) else {
            return Err(Problem::unavailable());
        };
        let item = |line: &domain::Line| OpenedItem {
            draw_id: line.draw.0,
            draw_number: line.draw.0,
            quantity: line.count,
            ticket_price: line.unit_price.decimal(),
            card_fee: line.card_fee.decimal(),
        };
        Ok(OpenedPayment {
            client_secret: secret.clone(),
            payment_intent_id: intent.0.clone(),
            amount: order.total().0,
            connected_account_id: order.account.0.clone(),
            reservation_id: order.id.to_string(),
            order_token: record.token.clone(),
            expires_at: rfc3339(self.shown_until),
            server_time: rfc3339(state.clock.now()),
            ticket_count: order.tickets(),
            items: match kind {
                CheckoutKind::Single => None,
                CheckoutKind::Cart => Some(order.lines.iter().map(item).collect()),
            },
        })
    }
}
