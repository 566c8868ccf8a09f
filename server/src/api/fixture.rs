//! The result of importing fixtures.

use serde::Serialize;
use utoipa::ToSchema;

/// The result of an import, or of a dry run.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixtureImportResult {
    pub dry_run: bool,
    pub found: usize,
    pub already_there: usize,
    pub created: usize,
    pub draw_numbers: Vec<i64>,
    /// Every readable game of the uploaded fixtures table, new or already imported.
    pub rows: Vec<FixtureRow>,
    /// The lines that cannot be read. Their games are not imported.
    pub problems: Vec<FixtureProblem>,
}

/// A line of the fixtures table that cannot be read.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FixtureProblem {
    /// Line number in the file. The heading is line 1.
    pub line: u64,
    pub message: String,
}

/// One game of the uploaded fixtures table.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixtureRow {
    pub line: u64,
    pub league: Option<String>,
    pub home_team: String,
    pub away_team: String,
    pub game_date: String,
    pub timezone: String,
    pub game_time: String,
    pub already_there: bool,
}
