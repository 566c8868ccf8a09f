//! Nodes on one street, with the same books, and what can befall the lines between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::testing::{FakeGateway, ManualClock};
use actors::{
    Answered, Denied, Draws, Engine, EngineParts, Errand, Neighbourhood, Neighbours, Placement,
    Unreachable,
};
use async_trait::async_trait;
use domain::{AccountId, ClubId, DrawId, View};
use persistence::memory::Memory;
use persistence::nodes::{Boot, Node, Nodes, Roll};
use persistence::{Failure, Ledger};
use tokio::sync::watch;

use super::DRAW;
use super::world::{NOON, PostOffice, reserve, snapshot};

/// How long an answer is waited for.
pub const AN_ANSWER: Duration = Duration::from_secs(1);

/// Where every node's handle is, while it answers.
#[derive(Clone, Default)]
pub struct Street {
    doors: Arc<Mutex<BTreeMap<Boot, Draws>>>,
    /// These do what they are asked, and what they answer is lost.
    unheard: Arc<Mutex<BTreeSet<Boot>>>,
    /// How long whoever gets no answer waits for it.
    silence: Arc<Mutex<Duration>>,
    /// How long the way there is.
    way: Arc<Mutex<Duration>>,
}

impl Street {
    async fn is_silent(&self) -> Answered {
        let silence = *self.silence.lock().unwrap();
        tokio::time::sleep(silence).await;
        Err(Unreachable::Silent)
    }

    pub fn takes(&self, time: Duration) {
        *self.way.lock().unwrap() = time;
    }
}

#[async_trait]
impl Neighbours for Street {
    async fn execute(&self, owner: &Node, draw: DrawId, errand: Errand) -> Answered {
        let way = *self.way.lock().unwrap();
        tokio::time::sleep(way).await;
        let there = self.doors.lock().unwrap().get(&owner.boot).cloned();
        let Some(there) = there else {
            return self.is_silent().await;
        };
        let answer = there.execute_here(draw, errand).await;
        let unheard = self.unheard.lock().unwrap().contains(&owner.boot);
        if unheard {
            self.is_silent().await
        } else {
            answer
        }
    }
}

/// The list of nodes, which a node that is cut off cannot reach.
pub struct Line {
    pub memory: Memory,
    open: watch::Receiver<bool>,
}

impl Line {
    async fn pass(&self) {
        self.open
            .clone()
            .wait_for(|open| *open)
            .await
            .expect("the node lives");
    }
}

#[async_trait]
impl Nodes for Line {
    async fn renew(&self, me: &Node) -> Result<Roll, Failure> {
        self.pass().await;
        self.memory.renew(me).await
    }

    async fn bury(&self, gone: Boot) -> Result<bool, Failure> {
        self.pass().await;
        self.memory.bury(gone).await
    }

    async fn leave(&self, me: Boot) -> Result<(), Failure> {
        self.memory.leave(me).await
    }

    fn vanish(&self, me: Boot) {
        self.memory.vanish(me);
    }
}

pub struct House {
    pub clock: ManualClock,
    pub memory: Memory,
    pub gateway: FakeGateway,
    pub street: Street,
}

pub struct Inhabitant {
    pub boot: Boot,
    pub engine: Engine,
    pub line: watch::Sender<bool>,
    pub street: Street,
}

impl House {
    pub fn with(numbers: &[i64]) -> House {
        let (clock, memory) = (ManualClock::new(NOON), Memory::new());
        memory.add_club(ClubId(1), AccountId("acct_club".into()));
        numbers
            .iter()
            .for_each(|number| memory.add_draw(snapshot(*number)));
        let database_clock = clock.clone();
        memory.set_clock(move || database_clock.true_now());
        let gateway = FakeGateway::new(Arc::new(clock.clone()));
        House {
            clock,
            memory,
            gateway,
            street: Street::default(),
        }
    }

    pub async fn node(&self, number: u128) -> Inhabitant {
        self.node_on(number, Arc::new(self.memory.clone())).await
    }

    /// The same, with a way of its own to the draws' books.
    pub async fn node_on(&self, number: u128, ledger: Arc<dyn Ledger>) -> Inhabitant {
        let (line, open) = watch::channel(true);
        let boot = Boot(number);
        let parts = EngineParts {
            ledger,
            books: Arc::new(self.memory.clone()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(self.clock.clone()),
            mail: Arc::new(PostOffice::default()),
            neighbourhood: Neighbourhood {
                me: Node {
                    boot,
                    address: format!("10.0.0.{number}:9080"),
                },
                nodes: Arc::new(Line {
                    memory: self.memory.clone(),
                    open,
                }),
                neighbours: Arc::new(self.street.clone()),
            },
        };
        let engine = Engine::start_at(parts, Placement::Current)
            .await
            .expect("the engine starts");
        self.street
            .doors
            .lock()
            .unwrap()
            .insert(boot, engine.draws.clone());
        Inhabitant {
            boot,
            engine,
            line,
            street: self.street.clone(),
        }
    }
}

impl Inhabitant {
    pub async fn reserves(&self, order: u128, count: u16) -> Result<View, Denied> {
        self.engine
            .draws
            .execute(DRAW, reserve(order, count), None)
            .await
            .map(|done| done.view)
    }

    /// It answers nobody.
    pub fn is_mute(&self) {
        self.street.doors.lock().unwrap().remove(&self.boot);
    }

    /// And who asks waits, as on a line that loses what is said.
    pub fn is_silent(&self) {
        *self.street.silence.lock().unwrap() = AN_ANSWER;
        self.is_mute();
    }

    /// What it is asked arrives, and is done; what it answers is lost.
    pub fn is_unheard(&self) {
        *self.street.silence.lock().unwrap() = AN_ANSWER;
        self.street.unheard.lock().unwrap().insert(self.boot);
    }

    pub fn is_heard(&self) {
        self.street.unheard.lock().unwrap().remove(&self.boot);
    }

    /// `kill -9`.
    pub fn dies(self) {
        self.is_mute();
        self.engine.kill();
    }
}

/// The owner of the draw, and another.
pub async fn two(house: &House) -> (Inhabitant, Inhabitant) {
    let one = house.node(1).await;
    (one, house.node(2).await)
}

/// The two of one draw, long enough together that they know each other and both have their leases.
pub async fn settled() -> (House, Inhabitant, Inhabitant) {
    let house = House::with(&[1042]);
    let (one, other) = two(&house).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    (house, one, other)
}
