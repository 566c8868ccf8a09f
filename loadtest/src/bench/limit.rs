//! The limit: a sale's rows with nothing around them, and as many of them in a transaction as there are buyers at once. Nobody
//! decides anything, asks anybody or answers.

use std::sync::Arc;

use anyhow::{Result, ensure};
use persistence::yardstick::Yardstick;

use super::shopper::Sale;
use super::walls;

/// While one waits for the disk, the other writes.
const WRITERS: usize = 2;
const TOGETHER: usize = 64;

/// A sale's rows written in pieces of many purchases by two writers: purchases a second.
pub async fn write(yardstick: &Yardstick, sale: Arc<Sale>) -> Result<f64> {
    walls::at_once(WRITERS, || {
        let (yardstick, sale) = (yardstick.clone(), sale.clone());
        async move {
            let mut written = 0;
            loop {
                let draws: Vec<i64> = std::iter::from_fn(|| sale.next()).take(TOGETHER).collect();
                if draws.is_empty() {
                    return Ok(written);
                }
                ensure!(
                    yardstick.together(&draws).await?,
                    "a draw of the yardstick was full"
                );
                written += draws.len();
            }
        }
    })
    .await
}
