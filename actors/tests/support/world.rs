//! A test world in memory: store, provider, mailbox, and an engine that can be killed. Time is
//! paused.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::testing::{FakeGateway, ManualClock};
use actors::{
    Draws, Engine, EngineDependencies, FulfilmentResult, MailTransport, OpenOrderRequest,
    PaymentFailure, Payments, Peers, ThreadPlacement,
};
use async_trait::async_trait;
use domain::draw::DrawSnapshot;
use domain::{
    AccountId, Cents, ClubId, Command, Deal, DrawId, FeePolicy, Line, OrderId, PaymentIntentId,
    Seed, Status, Terms, Timestamp,
};
use persistence::Ledger;
use persistence::ledger::BuyerDetails;
use persistence::memory::MemoryStores;
use persistence::nodes::InstanceId;
use persistence::stores::{Mail, OrderRecord};

/// A Saturday noon. Kick-off of every draw is three hours later.
pub const NOON: Timestamp = Timestamp(1_795_226_400_000);
pub const KICK_OFF: Timestamp = Timestamp(NOON.0 + 3 * 3_600_000);
pub const PRICE: Cents = Cents(500);

pub fn account() -> AccountId {
    AccountId("acct_club".into())
}

/// A mailer that records the mails it delivered.
#[derive(Clone, Default)]
pub struct RecordingMailer {
    pub delivered: Arc<Mutex<Vec<Mail>>>,
    pub is_down: Arc<Mutex<bool>>,
    /// Whether the mail server accepts mails without ever answering.
    pub hangs: Arc<Mutex<bool>>,
}

#[async_trait]
impl MailTransport for RecordingMailer {
    async fn send(&self, mail: &Mail, _order: Option<&OrderRecord>) -> Result<(), String> {
        if *self.is_down.lock().unwrap() {
            return Err("the mail server is down".into());
        }
        let hangs = *self.hangs.lock().unwrap();
        if hangs {
            std::future::pending::<()>().await;
        }
        self.delivered.lock().unwrap().push(mail.clone());
        Ok(())
    }
}

pub struct TestWorld {
    pub clock: ManualClock,
    pub memory: MemoryStores,
    pub gateway: FakeGateway,
    pub mailer: RecordingMailer,
    pub engine: Option<Engine>,
    /// The ledger that the engine uses.
    ledger: Arc<dyn Ledger>,
    orders: AtomicU32,
    instances: u128,
}

/// Runs a test in an actix system on one thread with paused time.
pub fn run_in_paused_time<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime")
    };
    actix::System::with_tokio_rt(runtime).block_on(async { test().await });
}

pub fn draw_snapshot(number: i64) -> DrawSnapshot {
    DrawSnapshot {
        id: DrawId(number),
        terms: Terms {
            price: PRICE,
            prize_percentage: 50,
            round_up_prize: false,
            opens_at: None,
            closes_at: KICK_OFF,
        },
        fee_policy: FeePolicy::DEFAULT,
        deal: Deal::new(Seed([number as u8; 32])),
        status: Status::Active,
        revision: 0,
        reservations: Vec::new(),
        allocations: Vec::new(),
        revenue: Cents::ZERO,
        fee: Cents::ZERO,
        outcome: None,
        archived: false,
        revealed: false,
        returned: Vec::new(),
    }
}

impl TestWorld {
    /// Creates a world in which the draws with these numbers are on sale.
    pub async fn with_draws(numbers: &[i64]) -> TestWorld {
        TestWorld::with_ledger(|memory| Arc::new(memory), numbers).await
    }

    /// Like [`Self::with_draws`], but the engine uses the ledger that `ledger` returns.
    pub async fn with_ledger(
        ledger: impl FnOnce(MemoryStores) -> Arc<dyn Ledger>,
        numbers: &[i64],
    ) -> TestWorld {
        let clock = ManualClock::new(NOON);
        let memory = MemoryStores::new();
        memory.add_club(ClubId(1), account());
        for number in numbers {
            memory.add_draw(draw_snapshot(*number));
        }
        let database_clock = clock.clone();
        memory.set_clock(move || database_clock.true_now());
        let gateway = FakeGateway::new(Arc::new(clock.clone()));
        let mut world = TestWorld {
            clock,
            ledger: ledger(memory.clone()),
            memory,
            gateway,
            mailer: RecordingMailer::default(),
            engine: None,
            orders: AtomicU32::new(1),
            instances: 0,
        };
        world.start_engine().await;
        world
    }

    pub async fn start_engine(&mut self) {
        self.instances += 1;
        let nodes = Arc::new(self.memory.clone());
        let parts = EngineDependencies {
            ledger: self.ledger.clone(),
            store: Arc::new(self.memory.clone()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(self.clock.clone()),
            mail: Arc::new(self.mailer.clone()),
            peers: Peers::of_single_node(InstanceId(self.instances), nodes),
        };
        self.engine = Some(
            Engine::start_with_placement(parts, ThreadPlacement::Current)
                .await
                .expect("the engine starts"),
        );
    }

    /// Kills the engine and starts a new one.
    pub async fn restart_engine(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.kill();
        }
        self.start_engine().await;
    }

    /// Kills the engine and starts a new one on a restored backup.
    pub async fn restart_engine_on(&mut self, backup: MemoryStores) {
        let database_clock = self.clock.clone();
        backup.set_clock(move || database_clock.true_now());
        self.ledger = Arc::new(backup.clone());
        self.memory = backup;
        self.restart_engine().await;
    }

    pub fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the engine runs")
    }

    pub fn draws(&self) -> Draws {
        self.engine().draws.clone()
    }

    pub fn payments(&self) -> Payments {
        self.engine().payments.clone()
    }

    pub async fn advance_seconds(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds)).await;
    }

    /// Returns the request of a new buyer for an order. `lines`: draw number and count.
    pub fn order_request(&self, lines: &[(i64, u16)]) -> OpenOrderRequest {
        let number = self.orders.fetch_add(1, Ordering::Relaxed);
        OpenOrderRequest {
            client_key: format!("client-{number}"),
            token: format!("{number:032x}"),
            id: OrderId(u128::from(number)),
            club: ClubId(1),
            account: account(),
            lines: lines
                .iter()
                .map(|(draw, count)| order_line(*draw, *count))
                .collect(),
            buyer: BuyerDetails {
                name: Some("Alice".into()),
                email: Some("alice@example.org".into()),
                phone: Some("0400000000".into()),
            },
            source: None,
        }
    }

    pub async fn open_order(&self, lines: &[(i64, u16)]) -> OrderRecord {
        self.payments()
            .open(self.order_request(lines))
            .await
            .expect("the order opens")
    }

    pub async fn fulfil(&self, record: &OrderRecord) -> Result<FulfilmentResult, PaymentFailure> {
        self.payments().fulfil(&intent_of(record)).await
    }

    /// Opens, authorises and fulfils an order. `lines`: draw number and count.
    pub async fn buy_tickets(&self, lines: &[(i64, u16)]) -> OrderRecord {
        let record = self.open_order(lines).await;
        assert!(self.gateway.authorise(&intent_of(&record)));
        self.fulfil(&record).await.expect("fulfilled").record
    }

    /// Returns the current stored state of an order.
    pub fn stored_order(&self, record: &OrderRecord) -> OrderRecord {
        self.memory
            .orders()
            .into_iter()
            .find(|row| row.order.id == record.order.id)
            .expect("the order is stored")
    }

    pub fn sold_in_draw(&self, number: i64) -> u16 {
        self.memory
            .draws()
            .iter()
            .find(|draw| draw.id() == DrawId(number))
            .expect("the draw")
            .sold()
    }

    pub fn held_in_draw(&self, number: i64) -> u16 {
        self.memory
            .draws()
            .iter()
            .find(|draw| draw.id() == DrawId(number))
            .expect("the draw")
            .held()
    }

    pub fn mails(&self) -> Vec<Mail> {
        self.mailer.delivered.lock().unwrap().clone()
    }

    /// Delivers every webhook that the provider has queued.
    pub async fn deliver_queued_webhooks(&self) {
        for notice in self.gateway.take_webhook_events() {
            self.payments()
                .store_webhook_event(notice)
                .await
                .expect("stored");
        }
    }

    /// Asserts what must hold whenever no work is pending: the captured money equals tickets and
    /// refunds, and tables, journal and views agree.
    pub fn assert_consistent(&self) {
        let drawn = self.memory.draws();
        assert_eq!(
            drawn,
            self.memory.replayed_draws(),
            "tables and journal agree"
        );
        for draw in &drawn {
            draw.assert_invariants();
        }
        for view in self.draws().views() {
            let draw = drawn
                .iter()
                .find(|draw| draw.id() == view.draw)
                .expect("a draw that is shown");
            assert_eq!(draw.view(), view, "what is shown is what is written");
        }
        for intent in self.gateway.intents() {
            assert!(
                intent.captures <= 1,
                "{} was captured {} times",
                intent.said.id,
                intent.captures
            );
        }
        let fees: Cents = drawn.iter().map(domain::Draw::fee).sum();
        let takings = self.gateway.provider_account_totals(&account());
        assert_eq!(
            takings.fees - takings.fees_refunded,
            fees,
            "the platform keeps what its ledger says"
        );
        let paid: Cents = self
            .memory
            .orders()
            .iter()
            .filter(|row| row.captured_at.is_some())
            .map(|row| row.order.total())
            .sum();
        assert_eq!(
            takings.captured, paid,
            "what was taken is what was captured"
        );
    }
}

pub fn order_line(draw: i64, count: u16) -> Line {
    Line {
        draw: DrawId(draw),
        count,
        unit_price: PRICE,
        card_fee: Cents::ZERO,
    }
}

pub fn intent_of(record: &OrderRecord) -> PaymentIntentId {
    record
        .order
        .payment_intent
        .clone()
        .expect("a payment intent")
}

pub fn reserve_command(order: u128, count: u16) -> Command {
    Command::Reserve {
        order: OrderId(order),
        count,
        until: Timestamp(NOON.0 + 150_000),
    }
}
