//! Payment anomalies: list, scan and resolve (decisions I-1 to I-4).

use actix_web::{HttpResponse, web};
use actors::RepairError;
use domain::{ClubId, PaymentIntentId};
use persistence::records::console::anomalies::AnomalyRow;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::required_reason;
use crate::access::caller::Caller;
use crate::api::console::anomaly::{Anomaly, AnomalyStats, Resolution, ScanForm, ScanResult};
use crate::api::console::order::Reason;
use crate::api::error::Problem;
use crate::api::form::trimmed;
use crate::http::routes::body::Body;
use crate::state::State;

const HOUR_MS: i64 = 3_600_000;
const SCAN_HOURS_DEFAULT: i64 = 24;
const SCAN_HOURS_MAX: i64 = 720;
const NOTE_CHARS_MAX: usize = 500;
/// Type of the anomaly "payment without tickets". The operator resolves it with the customer's
/// details, or closes it with a reason.
pub(super) const MISSING_TICKET: &str = "missing_ticket";
/// Type of the anomaly of a refund that the buyer has not got. The operator closes it with a reason.
const OWED_REFUND: &str = "owed_refund";

/// Query parameters of the anomaly list.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AnomalyListQuery {
    status: Option<String>,
    r#type: Option<String>,
}

/// Lists anomalies, newest first.
pub async fn list(
    state: web::Data<State>,
    query: web::Query<AnomalyListQuery>,
) -> Result<HttpResponse, Problem> {
    let resolved = match query.status.as_deref() {
        None | Some("all") => None,
        Some("unresolved") => Some(false),
        Some("resolved") => Some(true),
        Some(_) => {
            return Err(Problem::bad_request(
                "status-unknown",
                "Anomalies are resolved or unresolved.",
            ));
        }
    };
    let rows = state
        .records
        .anomalies(resolved, query.r#type.as_deref())
        .await?;
    Ok(HttpResponse::Ok().json(
        rows.iter()
            .map(|row| anomaly_json(&state, row))
            .collect::<Vec<_>>(),
    ))
}

/// Handles `GET /api/admin/payment-anomalies/stats`.
pub async fn show_anomaly_stats(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(AnomalyStats::from(state.records.anomaly_counts().await?)))
}

/// Compares the payments of the last hour with Stripe and waits for the result (decision I-3).
pub async fn scan_last_hour(
    state: web::Data<State>,
    caller: Caller,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(run_scan(&state, caller, 1).await?))
}

/// Handles `POST /api/admin/payment-anomalies/scan-historical`.
pub async fn scan_past_hours(
    state: web::Data<State>,
    caller: Caller,
    body: Body<ScanForm>,
) -> Result<HttpResponse, Problem> {
    let hours = body.0.hours_back.unwrap_or(SCAN_HOURS_DEFAULT);
    if !(1..=SCAN_HOURS_MAX).contains(&hours) {
        return Err(Problem::bad_request(
            "hours-out-of-range",
            "Choose between 1 and 720 hours.",
        ));
    }
    Ok(HttpResponse::Ok().json(run_scan(&state, caller, hours).await?))
}

async fn run_scan(state: &State, caller: Caller, hours_back: i64) -> Result<ScanResult, Problem> {
    let since = state.clock.now().plus_ms(-hours_back * HOUR_MS);
    let found = state.reconciler.scan_payments(since).await?;
    let scanned = ScanResult {
        hours_back,
        new_anomalies: found.raised,
        healed: found.healed,
        examined: found.checked,
    };
    let actor = caller.audit_name();
    let detail =
        json!({ "hoursBack": hours_back, "newAnomalies": found.raised, "healed": found.healed });
    state
        .records
        .record_audit_entry(
            caller.audit_action(&actor, None, "scan-payments", "system"),
            &detail,
        )
        .await?;
    Ok(scanned)
}

/// Closes an anomaly under the operator's name, with the given reason. Repeating the call changes
/// nothing.
///
/// # Errors
/// 409 `needs-customer` for a payment without tickets when no reason is given.
pub async fn resolve(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Resolution>,
) -> Result<HttpResponse, Problem> {
    let (id, row) = find_anomaly(&state, &path).await?;
    if row.resolved_at.is_none() {
        let note: String = trimmed(body.0.note.as_deref())
            .chars()
            .take(NOTE_CHARS_MAX)
            .collect();
        if row.kind == MISSING_TICKET && note.is_empty() {
            let sentence = "A missing ticket is resolved with the customer's details, or closed with a reason.";
            return Err(Problem::conflict("needs-customer", sentence));
        }
        if row.kind == OWED_REFUND && note.is_empty() {
            let sentence =
                "An owed refund is closed with a reason, such as how the buyer got the money.";
            return Err(Problem::conflict("needs-reason", sentence));
        }
        let resolution = if note.is_empty() {
            "Marked resolved".to_string()
        } else {
            note
        };
        let (actor, object) = (caller.audit_name(), format!("anomaly:{id}"));
        let detail = json!({ "type": row.kind, "paymentIntentId": row.payment_intent_id, "resolution": resolution });
        let entry = caller
            .audit_action(&actor, None, "resolve-anomaly", &object)
            .entry(detail);
        state
            .records
            .resolve_anomaly(id, &actor, &resolution, entry)
            .await?;
    }
    let (_, row) = find_anomaly(&state, &path).await?;
    Ok(HttpResponse::Ok().json(anomaly_json(&state, &row)))
}

/// Refunds the payment of an anomaly in full, with the platform fee. If the payment belongs to an
/// order, the order is refunded and its tickets become void. Repeating the call changes nothing.
///
/// # Errors
/// 400 `reason-required`; 409 `no-payment`: nothing was captured; 409 `payment-disputed`,
/// `balance-too-low` or `refund-failed`: nothing was refunded.
pub async fn refund(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reason>,
) -> Result<HttpResponse, Problem> {
    let (id, row) = find_anomaly(&state, &path).await?;
    let reason = required_reason(&body.0, "Give a reason for the refund.")?;
    let payment = PaymentIntentId(
        row.payment_intent_id
            .clone()
            .ok_or_else(no_captured_payment_problem)?,
    );
    let (actor, object) = (caller.audit_name(), format!("anomaly:{id}"));
    let detail = json!({ "reason": reason, "paymentIntentId": payment.0 });
    let act = |action: &str| {
        caller
            .audit_action(&actor, row.club_id.map(ClubId), action, &object)
            .entry(detail.clone())
    };
    match state
        .anomalies
        .with_audit_entry(act("refund-payment"))
        .return_unmatched_payment(&payment)
        .await
    {
        Ok(_) | Err(RepairError::Refunded) => {
            // Refund the order of the payment too, so that a refund that failed before is retried
            // and recorded.
            if let Some(order) = state.payments.order_by_payment_intent(&payment).await? {
                state
                    .records
                    .retry_refused_refund(order.order.id, act("refund-order"))
                    .await?;
            }
        }
        Err(RepairError::HasTickets) => {
            let order = state
                .payments
                .order_by_payment_intent(&payment)
                .await?
                .ok_or_else(no_captured_payment_problem)?;
            state
                .payments
                .with_audit_entry(act("refund-payment"))
                .refund(order.order.id, &reason)
                .await?;
        }
        Err(RepairError::Unavailable) => return Err(Problem::unavailable()),
        Err(
            reason @ (RepairError::Disputed | RepairError::LowBalance | RepairError::RefundFailed),
        ) => return Err(refund_refused_problem(reason)),
        Err(_) => return Err(no_captured_payment_problem()),
    }
    if row.resolved_at.is_none() {
        state
            .records
            .resolve_anomaly(id, &actor, "Refunded by hand", act("resolve-anomaly"))
            .await?;
    }
    let (_, row) = find_anomaly(&state, &path).await?;
    Ok(HttpResponse::Ok().json(anomaly_json(&state, &row)))
}

/// Builds the 409 response for a refund that Stripe or the buyer's bank did not make.
pub(super) fn refund_refused_problem(reason: RepairError) -> Problem {
    match reason {
        RepairError::LowBalance => Problem::conflict(
            "balance-too-low",
            "The club's balance at Stripe does not cover the refund. Try again when the club has money there.",
        ),
        RepairError::RefundFailed => Problem::conflict(
            "refund-failed",
            "Stripe could not send the money to the buyer's card. Ask the club to pay the buyer another way.",
        ),
        _ => Problem::payment_disputed(),
    }
}

/// Builds the 409 response: there is no captured payment to refund.
pub(super) fn no_captured_payment_problem() -> Problem {
    Problem::conflict("no-payment", "Nothing was taken that could go back.")
}

/// Finds an anomaly by the id in the path.
pub(super) async fn find_anomaly(state: &State, path: &str) -> Result<(Uuid, AnomalyRow), Problem> {
    let unknown = || Problem::unknown_object("anomaly-unknown");
    let id: Uuid = path.parse().map_err(|_| unknown())?;
    Ok((id, state.records.anomaly(id).await?.ok_or_else(unknown)?))
}

/// Builds the API object of an anomaly with its link to Stripe's dashboard.
pub(super) fn anomaly_json(state: &State, row: &AnomalyRow) -> Anomaly {
    let payment = row
        .payment_intent_id
        .as_deref()
        .zip(row.account_id.as_deref());
    Anomaly::new(
        row,
        payment.map(|(payment, account)| state.config.dashboard_url(account, payment)),
    )
}
