//! The provider's messages, and what the reconciler saw, in memory.

use std::collections::{BTreeMap, BTreeSet};

use domain::{PaymentIntent, PaymentIntentId, Timestamp};

use crate::books::Notice;
use crate::error::Failure;
use crate::nodes::Boot;

/// What the reconciler saw last of a payment intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub said: PaymentIntent,
    pub at: Timestamp,
}

#[derive(Clone, Default)]
pub(super) struct Notices {
    rows: BTreeMap<String, (Notice, Boot)>,
    unhandled: BTreeSet<(Timestamp, String)>,
    received: BTreeMap<String, Timestamp>,
    witnesses: BTreeMap<PaymentIntentId, Witness>,
}

impl Notices {
    pub fn put(&mut self, notice: &Notice, taker: Boot, at: Timestamp) -> bool {
        if self.rows.contains_key(&notice.event_id) {
            return false;
        }
        self.rows
            .insert(notice.event_id.clone(), (notice.clone(), taker));
        self.received.insert(notice.event_id.clone(), at);
        self.unhandled.insert((at, notice.event_id.clone()))
    }

    /// Those of a taker and a time that are `ours`.
    pub fn unhandled(&self, ours: impl Fn(Boot, Timestamp) -> bool, limit: usize) -> Vec<Notice> {
        let rows = self.unhandled.iter().map(|(at, id)| (at, &self.rows[id]));
        let ours = rows.filter(|(at, (_, taker))| ours(*taker, **at));
        ours.take(limit)
            .map(|(_, (notice, _))| notice.clone())
            .collect()
    }

    pub fn handled(&mut self, event_id: &str) -> Result<(), Failure> {
        let at = self.received.get(event_id).ok_or(Failure::NotFound)?;
        self.unhandled.remove(&(*at, event_id.to_string()));
        Ok(())
    }

    pub fn witness(&mut self, said: &PaymentIntent, at: Timestamp) {
        if self
            .witnesses
            .get(&said.id)
            .is_none_or(|known| known.at <= at)
        {
            self.witnesses.insert(
                said.id.clone(),
                Witness {
                    said: said.clone(),
                    at,
                },
            );
        }
    }

    pub fn witnesses(&self) -> impl Iterator<Item = &Witness> {
        self.witnesses.values()
    }
}
