//! What a buyer does with an own order, by its secret token: the picture of its tickets, and the
//! reminder by mail.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION};
use actix_web::{HttpResponse, web};
use domain::{OrderState, Status};

use crate::access::order_access::OwnOrder;
use crate::access::order_view::order_for_buyer;
use crate::api::error::Problem;
use crate::api::reminder::{OrderReminder, OrderReminderForm};
use crate::http::routes::body::Body;
use crate::render::blocking_jobs;
use crate::render::mail_sender::PLACEHOLDER_EMAIL_ENDING;
use crate::render::ticket_picture::TicketPicture;
use crate::state::State;

/// Handles `GET /api/orders/{token}/picture/{draw}`. The picture shows the same number pairs as the
/// order's page, so it has the same proof, and no cache may store it.
pub async fn serve_ticket_picture(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (token, draw) = path.into_inner();
    let own = own_order(&state, &token).await?;
    let line = order_for_buyer(&state, &own)
        .await?
        .lines
        .into_iter()
        .find(|line| line.draw_number.to_string() == draw && !line.tickets.is_empty())
        .ok_or_else(Problem::not_found)?;
    let facts = state.catalogue.facts();
    let club = facts
        .club(own.record().order.club)
        .ok_or_else(Problem::unavailable)?;
    let picture = TicketPicture::new(club, line);
    let logo = match picture.crest_upload_key() {
        Some(key) => state.records.upload(key).await?,
        None => None,
    };
    let png = blocking_jobs::run_job(move || picture.render_png(logo.as_deref())).await?;
    Ok(HttpResponse::Ok()
        .content_type("image/png")
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("inline; filename=\"my-numbers-{draw}.png\""),
        ))
        .body(png))
}

/// Handles `GET /api/orders/{token}/reminder`.
pub async fn show_reminder(
    state: web::Data<State>,
    token: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let own = own_order(&state, &token).await?;
    reminder_response(&state, &own).await
}

/// Handles `PUT /api/orders/{token}/reminder`. Switching it off is always possible.
///
/// # Errors
/// 409: the order cannot be reminded of.
pub async fn set_reminder(
    state: web::Data<State>,
    token: web::Path<String>,
    body: Body<OrderReminderForm>,
) -> Result<HttpResponse, Problem> {
    let own = own_order(&state, &token).await?;
    let wanted = body
        .0
        .wanted
        .ok_or_else(|| Problem::bad_request("invalid", "Say whether you want to be reminded."))?;
    if wanted && !can_be_reminded(&state, &own).await? {
        return Err(Problem::conflict(
            "reminder-not-possible",
            "There is no game left to remind you of.",
        ));
    }
    state
        .records
        .set_order_reminder(own.id(), wanted, state.clock.now())
        .await?;
    reminder_response(&state, &own).await
}

async fn own_order(state: &State, token: &str) -> Result<OwnOrder, Problem> {
    OwnOrder::of_token(state, token)
        .await?
        .ok_or_else(Problem::not_found)
}

async fn reminder_response(state: &State, own: &OwnOrder) -> Result<HttpResponse, Problem> {
    let reminder = OrderReminder {
        wanted: state.records.has_order_reminder(own.id()).await?,
        possible: can_be_reminded(state, own).await?,
    };
    Ok(HttpResponse::Ok().json(reminder))
}

async fn can_be_reminded(state: &State, own: &OwnOrder) -> Result<bool, Problem> {
    let record = own.record();
    let has_address = record
        .buyer
        .email
        .as_deref()
        .is_some_and(|email| !email.ends_with(PLACEHOLDER_EMAIL_ENDING));
    if record.order.state != OrderState::Captured || !has_address {
        return Ok(false);
    }
    for line in &record.order.lines {
        let (_, _, view) = state
            .catalogue
            .draw(line.draw)
            .await
            .ok_or_else(Problem::unavailable)?;
        if matches!(view.status, Status::Active | Status::Closed) {
            return Ok(true);
        }
    }
    Ok(false)
}
