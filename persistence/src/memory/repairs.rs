//! Operators' repairs of payments, in the memory store.

use std::collections::BTreeMap;

use domain::{PaymentIntentId, Timestamp};

use crate::stores::{PaymentRepair, REPAIR_BLOCK_MS};

#[derive(Clone, Default)]
pub(super) struct Repairs(BTreeMap<PaymentIntentId, (PaymentRepair, Timestamp)>);

impl Repairs {
    pub fn begin(&mut self, id: &PaymentIntentId, repair: PaymentRepair, at: Timestamp) -> bool {
        let begins = self
            .0
            .get(id)
            .is_none_or(|(under_way, until)| *under_way == repair || *until <= at);
        if begins {
            self.0
                .insert(id.clone(), (repair, at.plus_ms(REPAIR_BLOCK_MS)));
        }
        begins
    }

    pub fn end(&mut self, id: &PaymentIntentId, repair: PaymentRepair) {
        if self
            .0
            .get(id)
            .is_some_and(|(under_way, _)| *under_way == repair)
        {
            self.0.remove(id);
        }
    }
}
