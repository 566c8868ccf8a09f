//! The trait `Books` in memory.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, OrderId, OrderState, PaymentIntent,
    PaymentIntentId, Serial, Timestamp,
};

use super::{Call, Memory, Refund, State};
use crate::books::{
    AnomalyRecord, Attempt, Books, Mail, Notice, Operation, OperationKind, OrderRecord, Repair,
    Tell, TermsAgreed,
};
use crate::error::Failure;
use crate::ledger::BuyerDetails;
use crate::nodes::Boot;

/// Everything that would still move money towards an order's capture.
const TOWARDS: [OperationKind; 3] = [
    OperationKind::Create,
    OperationKind::Update,
    OperationKind::Capture,
];

fn cannot(state: OrderState, become_what: &str) -> Failure {
    Failure::NotWritten(format!(
        "an order that is {state:?} cannot be {become_what}"
    ))
}

#[async_trait]
impl Books for Memory {
    async fn order(&self, id: OrderId) -> Result<Option<OrderRecord>, Failure> {
        self.reading("order", |state| state.orders.record(id))
    }

    async fn order_by_client_key(&self, client_key: &str) -> Result<Option<OrderRecord>, Failure> {
        self.reading("order_by_client_key", |state| {
            state.orders.by_client_key(client_key)
        })
    }

    async fn order_by_token(&self, token: &str) -> Result<Option<OrderRecord>, Failure> {
        self.reading("order_by_token", |state| state.orders.by_token(token))
    }

    async fn order_by_payment_intent(
        &self,
        id: &PaymentIntentId,
    ) -> Result<Option<OrderRecord>, Failure> {
        self.reading("order_by_payment_intent", |state| {
            state
                .orders
                .id_by_payment_intent(id)
                .and_then(|id| state.orders.record(id))
        })
    }

    async fn opened(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("opened"), |state| {
            let row = state.orders.get_mut(order)?;
            match &row.record.order.payment_intent {
                Some(known) if known == id => {}
                None if matches!(row.state(), OrderState::Quoted | OrderState::Allocated) => {}
                _ => return Err(cannot(row.state(), "given this payment intent")),
            }
            row.record.order.payment_intent = Some(id.clone());
            row.record
                .client_secret
                .get_or_insert_with(|| client_secret.into());
            state.orders.set_payment_intent(order, id);
            state.operations.finish(order, &[OperationKind::Create]);
            Ok(())
        })
    }

    async fn fill_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<(), Failure> {
        self.writing(Call::Write("fill_buyer"), |state| {
            let row = state.orders.get_mut(order)?;
            row.record.buyer = std::mem::take(&mut row.record.buyer).filled(buyer);
            if let Some(email) = row.record.buyer.email.clone() {
                state.outbox.addressed(order, &email);
            }
            Ok(())
        })
    }

    async fn correct_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Result<bool, Failure> {
        self.writing(Call::Write("correct_buyer"), |state| {
            let Ok(row) = state.orders.get_mut(order) else {
                return Ok(false);
            };
            if row.state() != OrderState::Quoted || row.record.authorised_at.is_some() {
                return Ok(false);
            }
            row.record.buyer = std::mem::take(&mut row.record.buyer).corrected(buyer);
            Ok(true)
        })
    }

    async fn consented(
        &self,
        order: OrderId,
        at: Timestamp,
        _ip: &str,
        _terms: TermsAgreed,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("consented"), |state| {
            state
                .orders
                .get_mut(order)?
                .record
                .consent_at
                .get_or_insert(at);
            Ok(())
        })
    }

    async fn captured(
        &self,
        order: OrderId,
        _said: &PaymentIntent,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("captured"), |state| state.captured(order, at))
    }

    async fn rejecting(&self, order: OrderId, reason: &str, at: Timestamp) -> Result<(), Failure> {
        self.writing(Call::Write("rejecting"), |state| {
            let row = state.orders.get_mut(order)?;
            match row.state() {
                OrderState::Quoted | OrderState::Rejecting => {}
                OrderState::Released | OrderState::Void => return Ok(()),
                other => return Err(cannot(other, "rejected")),
            }
            row.record.reason.get_or_insert_with(|| reason.into());
            state.orders.turn(order, OrderState::Rejecting);
            state.operations.drop_pending(order, &TOWARDS);
            state.operations.cancel(order, at);
            Ok(())
        })
    }

    async fn released(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("released"), |state| {
            let row = state.orders.get_mut(order)?;
            match row.state() {
                OrderState::Quoted | OrderState::Rejecting if row.lines_allocated() == 0 => {}
                OrderState::Released | OrderState::Void => return Ok(()),
                other => return Err(cannot(other, "released")),
            }
            state.end(order, OrderState::Released, reason);
            state.tell(order, tell, at)
        })
    }

    async fn voided(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("voided"), |state| {
            let row = state.orders.get_mut(order)?;
            match row.state() {
                OrderState::Void => return Ok(()),
                other if row.lines_allocated() > 0 => {
                    return Err(cannot(other, "void while it has tickets"));
                }
                _ => {}
            }
            state.end(order, OrderState::Void, reason);
            state.tell(order, tell, at)
        })
    }

    async fn fee_returned(&self, order: OrderId) -> Result<Cents, Failure> {
        self.reading("fee_returned", |state| state.fee_returned(order))
    }

    async fn fee_given_back(&self, order: OrderId) -> Result<Cents, Failure> {
        self.reading("fee_given_back", |state| {
            state.operations.done_sum(order, OperationKind::FeeRefund)
        })
    }

    async fn refunding(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("refunding"), |state| {
            state.refunding(order, amount, fee, reason)
        })
    }

    async fn fees_owed(&self) -> Result<Vec<DrawId>, Failure> {
        self.reading("fees_owed", |state| state.draws.owing())
    }

    async fn give_fees_back(&self, draw: DrawId) -> Result<(), Failure> {
        self.writing(Call::Write("give_fees_back"), |state| {
            state.give_fees_back(draw)
        })
    }

    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Operation>, Failure> {
        self.writing(Call::Write("claim_operations"), |state| {
            Ok(state.operations.claim(now, lease_ms, limit as usize))
        })
    }

    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Result<Option<Operation>, Failure> {
        self.writing(Call::Write("claim_operation"), |state| {
            Ok(state.operations.claim_one(order, kind, now, lease_ms))
        })
    }

    async fn attempted(&self, operation: i64, attempt: Attempt) -> Result<(), Failure> {
        self.writing(Call::Write("attempted"), |state| {
            if let Some(ended) = state.operations.attempted(operation, &attempt)? {
                state.refunds.ended(&ended, &attempt);
            }
            Ok(())
        })
    }

    async fn notice(&self, notice: &Notice, taker: Boot, at: Timestamp) -> Result<bool, Failure> {
        self.writing(Call::Write("notice"), |state| {
            Ok(state.notices.put(notice, taker, at))
        })
    }

    async fn notices_unhandled(
        &self,
        taker: Boot,
        overdue: Timestamp,
        limit: u32,
    ) -> Result<Vec<Notice>, Failure> {
        let now = self.now();
        self.reading("notices_unhandled", |state| {
            let ours = |of: Boot, at: Timestamp| {
                of == taker || at < overdue || state.nodes.is_gone(of, now)
            };
            state.notices.unhandled(ours, limit as usize)
        })
    }

    async fn notice_handled(&self, event_id: &str, _at: Timestamp) -> Result<(), Failure> {
        self.writing(Call::Write("notice_handled"), |state| {
            state.notices.handled(event_id)
        })
    }

    async fn orders_open(
        &self,
        opened_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        self.reading("orders_open", |state| {
            state.orders.open_before(opened_before, limit as usize)
        })
    }

    async fn orders_captured(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        self.reading("orders_captured", |state| {
            state.orders.captured_since(since, limit as usize)
        })
    }

    async fn orders_called_off(&self, limit: u32) -> Result<Vec<OrderRecord>, Failure> {
        self.reading("orders_called_off", |state| {
            let cancelled = state.draws.cancelled();
            let due = |record: &&OrderRecord| {
                let stranded = record
                    .tickets
                    .iter()
                    .any(|(draw, _)| cancelled.contains(draw));
                record.order.state == OrderState::Captured && stranded
            };
            state
                .orders
                .all()
                .map(|row| &row.record)
                .filter(due)
                .take(limit as usize)
                .cloned()
                .collect()
        })
    }

    async fn newest_order(&self) -> Result<Option<Timestamp>, Failure> {
        self.reading("newest_order", |state| {
            state.orders.all().map(|row| row.record.opened_at).max()
        })
    }

    async fn accounts(&self) -> Result<Vec<AccountId>, Failure> {
        self.reading("accounts", |state| {
            let of_orders = state.orders.accounts();
            let all: std::collections::BTreeSet<AccountId> =
                state.clubs.values().cloned().chain(of_orders).collect();
            all.into_iter().collect()
        })
    }

    async fn witness(&self, said: &[PaymentIntent], at: Timestamp) -> Result<(), Failure> {
        self.writing(Call::Write("witness"), |state| {
            said.iter().try_for_each(|said| state.witness(said, at))
        })
    }

    async fn raise(
        &self,
        anomaly: &Anomaly,
        amount: Option<Cents>,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.writing(Call::Write("raise"), |state| {
            Ok(state.anomalies.raise(anomaly, amount, at))
        })
    }

    async fn heal(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Result<u64, Failure> {
        self.writing(Call::Write("heal"), |state| {
            let order = state.orders.id_by_payment_intent(payment_intent);
            let open = state
                .anomalies
                .open_about(payment_intent, order, Some(kind));
            Ok(state.anomalies.heal(&open, at))
        })
    }

    async fn open_about(&self, payment_intent: &PaymentIntentId) -> Result<Vec<u128>, Failure> {
        self.reading("open_about", |state| {
            let order = state.orders.id_by_payment_intent(payment_intent);
            state.anomalies.open_about(payment_intent, order, None)
        })
    }

    async fn reported(
        &self,
        among: &[PaymentIntentId],
    ) -> Result<BTreeSet<PaymentIntentId>, Failure> {
        self.reading("reported", |state| {
            let is_reported = |id: &&PaymentIntentId| {
                let order = state.orders.id_by_payment_intent(id);
                !state.anomalies.open_about(id, order, None).is_empty()
            };
            among.iter().filter(is_reported).cloned().collect()
        })
    }

    async fn heal_known(&self, anomalies: &[u128], at: Timestamp) -> Result<u64, Failure> {
        self.writing(Call::Write("heal_known"), |state| {
            Ok(state.anomalies.heal(anomalies, at))
        })
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> Result<Vec<AnomalyRecord>, Failure> {
        self.reading("anomalies", |state| {
            state.anomalies.list(only_open, limit as usize)
        })
    }

    async fn anomaly_counts(&self) -> Result<(u64, u64), Failure> {
        self.reading("anomaly_counts", |state| state.anomalies.counts())
    }

    async fn resolve(
        &self,
        anomaly: u128,
        _resolution: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.writing(Call::Write("resolve"), |state| {
            Ok(state.anomalies.resolve(anomaly, at))
        })
    }

    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.writing(Call::Write("begin_repair"), |state| {
            Ok(state.repairs.begin(id, repair, at))
        })
    }

    async fn end_repair(&self, id: &PaymentIntentId, repair: Repair) -> Result<(), Failure> {
        self.writing(Call::Write("end_repair"), |state| {
            state.repairs.end(id, repair);
            Ok(())
        })
    }

    async fn witnessed(
        &self,
        payment_intent: &PaymentIntentId,
    ) -> Result<Option<AccountId>, Failure> {
        self.reading("witnessed", |state| {
            let mut seen = state.notices.witnesses();
            seen.find(|witness| witness.said.id == *payment_intent)
                .map(|witness| witness.said.account.clone())
        })
    }

    async fn club_of(&self, account: &AccountId) -> Result<Option<ClubId>, Failure> {
        self.reading("club_of", |state| {
            state
                .clubs
                .iter()
                .find(|(_, of)| *of == account)
                .map(|(club, _)| *club)
        })
    }

    async fn holder(&self, draw: DrawId, serial: Serial) -> Result<Option<OrderId>, Failure> {
        self.reading("holder", |state| {
            state
                .draws
                .get(draw)
                .and_then(|row| row.tickets.get(&serial))
                .map(|ticket| ticket.order)
        })
    }

    async fn orders_nameless(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Result<Vec<OrderRecord>, Failure> {
        self.reading("orders_nameless", |state| {
            let nameless = |record: &&OrderRecord| {
                let long_ago = record.captured_at.is_some_and(|at| at < captured_before);
                let known = state
                    .anomalies
                    .knows(AnomalyKind::OrphanedTicket, &record.order);
                record.order.state == OrderState::Captured
                    && record.buyer.email.is_none()
                    && long_ago
                    && !known
            };
            state
                .orders
                .all()
                .map(|row| &row.record)
                .filter(nameless)
                .take(limit as usize)
                .cloned()
                .collect()
        })
    }

    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Result<bool, Failure> {
        self.writing(Call::Write("queue_mail"), |state| {
            Ok(state
                .outbox
                .queue(dedupe_key, kind, order, Some(to), data, at))
        })
    }

    async fn claim_mail(
        &self,
        sender: Boot,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Result<Vec<Mail>, Failure> {
        let database_now = self.now();
        self.writing(Call::Write("claim_mail"), |state| {
            let State { outbox, nodes, .. } = state;
            let freed = |of: Boot| of != sender && nodes.is_gone(of, database_now);
            Ok(outbox.claim(sender, freed, now, lease_ms, limit as usize))
        })
    }

    async fn mail_sent(&self, mail: i64, at: Timestamp) -> Result<(), Failure> {
        self.writing(Call::Write("mail_sent"), |state| {
            state.outbox.sent(mail, at)
        })
    }

    async fn mail_failed(
        &self,
        mail: i64,
        _why: &str,
        again: Option<Timestamp>,
    ) -> Result<(), Failure> {
        self.writing(Call::Write("mail_failed"), |state| {
            state.outbox.failed(mail, again)
        })
    }
}

impl State {
    fn captured(&mut self, order: OrderId, at: Timestamp) -> Result<(), Failure> {
        let row = self.orders.get_mut(order)?;
        match row.state() {
            OrderState::Allocated => {}
            OrderState::Captured | OrderState::Void if row.record.captured_at.is_some() => {
                return Ok(());
            }
            other => return Err(cannot(other, "captured")),
        }
        row.record.captured_at = Some(at);
        let to = row.record.buyer.email.clone();
        self.orders.turn(order, OrderState::Captured);
        self.operations.finish(order, &[OperationKind::Capture]);
        self.operations.drop_pending(
            order,
            &[
                OperationKind::Create,
                OperationKind::Update,
                OperationKind::Cancel,
            ],
        );
        self.outbox.queue(
            &format!("tickets-{order}"),
            "tickets",
            Some(order),
            to.as_deref(),
            "{}",
            at,
        );
        Ok(())
    }

    fn refunding(
        &mut self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Result<(), Failure> {
        let row = self.orders.get(order)?;
        if self.refunds.has(order) {
            return Ok(());
        }
        if row.lines_allocated() > 0 {
            return Err(cannot(row.state(), "refunded while it has tickets"));
        }
        if amount <= Cents::ZERO {
            return Err(Failure::NotWritten("a refund has an amount".into()));
        }
        let was_captured = row.state() == OrderState::Captured;
        self.operations.refund(
            order,
            OperationKind::Refund,
            format!("refund-{order}"),
            amount,
        );
        self.refunds.put(Refund {
            order,
            amount,
            fee,
            reason: reason.into(),
            succeeded: None,
        });
        if was_captured {
            self.end(order, OrderState::Void, reason);
        } else if fee > Cents::ZERO {
            self.operations
                .refund(order, OperationKind::FeeRefund, format!("fee-{order}"), fee);
        }
        Ok(())
    }

    /// The order is over; what was still to be done outside for it is not needed any more.
    fn end(&mut self, order: OrderId, becomes: OrderState, reason: &str) {
        if let Ok(row) = self.orders.get_mut(order) {
            row.record.reason.get_or_insert_with(|| reason.into());
        }
        self.orders.turn(order, becomes);
        self.operations.drop_pending(order, &TOWARDS);
        self.operations
            .drop_pending(order, &[OperationKind::Cancel]);
    }
}
