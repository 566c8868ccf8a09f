//! Checking a purchase before the buyer pays (A:207): answers what is wrong, and keeps the consents (decision C-12).

use actix_web::{HttpRequest, HttpResponse, web};
use domain::{DrawId, Status, View};

use super::completion::{AGE, NO_ADDRESS, TERMS, store_consents};
use super::payments::wanted;
use crate::error::{DRAW_CLOSED, Problem, too_few};
use crate::identity::Browser;
use crate::open_orders::Counts;
use crate::routes::body::Body;
use crate::state::State;
use crate::wire::purchase::{Purchase, Validated};

pub async fn validate(
    request: HttpRequest,
    state: web::Data<State>,
    browser: Browser,
    body: Body<Purchase>,
) -> Result<HttpResponse, Problem> {
    let counts = wanted::either(&body.0)?;
    let mut errors = availability(&state, &browser, &counts).await?;
    errors.extend(missing(&body.0).map(str::to_string));
    if errors.is_empty() {
        keep_consents(&request, &state, &browser, &counts).await?;
    }
    Ok(HttpResponse::Ok().json(Validated {
        valid: errors.is_empty(),
        errors,
    }))
}

async fn availability(
    state: &State,
    browser: &Browser,
    counts: &Counts,
) -> Result<Vec<String>, Problem> {
    let now = state.clock.now();
    let mut errors = Vec::new();
    for (draw, count) in counts {
        let (_, _, view) = state
            .catalogue
            .draw(*draw)
            .await
            .ok_or_else(Problem::draw_not_found)?;
        if view.status != Status::Active || now >= view.closes_at {
            errors.push(DRAW_CLOSED.to_string());
            continue;
        }
        let free = free_for(state, browser, *draw, &view);
        if *count > free {
            errors.push(too_few(free));
        }
    }
    Ok(errors)
}

/// What is free, and what is kept for this very browser.
fn free_for(state: &State, browser: &Browser, draw: DrawId, view: &View) -> u16 {
    view.free()
        + state
            .open_orders
            .reserved(browser, draw, state.clock.now())
            .min(view.held)
}

/// In the specified words, in the order of the form (A:195-199, A:207).
fn missing(body: &Purchase) -> impl Iterator<Item = &'static str> {
    let buyer = body.buyer();
    let blank = |text: Option<&String>| text.is_none_or(|text| text.trim().is_empty());
    [
        (body.age_confirmation != Some(true), AGE),
        (body.terms_agreement != Some(true), TERMS),
        (
            blank(buyer.and_then(|buyer| buyer.name.as_ref())),
            "Full name is required",
        ),
        (
            blank(buyer.and_then(|buyer| buyer.email.as_ref())),
            "Email is required",
        ),
        (body.has_unreadable_email(), NO_ADDRESS),
        (
            blank(buyer.and_then(|buyer| buyer.phone.as_ref())),
            "Phone number is required",
        ),
    ]
    .into_iter()
    .filter_map(|(wrong, words)| wrong.then_some(words))
}

async fn keep_consents(
    request: &HttpRequest,
    state: &State,
    browser: &Browser,
    counts: &Counts,
) -> Result<(), Problem> {
    state.open_orders.consented(browser, state.clock.now());
    let Some(known) = state
        .open_orders
        .current(browser, counts)
        .filter(|known| !known.over)
    else {
        return Ok(());
    };
    match state.payments.order(known.order).await? {
        Some(record) => store_consents(request, state, &record).await,
        None => Ok(()),
    }
}
