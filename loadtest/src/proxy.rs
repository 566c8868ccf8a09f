//! The fault proxy: the lines between browser, server, Postgres and provider go through our hands, and each of them does, in turn,
//! everything a line can do wrong, while nobody, a crowd, or the last minute's crowd is buying.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use persistence::embedded::Embedded;

use crate::audit::{self, Check};
use crate::browser::Site;
use crate::club::Club;
use crate::fresh;
use crate::house::{CALM_SECONDS_MAX, House};
use crate::plan::Dice;
use crate::report::{Report, Table};
use crate::subject::{self, Subject};
use crate::told::{Told, Verdict};
use cell::{Cell, Phase};
use link::{Link, Onward};
use toxic::{Line, Toxic};

mod cell;
mod control;
mod lie;
mod link;
mod offsets;
mod toxic;

/// Cells between two audits.
const CELLS_TOGETHER: usize = 12;
const CALM: Duration = Duration::from_secs(CALM_SECONDS_MAX);
/// How long a buyer's page tries a call.
const PATIENCE: Duration = Duration::from_secs(40);
/// What a proxy's own 500 makes a page say; the server never said it.
const ODD: &str = "unexpected answer";

#[derive(Args, Clone, Debug)]
pub struct Proxy {
    /// How often the matrix of 12 faults, 3 lines and 3 phases is gone through.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// At most so many cells of each, chosen by the seed.
    #[arg(long, default_value_t = 108)]
    cells: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
}

impl Proxy {
    pub fn page(&self) -> &PathBuf {
        &self.report
    }

    /// Every cell once, in an order of the run's own.
    fn matrix(&self, run: usize) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::new();
        for line in Line::ALL {
            for toxic in Toxic::ALL {
                cells.extend(Phase::ALL.map(|phase| Cell { line, toxic, phase }));
            }
        }
        let mut dice = Dice::of(self.seed, run as u64);
        for last in (1..cells.len()).rev() {
            cells.swap(last, dice.below(last as u64 + 1) as usize);
        }
        cells.truncate(self.cells);
        cells
    }
}

/// Everything that stands for one run: the house, and its three lines.
struct Place {
    house: House,
    /// The site as browsers reach it: over the poisoned line.
    through: Arc<Site>,
    links: Vec<Link>,
    club: Club,
    embedded: Embedded,
}

impl Place {
    async fn open(seed: u64) -> Result<Place> {
        let dir = Subject::folder()?;
        let embedded = Embedded::start(&dir.join("data/postgres")).await?;
        let url = embedded.url();
        let socket_dir = url.split_once("host=").context("a socket's folder")?.1;
        let port = subject::free_port()?;
        let server = Onward::Tcp(([127, 0, 0, 1], port).into());
        let links = vec![
            Link::open(
                Line::Postgres,
                Onward::Unix(PathBuf::from(socket_dir).join(".s.PGSQL.5432")),
                seed,
            )
            .await?,
            Link::open(Line::Provider, server.clone(), seed).await?,
            Link::open(Line::Browser, server, seed).await?,
        ];
        let variables = vec![
            (
                "DATABASE_URL",
                format!(
                    "postgres://app@{}/football_doubles?sslmode=disable",
                    links[0].address
                ),
            ),
            (
                "STRIPE_API_URL",
                format!("http://{}/sandbox/stripe", links[1].address),
            ),
            ("PUBLIC_URL", format!("http://{}", links[2].address)),
        ];
        let house =
            House::with(Subject::start_at(dir, port, variables).await?, 1, PATIENCE).await?;
        let base = format!("http://{}", links[2].address);
        let publishable_key = house.site.publishable_key.clone();
        let started = house.site.started;
        let through = Site {
            provider: base.clone(),
            base,
            started,
            retries: 1,
            patience: PATIENCE,
            publishable_key,
        };
        let club = Club::all(&house.site)
            .await?
            .into_iter()
            .next()
            .context("no club")?;
        Ok(Place {
            house,
            through: Arc::new(through),
            links,
            club,
            embedded,
        })
    }

    async fn close(self) -> Result<()> {
        self.house.subject.lock().await.kill().await?;
        self.embedded.stop().await;
        self.house.close(false).await
    }
}

pub async fn run(proxy: &Proxy) -> Result<Report> {
    let cells: Vec<Cell> = (0..proxy.runs).flat_map(|run| proxy.matrix(run)).collect();
    play_all(&cells, proxy.seed).await
}

async fn play_all(cells: &[Cell], seed: u64) -> Result<Report> {
    let place = Place::open(seed).await?;
    let outcome = play_and_doubt(&place, cells, seed).await;
    place.close().await?;
    outcome
}

/// The cells, and then the control, which spoils the house.
async fn play_and_doubt(place: &Place, cells: &[Cell], seed: u64) -> Result<Report> {
    let mut report = play(place, cells, seed).await?;
    let draw = fresh::draws(&place.house.site, "Control", 1).await?;
    report
        .checks
        .push(control::play(place, draw[0], seed).await?);
    Ok(report)
}

async fn play(place: &Place, cells: &[Cell], seed: u64) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: the fault proxy".to_owned(),
        ..Report::default()
    };
    let draws = fresh::draws(&place.house.site, "Cell", cells.len() + 1).await?;
    let (mut tolds, mut harmless, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    let mut buyers = 0;
    for (number, cell) in cells.iter().enumerate() {
        let before = cell.link(&place.links).harmed();
        let mut came = cell
            .play(place, draws[number], seed.wrapping_add(number as u64))
            .await?;
        if cell.link(&place.links).harmed() == before {
            harmless.push(format!("{cell:?} met nobody"));
        }
        if (cell.line, cell.toxic) == (Line::Browser, Toxic::AnswersError) {
            came.iter_mut()
                .for_each(|told| told.broken.retain(|broken| !broken.contains(ODD)));
        }
        // A page whose answers were swallowed has seen nothing that it could hold the house to.
        came.iter_mut().for_each(|told| {
            told.broken
                .iter_mut()
                .for_each(|broken| *broken = format!("{cell:?}: {broken}"))
        });
        buyers += came.len();
        tolds.append(&mut came);
        if number % CELLS_TOGETHER == CELLS_TOGETHER - 1 {
            println!("{} of {} cells", number + 1, cells.len());
            judge(place, std::mem::take(&mut tolds), CALM, &mut checks).await?;
        }
    }
    let cut = offsets::play(place, draws[cells.len()], &mut tolds).await?;
    judge(place, tolds, CALM, &mut checks).await?;
    checks.push(Check::new(
        "every poisoned line met somebody",
        cells.len(),
        harmless,
    ));
    report.fact("seed", seed);
    report.fact("cells", cells.len());
    report.fact("buyers", buyers);
    report.fact(
        "finish calls cut by RST",
        format!("{cut}, one every {} ms", offsets::STEP_MS),
    );
    report.fact(
        "violations",
        checks.iter().map(|check| check.broken.len()).sum::<usize>(),
    );
    report.tables.push(harmed(place));
    report.checks = checks;
    Ok(report)
}

fn harmed(place: &Place) -> Table {
    let mut table = Table::new("What the lines did", &["", "pieces harmed"]);
    for link in &place.links {
        table.row([format!("{:?}", link.line), link.harmed().to_string()]);
    }
    table
}

/// Asks both witnesses about everybody of the last cells, after as much calm as they need but no more than `calm`, and reads the
/// books.
async fn judge(
    place: &Place,
    tolds: Vec<Told>,
    calm: Duration,
    checks: &mut Vec<Check>,
) -> Result<()> {
    place
        .house
        .subject
        .lock()
        .await
        .ready(Duration::from_secs(60))
        .await?;
    let (settled, _) = audit::settle(&place.house.site, &tolds, calm).await?;
    let mut found = audit::promises(&tolds, &settled);
    let mut books = Report::default();
    let access = place.house.subject.lock().await.access();
    crate::books::examine(
        &place.house.site,
        access.as_ref(),
        place.house.known(),
        &mut books,
    )
    .await?;
    found.extend(books.checks);
    for mut check in found {
        match checks.iter_mut().find(|known| known.name == check.name) {
            Some(known) => {
                known.looked_at += check.looked_at;
                known.broken.append(&mut check.broken);
            }
            None => checks.push(check),
        }
    }
    Ok(())
}

/// Told nothing yet, and gone.
fn left(buyer: usize) -> Told {
    Told {
        verdict: Verdict::LeftAfterPaying,
        ..Told::nothing(buyer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worst of the matrix, in a minute; `loadtest proxy` goes through all of it.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_worst_a_line_can_do_wrongs_nobody() {
        let cell = |line, toxic, phase| Cell { line, toxic, phase };
        let worst = [
            cell(Line::Postgres, Toxic::HalfOpen, Phase::Rush),
            cell(Line::Postgres, Toxic::Doubled, Phase::Rush),
            cell(Line::Postgres, Toxic::ResetAfter, Phase::Closing),
            cell(Line::Provider, Toxic::ResetAfter, Phase::Rush),
            cell(Line::Provider, Toxic::AnswersError, Phase::Closing),
            cell(Line::Browser, Toxic::ResetAfter, Phase::Rush),
            cell(Line::Browser, Toxic::Doubled, Phase::Closing),
        ];
        let report = play_all(&worst, 1).await.expect("it plays");
        println!("{}", report.to_text());
        assert!(report.passed(), "{}", report.to_text());
    }

    #[test]
    fn the_matrix_has_every_cell_once() {
        let proxy = Proxy {
            runs: 1,
            cells: 108,
            seed: 7,
            report: PathBuf::new(),
        };
        let cells: std::collections::BTreeSet<_> = proxy.matrix(0).into_iter().collect();
        assert_eq!(cells.len(), 12 * 3 * 3);
        assert_ne!(proxy.matrix(0), proxy.matrix(1));
    }
}
