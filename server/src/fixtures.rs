//! A season's fixtures from a table: validated whole, written whole or not at all. The command line and the API share it.

use actors::Draws;
use domain::{Cents, ClubId, DrawId, FeePolicy, Timestamp};
use persistence::Failure;
use persistence::records::Records;
use persistence::records::draws::NewDraw;
use persistence::records::listings::Listing;
use persistence::records::terms::Created;

pub mod kick_off;
pub mod moment;
mod table;

pub use table::{Fixture, LineProblem};

/// What every imported draw costs and pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    pub price: Cents,
    pub prize_percentage: u8,
}

/// Rows of one table.
pub const ROWS_MAX: usize = 2000;

/// What an import would create.
#[derive(Clone, Debug)]
pub struct Plan {
    pub rows: Vec<NewDraw>,
    /// Rows that are draws of this club already: same teams, same kick-off. They are left alone, so that a repeated import
    /// creates nothing twice.
    pub known: usize,
    /// Every row of the table, in its order: what a preview shows.
    pub found: Vec<Found>,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Found {
    /// The heading is line 1.
    pub line: u64,
    pub fixture: Fixture,
    pub known: bool,
}

#[derive(Debug)]
pub enum Refused {
    /// Every line that is wrong.
    Lines(Vec<LineProblem>),
    Failed(Failure),
}

/// Reads and checks a table. Creates nothing.
///
/// # Errors
/// `Lines`: the table is not importable, and why.
pub async fn plan(
    records: &Records,
    club: ClubId,
    csv: &[u8],
    prices: Prices,
    fee_policy: FeePolicy,
    now: Timestamp,
) -> Result<Plan, Refused> {
    let contact = records.club(club).await.map_err(Refused::Failed)?.ok_or(Refused::Failed(Failure::NotFound))?;
    let known = records.fixtures(club).await.map_err(Refused::Failed)?;
    let lines = table::read(csv, now).map_err(Refused::Lines)?;
    let is_known = |fixture: &Fixture| {
        known.iter().any(|(home, away, at)| (home, away, at) == (&fixture.home, &fixture.away, &fixture.kick_off))
    };
    let found = lines.into_iter().map(|line| Found {
        line: line.number,
        known: is_known(&line.fixture),
        fixture: line.fixture,
    });
    let found: Vec<Found> = found.collect();
    let new = found.iter().filter(|row| !row.known).map(|row| row.fixture.clone());
    let rows: Vec<NewDraw> = new
        .map(|fixture| NewDraw {
            club,
            league: fixture.league,
            home_team: fixture.home,
            away_team: fixture.away,
            zone: fixture.zone,
            kick_off: fixture.kick_off,
            opens_at: None,
            price: prices.price,
            prize_percentage: prices.prize_percentage,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy,
            contact_name: contact.name.clone(),
            contact_phone: contact.phone.clone().unwrap_or_default(),
        })
        .collect();
    Ok(Plan { known: found.len() - rows.len(), rows, found })
}

/// Creates every draw of a plan or none, and wakes them.
///
/// # Errors
/// The books could not be written.
pub async fn carry_out(records: &Records, draws: &Draws, plan: &Plan) -> Result<Vec<DrawId>, Failure> {
    if plan.rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids = records.create_draws(&plan.rows).await?;
    wake(draws, &ids).await;
    Ok(ids)
}

/// The same under the club's acceptance of the terms of service (decision E-17), and unless one of the games went on sale since
/// the plan was made.
///
/// # Errors
/// The books could not be written.
pub async fn carry_out_agreed(
    records: &Records,
    draws: &Draws,
    club: ClubId,
    plan: &Plan,
    now: Timestamp,
) -> Result<Created, Failure> {
    if plan.rows.is_empty() {
        return Ok(Created::Draws(Vec::new()));
    }
    let created = records.create_draws_agreed(club, &plan.rows, now).await?;
    if let Created::Draws(listings) = &created {
        wake(draws, &listings.iter().map(Listing::id).collect::<Vec<_>>()).await;
    }
    Ok(created)
}

async fn wake(draws: &Draws, ids: &[DrawId]) {
    for id in ids {
        // A draw that cannot be woken now wakes when the first buyer asks.
        if let Err(denied) = draws.wake(*id).await {
            tracing::warn!(draw.id = id.0, %denied, "an imported draw sleeps on");
        }
    }
}
