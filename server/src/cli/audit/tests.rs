//! Tests that the audit finds each kind of disagreement, and reports none for equal data.

use domain::{Cents, PaymentIntentId, PaymentStatus};

use super::*;

fn order(id: &str, total: i64, fee: i64) -> OrderAmounts {
    OrderAmounts {
        order: format!("order of {id}"),
        payment_intent: Some(id.to_string()),
        account: "acct_1".to_string(),
        is_taken: true,
        total,
        application_fee: fee,
        refunded: 0,
        fee_refunded: 0,
        is_reported: false,
    }
}

fn intent(id: &str, amount: i64, fee: i64) -> PaymentIntent {
    PaymentIntent {
        id: PaymentIntentId(id.to_string()),
        account: AccountId("acct_1".to_string()),
        status: PaymentStatus::Succeeded,
        amount: Cents(amount),
        amount_received: Cents(amount),
        amount_refunded: Cents::ZERO,
        refunds: Vec::new(),
        application_fee: Cents(fee),
        application_fee_refunded: Cents::ZERO,
        currency: "aud".to_string(),
        order: None,
        provider_fee: None,
        dispute: None,
        authorised_at: None,
        draws: Vec::new(),
        method: None,
        decline: None,
    }
}

fn disagreeing_objects(
    ledger_side: &[OrderAmounts],
    provider_side: &[PaymentIntent],
    reported: &[&str],
) -> Vec<String> {
    let reported = reported.iter().map(ToString::to_string).collect();
    let ledger_side: Vec<&OrderAmounts> = ledger_side.iter().collect();
    compare_payments(&ledger_side, provider_side, &reported)
        .into_iter()
        .map(|row| row.object)
        .collect()
}

#[test]
fn equal_payments_yield_no_disagreement() {
    assert!(
        disagreeing_objects(&[order("pi_1", 1047, 35)], &[intent("pi_1", 1047, 35)], &[])
            .is_empty()
    );
}

#[test]
fn one_cent_difference_is_a_disagreement() {
    assert_eq!(
        disagreeing_objects(&[order("pi_1", 1047, 35)], &[intent("pi_1", 1046, 35)], &[]),
        ["pi_1"]
    );
    assert_eq!(
        disagreeing_objects(&[order("pi_1", 1047, 35)], &[intent("pi_1", 1047, 36)], &[]),
        ["pi_1"]
    );
}

#[test]
fn one_sided_payment_disagrees_unless_an_anomaly_covers_it() {
    assert_eq!(
        disagreeing_objects(&[order("pi_1", 1047, 35)], &[], &[]),
        ["pi_1"]
    );
    assert_eq!(
        disagreeing_objects(&[], &[intent("pi_1", 1047, 35)], &[]),
        ["pi_1"]
    );
    assert!(disagreeing_objects(&[], &[intent("pi_1", 1047, 35)], &["pi_1"]).is_empty());
    let reported = OrderAmounts {
        is_reported: true,
        ..order("pi_1", 1047, 35)
    };
    assert!(disagreeing_objects(&[reported], &[], &[]).is_empty());
}

#[test]
fn fully_refunded_stray_payment_is_ignored() {
    let back = PaymentIntent {
        amount_refunded: Cents(1047),
        ..intent("pi_1", 1047, 0)
    };
    assert!(disagreeing_objects(&[], &[back], &[]).is_empty());
}
