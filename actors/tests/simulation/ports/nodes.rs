//! The list of nodes, and the calls between nodes, as a simulated process reaches them.

use std::time::Duration;

use actors::{DrawRequest, PeerAnswer, PeerClient, PeerError};
use async_trait::async_trait;
use domain::DrawId;
use persistence::Failure;
use persistence::nodes::{InstanceId, Node, Nodes, OtherNodes};
use tokio::time::{Instant, sleep_until};

use super::{
    SimulatedPortContext, delay_or_fail_poll, delay_or_fail_request, delay_or_lose_answer,
    delay_or_lose_poll_answer,
};

/// How long a node waits for another node's response.
const PEER_RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);

pub struct SimulatedNodes(SimulatedPortContext);

impl SimulatedNodes {
    pub fn new(context: SimulatedPortContext) -> SimulatedNodes {
        SimulatedNodes(context)
    }
}

#[async_trait]
impl Nodes for SimulatedNodes {
    async fn renew(&self, me: &Node) -> Result<OtherNodes, Failure> {
        delay_or_fail_poll(&self.0).await?;
        let roll = self.0.0.memory.renew(me).await;
        delay_or_lose_poll_answer(&self.0).await.and(roll)
    }

    async fn remove_ended_node(&self, gone: InstanceId) -> Result<bool, Failure> {
        delay_or_fail_poll(&self.0).await?;
        let removed = self.0.0.memory.remove_ended_node(gone).await;
        if removed == Ok(true) {
            self.0.0.monitor.record_situation("a dead node removed");
        }
        delay_or_lose_poll_answer(&self.0).await.and(removed)
    }

    async fn leave(&self, me: InstanceId) -> Result<(), Failure> {
        delay_or_fail_request(&self.0).await?;
        let left = self.0.0.memory.leave(me).await;
        delay_or_lose_answer(&self.0).await.and(left)
    }

    fn simulate_kill(&self, me: InstanceId) {
        self.0.0.memory.simulate_kill(me);
    }
}

/// A client for calls from one simulated node to another. The other node may hang or be dead, and
/// its response may be lost.
pub struct SimulatedPeerClient(SimulatedPortContext);

impl SimulatedPeerClient {
    pub fn new(context: SimulatedPortContext) -> SimulatedPeerClient {
        SimulatedPeerClient(context)
    }
}

#[async_trait]
impl PeerClient for SimulatedPeerClient {
    async fn execute(&self, owner: &Node, draw: DrawId, request: DrawRequest) -> PeerAnswer {
        let (world, process) = &self.0;
        process.wait_until_running().await;
        world.monitor.record_situation("a command forwarded");
        let other = world
            .processes
            .process_with_instance(owner.boot)
            .ok_or(PeerError::Silent)?;
        let timeout_at = Instant::now() + PEER_RESPONSE_TIMEOUT;
        let request = async {
            other.wait_until_running().await;
            let draws = other.engine_handles().ok_or(PeerError::Silent)?.draws;
            let answer = draws.execute_on_this_node(draw, request).await;
            other.wait_until_running().await;
            answer
        };
        let answer = tokio::time::timeout(PEER_RESPONSE_TIMEOUT, request)
            .await
            .unwrap_or(Err(PeerError::Silent));
        process.wait_until_running().await;
        if !world
            .network_random
            .happens(world.fault_injector.current_fault_rate(|r| r.call_lost) / 4)
        {
            return answer;
        }
        // The caller notices a lost response only when its timeout ends.
        sleep_until(timeout_at).await;
        Err(PeerError::Silent)
    }
}
