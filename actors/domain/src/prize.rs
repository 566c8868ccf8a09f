//! The prize of a draw.

use crate::Cents;

/// Returns the prize for `sold` tickets, rounded half up to the cent. `round_up`: a positive prize
/// is raised to the next multiple of $10 (A:297, decision D-8).
pub fn prize(sold: u16, price: Cents, percentage: u8, round_up: bool) -> Cents {
    let share = (price * sold.into()).fraction_rounded_half_up(percentage.into(), 100);
    if round_up {
        Cents((share.0 + 999) / 1000 * 1000)
    } else {
        share
    }
}
