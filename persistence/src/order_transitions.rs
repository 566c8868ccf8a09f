//! The transition table of an order's state. Both stores use it.

use domain::OrderState;

use crate::error::Failure;

/// A change of an order's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderTransition {
    /// Give the order tickets. `is_sale` is false for a repair.
    #[cfg_attr(
        not(feature = "testing"),
        allow(
            dead_code,
            reason = "Postgres allocates many orders with one statement"
        )
    )]
    Allocate { is_sale: bool },
    /// Record the capture. `was_captured` says whether the order was ever captured before.
    Capture { was_captured: bool },
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
pub(crate) enum TransitionDecision {
    Allowed,
    /// The order has ended in this way, or in one that excludes it: there is nothing to write.
    AlreadyDone,
    Refused,
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
    /// [`Failure::NotWritten`]: the order may not make this transition.
    pub fn check(self, state: OrderState, has_tickets: bool) -> Result<bool, Failure> {
        match self.decide(state, has_tickets) {
            TransitionDecision::Allowed => Ok(true),
            TransitionDecision::AlreadyDone => Ok(false),
            TransitionDecision::Refused => Err(self.refusal(state)),
        }
    }

    /// Returns the error for a refused transition.
    pub fn refusal(self, state: OrderState) -> Failure {
        let target = match self {
            OrderTransition::Allocate { .. } => "allocated",
            OrderTransition::Capture { .. } => "captured",
            OrderTransition::Reject => "rejected",
            OrderTransition::Release => "released",
            OrderTransition::Refund => "refunded while it has tickets",
            OrderTransition::Void => "void",
        };
        let state = format!("{state:?}").to_lowercase();
        Failure::NotWritten(format!("an order that is {state} cannot be {target}"))
    }
}

#[cfg(test)]
mod tests {
    use super::OrderTransition::{Allocate, Capture, Refund, Reject, Release, Void};
    use super::TransitionDecision::{Allowed, AlreadyDone, Refused};
    use super::*;

    const STATES: [OrderState; 7] = [
        OrderState::Quoted,
        OrderState::Allocated,
        OrderState::Captured,
        OrderState::Rejecting,
        OrderState::Released,
        OrderState::Void,
        OrderState::Anomaly,
    ];

    #[test]
    fn transition_table_without_tickets_is_complete() {
        let expected = |transition| match transition {
            Allocate { is_sale: true } => [
                Allowed, Refused, Refused, Refused, Refused, Refused, Refused,
            ],
            Allocate { is_sale: false } => [
                Allowed, Refused, Refused, Allowed, Allowed, Refused, Allowed,
            ],
            Capture { .. } => [
                Refused, Allowed, Refused, Refused, Refused, Refused, Refused,
            ],
            Reject => [
                Allowed,
                Refused,
                Refused,
                Allowed,
                AlreadyDone,
                AlreadyDone,
                Refused,
            ],
            Release => [
                Allowed,
                Refused,
                Refused,
                Allowed,
                AlreadyDone,
                AlreadyDone,
                Refused,
            ],
            Refund | Void => [
                Allowed,
                Allowed,
                Allowed,
                Allowed,
                Allowed,
                AlreadyDone,
                Allowed,
            ],
        };
        for transition in [
            Allocate { is_sale: true },
            Allocate { is_sale: false },
            Capture {
                was_captured: false,
            },
            Reject,
            Release,
            Refund,
            Void,
        ] {
            let decisions = STATES.map(|state| transition.decide(state, false));
            assert_eq!(decisions, expected(transition), "{transition:?}");
        }
    }

    #[test]
    fn order_with_tickets_is_not_released_refunded_or_voided() {
        for transition in [Release, Refund, Void] {
            let decision = transition.decide(OrderState::Rejecting, true);
            assert_eq!(decision, Refused, "{transition:?}");
        }
        assert_eq!(
            Release.refusal(OrderState::Allocated),
            Failure::NotWritten("an order that is allocated cannot be released".into())
        );
    }

    #[test]
    fn repeated_capture_is_already_done() {
        let again = Capture { was_captured: true };
        assert_eq!(again.decide(OrderState::Captured, true), AlreadyDone);
        assert_eq!(again.decide(OrderState::Void, false), AlreadyDone);
    }
}
