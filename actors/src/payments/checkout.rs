//! Checkout: the actions of a buyer on an unpaid order. Open or resize the order, confirm the
//! payment, extend the reservation, abandon the order.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::provider_error::ProviderErrorClass;
use domain::reservation::{ACTUAL_RESERVATION_SECONDS, SHOWN_RESERVATION_SECONDS};
use domain::{
    AbandonReason, Command, Decline, DrawId, OrderId, OrderState, PaymentIntent, PaymentIntentId,
    PaymentStatus, Refusal, Reservation, Timestamp,
};
use persistence::failpoint::{self, PurchaseStep};
use persistence::stores::OrderRecord;

use super::context::{PaymentContext, unavailable};
use super::fulfilment::Fulfilment;
use crate::{
    ConfirmationOutcome, Denied, FulfilStatus, GatewayError, PaymentFailure, PaymentSource,
};

mod order_opening;

/// How long a buyer may still complete a 3-D Secure page after the end of a reservation that was
/// never extended, in seconds. Afterwards the payment intent is cancelled.
const THREE_D_SECURE_GRACE_SECONDS: i64 = 300;
/// Age in seconds at which an order that still has no payment intent is abandoned.
const ORDER_WITHOUT_INTENT_SECONDS_MAX: i64 = 600;

/// Opens, confirms, extends and abandons orders. All methods but `open_order` must run in a job of
/// the order.
#[derive(Clone, Copy)]
pub(crate) struct Checkout<'a> {
    context: &'a Arc<PaymentContext>,
}

impl<'a> Checkout<'a> {
    pub(crate) fn new(context: &'a Arc<PaymentContext>) -> Checkout<'a> {
        Checkout { context }
    }

    /// Confirms the order's payment intent with a payment source, given as its id.
    pub(crate) async fn confirm_payment(
        self,
        order: OrderId,
        source: &str,
    ) -> Result<ConfirmationOutcome, PaymentFailure> {
        let record = self.context.load_order(order).await?;
        let (OrderState::Quoted, Some(id)) = (record.order.state, &record.order.payment_intent)
        else {
            // The outcome of the order is decided. The caller learns it from `fulfil`.
            return Ok(ConfirmationOutcome::Authorised);
        };
        let gateway = &self.context.gateway;
        let account = &record.order.account;
        let kind = PaymentSource::of_id(source);
        let key = self.confirmation_idempotency_key(order, id, kind);
        let confirm = || {
            failpoint::run_between_failpoints(
                PurchaseStep::Confirm,
                gateway.confirm(&key, account, id, source),
            )
        };
        let mut confirmed = confirm().await;
        // The intent does not say which token it was confirmed with. Only a repeat under the same
        // key returns the lost answer.
        if matches!(kind, PaymentSource::ConfirmationToken(_))
            && matches!(confirmed, Err(GatewayError::Unknown { .. }))
        {
            confirmed = confirm().await;
        }
        let refused = match confirmed {
            Ok(opened) => {
                let intent = opened.intent;
                self.context.confirmed_intents.insert(order, intent.clone());
                return confirmation_outcome(&record, intent, None);
            }
            Err(GatewayError::Unavailable { .. }) => return Err(PaymentFailure::Unavailable),
            // An earlier attempt changed the intent's state. No card was declined, so the outcome
            // is read from the intent.
            Err(GatewayError::Refused {
                class: ProviderErrorClass::UnexpectedState,
                ..
            }) => None,
            Err(GatewayError::Refused {
                class,
                code,
                message,
            }) => Some(PaymentFailure::Declined {
                class,
                code,
                message,
            }),
            Err(GatewayError::Unknown { .. } | GatewayError::Failed { .. }) => None,
        };
        match gateway.retrieve(account, id).await {
            Ok(intent) => {
                let decline = intent
                    .decline
                    .clone()
                    .filter(|decline| decline.payment_method.as_deref() == Some(source));
                confirmation_outcome(&record, intent, refused.or(decline.map(decline_failure)))
            }
            Err(_) => Err(refused.unwrap_or(PaymentFailure::Unavailable)),
        }
    }

    /// Returns the idempotency key of a confirmation.
    ///
    /// A confirmation token works once, so its key repeats and returns the first outcome. Other
    /// sources get a new key for every attempt, because the buyer may try the same card again after
    /// an error, which the provider would return for a repeated key. Confirming twice is harmless:
    /// an intent is authorised at most once.
    fn confirmation_idempotency_key(
        self,
        order: OrderId,
        intent: &PaymentIntentId,
        source: PaymentSource<'_>,
    ) -> String {
        if let PaymentSource::ConfirmationToken(token) = source {
            return format!("confirm-{intent}-{token}");
        }
        let count = self
            .context
            .confirmation_attempts
            .fetch_add(1, Ordering::Relaxed);
        format!("confirm-{order}-{}-{count}", self.context.clock.now().0)
    }

    /// Extends the reservation in every draw by 120 s and the grace period. A draw with few free
    /// tickets grants less. Returns the end that the buyer is shown.
    pub(crate) async fn extend_reservation(
        self,
        order: OrderId,
    ) -> Result<Timestamp, PaymentFailure> {
        let record = self.context.load_order(order).await?;
        let now = self.context.clock.now();
        let mut shown_until = now.plus_seconds(SHOWN_RESERVATION_SECONDS);
        for line in &record.order.lines {
            let command = Command::Extend {
                order,
                until: now.plus_seconds(ACTUAL_RESERVATION_SECONDS),
            };
            let committed = self
                .context
                .execute(line.draw, command, None)
                .await
                .map_err(|denied| payment_failure_from_denied(line.draw, denied))?;
            let closes_at = committed.view.closes_at;
            shown_until = shown_until.min(closes_at);
            if let Some(reservation) = committed
                .reservation
                .filter(|reservation| reservation.until < closes_at)
            {
                shown_until = shown_until.min(
                    reservation
                        .until
                        .plus_seconds(SHOWN_RESERVATION_SECONDS - ACTUAL_RESERVATION_SECONDS),
                );
            }
        }
        Ok(shown_until)
    }

    /// Returns the reservation as the buyer is shown it. It ends when the first line ends, without
    /// the grace period. `None`: the reservation has lapsed.
    pub(crate) async fn shown_reservation(
        self,
        order: OrderId,
    ) -> Result<Option<Reservation>, PaymentFailure> {
        let record = self.context.load_order(order).await?;
        let mut earliest: Option<Reservation> = None;
        for line in &record.order.lines {
            let reservation = self
                .context
                .current_reservation(line.draw, order)
                .await
                .map_err(|denied| payment_failure_from_denied(line.draw, denied))?;
            let Some(reservation) = reservation else {
                return Ok(None);
            };
            if earliest.is_none_or(|earliest| reservation.until < earliest.until) {
                earliest = Some(reservation);
            }
        }
        let grace = ACTUAL_RESERVATION_SECONDS - SHOWN_RESERVATION_SECONDS;
        Ok(earliest.map(|reservation| Reservation {
            until: reservation.until.plus_seconds(-grace),
            ..reservation
        }))
    }

    /// Abandons an order whose buyer was shown a different amount (decision C-3). Returns its
    /// status.
    pub(crate) async fn abandon_after_amount_change(
        self,
        order: OrderId,
    ) -> Result<FulfilStatus, PaymentFailure> {
        self.abandon_order(order, AbandonReason::AmountChanged)
            .await?;
        let fulfilled = Fulfilment::new(self.context)
            .fulfil(order, &mut None)
            .await?;
        Ok(fulfilled.status)
    }

    /// Abandons an order because the buyer asked for it. Returns the order's state.
    pub(crate) async fn abandon_for_buyer(
        self,
        order: OrderId,
    ) -> Result<OrderState, PaymentFailure> {
        self.abandon_order(order, AbandonReason::BuyerLeft).await
    }

    /// Cancels the payment intent and returns the tickets, unless the buyer is paying. Returns the
    /// order's state.
    pub(super) async fn abandon_order(
        self,
        order: OrderId,
        reason: AbandonReason,
    ) -> Result<OrderState, PaymentFailure> {
        let record = self.context.load_order(order).await?;
        if record.order.state != OrderState::Quoted {
            return Ok(record.order.state);
        }
        let age_ms = self.context.clock.now().ms_since(record.opened_at);
        let Some(id) = record.order.payment_intent.clone() else {
            let may_abandon = reason != AbandonReason::ReservationLapsed
                || age_ms > ORDER_WITHOUT_INTENT_SECONDS_MAX * 1000;
            return if may_abandon {
                self.abandon_without_intent(order, reason.stored_text())
                    .await
            } else {
                Ok(record.order.state)
            };
        };
        let intent = self
            .context
            .gateway
            .retrieve(&record.order.account, &id)
            .await
            .map_err(|_| PaymentFailure::Unavailable)?;
        let may_cancel = match intent.status {
            PaymentStatus::RequiresPaymentMethod | PaymentStatus::RequiresConfirmation => true,
            PaymentStatus::RequiresAction | PaymentStatus::Processing => {
                let timed_out = reason == AbandonReason::ReservationLapsed
                    && age_ms > (ACTUAL_RESERVATION_SECONDS + THREE_D_SECURE_GRACE_SECONDS) * 1000;
                timed_out || reason == AbandonReason::AmountChanged
            }
            PaymentStatus::RequiresCapture => reason == AbandonReason::AmountChanged,
            PaymentStatus::Succeeded | PaymentStatus::Canceled => false,
        };
        let fulfilment = Fulfilment::new(self.context);
        if may_cancel {
            fulfilment
                .reject_uncaptured_order(record, intent.clone(), reason.stored_text())
                .await?;
        }
        // If the order was rejected, this call cancels its payment. If the buyer authorised the
        // payment in the meantime, `fulfil` handles that too.
        let fulfilled = fulfilment
            .fulfil_known_intent(order, &mut None, Some(intent))
            .await?;
        Ok(fulfilled.record.order.state)
    }

    /// Abandons an order without a stored payment intent. The rejection is written first. After it
    /// no node can store an intent for the order or allocate tickets to it. Returns the order's
    /// state.
    async fn abandon_without_intent(
        self,
        order: OrderId,
        reason: &str,
    ) -> Result<OrderState, PaymentFailure> {
        self.context
            .store
            .reject_order(order, reason, self.context.clock.now())
            .await
            .map_err(unavailable)?;
        let fulfilled = Fulfilment::new(self.context)
            .fulfil(order, &mut None)
            .await?;
        Ok(fulfilled.record.order.state)
    }
}

/// Converts the denial of a draw's command to the error that the buyer is shown.
fn payment_failure_from_denied(draw: DrawId, denied: Denied) -> PaymentFailure {
    match denied {
        Denied::Refused(refusal) => PaymentFailure::Refused { draw, refusal },
        Denied::NoSuchDraw => PaymentFailure::Refused {
            draw,
            refusal: Refusal::DrawClosed,
        },
        Denied::Unavailable | Denied::Paused => PaymentFailure::Unavailable,
    }
}

/// Returns the outcome of an attempt to confirm an intent. `refusal`: the provider refused this
/// attempt. The buyer is told "declined" only if the provider said so. Otherwise the same attempt
/// may be repeated.
fn confirmation_outcome(
    record: &OrderRecord,
    intent: PaymentIntent,
    refusal: Option<PaymentFailure>,
) -> Result<ConfirmationOutcome, PaymentFailure> {
    match intent.status {
        // This includes a canceled intent, because `fulfil` reports how the order ended.
        PaymentStatus::RequiresCapture | PaymentStatus::Succeeded | PaymentStatus::Canceled => {
            Ok(ConfirmationOutcome::Authorised)
        }
        PaymentStatus::RequiresAction => Ok(ConfirmationOutcome::RequiresAction {
            client_secret: record.client_secret.clone().unwrap_or_default(),
        }),
        PaymentStatus::Processing => Ok(ConfirmationOutcome::Processing),
        PaymentStatus::RequiresConfirmation | PaymentStatus::RequiresPaymentMethod => {
            Err(refusal.unwrap_or(PaymentFailure::Unavailable))
        }
    }
}

fn decline_failure(Decline { code, message, .. }: Decline) -> PaymentFailure {
    PaymentFailure::Declined {
        class: ProviderErrorClass::from_code(&code),
        code,
        message,
    }
}
