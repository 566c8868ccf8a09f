//! Mails a buyer a link to all orders of an e-mail address. The response does not tell whether
//! anything was bought with the address; only the mail does.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use persistence::link_secrets::LinkKind;
use serde_json::json;

use crate::access::order_access::OwnOrder;
use crate::access::order_view;
use crate::api::error::Problem;
use crate::api::form::{required_email, trimmed};
use crate::api::my_tickets::{MyTickets, TicketLinkRequest};
use crate::api::order::masked_email;
use crate::api::session::MailedSecret;
use crate::api::site::Message;
use crate::api::time_format::rfc3339;
use crate::http::routes::body::Body;
use crate::render::mail_sender::sealed_link;
use crate::services::identity::{client_address, link_hash, parse_link_hash, random};
use crate::state::State;

/// How long a mailed link to a buyer's orders is valid, in seconds. A day suffices, because each
/// confirmation mail has a link to its order.
const TICKET_LINK_SECONDS: i64 = 24 * 3600;

/// Handles a request to mail a link to the buyer's orders. The response is always the same and sent
/// before the work starts, so that neither text nor timing tells who bought tickets.
pub async fn request_link(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<TicketLinkRequest>,
) -> Result<HttpResponse, Problem> {
    let email = required_email(body.0.email.as_deref())?;
    state
        .limits
        .check_form_limit(
            &state.records,
            client_address(&request, &state.config),
            state.clock.now(),
        )
        .await?;
    actix_web::rt::spawn(async move {
        if let Err(problem) = send_link(&state, &email).await {
            tracing::warn!(%problem, "queueing a ticket link failed");
        }
    });
    let message =
        "If tickets were bought with this email, a link to them has been sent.".to_string();
    Ok(HttpResponse::Ok().json(Message { message }))
}

/// Queues the mail with the link if tickets were bought with the e-mail address. Other addresses
/// get no mail, so that nobody can fill a stranger's mailbox.
async fn send_link(state: &State, email: &str) -> Result<(), Problem> {
    let token: [u8; 32] = random();
    let now = state.clock.now();
    if !state
        .limits
        .may_mail_ticket_link(&state.records, email, now)
        .await?
    {
        return Ok(());
    }
    let hash = link_hash(&token);
    let Some(to) = state
        .records
        .begin_ticket_link(email, &hash, now.plus_seconds(TICKET_LINK_SECONDS))
        .await?
    else {
        return Ok(());
    };
    // The secret follows a `#`: browsers do not send that part of a URL, so the secret gets into no
    // log and to no other site.
    let link = format!("{}/my#{}", state.config.public_url, hex::encode(token));
    let data = json!({ "sealedLink": sealed_link(&state.records, &to, &link) });
    // The mail's deduplication key contains the hash of the link's secret, which does not reveal
    // the link.
    let key = format!(
        "my-tickets-{}",
        state.records.link_id(LinkKind::Tickets, &hash)
    );
    state
        .outbox
        .queue_mail_now(&key, "my-tickets", None, &to, &data.to_string())
        .await?;
    Ok(())
}

/// Responds with the orders that a mailed link gives access to. The link can be used any number of
/// times while it is valid.
pub async fn open_link(
    request: HttpRequest,
    state: web::Data<State>,
    body: Body<MailedSecret>,
) -> Result<HttpResponse, Problem> {
    state
        .limits
        .check_claim_limit(client_address(&request, &state.config))?;
    let unknown = || {
        Problem::new(
            StatusCode::NOT_FOUND,
            "link-unknown",
            "This link is invalid or has expired.",
        )
    };
    let hash = parse_link_hash(&trimmed(body.0.token.as_deref())).ok_or_else(unknown)?;
    let link = state
        .records
        .ticket_link(&hash, state.clock.now())
        .await?
        .ok_or_else(unknown)?;
    let mut shown = Vec::with_capacity(link.orders.len());
    for own in OwnOrder::all_of_ticket_link(&state, &link).await? {
        shown.push(order_view::order_for_buyer(&state, &own).await?);
    }
    let (email_masked, until) = (masked_email(&link.email), rfc3339(link.until));
    Ok(HttpResponse::Ok().json(MyTickets {
        email_masked,
        until,
        orders: shown,
    }))
}
