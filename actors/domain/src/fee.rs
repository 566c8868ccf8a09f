//! The platform's application fee, and the card fee that a club may pass on to the buyer.

use crate::Cents;

/// Rate and cap of the application fee. They are copied into the draw when it is created, so later
/// changes of the policy do not affect the draw (decision D-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeePolicy {
    /// The rate in basis points: 350 is 3.5 %.
    pub rate_bps: u32,
    pub cap: Cents,
}

impl FeePolicy {
    /// The default policy: 3.5 %, capped at $11.00 (decision D-1).
    pub const DEFAULT: FeePolicy = FeePolicy {
        rate_bps: 350,
        cap: Cents(1100),
    };

    /// Returns the fee due on a draw's cumulative ticket revenue: `f(R) = min(cap,
    /// round_half_up(rate × R))`.
    pub fn fee_on_revenue(&self, revenue: Cents) -> Cents {
        revenue
            .fraction_rounded_half_up(self.rate_bps.into(), 10_000)
            .min(self.cap)
    }
}

/// The proportional part of the card fee, in basis points.
pub const CARD_FEE_BPS: u32 = 170;
/// The fixed part of the card fee: 30 cents.
pub const CARD_FEE_FIXED: Cents = Cents(30);

/// Returns the card fee of a subtotal: 1.7 %, rounded half up, plus 30 cents, without gross-up
/// (A:298, decision D-5).
pub fn card_fee(subtotal: Cents) -> Cents {
    subtotal.fraction_rounded_half_up(CARD_FEE_BPS.into(), 10_000) + CARD_FEE_FIXED
}

/// How often an order of several draws pays the fixed 30 cents of the card fee: once per line, as
/// specified, or once per charge (decision D-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurchargeMode {
    #[default]
    PerLine,
    PerCharge,
}
