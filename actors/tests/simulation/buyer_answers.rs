//! Records what buyers were told: every answer that reached a browser.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use actors::{FulfilStatus, FulfilmentResult};
use domain::{DrawId, OrderId, PaymentIntentId, Serial};

use super::world::World;

/// One answer of the server, as the browser shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownAnswer {
    Bought(Vec<(DrawId, Vec<Serial>)>),
    NotCharged,
    Refunding,
    /// The browser shows "We are confirming your payment."
    Undecided,
}

/// Everything that the browser of one order was shown.
#[derive(Clone, Debug, Default)]
pub struct OrderTranscript {
    pub payment_intent: Option<PaymentIntentId>,
    pub answers: Vec<ShownAnswer>,
}

#[derive(Default)]
pub struct AnswerLog(Mutex<BTreeMap<OrderId, OrderTranscript>>);

impl AnswerLog {
    pub fn record_shown_intent(&self, order: OrderId, id: &PaymentIntentId) {
        self.update_transcript(order, |transcript| {
            transcript.payment_intent = Some(id.clone());
        });
    }

    /// Records the server's answer to `fulfil`. Returns whether the answer is final.
    pub fn record_fulfilled(&self, world: &World, fulfilled: &FulfilmentResult) -> bool {
        let order = fulfilled.record.order.id;
        let answer = match &fulfilled.status {
            FulfilStatus::Succeeded => ShownAnswer::Bought(fulfilled.record.tickets.clone()),
            FulfilStatus::NotCharged { .. } => ShownAnswer::NotCharged,
            FulfilStatus::Refunding => ShownAnswer::Refunding,
            FulfilStatus::Waiting | FulfilStatus::Processing => ShownAnswer::Undecided,
        };
        self.record_answer(world, order, answer)
    }

    /// Records an answer that the browser shows. Returns whether the answer is final.
    pub fn record_answer(&self, world: &World, order: OrderId, answer: ShownAnswer) -> bool {
        let sign = match &answer {
            ShownAnswer::Bought(_) => 1,
            ShownAnswer::NotCharged => 2,
            ShownAnswer::Refunding => 3,
            ShownAnswer::Undecided => 4,
        };
        world
            .trace
            .record_event("told", &[order.0 as u64, sign], || {
                format!("order {}: {answer:?}", order.0)
            });
        world.monitor.record_situation(match &answer {
            ShownAnswer::Bought(_) => "told: bought",
            ShownAnswer::NotCharged => "told: not charged",
            ShownAnswer::Refunding => "told: money goes back",
            ShownAnswer::Undecided => "told: being confirmed",
        });
        let is_end = answer != ShownAnswer::Undecided;
        self.update_transcript(order, |transcript| transcript.answers.push(answer));
        is_end
    }

    pub fn transcripts(&self) -> BTreeMap<OrderId, OrderTranscript> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn update_transcript(&self, order: OrderId, update: impl FnOnce(&mut OrderTranscript)) {
        update(
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(order)
                .or_default(),
        );
    }
}
