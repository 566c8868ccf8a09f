//! Runs and checks one round of a race for the last tickets.

use domain::DrawId;
use domain::reservation::ACTUAL_RESERVATION_SECONDS;
use futures_util::future::join_all;

use persistence::stores::OrderRecord;

use super::race_environment::{PurchaseOutcome, RaceEnvironment};

/// The size of a round: how many buyers compete for how many tickets.
#[derive(Clone, Copy, Debug)]
pub struct RaceSize {
    pub buyers: usize,
    pub last: u16,
}

/// Counts of rounds, and of buyers by how their purchase ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundOutcome {
    pub rounds: usize,
    pub buyers: usize,
    pub won: usize,
    pub refused: usize,
    pub not_charged: usize,
}

impl RoundOutcome {
    pub fn add(&mut self, other: RoundOutcome) {
        self.rounds += other.rounds;
        self.buyers += other.buyers;
        self.won += other.won;
        self.refused += other.refused;
        self.not_charged += other.not_charged;
    }

    fn from_purchases(tried: &[PurchaseOutcome]) -> RoundOutcome {
        let count =
            |which: fn(&PurchaseOutcome) -> bool| tried.iter().filter(|tried| which(tried)).count();
        RoundOutcome {
            rounds: 1,
            buyers: tried.len(),
            won: count(|tried| *tried == PurchaseOutcome::Won),
            refused: count(|tried| matches!(tried, PurchaseOutcome::TooFew { .. })),
            not_charged: count(|tried| {
                matches!(
                    tried,
                    PurchaseOutcome::NotCharged | PurchaseOutcome::Canceled
                )
            }),
        }
    }
}

impl RaceSize {
    /// Runs one round with simultaneous buyers. If `mixed`, every third buyer has a cart with two
    /// draws.
    pub async fn run_race_round(self, environment: &RaceEnvironment, mixed: bool) -> RoundOutcome {
        if mixed {
            self.run_cart_round(environment).await
        } else {
            self.run_single_draw_round(environment).await
        }
    }

    /// Runs a round in which each buyer wants one ticket of the same draw.
    async fn run_single_draw_round(self, environment: &RaceEnvironment) -> RoundOutcome {
        let draw = environment
            .create_draws_with_unsold_tickets(1, self.last)
            .await[0];
        let tried = join_all(
            (0..self.buyers).map(|_| environment.purchase(environment.order_request(&[(draw, 1)]))),
        )
        .await;
        let outcome = RoundOutcome::from_purchases(&tried);
        assert_eq!(
            outcome.won,
            self.buyers.min(self.last.into()),
            "{self:?}: {tried:?}"
        );
        assert_eq!(
            outcome.won + outcome.refused,
            self.buyers,
            "{self:?}: {tried:?}"
        );
        // A buyer is refused a single ticket only if none is left, and the message must say so.
        assert!(
            tried
                .iter()
                .all(|tried| !matches!(tried, PurchaseOutcome::TooFew { free, .. } if *free != 0)),
            "{tried:?}"
        );
        assert_eq!(
            environment.count_unsold_tickets(draw).await,
            self.last - outcome.won as u16
        );
        outcome
    }

    /// Runs a round with carts and single orders of one to three tickets. A buyer may be refused
    /// because a cart held tickets at that moment, and then tries once more alone. A second refusal
    /// must mean that too few tickets are left.
    async fn run_cart_round(self, environment: &RaceEnvironment) -> RoundOutcome {
        let draws = environment
            .create_draws_with_unsold_tickets(2, self.last)
            .await;
        let wanted: Vec<Vec<(DrawId, u16)>> = (0..self.buyers)
            .map(|buyer| {
                let count = 1 + (buyer / 3 % 3) as u16;
                match buyer % 3 {
                    0 => vec![(draws[1], count), (draws[0], 1)],
                    one => vec![(draws[one - 1], count)],
                }
            })
            .collect();
        let mut tried = join_all(
            wanted
                .iter()
                .map(|lines| environment.purchase(environment.order_request(lines))),
        )
        .await;
        for (lines, tried) in wanted.iter().zip(&mut tried) {
            if matches!(tried, PurchaseOutcome::TooFew { .. }) {
                *tried = environment.purchase(environment.order_request(lines)).await;
            }
        }
        let won = |draw: DrawId| -> u16 {
            let lines = wanted
                .iter()
                .zip(&tried)
                .filter(|(_, tried)| **tried == PurchaseOutcome::Won)
                .flat_map(|(lines, _)| lines);
            lines.filter(|line| line.0 == draw).map(|line| line.1).sum()
        };
        for draw in &draws {
            assert_eq!(
                environment.count_unsold_tickets(*draw).await,
                self.last - won(*draw),
                "{self:?}: {tried:?}"
            );
        }
        for (lines, tried) in wanted.iter().zip(&tried) {
            let PurchaseOutcome::TooFew { draw, free } = tried else {
                continue;
            };
            let count = lines
                .iter()
                .find(|line| line.0 == *draw)
                .expect("a line of this draw")
                .1;
            assert!(
                *free < count,
                "{self:?}: {count} wanted, refused, and {free} are left"
            );
        }
        RoundOutcome::from_purchases(&tried)
    }

    /// Buyers reserve in waves, each after the reservations of the previous wave have expired. Then
    /// all of them pay at once. The rounds share one clock.
    pub async fn run_late_payment_rounds(
        self,
        environment: &RaceEnvironment,
        rounds: usize,
    ) -> Vec<RoundOutcome> {
        let draws = environment
            .create_draws_with_unsold_tickets(rounds, self.last)
            .await;
        let mut opened: Vec<Vec<OrderRecord>> = vec![Vec::new(); rounds];
        while opened[0].len() < self.buyers {
            let wave = (self.buyers - opened[0].len()).min(self.last.into());
            for (draw, opened) in draws.iter().zip(&mut opened) {
                let wanted = (0..wave).map(|_| {
                    environment.open_order(
                        environment.engine(),
                        environment.order_request(&[(*draw, 1)]),
                    )
                });
                opened.extend(
                    join_all(wanted)
                        .await
                        .into_iter()
                        .map(|opened| opened.expect("none is reserved")),
                );
            }
            environment.clock.advance(ACTUAL_RESERVATION_SECONDS + 1);
        }
        join_all(
            draws
                .iter()
                .zip(&opened)
                .map(|(draw, opened)| self.pay_late_orders(environment, *draw, opened)),
        )
        .await
    }

    async fn pay_late_orders(
        self,
        environment: &RaceEnvironment,
        draw: DrawId,
        opened: &[OrderRecord],
    ) -> RoundOutcome {
        let tried = join_all(
            opened
                .iter()
                .map(|record| environment.pay(environment.engine(), record)),
        )
        .await;
        let outcome = RoundOutcome::from_purchases(&tried);
        let paid = tried
            .iter()
            .filter(|tried| **tried != PurchaseOutcome::Canceled)
            .count();
        assert_eq!(
            outcome.won,
            paid.min(self.last.into()),
            "{self:?}: {tried:?}"
        );
        assert_eq!(
            environment.count_unsold_tickets(draw).await,
            self.last - outcome.won as u16
        );
        outcome
    }
}
