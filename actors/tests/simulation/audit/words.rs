//! What buyers were told is true, and asking again answers the same.

use std::time::Duration;

use actors::{FulfilStatus, PaymentFailure};
use domain::{OrderId, OrderState};

use super::super::told::{Answer, Story};
use super::{Audit, was_captured};

const PATIENCE: Duration = Duration::from_secs(60);

impl Audit<'_> {
    pub fn told(&self) {
        for (order, story) in self.world.told.stories() {
            for answer in &story.answers {
                self.is_true(order, &story, answer);
            }
        }
    }

    fn is_true(&self, order: OrderId, story: &Story, answer: &Answer) {
        let Some(record) = self.orders.get(&order) else {
            return self.wrong(format!(
                "told: order {} was shown to a browser and is not there",
                order.0
            ));
        };
        if story.payment_intent.is_some() && story.payment_intent != record.order.payment_intent {
            let (shown, own) = (&story.payment_intent, &record.order.payment_intent);
            self.wrong(format!(
                "told: order {} was shown {shown:?} and is paid by {own:?}",
                order.0
            ));
        }
        let taken = self
            .intents
            .iter()
            .any(|intent| intent.said.order == Some(order) && intent.captures > 0);
        let state = record.order.state;
        let goes_back =
            self.world.watch.facts().refund_asked.contains(&order) || self.is_meddled(order);
        match answer {
            Answer::Bought(tickets)
                if state == OrderState::Captured && *tickets == record.tickets => {}
            Answer::Bought(_) if state == OrderState::Void && was_captured(record) && goes_back => {
            }
            Answer::Bought(tickets) => {
                self.wrong(format!(
                    "told: order {} bought {tickets:?}, but it is {state:?}",
                    order.0
                ));
            }
            Answer::NotCharged if taken && !self.is_meddled(order) => {
                self.wrong(format!(
                    "told: order {} is not charged, but it was ({state:?})",
                    order.0
                ));
            }
            Answer::Refunding if !taken => {
                self.wrong(format!(
                    "told: order {} gets money back that was never taken",
                    order.0
                ));
            }
            Answer::NotCharged | Answer::Refunding | Answer::Undecided => {}
        }
    }

    /// Rule 2: any further call answers how it ended, and changes nothing.
    pub async fn asks_again(&self) {
        for (id, record) in &self.orders {
            let Some(intent) = record.order.payment_intent.clone() else {
                continue;
            };
            let ask = |house: super::super::house::Handles| async move {
                house.payments.fulfil(&intent).await
            };
            let answer = self
                .world
                .house
                .call(&self.world.courier, 0, PATIENCE, ask)
                .await;
            let Some(Ok(fulfilled)) = answer else {
                if matches!(answer, Some(Err(PaymentFailure::Mismatch))) && self.is_meddled(*id) {
                    continue;
                }
                self.wrong(format!(
                    "told: order {} cannot be asked about: {answer:?}",
                    id.0
                ));
                continue;
            };
            let agrees = match fulfilled.status {
                FulfilStatus::Succeeded => record.order.state == OrderState::Captured,
                FulfilStatus::Refunding => record.order.state == OrderState::Void,
                FulfilStatus::NotCharged { .. } => !was_captured(record),
                FulfilStatus::Waiting | FulfilStatus::Processing => false,
            };
            let same = fulfilled.record.order.state == record.order.state
                && fulfilled.record.tickets == record.tickets;
            if !agrees || !same {
                let (status, state) = (fulfilled.status, record.order.state);
                self.wrong(format!(
                    "told: order {} is {state:?} and answers {status:?}",
                    id.0
                ));
            }
        }
    }
}
