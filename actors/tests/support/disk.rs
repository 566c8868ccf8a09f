//! A ledger whose commits wait until they are let through.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{Deal, DrawId};
use persistence::ledger::{Append, Claims, Known, Moved};
use persistence::memory::Memory;
use persistence::nodes::Boot;
use persistence::{Failure, Ledger};
use tokio::sync::Semaphore;

use super::world::World;

/// A disk that writes when it is told to, and says how many commits each transaction has.
pub struct Disk {
    books: Memory,
    pub permits: Semaphore,
    sizes: Mutex<Vec<usize>>,
}

impl Disk {
    pub fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().unwrap().clone()
    }
}

struct Gate(Arc<Disk>);

#[async_trait]
impl Ledger for Gate {
    async fn claim(&self, me: Boot, draws: &[DrawId]) -> Result<Claims, Failure> {
        self.0.books.claim(me, draws).await
    }

    async fn take_over(&self, me: Boot, draw: DrawId, from: Boot) -> Result<Claims, Failure> {
        self.0.books.take_over(me, draw, from).await
    }

    async fn moved(&self, me: Boot, known: &[Known]) -> Result<Vec<Moved>, Failure> {
        self.0.books.moved(me, known).await
    }

    async fn deal(&self, draw: DrawId) -> Result<Deal, Failure> {
        self.0.books.deal(draw).await
    }

    async fn append(&self, appends: Vec<Append>) -> Result<(), Failure> {
        self.0.sizes.lock().unwrap().push(appends.len());
        self.0.permits.acquire().await.unwrap().forget();
        self.0.books.append(appends).await
    }

    async fn live(&self) -> Result<Vec<DrawId>, Failure> {
        self.0.books.live().await
    }
}

/// Draws on a slow disk; the rest of the books is quick.
pub fn slow(books: Memory) -> (Arc<dyn Ledger>, Arc<Disk>) {
    let disk = Arc::new(Disk {
        books,
        permits: Semaphore::new(0),
        sizes: Mutex::default(),
    });
    (Arc::new(Gate(disk.clone())), disk)
}

pub async fn on_a_slow_disk() -> (World, Arc<Disk>) {
    let mut disk = None;
    let world = World::through(
        |books| {
            let (ledger, made) = slow(books);
            disk = Some(made);
            ledger
        },
        &[1042],
    )
    .await;
    (world, disk.unwrap())
}
