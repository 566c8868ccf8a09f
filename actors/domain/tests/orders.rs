//! Tests of the next step and the anomalies, for every combination of order state and payment
//! status.

use domain::AnomalyKind::{
    Dispute, DuplicatePayment, MismatchedAmount, MissingTicket, OrphanedTicket, OwedRefund,
};
use domain::order::NextStep::{
    self, Allocate, Cancel, Capture, Done, Mismatch, Record, Release, Repair, Void, Wait,
};
use domain::reconciliation::reconcile;
use domain::{
    AccountId, AnomalyKind, Cents, ClubId, DisputeStatus, DrawId, Line, Order, OrderId, OrderState,
    PaymentIntent, PaymentIntentId, PaymentOrigin, PaymentStatus,
};

const ORDER_STATES: [OrderState; 7] = [
    OrderState::Quoted,
    OrderState::Allocated,
    OrderState::Captured,
    OrderState::Rejecting,
    OrderState::Released,
    OrderState::Void,
    OrderState::Anomaly,
];

const PAYMENT_STATUSES: [PaymentStatus; 7] = [
    PaymentStatus::RequiresPaymentMethod,
    PaymentStatus::RequiresConfirmation,
    PaymentStatus::RequiresAction,
    PaymentStatus::Processing,
    PaymentStatus::RequiresCapture,
    PaymentStatus::Succeeded,
    PaymentStatus::Canceled,
];

#[rustfmt::skip]
const EXPECTED_NEXT_STEPS: [(OrderState, [NextStep; 7]); 7] = [
    // Columns: the next step for each payment status, written without its prefix `requires_`.
    // payment_method  confirmation  action  processing  capture   succeeded canceled
    (OrderState::Quoted,     [Wait,           Wait,         Wait,   Wait,       Allocate, Repair,   Release]),
    (OrderState::Allocated,  [Wait,           Wait,         Wait,   Wait,       Capture,  Record,   Void]),
    (OrderState::Captured,   [Done,           Done,         Done,   Done,       Done,     Done,     Done]),
    (OrderState::Rejecting,  [Cancel,         Cancel,       Cancel, Cancel,     Cancel,   Repair,   Release]),
    (OrderState::Released,   [Cancel,         Cancel,       Cancel, Cancel,     Cancel,   Repair,   Done]),
    (OrderState::Void,       [Done,           Done,         Done,   Done,       Cancel,   Done,     Done]),
    (OrderState::Anomaly,    [Done,           Done,         Done,   Done,       Done,     Done,     Done]),
];

/// Returns an order with two lines, $10 and $25, and 90 cents of card fee.
fn order_in_state(state: OrderState) -> Order {
    let line = |draw, count, cents, card_fee| Line {
        draw: DrawId(draw),
        count,
        unit_price: Cents(cents),
        card_fee: Cents(card_fee),
    };
    Order {
        id: OrderId(7),
        club: ClubId(1),
        account: AccountId("acct_club".into()),
        state,
        lines: vec![line(1001, 2, 500, 47), line(1002, 1, 2500, 43)],
        payment_intent: Some(PaymentIntentId("pi_1".into())),
        application_fee: Cents(123),
    }
}

fn new_intent(status: PaymentStatus) -> PaymentIntent {
    let taken = status == PaymentStatus::Succeeded;
    PaymentIntent {
        id: PaymentIntentId("pi_1".into()),
        account: AccountId("acct_club".into()),
        status,
        amount: Cents(3590),
        amount_received: if taken { Cents(3590) } else { Cents::ZERO },
        amount_refunded: Cents::ZERO,
        refunds: Vec::new(),
        application_fee: if taken { Cents(123) } else { Cents::ZERO },
        application_fee_refunded: Cents::ZERO,
        currency: "aud".into(),
        origin: PaymentOrigin::default(),
        order: Some(OrderId(7)),
        provider_fee: None,
        dispute: None,
        authorised_at: None,
        draws: Vec::new(),
        method: None,
        decline: None,
    }
}

/// A named change that makes an intent differ from its order.
type NamedIntentChange = (&'static str, fn(&mut PaymentIntent));

const FOREIGN_INTENT_CHANGES: [NamedIntentChange; 4] = [
    ("account", |intent| {
        intent.account = AccountId("acct_other".into());
    }),
    ("order", |intent| intent.order = Some(OrderId(8))),
    ("no order", |intent| intent.order = None),
    ("intent", |intent| {
        intent.id = PaymentIntentId("pi_2".into());
    }),
];

const AMOUNT_AND_CURRENCY_CHANGES: [NamedIntentChange; 3] = [
    ("less", |intent| intent.amount = Cents(3589)),
    ("more", |intent| intent.amount = Cents(3591)),
    ("currency", |intent| intent.currency = "usd".into()),
];

#[test]
fn order_totals_sum_its_lines() {
    let order = order_in_state(OrderState::Quoted);
    assert_eq!(
        (order.subtotal(), order.card_fee(), order.total()),
        (Cents(3500), Cents(90), Cents(3590))
    );
    assert_eq!(order.tickets(), 3);
}

#[test]
fn every_state_and_status_has_one_next_step() {
    assert_eq!(EXPECTED_NEXT_STEPS.map(|(state, _)| state), ORDER_STATES);
    for (state, nexts) in EXPECTED_NEXT_STEPS {
        for (status, next) in PAYMENT_STATUSES.into_iter().zip(nexts) {
            assert_eq!(
                order_in_state(state).decide(&new_intent(status)),
                next,
                "{state:?} and {status:?}"
            );
        }
    }
}

#[test]
fn intent_of_another_order_is_a_mismatch() {
    for (state, nexts) in EXPECTED_NEXT_STEPS {
        for (status, next) in PAYMENT_STATUSES.into_iter().zip(nexts) {
            for (what, differ) in FOREIGN_INTENT_CHANGES {
                let mut intent = new_intent(status);
                differ(&mut intent);
                let expected = if next == Done { Done } else { Mismatch };
                assert_eq!(
                    order_in_state(state).decide(&intent),
                    expected,
                    "{state:?} and {status:?}, other {what}"
                );
            }
        }
    }
}

#[test]
fn payment_without_order_pays_only_the_order_opened_for_it() {
    let mut intent = new_intent(PaymentStatus::Succeeded);
    intent.order = None;
    let mut opened = Order {
        id: OrderId::for_payment_without_order(&intent.id),
        ..order_in_state(OrderState::Allocated)
    };
    opened.payment_intent = Some(intent.id.clone());
    assert_eq!(opened.decide(&intent), Record);
    assert_eq!(
        OrderId::for_payment_without_order(&intent.id),
        OrderId::for_payment_without_order(&intent.id),
        "the id is not a function of the payment"
    );
    intent.order = Some(OrderId(7));
    assert_eq!(
        opened.decide(&intent),
        Mismatch,
        "the intent names another order"
    );
    intent = PaymentIntent {
        id: PaymentIntentId("pi_2".into()),
        order: None,
        ..intent
    };
    opened.payment_intent = None;
    assert_eq!(
        opened.decide(&intent),
        Mismatch,
        "the intent is another payment"
    );
}

#[test]
fn different_amount_is_a_mismatch_only_for_steps_that_move_money() {
    for (state, nexts) in EXPECTED_NEXT_STEPS {
        for (status, next) in PAYMENT_STATUSES.into_iter().zip(nexts) {
            for (what, differ) in AMOUNT_AND_CURRENCY_CHANGES {
                let mut intent = new_intent(status);
                differ(&mut intent);
                let takes = [Allocate, Capture, Record, Repair].contains(&next);
                let expected = if takes { Mismatch } else { next };
                assert_eq!(
                    order_in_state(state).decide(&intent),
                    expected,
                    "{state:?} and {status:?}, {what}"
                );
            }
        }
    }
}

#[test]
fn order_without_stored_intent_accepts_the_intent_that_names_it() {
    let mut order = order_in_state(OrderState::Quoted);
    order.payment_intent = None;
    assert_eq!(
        order.decide(&new_intent(PaymentStatus::RequiresCapture)),
        Allocate
    );
}

/// The intent belongs to the order and is neither refunded nor disputed. Only order state and
/// payment status vary.
#[test]
fn state_and_status_pairs_have_the_expected_anomalies() {
    for state in ORDER_STATES {
        for status in PAYMENT_STATUSES {
            let expected: &[AnomalyKind] = match (state, status) {
                (OrderState::Captured, PaymentStatus::Succeeded) => &[],
                (OrderState::Captured, _) => &[OrphanedTicket],
                (OrderState::Released, PaymentStatus::Succeeded) => &[MissingTicket],
                (OrderState::Void, PaymentStatus::Succeeded) => &[OwedRefund],
                _ => &[],
            };
            assert_eq!(
                anomaly_kinds(&order_in_state(state), &new_intent(status)),
                expected,
                "{state:?} and {status:?}"
            );
        }
    }
}

#[test]
fn difference_is_an_anomaly_once_the_payment_is_authorised() {
    for status in PAYMENT_STATUSES {
        for (what, differ) in FOREIGN_INTENT_CHANGES
            .into_iter()
            .chain(AMOUNT_AND_CURRENCY_CHANGES)
        {
            let mut intent = new_intent(status);
            differ(&mut intent);
            let at_stake = matches!(
                status,
                PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
            );
            let expected: &[AnomalyKind] = if at_stake { &[MismatchedAmount] } else { &[] };
            assert_eq!(
                anomaly_kinds(&order_in_state(OrderState::Quoted), &intent),
                expected,
                "{status:?}, other {what}"
            );
            assert_eq!(
                anomaly_kinds(&order_in_state(OrderState::Anomaly), &intent),
                [],
                "an order in state Anomaly is reported again"
            );
        }
    }
}

#[test]
fn second_payment_is_a_duplicate_once_it_is_captured() {
    for status in PAYMENT_STATUSES {
        let mut second = new_intent(status);
        second.id = PaymentIntentId("pi_second".into());
        let expected: &[AnomalyKind] = if status == PaymentStatus::Succeeded {
            &[DuplicatePayment]
        } else {
            &[]
        };
        assert_eq!(
            anomaly_kinds(&order_in_state(OrderState::Captured), &second),
            expected,
            "{status:?}"
        );
        second.amount_refunded = second.amount_received;
        assert_eq!(
            anomaly_kinds(&order_in_state(OrderState::Captured), &second),
            [],
            "{status:?}, refunded"
        );
    }
}

#[test]
fn refund_without_returned_tickets_is_an_anomaly() {
    let succeeded = |refunded| PaymentIntent {
        amount_refunded: Cents(refunded),
        ..new_intent(PaymentStatus::Succeeded)
    };
    let table: [(OrderState, i64, &[AnomalyKind]); 8] = [
        (OrderState::Captured, 0, &[]),
        (OrderState::Captured, 1, &[MismatchedAmount]),
        (OrderState::Captured, 3589, &[MismatchedAmount]),
        (OrderState::Captured, 3590, &[OrphanedTicket]),
        (OrderState::Void, 3589, &[OwedRefund]),
        (OrderState::Void, 3590, &[]),
        (OrderState::Released, 3590, &[]),
        (OrderState::Anomaly, 3590, &[]),
    ];
    for (state, refunded, expected) in table {
        assert_eq!(
            anomaly_kinds(&order_in_state(state), &succeeded(refunded)),
            expected,
            "{state:?}, {refunded} refunded"
        );
    }
}

#[test]
fn application_fee_that_differs_from_the_ledger_is_an_anomaly() {
    let mut intent = new_intent(PaymentStatus::Succeeded);
    intent.application_fee = Cents(124);
    assert_eq!(
        anomaly_kinds(&order_in_state(OrderState::Captured), &intent),
        [MismatchedAmount]
    );
    intent.amount_refunded = intent.amount_received;
    assert_eq!(
        anomaly_kinds(&order_in_state(OrderState::Captured), &intent),
        [MismatchedAmount, OrphanedTicket],
        "one anomaly hides the other"
    );
    // Refunding the fee later does not change the fee that was taken (decision D-3).
    let intent = PaymentIntent {
        application_fee_refunded: Cents(50),
        ..new_intent(PaymentStatus::Succeeded)
    };
    assert_eq!(
        anomaly_kinds(&order_in_state(OrderState::Captured), &intent),
        []
    );
}

#[test]
fn disputed_payment_is_always_an_anomaly() {
    for state in ORDER_STATES {
        let intent = PaymentIntent {
            dispute: Some(DisputeStatus::NeedsResponse),
            ..new_intent(PaymentStatus::Succeeded)
        };
        assert!(
            anomaly_kinds(&order_in_state(state), &intent).contains(&Dispute),
            "{state:?}"
        );
    }
}

#[test]
fn payment_without_order_is_an_anomaly_until_refunded() {
    for status in PAYMENT_STATUSES {
        let found = reconcile(None, &new_intent(status));
        let expected = usize::from(status == PaymentStatus::Succeeded);
        assert_eq!(found.len(), expected, "{status:?}");
        assert!(
            found
                .iter()
                .all(|anomaly| anomaly.kind == MissingTicket && anomaly.order.is_none())
        );
    }
    let refunded = PaymentIntent {
        amount_refunded: Cents(3590),
        ..new_intent(PaymentStatus::Succeeded)
    };
    assert_eq!(reconcile(None, &refunded), []);
}

#[test]
fn anomaly_contains_its_payment_and_order() {
    let intent = PaymentIntent {
        dispute: Some(DisputeStatus::NeedsResponse),
        ..new_intent(PaymentStatus::Succeeded)
    };
    let found = reconcile(Some(&order_in_state(OrderState::Captured)), &intent);
    assert_eq!(
        found[0].payment_intent,
        Some(PaymentIntentId("pi_1".into()))
    );
    assert_eq!(found[0].order, Some(OrderId(7)));
}

fn anomaly_kinds(order: &Order, intent: &PaymentIntent) -> Vec<AnomalyKind> {
    reconcile(Some(order), intent)
        .into_iter()
        .map(|anomaly| anomaly.kind)
        .collect()
}
