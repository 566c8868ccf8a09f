//! Records what buyers were told: every answer that reached a browser.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use actors::{FulfilStatus, FulfilmentResult};
use domain::{DrawId, OrderId, PaymentIntentId, Serial};

use super::world::World;

/// One answer of the server, as the browser shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
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
    pub answers: Vec<Answer>,
}

#[derive(Default)]
pub struct AnswerLog(Mutex<BTreeMap<OrderId, OrderTranscript>>);

impl AnswerLog {
    pub fn shown(&self, order: OrderId, id: &PaymentIntentId) {
        self.with(order, |transcript| {
            transcript.payment_intent = Some(id.clone());
        });
    }

    /// Records an answer. Returns whether it is final.
    pub fn record_fulfilled(&self, world: &World, fulfilled: &FulfilmentResult) -> bool {
        let order = fulfilled.record.order.id;
        let answer = match &fulfilled.status {
            FulfilStatus::Succeeded => Answer::Bought(fulfilled.record.tickets.clone()),
            FulfilStatus::NotCharged { .. } => Answer::NotCharged,
            FulfilStatus::Refunding => Answer::Refunding,
            FulfilStatus::Waiting | FulfilStatus::Processing => Answer::Undecided,
        };
        self.record_answer(world, order, answer)
    }

    /// Records what the browser shows. Returns whether it is final.
    pub fn record_answer(&self, world: &World, order: OrderId, answer: Answer) -> bool {
        let sign = match &answer {
            Answer::Bought(_) => 1,
            Answer::NotCharged => 2,
            Answer::Refunding => 3,
            Answer::Undecided => 4,
        };
        world.trace.note("told", &[order.0 as u64, sign], || {
            format!("order {}: {answer:?}", order.0)
        });
        world.watch.met(match &answer {
            Answer::Bought(_) => "told: bought",
            Answer::NotCharged => "told: not charged",
            Answer::Refunding => "told: money goes back",
            Answer::Undecided => "told: being confirmed",
        });
        let is_end = answer != Answer::Undecided;
        self.with(order, |transcript| transcript.answers.push(answer));
        is_end
    }

    pub fn transcripts(&self) -> BTreeMap<OrderId, OrderTranscript> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn with(&self, order: OrderId, tell: impl FnOnce(&mut OrderTranscript)) {
        tell(
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(order)
                .or_default(),
        );
    }
}
