//! The upper limit: the rows of a sale written in large transactions, with no decisions, requests
//! or responses around them.

use std::sync::Arc;

use anyhow::{Result, ensure};

use super::baseline::BenchBaseline;
use super::engine_only;
use super::purchase_client::Sale;

/// Number of writers: one works while the other waits for the disk.
const WRITERS: usize = 2;
const PURCHASES_PER_TRANSACTION: usize = 64;

/// Writes the rows of a sale in transactions of many purchases. Returns the purchases a second.
pub async fn write(baseline: &BenchBaseline, sale: Arc<Sale>) -> Result<f64> {
    engine_only::run_concurrently(WRITERS, || {
        let (baseline, sale) = (baseline.clone(), sale.clone());
        async move {
            let mut written = 0;
            loop {
                let draws: Vec<i64> = std::iter::from_fn(|| sale.next())
                    .take(PURCHASES_PER_TRANSACTION)
                    .collect();
                if draws.is_empty() {
                    return Ok(written);
                }
                ensure!(
                    baseline.purchase_many(&draws).await?,
                    "a draw of the baseline was full"
                );
                written += draws.len();
            }
        }
    })
    .await
}
