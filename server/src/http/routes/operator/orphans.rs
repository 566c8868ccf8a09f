//! Lists orphaned tickets, which are paid tickets without a contact address, and assigns a buyer to
//! them (decision I-8).

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use actors::RepairError;
use domain::{DrawId, OrderId, Serial};
use persistence::ledger::BuyerDetails;
use persistence::records::console::orphans::SoldTicketWithBuyer;
use persistence::records::sessions::SessionHolder;
use serde_json::json;

use crate::access::caller::Caller;
use crate::api::console::format_timestamp;
use crate::api::console::order::{
    OrphanedTicket, RecoveredTicket, SecondApproval, TicketRecoveryForm, TicketsRecovered,
};
use crate::api::error::Problem;
use crate::api::form::{trimmed, trimmed_or_none};
use crate::http::routes::body::Body;
use crate::services::identity::second_factor::{CodeCheckResult, check_and_consume_code};
use crate::state::State;
use crate::text::contact_format::is_email;

/// Type of the anomaly "tickets without a contact address".
const ORPHANED_TICKET: &str = "orphaned_ticket";

/// Handles `GET /api/admin/orphaned-tickets`.
pub async fn list(state: web::Data<State>) -> Result<HttpResponse, Problem> {
    let mut shown = Vec::new();
    for orphan in state.records.tickets_without_buyer_email().await? {
        shown.extend(orphan_json(&state, &orphan).await);
    }
    Ok(HttpResponse::Ok().json(shown))
}

async fn orphan_json(state: &State, orphan: &SoldTicketWithBuyer) -> Option<OrphanedTicket> {
    let now = state.clock.now();
    let (_, _, view) = state.catalogue.draw(DrawId(orphan.draw_id)).await?;
    let serial = Serial::new(orphan.serial as u16)?;
    let revealed = view.public_result(now);
    let cell = match revealed {
        Some(_) => state
            .draws
            .deal(view.draw)
            .await
            .ok()
            .map(|deal| deal.cell(serial)),
        None => None,
    };
    let name = format!("FD-{}-{:03}", orphan.draw_id, orphan.serial);
    Some(OrphanedTicket {
        id: name.clone(),
        serial_number: name,
        draw_number: orphan.draw_id,
        ticket_number: orphan.serial,
        home_team: orphan.home_team.clone(),
        away_team: orphan.away_team.clone(),
        home_number: cell.map(domain::Cell::home),
        away_number: cell.map(domain::Cell::away),
        amount: domain::Cents(orphan.unit_price_cents).decimal(),
        payment_intent_id: orphan.payment_intent_id.clone(),
        purchase_date: format_timestamp(orphan.sold_at),
        order_id: orphan.order_id.to_string(),
        club_name: orphan.club_name.clone(),
        draw_status: crate::api::draw::shown_status(&view, now),
        revealed: revealed.is_some(),
        is_winner: revealed.map(|(_, winner)| winner == serial),
    })
}

/// Assigns a buyer to all tickets of an order without buyer, and sends the confirmation mail that
/// waited for an e-mail address.
///
/// # Errors
/// 409 `second-approval-required`: the winning ticket of a revealed draw needs another operator's
/// code.
pub async fn recover_orphaned_tickets(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    body: Body<TicketRecoveryForm>,
) -> Result<HttpResponse, Problem> {
    let (name, email) = (
        trimmed(body.0.name.as_deref()),
        trimmed(body.0.email.as_deref()),
    );
    if name.is_empty() || !is_email(&email) {
        let sentence = "Missing information: Please provide customer name and email";
        return Err(Problem::bad_request("invalid", sentence));
    }
    let unknown = || Problem::unknown_object("ticket-unknown");
    let (draw, serial) = parse_serial_number(&path).ok_or_else(unknown)?;
    let orphan = state
        .records
        .ticket_owner(draw, serial)
        .await?
        .ok_or_else(unknown)?;
    let order = OrderId(orphan.order_id.as_u128());
    if let Some(known) = &orphan.buyer_email {
        if *known == email && orphan.buyer_name.as_deref() == Some(name.as_str()) {
            return recovery_response(&state, order, &orphan, name, email, true).await;
        }
        return Err(Problem::conflict(
            "not-orphaned",
            "This ticket has its buyer already.",
        ));
    }
    let buyer = BuyerDetails {
        name: Some(name.clone()),
        email: Some(email.clone()),
        phone: trimmed_or_none(body.0.phone.as_deref()),
    };
    // Read the open anomalies before the buyer is assigned, because the reconciler may resolve them
    // right after that.
    let open = match &orphan.payment_intent_id {
        Some(payment) => {
            state
                .records
                .open_anomalies_of_payment(payment, ORPHANED_TICKET)
                .await?
        }
        None => Vec::new(),
    };
    let assign_buyer = async |approved_by: Option<String>| {
        let (actor, object) = (caller.audit_name(), format!("order:{}", orphan.order_id));
        let detail = json!({ "ticket": path.as_str(), "approvedBy": approved_by });
        let entry = caller
            .audit_action(&actor, None, "recover-ticket", &object)
            .entry(detail);
        state
            .anomalies
            .with_audit_entry(entry)
            .recover_buyer(draw, serial, buyer.clone(), approved_by.is_some())
            .await
    };
    let assigned = match assign_buyer(None).await {
        Err(RepairError::NeedsApproval) => {
            let approved_by =
                verify_approval(&state, caller, body.0.second_approval.as_ref()).await?;
            assign_buyer(Some(approved_by)).await
        }
        assigned => assigned,
    };
    let record = assigned.map_err(|unresolved| match unresolved {
        RepairError::HasBuyer => {
            Problem::conflict("not-orphaned", "This ticket has its buyer already.")
        }
        RepairError::Unknown => unknown(),
        _ => Problem::unavailable(),
    })?;
    let actor = caller.audit_name();
    let resolving = caller
        .audit_action(&actor, None, "resolve-anomaly", "anomaly:")
        .entry(json!({ "type": ORPHANED_TICKET, "ticket": path.as_str() }));
    state
        .records
        .resolve_anomalies(open, &actor, "Buyer assigned by hand", resolving)
        .await?;
    recovery_response(
        &state,
        order,
        &orphan,
        name,
        email,
        record.captured_at.is_some(),
    )
    .await
}

/// Parses a serial number such as `FD-1042-007`.
fn parse_serial_number(id: &str) -> Option<(DrawId, Serial)> {
    let (draw, serial) = id.strip_prefix("FD-")?.split_once('-')?;
    Some((
        DrawId(draw.parse().ok()?),
        Serial::new(serial.parse().ok()?)?,
    ))
}

/// Verifies the code of another operator and returns that operator's name.
async fn verify_approval(
    state: &State,
    caller: Caller,
    approval: Option<&SecondApproval>,
) -> Result<String, Problem> {
    let sentence = "This is the winning ticket of a revealed draw. A second operator has to approve with a code.";
    let approval =
        approval.ok_or_else(|| Problem::conflict("second-approval-required", sentence))?;
    let wrong = || {
        let sentence =
            "That approval is not right. It takes another operator's e-mail and present code.";
        Problem::new(StatusCode::FORBIDDEN, "second-approval-wrong", sentence)
    };
    let (approver, _) = state
        .records
        .admin_credentials(&approval.email)
        .await?
        .ok_or_else(wrong)?;
    let approver = state.records.admin(approver).await?.ok_or_else(wrong)?;
    let holder = SessionHolder::Admin(approver.id);
    if caller.holder() == Some(holder) {
        return Err(wrong());
    }
    let now = state.clock.now();
    let guess = state
        .limits
        .begin_code_check(approver.id)?
        .count_on_all_nodes(&state.records, now)
        .await?;
    if check_and_consume_code(&state.records, &approver, &approval.code, now).await?
        != CodeCheckResult::Right
    {
        return Err(wrong());
    }
    guess.mark_correct().await;
    Ok(holder.name())
}

async fn recovery_response(
    state: &State,
    order: OrderId,
    orphan: &SoldTicketWithBuyer,
    buyer_name: String,
    buyer_email: String,
    notified: bool,
) -> Result<HttpResponse, Problem> {
    let lines = state
        .records
        .find_order_details(order)
        .await?
        .map(|(_, lines)| lines)
        .unwrap_or_default();
    let serial_number = format!("FD-{}-{:03}", orphan.draw_id, orphan.serial);
    let ticket = RecoveredTicket {
        id: serial_number.clone(),
        serial_number,
        buyer_name,
        buyer_email,
    };
    let recovered = lines.iter().map(|line| line.serials.len()).sum();
    Ok(HttpResponse::Ok().json(TicketsRecovered {
        ticket,
        recovered,
        notified,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_number_yields_draw_and_serial() {
        assert_eq!(
            parse_serial_number("FD-1042-007"),
            Serial::new(7).map(|serial| (DrawId(1042), serial))
        );
        for odd in ["1042-007", "FD-1042", "FD-1042-170", "FD-1042-0", "FD-x-1"] {
            assert_eq!(parse_serial_number(odd), None, "{odd}");
        }
    }
}
