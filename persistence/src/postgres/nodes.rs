//! The list of nodes, on a connection of its own: it holds a lock in this process's name, and so its end tells the others that
//! the process has ended, too.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{Connection, Row};
use tokio::sync::Mutex;
use tokio::time::timeout;
use uuid::Uuid;

use super::Postgres;
use crate::error::Failure;
use crate::nodes::{Boot, LEASE_MS, Node, Nodes, Roll};

/// A lease is renewed four times in its life; an answer that takes longer is none.
const SILENCE_MAX: Duration = Duration::from_secs(2);
/// The database may just have started, with no process's lock taken again yet: so long a new connection buries nobody.
const YOUNG: Duration = Duration::from_millis(LEASE_MS as u64);

/// That the process of a column, after which the milliseconds of `GONE_MS` are bound, is gone.
macro_rules! is_gone {
    ($boot:literal, $after_ms:literal) => {
        concat!(
            "not exists (select from nodes n where n.boot_id = ",
            $boot,
            " and n.lease_until > clock_timestamp() - ",
            $after_ms,
            " * interval '1 millisecond')"
        )
    };
}
pub(super) use is_gone;

/// The connection that stands for this process.
pub(super) struct Presence {
    options: PgConnectOptions,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    connection: Option<PgConnection>,
    /// Since when, and whether there was none before: nobody's restart can be taken for a death by a process that just began.
    since: Option<Instant>,
    again: bool,
}

impl Presence {
    pub fn new(options: PgConnectOptions) -> Presence {
        Presence {
            options,
            taken: Mutex::default(),
        }
    }

    /// Runs one question on the connection, which is given up when it does not answer: the next question takes a new one.
    async fn ask<T>(
        &self,
        me: Option<Boot>,
        question: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, Failure> {
        let mut taken = self.taken.lock().await;
        let asked = async {
            if taken.connection.is_none() {
                taken.connection = Some(PgConnection::connect_with(&self.options).await?);
                taken.again = taken.since.is_some();
                taken.since = Some(Instant::now());
            }
            let connection = taken.connection.as_mut().expect("taken above");
            if let Some(me) = me {
                // Again and again: it is counted, and held until the connection ends.
                sqlx::query("select pg_try_advisory_lock($1)")
                    .bind(lock(me))
                    .execute(&mut *connection)
                    .await?;
            }
            question(connection).await
        };
        let answered = match timeout(SILENCE_MAX, asked).await {
            Ok(answered) => answered.map_err(Failure::at_commit),
            Err(_) => Err(Failure::Unknown("the list of nodes does not answer".into())),
        };
        if answered.is_err() {
            taken.connection = None;
        }
        answered
    }

    async fn is_sure(&self) -> bool {
        let taken = self.taken.lock().await;
        !taken.again || taken.since.is_some_and(|since| since.elapsed() >= YOUNG)
    }
}

fn lock(boot: Boot) -> i64 {
    let (high, low) = ((boot.0 >> 64) as u64, boot.0 as u64);
    (high ^ low).cast_signed()
}

#[async_trait]
impl Nodes for Postgres {
    async fn renew(&self, me: &Node) -> Result<Roll, Failure> {
        let (postgres, me) = (self.clone(), me.clone());
        self.run(async move {
            let rows = postgres
                .inner
                .presence
                .ask(Some(me.boot), async |connection| {
                    renew(connection, &me).await
                })
                .await?;
            let mut roll = Roll {
                others: Vec::new(),
                eldest: true,
            };
            for row in rows {
                let (node, elder) = read(&row).map_err(Failure::from_read)?;
                roll.eldest &= !elder;
                roll.others.push(node);
            }
            Ok(roll)
        })
        .await
    }

    async fn bury(&self, gone: Boot) -> Result<bool, Failure> {
        let postgres = self.clone();
        self.run(async move {
            let presence = &postgres.inner.presence;
            if !presence.is_sure().await {
                return Ok(false);
            }
            presence
                .ask(None, async |connection| {
                    let try_lock =
                        sqlx::query_scalar("select pg_try_advisory_lock($1)").bind(lock(gone));
                    let gone_for_good: bool = try_lock.fetch_one(&mut *connection).await?;
                    if gone_for_good {
                        let delete =
                            sqlx::query("delete from nodes where boot_id = $1").bind(uuid(gone));
                        delete.execute(&mut *connection).await?;
                        sqlx::query("select pg_advisory_unlock($1)")
                            .bind(lock(gone))
                            .execute(connection)
                            .await?;
                    }
                    Ok(gone_for_good)
                })
                .await
        })
        .await
    }

    async fn leave(&self, me: Boot) -> Result<(), Failure> {
        let postgres = self.clone();
        self.run(async move {
            let left = postgres.inner.presence.ask(None, async |connection| {
                let delete = sqlx::query("delete from nodes where boot_id = $1").bind(uuid(me));
                delete.execute(connection).await
            });
            left.await.map(|_| ())
        })
        .await
    }
}

/// The others are read in the same statement. A row that nobody renewed for an hour is forgotten on the way.
async fn renew(connection: &mut PgConnection, me: &Node) -> Result<Vec<PgRow>, sqlx::Error> {
    sqlx::query(
        "with me as (
           insert into nodes (boot_id, address, lease_until)
           values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
           on conflict (boot_id) do update set address = excluded.address, lease_until = excluded.lease_until
           returning boot_id, started_at
         ), forgotten as (
           delete from nodes where lease_until < clock_timestamp() - interval '1 hour' and boot_id <> $1
         )
         select n.boot_id, n.address, (n.started_at, n.boot_id) < (me.started_at, me.boot_id) as elder
         from me join nodes n on n.boot_id <> me.boot_id and n.lease_until > clock_timestamp()
         order by n.started_at, n.boot_id",
    )
    .bind(uuid(me.boot))
    .bind(&me.address)
    .bind(LEASE_MS)
    .fetch_all(connection)
    .await
}

fn read(row: &PgRow) -> Result<(Node, bool), sqlx::Error> {
    let node = Node {
        boot: Boot(row.try_get::<Uuid, _>(0)?.as_u128()),
        address: row.try_get(1)?,
    };
    Ok((node, row.try_get(2)?))
}

pub(super) fn uuid(boot: Boot) -> Uuid {
    Uuid::from_u128(boot.0)
}
