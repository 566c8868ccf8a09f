//! Everything random in a world comes from its seed, through here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A stream of numbers that a seed decides (SplitMix64). Clones draw from the same stream.
#[derive(Clone)]
pub struct Chance(Arc<AtomicU64>);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(Arc::new(AtomicU64::new(mix(seed))))
    }

    /// A stream of its own, so that one more draw from it disturbs nobody else.
    pub fn fork(&self) -> Chance {
        Chance::new(self.next())
    }

    pub fn next(&self) -> u64 {
        mix(self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed))
    }

    /// 0…bound − 1.
    pub fn below(&self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Both ends included.
    pub fn between(&self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    pub fn happens(&self, per_mille: u64) -> bool {
        per_mille > 0 && self.below(1000) < per_mille
    }

    pub fn coin(&self) -> bool {
        self.below(2) == 0
    }

    pub fn one_of<'a, T>(&self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

fn mix(number: u64) -> u64 {
    let mut bits = number;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
