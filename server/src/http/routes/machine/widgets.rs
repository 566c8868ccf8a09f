//! Widget data for displays and other sites. Any site may read the data, without cookies (decision
//! G-5).

use actix_web::{HttpResponse, web};
use domain::{DrawId, TICKETS};

use crate::api::draw::shown_status;
use crate::api::error::Problem;
use crate::api::time_format::rfc3339;
use crate::api::widget::Widget;
use crate::http::routes::buyer::{draw_number, offers};
use crate::services::offer::{Offer, OfferStatus};
use crate::state::State;

/// Handles `GET /api/public/widget/draw/{draw}`.
pub async fn show_draw_widget(
    state: web::Data<State>,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().json(draw_widget(&state, draw_number(&path)?).await?))
}

/// Handles `GET /api/public/widget/bundle/{slug}/{bundle}`.
pub async fn show_offer_widget(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let offer = offers::find(&state, &path.0, &path.1).await?;
    Ok(HttpResponse::Ok().json(offer_widget(&state, &offer)))
}

/// Responds with a widget by type and id: `draw` and its number, or `bundle` and `club:offer` or
/// the offer's id (decision A-8).
pub async fn show_widget_by_type(
    state: web::Data<State>,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (kind, id) = path.into_inner();
    let widget = match (kind.as_str(), id.split_once(':')) {
        ("draw", _) => draw_widget(&state, draw_number(&web::Path::from(id))?).await?,
        ("bundle", Some((club, slug))) => {
            offer_widget(&state, &offers::find(&state, club, slug).await?)
        }
        ("bundle", None) => offer_widget(&state, &offer_by_id(&state, &id).await?),
        _ => return Err(Problem::not_found()),
    };
    Ok(HttpResponse::Ok().json(widget))
}

async fn offer_by_id(state: &State, id: &str) -> Result<Offer, Problem> {
    let id: i64 = id.parse().map_err(|_| Problem::not_found())?;
    let club = state
        .records
        .club_of_bundle(id)
        .await?
        .ok_or_else(Problem::not_found)?;
    let bundles = state.records.bundles(club).await?;
    let bundle = bundles
        .iter()
        .find(|bundle| bundle.id == id)
        .ok_or_else(Problem::not_found)?;
    let slug = state
        .catalogue
        .facts()
        .club(club)
        .map(|club| club.slug.clone())
        .ok_or_else(Problem::not_found)?;
    offers::find(state, &slug, &bundle.slug).await
}

/// Builds the widget data of a draw.
///
/// # Errors
/// 404: no such draw.
pub async fn draw_widget(state: &State, draw: DrawId) -> Result<Widget, Problem> {
    let (_, listing, view) = state
        .catalogue
        .draw(draw)
        .await
        .ok_or_else(Problem::draw_not_found)?;
    let now = state.clock.now();
    let scheduled = listing.opens_at.is_some_and(|opens_at| now < opens_at)
        && shown_status(&view, now) == "active";
    let (opens_at, closes_at) = (listing.opens_at.map(rfc3339), Some(rfc3339(view.closes_at)));
    Ok(Widget {
        r#type: "draw",
        title: format!("{} vs {}", listing.home_team, listing.away_team),
        status: if scheduled {
            "scheduled"
        } else {
            shown_status(&view, now)
        },
        earliest_opens_at: opens_at.clone(),
        opens_at,
        earliest_closes_at: closes_at.clone(),
        closes_at,
        purchase_url: format!("{}/draw/{draw}?src=widget", state.config.public_url),
        prize_pool_cents: view.prize.0,
        tickets_sold: view.sold,
        tickets_cap: TICKETS,
    })
}

/// Builds the widget data of an offer. Sales open at the offer's own start time, or else when the
/// first of its games goes on sale. Sales close at the earliest end: that of a game or the offer's
/// own.
pub fn offer_widget(state: &State, offer: &Offer) -> Widget {
    let bundle = &offer.bundle;
    let opens = offer
        .games
        .iter()
        .filter_map(|(listing, _)| listing.opens_at)
        .chain(bundle.start_at)
        .min();
    let closes = offer.closes_at().into_iter().chain(bundle.end_at).min();
    Widget {
        r#type: "bundle",
        title: bundle.name.clone(),
        status: match offer.sale_status {
            OfferStatus::Scheduled => "scheduled",
            OfferStatus::OnSale => "active",
            OfferStatus::Closed | OfferStatus::Ended => "closed",
        },
        opens_at: bundle.start_at.or(opens).map(rfc3339),
        closes_at: closes.map(rfc3339),
        earliest_opens_at: opens.map(rfc3339),
        earliest_closes_at: closes.map(rfc3339),
        purchase_url: format!("{}{}?src=widget", state.config.public_url, offer.path()),
        prize_pool_cents: offer.prize().0,
        tickets_sold: offer.sold(),
        tickets_cap: offer.ticket_count(),
    }
}
