//! Tests that the audit finds each kind of disagreement, and reports none for equal data.

use domain::{Cents, PaymentIntentId, PaymentOrigin, PaymentStatus};

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
        origin: PaymentOrigin::default(),
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

#[test]
fn sale_of_the_club_is_not_audited() {
    let platform = ApplicationId("ca_platform".to_string());
    let marked = |id: &str, application: Option<&ApplicationId>, has_order_key| PaymentIntent {
        origin: PaymentOrigin {
            application: application.cloned(),
            has_order_key,
        },
        ..intent(id, 1000, 35)
    };
    let other = ApplicationId("ca_other".to_string());
    let intents = vec![
        marked("pi_ordered", Some(&platform), false),
        marked("pi_lost", Some(&platform), true),
        marked("pi_of_club", None, true),
        marked("pi_of_other", Some(&other), true),
        marked("pi_without_key", Some(&platform), false),
    ];
    let ordered = order("pi_ordered", 1000, 35);
    let kept = |platform| -> Vec<String> {
        let kept = payments_of_platform(intents.clone(), &[&ordered], platform);
        kept.into_iter().map(|intent| intent.id.0).collect()
    };
    assert_eq!(kept(Some(&platform)), ["pi_ordered", "pi_lost"]);
    assert_eq!(kept(None), ["pi_ordered"]);
}
