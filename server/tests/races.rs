//! The last tickets, wanted by many at the same moment, on a real Postgres: exactly as many win as there are tickets, everybody
//! else is told how many are left, and nobody else is charged. And carts in opposite order never wait for each other in a ring.
//!
//! `ROUNDS` makes it longer: `loadtest races --rounds 1000` asks for the long form and prints the figures.

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use house::{House, Tries};
use round::{Outcome, Shape};

#[path = "races/house.rs"]
mod house;
#[path = "races/round.rs"]
mod round;
#[path = "races/unguarded.rs"]
mod unguarded;

const BUYERS: [usize; 4] = [2, 5, 20, 200];
const LAST: [u16; 3] = [1, 3, 50];
/// Rounds of each of the twelve shapes, unless `ROUNDS` says otherwise.
const ROUNDS: usize = 6;
/// Rounds that are played at the same time.
const TOGETHER: usize = 4;
/// Rounds of each shape in one house, at whose end everything that happened in it is read through.
const IN_ONE_HOUSE: usize = 25;
/// Rounds of two carts: ten for each round of a shape, and never fewer.
const CARTS: usize = 300;

fn rounds() -> usize {
    std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(ROUNDS)
}

/// So many rounds, a house's worth at a time.
fn houses(rounds: usize, in_one: usize) -> impl Iterator<Item = usize> {
    (0..rounds)
        .step_by(in_one)
        .map(move |played| in_one.min(rounds - played))
}

#[actix_web::test]
async fn of_many_who_want_the_last_tickets_exactly_as_many_win_as_there_are_and_nobody_else_is_charged()
 {
    let mut all = Outcome::default();
    for rounds in houses(rounds(), IN_ONE_HOUSE) {
        let house = House::open().await;
        for (buyers, last) in BUYERS
            .into_iter()
            .flat_map(|buyers| LAST.map(|last| (buyers, last)))
        {
            let shape = Shape { buyers, last };
            let played = stream::iter(0..rounds).map(|round| shape.play(&house, round % 2 == 1));
            let played: Vec<Outcome> = played.buffer_unordered(TOGETHER).collect().await;
            played.into_iter().for_each(|outcome| all.add(outcome));
        }
        house.nobody_was_wronged().await;
        house.close().await;
        eprintln!("{} rounds", all.rounds);
    }
    println!(
        "races: {} rounds of 12 shapes, {} buyers, {} won, {} told how many are left; oversold 0, charged without a ticket 0",
        all.rounds, all.buyers, all.won, all.refused
    );
}

#[actix_web::test]
async fn of_many_who_paid_after_their_reservations_had_lapsed_exactly_as_many_win_and_the_others_are_not_charged()
 {
    let mut all = Outcome::default();
    for rounds in houses(rounds(), IN_ONE_HOUSE) {
        let house = House::open().await;
        for shape in [
            Shape { buyers: 5, last: 1 },
            Shape { buyers: 8, last: 3 },
            Shape {
                buyers: 20,
                last: 1,
            },
        ] {
            shape
                .late(&house, rounds)
                .await
                .into_iter()
                .for_each(|outcome| all.add(outcome));
        }
        house.nobody_was_wronged().await;
        house.close().await;
    }
    let Outcome {
        rounds,
        buyers,
        won,
        not_charged,
        ..
    } = all;
    println!(
        "late races: {rounds} rounds, {buyers} paid at once, {won} won, {not_charged} told that nothing was charged"
    );
    assert!(not_charged > 0, "nobody came too late");
}

#[actix_web::test]
async fn carts_in_opposite_order_never_lock_each_other_out() {
    let mut house = House::open().await;
    let (wanted, mut played) = (CARTS.max(10 * rounds()), 0);
    while played < wanted {
        let draws = house.draws(2, 169).await;
        let (one, other) = (draws[0], draws[1]);
        // Two of each a round, and the draws are full after 84.
        for _ in 0..(wanted - played).min(84) {
            let carts = [
                house.wants(&[(one, 1), (other, 1)]),
                house.wants(&[(other, 1), (one, 1)]),
            ];
            let bought = join_all(carts.map(|cart| house.tries(cart))).await;
            assert!(
                bought.iter().all(|tried| *tried == Tries::Won),
                "{bought:?}"
            );
            played += 1;
        }
    }
    house.nobody_was_wronged().await;
    assert_eq!(house.deadlocks().await, 0);
    println!("carts in opposite order: {played} rounds, 0 deadlocks");
    // What counts them can count.
    house.database.lock_each_other_out().await;
    assert_eq!(house.deadlocks().await, 1);
}

#[actix_web::test]
async fn without_fence_and_uniqueness_the_last_ticket_is_sold_twice() {
    let rounds = 10 * rounds();
    let mut oversold = 0;
    for rounds in houses(rounds, 10 * IN_ONE_HOUSE) {
        oversold += unguarded::play(rounds).await;
    }
    println!("without fence and uniqueness: {oversold} of {rounds} rounds oversold");
    assert!(
        oversold * 100 >= rounds * 99,
        "{oversold} of {rounds}: a race that needs no guard proves nothing"
    );
}
