//! Measures how fast a sale reaches many boards, compared with simple broadcasts, and the delay of
//! frames during a sale.

use std::time::Duration;

use anyhow::Result;

use super::BenchContext;
use super::board_sockets::BoardSockets;
use super::comparison::{BetterDirection, Comparison};
use super::http_connection::HttpConnection;
use super::purchase_client::{self, PurchaseClient, Sale, TICKETS_PER_DRAW};
use crate::draw_creation;
use crate::latency::Percentiles;

/// Pause before a measurement, so that all earlier frames have arrived at the boards. It is longer
/// than two publish intervals of the server.
const PAUSE_BEFORE_MEASUREMENT: Duration = Duration::from_millis(600);
/// Number of measurements with each number of open boards. The median is the result.
const MEASUREMENTS_PER_BOARD_COUNT: usize = 3;
const MEMORY_PER_BOARD_SOCKET_KB_MAX: f64 = 14.0;
/// Minimum number of purchases per second while boards are connected.
const PURCHASES_PER_SECOND_MIN: f64 = 2_000.0;
/// Maximum delay from the creation of a frame to its arrival at the last board, in milliseconds.
/// The publish interval of 100 ms before the creation does not count.
const FRAME_LAG_MS_MAX: f64 = 150.0;
const DRAWS_ON_SALE: usize = 20;

impl BenchContext<'_> {
    pub(super) async fn measure_fan_out(&self, draw: i64) -> Result<Vec<Comparison>> {
        let mut comparisons = Vec::new();
        for count in &self.bench.boards {
            let what = format!("one sale to {count} boards, first to last");
            let mut actors =
                Comparison::new(&what, "ms", "bare actix-web-actors", BetterDirection::Lower)
                    .with_ratio_goal(1.1);
            let mut bare =
                Comparison::new(&what, "ms", "bare tokio broadcast", BetterDirection::Lower);
            let mut memory = Comparison::with_fixed_goal(
                format!("a socket, of {count}"),
                "KB",
                BetterDirection::Lower,
                MEMORY_PER_BOARD_SOCKET_KB_MAX,
            );
            for round in 0..self.bench.rounds {
                let before = self.meter.resident_kb()?;
                let mut ours = BoardSockets::connect_all(
                    &self.product_address,
                    &format!("/ws?topics=draw:{draw}"),
                    *count,
                    true,
                )
                .await?;
                // Memory is measured only in the first round, because the process keeps memory that
                // it has allocated once.
                if round == 0 {
                    memory.add_product_figure(
                        (self.meter.resident_kb()? - before).max(0.0) / *count as f64,
                    );
                }
                let mut samples = Vec::new();
                for _ in 0..MEASUREMENTS_PER_BOARD_COUNT {
                    tokio::time::sleep(PAUSE_BEFORE_MEASUREMENT).await;
                    ours.discard_arrivals();
                    // Each purchase uses a new connection, because the server closes a connection
                    // that is idle for some seconds.
                    self.product_client(1)
                        .buy(
                            &mut HttpConnection::open(&self.product_address).await?,
                            draw,
                        )
                        .await?;
                    samples.push(ours.first_to_last_arrival_ms().await?);
                }
                drop(ours);
                let shown = super::comparison::median(samples);
                let by_actors = self
                    .measure_broadcast((&self.rival.http, "/boards"), "/call", *count)
                    .await?;
                actors.add_round(shown, by_actors);
                bare.add_round(
                    shown,
                    self.measure_broadcast((&self.rival.sockets, "/"), "/shout", *count)
                        .await?,
                );
            }
            comparisons.extend([actors, bare, memory]);
        }
        Ok(comparisons)
    }

    async fn measure_broadcast(
        &self,
        boards: (&str, &str),
        path: &str,
        count: usize,
    ) -> Result<f64> {
        let mut boards = BoardSockets::connect_all(boards.0, boards.1, count, false).await?;
        let mut samples = Vec::new();
        for _ in 0..MEASUREMENTS_PER_BOARD_COUNT {
            tokio::time::sleep(PAUSE_BEFORE_MEASUREMENT).await;
            boards.discard_arrivals();
            let mut caller = HttpConnection::open(&self.rival.http).await?;
            let call = caller.build_post_request(path, "text/plain", "", "");
            caller.send_request(&call).await?;
            samples.push(boards.first_to_last_arrival_ms().await?);
        }
        Ok(super::comparison::median(samples))
    }

    /// Measures purchases and frame delays while many boards follow one of the draws that are sold.
    pub(super) async fn measure_sale_with_boards(&self) -> Result<Vec<Comparison>> {
        let Some(count) = self
            .bench
            .boards
            .iter()
            .copied()
            .filter(|count| *count <= 5_000)
            .max()
        else {
            return Ok(Vec::new());
        };
        let mut sales = Comparison::with_fixed_goal(
            format!("complete purchases while {count} boards look on"),
            "a second",
            BetterDirection::Higher,
            PURCHASES_PER_SECOND_MIN,
        );
        let mut lag = Comparison::with_fixed_goal(
            format!("frame made → last of {count} boards, meanwhile: p99"),
            "ms",
            BetterDirection::Lower,
            FRAME_LAG_MS_MAX,
        );
        for _ in 0..self.bench.rounds {
            let some =
                draw_creation::create_test_draws(&self.test_run.site, "Watched", DRAWS_ON_SALE)
                    .await?;
            let mut boards = BoardSockets::connect_all(
                &self.product_address,
                &format!("/ws?topics=draw:{}", some[0]),
                count,
                true,
            )
            .await?;
            self.meter.wait_until_idle().await?;
            boards.discard_arrivals();
            let purchases = (some.len() * TICKETS_PER_DRAW).min(self.bench.purchases);
            let sold = purchase_client::run_sale(
                &self.product_address,
                self.bench.buyers,
                Sale::new(some, DRAWS_ON_SALE, purchases),
                self.product_client(1),
            )
            .await?;
            tokio::time::sleep(PAUSE_BEFORE_MEASUREMENT).await;
            sales.add_product_figure(sold.per_second);
            lag.add_product_figure(Percentiles::of_sample(boards.frame_lags_ms()).p99);
        }
        Ok(vec![sales, lag])
    }
}
