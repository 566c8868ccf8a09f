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

/// Seeds that failed once.
const REGRESS: [u64; 0] = [];

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
    println!("{} seeds in {:?}", harvest.played, began.elapsed());
    for (situation, times) in &harvest.met {
        println!("{times:>9} × {situation}");
    }
    report(&harvest);
}

#[test]
fn a_seed_replays_exactly() {
    for seed in 1..=12 {
        let (first, second) = (play(seed, Mutant::None, false), play(seed, Mutant::None, true));
        assert_eq!((first.hash, first.events), (second.hash, second.events), "seed {seed}");
    }
}

/// A simulation that does not notice a missing guard has not looked.
#[test]
fn every_mutant_is_caught() {
    let mut survivors = Vec::new();
    for mutant in Mutant::ALL {
        let harvest = play_all(1..=MUTANT_SEEDS, mutant, true);
        match harvest.failed.first() {
            Some((seed, ending)) => {
                println!("{mutant:?}: seed {seed} ({} played): {}", harvest.played, ending.violations[0])
            }
            None => survivors.push(mutant),
        }
    }
    assert!(survivors.is_empty(), "nobody noticed {survivors:?} in {MUTANT_SEEDS} seeds");
}
