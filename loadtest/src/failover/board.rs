//! Big screens that follow the probe's draw, and go to the other node when their socket ends or falls silent.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::shopper::Place;

/// A heartbeat comes every 15 s; without one somebody hangs.
const SILENCE: Duration = Duration::from_secs(17);
const CONNECT: Duration = Duration::from_secs(2);

/// One board for each node it begins at.
pub struct Boards {
    shown: Vec<watch::Receiver<u64>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Boards {
    pub fn put_up(place: &Place, draw: i64) -> Boards {
        let (mut shown, mut tasks) = (Vec::new(), Vec::new());
        for number in 0..place.nodes.len() {
            let (show, seen) = watch::channel(0);
            let nodes = place.nodes.clone();
            shown.push(seen);
            tasks.push(tokio::spawn(async move {
                for turn in number.. {
                    let url = format!(
                        "{}/ws?topics=draw:{draw}",
                        nodes[turn % nodes.len()].replacen("http", "ws", 1)
                    );
                    follow(&url, &show).await;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }));
        }
        Boards { shown, tasks }
    }

    /// How long after `since` the last of them showed a revision or a later one.
    pub async fn show(&mut self, revision: u64, since: Instant) -> Result<Duration> {
        for board in &mut self.shown {
            let shows = board.wait_for(|shown| *shown >= revision);
            tokio::time::timeout(Duration::from_secs(60), shows)
                .await
                .context("a board stays dark")??;
        }
        Ok(since.elapsed())
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn follow(url: &str, show: &watch::Sender<u64>) {
    let Ok(Ok((mut socket, _))) =
        tokio::time::timeout(CONNECT, tokio_tungstenite::connect_async(url)).await
    else {
        return;
    };
    while let Ok(Some(Ok(message))) = tokio::time::timeout(SILENCE, socket.next()).await {
        let frame: Value =
            serde_json::from_str(message.to_text().unwrap_or_default()).unwrap_or_default();
        if let (Some("draw"), Some(seq)) = (frame["type"].as_str(), frame["seq"].as_u64()) {
            show.send_if_modified(|shown| (seq > *shown).then(|| *shown = seq).is_some());
        }
    }
}
