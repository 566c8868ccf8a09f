//! Everything a draw is rebuilt from: what the tables hold.

use super::{Draw, Outcome, Status, Terms};
use crate::{Allocation, Cents, Deal, DrawId, FeePolicy, OrderId, Reservation};

#[derive(Clone, Debug)]
pub struct Snapshot {
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
    pub outcome: Option<Outcome>,
    pub archived: bool,
}

impl Draw {
    /// Builds the draw the tables describe. Panics when `check` finds that they contradict each other: a draw that cannot
    /// be right must not sell.
    pub fn restore(from: Snapshot) -> Draw {
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
        };
        draw.check();
        draw
    }
}
