//! Ids that look like the provider's, and the time as it counts it.

use std::time::{SystemTime, UNIX_EPOCH};

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LETTERS: usize = 24;

/// `pi_` and 24 random letters and digits.
pub fn fresh(prefix: &str) -> String {
    let mut noise = [0_u8; ID_LETTERS];
    getrandom::fill(&mut noise).expect("the operating system gives random bytes");
    let mut id = String::with_capacity(prefix.len() + 1 + ID_LETTERS);
    id.push_str(prefix);
    id.push('_');
    id.extend(
        noise
            .iter()
            .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])),
    );
    id
}

/// Seconds since 1970.
pub fn now() -> i64 {
    now_ms() / 1000
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_millis() as i64
}
