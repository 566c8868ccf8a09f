//! Seeded worlds in paused time around the real engine: crowds, crashes, lost and doubled and late notices, a provider that does
//! not answer, books that do not say whether they wrote. `SEEDS=n` plays more, `SEED=x` plays one again, exactly.

use std::time::Instant;

use simulation::mutant::Mutant;
use simulation::seeds::{play_all, report};
use simulation::world::play;

mod simulation {
    pub mod audit;
    pub mod buyer;
    pub mod chance;
    pub mod courier;
    pub mod house;
    pub mod mutant;
    pub mod people;
    pub mod plan;
    pub mod ports;
    pub mod seeds;
    pub mod told;
    pub mod trace;
    pub mod watch;
    pub mod weather;
    pub mod world;
}

const SEEDS: u64 = 2_000;

/// A mutant is to be caught within so many.
const MUTANT_SEEDS: u64 = 200;

/// Seeds that failed once: a fee refund without an answer that was judged by another's (387, 772, 1201, 1628, 2340, 2968), an
/// anomaly that nobody came back to heal (459), a payment captured past us for an amount that had changed (1774), a fee refund
/// judged by its elder's, which was done and not yet written down (793).
const REGRESS: [u64; 9] = [387, 772, 1201, 1628, 2340, 2968, 459, 1774, 793];

/// A thousand worlds that never meet one of these have not looked there.
const MUST_MEET: [&str; 21] = [
    "a cart captured",
    "a commit not written",
    "a commit written without an answer",
    "a crash",
    "a draw sold out",
    "a game called off",
    "a ghost fenced",
    "a notice doubled",
    "a notice lost",
    "a price edited",
    "a process hangs",
    "a process is replaced",
    "a refusal after authorisation",
    "a result entered",
    "a result undone",
    "an anomaly healed",
    "an order let go",
    "an order refunded",
    "kick-off seen by the database's clock alone",
    "somebody meddled",
    "told: not charged",
];

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_goes_wrong_nobody_is_wronged() {
    let seeds: Vec<u64> = match from_environment("SEED") {
        Some(seed) => vec![seed],
        None => REGRESS.into_iter().chain(1..=from_environment("SEEDS").unwrap_or(SEEDS)).collect(),
    };
    let began = Instant::now();
    let harvest = play_all(seeds.into_iter(), Mutant::None, false);
    println!("{} seeds with {} events in {:?}", harvest.played, harvest.events, began.elapsed());
    for (situation, times) in &harvest.met {
        println!("{times:>9} × {situation}");
    }
    report(&harvest);
    let missed: Vec<&str> = MUST_MEET.into_iter().filter(|situation| !harvest.met.contains_key(situation)).collect();
    assert!(harvest.played < 1_000 || missed.is_empty(), "{} seeds never met {missed:?}", harvest.played);
}

#[test]
fn a_seed_replays_exactly() {
    for seed in 1..=12 {
        let (first, second) = (play(seed, Mutant::None, false), play(seed, Mutant::None, true));
        assert_eq!((first.hash, first.events), (second.hash, second.events), "seed {seed}");
        assert_ne!(first.hash, play(seed + 1, Mutant::None, false).hash, "the hash says nothing");
    }
}

/// A simulation that does not notice a missing guard has not looked.
#[test]
fn every_mutant_is_caught() {
    let mut survivors = Vec::new();
    for mutant in Mutant::ALL {
        let harvest = play_all(1..=MUTANT_SEEDS, mutant, true);
        match harvest.failed.first() {
            Some((seed, ending)) => println!("{mutant:?}: seed {seed}: {}", ending.violations[0]),
            None => survivors.push(mutant),
        }
    }
    assert!(survivors.is_empty(), "nobody noticed {survivors:?} in {MUTANT_SEEDS} seeds");
}
