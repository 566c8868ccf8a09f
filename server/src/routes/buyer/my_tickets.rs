//! A buyer who lost the confirmations: a mailed link to every order of an address. Whoever reads its mail is its owner; nobody
//! else learns from here whether anything was bought with it.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::orders;
use crate::error::Problem;
use crate::form::{asked_address, trimmed};
use crate::identity::{address, link_hash, link_hash_of, random};
use crate::post::sealed_link;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::instant::rfc3339;
use crate::wire::my_tickets::{MyTickets, TicketsWanted};
use crate::wire::order::masked;
use crate::wire::session::Proof;
use crate::wire::site::Said;

/// How long a link works. Its mail lies in a mailbox for ever; each confirmation has a link of its own beside it.
const LINK_SECONDS: i64 = 24 * 3600;

/// Answers the same at once, whoever asks for whomever: what follows happens behind the answer, so that neither words nor
/// time tell who bought.
pub async fn ask(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<TicketsWanted>,
) -> Result<HttpResponse, Problem> {
    let email = asked_address(&body.0.email)?;
    state
        .limits
        .fills_form(
            &state.records,
            address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    actix_web::rt::spawn(async move {
        if let Err(problem) = send(&state, &email).await {
            tracing::warn!(%problem, "a link to tickets was not queued");
        }
    });
    let message =
        "If tickets were bought with this email, a link to them has been sent.".to_string();
    Ok(HttpResponse::Ok().json(Said { message }))
}

/// Nothing is sent where nothing was bought: strangers' mailboxes are not ours to fill.
async fn send(state: &State, email: &str) -> Result<(), Problem> {
    let token: [u8; 32] = random();
    let now = state.clock.now();
    if !state
        .limits
        .may_mail_tickets(&state.records, email, now)
        .await?
    {
        return Ok(());
    }
    let hash = link_hash(&token);
    let Some(to) = state
        .records
        .begin_ticket_link(email, &hash, now.plus_seconds(LINK_SECONDS))
        .await?
    else {
        return Ok(());
    };
    // After a `#`, where no log and no other site sees it.
    let link = format!("{}/my#{}", state.config.public_url, hex::encode(token));
    let data = json!({ "sealedLink": sealed_link(&state.records, &to, &link) });
    // The hash names the link in the outbox without telling it.
    let key = format!("my-tickets-{}", hex::encode(&hash[..8]));
    state
        .outbox
        .queue(&key, "my-tickets", None, &to, &data.to_string())
        .await?;
    Ok(())
}

/// What a link opens, as often as its reader looks, for a day.
pub async fn look(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<Proof>,
) -> Result<HttpResponse, Problem> {
    state.limits.claiming(address(&request, &state.config))?;
    let unknown = || {
        Problem::new(
            StatusCode::NOT_FOUND,
            "link-unknown",
            "This link is invalid or has expired.",
        )
    };
    let hash = link_hash_of(&trimmed(&body.0.token)).ok_or_else(unknown)?;
    let link = state
        .records
        .ticket_link(&hash, state.clock.now())
        .await?
        .ok_or_else(unknown)?;
    let mut shown = Vec::with_capacity(link.orders.len());
    for order in link.orders {
        if let Some(record) = state.payments.order(order).await? {
            shown.push(orders::present(&state, &record).await?);
        }
    }
    let (email_masked, until) = (masked(&link.email), rfc3339(link.until));
    Ok(HttpResponse::Ok().json(MyTickets {
        email_masked,
        until,
        orders: shown,
    }))
}
