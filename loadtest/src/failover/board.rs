//! Boards that follow the probe draw (the draw used for measuring). When a socket ends or is
//! silent, they connect to the other node.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::buyer::NodeAddresses;

/// Time without a message after which a node counts as hung. A heartbeat comes every 15 seconds.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(17);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// One board for each node. Each board connects to its node first.
pub struct BoardFollowers {
    shown: Vec<watch::Receiver<u64>>,
    tasks: Vec<JoinHandle<()>>,
}

impl BoardFollowers {
    pub fn start(addresses: &NodeAddresses, draw: i64) -> BoardFollowers {
        let (mut shown, mut tasks) = (Vec::new(), Vec::new());
        for number in 0..addresses.nodes.len() {
            let (show, seen) = watch::channel(0);
            let nodes = addresses.nodes.clone();
            shown.push(seen);
            tasks.push(tokio::spawn(async move {
                for turn in number.. {
                    let url = format!(
                        "{}/ws?topics=draw:{draw}",
                        nodes[turn % nodes.len()].replacen("http", "ws", 1)
                    );
                    follow_draw(&url, &show).await;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }));
        }
        BoardFollowers { shown, tasks }
    }

    /// Waits until every board has shown this revision or a later one. Returns the time from
    /// `since` to that moment.
    pub async fn wait_until_revision_shown(
        &mut self,
        revision: u64,
        since: Instant,
    ) -> Result<Duration> {
        for board in &mut self.shown {
            let shows = board.wait_for(|shown| *shown >= revision);
            tokio::time::timeout(Duration::from_secs(60), shows)
                .await
                .context("a board shows no new view")??;
        }
        Ok(since.elapsed())
    }
}

impl Drop for BoardFollowers {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn follow_draw(url: &str, show: &watch::Sender<u64>) {
    let Ok(Ok((mut socket, _))) =
        tokio::time::timeout(CONNECT_TIMEOUT, tokio_tungstenite::connect_async(url)).await
    else {
        return;
    };
    while let Ok(Some(Ok(message))) = tokio::time::timeout(HEARTBEAT_TIMEOUT, socket.next()).await {
        let frame: Value =
            serde_json::from_str(message.to_text().unwrap_or_default()).unwrap_or_default();
        if let (Some("draw"), Some(seq)) = (frame["type"].as_str(), frame["seq"].as_u64()) {
            show.send_if_modified(|shown| (seq > *shown).then(|| *shown = seq).is_some());
        }
    }
}
