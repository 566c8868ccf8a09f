//! The negative control: without fencing and unique constraints, two processes on one Postgres do
//! sell a ticket twice.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Deal, DrawId};
use persistence::ledger::{ChangedDraw, DrawClaims, DrawCommit, KnownDraw};
use persistence::nodes::InstanceId;
use persistence::testing::TestDatabase;
use persistence::{Failure, Ledger, Postgres};
use tokio::sync::Mutex;

use super::race_environment::RaceEnvironment;

/// Statements that drop the database constraints which also prevent double sales.
const DROP_SALE_GUARD_STATEMENTS: [&str; 5] = [
    "alter table tickets drop constraint tickets_pkey",
    "alter table draws drop constraint draws_never_oversold",
    "alter table draws drop constraint draws_revenue_is_sold_times_price",
    "alter table draws drop constraint if exists draws_fee_telescopes",
    "alter table fee_ledger drop constraint fee_ledger_moves_with_revenue",
];

/// A ledger without fencing: it accepts every commit as if it came from the owner.
struct UnfencedLedger {
    postgres: Postgres,
    database: Arc<TestDatabase>,
    one_at_a_time: Arc<Mutex<()>>,
}

#[async_trait]
impl Ledger for UnfencedLedger {
    /// Claims every requested draw, although another process may hold its lease.
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure> {
        let _turn = self.one_at_a_time.lock().await;
        self.database
            .execute_sql("update draws set owner_boot = null")
            .await;
        self.postgres.claim(me, draws).await
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure> {
        self.postgres.take_over(me, draw, from).await
    }

    /// Reports no change, so that a process does not notice that another one took its draws.
    async fn changed_draws(
        &self,
        _: InstanceId,
        _: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        Ok(Vec::new())
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.postgres.deal(draw).await
    }

    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure> {
        let _turn = self.one_at_a_time.lock().await;
        let draw = appends[0].draw.to_string();
        let epoch = self
            .database
            .query_number("select owner_epoch from draws where id = $1::bigint", &draw)
            .await;
        let after = self
            .database
            .query_number("select revision from draws where id = $1::bigint", &draw)
            .await;
        let next = |(append, after)| DrawCommit {
            epoch,
            after,
            ..append
        };
        self.postgres
            .append(
                appends
                    .into_iter()
                    .zip(after.cast_unsigned()..)
                    .map(next)
                    .collect(),
            )
            .await
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        self.postgres.live_draws().await
    }
}

/// Plays rounds in which two buyers, each on its own process, compete for the last ticket. Returns
/// the number of rounds that sold it twice.
pub async fn count_oversold_rounds(rounds: usize) -> usize {
    let mut environment = RaceEnvironment::open().await;
    let draws = environment
        .create_draws_with_unsold_tickets(rounds, 1)
        .await;
    if let Some(engine) = environment.engine.take() {
        engine.stop().await;
    }
    for guard in DROP_SALE_GUARD_STATEMENTS {
        environment.database.execute_sql(guard).await;
    }
    let unfenced = UnfencedLedger {
        postgres: environment.postgres(),
        database: Arc::new(environment.database.clone()),
        one_at_a_time: Arc::default(),
    };
    let unfenced: Arc<dyn Ledger> = Arc::new(unfenced);
    let (one, other) = (
        environment.start_engine_on(unfenced.clone()).await,
        environment.start_engine_on(unfenced).await,
    );
    // Each process loads the draw into memory before either of them sells its last ticket.
    for draw in &draws {
        for engine in [&one, &other] {
            assert_eq!(engine.draws.view(*draw).await.expect("awake").sold, 168);
        }
    }
    for draw in draws {
        let buys = async |engine| {
            let record = environment
                .open_order(engine, environment.order_request(&[(draw, 1)]))
                .await
                .expect("the other buyer's reservation is not visible");
            environment.pay(engine, &record).await
        };
        tokio::join!(buys(&one), buys(&other));
    }
    // The second ticket may be reserved but not sold, so the query counts reserved tickets too.
    let twice = "select count(*) from draws d where $1 = ''
         and greatest(d.sold + d.held, (select count(*) from tickets t where t.draw_id = d.id)) > 169";
    let oversold = environment.database.query_number(twice, "").await;
    let found = environment
        .postgres()
        .violations()
        .await
        .expect("the invariants");
    assert!(
        found.len() >= oversold as usize,
        "the invariants find what was oversold"
    );
    one.stop().await;
    other.stop().await;
    oversold as usize
}
