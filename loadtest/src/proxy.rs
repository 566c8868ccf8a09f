//! The fault proxy. All traffic between browser, server, Postgres and provider passes through it.
//! Each link is disturbed by every kind of fault in turn: with few buyers, with a crowd, and while
//! sales close.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use persistence::embedded::EmbeddedPostgres;

use crate::audit::{self, AuditCheck};
use crate::browser::RunSettings;
use crate::club::Club;
use crate::crowd_plan::SeededRng;
use crate::draw_creation;
use crate::report::{Report, Table};
use crate::server_process::{self, ServerProcess};
use crate::test_run::{FINAL_OUTCOME_SECONDS_MAX, TestRun};
use crate::transcript::{BuyerTranscript, PurchaseVerdict};
use link::{Link, Upstream};
use matrix_cell::{MatrixCell, SalePhase};
use toxic::{LinkKind, Toxic};

mod connection_resets;
mod false_captures;
mod link;
mod matrix_cell;
mod negative_control;
mod toxic;

/// Number of cells of the test matrix between two audits.
const MATRIX_CELLS_PER_AUDIT: usize = 12;
const FINAL_OUTCOME_TIMEOUT: Duration = Duration::from_secs(FINAL_OUTCOME_SECONDS_MAX);
/// How long the page of a buyer retries one call.
const RETRY_TIMEOUT: Duration = Duration::from_secs(40);
/// Message in the transcript of a buyer who got the 500 that the proxy itself sent. Such a 500 is
/// no failure of the server.
const UNEXPECTED_ANSWER: &str = "unexpected answer";

#[derive(Args, Clone, Debug)]
pub struct ProxyArgs {
    /// How often the whole matrix of 12 faults, 3 links and 3 phases is tested.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Maximum number of cells of the matrix in each run. The seed determines which.
    #[arg(long, default_value_t = 108)]
    cells: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "report.html")]
    report: PathBuf,
}

impl ProxyArgs {
    pub fn report_file(&self) -> &PathBuf {
        &self.report
    }

    /// Returns every cell of the matrix once, in a random order that depends on seed and run.
    fn shuffled_matrix_cells(&self, run: usize) -> Vec<MatrixCell> {
        let mut cells: Vec<MatrixCell> = Vec::new();
        for link_kind in LinkKind::ALL {
            for toxic in Toxic::ALL {
                cells.extend(SalePhase::ALL.map(|phase| MatrixCell {
                    link_kind,
                    toxic,
                    phase,
                }));
            }
        }
        let mut rng = SeededRng::new(self.seed, run as u64);
        for last in (1..cells.len()).rev() {
            cells.swap(last, rng.random_below(last as u64 + 1) as usize);
        }
        cells.truncate(self.cells);
        cells
    }
}

/// Everything that a run through the fault proxy needs: server, links and settings.
struct ProxyRun {
    test_run: TestRun,
    /// Settings of browsers that reach the server through the proxy.
    proxied_site: Arc<RunSettings>,
    links: Vec<Link>,
    club: Club,
    embedded: EmbeddedPostgres,
}

impl ProxyRun {
    async fn open(seed: u64) -> Result<ProxyRun> {
        let dir = ServerProcess::create_folder()?;
        let embedded = EmbeddedPostgres::start(&dir.join("data/postgres")).await?;
        let url = embedded.url();
        let socket_dir = url
            .split_once("host=")
            .context("the socket folder of Postgres")?
            .1;
        let port = server_process::free_port()?;
        let server = Upstream::Tcp(([127, 0, 0, 1], port).into());
        let links = vec![
            Link::open(
                LinkKind::Postgres,
                Upstream::Unix(PathBuf::from(socket_dir).join(".s.PGSQL.5432")),
                seed,
            )
            .await?,
            Link::open(LinkKind::Provider, server.clone(), seed).await?,
            Link::open(LinkKind::Browser, server, seed).await?,
        ];
        let variables = vec![
            (
                "FD_DEMO_DATABASE_URL",
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
        let test_run = TestRun::with_server(
            ServerProcess::start_on_port(dir, port, variables).await?,
            1,
            RETRY_TIMEOUT,
        )
        .await?;
        let base = format!("http://{}", links[2].address);
        let publishable_key = test_run.site.publishable_key.clone();
        let started = test_run.site.started;
        let proxied_site = RunSettings {
            provider: base.clone(),
            base,
            started,
            retries: 1,
            retry_timeout: RETRY_TIMEOUT,
            publishable_key,
        };
        let club = Club::log_in_all(&test_run.site)
            .await?
            .into_iter()
            .next()
            .context("no club")?;
        Ok(ProxyRun {
            test_run,
            proxied_site: Arc::new(proxied_site),
            links,
            club,
            embedded,
        })
    }

    async fn close(self) -> Result<()> {
        self.test_run.server_process.lock().await.kill().await?;
        self.embedded.stop().await;
        self.test_run.close(false).await
    }
}

pub async fn run_subcommand(proxy: &ProxyArgs) -> Result<Report> {
    let cells: Vec<MatrixCell> = (0..proxy.runs)
        .flat_map(|run| proxy.shuffled_matrix_cells(run))
        .collect();
    test_matrix_on_new_server(&cells, proxy.seed).await
}

async fn test_matrix_on_new_server(cells: &[MatrixCell], seed: u64) -> Result<Report> {
    let proxy_run = ProxyRun::open(seed).await?;
    let outcome = test_matrix_and_negative_control(&proxy_run, cells, seed).await;
    proxy_run.close().await?;
    outcome
}

/// Tests the cells of the fault matrix, and then runs the negative control: a fault that the checks
/// must report. The control comes last, because it makes the server's data useless.
async fn test_matrix_and_negative_control(
    proxy_run: &ProxyRun,
    cells: &[MatrixCell],
    seed: u64,
) -> Result<Report> {
    let mut report = test_matrix_cells(proxy_run, cells, seed).await?;
    let draw = draw_creation::create_test_draws(&proxy_run.test_run.site, "Control", 1).await?;
    report
        .checks
        .push(negative_control::run_negative_control(proxy_run, draw[0], seed).await?);
    Ok(report)
}

async fn test_matrix_cells(
    proxy_run: &ProxyRun,
    cells: &[MatrixCell],
    seed: u64,
) -> Result<Report> {
    let mut report = Report {
        title: "Football Doubles: the fault proxy".to_owned(),
        ..Report::default()
    };
    let draws =
        draw_creation::create_test_draws(&proxy_run.test_run.site, "Cell", cells.len() + 1).await?;
    let (mut transcripts, mut unaffected, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    let mut buyers = 0;
    for (number, cell) in cells.iter().enumerate() {
        let before = cell.link(&proxy_run.links).affected_piece_count();
        let mut cell_transcripts = cell
            .run_matrix_cell(proxy_run, draws[number], seed.wrapping_add(number as u64))
            .await?;
        if cell.link(&proxy_run.links).affected_piece_count() == before {
            unaffected.push(format!("{cell:?} affected no traffic"));
        }
        if (cell.link_kind, cell.toxic) == (LinkKind::Browser, Toxic::AnswersError) {
            for transcript in &mut cell_transcripts {
                transcript
                    .failures
                    .retain(|failures| !failures.contains(UNEXPECTED_ANSWER));
            }
        }
        // Puts the name of the cell before each failure.
        for transcript in &mut cell_transcripts {
            for failure in &mut transcript.failures {
                *failure = format!("{cell:?}: {failure}");
            }
        }
        buyers += cell_transcripts.len();
        transcripts.append(&mut cell_transcripts);
        if number % MATRIX_CELLS_PER_AUDIT == MATRIX_CELLS_PER_AUDIT - 1 {
            println!("{} of {} cells", number + 1, cells.len());
            audit_matrix_cells(
                proxy_run,
                std::mem::take(&mut transcripts),
                FINAL_OUTCOME_TIMEOUT,
                &mut checks,
            )
            .await?;
        }
    }
    let cut = connection_resets::reset_connections_during_completion(
        proxy_run,
        draws[cells.len()],
        &mut transcripts,
    )
    .await?;
    audit_matrix_cells(proxy_run, transcripts, FINAL_OUTCOME_TIMEOUT, &mut checks).await?;
    checks.push(AuditCheck::new(
        "every disturbed link affected some traffic",
        cells.len(),
        unaffected,
    ));
    report.add_fact("seed", seed);
    report.add_fact("cells", cells.len());
    report.add_fact("buyers", buyers);
    report.add_fact(
        "finish calls cut by RST",
        format!("{cut}, one every {} ms", connection_resets::RESET_STEP_MS),
    );
    report.add_fact(
        "violations",
        checks
            .iter()
            .map(|check| check.failures.len())
            .sum::<usize>(),
    );
    report.tables.push(affected_pieces_table(proxy_run));
    report.checks = checks;
    Ok(report)
}

fn affected_pieces_table(proxy_run: &ProxyRun) -> Table {
    let mut table = Table::new("What the links did", &["", "pieces affected"]);
    for link in &proxy_run.links {
        table.add_row([
            format!("{:?}", link.kind),
            link.affected_piece_count().to_string(),
        ]);
    }
    table
}

/// Checks all buyers of the cells since the last audit, and audits the database. Waits for
/// undecided payments for at most `settle_timeout`.
async fn audit_matrix_cells(
    proxy_run: &ProxyRun,
    transcripts: Vec<BuyerTranscript>,
    settle_timeout: Duration,
    checks: &mut Vec<AuditCheck>,
) -> Result<()> {
    proxy_run
        .test_run
        .server_process
        .lock()
        .await
        .wait_until_ready(Duration::from_secs(60))
        .await?;
    let (settled, _) =
        audit::wait_for_final_outcomes(&proxy_run.test_run.site, &transcripts, settle_timeout)
            .await?;
    let mut new_checks = audit::check_transcripts(&transcripts, &settled);
    let mut database_report = Report::default();
    let access = proxy_run
        .test_run
        .server_process
        .lock()
        .await
        .database_access();
    crate::database_audit::audit_database(
        &proxy_run.test_run.site,
        access.as_ref(),
        proxy_run.test_run.initial_anomalies(),
        &mut database_report,
    )
    .await?;
    new_checks.extend(database_report.checks);
    for mut check in new_checks {
        match checks.iter_mut().find(|known| known.name == check.name) {
            Some(known) => {
                known.examined += check.examined;
                known.failures.append(&mut check.failures);
            }
            None => checks.push(check),
        }
    }
    Ok(())
}

/// Returns the transcript of a buyer who left after paying, and who was told nothing.
fn transcript_left_after_paying(buyer: usize) -> BuyerTranscript {
    BuyerTranscript {
        verdict: PurchaseVerdict::LeftAfterPaying,
        ..BuyerTranscript::empty(buyer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a sale under each of these faults of one link, on a server of its own. The tests play only
    /// the most dangerous cells of the matrix; the command `loadtest proxy` plays all.
    async fn assert_sale_passes_audit(link_kind: LinkKind, faults: &[(Toxic, SalePhase)]) {
        let cells: Vec<_> = faults
            .iter()
            .map(|&(toxic, phase)| MatrixCell {
                link_kind,
                toxic,
                phase,
            })
            .collect();
        let report = test_matrix_on_new_server(&cells, 1)
            .await
            .expect("it plays");
        println!("{}", report.to_text());
        assert!(report.has_passed(), "{}", report.to_text());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sale_passes_audit_under_worst_faults_of_postgres_link() {
        let faults = [
            (Toxic::HalfOpen, SalePhase::Rush),
            (Toxic::Doubled, SalePhase::Rush),
            (Toxic::ResetAfter, SalePhase::Closing),
        ];
        assert_sale_passes_audit(LinkKind::Postgres, &faults).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sale_passes_audit_under_worst_faults_of_provider_link() {
        let faults = [
            (Toxic::ResetAfter, SalePhase::Rush),
            (Toxic::AnswersError, SalePhase::Closing),
        ];
        assert_sale_passes_audit(LinkKind::Provider, &faults).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sale_passes_audit_under_worst_faults_of_browser_link() {
        let faults = [
            (Toxic::ResetAfter, SalePhase::Rush),
            (Toxic::Doubled, SalePhase::Closing),
        ];
        assert_sale_passes_audit(LinkKind::Browser, &faults).await;
    }

    #[test]
    fn matrix_contains_every_cell_once() {
        let proxy = ProxyArgs {
            runs: 1,
            cells: 108,
            seed: 7,
            report: PathBuf::new(),
        };
        let cells: std::collections::BTreeSet<_> =
            proxy.shuffled_matrix_cells(0).into_iter().collect();
        assert_eq!(cells.len(), 12 * 3 * 3);
        assert_ne!(
            proxy.shuffled_matrix_cells(0),
            proxy.shuffled_matrix_cells(1)
        );
    }
}
