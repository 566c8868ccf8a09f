//! Passwords: Argon2id, on the blocking threads, never more at once than there are cores (decision G-6).

use actix_web::web;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::error::Problem;

/// 19 MiB, two passes, one lane: the least that OWASP asks for.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// Longer passwords are cut by nobody: they are refused.
pub const PASSWORD_BYTES_MAX: usize = 128;
/// Shorter ones are refused (B:152).
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Sign-ins must not slow purchases down.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// The hash of no password: an unknown e-mail takes as long as a known one.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).expect("constant parameters are valid");
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// A password as it is stored. Takes some 50 ms: call it on a blocking thread.
///
/// # Panics
/// When the operating system has no randomness for the salt.
pub fn hash(password: &str) -> String {
    argon2()
        .hash_password(password.as_bytes())
        .expect("a salt and constant parameters")
        .to_string()
}

/// A password as it is stored, made on the blocking threads.
///
/// # Errors
/// The blocking threads are gone: the server is stopping.
pub async fn hashed(password: String) -> Result<String, Problem> {
    let Ok(_permit) = AT_ONCE.acquire().await else {
        return Err(Problem::unavailable());
    };
    web::block(move || hash(&password))
        .await
        .map_err(|_| Problem::unavailable())
}

/// Whether a password is the stored one. `None`, an e-mail nobody has, takes as long and is never right.
///
/// # Errors
/// The blocking threads are gone: the server is stopping.
pub async fn verify(password: String, stored: Option<String>) -> Result<bool, Problem> {
    let Ok(_permit) = AT_ONCE.acquire().await else {
        return Err(Problem::unavailable());
    };
    let known = stored.is_some();
    let stored = stored.unwrap_or_else(|| NOBODY.to_string());
    let matches = web::block(move || {
        PasswordHash::new(&stored)
            .is_ok_and(|hash| argon2().verify_password(password.as_bytes(), &hash).is_ok())
    })
    .await
    .map_err(|_| Problem::unavailable())?;
    Ok(matches && known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn a_password_is_known_by_its_hash_and_nobody_has_one() {
        let stored = hash("correct horse");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(
            verify("correct horse".into(), Some(stored.clone()))
                .await
                .expect("verified")
        );
        assert!(
            !verify("wrong".into(), Some(stored))
                .await
                .expect("verified")
        );
        assert!(!verify("".into(), None).await.expect("verified"));
        // As much memory, as many passes: an unknown address takes as long as a known one.
        let work = |hash: &str| {
            hash.split('$')
                .take(4)
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        assert!(PasswordHash::new(NOBODY).is_ok());
        assert_eq!(work(NOBODY), work(&hash("correct horse")));
    }
}
