//! Seeded worlds in paused time around the real engine: crowds, crashes, lost and doubled and late notices, a provider that does
//! not answer, books that do not say whether they wrote. `SEEDS=n` plays more, `FROM=m` begins later, `SEED=x` plays one again,
//! exactly.

use std::time::Instant;

use simulation::mutant::Mutant;
use simulation::plan::Pace;
use simulation::seeds::{both_ways, play_all, regress, report};
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

/// A world makes and forgets some ten thousand small things, and the system's allocator takes a sixth of its time for that.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SEEDS: u64 = 2_000;

/// A mutant is to be caught within so many.
const MUTANT_SEEDS: u64 = 1_000;

/// Every so many of the seeds played are played twice; of the first ones not only the hashes of their stories are compared.
const TWICE_ONE_IN: u64 = 100;
const WORD_BY_WORD: u64 = 20;

/// A thousand worlds that never meet one of these have not looked there.
const MUST_MEET: [&str; 35] = [
    "a buyer reads of no charge",
    "a cart captured",
    "a clock is set",
    "a club reads of a dispute",
    "a command forwarded",
    "a commit not written",
    "a commit written without an answer",
    "a crash",
    "a dead node buried",
    "a draw sold out",
    "a game called off",
    "a draw is another node's",
    "a draw taken from an owner that nobody reached",
    "a draw taken from an owner whose answers were lost",
    "a ghost fenced",
    "a notice doubled",
    "a notice lost",
    "a payment disputed",
    "a payment forged",
    "a price edited",
    "a process hangs",
    "a process is cut off",
    "a process is replaced",
    "a refusal after authorisation",
    "a result entered",
    "a result undone",
    "an anomaly healed",
    "an order let go",
    "an operator's button worked",
    "an order refunded",
    "commands not written together",
    "commands written together",
    "kick-off seen by the database's clock alone",
    "somebody meddled",
    "told: not charged",
];

fn seeds_wanted() -> u64 {
    from_environment("SEEDS").unwrap_or(SEEDS)
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_goes_wrong_nobody_is_wronged() {
    let again = from_environment("SEED");
    let known = again.map_or_else(regress, |seed| both_ways(seed).to_vec());
    let wanted = if again.is_some() { 0 } else { seeds_wanted() };
    let began = Instant::now();
    let from = from_environment("FROM").unwrap_or(1);
    let seeds = known
        .into_iter()
        .chain((from..=wanted).map(|seed| (seed, Pace::of(seed))));
    let harvest = play_all(seeds, Mutant::None, false);
    let (played, events, took) = (harvest.played, harvest.events, began.elapsed().as_secs());
    println!(
        "{played} seeds with {events} events in {took} s: {:.0} seeds a second and core",
        harvest.rate()
    );
    for (situation, times) in &harvest.met {
        println!("{times:>9} × {situation}");
    }
    report(&harvest);
    let missed: Vec<&str> = MUST_MEET
        .into_iter()
        .filter(|situation| !harvest.met.contains_key(situation))
        .collect();
    assert!(
        harvest.played < 1_000 || missed.is_empty(),
        "{} seeds never met {missed:?}",
        harvest.played
    );
}

#[test]
fn a_seed_replays_exactly() {
    let mut before = 0;
    for seed in 1..=(seeds_wanted() / TWICE_ONE_IN).clamp(WORD_BY_WORD, 1_000) {
        let play = |readable| play(seed, Pace::of(seed), Mutant::None, readable);
        let (first, again) = (play(seed <= WORD_BY_WORD), play(true));
        assert_eq!(
            (first.hash, first.events),
            (again.hash, again.events),
            "seed {seed}"
        );
        assert!(
            seed > WORD_BY_WORD || first.text == again.text,
            "seed {seed} tells another story"
        );
        assert_ne!(first.hash, before, "the hash says nothing");
        assert!(
            again.text.len() as u64 == again.events && again.events > 0,
            "seed {seed} tells nothing"
        );
        before = first.hash;
    }
}

/// A simulation that does not notice a missing guard has not looked.
#[test]
fn every_mutant_is_caught() {
    let mut survivors = Vec::new();
    for mutant in Mutant::ALL {
        let harvest = play_all(
            (1..=MUTANT_SEEDS).map(|seed| (seed, Pace::Whole)),
            mutant,
            true,
        );
        match harvest.failed.first() {
            Some((seed, _, ending)) => {
                println!("{mutant:?}: after {seed} seeds: {}", ending.violations[0])
            }
            None => survivors.push(mutant),
        }
    }
    assert!(
        survivors.is_empty(),
        "nobody noticed {survivors:?} in {MUTANT_SEEDS} seeds"
    );
}
