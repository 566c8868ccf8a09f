//! The source of random numbers of a simulated world. All of them come from the seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A deterministic stream of random numbers (`SplitMix64`). Clones share the stream.
#[derive(Clone)]
pub struct RandomStream(Arc<AtomicU64>);

impl RandomStream {
    pub fn new(seed: u64) -> RandomStream {
        RandomStream(Arc::new(AtomicU64::new(scramble_bits(seed))))
    }

    /// Returns an independent stream. Taking more numbers from `self` later does not change the
    /// numbers of the new stream.
    pub fn fork(&self) -> RandomStream {
        RandomStream::new(self.next())
    }

    pub fn next(&self) -> u64 {
        scramble_bits(self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed))
    }

    /// Returns a number from 0 to `bound` − 1.
    pub fn below(&self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns a number between both bounds, inclusive.
    pub fn between(&self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    pub fn happens(&self, per_mille: u64) -> bool {
        per_mille > 0 && self.below(1000) < per_mille
    }

    pub fn coin_flip(&self) -> bool {
        self.below(2) == 0
    }

    pub fn one_of<'a, T>(&self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

fn scramble_bits(number: u64) -> u64 {
    let mut bits = number;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
