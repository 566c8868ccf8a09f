//! Checks the mails: every due mail was sent once, and no mail says something wrong.

use std::collections::BTreeMap;

use domain::{OrderId, OrderState, PaymentIntent, PaymentIntentId, PaymentStatus};
use persistence::stores::OrderRecord;

use super::{Audit, has_been_captured};

/// The stored reason of an order that its buyer abandoned.
const REASON_BUYER_LEFT: &str = "the buyer left";
const DISPUTE_NOTE: &str = "the buyer's bank disputes the payment";

impl Audit<'_> {
    /// Checks E3: every mail was delivered. Checks E1 and E2: each captured order has one ticket
    /// mail. The rules E4 and E5 are checked by the functions that this function calls.
    pub fn check_mails(&self) {
        let delivered = self.world.monitor.state().delivered.clone();
        let mut queued: BTreeMap<(OrderId, String), u32> = BTreeMap::new();
        for mail in self.world.memory.mails() {
            if let Some(order) = mail.order {
                *queued.entry((order, mail.kind)).or_default() += 1;
            }
            if !delivered.contains_key(&mail.id) {
                self.report_violation(format!(
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
            if mails != u32::from(has_been_captured(record)) {
                self.report_violation(format!(
                    "E1: order {} is {:?} and has {mails} mails",
                    id.0, record.order.state
                ));
            }
            let own = record
                .order
                .payment_intent
                .as_ref()
                .and_then(|own| payments.get(own).copied());
            self.check_not_charged_mails(record, own, count("not-charged"));
            self.check_dispute_mails(record, own, count("disputed"));
        }
    }

    /// E4: a buyer whose authorised payment was not charged is told so once, unless the buyer
    /// abandoned the order. If the payment was changed externally later, the buyer may have been
    /// told something else.
    fn check_not_charged_mails(
        &self,
        record: &OrderRecord,
        payment: Option<&PaymentIntent>,
        mails: u32,
    ) {
        let is_over = matches!(record.order.state, OrderState::Released | OrderState::Void)
            && !has_been_captured(record);
        let was_authorised = payment.is_some_and(|payment| {
            payment.status == PaymentStatus::Canceled && payment.authorised_at.is_some()
        });
        let is_reachable =
            record.buyer.email.is_some() && record.reason.as_deref() != Some(REASON_BUYER_LEFT);
        let due = is_over && was_authorised && is_reachable;
        if mails != u32::from(due) && !(mails == 1 && self.is_externally_changed(record.order.id)) {
            let (order, state, reason) = (record.order.id.0, record.order.state, &record.reason);
            self.report_violation(format!(
                "E4: order {order} is {state:?} ({reason:?}) and has {mails} mails of no charge: {payment:?}"
            ));
        }
        if due {
            self.world
                .monitor
                .record_situation("a buyer reads of no charge");
        }
    }

    /// E5: a club gets one mail for each dispute of a payment that belongs to the order, and no
    /// other.
    fn check_dispute_mails(
        &self,
        record: &OrderRecord,
        payment: Option<&PaymentIntent>,
        mails: u32,
    ) {
        let is_disputed = payment.is_some_and(PaymentIntent::is_disputed);
        let is_found = |payment: &PaymentIntent| {
            let mut raised = self
                .world
                .memory
                .anomaly_records()
                .into_iter()
                .map(|record| record.anomaly);
            raised.any(|anomaly| {
                anomaly.payment_intent.as_ref() == Some(&payment.id) && anomaly.note == DISPUTE_NOTE
            })
        };
        let must = is_disputed && payment.is_some_and(is_found);
        if mails > u32::from(is_disputed) || mails < u32::from(must) {
            self.report_violation(format!(
                "E5: the club of order {} has {mails} mails of a dispute: {payment:?}",
                record.order.id.0
            ));
        }
        if must {
            self.world
                .monitor
                .record_situation("a club reads of a dispute");
        }
    }
}
