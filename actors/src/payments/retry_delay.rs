//! The delay before the next attempt: 0.5 s, 1 s, 2 s, 4 s … 60 s, plus a jitter computed from its
//! arguments.

/// Returns the delay in milliseconds after `attempts` failed attempts. The delay doubles up to one
/// minute. A jitter of up to a quarter is added, so that operations that failed together do not
/// retry together. `salt` selects the jitter; equal arguments give equal delays, so that a
/// simulation can be replayed.
pub(crate) fn retry_delay_ms(attempts: u32, salt: u64) -> i64 {
    let doubled = 500_i64 << attempts.min(7);
    let delay = doubled.min(60_000);
    let random = split_mix_hash(salt ^ (u64::from(attempts) << 56));
    delay + (random % (delay as u64 / 4 + 1)) as i64
}

/// `SplitMix64`: a well-distributed 64-bit hash of a number.
fn split_mix_hash(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::retry_delay_ms;

    #[test]
    fn retry_delay_doubles_to_a_minute_with_jitter_of_a_quarter() {
        for (attempts, shortest) in [
            (0, 500),
            (1, 1000),
            (2, 2000),
            (3, 4000),
            (6, 32_000),
            (7, 60_000),
            (99, 60_000),
        ] {
            let delays: Vec<i64> = (0..200)
                .map(|salt| retry_delay_ms(attempts, salt))
                .collect();
            assert!(
                delays
                    .iter()
                    .all(|delay| (shortest..=shortest + shortest / 4).contains(delay)),
                "{attempts}: {delays:?}"
            );
            assert!(
                delays.iter().any(|delay| *delay != delays[0]),
                "all salts give the same delay"
            );
        }
    }
}
