//! Planted disagreements, each found; and agreement, left in peace.

use domain::{Cents, PaymentIntentId, PaymentStatus};

use super::*;

fn order(id: &str, total: i64, fee: i64) -> OrderMoney {
    OrderMoney {
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

fn said(id: &str, amount: i64, fee: i64) -> PaymentIntent {
    PaymentIntent {
        id: PaymentIntentId(id.to_string()),
        account: AccountId("acct_1".to_string()),
        status: PaymentStatus::Succeeded,
        amount: Cents(amount),
        amount_received: Cents(amount),
        amount_refunded: Cents::ZERO,
        application_fee: Cents(fee),
        application_fee_refunded: Cents::ZERO,
        currency: "aud".to_string(),
        order: None,
        provider_fee: None,
        disputed: false,
        authorised_at: None,
        draws: Vec::new(),
        method: None,
        decline: None,
    }
}

fn objects(ours: &[OrderMoney], theirs: &[PaymentIntent], reported: &[&str]) -> Vec<String> {
    let reported = reported.iter().map(|id| id.to_string()).collect();
    let ours: Vec<&OrderMoney> = ours.iter().collect();
    differences(&ours, theirs, &reported)
        .into_iter()
        .map(|row| row.object)
        .collect()
}

#[test]
fn equal_books_are_left_in_peace() {
    assert!(objects(&[order("pi_1", 1047, 35)], &[said("pi_1", 1047, 35)], &[]).is_empty());
}

#[test]
fn one_cent_is_a_row() {
    assert_eq!(
        objects(&[order("pi_1", 1047, 35)], &[said("pi_1", 1046, 35)], &[]),
        ["pi_1"]
    );
    assert_eq!(
        objects(&[order("pi_1", 1047, 35)], &[said("pi_1", 1047, 36)], &[]),
        ["pi_1"]
    );
}

#[test]
fn money_on_one_side_only_is_a_row_unless_somebody_is_on_it() {
    assert_eq!(objects(&[order("pi_1", 1047, 35)], &[], &[]), ["pi_1"]);
    assert_eq!(objects(&[], &[said("pi_1", 1047, 35)], &[]), ["pi_1"]);
    assert!(objects(&[], &[said("pi_1", 1047, 35)], &["pi_1"]).is_empty());
    let reported = OrderMoney {
        is_reported: true,
        ..order("pi_1", 1047, 35)
    };
    assert!(objects(&[reported], &[], &[]).is_empty());
}

#[test]
fn what_was_given_back_in_whole_is_no_strangers_money() {
    let back = PaymentIntent {
        amount_refunded: Cents(1047),
        ..said("pi_1", 1047, 0)
    };
    assert!(objects(&[], &[back], &[]).is_empty());
}
