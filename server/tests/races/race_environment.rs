//! The environment of a race: the engine on its own threads, a real Postgres, and a payment
//! provider in memory, without HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::time::Duration;

use actors::testing::FakeGateway;
use actors::{
    Clock, Engine, EngineDependencies, FulfilStatus, MailTransport, OpenOrderRequest,
    PaymentFailure, Peers, SystemClock, ThreadPlacement,
};
use async_trait::async_trait;
use domain::{
    AccountId, Cents, ClubId, DrawId, Line, OrderId, PaymentStatus, Refusal, Terms, Timestamp,
};
use futures_util::future::join_all;
use persistence::ledger::BuyerDetails;
use persistence::nodes::InstanceId;
use persistence::postgres::draws::NewDraw;
use persistence::stores::{Mail, OrderRecord};
use persistence::testing::{TestDatabase, database};
use persistence::{Ledger, Postgres};

pub const RACE_TICKET_PRICE: Cents = Cents(500);
const DAY_MS: i64 = 24 * 3_600_000;
/// Maximum number of tickets in one order.
const ORDER_TICKETS_MAX: u16 = 50;
/// Pause of a buyer before a retry, when the server is busy.
const RETRY_PAUSE: Duration = Duration::from_millis(3);
const PURCHASE_RETRIES_MAX: usize = 2_000;

/// A clock that is ahead of the machine's clock by a number of milliseconds.
#[derive(Clone, Default)]
pub struct ShiftedClock(Arc<AtomicI64>);

impl ShiftedClock {
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_ms(self.0.load(Ordering::SeqCst))
    }
}

struct NullMailer;

#[async_trait]
impl MailTransport for NullMailer {
    async fn send(&self, _: &Mail, _: Option<&OrderRecord>) -> Result<(), String> {
        Ok(())
    }
}

/// The outcome of an attempt to buy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PurchaseOutcome {
    Won,
    /// Refused with "Only N remaining."
    TooFew {
        draw: DrawId,
        free: u16,
    },
    NotCharged,
    /// The payment intent was cancelled before it could be paid.
    Canceled,
}

pub struct RaceEnvironment {
    pub database: TestDatabase,
    pub clock: ShiftedClock,
    pub gateway: FakeGateway,
    pub postgres: Option<Postgres>,
    pub engine: Option<Engine>,
    orders: AtomicU32,
}

fn account_id() -> AccountId {
    AccountId("acct_1".into())
}

impl RaceEnvironment {
    pub async fn open() -> RaceEnvironment {
        let mut environment = RaceEnvironment::open_without_engine().await;
        let postgres = environment.postgres.clone().expect("connected");
        environment.engine = Some(environment.start_engine_on(Arc::new(postgres)).await);
        environment
    }

    /// Creates the environment without an engine, for a test that starts its own engines.
    pub async fn open_without_engine() -> RaceEnvironment {
        let database = database().await;
        let postgres = database.postgres().await;
        database
            .execute_sql(
                "insert into clubs (id, name, email, password, home_page_slug, stripe_connect_account_id)
                 overriding system value values (1, 'Reds', 'reds@club.test', 'x', 'reds', 'acct_1')",
            )
            .await;
        let clock = ShiftedClock::default();
        let gateway = FakeGateway::new(Arc::new(clock.clone()));
        RaceEnvironment {
            database,
            clock,
            gateway,
            postgres: Some(postgres),
            engine: None,
            orders: AtomicU32::new(1),
        }
    }

    pub async fn start_engine_on(&self, ledger: Arc<dyn Ledger>) -> Engine {
        let parts = EngineDependencies {
            ledger,
            store: Arc::new(self.postgres()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(self.clock.clone()),
            mail: Arc::new(NullMailer),
            peers: Peers::of_single_node(InstanceId::random(), Arc::new(self.postgres())),
        };
        Engine::start_with_placement(parts, ThreadPlacement::OwnThreads { draws: 1 })
            .await
            .expect("the engine starts")
    }

    pub fn postgres(&self) -> Postgres {
        self.postgres.clone().expect("connected")
    }

    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the engine runs")
    }

    /// Creates `count` draws with `left` unsold tickets each.
    pub async fn create_draws_with_unsold_tickets(&self, count: usize, left: u16) -> Vec<DrawId> {
        let closes_at = SystemClock.now().plus_ms(7 * DAY_MS);
        let terms = Terms {
            price: RACE_TICKET_PRICE,
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at,
        };
        let new = (0..count)
            .map(|_| NewDraw::with_defaults(ClubId(1), "Broncos", "Eels", terms))
            .collect();
        let draws = self.postgres().create_draws(new).await.expect("draws");
        let mut sold = Vec::new();
        for draw in &draws {
            let mut rest = 169 - left;
            while rest > 0 {
                let some = rest.min(ORDER_TICKETS_MAX);
                sold.push(self.purchase(self.order_request(&[(*draw, some)])));
                rest -= some;
            }
        }
        assert!(
            join_all(sold)
                .await
                .iter()
                .all(|tried| *tried == PurchaseOutcome::Won),
            "the draws are sold up to the last"
        );
        draws
    }

    /// Returns a new buyer's request for an order of these draws and counts.
    pub fn order_request(&self, lines: &[(DrawId, u16)]) -> OpenOrderRequest {
        let number = self.orders.fetch_add(1, Ordering::Relaxed);
        let line = |(draw, count): &(DrawId, u16)| Line {
            draw: *draw,
            count: *count,
            unit_price: RACE_TICKET_PRICE,
            card_fee: Cents::ZERO,
        };
        OpenOrderRequest {
            client_key: format!("client-{number}"),
            token: format!("{number:032x}"),
            id: OrderId(u128::from(number)),
            club: ClubId(1),
            account: account_id(),
            lines: lines.iter().map(line).collect(),
            buyer: BuyerDetails {
                name: Some("Alice".into()),
                email: Some("alice@buyer.test".into()),
                phone: Some("0400000000".into()),
            },
            source: None,
        }
    }

    /// Makes a complete purchase, with retries. Two concurrent calls fulfil the order.
    pub async fn purchase(&self, wanted: OpenOrderRequest) -> PurchaseOutcome {
        match self.open_order(self.engine(), wanted).await {
            Ok(record) => self.pay(self.engine(), &record).await,
            Err(tried) => tried,
        }
    }

    pub async fn open_order(
        &self,
        engine: &Engine,
        wanted: OpenOrderRequest,
    ) -> Result<OrderRecord, PurchaseOutcome> {
        for _ in 0..PURCHASE_RETRIES_MAX {
            match engine.payments.open(wanted.clone()).await {
                Ok(record) => return Ok(record),
                Err(PaymentFailure::Refused {
                    draw,
                    refusal: Refusal::TooFewTickets { free },
                }) => {
                    return Err(PurchaseOutcome::TooFew { draw, free });
                }
                // The server is busy (503), so the buyer retries after a pause.
                Err(PaymentFailure::Unavailable) => tokio::time::sleep(RETRY_PAUSE).await,
                Err(other) => panic!("opening an order: {other}"),
            }
        }
        panic!("an order could not be opened in {PURCHASE_RETRIES_MAX} tries");
    }

    pub async fn pay(&self, engine: &Engine, record: &OrderRecord) -> PurchaseOutcome {
        let id = record
            .order
            .payment_intent
            .clone()
            .expect("a payment intent");
        if !self.gateway.authorise(&id) {
            return PurchaseOutcome::Canceled;
        }
        for _ in 0..PURCHASE_RETRIES_MAX {
            let (one, other) =
                tokio::join!(engine.payments.fulfil(&id), engine.payments.fulfil(&id));
            for answer in [one, other] {
                match answer.map(|fulfilled| fulfilled.status) {
                    Ok(FulfilStatus::Succeeded) => return PurchaseOutcome::Won,
                    Ok(FulfilStatus::NotCharged { .. }) => return PurchaseOutcome::NotCharged,
                    Ok(FulfilStatus::Processing) | Err(PaymentFailure::Unavailable) => {}
                    other => panic!("paying an order: {other:?}"),
                }
            }
            tokio::time::sleep(RETRY_PAUSE).await;
        }
        panic!("an order was not decided in {PURCHASE_RETRIES_MAX} tries");
    }

    /// Returns the number of unsold tickets of a draw. Reserved tickets count as unsold.
    pub async fn count_unsold_tickets(&self, draw: DrawId) -> u16 {
        let view = self.engine().draws.view(draw).await.expect("a view");
        169 - view.sold
    }

    /// Checks the database's invariants, and that the provider captured exactly the amount of the
    /// sold tickets.
    pub async fn assert_consistent(&self) {
        let rows = self.postgres().violations().await.expect("the invariants");
        assert!(rows.is_empty(), "{rows:?}");
        let intents = self.gateway.intents();
        let captured_intents: Vec<_> = intents
            .iter()
            .filter(|intent| intent.said.status == PaymentStatus::Succeeded)
            .collect();
        assert!(captured_intents.iter().all(|intent| intent.captures == 1));
        let captured = "select count(*) from orders where captured_at is not null and $1 = ''";
        assert_eq!(
            self.database.query_number(captured, "").await,
            captured_intents.len() as i64,
            "a payment was captured without a ticket"
        );
        let tickets = self
            .database
            .query_number("select count(*) from tickets where $1 = ''", "")
            .await;
        let paid: Cents = captured_intents
            .iter()
            .map(|intent| intent.said.amount_received)
            .sum();
        assert_eq!(
            paid.0,
            tickets * RACE_TICKET_PRICE.0,
            "money in is tickets out"
        );
        let uncaptured = intents
            .iter()
            .filter(|intent| intent.said.status == PaymentStatus::RequiresCapture)
            .count();
        assert_eq!(uncaptured, 0, "some authorisations are not decided");
    }

    /// Returns the number of deadlocks that the database counted. Stops the engine and closes all
    /// connections first, because each reports its counts when it ends.
    pub async fn count_deadlocks(&mut self) -> i64 {
        if let Some(engine) = self.engine.take() {
            engine.stop().await;
        }
        drop(self.postgres.take());
        self.database.count_deadlocks().await
    }

    pub async fn close(self) {
        if let Some(engine) = self.engine {
            engine.stop().await;
        }
    }
}
