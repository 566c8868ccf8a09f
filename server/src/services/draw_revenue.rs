//! Computes revenue, fees and prize of a draw, for the dashboard, PDF and CSV alike.

use domain::{Cents, Status, View, fee, prize};
use persistence::records::financials::DrawFinancials;
use persistence::records::listings::Listing;

use crate::api::payout::Financials;

/// A draw's revenue, fees and prize at the current number of sold tickets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawRevenue {
    /// Sold tickets. A paid ticket without a buyer does not count (decision F-3).
    pub sold: u16,
    /// Paid tickets whose buyer left no e-mail address.
    pub without_buyer: u16,
    pub orders: i64,
    /// Ticket sales without card fees passed on to buyers (decision D-4).
    pub revenue: Cents,
    /// Card fees that buyers paid in addition to the ticket price.
    pub passed_on: Cents,
    pub platform_fee: Cents,
    /// Stripe's fees; estimated by formula while Stripe has not reported them (decision D-18).
    pub provider_fees: Cents,
    pub is_estimated: bool,
    /// The announced prize, or before the result the prize for the tickets sold. It may be an amount
    /// that need not be paid.
    pub prize: Cents,
    /// Whether the prize must be paid, because the winning ticket was sold. Also true while the
    /// result is missing or not revealed (decisions D-12, E-6).
    pub prize_is_due: bool,
}

impl DrawRevenue {
    /// Computes all amounts. `winner_sold` is `None` while the winning ticket is unknown or not
    /// revealed.
    pub fn new(
        listing: &Listing,
        view: &View,
        winner_sold: Option<bool>,
        sums: &DrawFinancials,
    ) -> DrawRevenue {
        let is_completed = view.status == Status::Completed;
        let without_buyer = u16::try_from(sums.tickets_without_buyer)
            .unwrap_or_default()
            .min(view.sold);
        let sold = view.sold - without_buyer;
        DrawRevenue {
            sold,
            without_buyer,
            orders: sums.orders,
            revenue: sums.revenue,
            passed_on: sums.card_fees_passed_on,
            platform_fee: sums.application_fee,
            provider_fees: sums.provider_fees_known + estimated_fees(sums),
            is_estimated: sums.orders_without_provider_fee > 0,
            // A result fixes the prize, and tickets without a buyer count in it.
            prize: if without_buyer == 0 || is_completed {
                view.prize
            } else {
                prize::prize(
                    sold,
                    view.price,
                    listing.prize_percentage,
                    listing.round_up_prize,
                )
            },
            prize_is_due: if is_completed {
                winner_sold.unwrap_or(true)
            } else {
                view.status != Status::Cancelled
            },
        }
    }

    /// Returns the part of Stripe's fees that buyers did not pay and the club pays.
    pub fn fees_paid_by_club(&self) -> Cents {
        self.provider_fees - self.passed_on
    }

    /// Returns the club's revenue before the prize is paid.
    pub fn club_revenue(&self) -> Cents {
        self.revenue - self.platform_fee - self.fees_paid_by_club()
    }

    /// Returns the club's profit after the prize (decision D-12).
    pub fn club_profit(&self) -> Cents {
        if self.prize_is_due {
            self.club_revenue() - self.prize
        } else {
            self.club_revenue()
        }
    }
}

/// Estimates Stripe's fees of charges whose fee is not reported yet: 1.7 % of the charged sum and
/// 30 cents for each charge (decision D-18).
fn estimated_fees(sums: &DrawFinancials) -> Cents {
    match sums.orders_without_provider_fee {
        0 => Cents::ZERO,
        orders => fee::card_fee(sums.subtotal_without_provider_fee) + Cents(30) * (orders - 1),
    }
}

impl From<&DrawRevenue> for Financials {
    fn from(takings: &DrawRevenue) -> Financials {
        Financials {
            sold_tickets: takings.sold,
            tickets_without_buyer: takings.without_buyer,
            total_revenue: takings.revenue.decimal(),
            actual_stripe_fees: takings.provider_fees.decimal(),
            fees_estimated: takings.is_estimated,
            platform_fee: takings.platform_fee.decimal(),
            prize_pool: takings.prize.decimal(),
            club_revenue: takings.club_revenue().decimal(),
            actual_transaction_count: takings.orders,
            card_fees_paid_by_buyers: takings.passed_on.decimal(),
            prize_due: takings.prize_is_due,
            club_profit: takings.club_profit().decimal(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreported_fees_are_estimated() {
        let sums = DrawFinancials {
            orders: 3,
            provider_fees_known: Cents(47),
            orders_without_provider_fee: 2,
            subtotal_without_provider_fee: Cents(3000),
            ..DrawFinancials::default()
        };
        assert_eq!(estimated_fees(&sums), Cents(51 + 60));
        assert_eq!(estimated_fees(&DrawFinancials::default()), Cents(0));
    }

    #[test]
    fn unsold_winning_ticket_leaves_the_prize_with_the_club() {
        let takings = DrawRevenue {
            revenue: Cents(10_000),
            passed_on: Cents(200),
            platform_fee: Cents(350),
            provider_fees: Cents(260),
            prize: Cents(5000),
            prize_is_due: true,
            ..DrawRevenue::default()
        };
        assert_eq!(
            (takings.fees_paid_by_club(), takings.club_revenue()),
            (Cents(60), Cents(9590))
        );
        assert_eq!(takings.club_profit(), Cents(4590));
        assert_eq!(
            DrawRevenue {
                prize_is_due: false,
                ..takings
            }
            .club_profit(),
            Cents(9590)
        );
    }
}
