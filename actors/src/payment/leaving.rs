//! What a buyer or an operator may do with an order beside paying it: confirm, keep, leave, refund.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::reservation::{KEPT_SECONDS, SHOWN_SECONDS};
use domain::{
    Cents, Command, Decline, DrawId, OrderId, OrderState, PaymentIntent, PaymentStatus,
    Reservation, Timestamp,
};
use persistence::Failure;
use persistence::books::{OrderRecord, Tell};
use persistence::failpoint::{self, Step};
use persistence::records::audit::Entry;

use super::opening::{failure_of, unavailable};
use super::room::{Later, Room, Visit};
use crate::{Confirmed, FulfilStatus, Fulfilled, GatewayError, PaymentFailure, UNEXPECTED_STATE};

/// A buyer before a 3-D Secure page may finish it this long after the reservation lapsed; then the intent is cancelled.
const ACTION_SECONDS: i64 = 300;
/// An order whose payment intent could not be made this long is let go.
const UNMADE_SECONDS: i64 = 600;

/// Why an order is over whose buyer wanted it so.
pub(super) const LEFT: &str = "the buyer left";

/// Orders of cancelled draws that one round refunds at most; a draw has 169 tickets.
const CALLED_OFF_MAX: u32 = 200;

/// How a buyer left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaving {
    ByThemselves,
    /// The reservation lapsed.
    Lapsed,
    /// It was not whole and cannot be made whole.
    Refused,
    /// The buyer was shown another amount than the order's (decision C-3): not even an authorisation may stand.
    Surprised,
}

impl Room {
    pub(crate) async fn confirm(
        &self,
        order: OrderId,
        payment_method: &str,
    ) -> Result<Confirmed, PaymentFailure> {
        let record = self.record(order).await?;
        let (OrderState::Quoted, Some(id)) = (record.order.state, &record.order.payment_intent)
        else {
            // Decided already: `fulfil` says how.
            return Ok(Confirmed::Authorised);
        };
        let account = &record.order.account;
        let key = self.confirmation_key(order);
        let confirms = failpoint::around(
            Step::Confirm,
            self.gateway.confirm(&key, account, id, payment_method),
        );
        let refused = match confirms.await {
            Ok(opened) => return confirmed(&record, opened.intent, None),
            Err(GatewayError::Unavailable(_)) => return Err(PaymentFailure::Unavailable),
            // An attempt before this one has had its effect: no card said no, and only a look tells what became of it.
            Err(GatewayError::Refused { code, .. }) if code == UNEXPECTED_STATE => None,
            Err(GatewayError::Refused { code, message }) => {
                Some(PaymentFailure::Declined { code, message })
            }
            Err(GatewayError::Unknown(_) | GatewayError::Failed(_)) => None,
        };
        match self.gateway.retrieve(account, id).await {
            Ok(said) => {
                let no = said
                    .decline
                    .clone()
                    .filter(|no| no.payment_method.as_deref() == Some(payment_method));
                confirmed(&record, said, refused.or(no.map(declined)))
            }
            Err(_) => Err(refused.unwrap_or(PaymentFailure::Unavailable)),
        }
    }

    /// A key of its own for every attempt: a server error that the provider remembers must not answer for the buyer's next
    /// card. Confirming twice does no harm, because a payment intent is authorised once.
    fn confirmation_key(&self, order: OrderId) -> String {
        let count = self.confirmations.fetch_add(1, Ordering::Relaxed);
        format!("confirm-{order}-{}-{count}", self.clock.now().0)
    }

    /// 120 s more for the buyer, and the grace after it, in every draw.
    pub(crate) async fn extend(&self, order: OrderId) -> Result<Timestamp, PaymentFailure> {
        let record = self.record(order).await?;
        let now = self.clock.now();
        let mut shown = now.plus_seconds(SHOWN_SECONDS);
        for line in &record.order.lines {
            let command = Command::Extend {
                order,
                until: now.plus_seconds(KEPT_SECONDS),
            };
            let committed = self
                .ask(line.draw, command, None)
                .await
                .map_err(|denied| failure_of(line.draw, denied))?;
            shown = shown.min(committed.view.closes_at);
        }
        Ok(shown)
    }

    /// The reservation as the buyer is shown it: the end is the soonest of all lines, without the grace. `None`: lapsed.
    pub(crate) async fn reservation(
        &self,
        order: OrderId,
    ) -> Result<Option<Reservation>, PaymentFailure> {
        let record = self.record(order).await?;
        let mut soonest: Option<Reservation> = None;
        for line in &record.order.lines {
            let kept = self
                .kept(line.draw, order)
                .await
                .map_err(|denied| failure_of(line.draw, denied))?;
            let Some(kept) = kept else { return Ok(None) };
            if soonest.is_none_or(|soonest| kept.until < soonest.until) {
                soonest = Some(kept);
            }
        }
        let grace = KEPT_SECONDS - SHOWN_SECONDS;
        Ok(soonest.map(|kept| Reservation {
            until: kept.until.plus_seconds(-grace),
            ..kept
        }))
    }

    pub(crate) async fn abandon(&self, order: OrderId) -> Result<(), PaymentFailure> {
        self.leave(order, Leaving::ByThemselves).await
    }

    pub(crate) async fn turn_down(&self, order: OrderId) -> Result<FulfilStatus, PaymentFailure> {
        self.leave(order, Leaving::Surprised).await?;
        Ok(self.fulfil(order, &mut None).await?.status)
    }

    /// The sweeper's part of one open order: fulfil it, and let it go when its reservation lapsed unpaid (decision C-1).
    pub(crate) async fn sweep(&self, order: OrderId) -> Result<(), PaymentFailure> {
        let fulfilled = self.fulfil(order, &mut None).await?;
        // All tickets of an order go back together, line by line.
        let lines = fulfilled.record.order.lines.len();
        if fulfilled.status == FulfilStatus::Succeeded && fulfilled.record.tickets.len() < lines {
            return self
                .refund_captured(&fulfilled.record, "a refund was cut off", None)
                .await;
        }
        let age_ms = self.clock.now().ms_since(fulfilled.record.opened_at);
        if fulfilled.status != FulfilStatus::Waiting || age_ms < KEPT_SECONDS * 1000 {
            return Ok(());
        }
        match self.reservation(order).await? {
            Some(_) => Ok(()),
            None => self.leave(order, Leaving::Lapsed).await,
        }
    }

    /// Cancels the intent at the provider, then lets the tickets go; unless the buyer is paying.
    pub(super) async fn leave(
        &self,
        order: OrderId,
        leaving: Leaving,
    ) -> Result<(), PaymentFailure> {
        let record = self.record(order).await?;
        if record.order.state != OrderState::Quoted {
            return Ok(());
        }
        let reason = match leaving {
            Leaving::ByThemselves => LEFT,
            Leaving::Lapsed => "the reservation lapsed before the payment was authorised",
            Leaving::Refused => "the tickets were no longer available",
            Leaving::Surprised => "the amount was not the one the buyer was shown",
        };
        let age_ms = self.clock.now().ms_since(record.opened_at);
        let Some(id) = record.order.payment_intent.clone() else {
            let unmade = leaving != Leaving::Lapsed || age_ms > UNMADE_SECONDS * 1000;
            return if unmade {
                self.let_go_unmade(order, reason).await
            } else {
                Ok(())
            };
        };
        let said = self.gateway.retrieve(&record.order.account, &id).await;
        let said = said.map_err(|_| PaymentFailure::Unavailable)?;
        let may_cancel = match said.status {
            PaymentStatus::RequiresPaymentMethod | PaymentStatus::RequiresConfirmation => true,
            PaymentStatus::RequiresAction | PaymentStatus::Processing => {
                let abandoned =
                    leaving == Leaving::Lapsed && age_ms > (KEPT_SECONDS + ACTION_SECONDS) * 1000;
                abandoned || leaving == Leaving::Surprised
            }
            PaymentStatus::RequiresCapture => leaving == Leaving::Surprised,
            PaymentStatus::Succeeded | PaymentStatus::Canceled => false,
        };
        if may_cancel {
            let mut visit = Visit {
                record,
                said,
                held: None,
                allocated: false,
            };
            self.reject(&mut visit, reason)
                .await
                .map_err(|Later| PaymentFailure::Unavailable)?;
        }
        // Cancels what was just refused; and whatever was authorised in between gets its tickets.
        self.fulfil(order, &mut None).await.map(|_| ())
    }

    /// No intent was made that a buyer could pay, as far as we know. That the order is refused is written first: from then on no
    /// node can name an intent for it any more, nor give it tickets.
    pub(super) async fn let_go_unmade(
        &self,
        order: OrderId,
        reason: &str,
    ) -> Result<(), PaymentFailure> {
        self.books
            .rejecting(order, reason, self.clock.now())
            .await
            .map_err(unavailable)?;
        self.fulfil(order, &mut None).await.map(drop)
    }

    /// An order without an intent waits for one; when it is refused, it is over.
    pub(super) async fn unmade(
        &self,
        mut record: OrderRecord,
    ) -> Result<Fulfilled, PaymentFailure> {
        let reason = record.reason.clone().unwrap_or_default();
        if record.order.state == OrderState::Rejecting {
            self.give_back(&record)
                .await
                .map_err(|Later| PaymentFailure::Unavailable)?;
            let at = self.clock.now();
            self.books
                .released(record.order.id, &reason, Tell::Nobody, at)
                .await
                .map_err(unavailable)?;
            record.order.state = OrderState::Released;
        }
        let status = match record.order.state {
            OrderState::Released | OrderState::Void => FulfilStatus::NotCharged { reason },
            _ => FulfilStatus::Waiting,
        };
        Ok(Fulfilled { record, status })
    }

    /// Money back: tickets first, so that none is sold and refunded at once; then the money and the fee's part (decision D-3).
    pub(crate) async fn refund(
        &self,
        order: OrderId,
        reason: &str,
        act: Option<Entry>,
    ) -> Result<(), PaymentFailure> {
        let fulfilled = self.fulfil(order, &mut None).await?;
        match (fulfilled.record.order.state, fulfilled.status) {
            (OrderState::Captured, _) => self.refund_captured(&fulfilled.record, reason, act).await,
            (_, FulfilStatus::Processing) => Err(PaymentFailure::Unavailable),
            (_, FulfilStatus::Waiting) => self.leave(order, Leaving::ByThemselves).await,
            // Nothing was charged, or it goes back already.
            _ => Ok(()),
        }
    }

    /// What a draw's orders hold too much of its fee goes back from those that were captured.
    pub(crate) async fn give_fees_back(&self, draw: DrawId) {
        match self.books.give_fees_back(draw).await {
            Ok(()) => self.nudges.operations.notify_one(),
            // The sweeper comes back to every draw that owes.
            Err(failure) => tracing::warn!(%failure, draw.id = %draw, "fees go back later"),
        }
    }

    pub(crate) async fn refund_captured(
        &self,
        record: &OrderRecord,
        reason: &str,
        mut act: Option<Entry>,
    ) -> Result<(), PaymentFailure> {
        let order = &record.order;
        self.give_back_signed(record, &mut act)
            .await
            .map_err(|Later| PaymentFailure::Unavailable)?;
        // Its tickets were gone before: the act stands before the money moves.
        if let Some(act) = act {
            self.books.note(&act).await.map_err(unavailable)?;
        }
        let fee = self
            .books
            .fee_returned(order.id)
            .await
            .map_err(unavailable)?;
        self.books
            .refunding(order.id, order.total(), fee.max(Cents::ZERO), reason)
            .await
            .map_err(unavailable)?;
        for line in &order.lines {
            self.give_fees_back(line.draw).await;
        }
        self.nudges.operations.notify_one();
        self.tell_refunded(record).await
    }

    /// One mail for each refund. Asked again, a refund that was cut off before it comes back here.
    async fn tell_refunded(&self, record: &OrderRecord) -> Result<(), PaymentFailure> {
        let Some(to) = &record.buyer.email else {
            return Ok(());
        };
        let (order, now) = (record.order.id, self.clock.now());
        let queued = self
            .books
            .queue_mail(
                &format!("refunded-{order}"),
                "refunded",
                Some(order),
                to,
                "{}",
                now,
            )
            .await;
        if let Err(failure) = queued {
            // The money is on its way; the order page says so.
            tracing::warn!(%failure, order.id = %order, "a refund is not told by mail");
        }
        self.nudges.mail.notify_one();
        Ok(())
    }

    /// The game is off: every order with a ticket in it gets its money back, whole (decisions E-9, C-10). What cannot be done
    /// now the sweeper does. Answers how many were due.
    pub(crate) async fn refund_called_off(self: &Arc<Self>, reason: &str) -> Result<u32, Failure> {
        let due = self.books.orders_called_off(CALLED_OFF_MAX).await?;
        let count = due.len() as u32;
        for record in due {
            let (inside, reason, order) = (self.clone(), reason.to_owned(), record.order.id);
            let refunded = self
                .in_lane(
                    order,
                    async move { inside.refund(order, &reason, None).await },
                )
                .await;
            if let Err(failure) = refunded {
                tracing::warn!(%failure, order.id = %order, "an order of a cancelled draw is refunded later");
            }
        }
        Ok(count)
    }
}

/// What the intent says of an attempt to confirm it; `no`: the provider's, to this attempt. Only a "no" in the provider's own
/// words is told to the buyer as one; when nobody knows, the same may be tried again.
fn confirmed(
    record: &OrderRecord,
    said: PaymentIntent,
    no: Option<PaymentFailure>,
) -> Result<Confirmed, PaymentFailure> {
    match said.status {
        // Canceled, too: `fulfil` says how it ended.
        PaymentStatus::RequiresCapture | PaymentStatus::Succeeded | PaymentStatus::Canceled => {
            Ok(Confirmed::Authorised)
        }
        PaymentStatus::RequiresAction => Ok(Confirmed::RequiresAction {
            client_secret: record.client_secret.clone().unwrap_or_default(),
        }),
        PaymentStatus::Processing => Ok(Confirmed::Processing),
        PaymentStatus::RequiresConfirmation | PaymentStatus::RequiresPaymentMethod => {
            Err(no.unwrap_or(PaymentFailure::Unavailable))
        }
    }
}

fn declined(Decline { code, message, .. }: Decline) -> PaymentFailure {
    PaymentFailure::Declined { code, message }
}
