//! What follows from every meeting of an order's state with the provider's word, and what is an anomaly.

use domain::AnomalyKind::{DuplicatePayment, MismatchedAmount, MissingTicket, OrphanedTicket};
use domain::order::Next::{
    self, Allocate, Cancel, Capture, Done, Mismatch, Record, Release, Repair, Void, Wait,
};
use domain::reconciliation::reconcile;
use domain::{
    AccountId, AnomalyKind, Cents, ClubId, DrawId, Line, Order, OrderId, OrderState, PaymentIntent,
    PaymentIntentId, PaymentStatus,
};

const STATES: [OrderState; 7] = [
    OrderState::Quoted,
    OrderState::Allocated,
    OrderState::Captured,
    OrderState::Rejecting,
    OrderState::Released,
    OrderState::Void,
    OrderState::Anomaly,
];

const STATUSES: [PaymentStatus; 7] = [
    PaymentStatus::RequiresPaymentMethod,
    PaymentStatus::RequiresConfirmation,
    PaymentStatus::RequiresAction,
    PaymentStatus::Processing,
    PaymentStatus::RequiresCapture,
    PaymentStatus::Succeeded,
    PaymentStatus::Canceled,
];

#[rustfmt::skip]
const NEXT: [(OrderState, [Next; 7]); 7] = [
    //                        payment_method  confirmation  action  processing  capture   succeeded canceled
    (OrderState::Quoted,     [Wait,           Wait,         Wait,   Wait,       Allocate, Repair,   Release]),
    (OrderState::Allocated,  [Wait,           Wait,         Wait,   Wait,       Capture,  Record,   Void]),
    (OrderState::Captured,   [Done,           Done,         Done,   Done,       Done,     Done,     Done]),
    (OrderState::Rejecting,  [Cancel,         Cancel,       Cancel, Cancel,     Cancel,   Repair,   Release]),
    (OrderState::Released,   [Cancel,         Cancel,       Cancel, Cancel,     Cancel,   Repair,   Done]),
    (OrderState::Void,       [Done,           Done,         Done,   Done,       Cancel,   Done,     Done]),
    (OrderState::Anomaly,    [Done,           Done,         Done,   Done,       Done,     Done,     Done]),
];

/// Two lines, $10 and $25, and 90 cents of card fee.
fn order(state: OrderState) -> Order {
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

fn intent(status: PaymentStatus) -> PaymentIntent {
    let taken = status == PaymentStatus::Succeeded;
    PaymentIntent {
        id: PaymentIntentId("pi_1".into()),
        account: AccountId("acct_club".into()),
        status,
        amount: Cents(3590),
        amount_received: if taken { Cents(3590) } else { Cents::ZERO },
        amount_refunded: Cents::ZERO,
        application_fee: if taken { Cents(123) } else { Cents::ZERO },
        application_fee_refunded: Cents::ZERO,
        currency: "aud".into(),
        order: Some(OrderId(7)),
        provider_fee: None,
        disputed: false,
        authorised_at: None,
        draws: Vec::new(),
        method: None,
        decline: None,
    }
}

/// A way in which an intent can fail to be the order's, with its name.
type Difference = (&'static str, fn(&mut PaymentIntent));

const SOMEBODY_ELSES: [Difference; 4] = [
    ("account", |said| {
        said.account = AccountId("acct_other".into())
    }),
    ("order", |said| said.order = Some(OrderId(8))),
    ("no order", |said| said.order = None),
    ("intent", |said| said.id = PaymentIntentId("pi_2".into())),
];

const OTHER_MONEY: [Difference; 3] = [
    ("less", |said| said.amount = Cents(3589)),
    ("more", |said| said.amount = Cents(3591)),
    ("currency", |said| said.currency = "usd".into()),
];

#[test]
fn an_order_adds_up() {
    let order = order(OrderState::Quoted);
    assert_eq!(
        (order.subtotal(), order.card_fee(), order.total()),
        (Cents(3500), Cents(90), Cents(3590))
    );
    assert_eq!(order.tickets(), 3);
}

#[test]
fn every_state_and_status_has_one_next_step() {
    assert_eq!(NEXT.map(|(state, _)| state), STATES);
    for (state, nexts) in NEXT {
        for (status, next) in STATUSES.into_iter().zip(nexts) {
            assert_eq!(
                order(state).decide(&intent(status)),
                next,
                "{state:?} and {status:?}"
            );
        }
    }
}

#[test]
fn another_orders_intent_never_moves_this_one() {
    for (state, nexts) in NEXT {
        for (status, next) in STATUSES.into_iter().zip(nexts) {
            for (what, differ) in SOMEBODY_ELSES {
                let mut said = intent(status);
                differ(&mut said);
                let expected = if next == Done { Done } else { Mismatch };
                assert_eq!(
                    order(state).decide(&said),
                    expected,
                    "{state:?} and {status:?}, other {what}"
                );
            }
        }
    }
}

#[test]
fn other_money_stops_what_takes_money_and_nothing_else() {
    for (state, nexts) in NEXT {
        for (status, next) in STATUSES.into_iter().zip(nexts) {
            for (what, differ) in OTHER_MONEY {
                let mut said = intent(status);
                differ(&mut said);
                let takes = [Allocate, Capture, Record, Repair].contains(&next);
                let expected = if takes { Mismatch } else { next };
                assert_eq!(
                    order(state).decide(&said),
                    expected,
                    "{state:?} and {status:?}, {what}"
                );
            }
        }
    }
}

#[test]
fn an_order_that_does_not_know_its_intent_yet_takes_the_one_that_names_it() {
    let mut order = order(OrderState::Quoted);
    order.payment_intent = None;
    assert_eq!(
        order.decide(&intent(PaymentStatus::RequiresCapture)),
        Allocate
    );
}

/// The anomalies of every meeting where both sides name the same payment, money neither returned nor disputed.
#[test]
fn books_that_agree_or_that_waiting_mends_are_no_anomaly() {
    for state in STATES {
        for status in STATUSES {
            let expected: &[AnomalyKind] = match (state, status) {
                (OrderState::Captured, PaymentStatus::Succeeded) => &[],
                (OrderState::Captured, _) => &[OrphanedTicket],
                (OrderState::Released | OrderState::Void, PaymentStatus::Succeeded) => {
                    &[MissingTicket]
                }
                _ => &[],
            };
            assert_eq!(
                kinds(&order(state), &intent(status)),
                expected,
                "{state:?} and {status:?}"
            );
        }
    }
}

#[test]
fn a_difference_is_an_anomaly_once_money_is_at_stake() {
    for status in STATUSES {
        for (what, differ) in SOMEBODY_ELSES.into_iter().chain(OTHER_MONEY) {
            let mut said = intent(status);
            differ(&mut said);
            let at_stake = matches!(
                status,
                PaymentStatus::RequiresCapture | PaymentStatus::Succeeded
            );
            let expected: &[AnomalyKind] = if at_stake { &[MismatchedAmount] } else { &[] };
            assert_eq!(
                kinds(&order(OrderState::Quoted), &said),
                expected,
                "{status:?}, other {what}"
            );
            assert_eq!(
                kinds(&order(OrderState::Anomaly), &said),
                [],
                "a person has it already"
            );
        }
    }
}

#[test]
fn a_second_payment_for_an_order_that_is_paid_is_a_duplicate_once_it_took_money() {
    for status in STATUSES {
        let mut second = intent(status);
        second.id = PaymentIntentId("pi_second".into());
        let expected: &[AnomalyKind] = if status == PaymentStatus::Succeeded {
            &[DuplicatePayment]
        } else {
            &[]
        };
        assert_eq!(
            kinds(&order(OrderState::Captured), &second),
            expected,
            "{status:?}"
        );
        second.amount_refunded = second.amount_received;
        assert_eq!(
            kinds(&order(OrderState::Captured), &second),
            [],
            "{status:?}, refunded"
        );
    }
}

#[test]
fn money_that_went_back_must_take_its_tickets_along() {
    let succeeded = |refunded| PaymentIntent {
        amount_refunded: Cents(refunded),
        ..intent(PaymentStatus::Succeeded)
    };
    let table: [(OrderState, i64, &[AnomalyKind]); 8] = [
        (OrderState::Captured, 0, &[]),
        (OrderState::Captured, 1, &[MismatchedAmount]),
        (OrderState::Captured, 3589, &[MismatchedAmount]),
        (OrderState::Captured, 3590, &[OrphanedTicket]),
        (OrderState::Void, 3589, &[MissingTicket]),
        (OrderState::Void, 3590, &[]),
        (OrderState::Released, 3590, &[]),
        (OrderState::Anomaly, 3590, &[]),
    ];
    for (state, refunded, expected) in table {
        assert_eq!(
            kinds(&order(state), &succeeded(refunded)),
            expected,
            "{state:?}, {refunded} refunded"
        );
    }
}

#[test]
fn the_fee_taken_is_the_fee_of_our_ledger() {
    let mut said = intent(PaymentStatus::Succeeded);
    said.application_fee = Cents(124);
    assert_eq!(
        kinds(&order(OrderState::Captured), &said),
        [MismatchedAmount]
    );
    said.amount_refunded = said.amount_received;
    assert_eq!(
        kinds(&order(OrderState::Captured), &said),
        [MismatchedAmount, OrphanedTicket],
        "one does not hide the other"
    );
    // A fee given back later is another number (decision D-3).
    let said = PaymentIntent {
        application_fee_refunded: Cents(50),
        ..intent(PaymentStatus::Succeeded)
    };
    assert_eq!(kinds(&order(OrderState::Captured), &said), []);
}

#[test]
fn a_dispute_is_always_an_anomaly() {
    for state in STATES {
        let said = PaymentIntent {
            disputed: true,
            ..intent(PaymentStatus::Succeeded)
        };
        assert!(
            kinds(&order(state), &said).contains(&MismatchedAmount),
            "{state:?}"
        );
    }
}

#[test]
fn a_payment_nobody_knows_is_missing_its_tickets_until_it_is_refunded() {
    for status in STATUSES {
        let found = reconcile(None, &intent(status));
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
        ..intent(PaymentStatus::Succeeded)
    };
    assert_eq!(reconcile(None, &refunded), []);
}

#[test]
fn an_anomaly_names_its_payment_and_its_order() {
    let said = PaymentIntent {
        disputed: true,
        ..intent(PaymentStatus::Succeeded)
    };
    let found = reconcile(Some(&order(OrderState::Captured)), &said);
    assert_eq!(
        found[0].payment_intent,
        Some(PaymentIntentId("pi_1".into()))
    );
    assert_eq!(found[0].order, Some(OrderId(7)));
}

fn kinds(order: &Order, said: &PaymentIntent) -> Vec<AnomalyKind> {
    reconcile(Some(order), said)
        .into_iter()
        .map(|anomaly| anomaly.kind)
        .collect()
}
