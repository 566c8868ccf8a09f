//! The tickets of an order in one draw, and the step of the fee ledger that their sale makes.

use crate::{Cents, Serial};

/// The tickets of one order in one draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The serials, ascending.
    pub serials: Vec<Serial>,
    /// The application fee of this allocation: the difference of the draw's fee before and after it
    /// (decision D-2).
    pub fee: Cents,
}

/// One step of a draw's fee ledger. The sum of all `fee_delta` is `fee_after`. It never exceeds the
/// fee due, `f(revenue_after)`, and so never the cap. It is less only after an order with a part of
/// the fee was voided without a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeStep {
    pub revenue_delta: Cents,
    pub fee_delta: Cents,
    pub revenue_after: Cents,
    pub fee_after: Cents,
    /// The amount by which the draw's orders have paid too much fee since this step. It is returned
    /// by fee refunds (decision D-3). Negative if a part that was to be returned was never paid.
    pub to_return: Cents,
}
