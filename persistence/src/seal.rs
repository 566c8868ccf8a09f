//! Encrypts ("seals") secrets with a key that is never stored in the database (decisions K-3, B-4).

use std::fmt;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use domain::Seed;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::error::Failure;

pub const SEALING_KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 12;
/// First byte of sealed data. It names the format, so that another cipher or key can be introduced
/// later.
const SEAL_FORMAT_BYTE: u8 = 1;

/// The sealing purpose of the seed of a deal. The sealing id is the draw's number.
pub const SEED_SEAL_PURPOSE: &str = "deal-seed";

/// Encrypts ("seals") and decrypts ("opens") with AES-256-GCM. Data that was sealed for one purpose
/// and id cannot be opened for another. So a secret cannot be moved to another row.
#[derive(Clone)]
pub struct Sealer {
    cipher: Aes256Gcm,
    /// The HMAC key for fingerprints of values. Derived from the sealing key.
    hashing: [u8; SEALING_KEY_BYTES],
    /// The HMAC key for derived keys. It differs from `hashing`, so that no fingerprint equals a
    /// derived key.
    deriving: [u8; SEALING_KEY_BYTES],
}

impl Sealer {
    pub fn new(key: &[u8; SEALING_KEY_BYTES]) -> Sealer {
        let cipher = Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(key));
        Sealer {
            cipher,
            hashing: purpose_hmac(key, "football-doubles-fingerprint", ""),
            deriving: purpose_hmac(key, "football-doubles-derived-key", ""),
        }
    }

    /// Reads a sealing key of 64 hexadecimal digits, the form used in the configuration.
    pub fn from_hex(key: &str) -> Option<Sealer> {
        let mut bytes = [0; SEALING_KEY_BYTES];
        hex::decode_to_slice(key.trim(), &mut bytes).ok()?;
        Some(Sealer::new(&bytes))
    }

    /// Encrypts a secret.
    ///
    /// # Panics
    ///
    /// When the operating system provides no random bytes.
    pub fn seal(&self, purpose: &str, id: impl fmt::Display, plain: &[u8]) -> Vec<u8> {
        let nonce: [u8; NONCE_BYTES] = random_bytes();
        let bound_to = format!("{purpose}:{id}");
        let payload = Payload {
            msg: plain,
            aad: bound_to.as_bytes(),
        };
        let sealed = self
            .cipher
            .encrypt(Nonce::from_slice(&nonce), payload)
            .expect("AES-GCM seals any short message");
        [&[SEAL_FORMAT_BYTE][..], &nonce, &sealed].concat()
    }

    /// Decrypts a sealed secret.
    ///
    /// # Errors
    ///
    /// [`Failure::Corrupt`] when it was sealed with another key, for another purpose or id, or was
    /// changed.
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
        let Some((&[SEAL_FORMAT_BYTE], rest)) = sealed.split_first_chunk() else {
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

    /// Derives a key for one purpose, such as signing cookies: the HMAC-SHA-256 of the purpose
    /// under the sealing key. The derived key reveals neither the sealing key nor the key of
    /// another purpose.
    pub fn derive(&self, purpose: &str) -> [u8; SEALING_KEY_BYTES] {
        purpose_hmac(&self.deriving, purpose, "")
    }

    /// Returns an HMAC that recognises a value which is not stored. It depends only on the purpose,
    /// the value and the sealing key. Without the key, nobody can test guesses of the value.
    pub fn fingerprint(&self, purpose: &str, value: &str) -> [u8; 32] {
        purpose_hmac(&self.hashing, purpose, value)
    }
}

/// Returns the HMAC-SHA-256 of a purpose and a value. They are joined by a line break, which a
/// purpose never contains.
fn purpose_hmac(key: &[u8; SEALING_KEY_BYTES], purpose: &str, value: &str) -> [u8; 32] {
    let mut mac =
        <Hmac<Sha256> as Mac>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(purpose.as_bytes());
    mac.update(b"\n");
    mac.update(value.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Prints no key, so that the key never reaches a log.
impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(secret)")
    }
}

/// Returns a random key for [`Sealer::new`] from the operating system.
pub fn fresh_key() -> [u8; SEALING_KEY_BYTES] {
    random_bytes()
}

/// Returns an unpredictable seed for a new draw (decision K-1).
pub fn fresh_seed() -> Seed {
    Seed(random_bytes())
}

fn random_bytes<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_text_opens_only_with_its_key_purpose_and_id() {
        let sealer = Sealer::new(&[7; 32]);
        let sealed = sealer.seal(SEED_SEAL_PURPOSE, 1001, b"secret");
        assert_eq!(
            sealer.open(SEED_SEAL_PURPOSE, 1001, &sealed).as_deref(),
            Ok(&b"secret"[..])
        );
        assert!(sealer.open(SEED_SEAL_PURPOSE, 1002, &sealed).is_err());
        assert!(sealer.open("winner-bank", 1001, &sealed).is_err());
        assert!(
            Sealer::new(&[8; 32])
                .open(SEED_SEAL_PURPOSE, 1001, &sealed)
                .is_err()
        );
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(
                sealer.open(SEED_SEAL_PURPOSE, 1001, &changed).is_err(),
                "byte {at}"
            );
            assert!(
                sealer.open(SEED_SEAL_PURPOSE, 1001, &sealed[..at]).is_err(),
                "cut at {at}"
            );
        }
    }

    #[test]
    fn fingerprint_depends_on_key_purpose_and_value() {
        let fingerprint_before =
            Sealer::new(&[7; 32]).fingerprint("buyer-email", "alice@example.com");
        assert_eq!(
            Sealer::new(&[7; 32]).fingerprint("buyer-email", "alice@example.com"),
            fingerprint_before
        );
        assert_ne!(
            Sealer::new(&[8; 32]).fingerprint("buyer-email", "alice@example.com"),
            fingerprint_before
        );
        assert_ne!(
            Sealer::new(&[7; 32]).fingerprint("other", "alice@example.com"),
            fingerprint_before
        );
        assert_ne!(
            Sealer::new(&[7; 32]).fingerprint("buyer-email", "alicf@example.com"),
            fingerprint_before
        );
        // The derived key must differ from the plain HMAC under the sealing key, which another
        // program could also compute.
        assert_ne!(
            purpose_hmac(&[7; 32], "buyer-email", "alice@example.com"),
            fingerprint_before
        );
    }

    #[test]
    fn derived_keys_differ_by_purpose_and_sealing_key() {
        let cookies = Sealer::new(&[7; 32]).derive("browser-cookie");
        assert_eq!(Sealer::new(&[7; 32]).derive("browser-cookie"), cookies);
        assert_ne!(Sealer::new(&[8; 32]).derive("browser-cookie"), cookies);
        assert_ne!(Sealer::new(&[7; 32]).derive("audit-chain"), cookies);
        assert_ne!(
            Sealer::new(&[7; 32]).fingerprint("browser-cookie", ""),
            cookies
        );
        assert_ne!(purpose_hmac(&[7; 32], "browser-cookie", ""), cookies);
    }

    #[test]
    fn sealing_twice_gives_different_bytes() {
        let sealer = Sealer::from_hex(&"ab".repeat(32)).expect("a key");
        assert_ne!(
            sealer.seal(SEED_SEAL_PURPOSE, 1001, b"secret"),
            sealer.seal(SEED_SEAL_PURPOSE, 1001, b"secret")
        );
        assert!(Sealer::from_hex("ab").is_none());
        assert_eq!(format!("{sealer:?}"), "Sealer(secret)");
    }
}
