//! The stored state of a draw.

use super::{Draw, DrawOutcome, Status, Terms};
use crate::{Allocation, Cents, Deal, DrawId, FeePolicy, OrderId, Reservation, Serial};

/// The complete state of a draw, as it is stored in the database tables.
#[derive(Clone, Debug)]
pub struct DrawSnapshot {
    pub id: DrawId,
    pub terms: Terms,
    pub fee_policy: FeePolicy,
    pub deal: Deal,
    pub status: Status,
    pub revision: u64,
    pub reservations: Vec<(OrderId, Reservation)>,
    pub allocations: Vec<(OrderId, Allocation)>,
    pub revenue: Cents,
    pub fee: Cents,
    pub outcome: Option<DrawOutcome>,
    pub archived: bool,
    pub revealed: bool,
    pub returned: Vec<Serial>,
}

impl Draw {
    /// Restores a draw from its stored state.
    ///
    /// # Panics
    /// The state breaks an invariant. Such a draw must not sell.
    pub fn restore(from: DrawSnapshot) -> Draw {
        let draw = Draw {
            id: from.id,
            terms: from.terms,
            fee_policy: from.fee_policy,
            deal: from.deal,
            status: from.status,
            revision: from.revision,
            reservations: from.reservations.into_iter().collect(),
            allocations: from.allocations.into_iter().collect(),
            revenue: from.revenue,
            fee: from.fee,
            outcome: from.outcome,
            archived: from.archived,
            revealed: from.revealed,
            returned: from.returned.into_iter().collect(),
        };
        draw.assert_invariants();
        draw
    }
}
