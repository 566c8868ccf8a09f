//! Every mail that is due was written, once, and nobody reads what is not so.

use std::collections::BTreeMap;

use domain::{OrderId, OrderState, PaymentIntent, PaymentIntentId, PaymentStatus};
use persistence::books::OrderRecord;

use super::{Audit, was_captured};

/// Why an order is over whose buyer wanted it so.
const LEFT: &str = "the buyer left";
const DISPUTED: &str = "the buyer's bank disputes the payment";

impl Audit<'_> {
    /// E3: every mail left. E1, E2: one with the tickets for each order that was captured. The others below.
    pub fn mails(&self) {
        let delivered = self.world.watch.facts().delivered.clone();
        let mut queued: BTreeMap<(OrderId, String), u32> = BTreeMap::new();
        for mail in self.world.memory.mails() {
            if let Some(order) = mail.order {
                *queued.entry((order, mail.kind)).or_default() += 1;
            }
            if !delivered.contains_key(&mail.id) {
                self.wrong(format!(
                    "E3: mail {} of {:?} did not leave",
                    mail.id,
                    mail.order.map(|order| order.0)
                ));
            }
        }
        let payments: BTreeMap<&PaymentIntentId, &PaymentIntent> = self
            .intents
            .iter()
            .map(|intent| (&intent.said.id, &intent.said))
            .collect();
        for (id, record) in &self.orders {
            let count = |kind: &str| queued.get(&(*id, kind.into())).copied().unwrap_or_default();
            let mails = count("tickets");
            if mails != u32::from(was_captured(record)) {
                self.wrong(format!(
                    "E1: order {} is {:?} and has {mails} mails",
                    id.0, record.order.state
                ));
            }
            let own = record
                .order
                .payment_intent
                .as_ref()
                .and_then(|own| payments.get(own).copied());
            self.not_charged(record, own, count("not-charged"));
            self.disputed(record, own, count("disputed"));
        }
    }

    /// E4: whoever had authorised a payment that came to nothing reads so once, unless they had left. One that was taken past us
    /// after that may have its tickets by an operator's hand, or its money back.
    fn not_charged(&self, record: &OrderRecord, said: Option<&PaymentIntent>, mails: u32) {
        let is_over = matches!(record.order.state, OrderState::Released | OrderState::Void)
            && !was_captured(record);
        let was_authorised = said.is_some_and(|said| {
            said.status == PaymentStatus::Canceled && said.authorised_at.is_some()
        });
        let is_reachable = record.buyer.email.is_some() && record.reason.as_deref() != Some(LEFT);
        let due = is_over && was_authorised && is_reachable;
        if mails != u32::from(due) && !(mails == 1 && self.is_meddled(record.order.id)) {
            let (order, state, reason) = (record.order.id.0, record.order.state, &record.reason);
            self.wrong(format!(
                "E4: order {order} is {state:?} ({reason:?}) and has {mails} mails of no charge: {said:?}"
            ));
        }
        if due {
            self.world.watch.met("a buyer reads of no charge");
        }
    }

    /// E5: a club reads once of each dispute of an order's own payment that was found, and of no other.
    fn disputed(&self, record: &OrderRecord, said: Option<&PaymentIntent>, mails: u32) {
        let is_disputed = said.is_some_and(|said| said.disputed);
        let is_found = |said: &PaymentIntent| {
            let mut raised = self
                .world
                .memory
                .anomaly_records()
                .into_iter()
                .map(|record| record.anomaly);
            raised.any(|anomaly| {
                anomaly.payment_intent.as_ref() == Some(&said.id) && anomaly.note == DISPUTED
            })
        };
        let must = is_disputed && said.is_some_and(is_found);
        if mails > u32::from(is_disputed) || mails < u32::from(must) {
            self.wrong(format!(
                "E5: the club of order {} has {mails} mails of a dispute: {said:?}",
                record.order.id.0
            ));
        }
        if must {
            self.world.watch.met("a club reads of a dispute");
        }
    }
}
