//! Races for the last tickets on a real Postgres. Exactly as many buyers win as there are tickets.
//! All others learn how many are left and are not charged. Carts whose draws are in opposite order
//! must not deadlock.
//!
//! The environment variable `ROUNDS` sets the number of rounds, like `loadtest races --rounds
//! 1000`.

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use race_environment::{PurchaseOutcome, RaceEnvironment};
use race_round::{RaceSize, RoundOutcome};

#[path = "races/race_environment.rs"]
mod race_environment;
#[path = "races/race_round.rs"]
mod race_round;
#[path = "races/unguarded_ledger.rs"]
mod unguarded_ledger;

const BUYER_COUNTS: [usize; 4] = [2, 5, 20, 200];
const LAST_TICKET_COUNTS: [u16; 3] = [1, 3, 50];
/// Number of rounds for each of the twelve combinations of buyers and tickets, unless `ROUNDS` is
/// set.
const ROUNDS_DEFAULT: usize = 6;
/// Number of rounds that run at the same time.
const CONCURRENT_ROUND_COUNT: usize = 4;
/// Number of rounds of one combination that use the same database. The database is checked after
/// them.
const ROUNDS_PER_DATABASE: usize = 25;
/// Minimum number of rounds in which two carts compete.
const CART_ROUNDS_MIN: usize = 300;

fn rounds_from_environment() -> usize {
    std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(ROUNDS_DEFAULT)
}

/// Splits the rounds into portions, each with a database of its own.
fn split_rounds(rounds: usize, in_one: usize) -> impl Iterator<Item = usize> {
    (0..rounds)
        .step_by(in_one)
        .map(move |played| in_one.min(rounds - played))
}

#[actix_web::test]
async fn last_tickets_are_sold_once_and_only_their_buyers_charged() {
    let mut all = RoundOutcome::default();
    for rounds in split_rounds(rounds_from_environment(), ROUNDS_PER_DATABASE) {
        let environment = RaceEnvironment::open().await;
        for (buyers, last) in BUYER_COUNTS
            .into_iter()
            .flat_map(|buyers| LAST_TICKET_COUNTS.map(|last| (buyers, last)))
        {
            let race_size = RaceSize { buyers, last };
            let played = stream::iter(0..rounds)
                .map(|round| race_size.run_race_round(&environment, round % 2 == 1));
            let played: Vec<RoundOutcome> = played
                .buffer_unordered(CONCURRENT_ROUND_COUNT)
                .collect()
                .await;
            for outcome in played {
                all.add(outcome);
            }
        }
        environment.assert_consistent().await;
        environment.close().await;
        eprintln!("{} rounds", all.rounds);
    }
    println!(
        "races: {} rounds of 12 shapes, {} buyers, {} won, {} told how many are left; oversold 0, charged without a ticket 0",
        all.rounds, all.buyers, all.won, all.refused
    );
}

#[actix_web::test]
async fn late_payments_sell_once_and_charge_only_ticket_holders() {
    let mut all = RoundOutcome::default();
    for rounds in split_rounds(rounds_from_environment(), ROUNDS_PER_DATABASE) {
        let environment = RaceEnvironment::open().await;
        for race_size in [
            RaceSize { buyers: 5, last: 1 },
            RaceSize { buyers: 8, last: 3 },
            RaceSize {
                buyers: 20,
                last: 1,
            },
        ] {
            race_size
                .run_late_payment_rounds(&environment, rounds)
                .await
                .into_iter()
                .for_each(|outcome| all.add(outcome));
        }
        environment.assert_consistent().await;
        environment.close().await;
    }
    let RoundOutcome {
        rounds,
        buyers,
        won,
        not_charged,
        ..
    } = all;
    println!(
        "late races: {rounds} rounds, {buyers} paid at once, {won} won, {not_charged} told that nothing was charged"
    );
    assert!(not_charged > 0, "no payment was too late");
}

#[actix_web::test]
async fn carts_in_opposite_order_never_deadlock() {
    let mut environment = RaceEnvironment::open().await;
    let (wanted, mut played) = (CART_ROUNDS_MIN.max(10 * rounds_from_environment()), 0);
    while played < wanted {
        let draws = environment.create_draws_with_unsold_tickets(2, 169).await;
        let (one, other) = (draws[0], draws[1]);
        // Each round sells two tickets of both draws, so 84 rounds nearly sell the 169 tickets.
        for _ in 0..(wanted - played).min(84) {
            let carts = [
                environment.order_request(&[(one, 1), (other, 1)]),
                environment.order_request(&[(other, 1), (one, 1)]),
            ];
            let bought = join_all(carts.map(|cart| environment.purchase(cart))).await;
            assert!(
                bought.iter().all(|tried| *tried == PurchaseOutcome::Won),
                "{bought:?}"
            );
            played += 1;
        }
    }
    environment.assert_consistent().await;
    assert_eq!(environment.count_deadlocks().await, 0);
    println!("carts in opposite order: {played} rounds, 0 deadlocks");
    // Counter-check: causes a deadlock, which the counter must find.
    environment.database.cause_deadlock().await;
    assert_eq!(environment.count_deadlocks().await, 1);
}

#[actix_web::test]
async fn missing_fence_and_uniqueness_oversell_the_last_ticket() {
    let rounds = 10 * rounds_from_environment();
    let mut oversold = 0;
    for rounds in split_rounds(rounds, 10 * ROUNDS_PER_DATABASE) {
        oversold += unguarded_ledger::count_oversold_rounds(rounds).await;
    }
    println!("without fence and uniqueness: {oversold} of {rounds} rounds oversold");
    assert!(
        oversold * 100 >= rounds * 99,
        "{oversold} of {rounds}: a race that needs no guard proves nothing"
    );
}
