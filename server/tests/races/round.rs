//! One round: so many buyers, so many last tickets, and what must be true afterwards.

use domain::DrawId;
use domain::reservation::KEPT_SECONDS;
use futures_util::future::join_all;

use persistence::books::OrderRecord;

use super::house::{House, Tries};

/// A round's size.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub buyers: usize,
    pub last: u16,
}

/// What rounds came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub rounds: usize,
    pub buyers: usize,
    pub won: usize,
    pub refused: usize,
    pub not_charged: usize,
}

impl Outcome {
    pub fn add(&mut self, other: Outcome) {
        self.rounds += other.rounds;
        self.buyers += other.buyers;
        self.won += other.won;
        self.refused += other.refused;
        self.not_charged += other.not_charged;
    }

    fn of(tried: &[Tries]) -> Outcome {
        let count = |which: fn(&Tries) -> bool| tried.iter().filter(|tried| which(tried)).count();
        Outcome {
            rounds: 1,
            buyers: tried.len(),
            won: count(|tried| *tried == Tries::Won),
            refused: count(|tried| matches!(tried, Tries::TooFew { .. })),
            not_charged: count(|tried| matches!(tried, Tries::NotCharged | Tries::Canceled)),
        }
    }
}

impl Shape {
    /// Everybody at once; `mixed`: every third buyer has a cart of two draws.
    pub async fn play(self, house: &House, mixed: bool) -> Outcome {
        if mixed {
            self.carts(house).await
        } else {
            self.singles(house).await
        }
    }

    /// Each wants one ticket of one draw.
    async fn singles(self, house: &House) -> Outcome {
        let draw = house.draws(1, self.last).await[0];
        let tried =
            join_all((0..self.buyers).map(|_| house.tries(house.wants(&[(draw, 1)])))).await;
        let outcome = Outcome::of(&tried);
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
        // Whoever is refused one ticket is told that none is left.
        assert!(
            tried
                .iter()
                .all(|tried| !matches!(tried, Tries::TooFew { free, .. } if *free != 0)),
            "{tried:?}"
        );
        assert_eq!(house.left(draw).await, self.last - outcome.won as u16);
        outcome
    }

    /// Carts and single tickets, one to three of each. Whoever was refused while another's cart was held for a moment tries
    /// once more in calm; whoever is refused then wants more than there is.
    async fn carts(self, house: &House) -> Outcome {
        let draws = house.draws(2, self.last).await;
        let wanted: Vec<Vec<(DrawId, u16)>> = (0..self.buyers)
            .map(|buyer| {
                let count = 1 + (buyer / 3 % 3) as u16;
                match buyer % 3 {
                    0 => vec![(draws[1], count), (draws[0], 1)],
                    one => vec![(draws[one - 1], count)],
                }
            })
            .collect();
        let mut tried = join_all(wanted.iter().map(|lines| house.tries(house.wants(lines)))).await;
        for (lines, tried) in wanted.iter().zip(&mut tried) {
            if matches!(tried, Tries::TooFew { .. }) {
                *tried = house.tries(house.wants(lines)).await;
            }
        }
        let won = |draw: DrawId| -> u16 {
            let lines = wanted
                .iter()
                .zip(&tried)
                .filter(|(_, tried)| **tried == Tries::Won)
                .flat_map(|(lines, _)| lines);
            lines.filter(|line| line.0 == draw).map(|line| line.1).sum()
        };
        for draw in &draws {
            assert_eq!(
                house.left(*draw).await,
                self.last - won(*draw),
                "{self:?}: {tried:?}"
            );
        }
        for (lines, tried) in wanted.iter().zip(&tried) {
            let Tries::TooFew { draw, free } = tried else {
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
        Outcome::of(&tried)
    }

    /// In every round everybody reserves in turn, and each reservation lapses before the next buyer comes; then all pay at once.
    /// The rounds share one clock.
    pub async fn late(self, house: &House, rounds: usize) -> Vec<Outcome> {
        let draws = house.draws(rounds, self.last).await;
        let mut opened: Vec<Vec<OrderRecord>> = vec![Vec::new(); rounds];
        while opened[0].len() < self.buyers {
            let wave = (self.buyers - opened[0].len()).min(self.last.into());
            for (draw, opened) in draws.iter().zip(&mut opened) {
                let wanted =
                    (0..wave).map(|_| house.opens(house.engine(), house.wants(&[(*draw, 1)])));
                opened.extend(
                    join_all(wanted)
                        .await
                        .into_iter()
                        .map(|opened| opened.expect("none is reserved")),
                );
            }
            house.clock.ahead(KEPT_SECONDS + 1);
        }
        join_all(
            draws
                .iter()
                .zip(&opened)
                .map(|(draw, opened)| self.pay_late(house, *draw, opened)),
        )
        .await
    }

    async fn pay_late(self, house: &House, draw: DrawId, opened: &[OrderRecord]) -> Outcome {
        let tried = join_all(
            opened
                .iter()
                .map(|record| house.pays(house.engine(), record)),
        )
        .await;
        let outcome = Outcome::of(&tried);
        let paid = tried
            .iter()
            .filter(|tried| **tried != Tries::Canceled)
            .count();
        assert_eq!(
            outcome.won,
            paid.min(self.last.into()),
            "{self:?}: {tried:?}"
        );
        assert_eq!(house.left(draw).await, self.last - outcome.won as u16);
        outcome
    }
}
