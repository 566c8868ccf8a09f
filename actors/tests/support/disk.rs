//! A ledger whose commits wait until the test releases them.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{Deal, DrawId};
use persistence::ledger::{Append, ChangedDraw, Claims, KnownDraw};
use persistence::memory::Memory;
use persistence::nodes::InstanceId;
use persistence::{Failure, Ledger};
use tokio::sync::Semaphore;

use super::world::TestWorld;

/// Controls a slow ledger, and records the number of commands in each transaction.
pub struct SlowDisk {
    books: Memory,
    pub permits: Semaphore,
    sizes: Mutex<Vec<usize>>,
}

impl SlowDisk {
    pub fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().unwrap().clone()
    }
}

struct SlowLedger(Arc<SlowDisk>);

#[async_trait]
impl Ledger for SlowLedger {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<Claims, Failure> {
        self.0.books.claim(me, draws).await
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<Claims, Failure> {
        self.0.books.take_over(me, draw, from).await
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        self.0.books.changed_draws(me, known).await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.0.books.deal(draw).await
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        self.0.sizes.lock().unwrap().push(appends.len());
        self.0.permits.acquire().await.unwrap().forget();
        self.0.books.append(appends).await
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        self.0.books.live_draws().await
    }
}

/// Returns a ledger whose commits wait, and its control. All other stores answer at once.
pub fn slow_ledger(books: Memory) -> (Arc<dyn Ledger>, Arc<SlowDisk>) {
    let disk = Arc::new(SlowDisk {
        books,
        permits: Semaphore::new(0),
        sizes: Mutex::default(),
    });
    (Arc::new(SlowLedger(disk.clone())), disk)
}

pub async fn world_on_slow_disk() -> (TestWorld, Arc<SlowDisk>) {
    let mut disk = None;
    let world = TestWorld::with_ledger(
        |books| {
            let (ledger, made) = slow_ledger(books);
            disk = Some(made);
            ledger
        },
        &[1042],
    )
    .await;
    (world, disk.unwrap())
}
