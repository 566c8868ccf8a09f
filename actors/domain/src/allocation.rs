//! Giving tickets to a paid order line, and the step it makes in the fee ledger.

use crate::{Cents, Serial};

/// What one order holds of one draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The serials, ascending.
    pub serials: Vec<Serial>,
    /// What the platform earns by this allocation: the step from the draw's fee before to its fee after (decision D-2).
    pub fee: Cents,
}

/// One line of a draw's fee ledger. Steps telescope: the sum of all `fee_delta` is `fee_after`, never above `f(revenue_after)`
/// and so never above the cap; it is `f(revenue_after)` itself unless an order with a part of it was let go uncharged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeStep {
    pub revenue_delta: Cents,
    pub fee_delta: Cents,
    pub revenue_after: Cents,
    pub fee_after: Cents,
    /// What the draw's orders hold more of its fee since this step: it goes back by fee refunds (decision D-3). Negative when
    /// a part that was to go back was never taken.
    pub to_return: Cents,
}
