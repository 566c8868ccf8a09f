//! A draw on paper and as a table, for its club and the operator alone (decision F-6). Every figure comes from `takings`.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::{DrawId, View};
use persistence::records::listings::Listing;
use serde_json::json;

use super::{financials, own_draw};
use crate::error::Problem;
use crate::identity::Caller;
use crate::render::colour::Colour;
use crate::render::page::DrawFace;
use crate::render::report::{self, Facts, Poster, Row};
use crate::render::{press, when};
use crate::state::State;
use crate::takings::Takings;

/// Of a club whose colours cannot be read.
const PLAIN: Colour = Colour([0; 3]);

pub async fn table(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let report = Report::read(&state, caller, &path, "download-tickets").await?;
    let body = report::csv(&report.facts(&state), &report.takings, &report.rows)
        .ok_or_else(Problem::unavailable)?;
    Ok(answer(
        "text/csv; charset=utf-8",
        &report.name("tickets.csv"),
        body,
    ))
}

pub async fn report(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let report = Report::read(&state, caller, &path, "download-report").await?;
    let name = report.name("report.pdf");
    Ok(answer(
        "application/pdf",
        &name,
        paper(&state, report).await?,
    ))
}

/// The same report for the console, under the draw's serial number.
///
/// # Errors
/// 404: no such draw.
pub async fn for_console(
    state: &State,
    caller: Caller,
    path: &web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let report = Report::read(state, caller, path, "download-report").await?;
    Ok(answer(
        "application/pdf",
        &format!("FD-{}-report.pdf", report.draw),
        paper(state, report).await?,
    ))
}

/// For the clubhouse wall: no buyer is on it.
pub async fn poster(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let (draw, listing, view) = own_draw(&state, caller, &path).await?;
    let facts = state.catalogue.facts();
    let club = facts
        .club(listing.club)
        .ok_or_else(Problem::draw_not_found)?;
    let now = state.clock.now();
    let face = facts
        .wire(&listing, &view, now)
        .map(|wire| DrawFace::new(&wire.alone(&listing, club), now));
    let face = face.ok_or_else(Problem::draw_not_found)?;
    let poster = Poster {
        kick_off: when::long(view.closes_at, &listing.zone),
        link: format!("{}/draw/{draw}", state.config.public_url),
        club: face.club,
        league: face.league,
        home: face.home,
        away: face.away,
        price: face.price,
        prize_max: face.prize_max.to_string(),
        phase: face.phase,
        colours: [&club.primary_color, &club.accent_color]
            .map(|colour| Colour::parse(colour).unwrap_or(PLAIN)),
    };
    let made = press::run(move || poster.pdf()).await?;
    let body = made.ok_or_else(Problem::unavailable)?;
    Ok(answer(
        "application/pdf",
        &format!("draw-{draw}-poster.pdf"),
        body,
    ))
}

async fn paper(state: &State, report: Report) -> Result<Vec<u8>, Problem> {
    let facts = report.facts(state);
    press::run(move || report::pdf(&facts, &report.takings, &report.rows))
        .await?
        .ok_or_else(Problem::unavailable)
}

struct Report {
    draw: DrawId,
    listing: std::sync::Arc<Listing>,
    view: View,
    takings: Takings,
    rows: Vec<Row>,
    club: String,
}

impl Report {
    async fn read(
        state: &State,
        caller: Caller,
        path: &web::Path<String>,
        action: &str,
    ) -> Result<Report, Problem> {
        let (draw, listing, view) = own_draw(state, caller, path).await?;
        let takings = financials::of(state, draw, &view).await?;
        let now = state.clock.now();
        let deal = state.catalogue.deal_revealed(&view, now).await;
        let sold = state.records.sold_tickets(draw).await?;
        let winner = view.revealed(now).map(|(_, serial)| serial);
        let rows = sold.into_iter().map(|ticket| Row {
            label: ticket.serial.label(draw),
            number: ticket.serial.number(),
            pair: deal
                .as_ref()
                .map(|deal| deal.cell(ticket.serial))
                .map(|cell| (cell.home(), cell.away())),
            won: winner == Some(ticket.serial),
            name: ticket.buyer_name.unwrap_or_default(),
            email: ticket.buyer_email.unwrap_or_default(),
            phone: ticket.buyer_phone.unwrap_or_default(),
            sold_at: ticket.sold_at,
        });
        let rows = rows.collect();
        let facts = state.catalogue.facts();
        let club = facts
            .club(listing.club)
            .map(|club| club.name.clone())
            .unwrap_or_default();
        let (actor, object) = (caller.name(), format!("draw:{draw}"));
        state
            .records
            .audit(
                caller.act(&actor, Some(listing.club), action, &object),
                &json!({}),
            )
            .await?;
        Ok(Report {
            draw,
            listing,
            view,
            takings,
            rows,
            club,
        })
    }

    fn facts(&self, state: &State) -> Facts {
        facts_of(&self.listing, &self.view, &self.club, state)
    }

    fn name(&self, ending: &str) -> String {
        let local = crate::wire::instant::local_date_time(self.view.closes_at, &self.listing.zone);
        let day = local.split('T').next().unwrap_or_default().to_string();
        format!("draw-{}-{day}-{ending}", self.draw)
    }
}

fn facts_of(listing: &Listing, view: &View, club: &str, state: &State) -> Facts {
    Facts {
        club: club.to_string(),
        draw: view.draw,
        league: listing.league.clone(),
        home: listing.home_team.clone(),
        away: listing.away_team.clone(),
        zone: listing.zone.clone(),
        kick_off: view.closes_at,
        price: view.price,
        prize_percentage: listing.prize_percentage,
        result: view
            .result
            .map(|(result, _)| (result.cell.home(), result.cell.away())),
        fee_note: state.config.fee_note.clone(),
        generated_at: state.clock.now(),
    }
}

/// A file to keep: never cached, named by us.
pub fn answer(kind: &'static str, name: &str, body: Vec<u8>) -> HttpResponse {
    // The name is ours: letters, digits, hyphens and a dot.
    let disposition = format!("attachment; filename=\"{name}\"; filename*=UTF-8''{name}");
    HttpResponse::Ok()
        .content_type(kind)
        .insert_header((header::CONTENT_DISPOSITION, disposition))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(body)
}
