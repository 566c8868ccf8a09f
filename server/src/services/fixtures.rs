//! Imports a season's fixtures from a CSV table. The table is checked line by line, and the draws of
//! one import are written together or not at all. The command line and the API share the parsing
//! and checking.
//! The command line writes rows without starting draw actors, because no server may be running.

use std::collections::HashSet;

use domain::{Cents, ClubId, FeePolicy, Timestamp};
use persistence::Failure;
use persistence::records::Records;
use persistence::records::clubs::Club;
use persistence::records::draws::DrawToCreate;

use crate::api::form::{FormErrors, check_contact};

mod fixture_table;
pub mod kick_off;
pub mod kick_off_parser;
mod written_values;

pub use fixture_table::{Fixture, LineProblem};

/// Price, prize and contact that all imported draws share.
#[derive(Clone, Debug)]
pub struct ImportedDrawTerms {
    pub price: Cents,
    pub prize_percentage: u8,
    pub fee_policy: FeePolicy,
    pub contact: Contact,
}

/// The contact shown to buyers on the page of every imported draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contact {
    pub name: String,
    pub phone: String,
}

impl Contact {
    /// Builds the contact from the given name and phone, with the same checks as the draw form. A
    /// missing part is taken from the club.
    ///
    /// # Errors
    ///
    /// The given contact is invalid, or the club has no phone.
    pub fn from_input_or_club(
        club: &Club,
        name: Option<&str>,
        phone: Option<&str>,
    ) -> Result<Contact, FormErrors> {
        let own_phone = club.phone.as_deref().unwrap_or_default();
        let mut findings = FormErrors::default();
        check_contact(
            &mut findings,
            name,
            phone.or(own_phone.is_empty().then_some("")),
        );
        if findings.first_message().is_some() {
            return Err(findings);
        }
        let (name, phone) = (name.unwrap_or(&club.name), phone.unwrap_or(own_phone));
        Ok(Contact {
            name: name.trim().to_string(),
            phone: phone.trim().to_string(),
        })
    }
}

/// Maximum number of rows in one fixtures table.
pub const TABLE_ROWS_MAX: usize = 2000;
/// Maximum number of columns in one row. A league's export has about twenty.
const TABLE_COLUMNS_MAX: usize = 100;
/// Maximum number of bytes in one field of the table, checked before the field is parsed.
const TABLE_FIELD_BYTES_MAX: usize = 500;

/// The result of checking a fixtures table: the draws that an import would create.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    pub rows: Vec<DrawToCreate>,
    /// Number of rows whose game is already a draw of this club, with the same teams and kick-off.
    /// Such rows are skipped, so that a repeated import creates no duplicates.
    pub known: usize,
    /// Every readable row of the fixtures table in order, for a preview.
    pub found: Vec<ImportRow>,
    /// The lines that cannot be read, with the reasons. Their games are not imported.
    pub problems: Vec<LineProblem>,
}

/// A row of the fixtures table, with the game that it describes.
#[derive(Clone, Debug)]
pub struct ImportRow {
    /// Line number in the file. The heading is line 1.
    pub line: u64,
    pub fixture: Fixture,
    pub known: bool,
}

/// Why a fixtures table was refused.
#[derive(Debug)]
pub enum ImportRefusal {
    /// All invalid lines of the table, with the reasons.
    Lines(Vec<LineProblem>),
    Failed(Failure),
}

/// Parses and checks a fixtures table. Creates no draw.
///
/// # Errors
///
/// `Lines` when the table as a whole cannot be read, or the database could not be read.
pub async fn plan_import(
    records: &Records,
    club: ClubId,
    csv: &[u8],
    common: &ImportedDrawTerms,
    now: Timestamp,
) -> Result<ImportPlan, ImportRefusal> {
    let existing = records
        .club_fixtures(club)
        .await
        .map_err(ImportRefusal::Failed)?;
    let table = fixture_table::parse(csv, now).map_err(ImportRefusal::Lines)?;
    let existing: HashSet<(&str, &str, Timestamp)> = existing
        .iter()
        .map(|(home, away, at)| (home.as_str(), away.as_str(), *at))
        .collect();
    let is_known = |fixture: &Fixture| {
        existing.contains(&(
            fixture.home.as_str(),
            fixture.away.as_str(),
            fixture.kick_off,
        ))
    };
    let found = table.lines.into_iter().map(|line| ImportRow {
        line: line.number,
        known: is_known(&line.fixture),
        fixture: line.fixture,
    });
    let found: Vec<ImportRow> = found.collect();
    let new = found
        .iter()
        .filter(|row| !row.known)
        .map(|row| row.fixture.clone());
    let rows: Vec<DrawToCreate> = new
        .map(|fixture| DrawToCreate {
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
    Ok(ImportPlan {
        known: found.len() - rows.len(),
        rows,
        found,
        problems: table.problems,
    })
}
