//! A season's fixtures from a table (CSV): the same import as the command line.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use domain::{Cents, ClubId, FeePolicy};
use persistence::records::clubs::Club;
use serde::Deserialize;
use serde_json::json;

use super::draws::{may_sell, put_on_sale};
use crate::error::Problem;
use crate::fixtures::{self, Common, Contact};
use crate::form::Findings;
use crate::identity::Caller;
use crate::routes::body::unreadable;
use crate::state::State;
use crate::wire::fixture::{FixtureRow, Imported};
use crate::wire::instant::{local_time, rfc3339};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Wanted {
    #[serde(default)]
    dry_run: bool,
    /// Dollars; $5.00 when absent.
    price: Option<String>,
    /// Percent; 50 when absent.
    prize: Option<u8>,
    /// Whom buyers ask; the club itself when absent.
    contact_name: Option<String>,
    contact_phone: Option<String>,
}

pub async fn import(
    state: web::Data<State>,
    caller: Caller,
    path: web::Path<String>,
    wanted: web::Query<Wanted>,
    table: Result<web::Bytes, actix_web::Error>,
) -> Result<HttpResponse, Problem> {
    let club = path.parse().map(ClubId).map_err(|_| Problem::not_found())?;
    caller.must_own(club)?;
    let seller = may_sell(&state, club).await?;
    let table = table.map_err(unreadable)?;
    let common = common(&wanted, &seller, state.config.fees.policy)?;
    let plan = fixtures::plan(&state.records, club, &table, &common, state.clock.now())
        .await
        .map_err(refused)?;
    let created = match wanted.dry_run || plan.rows.is_empty() {
        true => Vec::new(),
        false => {
            let (actor, object) = (caller.name(), format!("club:{club}"));
            let act = caller.act(&actor, Some(club), "import-fixtures", &object);
            let records = state
                .records
                .by(act.entry(json!({ "draws": plan.rows.len() })));
            put_on_sale(&state, &records, club, &plan.rows, state.clock.now()).await?
        }
    };
    Ok(HttpResponse::Ok().json(Imported {
        dry_run: wanted.dry_run,
        found: plan.rows.len() + plan.known,
        already_there: plan.known,
        created: created.len(),
        draw_numbers: created.iter().map(|listing| listing.id().0).collect(),
        rows: plan.found.iter().map(row).collect(),
    }))
}

/// A line of the preview.
fn row(found: &fixtures::Found) -> FixtureRow {
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

fn common(wanted: &Wanted, club: &Club, fee_policy: FeePolicy) -> Result<Common, Problem> {
    let bad = |what: &str| Problem::bad_request("bad-price", what.to_string());
    let price = wanted
        .price
        .as_deref()
        .map_or(Some(Cents(500)), Cents::parse);
    let price = price
        .filter(|price| price.0 >= 1)
        .ok_or_else(|| bad("Ticket price is required"))?;
    if price > domain::PRICE_MAX {
        return Err(bad("Ticket price must be at most $10,000.00"));
    }
    let prize_percentage = wanted.prize.unwrap_or(50);
    if !(1..=100).contains(&prize_percentage) {
        return Err(bad("The prize percentage is between 1 and 100."));
    }
    let contact = Contact::of(
        club,
        wanted.contact_name.as_deref(),
        wanted.contact_phone.as_deref(),
    );
    Ok(Common {
        price,
        prize_percentage,
        fee_policy,
        contact: contact.map_err(Findings::problem)?,
    })
}

/// Every line that is wrong, with its number; nothing was created.
fn refused(refused: fixtures::Refused) -> Problem {
    match refused {
        fixtures::Refused::Lines(lines) => {
            let row = |line: &fixtures::LineProblem| json!({ "line": line.line, "message": line.message });
            let message = format!(
                "{} of the table's lines cannot be read; nothing was created.",
                lines.len()
            );
            Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "fixtures-refused",
                message,
            )
            .with("errors", lines.iter().map(row).collect::<Vec<_>>())
        }
        fixtures::Refused::Failed(failure) => failure.into(),
    }
}
