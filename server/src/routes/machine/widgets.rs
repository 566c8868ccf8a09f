//! What boards and embedded widgets poll (A:238).

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::TICKETS;

use crate::error::Problem;
use crate::routes::buyer::draw_number;
use crate::state::State;
use crate::wire::draw::status_shown;
use crate::wire::instant::rfc3339;
use crate::wire::widget::Widget;

/// Any site may read it, without cookies (decision G-5).
pub async fn draw(state: web::Data<State>, path: web::Path<String>) -> Result<HttpResponse, Problem> {
    let draw = draw_number(&path)?;
    let (_, listing, view) = state.catalogue.draw(draw).await.ok_or_else(Problem::draw_not_found)?;
    let now = state.clock.now();
    let scheduled = listing.opens_at.is_some_and(|opens_at| now < opens_at) && status_shown(&view, now) == "active";
    let (opens_at, closes_at) = (listing.opens_at.map(rfc3339), Some(rfc3339(view.closes_at)));
    let widget = Widget {
        r#type: "draw",
        title: format!("{} vs {}", listing.home_team, listing.away_team),
        status: if scheduled { "scheduled" } else { status_shown(&view, now) },
        earliest_opens_at: opens_at.clone(),
        opens_at,
        earliest_closes_at: closes_at.clone(),
        closes_at,
        purchase_url: format!("{}/draw/{draw}?src=widget", state.config.public_url),
        prize_pool_cents: view.prize.0,
        tickets_sold: view.sold,
        tickets_cap: TICKETS,
    };
    Ok(HttpResponse::Ok().insert_header((header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")).json(widget))
}
