//! Stands beside a running private Postgres and starts it again when it died: killed by hand, by a full memory, by a test.
//! In production that is the work of whoever runs the database.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::cluster::{Cluster, Durability};

/// How often it is looked at, and how long a failed start waits for the dead one's last processes to go.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) struct Keeper {
    /// Empty once it was told to stop.
    cluster: Arc<Mutex<Option<Cluster>>>,
    watching: JoinHandle<()>,
}

impl Keeper {
    pub(super) fn keep(cluster: Cluster) -> Keeper {
        let cluster = Arc::new(Mutex::new(Some(cluster)));
        let watching = tokio::spawn(watch(Arc::clone(&cluster)));
        Keeper { cluster, watching }
    }

    /// Stops Postgres in order; a start under way is finished first, so that nothing is left running.
    pub(super) async fn stop(self) {
        let cluster = self.cluster.lock().await.take();
        if let Some(cluster) = cluster {
            cluster.stop().await;
        }
    }
}

/// Without `stop` Postgres keeps running, and nobody watches it.
impl Drop for Keeper {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

async fn watch(kept: Arc<Mutex<Option<Cluster>>>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let mut kept = kept.lock().await;
        let Some(cluster) = kept.as_mut() else { return };
        if cluster.lives() {
            continue;
        }
        let dir = cluster.dir().to_path_buf();
        tracing::warn!(
            "the PostgreSQL in {} died; starting it again",
            dir.display()
        );
        match Cluster::start(&dir, Durability::Full).await {
            Ok(started) => *cluster = started,
            Err(why) => tracing::warn!(%why, "not yet"),
        }
    }
}
