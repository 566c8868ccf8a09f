//! The list of nodes in Postgres, on a separate connection. The connection holds an advisory lock
//! for this process. When the process ends, Postgres releases the lock, so other nodes can see that
//! the process has ended.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use super::Postgres;
use crate::error::Failure;
use crate::nodes::{InstanceId, LEASE_MS, Node, Nodes, OtherNodes};

/// Time limit of each query about nodes. A lease is renewed four times before it ends, so one slow
/// query does not end the lease.
const NODE_QUERY_TIMEOUT: Duration = Duration::from_secs(2);
/// Time after a reconnection during which this node removes no other node. The database may have
/// restarted, and the other processes may not have taken their advisory locks again yet.
const CONNECTED_BEFORE_REMOVAL_MIN: Duration = Duration::from_millis(LEASE_MS as u64);

/// The connection whose advisory lock shows that this process is alive.
pub(super) struct NodeConnection {
    options: PgConnectOptions,
    held: Mutex<HeldConnection>,
}

#[derive(Default)]
struct HeldConnection {
    connection: Option<PgConnection>,
    /// When the connection was opened. `None` before the first connection.
    connected_at: Option<Instant>,
    is_reconnection: bool,
}

impl NodeConnection {
    pub fn new(options: PgConnectOptions) -> NodeConnection {
        NodeConnection {
            options,
            held: Mutex::default(),
        }
    }

    /// Runs a query on the connection that holds this process's lock. When the database does not
    /// answer, the connection is dropped, and the next query opens a new one.
    async fn query<T>(
        &self,
        me: Option<InstanceId>,
        query: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, Failure> {
        let mut held = self.held.lock().await;
        let attempt = async {
            if held.connection.is_none() {
                held.connection = Some(PgConnection::connect_with(&self.options).await?);
                held.is_reconnection = held.connected_at.is_some();
                held.connected_at = Some(Instant::now());
            }
            let connection = held.connection.as_mut().expect("taken above");
            if let Some(me) = me {
                // Every query takes the advisory lock again, because a lost connection has lost the
                // lock. Taking it twice is harmless: Postgres counts the locks, and releases all
                // when the connection ends.
                sqlx::query!("select from pg_try_advisory_lock($1)", lock_key(me))
                    .execute(&mut *connection)
                    .await?;
            }
            query(connection).await
        };
        let result = match timeout(NODE_QUERY_TIMEOUT, attempt).await {
            Ok(result) => result.map_err(Failure::from_commit_error),
            Err(_) => Err(Failure::Unknown("the list of nodes does not answer".into())),
        };
        if result.is_err() {
            held.connection = None;
        }
        result
    }

    async fn may_remove_nodes(&self) -> bool {
        let held = self.held.lock().await;
        !held.is_reconnection
            || held
                .connected_at
                .is_some_and(|connected_at| connected_at.elapsed() >= CONNECTED_BEFORE_REMOVAL_MIN)
    }
}

fn lock_key(boot: InstanceId) -> i64 {
    let (high, low) = ((boot.0 >> 64) as u64, boot.0 as u64);
    (high ^ low).cast_signed()
}

#[async_trait]
impl Nodes for Postgres {
    async fn renew(&self, me: &Node) -> Result<OtherNodes, Failure> {
        let (postgres, me) = (self.clone(), me.clone());
        self.run_on_database_threads(async move {
            let rows = postgres
                .inner
                .node_connection
                .query(Some(me.boot), async |connection| {
                    renew(connection, &me).await
                })
                .await?;
            let mut roll = OtherNodes {
                others: Vec::new(),
                eldest: true,
            };
            let mut is_older_node_alive = false;
            for row in rows {
                roll.eldest &= !row.elder;
                is_older_node_alive |= !row.keeps_link_secrets;
                roll.others.push(Node {
                    boot: InstanceId(row.boot_id.as_u128()),
                    address: row.address,
                });
            }
            postgres
                .inner
                .secrets
                .set_older_node_alive(is_older_node_alive);
            Ok(roll)
        })
        .await
    }

    async fn remove_ended_node(&self, gone: InstanceId) -> Result<bool, Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            let node_connection = &postgres.inner.node_connection;
            if !node_connection.may_remove_nodes().await {
                return Ok(false);
            }
            node_connection
                .query(None, async |connection| {
                    let try_lock = sqlx::query_scalar!(
                        r#"select pg_try_advisory_lock($1) as "locked!""#,
                        lock_key(gone)
                    );
                    let has_ended = try_lock.fetch_one(&mut *connection).await?;
                    if has_ended {
                        let delete = sqlx::query!(
                            "delete from nodes where boot_id = $1",
                            instance_uuid(gone)
                        );
                        delete.execute(&mut *connection).await?;
                        sqlx::query!("select from pg_advisory_unlock($1)", lock_key(gone))
                            .execute(connection)
                            .await?;
                    }
                    Ok(has_ended)
                })
                .await
        })
        .await
    }

    async fn leave(&self, me: InstanceId) -> Result<(), Failure> {
        let postgres = self.clone();
        self.run_on_database_threads(async move {
            let left = postgres
                .inner
                .node_connection
                .query(None, async |connection| {
                    let delete =
                        sqlx::query!("delete from nodes where boot_id = $1", instance_uuid(me));
                    delete.execute(connection).await
                });
            left.await.map(|_| ())
        })
        .await
    }
}

/// A row about another node.
struct OtherNodeRow {
    boot_id: Uuid,
    address: String,
    /// Whether the node started earlier than this node.
    elder: bool,
    /// Whether the node's version of the program stores link secrets in the current form.
    keeps_link_secrets: bool,
}

/// Renews the lease and reads the other nodes in one statement. Also deletes the rows of nodes
/// whose lease ended more than an hour ago.
async fn renew(connection: &mut PgConnection, me: &Node) -> Result<Vec<OtherNodeRow>, sqlx::Error> {
    sqlx::query_as!(
        OtherNodeRow,
        r#"with me as (
           insert into nodes (boot_id, address, lease_until, keeps_link_secrets)
           values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond', true)
           on conflict (boot_id) do update set address = excluded.address, lease_until = excluded.lease_until
           returning boot_id, started_at
         ), forgotten as (
           delete from nodes where lease_until < clock_timestamp() - interval '1 hour' and boot_id <> $1
         )
         select n.boot_id, n.address, (n.started_at, n.boot_id) < (me.started_at, me.boot_id) as "elder!",
           n.keeps_link_secrets
         from me join nodes n on n.boot_id <> me.boot_id and n.lease_until > clock_timestamp()
         order by n.started_at, n.boot_id"#,
        instance_uuid(me.boot),
        me.address,
        LEASE_MS as f64
    )
    .fetch_all(connection)
    .await
}

pub(super) fn instance_uuid(boot: InstanceId) -> Uuid {
    Uuid::from_u128(boot.0)
}
