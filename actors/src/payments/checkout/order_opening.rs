//! Opens or resizes an order: reserves every line or none, and creates one payment intent. The same
//! client key always finds the same order.

use std::sync::Arc;

use domain::reservation::ACTUAL_RESERVATION_SECONDS;
use domain::{
    AbandonReason, Command, DrawId, Line, Order, OrderId, OrderState, Refusal, Reservation,
    ReservationSource, Status, TICKETS, Timestamp,
};
use persistence::ledger::{AttachedWrite, NewOrder};
use persistence::stores::OrderRecord;

use super::{Checkout, payment_failure_from_denied};
use crate::payments::context::unavailable;
use crate::payments::intents::{IntentError, Intents, is_changeable};
use crate::payments::job_queue::JobKey;
use crate::{Denied, OpenOrderRequest, PaymentFailure};

impl Checkout<'_> {
    /// Opens or resizes an order. Runs in a job of the client key, so that this node never opens
    /// two orders for one key.
    pub(crate) async fn open_order(
        self,
        mut request: OpenOrderRequest,
    ) -> Result<OrderRecord, PaymentFailure> {
        request.lines.sort_by_key(|line| line.draw);
        self.reject_sold_out(&request)?;
        let context = self.context.clone();
        let key = JobKey::Client(request.client_key.clone());
        let work = async move {
            let checkout = Checkout::new(&context);
            let (new_id, client_key, source) =
                (request.id, request.client_key.clone(), request.source);
            let lines = request.lines.clone();
            if let Some(existing) = checkout.find_order_of_client_key(&client_key).await? {
                return checkout
                    .open_existing_order(existing, &client_key, lines, source)
                    .await;
            }
            context.index.insert_client_key(&client_key, new_id);
            let job_context = context.clone();
            // The future is boxed because it is large.
            let opened = context
                .run_for_order(new_id, async move {
                    Box::pin(Checkout::new(&job_context).open_new_order(request)).await
                })
                .await;
            // Another node may have just opened an order for the same key. The database allows one
            // order per key, and the tickets that are missing here may be reserved for that order.
            let peer_may_have_opened = match &opened {
                Ok(_) => false,
                Err(PaymentFailure::Unavailable) => true,
                Err(_) => context.draws.other_node_count() > 0,
            };
            if !peer_may_have_opened {
                return opened;
            }
            match checkout.find_order_of_client_key(&client_key).await? {
                Some(existing) if existing != new_id => {
                    checkout
                        .open_existing_order(existing, &client_key, lines, source)
                        .await
                }
                _ => opened,
            }
        };
        self.context
            .jobs
            .run_job(key, work)
            .await
            .unwrap_or(Err(PaymentFailure::Unavailable))
    }

    async fn find_order_of_client_key(
        self,
        client_key: &str,
    ) -> Result<Option<OrderId>, PaymentFailure> {
        let record = self
            .context
            .store
            .order_by_client_key(client_key)
            .await
            .map_err(unavailable)?;
        Ok(record.map(|record| record.order.id))
    }

    async fn open_existing_order(
        self,
        id: OrderId,
        client_key: &str,
        lines: Vec<Line>,
        source: Option<ReservationSource>,
    ) -> Result<OrderRecord, PaymentFailure> {
        self.context.index.insert_client_key(client_key, id);
        let context = Arc::clone(self.context);
        self.context
            .run_for_order(id, async move {
                Box::pin(Checkout::new(&context).resize_or_renew_order(id, lines, source)).await
            })
            .await
    }

    /// Rejects a new order if a draw has too few unsold tickets. Reads only the cached views, so
    /// that many requests for a sold-out draw load neither its actor nor the database.
    fn reject_sold_out(self, request: &OpenOrderRequest) -> Result<(), PaymentFailure> {
        if self.context.index.has_client_key(&request.client_key) {
            return Ok(());
        }
        let now = self.context.clock.now();
        for line in &request.lines {
            let Some(view) = self.context.draws.cached_view(line.draw) else {
                continue;
            };
            let free = TICKETS.saturating_sub(view.sold);
            let refusal = match view.status {
                Status::Active if now < view.closes_at && line.count <= free => continue,
                Status::Active if now < view.closes_at => Refusal::TooFewTickets { free },
                _ => Refusal::DrawClosed,
            };
            return Err(PaymentFailure::Refused {
                draw: line.draw,
                refusal,
            });
        }
        Ok(())
    }

    async fn open_new_order(
        self,
        request: OpenOrderRequest,
    ) -> Result<OrderRecord, PaymentFailure> {
        let mut record = self.reserve_new_order(request).await?;
        let created = Intents::new(self.context)
            .create_first_intent(&mut record)
            .await;
        self.finish_opening(record, created).await
    }

    async fn resize_or_renew_order(
        self,
        id: OrderId,
        lines: Vec<Line>,
        source: Option<ReservationSource>,
    ) -> Result<OrderRecord, PaymentFailure> {
        let record = self.context.load_order(id).await?;
        if record.order.state != OrderState::Quoted {
            return Ok(record);
        }
        if self.has_unchanged_reservations(&record, &lines).await {
            let mut record = record;
            let ensured = Intents::new(self.context).ensure_intent(&mut record).await;
            return self.finish_opening(record, ensured).await;
        }
        match self.renew_reservations(record, lines, source).await? {
            ReserveOutcome::TooLate(record) => Ok(record),
            ReserveOutcome::Reserved(mut record) => {
                let ensured = Intents::new(self.context).ensure_intent(&mut record).await;
                self.finish_opening(record, ensured).await
            }
        }
    }

    /// Creates the payment intent and returns the order. Abandons the order when the provider
    /// refuses the intent.
    async fn finish_opening(
        self,
        record: OrderRecord,
        intent: Result<(), IntentError>,
    ) -> Result<OrderRecord, PaymentFailure> {
        match intent {
            Ok(()) => Ok(record),
            Err(IntentError::Deferred) => Err(PaymentFailure::Unavailable),
            Err(IntentError::Refused {
                class,
                code,
                message,
            }) => {
                let reason = format!("the payment could not be prepared: {code}");
                self.abandon_order_not_yet_shown(record.order.id, &reason)
                    .await;
                Err(PaymentFailure::Declined {
                    class,
                    code,
                    message,
                })
            }
        }
    }

    /// Reserves the lines of a new order. The commit of the first line also stores the order.
    async fn reserve_new_order(
        self,
        request: OpenOrderRequest,
    ) -> Result<OrderRecord, PaymentFailure> {
        let now = self.context.clock.now();
        let until = now.plus_seconds(ACTUAL_RESERVATION_SECONDS);
        let record = new_order_record(&request, now);
        for (position, line) in request.lines.iter().enumerate() {
            let attached_write =
                (position == 0).then(|| AttachedWrite::Open(new_order(&request, now)));
            let command = Command::Reserve {
                order: request.id,
                count: line.count,
                until,
            };
            if let Err(denied) = self
                .context
                .reserve(request.source, line.draw, command, attached_write)
                .await
            {
                let failure = payment_failure_from_denied(line.draw, denied);
                // After `Unavailable` the caller retries soon, so the reservations are not
                // released.
                if position > 0 && failure != PaymentFailure::Unavailable {
                    self.abandon_order_not_yet_shown(request.id, &failure.to_string())
                        .await;
                }
                return Err(failure);
            }
        }
        Ok(record)
    }

    /// Whether a repeated call asks for the lines that the order has, and all of them are still
    /// reserved. Then nothing is changed, so the intent's status does not matter and the provider is
    /// not asked.
    async fn has_unchanged_reservations(self, record: &OrderRecord, lines: &[Line]) -> bool {
        if record.order.payment_intent.is_none() || record.order.lines != lines {
            return false;
        }
        for line in lines {
            let reserved = self
                .context
                .current_reservation(line.draw, record.order.id)
                .await;
            if !matches!(reserved, Ok(Some(reservation)) if reservation.count == line.count) {
                return false;
            }
        }
        true
    }

    /// Resizes an order or renews its lapsed reservations. The change of the order itself is
    /// written with the last reservation, because then all other reservations exist.
    async fn renew_reservations(
        self,
        mut record: OrderRecord,
        lines: Vec<Line>,
        source: Option<ReservationSource>,
    ) -> Result<ReserveOutcome, PaymentFailure> {
        if let Some(id) = record.order.payment_intent.clone() {
            let intent = self
                .context
                .gateway
                .retrieve(&record.order.account, &id)
                .await
                .map_err(|_| PaymentFailure::Unavailable)?;
            if !is_changeable(intent.status) {
                return Ok(ReserveOutcome::TooLate(record));
            }
        }
        let until = self
            .context
            .clock
            .now()
            .plus_seconds(ACTUAL_RESERVATION_SECONDS);
        let order = record.order.id;
        let mut earlier = EarlierReservations {
            is_complete: true,
            by_draw: Vec::new(),
        };
        for (line, attached_write) in reservation_sequence(&record.order, &lines) {
            let reserved = match self.context.current_reservation(line.draw, order).await {
                Ok(reservation) => {
                    earlier.is_complete &= reservation.is_some()
                        || !record.order.lines.iter().any(|old| old.draw == line.draw);
                    earlier.by_draw.push((line.draw, reservation));
                    self.reserve_with_attached_write(order, line, until, attached_write, source)
                        .await
                }
                Err(denied) => Err(denied),
            };
            if let Err(denied) = reserved {
                let failure = payment_failure_from_denied(line.draw, denied);
                self.restore_reservations(order, &earlier, &failure).await;
                return Err(failure);
            }
        }
        for removed in record
            .order
            .lines
            .iter()
            .filter(|old| lines.iter().all(|line| line.draw != old.draw))
        {
            // If the release fails, the reservation ends by itself at its expiry.
            let _ = self
                .context
                .execute(removed.draw, Command::Release { order }, None)
                .await;
        }
        record.order.lines = lines;
        Ok(ReserveOutcome::Reserved(record))
    }

    /// Reserves a line and writes `attached_write` in the same commit. Repeating an unchanged
    /// reservation makes no commit. Then the reservation is released and made again, so that a
    /// commit contains the write.
    async fn reserve_with_attached_write(
        self,
        order: OrderId,
        line: Line,
        until: Timestamp,
        attached_write: Option<AttachedWrite>,
        source: Option<ReservationSource>,
    ) -> Result<(), Denied> {
        let reserve = Command::Reserve {
            order,
            count: line.count,
            until,
        };
        let committed = self
            .context
            .reserve(source, line.draw, reserve.clone(), attached_write.clone())
            .await?;
        if attached_write.is_some() && !committed.written {
            self.context
                .execute(line.draw, Command::Release { order }, None)
                .await?;
            self.context
                .reserve(source, line.draw, reserve, attached_write)
                .await?;
        }
        Ok(())
    }

    /// Restores the earlier reservations with their earlier ends. If a draw refuses and the order
    /// lacked a reservation before the call, the order is abandoned, because its buyer could not
    /// pay for it.
    async fn restore_reservations(
        self,
        order: OrderId,
        earlier: &EarlierReservations,
        failure: &PaymentFailure,
    ) {
        if *failure != PaymentFailure::Unavailable && !earlier.is_complete {
            if let Err(failure) = self
                .abandon_order(order, AbandonReason::TicketsUnavailable)
                .await
            {
                tracing::warn!(%failure, order.id = %order, "abandoning an order deferred to the sweeper");
            }
            return;
        }
        for (draw, reservation) in &earlier.by_draw {
            let command = match reservation {
                Some(Reservation { count, until, .. }) => Command::Reserve {
                    order,
                    count: *count,
                    until: *until,
                },
                None => Command::Release { order },
            };
            // If the command fails, the reservation ends by itself, or the payment is refused
            // later.
            let _ = self.context.execute(*draw, command, None).await;
        }
    }

    /// Abandons an order that no buyer was shown yet.
    async fn abandon_order_not_yet_shown(self, order: OrderId, reason: &str) {
        if let Err(failure) = self.abandon_without_intent(order, reason).await {
            tracing::warn!(%failure, order.id = %order, "abandoning an order deferred to the sweeper");
        }
    }
}

/// The reservations of an order before it is resized.
struct EarlierReservations {
    /// Whether every line of the order had a reservation.
    is_complete: bool,
    by_draw: Vec<(DrawId, Option<Reservation>)>,
}

/// Returns the lines in the order in which they are reserved, each with the write attached to its
/// commit. The new price is written with the last line. A line with a changed count is placed last,
/// because reserving it always makes a commit.
fn reservation_sequence(order: &Order, lines: &[Line]) -> Vec<(Line, Option<AttachedWrite>)> {
    let old_count = |draw: DrawId| {
        order
            .lines
            .iter()
            .find(|line| line.draw == draw)
            .map(|line| line.count)
    };
    let last = lines
        .iter()
        .rev()
        .find(|line| old_count(line.draw) != Some(line.count))
        .or(lines.last())
        .copied();
    let attached_write = (lines != order.lines).then(|| AttachedWrite::Reprice {
        order: order.id,
        lines: lines.to_vec(),
    });
    let others = lines
        .iter()
        .copied()
        .filter(|line| Some(*line) != last)
        .map(|line| (line, None));
    others
        .chain(last.map(|line| (line, attached_write)))
        .collect()
}

enum ReserveOutcome {
    Reserved(OrderRecord),
    /// The payment was authorised or cancelled before the resize.
    TooLate(OrderRecord),
}

fn new_order(request: &OpenOrderRequest, at: Timestamp) -> NewOrder {
    NewOrder {
        id: request.id,
        club: request.club,
        account: request.account.clone(),
        client_key: request.client_key.clone(),
        token: request.token.clone(),
        lines: request.lines.clone(),
        buyer: request.buyer.clone(),
        at,
        authorised_at: None,
        payment_intent: None,
    }
}

fn new_order_record(request: &OpenOrderRequest, at: Timestamp) -> OrderRecord {
    OrderRecord {
        order: Order {
            id: request.id,
            club: request.club,
            account: request.account.clone(),
            state: OrderState::Quoted,
            lines: request.lines.clone(),
            payment_intent: None,
            application_fee: domain::Cents::ZERO,
        },
        client_key: request.client_key.clone(),
        token: request.token.clone(),
        client_secret: None,
        buyer: request.buyer.clone(),
        consent_at: None,
        opened_at: at,
        authorised_at: None,
        captured_at: None,
        reason: None,
        tickets: Vec::new(),
    }
}
