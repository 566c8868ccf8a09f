//! Restarts a private Postgres when it dies, for example when it is killed by hand, by a lack of
//! memory or by a test. In production the database's operator is responsible for restarts.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::cluster::{Cluster, Durability};

/// The interval between two checks whether Postgres still runs. After a failed start, this interval
/// also gives the remaining processes of the dead Postgres time to end.
const POSTGRES_CHECK_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct Supervisor {
    /// The supervised Postgres. `None` once it was stopped.
    cluster: Arc<Mutex<Option<Cluster>>>,
    watch_task: JoinHandle<()>,
}

impl Supervisor {
    pub(super) fn start(cluster: Cluster) -> Supervisor {
        let cluster = Arc::new(Mutex::new(Some(cluster)));
        let watch_task = tokio::spawn(restart_when_dead(Arc::clone(&cluster)));
        Supervisor {
            cluster,
            watch_task,
        }
    }

    /// Stops Postgres. If the supervisor is just restarting Postgres, waits for that start first,
    /// so that no process is left running.
    pub(super) async fn stop(self) {
        let cluster = self.cluster.lock().await.take();
        if let Some(cluster) = cluster {
            cluster.stop().await;
        }
    }
}

/// When this value is dropped without `stop`, Postgres keeps running without supervision.
impl Drop for Supervisor {
    fn drop(&mut self) {
        self.watch_task.abort();
    }
}

async fn restart_when_dead(cluster: Arc<Mutex<Option<Cluster>>>) {
    loop {
        tokio::time::sleep(POSTGRES_CHECK_INTERVAL).await;
        let mut cluster = cluster.lock().await;
        let Some(cluster) = cluster.as_mut() else {
            return;
        };
        if cluster.is_running() {
            continue;
        }
        let dir = cluster.dir().to_path_buf();
        tracing::warn!(
            "the PostgreSQL in {} died; starting it again",
            dir.display()
        );
        match Cluster::start(&dir, Durability::Full).await {
            Ok(restarted) => *cluster = restarted,
            Err(why) => tracing::warn!(%why, "PostgreSQL did not start; trying again"),
        }
    }
}
