//! A ledger whose commits wait until the test releases them.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{Deal, DrawId};
use persistence::ledger::{ChangedDraw, DrawClaims, DrawCommit, KnownDraw};
use persistence::memory::MemoryStores;
use persistence::nodes::InstanceId;
use persistence::{Failure, Ledger};
use tokio::sync::Semaphore;

use super::world::TestWorld;

/// Controls a slow ledger, and records the number of commands in each transaction.
pub struct SlowLedgerControl {
    memory: MemoryStores,
    pub permits: Semaphore,
    sizes: Mutex<Vec<usize>>,
}

impl SlowLedgerControl {
    pub fn transaction_sizes(&self) -> Vec<usize> {
        self.sizes.lock().unwrap().clone()
    }
}

struct SlowLedger(Arc<SlowLedgerControl>);

#[async_trait]
impl Ledger for SlowLedger {
    async fn claim(&self, me: InstanceId, draws: &[DrawId]) -> Result<DrawClaims, Failure> {
        self.0.memory.claim(me, draws).await
    }

    async fn take_over(
        &self,
        me: InstanceId,
        draw: DrawId,
        from: InstanceId,
    ) -> Result<DrawClaims, Failure> {
        self.0.memory.take_over(me, draw, from).await
    }

    async fn changed_draws(
        &self,
        me: InstanceId,
        known: &[KnownDraw],
    ) -> Result<Vec<ChangedDraw>, Failure> {
        self.0.memory.changed_draws(me, known).await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.0.memory.deal(draw).await
    }

    async fn append(&self, appends: Vec<DrawCommit>) -> Result<(), Failure> {
        self.0.sizes.lock().unwrap().push(appends.len());
        self.0.permits.acquire().await.unwrap().forget();
        self.0.memory.append(appends).await
    }

    async fn live_draws(&self) -> Result<Vec<DrawId>, Failure> {
        self.0.memory.live_draws().await
    }
}

/// Returns a ledger whose commits wait, and its control. All other stores answer at once.
pub fn new_slow_ledger(memory: MemoryStores) -> (Arc<dyn Ledger>, Arc<SlowLedgerControl>) {
    let control = Arc::new(SlowLedgerControl {
        memory,
        permits: Semaphore::new(0),
        sizes: Mutex::default(),
    });
    (Arc::new(SlowLedger(control.clone())), control)
}

pub async fn world_with_slow_ledger() -> (TestWorld, Arc<SlowLedgerControl>) {
    let mut control = None;
    let world = TestWorld::with_ledger(
        |memory| {
            let (ledger, made) = new_slow_ledger(memory);
            control = Some(made);
            ledger
        },
        &[1042],
    )
    .await;
    (world, control.unwrap())
}
