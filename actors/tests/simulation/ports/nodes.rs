//! The list of nodes, and the calls between nodes, as a simulated process reaches them.

use std::time::Duration;

use actors::{DrawRequest, PeerAnswer, PeerClient, PeerError};
use async_trait::async_trait;
use domain::DrawId;
use persistence::Failure;
use persistence::nodes::{InstanceId, Node, Nodes, OtherNodes};
use tokio::time::{Instant, sleep_until};

use super::{Owner, enter, enter_beat, leave, leave_beat};

/// How long a node waits for another node's response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);

pub struct NodesPort(Owner);

impl NodesPort {
    pub fn new(owner: Owner) -> NodesPort {
        NodesPort(owner)
    }
}

#[async_trait]
impl Nodes for NodesPort {
    async fn renew(&self, me: &Node) -> Result<OtherNodes, Failure> {
        enter_beat(&self.0).await?;
        let roll = self.0.0.memory.renew(me).await;
        leave_beat(&self.0).await.and(roll)
    }

    async fn remove_ended(&self, gone: InstanceId) -> Result<bool, Failure> {
        enter_beat(&self.0).await?;
        let buried = self.0.0.memory.remove_ended(gone).await;
        if buried == Ok(true) {
            self.0.0.watch.met("a dead node buried");
        }
        leave_beat(&self.0).await.and(buried)
    }

    async fn leave(&self, me: InstanceId) -> Result<(), Failure> {
        enter(&self.0).await?;
        let left = self.0.0.memory.leave(me).await;
        leave(&self.0).await.and(left)
    }

    fn simulate_kill(&self, me: InstanceId) {
        self.0.0.memory.simulate_kill(me);
    }
}

/// A client for calls from one simulated node to another. The other node may hang or be dead, and
/// its response may be lost.
pub struct Street(Owner);

impl Street {
    pub fn new(owner: Owner) -> Street {
        Street(owner)
    }
}

#[async_trait]
impl PeerClient for Street {
    async fn execute(&self, owner: &Node, draw: DrawId, request: DrawRequest) -> PeerAnswer {
        let (world, process) = &self.0;
        process.pass().await;
        world.watch.met("a command forwarded");
        let other = world
            .house
            .process_of(owner.boot)
            .ok_or(PeerError::Silent)?;
        let timeout_at = Instant::now() + RESPONSE_TIMEOUT;
        let request = async {
            other.pass().await;
            let draws = other.handles().ok_or(PeerError::Silent)?.draws;
            let answer = draws.execute_here(draw, request).await;
            other.pass().await;
            answer
        };
        let answer = tokio::time::timeout(RESPONSE_TIMEOUT, request)
            .await
            .unwrap_or(Err(PeerError::Silent));
        process.pass().await;
        if !world
            .courier
            .happens(world.weather.rate(|r| r.call_lost) / 4)
        {
            return answer;
        }
        // The caller notices a lost response only when its timeout ends.
        sleep_until(timeout_at).await;
        Err(PeerError::Silent)
    }
}
