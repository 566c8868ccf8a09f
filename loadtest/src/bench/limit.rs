//! The limit: a sale's rows with nothing around them, and as many of them in a transaction as there are buyers at once. Nobody
//! decides anything, asks anybody or answers.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use persistence::yardstick::Yardstick;
use tokio::task::JoinSet;

use super::shopper::Sale;

/// While one waits for the disk, the other writes.
const WRITERS: usize = 2;
const TOGETHER: usize = 64;

/// A sale's rows written in pieces of many purchases by two writers: purchases a second.
pub async fn write(yardstick: &Yardstick, sale: Arc<Sale>) -> Result<f64> {
    let (began, mut writing) = (Instant::now(), JoinSet::new());
    for _ in 0..WRITERS {
        let (yardstick, sale) = (yardstick.clone(), sale.clone());
        writing.spawn(async move {
            let mut written = 0_usize;
            loop {
                let draws: Vec<i64> = std::iter::from_fn(|| sale.next()).take(TOGETHER).collect();
                if draws.is_empty() {
                    return anyhow::Ok(written);
                }
                ensure!(yardstick.together(&draws).await?, "a draw of the yardstick was full");
                written += draws.len();
            }
        });
    }
    let mut written = 0;
    while let Some(writer) = writing.join_next().await {
        written += writer??;
    }
    Ok(written as f64 / began.elapsed().as_secs_f64())
}
