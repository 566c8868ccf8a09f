//! What buyers were told: each answer that reached a browser.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use actors::{FulfilStatus, Fulfilled};
use domain::{DrawId, OrderId, PaymentIntentId, Serial};

use super::world::World;

/// One answer, as the browser shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Bought(Vec<(DrawId, Vec<Serial>)>),
    NotCharged,
    Refunding,
    /// "We are confirming your payment."
    Undecided,
}

/// What one order's browser was shown and told.
#[derive(Clone, Debug, Default)]
pub struct Story {
    pub payment_intent: Option<PaymentIntentId>,
    pub answers: Vec<Answer>,
}

#[derive(Default)]
pub struct Told(Mutex<BTreeMap<OrderId, Story>>);

impl Told {
    pub fn shown(&self, order: OrderId, id: &PaymentIntentId) {
        self.with(order, |story| story.payment_intent = Some(id.clone()));
    }

    /// Answers whether this was the end of it.
    pub fn answered(&self, world: &World, fulfilled: &Fulfilled) -> bool {
        let order = fulfilled.record.order.id;
        let answer = match &fulfilled.status {
            FulfilStatus::Succeeded => Answer::Bought(fulfilled.record.tickets.clone()),
            FulfilStatus::NotCharged { .. } => Answer::NotCharged,
            FulfilStatus::Refunding => Answer::Refunding,
            FulfilStatus::Waiting | FulfilStatus::Processing => Answer::Undecided,
        };
        self.heard(world, order, answer)
    }

    /// The same, as the browser shows it.
    pub fn heard(&self, world: &World, order: OrderId, answer: Answer) -> bool {
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
        self.with(order, |story| story.answers.push(answer));
        is_end
    }

    pub fn stories(&self) -> BTreeMap<OrderId, Story> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn with(&self, order: OrderId, tell: impl FnOnce(&mut Story)) {
        tell(
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(order)
                .or_default(),
        );
    }
}
