//! The upper limit of the purchase rate: the rows of a sale are written in large transactions,
//! without decisions, requests and responses.

use std::sync::Arc;

use anyhow::{Result, ensure};

use super::baseline::BenchBaseline;
use super::engine_only;
use super::purchase_client::Sale;

/// Number of writers. While one waits for the disk, the other works.
const WRITER_COUNT: usize = 2;
const PURCHASES_PER_TRANSACTION: usize = 64;

/// Writes the rows of a sale in transactions of many purchases. Returns the purchases per second.
pub async fn write_sale_rows(baseline: &BenchBaseline, sale: Arc<Sale>) -> Result<f64> {
    engine_only::run_concurrently(WRITER_COUNT, || {
        let (baseline, sale) = (baseline.clone(), sale.clone());
        async move {
            let mut written = 0;
            loop {
                let draws: Vec<i64> = std::iter::from_fn(|| sale.next_draw())
                    .take(PURCHASES_PER_TRANSACTION)
                    .collect();
                if draws.is_empty() {
                    return Ok(written);
                }
                ensure!(
                    baseline.purchase_from_many_draws(&draws).await?,
                    "a draw of the baseline was full"
                );
                written += draws.len();
            }
        }
    })
    .await
}
