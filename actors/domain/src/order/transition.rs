//! The allowed changes of an order's state. Every implementation of the order store uses these
//! rules.

use thiserror::Error;

use crate::OrderState;

/// A change of an order's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderTransition {
    /// Allocate tickets to the order.
    Allocate {
        /// Whether the allocation is an ordinary sale. Otherwise it is a repair.
        is_sale: bool,
    },
    /// Record that the payment was captured.
    Capture {
        /// Whether an earlier call already recorded the capture.
        was_captured: bool,
    },
    /// Start to reject the order.
    Reject,
    /// End the order without a charge.
    Release,
    /// Mark the order as ended, because its payment is being refunded.
    Refund,
    /// Mark the order as void. Refused while any line has tickets.
    Void,
}

/// The decision about a requested transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitionDecision {
    Allowed,
    /// An earlier transition had this effect already or made it needless: there is nothing to
    /// write.
    AlreadyDone,
    Refused,
}

/// The requested transition is not allowed in the order's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an order that is {state} cannot be {}", .transition.target_state_name())]
pub struct RefusedTransition {
    pub transition: OrderTransition,
    pub state: OrderState,
}

impl OrderTransition {
    /// Decides whether an order in `state` may make this transition. `has_tickets`: whether any
    /// line of the order has tickets.
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

    /// Checks the transition. `true`: the caller must write it. `false`: there is nothing to write.
    ///
    /// # Errors
    /// [`RefusedTransition`]: the transition is not allowed in this state.
    pub fn needs_write(
        self,
        state: OrderState,
        has_tickets: bool,
    ) -> Result<bool, RefusedTransition> {
        match self.decide(state, has_tickets) {
            TransitionDecision::Allowed => Ok(true),
            TransitionDecision::AlreadyDone => Ok(false),
            TransitionDecision::Refused => Err(self.refusal(state)),
        }
    }

    /// Returns the error for a transition that is not allowed in `state`.
    pub fn refusal(self, state: OrderState) -> RefusedTransition {
        RefusedTransition {
            transition: self,
            state,
        }
    }

    /// Returns the end of the error message "an order that is … cannot be …".
    fn target_state_name(self) -> &'static str {
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
