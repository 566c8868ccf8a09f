//! Which order a payment intent or a client key belongs to: facts that never change, kept to spare the books a question.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::{OrderId, PaymentIntentId};

/// Facts kept of the newest orders; as many again of the ones before.
const KEPT_MAX: usize = 50_000;

#[derive(Default)]
pub(crate) struct Index {
    facts: Mutex<Facts>,
}

/// Two generations: when the younger is full it becomes the older, and the older is forgotten.
#[derive(Default)]
struct Facts {
    young: BTreeMap<Name, OrderId>,
    old: BTreeMap<Name, OrderId>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Intent(PaymentIntentId),
    Client(String),
}

impl Index {
    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn intent_is(&self, id: &PaymentIntentId, order: OrderId) {
        self.facts().keep(Name::Intent(id.clone()), order);
    }

    pub(crate) fn order_of(&self, id: &PaymentIntentId) -> Option<OrderId> {
        self.facts().find(&Name::Intent(id.clone()))
    }

    pub(crate) fn client_has(&self, client_key: &str, order: OrderId) {
        self.facts().keep(Name::Client(client_key.into()), order);
    }

    /// Whether this process has seen an order of this client key; what it has not seen the books may still know.
    pub(crate) fn knows_client(&self, client_key: &str) -> bool {
        self.facts()
            .find(&Name::Client(client_key.into()))
            .is_some()
    }
}

impl Facts {
    fn keep(&mut self, name: Name, order: OrderId) {
        if self.young.len() >= KEPT_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(name, order);
    }

    fn find(&self, name: &Name) -> Option<OrderId> {
        self.young.get(name).or_else(|| self.old.get(name)).copied()
    }
}
