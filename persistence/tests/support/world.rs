//! Support for the tests of both stores: a club with some draws, and an owner that decides, writes
//! and applies commands like an actor.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::Arc;

use domain::draw::DrawSnapshot;
use domain::{
    AccountId, AllocationAuthority, Cents, ClubId, Command, Deal, Draw, DrawId, Event, FeePolicy,
    Line, OrderId, PaymentIntent, PaymentIntentId, PaymentOrigin, PaymentStatus, Seed, Terms,
    Timestamp,
};
use persistence::ledger::{AttachedWrite, BuyerDetails, DrawClaims, DrawCommit, NewOrder};
use persistence::memory::MemoryStores;
use persistence::nodes::{InstanceId, Node, OtherNodes};
use persistence::postgres::draws::NewDraw;
use persistence::stores::OrderRecord;
use persistence::testing::{TestDatabase, database};
use persistence::{Failure, Ledger, Nodes, PaymentStores, Postgres};
use sqlx::postgres::PgConnection;

/// The time by the clock of the actors. Kick-off is long after it, and long after the database's
/// time.
pub const NOW: Timestamp = Timestamp(1_900_000_000_000);
pub const KICK_OFF: Timestamp = Timestamp(4_100_000_000_000);
pub const TERMS: Terms = Terms {
    price: Cents(500),
    prize_percentage: 50,
    round_up_prize: false,
    opens_at: None,
    closes_at: KICK_OFF,
};
pub const CLUB: ClubId = ClubId(1);
/// A node that never gets a lease, so that any later claim can take its draws.
pub const LEASELESS_NODE: InstanceId = InstanceId(7);

pub fn account() -> AccountId {
    AccountId("acct_1".into())
}

pub struct TestWorld {
    pub ledger: Arc<dyn Ledger>,
    pub stores: Arc<dyn PaymentStores>,
    pub memory: Option<MemoryStores>,
    pub postgres: Option<(TestDatabase, Postgres)>,
    pub draws: Vec<DrawId>,
}

impl TestWorld {
    pub fn in_memory(terms: &[Terms]) -> TestWorld {
        let memory = MemoryStores::new();
        memory.add_club(CLUB, account());
        let draws: Vec<DrawId> = (0..terms.len() as i64).map(|n| DrawId(1001 + n)).collect();
        for (id, terms) in draws.iter().zip(terms) {
            memory.add_draw(new_draw_snapshot(*id, *terms));
        }
        TestWorld {
            ledger: Arc::new(memory.clone()),
            stores: Arc::new(memory.clone()),
            memory: Some(memory),
            postgres: None,
            draws,
        }
    }

    pub async fn in_postgres(terms: &[Terms]) -> TestWorld {
        let database = database().await;
        let postgres = database.postgres().await;
        sqlx::query(
            "insert into clubs (id, name, email, password, home_page_slug, stripe_connect_account_id)
             overriding system value values (1, 'Reds', 'reds@club.test', 'x', 'reds', 'acct_1')",
        )
        .execute(&mut database.connection().await)
        .await
        .expect("a club");
        let new = terms.iter().enumerate().map(|(n, terms)| NewDraw {
            seed: seed_of_draw(n as i64),
            ..NewDraw::with_defaults(CLUB, "Broncos", "Eels", *terms)
        });
        let draws = postgres.create_draws(new.collect()).await.expect("draws");
        TestWorld {
            ledger: Arc::new(postgres.clone()),
            stores: Arc::new(postgres.clone()),
            memory: None,
            postgres: Some((database, postgres)),
            draws,
        }
    }

    pub async fn owner(&self, draw: usize) -> DrawOwner {
        let mut claimed = self
            .ledger
            .claim(LEASELESS_NODE, &[self.draws[draw]])
            .await
            .expect("claimed");
        let claimed = claimed.taken.remove(0);
        DrawOwner {
            ledger: self.ledger.clone(),
            epoch: claimed.epoch,
            draw: Draw::restore(claimed.snapshot),
            at: NOW,
        }
    }

    /// Returns another process that uses the same store.
    pub async fn process(&self, number: u128) -> Process {
        let node = Node {
            boot: InstanceId(number),
            address: format!("10.0.0.{number}:8080"),
        };
        match (&self.memory, &self.postgres) {
            (Some(memory), _) => Process {
                node,
                stores: ProcessStore::Memory(memory.clone()),
            },
            (None, Some((database, _))) => Process {
                node,
                stores: ProcessStore::Postgres(database.postgres().await),
            },
            (None, None) => unreachable!("a world has a memory"),
        }
    }

    /// Ends the leases of all nodes.
    pub async fn end_all_node_leases(&self) {
        if let Some(memory) = &self.memory {
            memory.end_all_node_leases();
        } else {
            let end = sqlx::query("update nodes set lease_until = clock_timestamp()");
            end.execute(&mut self.connection().await)
                .await
                .expect("ended");
        }
    }

    pub async fn connection(&self) -> PgConnection {
        self.postgres
            .as_ref()
            .expect("a world in Postgres")
            .0
            .connection()
            .await
    }

    /// Returns a new order. `counts` are pairs of a draw's index and a ticket count.
    pub fn order(&self, id: u128, counts: &[(usize, u16)]) -> NewOrder {
        let lines = counts
            .iter()
            .map(|(draw, count)| line(self.draws[*draw], *count));
        NewOrder {
            id: OrderId(id),
            club: CLUB,
            account: account(),
            client_key: format!("key-{id}"),
            token: format!("{id:032x}"),
            lines: lines.collect(),
            buyer: buyer(),
            at: NOW,
            authorised_at: None,
            payment_intent: None,
        }
    }

    pub async fn record(&self, id: u128) -> OrderRecord {
        self.stores
            .order(OrderId(id))
            .await
            .expect("read")
            .expect("the order")
    }

    /// Buys tickets of one draw. The order ends in the state `allocated`.
    pub async fn buy_until_allocated(
        &self,
        owner: &mut DrawOwner,
        id: u128,
        count: u16,
    ) -> OrderRecord {
        let draw = self
            .draws
            .iter()
            .position(|draw| *draw == owner.draw.id())
            .expect("one of ours");
        owner
            .open(self.order(id, &[(draw, count)]))
            .await
            .expect("opened");
        self.stores
            .record_payment_intent(OrderId(id), &intent_id(id), "secret")
            .await
            .expect("opened");
        owner.allocate(id, count).await.expect("allocated");
        self.record(id).await
    }

    /// Buys tickets of one draw. The order ends in the state `captured`.
    pub async fn buy_until_captured(
        &self,
        owner: &mut DrawOwner,
        id: u128,
        count: u16,
    ) -> OrderRecord {
        let record = self.buy_until_allocated(owner, id, count).await;
        self.stores
            .record_capture(
                OrderId(id),
                &provider_intent(&record, PaymentStatus::Succeeded),
                NOW,
            )
            .await
            .expect("captured");
        self.record(id).await
    }
}

/// A process with its own connection to the shared store.
pub struct Process {
    pub node: Node,
    stores: ProcessStore,
}

enum ProcessStore {
    Memory(MemoryStores),
    Postgres(Postgres),
}

impl Process {
    pub fn nodes(&self) -> &dyn Nodes {
        match &self.stores {
            ProcessStore::Memory(memory) => memory,
            ProcessStore::Postgres(postgres) => postgres,
        }
    }

    pub fn ledger(&self) -> Arc<dyn Ledger> {
        match &self.stores {
            ProcessStore::Memory(memory) => Arc::new(memory.clone()),
            ProcessStore::Postgres(postgres) => Arc::new(postgres.clone()),
        }
    }

    pub async fn renew(&self) -> OtherNodes {
        self.nodes().renew(&self.node).await.expect("renewed")
    }

    pub async fn claim(&self, draws: &[DrawId]) -> DrawClaims {
        self.ledger()
            .claim(self.node.boot, draws)
            .await
            .expect("claimed")
    }

    /// Ends the process as `kill -9` does. In Postgres, its connections are closed.
    pub fn kill(self) -> InstanceId {
        self.nodes().simulate_kill(self.node.boot);
        self.node.boot
    }
}

pub fn line(draw: DrawId, count: u16) -> Line {
    Line {
        draw,
        count,
        unit_price: TERMS.price,
        card_fee: Cents(30),
    }
}

pub fn buyer() -> BuyerDetails {
    BuyerDetails {
        name: Some("Alice".into()),
        email: Some("alice@buyer.test".into()),
        phone: None,
    }
}

pub fn intent_id(order: u128) -> PaymentIntentId {
    PaymentIntentId(format!("pi_{order}"))
}

/// Returns an order's payment intent as the provider would report it, with the given status.
pub fn provider_intent(record: &OrderRecord, status: PaymentStatus) -> PaymentIntent {
    let taken = status == PaymentStatus::Succeeded;
    let total = record.order.total();
    PaymentIntent {
        id: record.order.payment_intent.clone().expect("opened"),
        account: record.order.account.clone(),
        status,
        amount: total,
        amount_received: if taken { total } else { Cents::ZERO },
        amount_refunded: Cents::ZERO,
        refunds: Vec::new(),
        application_fee: if taken {
            record.order.application_fee
        } else {
            Cents::ZERO
        },
        application_fee_refunded: Cents::ZERO,
        currency: "aud".into(),
        origin: PaymentOrigin::default(),
        order: Some(record.order.id),
        provider_fee: None,
        dispute: None,
        authorised_at: None,
        draws: Vec::new(),
        method: None,
        decline: None,
    }
}

fn seed_of_draw(draw: i64) -> Seed {
    Seed([draw as u8; 32])
}

fn new_draw_snapshot(id: DrawId, terms: Terms) -> DrawSnapshot {
    DrawSnapshot {
        id,
        terms,
        fee_policy: FeePolicy::DEFAULT,
        deal: Deal::new(seed_of_draw(id.0 - 1001)),
        status: domain::Status::Active,
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

/// The owner of a draw. It decides commands, writes their commits and applies the events, like an
/// actor.
#[derive(Clone)]
pub struct DrawOwner {
    pub ledger: Arc<dyn Ledger>,
    pub epoch: i64,
    pub draw: Draw,
    /// The current time by the owner's clock.
    pub at: Timestamp,
}

impl DrawOwner {
    pub async fn execute(
        &mut self,
        command: Command,
        attached_write: Option<AttachedWrite>,
    ) -> Result<Vec<Event>, Failure> {
        let events = self
            .draw
            .decide(self.at, &command)
            .unwrap_or_else(|refusal| panic!("{command:?}: {refusal}"));
        if events.is_empty() {
            return Ok(events);
        }
        self.ledger
            .append(vec![self.commit(&command, events.clone(), attached_write)])
            .await?;
        self.draw.apply(&events);
        Ok(events)
    }

    pub fn commit(
        &self,
        command: &Command,
        events: Vec<Event>,
        attached_write: Option<AttachedWrite>,
    ) -> DrawCommit {
        DrawCommit {
            draw: self.draw.id(),
            epoch: self.epoch,
            after: self.draw.revision(),
            events,
            at: self.at,
            sells: matches!(
                command,
                Command::Allocate {
                    authority: AllocationAuthority::Sale,
                    ..
                }
            ),
            attached_write,
            act: None,
        }
    }

    pub fn reserve_command(&self, id: u128, count: u16) -> Command {
        Command::Reserve {
            order: OrderId(id),
            count,
            until: NOW.plus_seconds(150),
        }
    }

    pub fn sale_command(&self, id: u128, count: u16) -> Command {
        let unit_price = self.draw.terms().price;
        Command::Allocate {
            order: OrderId(id),
            count,
            unit_price,
            authority: AllocationAuthority::Sale,
        }
    }

    /// Opens an order together with its reservation in this draw.
    pub async fn open(&mut self, order: NewOrder) -> Result<Vec<Event>, Failure> {
        let count = order
            .lines
            .iter()
            .find(|line| line.draw == self.draw.id())
            .expect("a line of this draw")
            .count;
        let command = self.reserve_command(order.id.0, count);
        self.execute(command, Some(AttachedWrite::Open(order)))
            .await
    }

    pub async fn allocate(&mut self, id: u128, count: u16) -> Result<Vec<Event>, Failure> {
        let attached_write = AttachedWrite::Authorised {
            order: OrderId(id),
            at: NOW,
        };
        self.execute(self.sale_command(id, count), Some(attached_write))
            .await
    }

    /// Takes back the order's tickets, whether the order was captured or not.
    pub async fn void(&mut self, id: u128) -> Result<Vec<Event>, Failure> {
        match self.void_with_charged_flag(id, true).await {
            Err(Failure::NotFound) => self.void_with_charged_flag(id, false).await,
            voided => voided,
        }
    }

    pub async fn void_with_charged_flag(
        &mut self,
        id: u128,
        charged: bool,
    ) -> Result<Vec<Event>, Failure> {
        self.execute(
            Command::Void {
                order: OrderId(id),
                charged,
            },
            None,
        )
        .await
    }
}
