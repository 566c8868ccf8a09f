//! The transition table of an order's state. Every store uses it.

use thiserror::Error;

use crate::OrderState;

/// A change of an order's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderTransition {
    /// Give the order tickets.
    Allocate {
        /// Whether this is a sale. Otherwise it is a repair.
        is_sale: bool,
    },
    /// Record the capture.
    Capture {
        /// Whether the order was captured before.
        was_captured: bool,
    },
    /// Start to refuse the order.
    Reject,
    /// End the order without a charge.
    Release,
    /// End the order because its money goes back.
    Refund,
    /// End the order for good.
    Void,
}

/// The answer of the transition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitionDecision {
    Allowed,
    /// The order has ended in this way, or in one that excludes it: there is nothing to write.
    AlreadyDone,
    Refused,
}

/// An order may not make this transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an order that is {state} cannot be {}", .transition.target())]
pub struct TransitionRefused {
    pub transition: OrderTransition,
    pub state: OrderState,
}

impl OrderTransition {
    /// Decides whether an order in `state` may make this transition. `has_tickets` says whether
    /// any of its lines has tickets.
    pub fn decide(self, state: OrderState, has_tickets: bool) -> TransitionDecision {
        use OrderState::{Allocated, Anomaly, Quoted, Rejecting, Released, Void};
        use TransitionDecision::{Allowed, AlreadyDone, Refused};
        match (self, state) {
            (OrderTransition::Allocate { .. }, Quoted) => Allowed,
            (OrderTransition::Allocate { is_sale: false }, Rejecting | Released | Anomaly) => {
                Allowed
            }
            (OrderTransition::Allocate { .. }, _) => Refused,

            (OrderTransition::Capture { .. }, Allocated) => Allowed,
            (OrderTransition::Capture { was_captured: true }, _) => AlreadyDone,
            (OrderTransition::Capture { .. }, _) => Refused,

            (OrderTransition::Reject, Quoted | Rejecting) => Allowed,
            (OrderTransition::Reject, Released | Void) => AlreadyDone,
            (OrderTransition::Reject, _) => Refused,

            (OrderTransition::Release, Released | Void) => AlreadyDone,
            (OrderTransition::Release, Quoted | Rejecting) if !has_tickets => Allowed,
            (OrderTransition::Release, _) => Refused,

            (OrderTransition::Refund, _) if has_tickets => Refused,
            (OrderTransition::Refund | OrderTransition::Void, Void) => AlreadyDone,
            (OrderTransition::Void, _) if has_tickets => Refused,
            (OrderTransition::Refund | OrderTransition::Void, _) => Allowed,
        }
    }

    /// Checks the transition. `true`: it must be carried out. `false`: there is nothing to write.
    ///
    /// # Errors
    /// [`TransitionRefused`]: the order may not make this transition.
    pub fn check(self, state: OrderState, has_tickets: bool) -> Result<bool, TransitionRefused> {
        match self.decide(state, has_tickets) {
            TransitionDecision::Allowed => Ok(true),
            TransitionDecision::AlreadyDone => Ok(false),
            TransitionDecision::Refused => Err(self.refusal(state)),
        }
    }

    /// Returns the error for a refused transition.
    pub fn refusal(self, state: OrderState) -> TransitionRefused {
        TransitionRefused {
            transition: self,
            state,
        }
    }

    /// Returns what the order would become, for the error.
    fn target(self) -> &'static str {
        match self {
            OrderTransition::Allocate { .. } => "allocated",
            OrderTransition::Capture { .. } => "captured",
            OrderTransition::Reject => "rejected",
            OrderTransition::Release => "released",
            OrderTransition::Refund => "refunded while it has tickets",
            OrderTransition::Void => "void",
        }
    }
}
