//! A season's fixtures from a table: validated whole, written whole or not at all. The command line and the API share what reads
//! and checks it; the command line, beside a server that may run or not, writes the rows without waking their draws.

use domain::{Cents, ClubId, FeePolicy, Timestamp};
use persistence::Failure;
use persistence::records::Records;
use persistence::records::clubs::Club;
use persistence::records::draws::NewDraw;

use crate::form::{Findings, contact};

pub mod kick_off;
pub mod moment;
mod table;

pub use table::{Fixture, LineProblem};

/// What every imported draw costs and pays, and whom its buyers ask.
#[derive(Clone, Debug)]
pub struct Common {
    pub price: Cents,
    pub prize_percentage: u8,
    pub fee_policy: FeePolicy,
    pub contact: Contact,
}

/// Stands on every draw's page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    pub name: String,
    pub phone: String,
}

impl Contact {
    /// What is said, checked as the form of a single draw; of what is not said, the club's own.
    ///
    /// # Errors
    /// What is wrong with it, or that the club has no phone of its own.
    pub fn of(club: &Club, name: Option<&str>, phone: Option<&str>) -> Result<Contact, Findings> {
        let own_phone = club.phone.as_deref().unwrap_or_default();
        let mut findings = Findings::default();
        contact(
            &mut findings,
            name,
            phone.or(own_phone.is_empty().then_some("")),
        );
        if findings.first().is_some() {
            return Err(findings);
        }
        let (name, phone) = (name.unwrap_or(&club.name), phone.unwrap_or(own_phone));
        Ok(Contact {
            name: name.trim().to_string(),
            phone: phone.trim().to_string(),
        })
    }
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
    common: &Common,
    now: Timestamp,
) -> Result<Plan, Refused> {
    let known = records.fixtures(club).await.map_err(Refused::Failed)?;
    let lines = table::read(csv, now).map_err(Refused::Lines)?;
    let is_known = |fixture: &Fixture| {
        known.iter().any(|(home, away, at)| {
            (home, away, at) == (&fixture.home, &fixture.away, &fixture.kick_off)
        })
    };
    let found = lines.into_iter().map(|line| Found {
        line: line.number,
        known: is_known(&line.fixture),
        fixture: line.fixture,
    });
    let found: Vec<Found> = found.collect();
    let new = found
        .iter()
        .filter(|row| !row.known)
        .map(|row| row.fixture.clone());
    let rows: Vec<NewDraw> = new
        .map(|fixture| NewDraw {
            club,
            league: fixture.league,
            home_team: fixture.home,
            away_team: fixture.away,
            zone: fixture.zone,
            kick_off: fixture.kick_off,
            opens_at: None,
            price: common.price,
            prize_percentage: common.prize_percentage,
            round_up_prize: false,
            pass_card_fee: false,
            fee_policy: common.fee_policy,
            contact_name: common.contact.name.clone(),
            contact_phone: common.contact.phone.clone(),
        })
        .collect();
    Ok(Plan {
        known: found.len() - rows.len(),
        rows,
        found,
    })
}
