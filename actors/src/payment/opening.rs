//! Opening an order: every line reserved or none, one payment intent, however often the browser asks.

use std::sync::Arc;

use domain::reservation::KEPT_SECONDS;
use domain::{
    Command, DrawId, Line, Order, OrderId, OrderState, Refusal, Status, TICKETS, Timestamp,
};
use persistence::books::{OperationKind, OrderRecord};
use persistence::ledger::{NewOrder, Rider};

use super::Lane;
use super::effects::Unmade;
use super::leaving::Leaving;
use super::room::{Later, Room};
use crate::{Denied, OpenOrder, PaymentFailure};

impl Room {
    /// Runs in the client key's lane: the same key never opens two orders.
    pub(crate) async fn open(
        self: Arc<Self>,
        mut wanted: OpenOrder,
    ) -> Result<OrderRecord, PaymentFailure> {
        wanted.lines.sort_by_key(|line| line.draw);
        self.full(&wanted)?;
        let room = self.clone();
        let lane = Lane::Client(wanted.client_key.clone());
        let work = async move {
            let (ours, key, lines) = (wanted.id, wanted.client_key.clone(), wanted.lines.clone());
            if let Some(known) = room.order_of_client(&key).await? {
                return room.open_known(known, &key, lines).await;
            }
            room.index.client_has(&key, ours);
            let inner = room.clone();
            // In a box, so that on its way into the lane nobody carries what it may need there.
            let opened = room
                .in_lane(ours, async move { Box::pin(inner.open_new(wanted)).await })
                .await;
            // Another node may have opened it meanwhile: the books have one order for a key, and it may hold what is missing.
            let may_be_theirs = match &opened {
                Ok(_) => false,
                Err(PaymentFailure::Unavailable) => true,
                Err(_) => room.draws.others() > 0,
            };
            if !may_be_theirs {
                return opened;
            }
            match room.order_of_client(&key).await? {
                Some(theirs) if theirs != ours => room.open_known(theirs, &key, lines).await,
                _ => opened,
            }
        };
        self.desk
            .run(lane, work)
            .await
            .unwrap_or(Err(PaymentFailure::Unavailable))
    }

    async fn order_of_client(&self, client_key: &str) -> Result<Option<OrderId>, PaymentFailure> {
        let record = self
            .books
            .order_by_client_key(client_key)
            .await
            .map_err(unavailable)?;
        Ok(record.map(|record| record.order.id))
    }

    async fn open_known(
        self: &Arc<Self>,
        id: OrderId,
        client_key: &str,
        lines: Vec<Line>,
    ) -> Result<OrderRecord, PaymentFailure> {
        self.index.client_has(client_key, id);
        let inner = self.clone();
        self.in_lane(
            id,
            async move { Box::pin(inner.open_again(id, lines)).await },
        )
        .await
    }

    /// A crowd before a full draw costs neither an actor nor the books anything.
    fn full(&self, wanted: &OpenOrder) -> Result<(), PaymentFailure> {
        if self.index.knows_client(&wanted.client_key) {
            return Ok(());
        }
        let now = self.clock.now();
        for line in &wanted.lines {
            let Some(view) = self.draws.shown(line.draw) else {
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

    async fn open_new(&self, wanted: OpenOrder) -> Result<OrderRecord, PaymentFailure> {
        let mut record = self.reserve_new(wanted).await?;
        let made = self.create_first(&mut record).await;
        self.payable(record, made).await
    }

    async fn open_again(
        &self,
        id: OrderId,
        lines: Vec<Line>,
    ) -> Result<OrderRecord, PaymentFailure> {
        let record = self.record(id).await?;
        if record.order.state != OrderState::Quoted {
            return Ok(record);
        }
        match self.reserve_again(record, lines).await? {
            Reserved::TooLate(record) => Ok(record),
            Reserved::Changeable(mut record) => {
                let made = self.make_intent(&mut record).await;
                self.payable(record, made).await
            }
        }
    }

    async fn payable(
        &self,
        record: OrderRecord,
        made: Result<(), Unmade>,
    ) -> Result<OrderRecord, PaymentFailure> {
        match made {
            Ok(()) => Ok(record),
            Err(Unmade::Later) => Err(PaymentFailure::Unavailable),
            Err(Unmade::Refused { code, message }) => {
                // Nothing can be paid: nothing must be kept.
                let reason = format!("the payment could not be prepared: {code}");
                self.let_go(record.order.id, &reason).await;
                Err(PaymentFailure::Declined { code, message })
            }
        }
    }

    /// A new order: the first reservation brings it into the books with all its lines.
    async fn reserve_new(&self, wanted: OpenOrder) -> Result<OrderRecord, PaymentFailure> {
        let now = self.clock.now();
        let until = now.plus_seconds(KEPT_SECONDS);
        let record = new_record(&wanted, now);
        for (place, line) in wanted.lines.iter().enumerate() {
            let rider = (place == 0).then(|| Rider::Open(new_order(&wanted, now)));
            let command = Command::Reserve {
                order: wanted.id,
                count: line.count,
                until,
            };
            if let Err(denied) = self.ask(line.draw, command, rider).await {
                let failure = failure_of(line.draw, denied);
                // A machine that could not is asked again in a moment: what was reserved until then is kept for it.
                if place > 0 && failure != PaymentFailure::Unavailable {
                    self.let_go(wanted.id, &failure.to_string()).await;
                }
                return Err(failure);
            }
        }
        Ok(record)
    }

    /// An order that is asked for again: resized, or its lapsed reservations renewed. The books are changed with the last
    /// reservation, when every other is certain.
    async fn reserve_again(
        &self,
        mut record: OrderRecord,
        lines: Vec<Line>,
    ) -> Result<Reserved, PaymentFailure> {
        if let Some(id) = record.order.payment_intent.clone() {
            let said = self.gateway.retrieve(&record.order.account, &id).await;
            let said = said.map_err(|_| PaymentFailure::Unavailable)?;
            if !Room::may_change(said.status) {
                return Ok(Reserved::TooLate(record));
            }
        }
        let until = self.clock.now().plus_seconds(KEPT_SECONDS);
        let order = record.order.id;
        let mut taken = Taken {
            whole: true,
            before: Vec::new(),
        };
        for (line, rider) in in_turn(&record.order, &lines) {
            let reserved = match self.kept(line.draw, order).await {
                Ok(kept) => {
                    taken.whole &= kept.is_some()
                        || !record.order.lines.iter().any(|old| old.draw == line.draw);
                    taken.before.push((line.draw, kept.map(|kept| kept.count)));
                    self.reserve_carrying(order, line, until, rider).await
                }
                Err(denied) => Err(denied),
            };
            if let Err(denied) = reserved {
                let failure = failure_of(line.draw, denied);
                self.undo(order, &taken, until, &failure).await;
                return Err(failure);
            }
        }
        for gone in record
            .order
            .lines
            .iter()
            .filter(|old| lines.iter().all(|line| line.draw != old.draw))
        {
            // One that cannot be released now lapses by itself.
            let _ = self.ask(gone.draw, Command::Release { order }, None).await;
        }
        record.order.lines = lines;
        Ok(Reserved::Changeable(record))
    }

    /// Reserves a line; a rider needs a commit to ride on, and a reservation that is as it should be makes none.
    async fn reserve_carrying(
        &self,
        order: OrderId,
        line: Line,
        until: Timestamp,
        rider: Option<Rider>,
    ) -> Result<(), Denied> {
        let reserve = Command::Reserve {
            order,
            count: line.count,
            until,
        };
        let committed = self.ask(line.draw, reserve.clone(), rider.clone()).await?;
        if rider.is_some() && !committed.written {
            self.ask(line.draw, Command::Release { order }, None)
                .await?;
            self.ask(line.draw, reserve, rider).await?;
        }
        Ok(())
    }

    /// Puts reservations back as they were. An order that was not whole before, and is refused, is let go altogether: its buyer
    /// has nothing that could be paid.
    async fn undo(
        &self,
        order: OrderId,
        taken: &Taken,
        until: Timestamp,
        failure: &PaymentFailure,
    ) {
        if *failure != PaymentFailure::Unavailable && !taken.whole {
            if let Err(failure) = self.leave(order, Leaving::Refused).await {
                tracing::warn!(%failure, order.id = %order, "an order is let go later");
            }
            return;
        }
        for (draw, before) in &taken.before {
            let command = match before {
                Some(count) => Command::Reserve {
                    order,
                    count: *count,
                    until,
                },
                None => Command::Release { order },
            };
            // What cannot be put back lapses, or is refused when it is paid.
            let _ = self.ask(*draw, command, None).await;
        }
    }

    async fn make_intent(&self, record: &mut OrderRecord) -> Result<(), Unmade> {
        let order = record.order.id;
        if record.order.payment_intent.is_none() {
            let operation = self
                .claim_of(order, OperationKind::Create)
                .await?
                .ok_or(Unmade::Later)?;
            return self.create(record, &operation).await;
        }
        match self.claim_of(order, OperationKind::Update).await? {
            Some(operation) => match self.update(record, &operation).await {
                // Authorised while we were asking: the order is answered, and paying it says what became of it.
                Err(Unmade::Refused { .. }) => Ok(()),
                updated => updated,
            },
            None => Ok(()),
        }
    }

    /// Lets an order go that was never shown to anybody.
    async fn let_go(&self, order: OrderId, reason: &str) {
        if let Err(failure) = self.let_go_unmade(order, reason).await {
            tracing::warn!(%failure, order.id = %order, "an order is let go later");
        }
    }
}

/// What an order had reserved before it was resized.
struct Taken {
    /// Every line of the order was there.
    whole: bool,
    before: Vec<(DrawId, Option<u16>)>,
}

/// The lines in the order they are reserved, and what rides with each. When the books are to change, that rides with the last
/// one; best one whose count changes, so that it makes a commit.
fn in_turn(order: &Order, lines: &[Line]) -> Vec<(Line, Option<Rider>)> {
    let before = |draw: DrawId| {
        order
            .lines
            .iter()
            .find(|line| line.draw == draw)
            .map(|line| line.count)
    };
    let carrier = lines
        .iter()
        .rev()
        .find(|line| before(line.draw) != Some(line.count))
        .or(lines.last())
        .copied();
    let rider = (lines != order.lines).then(|| Rider::Reprice {
        order: order.id,
        lines: lines.to_vec(),
    });
    let others = lines
        .iter()
        .copied()
        .filter(|line| Some(*line) != carrier)
        .map(|line| (line, None));
    others.chain(carrier.map(|line| (line, rider))).collect()
}

enum Reserved {
    Changeable(OrderRecord),
    /// Authorised or cancelled meanwhile.
    TooLate(OrderRecord),
}

pub(super) fn unavailable(failure: persistence::Failure) -> PaymentFailure {
    let Later = Later::from(failure);
    PaymentFailure::Unavailable
}

pub(super) fn failure_of(draw: DrawId, denied: Denied) -> PaymentFailure {
    match denied {
        Denied::Refused(refusal) => PaymentFailure::Refused { draw, refusal },
        Denied::NoSuchDraw => PaymentFailure::Refused {
            draw,
            refusal: Refusal::DrawClosed,
        },
        Denied::Unavailable | Denied::Paused => PaymentFailure::Unavailable,
    }
}

fn new_order(wanted: &OpenOrder, at: Timestamp) -> NewOrder {
    NewOrder {
        id: wanted.id,
        club: wanted.club,
        account: wanted.account.clone(),
        client_key: wanted.client_key.clone(),
        token: wanted.token.clone(),
        lines: wanted.lines.clone(),
        buyer: wanted.buyer.clone(),
        at,
        authorised_at: None,
        payment_intent: None,
    }
}

fn new_record(wanted: &OpenOrder, at: Timestamp) -> OrderRecord {
    OrderRecord {
        order: Order {
            id: wanted.id,
            club: wanted.club,
            account: wanted.account.clone(),
            state: OrderState::Quoted,
            lines: wanted.lines.clone(),
            payment_intent: None,
            application_fee: domain::Cents::ZERO,
        },
        client_key: wanted.client_key.clone(),
        token: wanted.token.clone(),
        client_secret: None,
        buyer: wanted.buyer.clone(),
        consent_at: None,
        opened_at: at,
        authorised_at: None,
        captured_at: None,
        reason: None,
        tickets: Vec::new(),
    }
}
