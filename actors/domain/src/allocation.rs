//! The tickets of an order in one draw, and the change of the fee ledger caused by their sale.

use crate::{Cents, Serial};

/// The tickets of one order in one draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The serials of the tickets, ascending.
    pub serials: Vec<Serial>,
    /// The application fee of these tickets: the draw's cumulative fee after the sale, minus the
    /// fee before the sale (decision D-2).
    pub fee: Cents,
}

/// One change of a draw's fee ledger. The `fee_delta` of all steps so far add up to `fee_after`.
/// `fee_after` never exceeds the fee due on `revenue_after`, and so never the cap. It is below the
/// fee due only after an order was voided without a charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeeLedgerStep {
    pub revenue_delta: Cents,
    pub fee_delta: Cents,
    pub revenue_after: Cents,
    pub fee_after: Cents,
    /// Application fee that the draw's orders have overpaid because of this step. Fee refunds
    /// return it (decision D-3). Negative if an earlier step counted a fee as overpaid that was
    /// never paid.
    pub to_return: Cents,
}
