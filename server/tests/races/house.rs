//! A house for races: the engine on threads of its own, a real Postgres behind it, a provider in memory, and no HTTP between.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use actors::testing::FakeGateway;
use actors::{
    Clock, Engine, EngineParts, FulfilStatus, Neighbourhood, OpenOrder, PaymentFailure, Placement,
    Post, SystemClock,
};
use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, DrawId, Line, OrderId, PaymentStatus, Refusal, Terms, Timestamp,
};
use futures_util::future::join_all;
use persistence::books::{Mail, OrderRecord};
use persistence::ledger::BuyerDetails;
use persistence::nodes::Boot;
use persistence::postgres::draws::NewDraw;
use persistence::testing::{Database, database};
use persistence::{Ledger, Postgres};

pub const PRICE: Cents = Cents(500);
const DAY_MS: i64 = 24 * 3_600_000;
/// Most tickets of one order.
const ORDER_MAX: u16 = 50;
/// A buyer who is told to come back comes back.
const COME_BACK: Duration = Duration::from_millis(3);
const COMES_BACK_MAX: usize = 2_000;

/// The machine's clock, moved ahead.
#[derive(Clone, Default)]
pub struct Moved(Arc<AtomicI64>);

impl Moved {
    pub fn ahead(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for Moved {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_ms(self.0.load(Ordering::SeqCst))
    }
}

struct NoPost;

#[async_trait]
impl Post for NoPost {
    async fn send(&self, _: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        Ok(())
    }
}

/// What trying to buy came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tries {
    Won,
    /// "Only N remaining."
    TooFew {
        draw: DrawId,
        free: u16,
    },
    NotCharged,
    /// The payment intent had been cancelled before it could be paid.
    Canceled,
}

pub struct House {
    pub database: Database,
    pub clock: Moved,
    pub gateway: FakeGateway,
    pub postgres: Option<Postgres>,
    pub engine: Option<Engine>,
    orders: AtomicU32,
}

fn account() -> AccountId {
    AccountId("acct_1".into())
}

impl House {
    pub async fn open() -> House {
        let mut house = House::empty().await;
        let postgres = house.postgres.clone().expect("connected");
        house.engine = Some(house.engine_on(Arc::new(postgres)).await);
        house
    }

    /// A house in which nobody works yet.
    pub async fn empty() -> House {
        let database = database().await;
        let postgres = database.postgres().await;
        database
            .run(
                "insert into clubs (id, name, email, password, home_page_slug, stripe_connect_account_id)
                 overriding system value values (1, 'Reds', 'reds@club.test', 'x', 'reds', 'acct_1')",
            )
            .await;
        let clock = Moved::default();
        let gateway = FakeGateway::new(Arc::new(clock.clone()));
        House {
            database,
            clock,
            gateway,
            postgres: Some(postgres),
            engine: None,
            orders: AtomicU32::new(1),
        }
    }

    pub async fn engine_on(&self, ledger: Arc<dyn Ledger>) -> Engine {
        let parts = EngineParts {
            ledger,
            books: Arc::new(self.postgres()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(self.clock.clone()),
            mail: Arc::new(NoPost),
            neighbourhood: Neighbourhood::alone(Boot::fresh(), Arc::new(self.postgres())),
        };
        Engine::start_at(parts, Placement::OwnThreads { draws: 1 })
            .await
            .expect("the engine starts")
    }

    pub fn postgres(&self) -> Postgres {
        self.postgres.clone().expect("connected")
    }

    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the engine runs")
    }

    /// New draws with so many tickets left.
    pub async fn draws(&self, count: usize, left: u16) -> Vec<DrawId> {
        let closes_at = SystemClock.now().plus_ms(7 * DAY_MS);
        let terms = Terms {
            price: PRICE,
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at,
        };
        let new = (0..count)
            .map(|_| NewDraw::plain(ClubId(1), "Broncos", "Eels", terms))
            .collect();
        let draws = self.postgres().create_draws(new).await.expect("draws");
        let mut sold = Vec::new();
        for draw in &draws {
            let mut rest = 169 - left;
            while rest > 0 {
                let some = rest.min(ORDER_MAX);
                sold.push(self.tries(self.wants(&[(*draw, some)])));
                rest -= some;
            }
        }
        assert!(
            join_all(sold)
                .await
                .iter()
                .all(|tried| *tried == Tries::Won),
            "the draws are sold up to the last"
        );
        draws
    }

    /// What a new buyer wants: so many tickets of each draw.
    pub fn wants(&self, lines: &[(DrawId, u16)]) -> OpenOrder {
        let number = self.orders.fetch_add(1, Ordering::Relaxed);
        let line = |(draw, count): &(DrawId, u16)| Line {
            draw: *draw,
            count: *count,
            unit_price: PRICE,
            card_fee: Cents::ZERO,
        };
        OpenOrder {
            client_key: format!("client-{number}"),
            token: format!("{number:032x}"),
            id: OrderId(u128::from(number)),
            club: ClubId(1),
            account: account(),
            lines: lines.iter().map(line).collect(),
            buyer: BuyerDetails {
                name: Some("Alice".into()),
                email: Some("alice@buyer.test".into()),
                phone: Some("0400000000".into()),
            },
        }
    }

    /// A whole purchase by somebody who does not give up: opens, authorises, and knocks at two doors at once.
    pub async fn tries(&self, wanted: OpenOrder) -> Tries {
        match self.opens(self.engine(), wanted).await {
            Ok(record) => self.pays(self.engine(), &record).await,
            Err(tried) => tried,
        }
    }

    pub async fn opens(&self, engine: &Engine, wanted: OpenOrder) -> Result<OrderRecord, Tries> {
        for _ in 0..COMES_BACK_MAX {
            match engine.payments.open(wanted.clone()).await {
                Ok(record) => return Ok(record),
                Err(PaymentFailure::Refused {
                    draw,
                    refusal: Refusal::TooFewTickets { free },
                }) => {
                    return Err(Tries::TooFew { draw, free });
                }
                // The house is full for a moment: 503, and the buyer comes back.
                Err(PaymentFailure::Unavailable) => tokio::time::sleep(COME_BACK).await,
                Err(other) => panic!("opening an order: {other}"),
            }
        }
        panic!("an order could not be opened in {COMES_BACK_MAX} tries");
    }

    pub async fn pays(&self, engine: &Engine, record: &OrderRecord) -> Tries {
        let id = record
            .order
            .payment_intent
            .clone()
            .expect("a payment intent");
        if !self.gateway.authorise(&id) {
            return Tries::Canceled;
        }
        for _ in 0..COMES_BACK_MAX {
            let (one, other) =
                tokio::join!(engine.payments.fulfil(&id), engine.payments.fulfil(&id));
            for answer in [one, other] {
                match answer.map(|fulfilled| fulfilled.status) {
                    Ok(FulfilStatus::Succeeded) => return Tries::Won,
                    Ok(FulfilStatus::NotCharged { .. }) => return Tries::NotCharged,
                    Ok(FulfilStatus::Processing) | Err(PaymentFailure::Unavailable) => {}
                    other => panic!("paying an order: {other:?}"),
                }
            }
            tokio::time::sleep(COME_BACK).await;
        }
        panic!("an order was not decided in {COMES_BACK_MAX} tries");
    }

    /// How many tickets a draw has left, reserved ones included.
    pub async fn left(&self, draw: DrawId) -> u16 {
        let view = self.engine().draws.view(draw).await.expect("a view");
        169 - view.sold
    }

    /// The invariants, and the comparison with the provider: money was taken exactly once for exactly what was sold.
    pub async fn nobody_was_wronged(&self) {
        let rows = self.postgres().violations().await.expect("the invariants");
        assert!(rows.is_empty(), "{rows:?}");
        let intents = self.gateway.intents();
        let taken: Vec<_> = intents
            .iter()
            .filter(|intent| intent.said.status == PaymentStatus::Succeeded)
            .collect();
        assert!(taken.iter().all(|intent| intent.captures == 1));
        let captured = "select count(*) from orders where captured_at is not null and $1 = ''";
        assert_eq!(
            self.database.count(captured, "").await,
            taken.len() as i64,
            "charged without a ticket"
        );
        let tickets = self
            .database
            .count("select count(*) from tickets where $1 = ''", "")
            .await;
        let paid: Cents = taken.iter().map(|intent| intent.said.amount_received).sum();
        assert_eq!(paid.0, tickets * PRICE.0, "money in is tickets out");
        let hangs = intents
            .iter()
            .filter(|intent| intent.said.status == PaymentStatus::RequiresCapture)
            .count();
        assert_eq!(hangs, 0, "authorisations hang");
    }

    /// How many deadlocks this database has seen. Ends the engine and every connection, because each tells what it saw when it
    /// goes.
    pub async fn deadlocks(&mut self) -> i64 {
        if let Some(engine) = self.engine.take() {
            engine.stop().await;
        }
        drop(self.postgres.take());
        self.database.deadlocks().await
    }

    pub async fn close(self) {
        if let Some(engine) = self.engine {
            engine.stop().await;
        }
    }
}
