//! Tests of all transitions of an order from every state, and of the names of the states.

use domain::OrderState;
use domain::order::transition::OrderTransition::{
    Allocate, Capture, Refund, Reject, Release, Void,
};
use domain::order::transition::TransitionDecision::{Allowed, AlreadyDone, Refused};

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
        let decisions = OrderState::ALL.map(|state| transition.decide(state, false));
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
        Release.needs_write(OrderState::Allocated, true),
        Err(Release.refusal(OrderState::Allocated))
    );
    assert_eq!(
        Release.refusal(OrderState::Allocated).to_string(),
        "an order that is allocated cannot be released"
    );
}

#[test]
fn repeated_capture_is_already_done() {
    let again = Capture { was_captured: true };
    assert_eq!(again.decide(OrderState::Captured, true), AlreadyDone);
    assert_eq!(again.decide(OrderState::Void, false), AlreadyDone);
}

#[test]
fn order_state_names_are_those_of_the_stored_rows() {
    let names = [
        "quoted",
        "allocated",
        "captured",
        "rejecting",
        "released",
        "void",
        "anomaly",
    ];
    assert_eq!(OrderState::ALL.map(OrderState::name), names);
    for state in OrderState::ALL {
        assert_eq!(OrderState::from_name(state.name()), Some(state));
    }
    assert_eq!(OrderState::from_name("Quoted"), None);
}
