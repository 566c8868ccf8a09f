//! The way to the list of nodes, and from one node to another.

use std::time::Duration;

use actors::{Answered, Errand, Neighbours, Unreachable};
use async_trait::async_trait;
use domain::DrawId;
use persistence::Failure;
use persistence::nodes::{Boot, Node, Nodes, Roll};
use tokio::time::{Instant, sleep_until};

use super::{Owner, enter, enter_beat, leave, leave_beat};

/// How long a node waits for another's answer.
const PATIENCE: Duration = Duration::from_secs(3);

pub struct NodesPort(Owner);

impl NodesPort {
    pub fn new(owner: Owner) -> NodesPort {
        NodesPort(owner)
    }
}

#[async_trait]
impl Nodes for NodesPort {
    async fn renew(&self, me: &Node) -> Result<Roll, Failure> {
        enter_beat(&self.0).await?;
        let roll = self.0.0.memory.renew(me).await;
        leave_beat(&self.0).await.and(roll)
    }

    async fn bury(&self, gone: Boot) -> Result<bool, Failure> {
        enter_beat(&self.0).await?;
        let buried = self.0.0.memory.bury(gone).await;
        if buried == Ok(true) {
            self.0.0.watch.met("a dead node buried");
        }
        leave_beat(&self.0).await.and(buried)
    }

    async fn leave(&self, me: Boot) -> Result<(), Failure> {
        enter(&self.0).await?;
        let left = self.0.0.memory.leave(me).await;
        leave(&self.0).await.and(left)
    }

    fn vanish(&self, me: Boot) {
        self.0.0.memory.vanish(me);
    }
}

/// From node to node: the other may hang or be dead, and its answer may be lost.
pub struct Street(Owner);

impl Street {
    pub fn new(owner: Owner) -> Street {
        Street(owner)
    }
}

#[async_trait]
impl Neighbours for Street {
    async fn execute(&self, owner: &Node, draw: DrawId, errand: Errand) -> Answered {
        let (world, process) = &self.0;
        process.pass().await;
        world.watch.met("a command forwarded");
        let there = world
            .house
            .process_of(owner.boot)
            .ok_or(Unreachable::Silent)?;
        let silent_until = Instant::now() + PATIENCE;
        let asked = async {
            there.pass().await;
            let draws = there.handles().ok_or(Unreachable::Silent)?.draws;
            let answer = draws.execute_here(draw, errand).await;
            there.pass().await;
            answer
        };
        let answer = tokio::time::timeout(PATIENCE, asked)
            .await
            .unwrap_or(Err(Unreachable::Silent));
        process.pass().await;
        if !world
            .courier
            .happens(world.weather.rate(|r| r.call_lost) / 4)
        {
            return answer;
        }
        // What is lost on the way is missed when nobody waits for it any more.
        sleep_until(silent_until).await;
        Err(Unreachable::Silent)
    }
}
