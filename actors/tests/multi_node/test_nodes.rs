//! Test nodes that share one store, and faults on the connections between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::testing::{FakeGateway, ManualClock};
use actors::{
    Denied, DrawRequest, Draws, Engine, EngineDependencies, PeerAnswer, PeerClient, PeerError,
    Peers, ThreadPlacement,
};
use async_trait::async_trait;
use domain::{AccountId, ClubId, DrawId, View};
use persistence::memory::MemoryStores;
use persistence::nodes::{InstanceId, Node, Nodes, OtherNodes};
use persistence::{Failure, Ledger};
use tokio::sync::watch;

use super::DRAW;
use super::world::{NOON, RecordingMailer, draw_snapshot, reserve_command};

/// How long a node waits for another node's answer.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);

/// A simulated network between nodes. It contains a handle to every node that answers.
#[derive(Clone, Default)]
pub struct FakeNetwork {
    handles: Arc<Mutex<BTreeMap<InstanceId, Draws>>>,
    /// Nodes that execute requests while their answers are lost.
    answers_lost: Arc<Mutex<BTreeSet<InstanceId>>>,
    /// How long a caller waits when no answer comes.
    no_answer_wait: Arc<Mutex<Duration>>,
    /// Delay before a request reaches its node.
    request_delay: Arc<Mutex<Duration>>,
}

impl FakeNetwork {
    async fn wait_without_answer(&self) -> PeerAnswer {
        let no_answer_wait = *self.no_answer_wait.lock().unwrap();
        tokio::time::sleep(no_answer_wait).await;
        Err(PeerError::Silent)
    }

    pub fn set_request_delay(&self, time: Duration) {
        *self.request_delay.lock().unwrap() = time;
    }
}

#[async_trait]
impl PeerClient for FakeNetwork {
    async fn execute(&self, owner: &Node, draw: DrawId, request: DrawRequest) -> PeerAnswer {
        let request_delay = *self.request_delay.lock().unwrap();
        tokio::time::sleep(request_delay).await;
        let there = self.handles.lock().unwrap().get(&owner.boot).cloned();
        let Some(there) = there else {
            return self.wait_without_answer().await;
        };
        let answer = there.execute_on_this_node(draw, request).await;
        let answers_lost = self.answers_lost.lock().unwrap().contains(&owner.boot);
        if answers_lost {
            self.wait_without_answer().await
        } else {
            answer
        }
    }
}

/// A node's connection to the shared store. A node that is cut off gets no answer.
pub struct InterruptibleNodes {
    pub memory: MemoryStores,
    open: watch::Receiver<bool>,
}

impl InterruptibleNodes {
    async fn wait_until_link_is_open(&self) {
        self.open
            .clone()
            .wait_for(|open| *open)
            .await
            .expect("the node lives");
    }
}

#[async_trait]
impl Nodes for InterruptibleNodes {
    async fn renew(&self, me: &Node) -> Result<OtherNodes, Failure> {
        self.wait_until_link_is_open().await;
        self.memory.renew(me).await
    }

    async fn remove_ended_node(&self, gone: InstanceId) -> Result<bool, Failure> {
        self.wait_until_link_is_open().await;
        self.memory.remove_ended_node(gone).await
    }

    async fn leave(&self, me: InstanceId) -> Result<(), Failure> {
        self.memory.leave(me).await
    }

    fn simulate_kill(&self, me: InstanceId) {
        self.memory.simulate_kill(me);
    }
}

pub struct TestNodes {
    pub clock: ManualClock,
    pub memory: MemoryStores,
    pub gateway: FakeGateway,
    pub network: FakeNetwork,
}

pub struct TestNode {
    pub boot: InstanceId,
    pub engine: Engine,
    pub database_link: watch::Sender<bool>,
    pub network: FakeNetwork,
}

impl TestNodes {
    pub fn with_draws(numbers: &[i64]) -> TestNodes {
        let (clock, memory) = (ManualClock::new(NOON), MemoryStores::new());
        memory.add_club(ClubId(1), AccountId("acct_club".into()));
        for number in numbers {
            memory.add_draw(draw_snapshot(*number));
        }
        let database_clock = clock.clone();
        memory.set_clock(move || database_clock.true_now());
        let gateway = FakeGateway::new(Arc::new(clock.clone()));
        TestNodes {
            clock,
            memory,
            gateway,
            network: FakeNetwork::default(),
        }
    }

    pub async fn start_node(&self, number: u128) -> TestNode {
        self.start_node_with_ledger(number, Arc::new(self.memory.clone()))
            .await
    }

    /// Starts a node with the given ledger.
    pub async fn start_node_with_ledger(&self, number: u128, ledger: Arc<dyn Ledger>) -> TestNode {
        let (line, open) = watch::channel(true);
        let boot = InstanceId(number);
        let parts = EngineDependencies {
            ledger,
            store: Arc::new(self.memory.clone()),
            gateway: Arc::new(self.gateway.clone()),
            clock: Arc::new(self.clock.clone()),
            mail: Arc::new(RecordingMailer::default()),
            peers: Peers {
                me: Node {
                    boot,
                    address: format!("10.0.0.{number}:9080"),
                },
                nodes: Arc::new(InterruptibleNodes {
                    memory: self.memory.clone(),
                    open,
                }),
                client: Arc::new(self.network.clone()),
            },
        };
        let engine = Engine::start_with_placement(parts, ThreadPlacement::Current)
            .await
            .expect("the engine starts");
        self.network
            .handles
            .lock()
            .unwrap()
            .insert(boot, engine.draws.clone());
        TestNode {
            boot,
            engine,
            database_link: line,
            network: self.network.clone(),
        }
    }
}

impl TestNode {
    pub async fn reserve(&self, order: u128, count: u16) -> Result<View, Denied> {
        self.engine
            .draws
            .execute(DRAW, reserve_command(order, count), None)
            .await
            .map(|done| done.view)
    }

    /// Makes the node refuse connections at once.
    pub fn stop_answering(&self) {
        self.network.handles.lock().unwrap().remove(&self.boot);
    }

    /// Makes the node ignore requests: callers wait until their timeout, as if packets were
    /// dropped.
    pub fn drop_requests(&self) {
        *self.network.no_answer_wait.lock().unwrap() = ANSWER_TIMEOUT;
        self.stop_answering();
    }

    /// Lets requests reach this node and be executed, but loses its answers.
    pub fn lose_answers(&self) {
        *self.network.no_answer_wait.lock().unwrap() = ANSWER_TIMEOUT;
        self.network.answers_lost.lock().unwrap().insert(self.boot);
    }

    pub fn deliver_answers(&self) {
        self.network.answers_lost.lock().unwrap().remove(&self.boot);
    }

    /// Kills the process, as `kill -9` does.
    pub fn kill(self) {
        self.stop_answering();
        self.engine.kill();
    }
}

/// Starts two nodes. The first one owns the draw.
pub async fn start_two_nodes(nodes: &TestNodes) -> (TestNode, TestNode) {
    let one = nodes.start_node(1).await;
    (one, nodes.start_node(2).await)
}

/// Starts two nodes with one draw, and waits until each knows the other and has a lease.
pub async fn start_two_settled_nodes() -> (TestNodes, TestNode, TestNode) {
    let nodes = TestNodes::with_draws(&[1042]);
    let (one, other) = start_two_nodes(&nodes).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    (nodes, one, other)
}
