//! The way to the books.

use std::collections::BTreeSet;
use std::fmt::Debug;

use async_trait::async_trait;
use domain::{
    AccountId, Anomaly, AnomalyKind, Cents, ClubId, DrawId, OrderId, PaymentIntent,
    PaymentIntentId, Serial, Timestamp,
};
use persistence::Failure;
use persistence::books::{
    AnomalyRecord, Attempt, Books, Mail, Notice, Operation, OperationKind, OrderRecord, Repair,
    Tell, TermsAgreed,
};
use persistence::ledger::BuyerDetails;
use persistence::nodes::Boot;

use super::{Owner, enter, leave};
use crate::simulation::mutant::Mutant;

pub struct BooksPort(Owner);

impl BooksPort {
    pub fn new(owner: Owner) -> BooksPort {
        BooksPort(owner)
    }

    /// For whoever reads the story.
    fn said<T: Debug>(
        &self,
        what: &'static str,
        answer: &Answer<T>,
        sentence: impl FnOnce() -> String,
    ) {
        let (world, process) = &self.0;
        world
            .trace
            .note(what, &[process.number, u64::from(answer.is_ok())], || {
                format!("process {} {}: {answer:?}", process.number, sentence())
            });
    }
}

type Answer<T> = Result<T, Failure>;

/// There, the books themselves, and back.
macro_rules! through {
    ($port:ident, $method:ident($($given:expr),*)) => {{
        enter(&$port.0).await?;
        let answer = $port.0.0.memory.$method($($given),*).await;
        leave(&$port.0).await.and(answer)
    }};
}

#[async_trait]
impl Books for BooksPort {
    async fn order(&self, id: OrderId) -> Answer<Option<OrderRecord>> {
        let record = through!(self, order(id))?;
        Ok(record.map(|record| self.0.0.mutant.recalled(&self.0.0, record)))
    }

    async fn order_by_client_key(&self, client_key: &str) -> Answer<Option<OrderRecord>> {
        through!(self, order_by_client_key(client_key))
    }

    async fn order_by_token(&self, token: &str) -> Answer<Option<OrderRecord>> {
        through!(self, order_by_token(token))
    }

    async fn order_by_payment_intent(&self, id: &PaymentIntentId) -> Answer<Option<OrderRecord>> {
        if let Some(order) = self.0.0.mutant.misled(&self.0.0, id) {
            return self.order(order).await;
        }
        through!(self, order_by_payment_intent(id))
    }

    async fn opened(
        &self,
        order: OrderId,
        id: &PaymentIntentId,
        client_secret: &str,
    ) -> Answer<()> {
        through!(self, opened(order, id, client_secret))
    }

    async fn fill_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Answer<()> {
        through!(self, fill_buyer(order, buyer))
    }

    async fn correct_buyer(&self, order: OrderId, buyer: &BuyerDetails) -> Answer<bool> {
        through!(self, correct_buyer(order, buyer))
    }

    async fn consented(
        &self,
        order: OrderId,
        at: Timestamp,
        ip: &str,
        terms: TermsAgreed,
    ) -> Answer<()> {
        through!(self, consented(order, at, ip, terms))
    }

    async fn captured(&self, order: OrderId, said: &PaymentIntent, at: Timestamp) -> Answer<()> {
        self.0.0.mutant.captured(&self.0.0, order, at).await?;
        through!(self, captured(order, said, at))
    }

    async fn rejecting(&self, order: OrderId, reason: &str, at: Timestamp) -> Answer<()> {
        if self.0.0.mutant == Mutant::ExpiryDoesNotCancel && reason.contains("lapsed") {
            return through!(self, released(order, reason, Tell::Nobody, at));
        }
        through!(self, rejecting(order, reason, at))
    }

    async fn released(
        &self,
        order: OrderId,
        reason: &str,
        tell: Tell,
        at: Timestamp,
    ) -> Answer<()> {
        through!(self, released(order, reason, tell, at))
    }

    async fn voided(&self, order: OrderId, reason: &str, tell: Tell, at: Timestamp) -> Answer<()> {
        through!(self, voided(order, reason, tell, at))
    }

    async fn fee_returned(&self, order: OrderId) -> Answer<Cents> {
        through!(self, fee_returned(order))
    }

    async fn fee_given_back(&self, order: OrderId) -> Answer<Cents> {
        through!(self, fee_given_back(order))
    }

    async fn orders_called_off(&self, limit: u32) -> Answer<Vec<OrderRecord>> {
        through!(self, orders_called_off(limit))
    }

    async fn fees_owed(&self) -> Answer<Vec<DrawId>> {
        through!(self, fees_owed())
    }

    async fn give_fees_back(&self, draw: DrawId) -> Answer<()> {
        through!(self, give_fees_back(draw))
    }

    async fn refunding(
        &self,
        order: OrderId,
        amount: Cents,
        fee: Cents,
        reason: &str,
    ) -> Answer<()> {
        through!(self, refunding(order, amount, fee, reason))
    }

    async fn claim_operations(
        &self,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Answer<Vec<Operation>> {
        let claimed = through!(self, claim_operations(now, lease_ms, limit))?;
        Ok(claimed
            .into_iter()
            .filter(|operation| self.0.0.mutant.lets_claim(operation))
            .collect())
    }

    async fn claim_operation(
        &self,
        order: OrderId,
        kind: OperationKind,
        now: Timestamp,
        lease_ms: i64,
    ) -> Answer<Option<Operation>> {
        let claimed = through!(self, claim_operation(order, kind, now, lease_ms))?;
        Ok(claimed.filter(|operation| self.0.0.mutant.lets_claim(operation)))
    }

    async fn attempted(&self, operation: i64, attempt: Attempt) -> Answer<()> {
        through!(self, attempted(operation, attempt))
    }

    async fn notice(&self, notice: &Notice, taker: Boot, at: Timestamp) -> Answer<bool> {
        let world = &self.0.0;
        world.mutant.believes(world, notice);
        let stored = through!(self, notice(&world.mutant.notice(world, notice), taker, at));
        if stored == Ok(true) {
            world.watch.stored(notice);
        }
        stored
    }

    async fn notices_unhandled(
        &self,
        taker: Boot,
        overdue: Timestamp,
        limit: u32,
    ) -> Answer<Vec<Notice>> {
        through!(self, notices_unhandled(taker, overdue, limit))
    }

    async fn notice_handled(&self, event_id: &str, at: Timestamp) -> Answer<()> {
        through!(self, notice_handled(event_id, at))
    }

    async fn orders_open(&self, opened_before: Timestamp, limit: u32) -> Answer<Vec<OrderRecord>> {
        through!(self, orders_open(opened_before, limit))
    }

    async fn orders_captured(&self, since: Timestamp, limit: u32) -> Answer<Vec<OrderRecord>> {
        through!(self, orders_captured(since, limit))
    }

    async fn newest_order(&self) -> Answer<Option<Timestamp>> {
        through!(self, newest_order())
    }

    async fn accounts(&self) -> Answer<Vec<AccountId>> {
        through!(self, accounts())
    }

    async fn witness(&self, said: &[PaymentIntent], at: Timestamp) -> Answer<()> {
        through!(self, witness(said, at))
    }

    async fn raise(&self, anomaly: &Anomaly, amount: Option<Cents>, at: Timestamp) -> Answer<bool> {
        let raised = async { through!(self, raise(anomaly, amount, at)) }.await;
        self.said("raises", &raised, || {
            format!(
                "{:?} of {:?}: {}",
                anomaly.kind, anomaly.payment_intent, anomaly.note
            )
        });
        raised
    }

    async fn heal(
        &self,
        payment_intent: &PaymentIntentId,
        kind: AnomalyKind,
        at: Timestamp,
    ) -> Answer<u64> {
        let healed = async { through!(self, heal(payment_intent, kind, at)) }.await;
        self.said("heals", &healed, || format!("{kind:?} of {payment_intent}"));
        healed
    }

    async fn open_about(&self, payment_intent: &PaymentIntentId) -> Answer<Vec<u128>> {
        through!(self, open_about(payment_intent))
    }

    async fn reported(&self, among: &[PaymentIntentId]) -> Answer<BTreeSet<PaymentIntentId>> {
        through!(self, reported(among))
    }

    async fn heal_known(&self, anomalies: &[u128], at: Timestamp) -> Answer<u64> {
        let healed = async { through!(self, heal_known(anomalies, at)) }.await;
        self.said("heals", &healed, || format!("anomalies {anomalies:?}"));
        healed
    }

    async fn anomalies(&self, only_open: bool, limit: u32) -> Answer<Vec<AnomalyRecord>> {
        through!(self, anomalies(only_open, limit))
    }

    async fn anomaly_counts(&self) -> Answer<(u64, u64)> {
        through!(self, anomaly_counts())
    }

    async fn resolve(&self, anomaly: u128, resolution: &str, at: Timestamp) -> Answer<bool> {
        through!(self, resolve(anomaly, resolution, at))
    }

    async fn begin_repair(
        &self,
        id: &PaymentIntentId,
        repair: Repair,
        at: Timestamp,
    ) -> Answer<bool> {
        through!(self, begin_repair(id, repair, at))
    }

    async fn end_repair(&self, id: &PaymentIntentId, repair: Repair) -> Answer<()> {
        through!(self, end_repair(id, repair))
    }

    async fn witnessed(&self, payment_intent: &PaymentIntentId) -> Answer<Option<AccountId>> {
        through!(self, witnessed(payment_intent))
    }

    async fn club_of(&self, account: &AccountId) -> Answer<Option<ClubId>> {
        through!(self, club_of(account))
    }

    async fn holder(&self, draw: DrawId, serial: Serial) -> Answer<Option<OrderId>> {
        through!(self, holder(draw, serial))
    }

    async fn orders_nameless(
        &self,
        captured_before: Timestamp,
        limit: u32,
    ) -> Answer<Vec<OrderRecord>> {
        through!(self, orders_nameless(captured_before, limit))
    }

    async fn queue_mail(
        &self,
        dedupe_key: &str,
        kind: &str,
        order: Option<OrderId>,
        to: &str,
        data: &str,
        at: Timestamp,
    ) -> Answer<bool> {
        through!(self, queue_mail(dedupe_key, kind, order, to, data, at))
    }

    async fn claim_mail(
        &self,
        sender: Boot,
        now: Timestamp,
        lease_ms: i64,
        limit: u32,
    ) -> Answer<Vec<Mail>> {
        through!(self, claim_mail(sender, now, lease_ms, limit))
    }

    async fn mail_sent(&self, mail: i64, at: Timestamp) -> Answer<()> {
        through!(self, mail_sent(mail, at))
    }

    async fn mail_failed(&self, mail: i64, why: &str, again: Option<Timestamp>) -> Answer<()> {
        through!(self, mail_failed(mail, why, again))
    }
}
