//! Checks that everything buyers were told is true, and that repeated requests give the same
//! answer.

use std::time::Duration;

use actors::{FulfilStatus, PaymentFailure};
use domain::{OrderId, OrderState};

use super::super::buyer_answers::{OrderTranscript, ShownAnswer};
use super::{Audit, has_been_captured};

const REPEATED_CALL_TIMEOUT: Duration = Duration::from_secs(60);

impl Audit<'_> {
    pub fn check_answers_shown(&self) {
        for (order, transcript) in self.world.answers_shown.transcripts() {
            for answer in &transcript.answers {
                self.check_answer(order, &transcript, answer);
            }
        }
    }

    fn check_answer(&self, order: OrderId, transcript: &OrderTranscript, answer: &ShownAnswer) {
        let Some(record) = self.orders.get(&order) else {
            return self.report_violation(format!(
                "told: order {} was shown to a browser but does not exist",
                order.0
            ));
        };
        if transcript.payment_intent.is_some()
            && transcript.payment_intent != record.order.payment_intent
        {
            let (shown, own) = (&transcript.payment_intent, &record.order.payment_intent);
            self.report_violation(format!(
                "told: order {} was shown {shown:?} and is paid by {own:?}",
                order.0
            ));
        }
        let taken = self
            .intents
            .iter()
            .any(|intent| intent.said.order == Some(order) && intent.captures > 0);
        let state = record.order.state;
        let goes_back = self.world.monitor.state().refund_requested.contains(&order)
            || self.is_externally_changed(order);
        match answer {
            ShownAnswer::Bought(tickets)
                if state == OrderState::Captured && *tickets == record.tickets => {}
            ShownAnswer::Bought(_)
                if state == OrderState::Void && has_been_captured(record) && goes_back => {}
            ShownAnswer::Bought(tickets) => {
                self.report_violation(format!(
                    "told: order {} bought {tickets:?}, but it is {state:?}",
                    order.0
                ));
            }
            ShownAnswer::NotCharged if taken && !self.is_externally_changed(order) => {
                self.report_violation(format!(
                    "told: order {} is not charged, but it was ({state:?})",
                    order.0
                ));
            }
            ShownAnswer::Refunding if !taken => {
                self.report_violation(format!(
                    "told: order {} is refunded but was never captured",
                    order.0
                ));
            }
            ShownAnswer::NotCharged | ShownAnswer::Refunding | ShownAnswer::Undecided => {}
        }
    }

    /// Rule 2 of the decisions: repeating `fulfil` returns the same outcome and changes nothing.
    pub async fn check_repeated_calls(&self) {
        for (id, record) in &self.orders {
            let Some(intent) = record.order.payment_intent.clone() else {
                continue;
            };
            let ask = |handles: super::super::processes::EngineHandles| async move {
                handles.payments.fulfil(&intent).await
            };
            let answer = self
                .world
                .processes
                .call_random_process(&self.world.network_random, 0, REPEATED_CALL_TIMEOUT, ask)
                .await;
            let Some(Ok(fulfilled)) = answer else {
                if matches!(answer, Some(Err(PaymentFailure::Mismatch)))
                    && self.is_externally_changed(*id)
                {
                    continue;
                }
                self.report_violation(format!(
                    "told: order {} cannot be queried: {answer:?}",
                    id.0
                ));
                continue;
            };
            let agrees = match fulfilled.status {
                FulfilStatus::Succeeded => record.order.state == OrderState::Captured,
                FulfilStatus::Refunding => record.order.state == OrderState::Void,
                FulfilStatus::NotCharged { .. } => !has_been_captured(record),
                FulfilStatus::Waiting | FulfilStatus::Processing => false,
            };
            let same = fulfilled.record.order.state == record.order.state
                && fulfilled.record.tickets == record.tickets;
            if !agrees || !same {
                let (status, state) = (fulfilled.status, record.order.state);
                self.report_violation(format!(
                    "told: order {} is {state:?} and answers {status:?}",
                    id.0
                ));
            }
        }
    }
}
