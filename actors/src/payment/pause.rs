//! How long to wait before the next attempt: 0.5 s, 1 s, 2 s, 4 s … 60 s, with a jitter that a simulation can repeat.

/// The pause after `attempts` failed attempts, in milliseconds: doubling, at most a minute, plus up to a quarter so that many
/// that failed together do not come back together. `salt` tells them apart; the same arguments give the same pause.
pub(crate) fn pause_ms(attempts: u32, salt: u64) -> i64 {
    let doubled = 500_i64 << attempts.min(7);
    let pause = doubled.min(60_000);
    let chance = scatter(salt ^ (u64::from(attempts) << 56));
    pause + (chance % (pause as u64 / 4 + 1)) as i64
}

/// SplitMix64: well-spread bits from any number.
fn scatter(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::pause_ms;

    #[test]
    fn pauses_double_up_to_a_minute_and_scatter_by_a_quarter() {
        for (attempts, least) in [
            (0, 500),
            (1, 1000),
            (2, 2000),
            (3, 4000),
            (6, 32_000),
            (7, 60_000),
            (99, 60_000),
        ] {
            let pauses: Vec<i64> = (0..200).map(|salt| pause_ms(attempts, salt)).collect();
            assert!(
                pauses
                    .iter()
                    .all(|pause| (least..=least + least / 4).contains(pause)),
                "{attempts}: {pauses:?}"
            );
            assert!(
                pauses.iter().any(|pause| *pause != pauses[0]),
                "they do not scatter"
            );
        }
    }
}
