//! Caches which order belongs to a payment intent or a client key. The mapping never changes, so an
//! entry is never stale.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{OrderId, PaymentIntentId};

/// Entries per generation. The cache holds at most twice as many.
const GENERATION_MAX: usize = 50_000;

#[derive(Default)]
pub(crate) struct OrderIndex {
    generations: Mutex<Generations>,
}

/// When the newer generation is full it replaces the older one, whose entries are dropped.
#[derive(Default)]
struct Generations {
    newer: BTreeMap<IndexKey, OrderId>,
    older: BTreeMap<IndexKey, OrderId>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum IndexKey {
    Intent(PaymentIntentId),
    Client(String),
}

impl OrderIndex {
    fn generations(&self) -> MutexGuard<'_, Generations> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert_intent(&self, id: &PaymentIntentId, order: OrderId) {
        self.generations()
            .insert(IndexKey::Intent(id.clone()), order);
    }

    pub(crate) fn order_of_intent(&self, id: &PaymentIntentId) -> Option<OrderId> {
        self.generations().find(&IndexKey::Intent(id.clone()))
    }

    pub(crate) fn insert_client_key(&self, client_key: &str, order: OrderId) {
        self.generations()
            .insert(IndexKey::Client(client_key.into()), order);
    }

    /// Whether this process has seen an order of the client key. If not, the database may have one.
    pub(crate) fn has_client_key(&self, client_key: &str) -> bool {
        self.generations()
            .find(&IndexKey::Client(client_key.into()))
            .is_some()
    }
}

impl Generations {
    fn insert(&mut self, key: IndexKey, order: OrderId) {
        if self.newer.len() >= GENERATION_MAX {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, order);
    }

    fn find(&self, key: &IndexKey) -> Option<OrderId> {
        self.newer.get(key).or_else(|| self.older.get(key)).copied()
    }
}
