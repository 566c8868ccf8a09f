//! Reports of a draw as PDF and CSV, for its club and the operator only (decision F-6). All amounts
//! come from `services::draw_revenue`.

use actix_web::http::header;
use actix_web::{HttpResponse, web};
use domain::{DrawId, View};
use persistence::records::listings::Listing;
use serde_json::json;

use super::{financials, own_draw};
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::render::colour::Colour;
use crate::render::page::DrawTexts;
use crate::render::report::{self, Poster, ReportFacts, ReportRow};
use crate::render::{blocking_jobs, date_time_text};
use crate::services::draw_revenue::DrawRevenue;
use crate::state::State;

/// Poster colour of a club whose stored colour cannot be parsed: black.
const FALLBACK_COLOUR: Colour = Colour([0; 3]);

/// Responds with the draw's sold tickets as CSV.
pub async fn download_tickets_csv(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let report = DrawReport::read(&state, caller, &path, "download-tickets").await?;
    let body = report::csv(&report.facts(&state), &report.rows).ok_or_else(Problem::unavailable)?;
    Ok(download_response(
        "text/csv; charset=utf-8",
        &report.file_name("tickets.csv"),
        body,
    ))
}

/// Responds with the draw's report as PDF.
pub async fn download_draw_report(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let report = DrawReport::read(&state, caller, &path, "download-report").await?;
    let name = report.file_name("report.pdf");
    Ok(download_response(
        "application/pdf",
        &name,
        report_pdf(&state, report).await?,
    ))
}

/// Responds with the PDF report for the operator console, under a different file name.
///
/// # Errors
/// 404: no such draw.
pub async fn download_draw_report_for_console(
    state: &State,
    caller: Caller,
    path: &web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let report = DrawReport::read(state, caller, path, "download-report").await?;
    Ok(download_response(
        "application/pdf",
        &format!("FD-{}-report.pdf", report.draw),
        report_pdf(state, report).await?,
    ))
}

/// Responds with the poster of a draw. It names no buyer.
pub async fn download_poster(
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
        .to_api_draw(&listing, &view, now)
        .map(|wire| DrawTexts::new(&wire.with_page_fields(&listing, club), now));
    let face = face.ok_or_else(Problem::draw_not_found)?;
    let poster = Poster {
        kick_off: date_time_text::date_time_with_zone(view.closes_at, &listing.zone),
        link: format!("{}/draw/{draw}", state.config.public_url),
        club: face.club,
        league: face.league,
        home: face.home,
        away: face.away,
        price: face.price,
        prize_max: face.prize_max.to_string(),
        phase: face.phase,
        colours: [&club.primary_color, &club.accent_color]
            .map(|colour| Colour::parse(colour).unwrap_or(FALLBACK_COLOUR)),
    };
    let pdf = blocking_jobs::run_job(move || poster.pdf()).await?;
    let body = pdf.ok_or_else(Problem::unavailable)?;
    Ok(download_response(
        "application/pdf",
        &format!("draw-{draw}-poster.pdf"),
        body,
    ))
}

async fn report_pdf(state: &State, report: DrawReport) -> Result<Vec<u8>, Problem> {
    let facts = report.facts(state);
    blocking_jobs::run_job(move || report::pdf(&facts, &report.takings, &report.rows))
        .await?
        .ok_or_else(Problem::unavailable)
}

/// The data of one draw's report.
struct DrawReport {
    draw: DrawId,
    listing: std::sync::Arc<Listing>,
    view: View,
    takings: DrawRevenue,
    rows: Vec<ReportRow>,
    club: String,
}

impl DrawReport {
    async fn read(
        state: &State,
        caller: Caller,
        path: &web::Path<String>,
        action: &str,
    ) -> Result<DrawReport, Problem> {
        let (draw, listing, view) = own_draw(state, caller, path).await?;
        let takings = financials::draw_revenue(state, &listing, &view).await?;
        let now = state.clock.now();
        let deal = state.catalogue.revealed_deal(&view, now).await;
        let sold = state.records.sold_tickets(draw).await?;
        let winner = view.public_result(now).map(|(_, serial)| serial);
        let rows = sold.into_iter().map(|ticket| ReportRow {
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
        let (actor, object) = (caller.audit_name(), format!("draw:{draw}"));
        state
            .records
            .record_audit_entry(
                caller.audit_action(&actor, Some(listing.club), action, &object),
                &json!({}),
            )
            .await?;
        Ok(DrawReport {
            draw,
            listing,
            view,
            takings,
            rows,
            club,
        })
    }

    fn facts(&self, state: &State) -> ReportFacts {
        build_report_facts(&self.listing, &self.view, &self.club, state)
    }

    fn file_name(&self, ending: &str) -> String {
        let local =
            crate::api::time_format::local_date_time(self.view.closes_at, &self.listing.zone);
        let day = local.split('T').next().unwrap_or_default().to_string();
        format!("draw-{}-{day}-{ending}", self.draw)
    }
}

fn build_report_facts(listing: &Listing, view: &View, club: &str, state: &State) -> ReportFacts {
    ReportFacts {
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

/// Responds with a file download that is never cached.
pub fn download_response(kind: &'static str, name: &str, body: Vec<u8>) -> HttpResponse {
    // The file name needs no escaping, because it contains only letters, digits, hyphens and a dot.
    let disposition = format!("attachment; filename=\"{name}\"; filename*=UTF-8''{name}");
    HttpResponse::Ok()
        .content_type(kind)
        .insert_header((header::CONTENT_DISPOSITION, disposition))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(body)
}
