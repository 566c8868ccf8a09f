//! Plays many seeds on two threads, says how far it is and how fast it was, and how to play a failing one again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::mutant::Mutant;
use super::plan::Pace;
use super::world::{Ending, play};

/// How often a long run says how far it is.
const SAID_EVERY: Duration = Duration::from_secs(10);
/// So many failures say enough: the run ends.
const FAILURES_MAX: usize = 10;

/// What many seeds came to.
#[derive(Debug, Default)]
pub struct Harvest {
    pub played: u64,
    pub events: u64,
    pub met: BTreeMap<&'static str, u64>,
    pub failed: Vec<(u64, Pace, Ending)>,
    /// How long the threads were at it, the time they waited for a core left out.
    pub busy: Duration,
    said: Option<Instant>,
}

impl Harvest {
    fn add(&mut self, (seed, pace): (u64, Pace), ending: Ending, busy: Duration) {
        self.played += 1;
        self.busy += busy;
        self.events += ending.events;
        for (situation, times) in &ending.met {
            *self.met.entry(situation).or_default() += times;
        }
        if !ending.violations.is_empty() {
            println!("seed {seed} ({pace:?}): {}", ending.violations.join("; "));
            self.failed.push((seed, pace, ending));
        }
        if self.said.get_or_insert_with(Instant::now).elapsed() >= SAID_EVERY {
            self.said = Some(Instant::now());
            let (played, failed, rate, mb) =
                (self.played, self.failed.len(), self.rate(), memory_mb());
            println!(
                "{played} seeds, the latest {seed}, {failed} failed, {rate:.0} a second and core, {mb} MB"
            );
        }
    }

    /// Seeds a second and core.
    pub fn rate(&self) -> f64 {
        self.played as f64 / self.busy.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Plays seeds until one fails, or all of them unless too many do; on every core there is.
pub fn play_all(
    seeds: impl Iterator<Item = (u64, Pace)> + Send,
    mutant: Mutant,
    stop_at_first: bool,
) -> Harvest {
    let (seeds, harvest, stop) = (
        Mutex::new(seeds),
        Mutex::new(Harvest::default()),
        AtomicBool::new(false),
    );
    let failures_max = if stop_at_first { 1 } else { FAILURES_MAX };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Some((seed, pace)) = seeds.lock().expect("no seed panics").next() else {
                        return;
                    };
                    let began = busy_so_far();
                    let ending = play(seed, pace, mutant, false);
                    let busy = busy_so_far().saturating_sub(began);
                    let mut harvest = harvest.lock().expect("no harvest panics");
                    harvest.add((seed, pace), ending, busy);
                    stop.fetch_or(harvest.failed.len() >= failures_max, Ordering::Relaxed);
                }
            });
        }
    });
    let mut harvest = harvest.into_inner().expect("no harvest panics");
    harvest.failed.sort_by_key(|(seed, ..)| *seed);
    harvest
}

/// What this thread has had of a core so far, as Linux counts it; elsewhere what the clock on the wall says.
fn busy_so_far() -> Duration {
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let counted = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = counted.and_then(|line| line.split(' ').next()?.parse().ok());
    nanos.map_or_else(
        || BEGAN.get_or_init(Instant::now).elapsed(),
        Duration::from_nanos,
    )
}

/// What this process has of the memory, as Linux counts it: a long run must not grow.
fn memory_mb() -> u64 {
    let counted = fs::read_to_string("/proc/self/statm").ok();
    let pages: Option<u64> = counted.and_then(|line| line.split(' ').nth(1)?.parse().ok());
    pages.unwrap_or_default() * 4096 / (1 << 20)
}

/// Seeds that failed once, in `regress.txt`: played before all others, for ever.
pub fn regress() -> Vec<(u64, Pace)> {
    let lines = include_str!("regress.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let seeds = lines
        .filter_map(|line| line.split_whitespace().next())
        .map(|seed| seed.parse().expect("a seed"));
    seeds.flat_map(both_ways).collect()
}

/// Nobody need know how a seed was played when it failed.
pub fn both_ways(seed: u64) -> [(u64, Pace); 2] {
    [(seed, Pace::Whole), (seed, Pace::Brisk)]
}

/// Plays a failed seed again for its story, and panics with how to do the same.
pub fn report(harvest: &Harvest) {
    let Some((seed, pace, _)) = harvest.failed.first() else {
        return;
    };
    let again = play(*seed, *pace, Mutant::None, true);
    let story = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulation-{seed}.log"));
    let lines = again
        .text
        .iter()
        .chain(&again.violations)
        .map(|line| format!("{line}\n"));
    fs::write(&story, lines.collect::<String>()).expect("the story is written");
    let failed = harvest.failed.iter();
    let failed = failed.map(|(seed, pace, ending)| {
        format!("seed {seed} ({pace:?}): {}", ending.violations.join("; "))
    });
    panic!(
        "{} of {} seeds failed\n{}\nthe story is in {}; again, exactly:\n  SEED={seed} cargo test -p actors --test simulation\n\
         once it is mended, the seed goes into actors/tests/simulation/regress.txt\n",
        harvest.failed.len(),
        harvest.played,
        failed.collect::<Vec<_>>().join("\n"),
        story.display(),
    );
}
