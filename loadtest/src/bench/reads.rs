//! Measures reads, compared with an actix server that sends the same bytes from memory. Also
//! measures refused purchases, compared with a constant response.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use persistence::auditor::Auditor;
use tokio::task::JoinSet;

use super::comparison::{BetterDirection, Comparison};
use super::http_connection::HttpConnection;
use super::{BenchContext, purchase_client, purchases, rival};
use crate::draw_creation;

/// Number of connections that read at the same time.
const READER_COUNT: usize = 64;

/// Stores responses of the product as files, so that the rival can send the same bytes. Returns the
/// name and path of each.
pub async fn save_product_responses(
    product_address: &str,
    draw: i64,
    folder: &std::path::Path,
) -> Result<Vec<(&'static str, String)>> {
    let paths = vec![
        ("active", "/api/draws/active".to_owned()),
        ("page", format!("/draw/{draw}")),
        ("tickets", format!("/api/draws/{draw}/tickets")),
    ];
    let mut connection = HttpConnection::open(product_address).await?;
    for (name, path) in &paths {
        let request = connection.build_get_request(path);
        let reply = connection.send_request(&request).await?;
        ensure!(reply.status == 200, "{path} answered {}", reply.status);
        std::fs::write(folder.join(name), reply.body)?;
    }
    let frame = super::board_sockets::fetch_first_frame(
        product_address,
        &format!("/ws?topics=draw:{draw}"),
    )
    .await?;
    std::fs::write(folder.join(rival::FRAME_FILE_NAME), frame)?;
    Ok(paths)
}

impl BenchContext<'_> {
    pub(super) async fn compare_reads_with_rival(
        &self,
        paths: &[(&'static str, String)],
    ) -> Result<Vec<Comparison>> {
        let mut comparisons = Vec::new();
        for (name, path) in paths {
            let shown = path.split('/').map(|part| {
                if part.parse::<i64>().is_ok() {
                    "{n}"
                } else {
                    part
                }
            });
            let what = format!("GET {}", shown.collect::<Vec<_>>().join("/"));
            let mut comparison = Comparison::new(
                what,
                "a second",
                "actix, the same bytes prepared",
                BetterDirection::Higher,
            )
            .with_ratio_goal(0.95);
            for _ in 0..self.bench.rounds {
                let ours = self
                    .responses_per_second(
                        &self.product_address,
                        |connection| connection.build_get_request(path),
                        200,
                    )
                    .await?;
                let rival_figure = self
                    .responses_per_second(
                        &self.rival.http,
                        |connection| connection.build_get_request(&format!("/{name}")),
                        200,
                    )
                    .await?;
                comparison.add_round(ours, rival_figure);
            }
            comparisons.push(comparison);
        }
        Ok(comparisons)
    }

    /// Measures refused purchases in a sold-out draw: their rate, and how many database
    /// transactions a thousand of them cause.
    pub(super) async fn measure_refusals(&self) -> Result<Vec<Comparison>> {
        let draw = draw_creation::create_test_draws(&self.test_run.site, "Full", 1)
            .await?
            .pop()
            .context("a draw to sell out")?;
        let sold = purchase_client::run_sale(
            &self.product_address,
            self.bench.buyers,
            purchases::sale_of_whole_draw(draw),
            self.product_client(1),
        )
        .await?;
        ensure!(
            sold.took_ms.len() == purchase_client::TICKETS_PER_DRAW,
            "the draw is not sold out"
        );
        let (path, body) = self.product_client(1).create_intent_request(draw);
        let auditor = Auditor::open(&self.database).await?;
        let mut comparison = Comparison::new(
            "refusals on a sold-out draw",
            "a second",
            "actix, a greeting",
            BetterDirection::Higher,
        )
        .with_ratio_goal(0.7);
        let mut commits = Comparison::with_fixed_goal(
            "database transactions in 1,000 refusals",
            "",
            BetterDirection::Lower,
            1.0,
        );
        for _ in 0..self.bench.rounds {
            self.meter.wait_until_idle().await?;
            // Background work causes transactions too. Their rate is first measured without
            // requests, and then subtracted.
            let seconds = Duration::from_secs(self.bench.seconds.max(2));
            let idle = auditor.transaction_count().await?;
            tokio::time::sleep(seconds).await;
            let (before, started_at) = (auditor.transaction_count().await?, Instant::now());
            let idle = (before - idle) as f64 / seconds.as_secs_f64();
            let ours = self
                .responses_per_second(
                    &self.product_address,
                    |connection| connection.build_post_request(path, "application/json", "", &body),
                    409,
                )
                .await?;
            let answers = ours * started_at.elapsed().as_secs_f64();
            let others = idle * started_at.elapsed().as_secs_f64();
            commits.add_product_figure(
                ((auditor.transaction_count().await? - before) as f64 - others).max(0.0) * 1000.0
                    / answers,
            );
            comparison.add_round(
                ours,
                self.responses_per_second(
                    &self.rival.http,
                    |connection| connection.build_get_request("/hello"),
                    200,
                )
                .await?,
            );
        }
        Ok(vec![comparison, commits])
    }

    /// Returns the responses per second of all readers together, for one request.
    async fn responses_per_second(
        &self,
        authority: &str,
        request: impl Fn(&HttpConnection) -> Vec<u8>,
        status: u16,
    ) -> Result<f64> {
        let seconds = Duration::from_secs(self.bench.seconds);
        let mut readers = JoinSet::new();
        let mut connections = Vec::with_capacity(READER_COUNT);
        for _ in 0..READER_COUNT {
            connections.push(HttpConnection::open(authority).await?);
        }
        let started_at = Instant::now();
        for mut connection in connections {
            let request = request(&connection);
            readers.spawn(async move {
                let mut answers = 0_usize;
                while started_at.elapsed() < seconds {
                    let answered = connection.send_request(&request).await?.status;
                    ensure!(answered == status, "answered {answered}, not {status}");
                    answers += 1;
                }
                Ok(answers)
            });
        }
        let mut answers = 0;
        while let Some(reader) = readers.join_next().await {
            answers += reader??;
        }
        Ok(answers as f64 / started_at.elapsed().as_secs_f64())
    }
}
