//! The payment pages: what the provider did in the last 30 days, and what failed. A club sees its own rows (decision G-2).

use std::collections::BTreeSet;

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::access::Principal;
use domain::{Cents, ClubId, fee};
use persistence::records::console::transactions::TransactionRow;
use persistence::records::failed_payments::FailedPayment as Failed;

use crate::error::Problem;
use crate::identity::Caller;
use crate::state::State;
use crate::wire::desk::{FailedMetadata, FailedPayment, IntegrityAudit, Transaction, TransactionLine};
use crate::wire::instant::rfc3339;

const SINCE_SECONDS: i64 = 30 * 86_400;

fn scope(caller: Caller) -> Option<ClubId> {
    match caller.principal() {
        Principal::Club(club, _) => Some(club),
        _ => None,
    }
}

pub async fn transactions(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    let since = state.clock.now().plus_seconds(-SINCE_SECONDS);
    let rows = state.records.transactions(scope(caller), since).await?;
    let link = |row: &TransactionRow| state.config.dashboard_url(&row.account_id, &row.payment_intent_id);
    let knows = |row: &TransactionRow| caller.knows_buyers(ClubId(row.club_id));
    Ok(HttpResponse::Ok().json(rows.iter().map(|row| wire(row, link(row), knows(row))).collect::<Vec<_>>()))
}

/// `knows`: the caller may know who bought (decision G-17).
fn wire(row: &TransactionRow, link: String, knows: bool) -> Transaction {
    let charged = Cents(row.amount_cents);
    let provider_fee = row.provider_fee_cents.map_or_else(|| fee::card_fee(charged), Cents);
    let platform_fee = Cents(row.application_fee_cents - row.application_fee_refunded_cents);
    let payout = charged - provider_fee - platform_fee - Cents(row.refunded_cents);
    let lines = row.draws.iter().zip(&row.counts).zip(&row.prices).map(|((draw, count), price)| TransactionLine {
        draw_number: *draw,
        ticket_count: i64::from(*count),
        ticket_price: Cents(*price).decimal(),
    });
    let at = domain::Timestamp((row.created_at.unix_timestamp_nanos() / 1_000_000) as i64);
    Transaction {
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
        disputed: row.disputed,
        stripe_url: Some(link),
    }
}

pub async fn integrity(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    let failed = failed(&state, caller).await?;
    let customers: BTreeSet<String> = failed.iter().filter_map(|row| row.buyer_email.clone()).collect();
    let row = |row: &Failed| FailedPayment {
        payment_intent_id: row.payment_intent.clone(),
        amount: row.amount.0,
        created: row.at.0 / 1000,
        status: row.status.clone(),
        metadata: FailedMetadata {
            draw_id: joined(&row.draws),
            ticket_count: row.tickets.to_string(),
            payment_method: row.method.clone(),
        },
    };
    Ok(HttpResponse::Ok().json(IntegrityAudit {
        total_failed_amount: failed.iter().map(|row| row.amount.0).sum(),
        affected_customers: customers.len(),
        checked_at: rfc3339(state.clock.now()),
        failed_payments: failed.iter().map(row).collect(),
    }))
}

/// The same as a text to keep: ids and amounts, no buyer.
pub async fn recovery_report(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    let failed = failed(&state, caller).await?;
    let now = rfc3339(state.clock.now());
    let mut text = format!("Payment recovery report\nGenerated {now}\nFailed payments: {}\n\n", failed.len());
    for row in &failed {
        let reason = row.reason.as_deref().unwrap_or("no reason kept");
        text.push_str(&format!(
            "{}  {}  {}  {}  draw {}  {} tickets  {}\n",
            rfc3339(row.at),
            row.payment_intent,
            row.status,
            row.amount,
            joined(&row.draws),
            row.tickets,
            reason
        ));
    }
    text.push_str(
        "\nNobody was charged for these: a payment is authorised first and captured only with its tickets.\n",
    );
    Ok(HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"payment-recovery-report.txt\""))
        .body(text))
}

async fn failed(state: &State, caller: Caller) -> Result<Vec<Failed>, Problem> {
    let since = state.clock.now().plus_seconds(-SINCE_SECONDS);
    Ok(state.records.failed_payments(scope(caller), since).await?)
}

fn joined(draws: &[i64]) -> String {
    draws.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}
