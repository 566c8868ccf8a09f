//! Secrets at rest: sealed with a key that is never in the database (decisions K-3, B-4).

use std::fmt;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use domain::Seed;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::error::Failure;

pub const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
/// First byte of everything sealed, so that another cipher or key can follow one day.
const FORMAT: u8 = 1;

/// What a deal's seed is sealed for; its id is the draw's number.
pub const PURPOSE_SEED: &str = "deal-seed";

/// Seals and opens with AES-256-GCM. What was sealed for one purpose and id opens for no other, so that a row's secret
/// cannot be moved to another row.
#[derive(Clone)]
pub struct Sealer {
    cipher: Aes256Gcm,
    /// What words are hashed with: made of the same key, and good for nothing else.
    hashing: [u8; KEY_BYTES],
}

impl Sealer {
    pub fn new(key: &[u8; KEY_BYTES]) -> Sealer {
        let cipher = Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(key));
        Sealer {
            cipher,
            hashing: mac(key, "football-doubles-fingerprint", ""),
        }
    }

    /// From 64 hexadecimal digits, as configuration holds it.
    pub fn from_hex(key: &str) -> Option<Sealer> {
        let mut bytes = [0; KEY_BYTES];
        hex::decode_to_slice(key.trim(), &mut bytes).ok()?;
        Some(Sealer::new(&bytes))
    }

    /// # Panics
    /// When the operating system gives no random bytes.
    pub fn seal(&self, purpose: &str, id: impl fmt::Display, plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = random();
        let bound_to = format!("{purpose}:{id}");
        let payload = Payload {
            msg: plain,
            aad: bound_to.as_bytes(),
        };
        let sealed = self
            .cipher
            .encrypt(Nonce::from_slice(&nonce), payload)
            .expect("AES-GCM seals any short message");
        [&[FORMAT][..], &nonce, &sealed].concat()
    }

    /// [`Failure::Corrupt`] when it was sealed with another key, for another purpose or id, or has been changed.
    pub fn open(
        &self,
        purpose: &str,
        id: impl fmt::Display,
        sealed: &[u8],
    ) -> Result<Vec<u8>, Failure> {
        let bound_to = format!("{purpose}:{id}");
        let unreadable = || {
            Failure::Corrupt(format!(
                "{bound_to} does not open: wrong key, or a changed row"
            ))
        };
        let Some((&[FORMAT], rest)) = sealed.split_first_chunk() else {
            return Err(unreadable());
        };
        let (nonce, message) = rest
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or_else(unreadable)?;
        let payload = Payload {
            msg: message,
            aad: bound_to.as_bytes(),
        };
        self.cipher
            .decrypt(Nonce::from_slice(nonce), payload)
            .map_err(|_| unreadable())
    }

    /// By what words are known again that are not kept: the same for the same purpose and words, and nobody without the key
    /// can try words out.
    pub fn fingerprint(&self, purpose: &str, words: &str) -> [u8; 32] {
        mac(&self.hashing, purpose, words)
    }
}

/// HMAC-SHA-256 of a purpose, which holds no line break, and words.
fn mac(key: &[u8; KEY_BYTES], purpose: &str, words: &str) -> [u8; 32] {
    let mut mac =
        <Hmac<Sha256> as Mac>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(purpose.as_bytes());
    mac.update(b"\n");
    mac.update(words.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Never printed.
impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(secret)")
    }
}

/// A key for [`Sealer::new`], from the operating system's generator.
pub fn fresh_key() -> [u8; KEY_BYTES] {
    random()
}

/// A seed nobody can foresee, for a new draw (decision K-1).
pub fn fresh_seed() -> Seed {
    Seed(random())
}

fn random<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_only_with_its_key_purpose_and_id() {
        let sealer = Sealer::new(&[7; 32]);
        let sealed = sealer.seal(PURPOSE_SEED, 1001, b"secret");
        assert_eq!(
            sealer.open(PURPOSE_SEED, 1001, &sealed).as_deref(),
            Ok(&b"secret"[..])
        );
        assert!(sealer.open(PURPOSE_SEED, 1002, &sealed).is_err());
        assert!(sealer.open("winner-bank", 1001, &sealed).is_err());
        assert!(
            Sealer::new(&[8; 32])
                .open(PURPOSE_SEED, 1001, &sealed)
                .is_err()
        );
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(
                sealer.open(PURPOSE_SEED, 1001, &changed).is_err(),
                "byte {at}"
            );
            assert!(
                sealer.open(PURPOSE_SEED, 1001, &sealed[..at]).is_err(),
                "cut at {at}"
            );
        }
    }

    #[test]
    fn words_are_known_again_only_with_the_key_and_for_their_purpose() {
        let known = Sealer::new(&[7; 32]).fingerprint("buyer-email", "alice@example.com");
        assert_eq!(
            Sealer::new(&[7; 32]).fingerprint("buyer-email", "alice@example.com"),
            known
        );
        assert_ne!(
            Sealer::new(&[8; 32]).fingerprint("buyer-email", "alice@example.com"),
            known
        );
        assert_ne!(
            Sealer::new(&[7; 32]).fingerprint("other", "alice@example.com"),
            known
        );
        assert_ne!(
            Sealer::new(&[7; 32]).fingerprint("buyer-email", "alicf@example.com"),
            known
        );
        // It is no plain hash of the key or of the words: both are known to somebody.
        assert_ne!(mac(&[7; 32], "buyer-email", "alice@example.com"), known);
    }

    #[test]
    fn the_same_secret_never_looks_the_same_twice() {
        let sealer = Sealer::from_hex(&"ab".repeat(32)).expect("a key");
        assert_ne!(
            sealer.seal(PURPOSE_SEED, 1001, b"secret"),
            sealer.seal(PURPOSE_SEED, 1001, b"secret")
        );
        assert!(Sealer::from_hex("ab").is_none());
        assert_eq!(format!("{sealer:?}"), "Sealer(secret)");
    }
}
