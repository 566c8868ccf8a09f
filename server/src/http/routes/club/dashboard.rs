//! The club's dashboard: what there is to do, the pace of sales, buyers and the activity log.

use std::sync::Arc;

use actix_web::{HttpResponse, web};
use domain::{DrawId, OrderId, Timestamp, View};
use persistence::records::club_dashboard::UnpaidPrize;
use persistence::records::clubs::Club;
use persistence::records::listings::Listing;
use serde_json::json;
use uuid::Uuid;

use super::{own_club_id, own_draw};
use crate::access::caller::Caller;
use crate::api::club_dashboard::{
    ActivityQuery, BuyerOrder, BuyerSearchQuery, ClubActivity, ClubTask, ClubTaskDraw, DrawPace,
    DrawSales, SalesCurve, SalesPoint, TicketsResent,
};
use crate::api::draw::shown_status;
use crate::api::error::Problem;
use crate::api::form::trimmed;
use crate::api::time_format::rfc3339;
use crate::services::catalogue::CatalogueFacts;
use crate::state::State;

/// Entries of the activity log in one response.
const ACTIVITY_PAGE_ENTRIES: i64 = 50;
/// Fewest characters of a search, so that it does not list every buyer.
const SEARCH_CHARS_MIN: usize = 3;
const SEARCH_CHARS_MAX: usize = 100;

/// Responds with the club's tasks, the oldest first.
pub async fn list_tasks(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let facts = state.catalogue.facts();
    let now = state.clock.now();
    let mut tasks: Vec<(Timestamp, ClubTask)> = Vec::new();
    for (listing, view) in state.catalogue.all_draws_of_club(&facts, club) {
        if shown_status(&view, now) == "closed" {
            let draw = task_draw(&listing, &view, None);
            tasks.push(task("enter-result", view.closes_at, Some(draw)));
        }
    }
    let knows = caller.may_see_buyers(club);
    for prize in state.records.unpaid_prizes(club).await? {
        let Some((_, listing, view)) = state.catalogue.draw(prize.draw).await else {
            continue;
        };
        // Before kick-off nobody may learn which ticket wins (decision E-6).
        if view.public_result(now).is_none() {
            continue;
        }
        if let Some((kind, since)) = prize_task(&prize, &view, now) {
            let name = prize.winner_name.filter(|_| knows);
            tasks.push(task(kind, since, Some(task_draw(&listing, &view, name))));
        }
    }
    if let Some(club) = state.records.club(club).await? {
        tasks.extend(account_tasks(&club));
    }
    tasks.sort_by_key(|(since, _)| *since);
    let tasks: Vec<ClubTask> = tasks.into_iter().map(|(_, task)| task).collect();
    Ok(HttpResponse::Ok().json(tasks))
}

fn task(kind: &'static str, since: Timestamp, draw: Option<ClubTaskDraw>) -> (Timestamp, ClubTask) {
    let task = ClubTask {
        kind,
        since: rfc3339(since),
        draw,
    };
    (since, task)
}

fn task_draw(listing: &Listing, view: &View, winner_name: Option<String>) -> ClubTaskDraw {
    ClubTaskDraw {
        draw_number: view.draw.0,
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        prize: view.prize.decimal(),
        winner_name,
    }
}

/// Returns what the club has to do about an unpaid prize, and since when. `None` while the winner
/// may still answer, or while the payment is disputed.
fn prize_task(
    prize: &UnpaidPrize,
    view: &View,
    now: Timestamp,
) -> Option<(&'static str, Timestamp)> {
    if prize.disputed {
        return None;
    }
    match (prize.received_at, prize.respond_by) {
        (Some(received), _) => Some(("pay-winner", received)),
        (None, None) => Some(("notify-winner", prize.completed_at.max(view.closes_at))),
        (None, Some(until)) if until <= now => Some(("remind-winner", until)),
        (None, Some(_)) => None,
    }
}

/// Returns the tasks about the club's account. An archived club starts nothing new.
fn account_tasks(club: &Club) -> Vec<(Timestamp, ClubTask)> {
    if club.archived {
        return Vec::new();
    }
    let missing = [
        ("confirm-email", !club.email_verified),
        ("connect-stripe", !club.connected),
    ];
    let open = missing.into_iter().filter(|(_, is_open)| *is_open);
    open.map(|(kind, _)| task(kind, club.created_at, None))
        .collect()
}

/// Responds with the pace of each draw on sale, compared with the club's last game.
pub async fn list_pace(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let facts = state.catalogue.facts();
    let pace = state.records.sales_pace(club, state.clock.now()).await?;
    let pace = pace.into_iter().filter_map(|pace| {
        let last = facts.listing(pace.last_draw)?;
        Some(DrawPace {
            draw_number: pace.draw.0,
            last_draw_number: pace.last_draw.0,
            last_home_team: last.home_team.clone(),
            last_away_team: last.away_team.clone(),
            last_sold: pace.last_sold,
        })
    });
    Ok(HttpResponse::Ok().json(pace.collect::<Vec<_>>()))
}

/// Responds with the sales of a draw over time, and with those of the club's game before it.
pub async fn show_sales(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (_, listing, view) = own_draw(&state, caller, &path).await?;
    let facts = state.catalogue.facts();
    let draws = state.catalogue.all_draws_of_club(&facts, listing.club);
    let earlier = draws.iter().filter(|(_, other)| {
        other.closes_at < view.closes_at && shown_status(other, view.closes_at) != "cancelled"
    });
    let last = match earlier.max_by_key(|(_, other)| (other.closes_at, other.draw)) {
        Some((listing, view)) => Some(sales_curve(&state, listing, view).await?),
        None => None,
    };
    Ok(HttpResponse::Ok().json(DrawSales {
        this: sales_curve(&state, &listing, &view).await?,
        last,
    }))
}

async fn sales_curve(
    state: &State,
    listing: &Arc<Listing>,
    view: &View,
) -> Result<SalesCurve, Problem> {
    let times = state.records.sale_times(view.draw).await?;
    let points = times.iter().enumerate().map(|(index, at)| SalesPoint {
        minutes_before_kick_off: (view.closes_at.0 - at.0).div_euclid(60_000),
        sold: index + 1,
    });
    // Tickets of one order are sold at the same time. Only the last of them is a point.
    let mut distinct: Vec<SalesPoint> = Vec::new();
    for point in points {
        match distinct.last_mut() {
            Some(last) if last.minutes_before_kick_off == point.minutes_before_kick_off => {
                *last = point;
            }
            _ => distinct.push(point),
        }
    }
    Ok(SalesCurve {
        draw_number: view.draw.0,
        home_team: listing.home_team.clone(),
        away_team: listing.away_team.clone(),
        points: distinct,
    })
}

/// Finds buyers of the club by a part of their name, e-mail address or phone.
///
/// # Errors
/// 400 `search-too-short`.
pub async fn search_buyers(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    query: web::Query<BuyerSearchQuery>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let text: String = trimmed(Some(&query.q))
        .chars()
        .take(SEARCH_CHARS_MAX)
        .collect();
    if text.chars().filter(|c| c.is_alphanumeric()).count() < SEARCH_CHARS_MIN {
        return Err(Problem::bad_request(
            "search-too-short",
            "Type at least 3 letters or digits.",
        ));
    }
    let (actor, object) = (caller.audit_name(), format!("club:{club}"));
    let act = caller.audit_action(&actor, Some(club), "search-buyers", &object);
    state.records.record_audit_entry(act, &json!({})).await?;
    let found = state.records.find_buyer_orders(club, &text).await?;
    let orders = found.into_iter().map(|found| BuyerOrder {
        order_id: found.order.to_string(),
        buyer_name: found.name,
        buyer_email: found.email,
        buyer_phone: found.phone,
        bought_at: rfc3339(found.bought_at),
        total: found.total.decimal(),
        ticket_count: found.tickets,
        draw_numbers: found.draws,
    });
    Ok(HttpResponse::Ok().json(orders.collect::<Vec<_>>()))
}

/// Sends a buyer's tickets again, only to the stored address.
///
/// # Errors
/// 404: no such order of this club. 409 `not-paid`: the payment is not captured yet.
pub async fn resend_tickets(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<HttpResponse, Problem> {
    let (club, order) = path.into_inner();
    let club = own_club_id(caller, &club)?;
    let order: Uuid = order.parse().map_err(|_| Problem::not_found())?;
    let order = OrderId(order.as_u128());
    let record = state
        .payments
        .order(order)
        .await?
        .filter(|record| record.order.club == club)
        .ok_or_else(Problem::not_found)?;
    let sent = crate::access::order_access::resend_confirmation(&state, &record).await?;
    if sent {
        let (actor, object) = (caller.audit_name(), format!("order:{order}"));
        let act = caller.audit_action(&actor, Some(club), "resend-tickets", &object);
        state.records.record_audit_entry(act, &json!({})).await?;
    }
    Ok(HttpResponse::Ok().json(TicketsResent { sent }))
}

/// Responds with what the club's members and the operator did in the club, newest first.
pub async fn list_activity(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    query: web::Query<ActivityQuery>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let facts = state.catalogue.facts();
    let actions = state
        .records
        .club_actions(club, query.before, ACTIVITY_PAGE_ENTRIES)
        .await?;
    let entries = actions.into_iter().map(|action| {
        let draw = action
            .object
            .strip_prefix("draw:")
            .and_then(|id| id.parse().ok())
            .map(DrawId);
        ClubActivity {
            id: action.id,
            at: rfc3339(action.at),
            by: action.person.unwrap_or_else(|| account_text(&action.actor)),
            action: action.action,
            game: draw.and_then(|draw| game_text(&facts, draw)),
            draw_number: draw.map(|draw| draw.0),
        }
    });
    Ok(HttpResponse::Ok().json(entries.collect::<Vec<_>>()))
}

fn game_text(facts: &CatalogueFacts, draw: DrawId) -> Option<String> {
    let listing = facts.listing(draw)?;
    Some(format!("{} v {}", listing.home_team, listing.away_team))
}

/// Returns how the club reads an account of the audit log that is no person of the club.
pub(super) fn account_text(actor: &str) -> String {
    match actor.split(' ').next() {
        Some("club") => "your club’s login",
        Some("winner") => "the winner",
        _ => "the platform operator",
    }
    .to_string()
}
