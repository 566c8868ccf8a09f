//! Plays many seeds on two threads, and says how to play a failing one again.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::mutant::Mutant;
use super::world::{Ending, play};

const THREADS: usize = 2;

/// What many seeds came to.
#[derive(Debug, Default)]
pub struct Harvest {
    pub played: u64,
    pub events: u64,
    pub met: BTreeMap<&'static str, u64>,
    pub failed: Vec<(u64, Ending)>,
}

impl Harvest {
    fn add(&mut self, seed: u64, ending: Ending) {
        self.played += 1;
        self.events += ending.events;
        for (situation, times) in &ending.met {
            *self.met.entry(situation).or_default() += times;
        }
        if !ending.violations.is_empty() {
            self.failed.push((seed, ending));
        }
    }
}

/// Plays seeds until one fails, or all of them.
pub fn play_all(seeds: impl Iterator<Item = u64> + Send, mutant: Mutant, stop_at_first: bool) -> Harvest {
    let (seeds, harvest, stop) = (Mutex::new(seeds), Mutex::new(Harvest::default()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(seed) = seeds.lock().expect("no seed panics").next() else { return };
                    let ending = play(seed, mutant, false);
                    stop.fetch_or(stop_at_first && !ending.violations.is_empty(), Ordering::Relaxed);
                    harvest.lock().expect("no harvest panics").add(seed, ending);
                }
            });
        }
    });
    let mut harvest = harvest.into_inner().expect("no harvest panics");
    harvest.failed.sort_by_key(|(seed, _)| *seed);
    harvest
}

/// Plays a failed seed again for its story, and panics with how to do the same.
pub fn report(harvest: &Harvest) {
    let Some((seed, _)) = harvest.failed.first() else { return };
    let again = play(*seed, Mutant::None, true);
    let story = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulation-{seed}.log"));
    let lines = again.text.iter().chain(&again.violations).map(|line| format!("{line}\n"));
    std::fs::write(&story, lines.collect::<String>()).expect("the story is written");
    let failed = harvest.failed.iter().map(|(seed, ending)| format!("seed {seed}: {}", ending.violations.join("; ")));
    panic!(
        "{} of {} seeds failed\n{}\nthe story is in {}; again, exactly:\n  SEED={seed} cargo test -p actors --test simulation\n",
        harvest.failed.len(),
        harvest.played,
        failed.collect::<Vec<_>>().join("\n"),
        story.display(),
    );
}
