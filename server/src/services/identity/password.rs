//! Password hashing with Argon2id on blocking threads, limited to a few at a time (decision G-6).

use actix_web::web;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::api::error::Problem;

/// Memory of one Argon2id hash in KiB: 19 MiB with two passes and one lane, the minimum that OWASP
/// recommends.
const ARGON2_MEMORY_KIB: u32 = 19 * 1024;
const ARGON2_PASSES: u32 = 2;
/// Maximum password length in bytes. Longer passwords are refused, never truncated.
pub const PASSWORD_BYTES_MAX: usize = 128;
/// Minimum password length in characters. Shorter passwords are refused (specification B, line
/// 152).
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Maximum number of concurrent hashes, so that sign-ins do not slow purchases down.
static HASHING_PERMITS: Semaphore = Semaphore::const_new(2);

/// A hash that no password matches. A sign-in with an unknown e-mail address is checked against
/// this hash, so that it takes as long as one with a known address.
const UNMATCHABLE_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn argon2() -> Argon2<'static> {
    let params = Params::new(ARGON2_MEMORY_KIB, ARGON2_PASSES, 1, None)
        .expect("constant parameters are valid");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Hashes a password for storage. Takes about 50 ms, so call it on a blocking thread.
///
/// # Panics
///
/// The operating system provides no randomness for the salt.
pub fn hash(password: &str) -> String {
    argon2()
        .hash_password(password.as_bytes())
        .expect("a salt and constant parameters")
        .to_string()
}

/// Hashes a password for storage on a blocking thread.
///
/// # Errors
///
/// The blocking threads are gone: the server is stopping.
pub async fn hash_on_blocking_thread(password: String) -> Result<String, Problem> {
    let Ok(_permit) = HASHING_PERMITS.acquire().await else {
        return Err(Problem::unavailable());
    };
    web::block(move || hash(&password))
        .await
        .map_err(|_| Problem::unavailable())
}

/// Whether a password matches the stored hash. `stored` is `None` for an unknown e-mail address:
/// the check then takes as long, and returns `false`.
///
/// # Errors
///
/// The blocking threads are gone: the server is stopping.
pub async fn verify_password(password: String, stored: Option<String>) -> Result<bool, Problem> {
    let Ok(_permit) = HASHING_PERMITS.acquire().await else {
        return Err(Problem::unavailable());
    };
    let is_known = stored.is_some();
    let stored = stored.unwrap_or_else(|| UNMATCHABLE_HASH.to_string());
    let matches = web::block(move || {
        PasswordHash::new(&stored)
            .is_ok_and(|hash| argon2().verify_password(password.as_bytes(), &hash).is_ok())
    })
    .await
    .map_err(|_| Problem::unavailable())?;
    Ok(matches && is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn password_matches_its_hash_and_unknown_account_never_matches() {
        let stored = hash("correct horse");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(
            verify_password("correct horse".into(), Some(stored.clone()))
                .await
                .expect("verified")
        );
        assert!(
            !verify_password("wrong".into(), Some(stored))
                .await
                .expect("verified")
        );
        assert!(
            !verify_password(String::new(), None)
                .await
                .expect("verified")
        );
        // Both hashes must have the same memory and passes, so that an unknown e-mail takes as long
        // as a known one.
        let work = |hash: &str| {
            hash.split('$')
                .take(4)
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        assert!(PasswordHash::new(UNMATCHABLE_HASH).is_ok());
        assert_eq!(work(UNMATCHABLE_HASH), work(&hash("correct horse")));
    }
}
