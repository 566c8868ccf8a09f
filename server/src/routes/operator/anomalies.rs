//! What is odd about payments, and setting it right (C:150, decisions I-1 to I-4).

use actix_web::{HttpResponse, web};
use actors::Unresolved;
use domain::{ClubId, PaymentIntentId};
use persistence::records::console::anomalies::AnomalyRow;
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::reason;
use crate::error::Problem;
use crate::form::trimmed;
use crate::identity::Caller;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::console::anomaly::{Anomaly, AnomalyStats, Resolution, Scan, Scanned};
use crate::wire::console::order::Reasoned;

const HOUR_MS: i64 = 3_600_000;
const HOURS_DEFAULT: i64 = 24;
const HOURS_MAX: i64 = 720;
const NOTE_CHARS_MAX: usize = 500;
/// What is resolved with a customer's details, not by a click.
const MISSING_TICKET: &str = "missing_ticket";

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    status: Option<String>,
    r#type: Option<String>,
}

/// Newest first.
pub async fn list(
    state: web::Data<State>,
    wanted: web::Query<Wanted>,
) -> Result<HttpResponse, Problem> {
    let resolved = match wanted.status.as_deref() {
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
        .anomalies(resolved, wanted.r#type.as_deref())
        .await?;
    Ok(HttpResponse::Ok().json(
        rows.iter()
            .map(|row| shown(&state, row))
            .collect::<Vec<_>>(),
    ))
}

pub async fn stats(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(AnomalyStats::from(state.records.anomaly_counts().await?)))
}

/// Compares the last hour with the provider now (decision I-3).
pub async fn check(state: web::Data<State>, caller: Caller) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(scanned(&state, caller, 1).await?))
}

pub async fn scan(
    state: web::Data<State>,
    caller: Caller,
    body: Body<Scan>,
) -> Result<HttpResponse, Problem> {
    let hours = body.0.hours_back.unwrap_or(HOURS_DEFAULT);
    if !(1..=HOURS_MAX).contains(&hours) {
        return Err(Problem::bad_request(
            "hours-out-of-range",
            "Choose between 1 and 720 hours.",
        ));
    }
    Ok(HttpResponse::Ok().json(scanned(&state, caller, hours).await?))
}

async fn scanned(state: &State, caller: Caller, hours_back: i64) -> Result<Scanned, Problem> {
    let since = state.clock.now().plus_ms(-hours_back * HOUR_MS);
    let found = state.reconciler.scan(since).await?;
    let scanned = Scanned {
        hours_back,
        new_anomalies: found.raised,
        healed: found.healed,
        examined: found.checked,
    };
    let actor = caller.name();
    let detail =
        json!({ "hoursBack": hours_back, "newAnomalies": found.raised, "healed": found.healed });
    state
        .records
        .audit(caller.act(&actor, None, "scan-payments", "system"), &detail)
        .await?;
    Ok(scanned)
}

/// Marks one as seen to. Asked twice, it is done once.
///
/// # Errors
/// 409 `needs-customer` for a payment without tickets.
pub async fn resolve(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Resolution>,
) -> Result<HttpResponse, Problem> {
    let (id, row) = found(&state, &path).await?;
    if row.resolved_at.is_none() {
        if row.kind == MISSING_TICKET {
            let sentence = "A missing ticket is resolved with the customer's details.";
            return Err(Problem::conflict("needs-customer", sentence));
        }
        let note: String = trimmed(&body.0.note).chars().take(NOTE_CHARS_MAX).collect();
        let resolution = if note.is_empty() {
            "Marked resolved".to_string()
        } else {
            note
        };
        let (actor, object) = (caller.name(), format!("anomaly:{id}"));
        let detail = json!({ "type": row.kind, "paymentIntentId": row.payment_intent_id, "resolution": resolution });
        let entry = caller
            .act(&actor, None, "resolve-anomaly", &object)
            .entry(detail);
        state
            .records
            .resolve_anomaly(id, &actor, &resolution, entry)
            .await?;
    }
    let (_, row) = found(&state, &path).await?;
    Ok(HttpResponse::Ok().json(shown(&state, &row)))
}

/// Gives the payment an anomaly is about back, whole and with the platform's fee: a second payment alone, an order's own one
/// with its tickets. Asked twice, it is done once.
///
/// # Errors
/// 400 `reason-required`; 409 `no-payment`: nothing was taken.
pub async fn refund(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<Reasoned>,
) -> Result<HttpResponse, Problem> {
    let (id, row) = found(&state, &path).await?;
    let reason = reason(&body.0, "Give a reason for the refund.")?;
    let nothing = || Problem::conflict("no-payment", "Nothing was taken that could go back.");
    let payment = PaymentIntentId(row.payment_intent_id.clone().ok_or_else(nothing)?);
    let (actor, object) = (caller.name(), format!("anomaly:{id}"));
    let detail = json!({ "reason": reason, "paymentIntentId": payment.0 });
    let act = |action: &str| {
        caller
            .act(&actor, row.club_id.map(ClubId), action, &object)
            .entry(detail.clone())
    };
    match state
        .anomalies
        .by(act("refund-payment"))
        .give_back(&payment)
        .await
    {
        Ok(_) | Err(Unresolved::Refunded) => {
            // A refund of the order's own that was refused before finds the money gone back.
            if let Some(order) = state.payments.order_by_payment_intent(&payment).await? {
                state
                    .records
                    .refund_again(order.order.id, act("refund-order"))
                    .await?;
            }
        }
        Err(Unresolved::HasTickets) => {
            let order = state
                .payments
                .order_by_payment_intent(&payment)
                .await?
                .ok_or_else(nothing)?;
            state
                .payments
                .by(act("refund-payment"))
                .refund(order.order.id, &reason)
                .await?;
        }
        Err(Unresolved::Unavailable) => return Err(Problem::unavailable()),
        Err(_) => return Err(nothing()),
    }
    state
        .records
        .resolve_anomaly(id, &actor, "Refunded by hand", act("resolve-anomaly"))
        .await?;
    let (_, row) = found(&state, &path).await?;
    Ok(HttpResponse::Ok().json(shown(&state, &row)))
}

async fn found(state: &State, path: &str) -> Result<(Uuid, AnomalyRow), Problem> {
    let unknown = || Problem::unknown("anomaly-unknown");
    let id: Uuid = path.parse().map_err(|_| unknown())?;
    Ok((id, state.records.anomaly(id).await?.ok_or_else(unknown)?))
}

pub(super) fn shown(state: &State, row: &AnomalyRow) -> Anomaly {
    let payment = row
        .payment_intent_id
        .as_deref()
        .zip(row.account_id.as_deref());
    Anomaly::new(
        row,
        payment.map(|(payment, account)| state.config.dashboard_url(account, payment)),
    )
}
