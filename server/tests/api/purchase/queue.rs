//! More people at one draw's door than may wait there.

use std::sync::Arc;
use std::task::Poll;

use actors::Denied;
use async_trait::async_trait;
use domain::{Command, Deal, DrawId, OrderId};
use futures_util::poll;
use persistence::ledger::{Append, Claims, Known, Moved};
use persistence::nodes::Boot;
use persistence::{Failure, Ledger, Postgres};
use tokio::sync::{Notify, Semaphore};

use crate::support::TestServer;

/// A disk that takes its time: each commit waits for a permit.
struct SlowDisk {
    books: Postgres,
    begun: Arc<Notify>,
    permits: Arc<Semaphore>,
}

#[async_trait]
impl Ledger for SlowDisk {
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure> {
        self.books.claim(me, draws).await
    }

    async fn take_over(&self, me: Boot, draw: DrawId, from: Boot) -> Result<Claims, Failure> {
        self.books.take_over(me, draw, from).await
    }

    async fn moved(&self, me: Boot, known: &[Known]) -> Result<Vec<Moved>, Failure> {
        self.books.moved(me, known).await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.books.deal(draw).await
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        self.begun.notify_one();
        let _permit = self.permits.acquire().await.expect("never closed");
        self.books.append(appends).await
    }

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        self.books.live().await
    }
}

/// More than a draw lets wait, so that a draw without a limit fails instead of growing.
const TOO_MANY: usize = 5_000;

#[actix_web::test]
async fn beyond_the_mailbox_a_buyer_is_told_when_to_come_again() {
    let (begun, permits) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(0)));
    let (told, gate) = (begun.clone(), permits.clone());
    let server = TestServer::start_on(|books| {
        Arc::new(SlowDisk {
            books,
            begun,
            permits,
        })
    })
    .await;
    let draw = server.game().await;
    let (alice, bob) = (server.alice(), server.bob());
    let mut first = Box::pin(alice.ask(draw, 1));
    // Her reservation is being written; nobody else's turn comes before that.
    tokio::select! {
        answer = &mut first => panic!("nothing can have been written: {answer:?}"),
        () = told.notified() => {}
    }
    let mut waiting = Vec::new();
    let denied = loop {
        let order = OrderId(waiting.len() as u128 + 1);
        let mut asked = Box::pin(server.engine.draws.execute(
            draw,
            Command::Release { order },
            None,
        ));
        match poll!(&mut asked) {
            Poll::Ready(answer) => break answer,
            Poll::Pending => waiting.push(asked),
        }
        assert!(waiting.len() < TOO_MANY, "a draw's queue has no limit");
    };
    assert_eq!(denied, Err(Denied::Unavailable));

    let busy = bob.ask(draw, 1).await;
    assert_eq!(busy.header("retry-after"), Some("1"));
    busy.refused(503, "unavailable");

    gate.add_permits(1);
    assert_eq!(first.await.status, 200, "who waited has what she asked for");
    for asked in waiting {
        asked.await.expect("nothing to release");
    }
    bob.intent(draw, 1).await;
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").held,
        2
    );
    server.finish().await;
}
