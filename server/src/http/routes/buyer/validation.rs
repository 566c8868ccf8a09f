//! Checks a purchase before the buyer pays, responds with its errors, and stores the two consents
//! (decision C-12).

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{DrawId, Status, View};

use super::completion::{AGE_ERROR, EMAIL_ERROR, TERMS_ERROR};
use crate::api::error::{DRAW_CLOSED_TEXT, Problem, too_few_tickets_text};
use crate::api::purchase::{Purchase, PurchaseValidation};
use crate::checkout::{remember_consents, requested_tickets};
use crate::http::routes::body::Body;
use crate::services::identity::{Browser, RequestBrowser, client_address};
use crate::services::open_orders::RequestedTickets;
use crate::state::State;

/// Handles `POST /api/validate-purchase`.
pub async fn check_purchase(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let known = RequestBrowser::of(&request);
    state.limits.check_purchase_limit(
        known.as_ref().map(|known| &known.0),
        client_address(&request, &state.config),
    )?;
    let tickets = match requested_tickets::parse_single_or_cart(&body.0) {
        // A wrong count is an error of the form, like a missing name.
        Err(problem) if problem.code() == "count-out-of-range" => {
            let count_error = std::iter::once(problem.message().to_string());
            return Ok(HttpResponse::Ok().json(PurchaseValidation {
                valid: false,
                errors: count_error
                    .chain(form_errors(&body.0).map(str::to_string))
                    .collect(),
            }));
        }
        parsed => parsed?,
    };
    let mut errors = availability_errors(&state, &browser, &tickets).await?;
    errors.extend(form_errors(&body.0).map(str::to_string));
    if errors.is_empty() {
        remember_consents(
            &state,
            &browser,
            &tickets,
            client_address(&request, &state.config),
        )
        .await?;
    }
    Ok(HttpResponse::Ok().json(PurchaseValidation {
        valid: errors.is_empty(),
        errors,
    }))
}

/// Checks that each draw is on sale and has enough free tickets, and returns the errors.
async fn availability_errors(
    state: &State,
    browser: &Browser,
    tickets: &RequestedTickets,
) -> Result<Vec<String>, Problem> {
    let now = state.clock.now();
    let mut errors = Vec::new();
    for (draw, count) in tickets {
        let (_, _, view) = state
            .catalogue
            .draw(*draw)
            .await
            .ok_or_else(Problem::draw_not_found)?;
        if view.status != Status::Active || now >= view.closes_at {
            errors.push(DRAW_CLOSED_TEXT.to_string());
            continue;
        }
        let free = tickets_free_for_browser(state, browser, *draw, &view);
        if *count > free {
            errors.push(too_few_tickets_text(free));
        }
    }
    Ok(errors)
}

/// Returns how many tickets of a draw this browser can get: the free ones plus those that the
/// browser has reserved.
fn tickets_free_for_browser(state: &State, browser: &Browser, draw: DrawId, view: &View) -> u16 {
    view.free()
        + state
            .open_orders
            .reserved_tickets(browser, draw, state.clock.now())
            .min(view.held)
}

/// Returns the specified error texts of missing or wrong fields, in the order of the form.
fn form_errors(body: &Purchase) -> impl Iterator<Item = &'static str> {
    let buyer = body.buyer();
    let blank = |text: Option<&String>| text.is_none_or(|text| text.trim().is_empty());
    [
        (body.age_confirmation != Some(true), AGE_ERROR),
        (body.terms_agreement != Some(true), TERMS_ERROR),
        (
            blank(buyer.and_then(|buyer| buyer.name.as_ref())),
            "Full name is required",
        ),
        (
            blank(buyer.and_then(|buyer| buyer.email.as_ref())),
            "Email is required",
        ),
        (body.has_undeliverable_email(), EMAIL_ERROR),
        (
            blank(buyer.and_then(|buyer| buyer.phone.as_ref())),
            "Phone number is required",
        ),
    ]
    .into_iter()
    .filter_map(|(wrong, words)| wrong.then_some(words))
}
