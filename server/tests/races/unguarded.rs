//! The negative control: two processes on one Postgres whose fence is passed by whoever comes, and whose tables accept a ticket
//! twice.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{Deal, DrawId};
use persistence::ledger::{Append, Claims, Known, Moved};
use persistence::nodes::Boot;
use persistence::testing::Database;
use persistence::{Failure, Ledger, Postgres};
use tokio::sync::Mutex;

use super::house::House;

/// What else keeps a ticket from being sold twice.
const GUARDS: [&str; 5] = [
    "alter table tickets drop constraint tickets_pkey",
    "alter table draws drop constraint draws_never_oversold",
    "alter table draws drop constraint draws_revenue_is_sold_times_price",
    "alter table draws drop constraint if exists draws_fee_telescopes",
    "alter table fee_ledger drop constraint fee_ledger_moves_with_revenue",
];

/// Every commit pretends to be the true owner's next one.
struct Unfenced {
    postgres: Postgres,
    database: Arc<Database>,
    one_at_a_time: Arc<Mutex<()>>,
}

#[async_trait]
impl Ledger for Unfenced {
    /// Nobody's lease keeps anybody out.
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure> {
        let _turn = self.one_at_a_time.lock().await;
        self.database
            .run("update draws set owner_boot = null")
            .await;
        self.postgres.claim(me, draws).await
    }

    /// And nobody hears that somebody else has taken over.
    async fn take_over(&self, me: Boot, draw: DrawId, from: Boot) -> Result<Claims, Failure> {
        self.postgres.take_over(me, draw, from).await
    }

    async fn moved(&self, _: Boot, _: &[Known]) -> Result<Vec<Moved>, Failure> {
        Ok(Vec::new())
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.postgres.deal(draw).await
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        let _turn = self.one_at_a_time.lock().await;
        let draw = appends[0].draw.to_string();
        let epoch = self
            .database
            .count("select owner_epoch from draws where id = $1::bigint", &draw)
            .await;
        let after = self
            .database
            .count("select revision from draws where id = $1::bigint", &draw)
            .await;
        let next = |(append, after)| Append {
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

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        self.postgres.live().await
    }
}

/// Plays rounds of two buyers, each at a process of its own, who want the last ticket; says how many rounds sold it twice.
pub async fn play(rounds: usize) -> usize {
    let mut house = House::open().await;
    let draws = house.draws(rounds, 1).await;
    if let Some(engine) = house.engine.take() {
        engine.stop().await;
    }
    for guard in GUARDS {
        house.database.run(guard).await;
    }
    let unfenced = Unfenced {
        postgres: house.postgres(),
        database: Arc::new(house.database.clone()),
        one_at_a_time: Arc::default(),
    };
    let unfenced: Arc<dyn Ledger> = Arc::new(unfenced);
    let (one, other) = (
        house.engine_on(unfenced.clone()).await,
        house.engine_on(unfenced).await,
    );
    // Each process has the last ticket in its memory before anybody comes.
    for draw in &draws {
        for engine in [&one, &other] {
            assert_eq!(engine.draws.view(*draw).await.expect("awake").sold, 168);
        }
    }
    for draw in draws {
        let buys = async |engine| {
            let record = house
                .opens(engine, house.wants(&[(draw, 1)]))
                .await
                .expect("nobody else is seen");
            house.pays(engine, &record).await
        };
        tokio::join!(buys(&one), buys(&other));
    }
    // A process that looks up from its work and sees 170 promises stops (D1); then the second ticket is only promised.
    let twice = "select count(*) from draws d where $1 = ''
         and greatest(d.sold + d.held, (select count(*) from tickets t where t.draw_id = d.id)) > 169";
    let oversold = house.database.count(twice, "").await;
    let found = house.postgres().violations().await.expect("the invariants");
    assert!(
        found.len() >= oversold as usize,
        "the invariants find what was oversold"
    );
    one.stop().await;
    other.stop().await;
    oversold as usize
}
