//! Payments of the last 30 days: transactions, sums and failed payments. A club sees only its own
//! (decision G-2).

use std::fmt::Write as _;

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::access::Principal;
use domain::provider_error::ProviderErrorClass;
use domain::{Cents, ClubId, RefundFailure, fee};
use persistence::records::console::transactions::{
    TRANSACTIONS_LISTED_MAX, TransactionGroup, TransactionRow,
};
use persistence::records::failed_payments::{FailedPayment as FailedPaymentRow, FailedPayments};

use crate::access::caller::Caller;
use crate::api::club_admin::{
    FailedMetadata, FailedPayment, IntegrityAudit, ProviderTransaction, TransactionLine,
    TransactionSums,
};
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::state::State;

const REPORTED_PERIOD_SECONDS: i64 = 30 * 86_400;

/// Returns the club whose payments the caller may read; `None` for the operator, who reads those of
/// all clubs.
fn club_with_readable_payments(caller: Caller) -> Option<ClubId> {
    match caller.principal() {
        Principal::Club(club, _) => Some(club),
        _ => None,
    }
}

/// Handles `GET /api/stripe-debug`.
pub async fn list_transactions(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    let since = state.clock.now().plus_seconds(-REPORTED_PERIOD_SECONDS);
    let rows = state
        .records
        .transactions(club_with_readable_payments(caller), since)
        .await?;
    let link = |row: &TransactionRow| {
        state
            .config
            .dashboard_url(&row.account_id, &row.payment_intent_id)
    };
    let knows = |row: &TransactionRow| caller.may_see_buyers(ClubId(row.club_id));
    let is_operator = club_with_readable_payments(caller).is_none();
    Ok(HttpResponse::Ok().json(
        rows.iter()
            .map(|row| transaction_json(row, link(row), knows(row), is_operator))
            .collect::<Vec<_>>(),
    ))
}

/// Handles `GET /api/stripe-debug/sums`.
pub async fn show_payment_sums(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    let since = state.clock.now().plus_seconds(-REPORTED_PERIOD_SECONDS);
    let groups = state
        .records
        .transaction_groups(club_with_readable_payments(caller), since)
        .await?;
    let sum = |of: fn(&TransactionGroup) -> i64| groups.iter().map(of).sum::<i64>();
    let charged = sum(|one| one.count * one.amount_cents);
    let provider_fees =
        sum(|one| one.count * provider_fee(one.amount_cents, one.provider_fee_cents).0);
    let platform_fees = sum(|one| one.platform_fee_cents);
    let refunded = sum(|one| one.refunded_cents);
    Ok(HttpResponse::Ok().json(TransactionSums {
        count: sum(|one| one.count),
        listed_max: TRANSACTIONS_LISTED_MAX,
        total_charged: Cents(charged).decimal(),
        stripe_fees: Cents(provider_fees).decimal(),
        platform_fees: Cents(platform_fees).decimal(),
        club_payouts: Cents(charged - provider_fees - platform_fees - refunded).decimal(),
        refunded: Cents(refunded).decimal(),
        prize_pools: "0.00",
        fees_estimated: groups.iter().any(|one| one.provider_fee_cents.is_none()),
    }))
}

/// Returns Stripe's fee for a charge: the reported fee, or an estimate while none is reported
/// (decision D-18).
fn provider_fee(charged: i64, reported: Option<i64>) -> Cents {
    reported.map_or_else(|| fee::card_fee(Cents(charged)), Cents)
}

/// Says why a refund waits or failed, in words for the operator or the club.
fn refund_note(refusal: &str, is_operator: bool) -> &'static str {
    let failure = RefundFailure::ALL
        .into_iter()
        .find(|failure| failure.name() == refusal);
    let guide = ProviderErrorClass::from_code(refusal).guide();
    match failure {
        Some(failure) => failure.description(),
        None if is_operator => guide.operator,
        None => guide.club,
    }
}

/// Builds the API object of one transaction. `knows` tells whether the caller may read the buyer
/// (decision G-17). `is_operator` tells for whom the refund's note is written.
fn transaction_json(
    row: &TransactionRow,
    link: String,
    knows: bool,
    is_operator: bool,
) -> ProviderTransaction {
    let charged = Cents(row.amount_cents);
    let provider_fee = provider_fee(row.amount_cents, row.provider_fee_cents);
    let platform_fee = Cents(row.application_fee_cents - row.application_fee_refunded_cents);
    let payout = charged - provider_fee - platform_fee - Cents(row.refunded_cents);
    let lines = row
        .draws
        .iter()
        .zip(&row.counts)
        .zip(&row.prices)
        .map(|((draw, count), price)| TransactionLine {
            draw_number: *draw,
            ticket_count: i64::from(*count),
            ticket_price: Cents(*price).decimal(),
        });
    let at = domain::Timestamp((row.created_at.unix_timestamp_nanos() / 1_000_000) as i64);
    ProviderTransaction {
        payment_intent_id: row.payment_intent_id.clone(),
        order_id: row.order_id.to_string(),
        status: row.status.clone(),
        created_at: rfc3339(at),
        created: at.0 / 1000,
        payment_method: row.payment_method.clone(),
        draw_id: row.draws.first().copied().unwrap_or_default(),
        draw_numbers: row.draws.clone(),
        ticket_count: row.counts.iter().map(|count| i64::from(*count)).sum(),
        ticket_price: Cents(row.prices.first().copied().unwrap_or_default()).decimal(),
        customer_charged: charged.decimal(),
        amount: charged.0,
        stripe_fees: provider_fee.decimal(),
        stripe_fee: provider_fee.0,
        platform_fee: platform_fee.decimal(),
        platform_fee_cents: platform_fee.0,
        club_payout: payout.decimal(),
        club_payout_cents: payout.0,
        prize_pool: "0.00",
        club_id: row.club_id,
        club_name: row.club_name.clone(),
        home_team: row.home_team.clone(),
        away_team: row.away_team.clone(),
        lines: lines.collect(),
        customer_email: row.buyer_email.clone().filter(|_| knows),
        customer_name: row.buyer_name.clone().filter(|_| knows),
        fees_estimated: row.provider_fee_cents.is_none(),
        refunded: Cents(row.refunded_cents).decimal(),
        refund_state: row.refund_state.clone(),
        refund_note: row
            .refund_refusal
            .as_deref()
            .map(|refusal| refund_note(refusal, is_operator)),
        disputed: row.disputed,
        stripe_url: Some(link),
    }
}

/// Handles `GET /api/admin/payment-integrity-audit`.
pub async fn show_payment_integrity(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    let failed_payments = failed_payments(&state, caller).await?;
    let row = |row: &FailedPaymentRow| FailedPayment {
        payment_intent_id: row.payment_intent.clone(),
        amount: row.amount.0,
        created: row.at.0 / 1000,
        status: row.status.clone(),
        metadata: FailedMetadata {
            draw_id: comma_separated(&row.draws),
            ticket_count: row.tickets.to_string(),
            payment_method: row.method.clone(),
        },
    };
    Ok(HttpResponse::Ok().json(IntegrityAudit {
        failed_count: failed_payments.count,
        total_failed_amount: failed_payments.total.0,
        affected_customers: failed_payments.customers,
        checked_at: rfc3339(state.clock.now()),
        failed_payments: failed_payments.newest.iter().map(row).collect(),
    }))
}

/// Responds with the failed payments as a text file: ids and amounts, no buyers.
pub async fn download_failed_payments(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    let failed_payments = failed_payments(&state, caller).await?;
    let now = rfc3339(state.clock.now());
    let mut text = format!(
        "Payment recovery report\nGenerated {now}\nFailed payments: {}\n\n",
        failed_payments.count
    );
    for row in &failed_payments.newest {
        let reason = row.reason.as_deref().unwrap_or("no reason kept");
        let _ = writeln!(
            text,
            "{}  {}  {}  {}  draw {}  {} tickets  {}",
            rfc3339(row.at),
            row.payment_intent,
            row.status,
            row.amount,
            comma_separated(&row.draws),
            row.tickets,
            reason
        );
    }
    let left_out = failed_payments.count - failed_payments.newest.len() as i64;
    if left_out > 0 {
        let _ = writeln!(text, "and {left_out} older ones");
    }
    text.push_str(
        "\nNobody was charged for these: a payment is authorised first and captured only with its tickets.\n",
    );
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"payment-recovery-report.txt\"",
        ))
        .body(text))
}

async fn failed_payments(state: &State, caller: Caller) -> Result<FailedPayments, Problem> {
    let since = state.clock.now().plus_seconds(-REPORTED_PERIOD_SECONDS);
    Ok(state
        .records
        .failed_payments(club_with_readable_payments(caller), since)
        .await?)
}

fn comma_separated(draws: &[i64]) -> String {
    draws
        .iter()
        .map(i64::to_string)
        .collect::<Vec<_>>()
        .join(",")
}
