//! What the winner is due.

use crate::Cents;

/// Prize of a draw with so many tickets sold: half up to the cent; with round-up, a positive prize goes up to the next
/// multiple of $10 and an exact multiple stays (A:297, decision D-8).
pub fn prize(sold: u16, price: Cents, percentage: u8, round_up: bool) -> Cents {
    let share = (price * sold.into()).share_half_up(percentage.into(), 100);
    if round_up {
        Cents((share.0 + 999) / 1000 * 1000)
    } else {
        share
    }
}
