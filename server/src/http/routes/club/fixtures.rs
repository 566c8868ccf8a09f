//! Imports a season's fixtures from a CSV table, like the `import` command.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{Cents, FeePolicy};
use persistence::records::clubs::Club;
use serde::Deserialize;
use serde_json::json;

use super::draw_check::{TICKET_PRICE_MIN_ERROR, is_payable_by_card};
use super::draws::{create_draws, find_selling_club};
use super::own_club_id;
use crate::access::caller::Caller;
use crate::api::error::Problem;
use crate::api::fixture::{FixtureImportResult, FixtureProblem, FixtureRow};
use crate::api::form::FormErrors;
use crate::api::time_format::{local_time, rfc3339};
use crate::http::routes::body::unreadable_body_problem;
use crate::services::fixtures::{self, Contact, ImportedDrawTerms};
use crate::state::State;

/// Query parameters of the fixture import.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixtureImportQuery {
    #[serde(default)]
    dry_run: bool,
    /// Whether to import the readable lines of a table with invalid lines.
    #[serde(default)]
    skip_invalid: bool,
    /// Ticket price of every draw in dollars; $5.00 when absent.
    price: Option<String>,
    /// Prize percentage; 50 when absent.
    prize: Option<u8>,
    /// Name of the contact for buyers; the club's name when absent.
    contact_name: Option<String>,
    contact_phone: Option<String>,
}

/// Handles `POST /api/clubs/{club}/fixtures`.
pub async fn import(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    query: web::Query<FixtureImportQuery>,
    table: Result<web::Bytes, actix_web::Error>,
) -> Result<HttpResponse, Problem> {
    let club = own_club_id(caller, &path)?;
    let seller = find_selling_club(&state, club).await?;
    let table = table.map_err(unreadable_body_problem)?;
    let common = read_import_terms(&query, &seller, state.config.fees.policy)?;
    let plan = fixtures::plan_import(&state.records, club, &table, &common, state.clock.now())
        .await
        .map_err(import_refused_problem)?;
    if !query.skip_invalid && !plan.problems.is_empty() {
        return Err(import_refused_problem(fixtures::ImportRefusal::Lines(
            plan.problems,
        )));
    }
    let created = if query.dry_run || plan.rows.is_empty() {
        Vec::new()
    } else {
        let (actor, object) = (caller.audit_name(), format!("club:{club}"));
        let act = caller.audit_action(&actor, Some(club), "import-fixtures", &object);
        let records = state
            .records
            .with_audit_entry(act.entry(json!({ "draws": plan.rows.len() })));
        create_draws(&state, &records, club, &plan.rows, state.clock.now()).await?
    };
    Ok(HttpResponse::Ok().json(FixtureImportResult {
        dry_run: query.dry_run,
        found: plan.rows.len() + plan.known,
        already_there: plan.known,
        created: created.len(),
        draw_numbers: created.iter().map(|listing| listing.id().0).collect(),
        rows: plan.found.iter().map(fixture_row).collect(),
        problems: plan
            .problems
            .into_iter()
            .map(|problem| FixtureProblem {
                line: problem.line,
                message: problem.message,
            })
            .collect(),
    }))
}

/// Builds the API object of one imported row.
fn fixture_row(found: &fixtures::ImportRow) -> FixtureRow {
    let fixture = &found.fixture;
    FixtureRow {
        line: found.line,
        league: fixture.league.clone(),
        home_team: fixture.home.clone(),
        away_team: fixture.away.clone(),
        game_date: rfc3339(fixture.kick_off),
        timezone: fixture.zone.clone(),
        game_time: local_time(fixture.kick_off, &fixture.zone),
        already_there: found.known,
    }
}

fn read_import_terms(
    query: &FixtureImportQuery,
    club: &Club,
    fee_policy: FeePolicy,
) -> Result<ImportedDrawTerms, Problem> {
    let bad = |what: &str| Problem::bad_request("bad-price", what.to_string());
    let price = query
        .price
        .as_deref()
        .map_or(Some(Cents(500)), Cents::parse);
    let price = price
        .filter(|price| price.0 >= 1)
        .ok_or_else(|| bad("Ticket price is required"))?;
    if !is_payable_by_card(price, false) {
        return Err(bad(TICKET_PRICE_MIN_ERROR));
    }
    if price > domain::TICKET_PRICE_MAX {
        return Err(bad("Ticket price must be at most $10,000.00"));
    }
    let prize_percentage = query.prize.unwrap_or(50);
    if !(1..=100).contains(&prize_percentage) {
        return Err(bad("The prize percentage is between 1 and 100."));
    }
    let contact = Contact::from_input_or_club(
        club,
        query.contact_name.as_deref(),
        query.contact_phone.as_deref(),
    );
    Ok(ImportedDrawTerms {
        price,
        prize_percentage,
        fee_policy,
        contact: contact.map_err(FormErrors::into_problem)?,
    })
}

/// Builds the 422 response with every invalid line and its number. No draw was created.
fn import_refused_problem(refused: fixtures::ImportRefusal) -> Problem {
    match refused {
        fixtures::ImportRefusal::Lines(lines) => {
            let fixture_row = |line: &fixtures::LineProblem| json!({ "line": line.line, "message": line.message });
            let message = format!(
                "{} of the table's lines cannot be read; nothing was created.",
                lines.len()
            );
            Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "fixtures-refused",
                message,
            )
            .with_field("errors", lines.iter().map(fixture_row).collect::<Vec<_>>())
        }
        fixtures::ImportRefusal::Failed(failure) => failure.into(),
    }
}
