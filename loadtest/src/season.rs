//! A whole season, round by round. A real list of fixtures becomes draws of several clubs, and the
//! demo's clock moves from round to round. Every game sells tickets, closes at kick-off and gets
//! its result. Then the prize is verified, notified, claimed and paid.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use time::OffsetDateTime;

use crate::browser::Browser;
use crate::club::Club;
use crate::faults::{self, SandboxFaults};
use crate::fixtures::{self, Fixture};
use crate::report::Report;
use crate::test_run::TestRun;

mod mails;
mod operator;
mod prizes;
mod rounds;
mod season_audit;

use operator::Operator;

const TICKET_PRICE_CENTS: i64 = 500;
const PRIZE_PERCENT: u8 = 50;
/// Minimum time between two kick-offs that belong to different rounds.
const ROUND_GAP_MIN: Duration = Duration::from_secs(40 * 3600);

#[derive(Args, Clone, Debug)]
pub struct SeasonArgs {
    /// CSV file with the list of fixtures:
    /// `match_id,round,date,kick_off,timezone,home_team,away_team,…,home_try_scorer_jerseys`,….
    file: PathBuf,
    /// Number of buyers in all rounds together.
    #[arg(long, default_value_t = 3000)]
    buyers: usize,
    /// Number of rounds to play, from the first. Three rounds contain everything that happens in a
    /// season. By default all are played.
    #[arg(long)]
    rounds: Option<usize>,
    /// Enters results with which a sold ticket wins, instead of the results in the file.
    #[arg(long)]
    sold_tickets_win: bool,
    #[arg(long, default_value_t = 1)]
    retries: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum number of buyers who shop at the same time.
    #[arg(long, default_value_t = 40)]
    at_once: usize,
    /// Address of a running server. Without it, a server is started and stopped.
    #[arg(long)]
    base: Option<String>,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
    /// Keeps the folder of the server that was started.
    #[arg(long)]
    keep: bool,
}

impl SeasonArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }
}

/// A game whose tickets are on sale, with its draw.
pub struct Game {
    draw: i64,
    club: usize,
    fixture: Fixture,
}

impl Game {
    fn kick_off(&self) -> Result<OffsetDateTime> {
        self.fixture.kick_off_instant()
    }
}

pub async fn run_subcommand(season: &SeasonArgs) -> Result<Report> {
    let csv = std::fs::read_to_string(&season.file)
        .with_context(|| format!("reading {}", season.file.display()))?;
    run_season_from_csv(season, &csv).await
}

async fn run_season_from_csv(season: &SeasonArgs, csv: &str) -> Result<Report> {
    let test_run = TestRun::open(
        season.base.as_deref(),
        season.retries,
        Duration::from_secs(60),
    )
    .await?;
    let outcome = run_season(&test_run, season, csv).await;
    test_run.close(season.keep).await?;
    outcome
}

async fn run_season(test_run: &TestRun, season: &SeasonArgs, csv: &str) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: a season".to_owned(),
        ..Report::default()
    };
    let clubs = Club::log_in_all(&test_run.site).await?;
    let operator = Operator::open(&test_run.site)?;
    let rounds = split_into_rounds(fixtures::read_fixtures(csv)?, season.rounds)?;
    let mut games = import_games(&clubs, &rounds, operator.advance_clock(0).await?).await?;
    report.add_fact("seed", season.seed);
    report.add_fact("rounds", rounds.len());
    report.add_fact("games", games.len());
    report.add_fact(
        "clubs",
        clubs
            .iter()
            .map(|club| club.name.clone())
            .collect::<Vec<_>>()
            .join(", "),
    );
    report.add_fact("buyers", season.buyers);
    let provider = Browser::open(Arc::clone(&test_run.site), season.seed)?;
    faults::set_sandbox_faults(&provider, season.seed, SandboxFaults::webhook_faults()).await?;
    let sizes: Vec<usize> = rounds.iter().map(Vec::len).collect();
    let mut played = rounds::SeasonProgress::new(test_run, season, &clubs).await?;
    let mut first = 0;
    for (round, size) in sizes.into_iter().enumerate() {
        let now = played
            .play_round(&operator, &mut games, first..first + size, round)
            .await?;
        played
            .prizes
            .settle_claims_after_expiry(&games, now)
            .await?;
        first += size;
    }
    // Eight days later, the claim links of winners who do not respond have expired.
    let now = operator.advance_clock(8 * 86_400).await?;
    played
        .prizes
        .settle_claims_after_expiry(&games, now)
        .await?;
    faults::set_sandbox_faults(&provider, season.seed, SandboxFaults::default()).await?;
    report.add_fact(
        "rounds took",
        format!("{:.0} s", test_run.site.elapsed().as_secs_f64()),
    );
    season_audit::audit_finished_season(test_run, &operator, &clubs, &games, played, &mut report)
        .await?;
    Ok(report)
}

/// Sorts games by kick-off, and starts a new round where the time between two games exceeds
/// `ROUND_GAP_MIN`.
fn split_into_rounds(mut list: Vec<Fixture>, most: Option<usize>) -> Result<Vec<Vec<Fixture>>> {
    let mut timed = list
        .drain(..)
        .map(|game| Ok((game.kick_off_instant()?, game)))
        .collect::<Result<Vec<_>>>()?;
    timed.sort_by_key(|(kick_off, _)| *kick_off);
    let mut rounds: Vec<Vec<Fixture>> = Vec::new();
    let mut last: Option<OffsetDateTime> = None;
    for (kick_off, game) in timed {
        match rounds
            .last_mut()
            .filter(|_| last.is_some_and(|last| kick_off - last < ROUND_GAP_MIN))
        {
            Some(round) => round.push(game),
            None => rounds.push(vec![game]),
        }
        last = Some(kick_off);
    }
    rounds.truncate(most.unwrap_or(usize::MAX).max(1));
    Ok(rounds)
}

/// Imports every game for the club that stands for its home team. Returns the games sorted by
/// kick-off.
async fn import_games(
    clubs: &[Club],
    rounds: &[Vec<Fixture>],
    now: OffsetDateTime,
) -> Result<Vec<Game>> {
    let mut list: Vec<Fixture> = rounds.concat();
    fixtures::shift_to_future(&mut list, now.date());
    let mut teams: Vec<String> = list.iter().map(|fixture| fixture.home.clone()).collect();
    teams.sort();
    teams.dedup();
    let club_of: HashMap<String, usize> = teams
        .into_iter()
        .enumerate()
        .map(|(index, team)| (team, index % clubs.len()))
        .collect();
    let mut draws: HashMap<usize, i64> = HashMap::new();
    for (index, club) in clubs.iter().enumerate() {
        let club_games: Vec<usize> = (0..list.len())
            .filter(|game| club_of[&list[*game].home] == index)
            .collect();
        if club_games.is_empty() {
            continue;
        }
        let csv = fixtures::to_import_csv(club_games.iter().map(|game| &list[*game]), "NRL")?;
        let created = club
            .import_fixtures(csv, TICKET_PRICE_CENTS, PRIZE_PERCENT)
            .await?;
        ensure!(
            created.len() == club_games.len(),
            "{}: {} of {} games imported",
            club.name,
            created.len(),
            club_games.len()
        );
        draws.extend(club_games.into_iter().zip(created));
    }
    let games = list.into_iter().enumerate();
    Ok(games
        .map(|(game, fixture)| Game {
            draw: draws[&game],
            club: club_of[&fixture.home],
            fixture,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_split_at_long_gaps() {
        let csv = "date,kick_off,timezone,home_team,away_team\n\
            2024-03-14,20:00,Australia/Sydney,A,B\n2024-03-07,20:00,Australia/Sydney,C,D\n\
            2024-03-08,20:05,Pacific/Auckland,E,F\n";
        let rounds = split_into_rounds(fixtures::read_fixtures(csv).unwrap(), None).unwrap();
        assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(rounds[0][0].home, "C");
        assert_eq!(
            split_into_rounds(fixtures::read_fixtures(csv).unwrap(), Some(1))
                .unwrap()
                .len(),
            1
        );
    }

    /// Fixtures of three rounds with five games each. The second round is postponed, and the first
    /// game of the third is abandoned.
    const SMALL_SEASON_CSV: &str = "date,kick_off,timezone,home_team,away_team\n\
        2024-03-07,20:00,Australia/Sydney,A,B\n2024-03-08,20:05,Pacific/Auckland,C,D\n\
        2024-03-14,20:00,Australia/Sydney,B,A\n\
        2024-03-21,20:00,Australia/Brisbane,A,C\n2024-03-22,18:00,Australia/Sydney,D,B\n";

    /// Plays a small season against a server process, with all final checks. In each game a sold
    /// ticket wins. The second winner does not respond.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn small_season_notifies_and_pays_each_winner_once() {
        let season = SeasonArgs {
            file: PathBuf::new(),
            buyers: 60,
            rounds: None,
            sold_tickets_win: true,
            retries: 1,
            seed: 1,
            at_once: 20,
            base: None,
            report: PathBuf::new(),
            keep: false,
        };
        let report = run_season_from_csv(&season, SMALL_SEASON_CSV)
            .await
            .expect("it plays");
        println!("{}", report.to_text());
        assert!(report.has_passed(), "{}", report.to_text());
        let fact = |name: &str| {
            report
                .facts
                .iter()
                .find(|fact| fact.0 == name)
                .map(|fact| fact.1.clone())
        };
        let count = |name: &str| fact(name).and_then(|count| count.parse::<usize>().ok());
        assert_eq!(count("games with a result"), Some(4));
        assert_eq!(count("sold winners"), Some(4));
        assert_eq!(count("claimed by link"), Some(3));
        assert_eq!(
            count("let seven days pass, paid by way of the club"),
            Some(1)
        );
    }
}
