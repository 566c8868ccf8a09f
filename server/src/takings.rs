//! What a draw brings its club, told once: dashboard, PDF and CSV take their figures from here.

use domain::{Cents, Status, View, fee};
use persistence::records::financials::DrawFinancials;

/// A draw's money as of now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Takings {
    pub sold: u16,
    pub orders: i64,
    /// Ticket sales (decision D-4).
    pub revenue: Cents,
    /// Card fees that buyers paid on top.
    pub passed_on: Cents,
    pub platform_fee: Cents,
    /// The provider's own fees; where they are not known yet, their formula (decision D-18).
    pub provider_fees: Cents,
    pub is_estimated: bool,
    /// The prize as it stands, due or not.
    pub prize: Cents,
    /// It is due: the winning ticket was sold; or it would be, while there is no result or it is not revealed (decisions
    /// D-12, E-6).
    pub prize_is_due: bool,
}

impl Takings {
    /// `winner_sold`: `None` while it is not known, or not for anybody yet.
    pub fn new(view: &View, winner_sold: Option<bool>, sums: &DrawFinancials) -> Takings {
        let over = view.status == Status::Completed;
        Takings {
            sold: view.sold,
            orders: sums.orders,
            revenue: sums.revenue,
            passed_on: sums.card_fees_passed_on,
            platform_fee: sums.application_fee,
            provider_fees: sums.provider_fees_known + estimated(sums),
            is_estimated: sums.orders_without_provider_fee > 0,
            prize: view.prize,
            prize_is_due: if over {
                winner_sold.unwrap_or(true)
            } else {
                view.status != Status::Cancelled
            },
        }
    }

    /// The provider's fees that buyers did not pay.
    pub fn fees_borne(&self) -> Cents {
        self.provider_fees - self.passed_on
    }

    /// What the club receives before it pays the prize (B:255).
    pub fn club_revenue(&self) -> Cents {
        self.revenue - self.platform_fee - self.fees_borne()
    }

    /// What it keeps (decision D-12).
    pub fn club_profit(&self) -> Cents {
        if self.prize_is_due {
            self.club_revenue() - self.prize
        } else {
            self.club_revenue()
        }
    }
}

/// The card fee's formula for the charges whose own fee is not known yet: 1.7 % of them all and 30 cents for each (D-18).
fn estimated(sums: &DrawFinancials) -> Cents {
    match sums.orders_without_provider_fee {
        0 => Cents::ZERO,
        orders => fee::card_fee(sums.subtotal_without_provider_fee) + Cents(30) * (orders - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_provider_has_not_said_yet_is_estimated() {
        let sums = DrawFinancials {
            orders: 3,
            provider_fees_known: Cents(47),
            orders_without_provider_fee: 2,
            subtotal_without_provider_fee: Cents(3000),
            ..DrawFinancials::default()
        };
        assert_eq!(estimated(&sums), Cents(51 + 60));
        assert_eq!(estimated(&DrawFinancials::default()), Cents(0));
    }

    #[test]
    fn an_unsold_winner_leaves_the_prize_with_the_club() {
        let takings = Takings {
            revenue: Cents(10_000),
            passed_on: Cents(200),
            platform_fee: Cents(350),
            provider_fees: Cents(260),
            prize: Cents(5000),
            prize_is_due: true,
            ..Takings::default()
        };
        assert_eq!(
            (takings.fees_borne(), takings.club_revenue()),
            (Cents(60), Cents(9590))
        );
        assert_eq!(takings.club_profit(), Cents(4590));
        assert_eq!(
            Takings {
                prize_is_due: false,
                ..takings
            }
            .club_profit(),
            Cents(9590)
        );
    }
}
