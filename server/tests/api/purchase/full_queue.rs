//! Requests are refused when the command queue of a draw's actor is full.

use std::sync::Arc;
use std::task::Poll;

use actors::Denied;
use async_trait::async_trait;
use domain::{Command, Deal, DrawId, OrderId};
use futures_util::poll;
use persistence::ledger::{ChangedDraw, DrawClaims, DrawCommit, KnownDraw};
use persistence::nodes::InstanceId;
use persistence::{Failure, Ledger, Postgres};
use tokio::sync::{Notify, Semaphore};

use crate::support::TestServer;

/// A ledger in which every commit waits for a permit of the test.
struct SlowLedger {
    postgres: Postgres,
    begun: Arc<Notify>,
    permits: Arc<Semaphore>,
}

#[async_trait]
impl Ledger for SlowLedger {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure> {
        self.postgres.claim(me, draws).await
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure> {
        self.postgres.take_over(me, draw, from).await
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        self.postgres.changed_draws(me, known).await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.postgres.deal(draw).await
    }

    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure> {
        self.begun.notify_one();
        let _permit = self.permits.acquire().await.expect("never closed");
        self.postgres.append(appends).await
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        self.postgres.live_draws().await
    }
}

/// More commands than a draw's queue may hold. If the queue had no limit, all would wait and the
/// test would fail.
const QUEUE_OVERFLOW_COMMAND_COUNT: usize = 5_000;

#[actix_web::test]
async fn full_draw_queue_answers_503_with_retry_after() {
    let (begun, permits) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(0)));
    let (commit_begun, gate) = (begun.clone(), permits.clone());
    let server = TestServer::start_with_ledger(|postgres| {
        Arc::new(SlowLedger {
            postgres,
            begun,
            permits,
        })
    })
    .await;
    let draw = server.create_club_with_draw().await;
    let (alice, bob) = (server.alice(), server.bob());
    let mut first = Box::pin(alice.request_intent(draw, 1));
    // While the commit of Alice's reservation waits for its permit, every later command waits in
    // the queue.
    tokio::select! {
        answer = &mut first => panic!("the answer came before the commit: {answer:?}"),
        () = commit_begun.notified() => {}
    }
    let mut waiting = Vec::new();
    let denied = loop {
        let order = OrderId(waiting.len() as u128 + 1);
        let mut command = Box::pin(server.engine.draws.execute(
            draw,
            Command::Release { order },
            None,
        ));
        match poll!(&mut command) {
            Poll::Ready(answer) => break answer,
            Poll::Pending => waiting.push(command),
        }
        assert!(
            waiting.len() < QUEUE_OVERFLOW_COMMAND_COUNT,
            "a draw's queue has no limit"
        );
    };
    assert_eq!(denied, Err(Denied::Unavailable));

    let busy = bob.request_intent(draw, 1).await;
    assert_eq!(busy.header("retry-after"), Some("1"));
    busy.expect_refusal(503, "unavailable");

    gate.add_permits(1);
    assert_eq!(first.await.status, 200, "the waiting call succeeds");
    for command in waiting {
        command.await.expect("nothing to release");
    }
    bob.open_intent(draw, 1).await;
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .held,
        2
    );
    server.finish().await;
}
