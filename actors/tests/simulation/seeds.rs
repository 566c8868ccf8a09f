//! Simulates many seeds on all processor cores, prints progress and speed, and explains how to
//! replay a failed seed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::mutant::Mutant;
use super::plan::IdlePollMode;
use super::world::{WorldResult, simulate_seed};

/// Time between two lines of progress output.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);
/// Number of failed seeds after which the run stops.
const FAILURES_MAX: usize = 10;

/// Totals over all seeds played.
#[derive(Debug, Default)]
pub struct SeedTotals {
    pub played: u64,
    pub events: u64,
    pub met: BTreeMap<&'static str, u64>,
    pub failed: Vec<(u64, IdlePollMode, WorldResult)>,
    /// Processor time of the worker threads.
    pub processor_time: Duration,
    last_progress_at: Option<Instant>,
}

impl SeedTotals {
    fn add_result(
        &mut self,
        (seed, poll_mode): (u64, IdlePollMode),
        result: WorldResult,
        processor_time: Duration,
    ) {
        self.played += 1;
        self.processor_time += processor_time;
        self.events += result.events;
        for (situation, times) in &result.met {
            *self.met.entry(situation).or_default() += times;
        }
        if !result.violations.is_empty() {
            println!(
                "seed {seed} ({poll_mode:?}): {}",
                result.violations.join("; ")
            );
            self.failed.push((seed, poll_mode, result));
        }
        if self
            .last_progress_at
            .get_or_insert_with(Instant::now)
            .elapsed()
            >= PROGRESS_INTERVAL
        {
            self.last_progress_at = Some(Instant::now());
            let (played, failed, rate, mb) = (
                self.played,
                self.failed.len(),
                self.seeds_per_core_second(),
                memory_megabytes(),
            );
            println!(
                "{played} seeds, the latest {seed}, {failed} failed, {rate:.0} a second and core, {mb} MB"
            );
        }
    }

    /// Returns the number of seeds played per second and core.
    pub fn seeds_per_core_second(&self) -> f64 {
        self.played as f64 / self.processor_time.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Simulates seeds on every core. Stops when all are done, at the first failure if `stop_at_first`
/// is set, or after [`FAILURES_MAX`] failures.
pub fn simulate_all_seeds(
    seeds: impl Iterator<Item = (u64, IdlePollMode)> + Send,
    mutant: Mutant,
    stop_at_first: bool,
) -> SeedTotals {
    let (seeds, totals, stop) = (
        Mutex::new(seeds),
        Mutex::new(SeedTotals::default()),
        AtomicBool::new(false),
    );
    let failures_max = if stop_at_first { 1 } else { FAILURES_MAX };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Some((seed, poll_mode)) = seeds
                        .lock()
                        .expect("no thread panics while it holds the seeds")
                        .next()
                    else {
                        return;
                    };
                    let started = thread_cpu_time();
                    let result = simulate_seed(seed, poll_mode, mutant, false);
                    let processor_time = thread_cpu_time().saturating_sub(started);
                    let mut totals = totals
                        .lock()
                        .expect("no thread panics while it holds the totals");
                    totals.add_result((seed, poll_mode), result, processor_time);
                    stop.fetch_or(totals.failed.len() >= failures_max, Ordering::Relaxed);
                }
            });
        }
    });
    let mut totals = totals
        .into_inner()
        .expect("no thread panics while it holds the totals");
    totals.failed.sort_by_key(|(seed, ..)| *seed);
    totals
}

/// Returns the processor time of this thread on Linux, otherwise the elapsed time.
fn thread_cpu_time() -> Duration {
    static STARTED_AT: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let counted = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = counted.and_then(|line| line.split(' ').next()?.parse().ok());
    nanos.map_or_else(
        || STARTED_AT.get_or_init(Instant::now).elapsed(),
        Duration::from_nanos,
    )
}

/// Returns the memory use of this process in megabytes. It must not grow during a long run.
fn memory_megabytes() -> u64 {
    let counted = fs::read_to_string("/proc/self/statm").ok();
    let pages: Option<u64> = counted.and_then(|line| line.split(' ').nth(1)?.parse().ok());
    pages.unwrap_or_default() * 4096 / (1 << 20)
}

/// Returns the seeds of `regress.txt`. Each has failed once, so they are always simulated first.
pub fn regression_seeds() -> Vec<(u64, IdlePollMode)> {
    let lines = include_str!("regress.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let seeds = lines
        .filter_map(|line| line.split_whitespace().next())
        .map(|seed| seed.parse().expect("a seed"));
    seeds.flat_map(both_poll_modes).collect()
}

/// Returns the seed with both modes of simulating idle polls, because `regress.txt` does not store
/// the mode in which the seed failed.
pub fn both_poll_modes(seed: u64) -> [(u64, IdlePollMode); 2] {
    [
        (seed, IdlePollMode::EveryPoll),
        (seed, IdlePollMode::SkipIdlePolls),
    ]
}

/// Replays the first failed seed with a text trace, and panics with instructions.
pub fn panic_on_failure(totals: &SeedTotals) {
    let Some((seed, poll_mode, _)) = totals.failed.first() else {
        return;
    };
    let again = simulate_seed(*seed, *poll_mode, Mutant::None, true);
    let transcript = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulation-{seed}.log"));
    let lines = again
        .text
        .iter()
        .chain(&again.violations)
        .map(|line| format!("{line}\n"));
    fs::write(&transcript, lines.collect::<String>()).expect("the trace is written");
    let failed = totals.failed.iter();
    let failed = failed.map(|(seed, poll_mode, result)| {
        format!(
            "seed {seed} ({poll_mode:?}): {}",
            result.violations.join("; ")
        )
    });
    panic!(
        "{} of {} seeds failed\n{}\nthe trace is in {}; to replay it exactly:\n  SEED={seed} cargo test -p actors --test simulation\n\
         once it is fixed, add the seed to actors/tests/simulation/regress.txt\n",
        totals.failed.len(),
        totals.played,
        failed.collect::<Vec<_>>().join("\n"),
        transcript.display(),
    );
}
