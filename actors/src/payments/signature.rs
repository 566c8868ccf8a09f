//! Verifies the signature of a webhook event. Compares every `v1` signature in the header with the
//! one computed from the raw body, for every configured secret.
//!
//! async-stripe is not used here, because it reads only the last `v1` of the header, and rejects
//! valid events that it cannot parse.

use domain::Timestamp;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use thiserror::Error;

/// Seconds by which the timestamp of an event may be in the past or in the future (decision B-1).
pub const TIMESTAMP_TOLERANCE_SECONDS: i64 = 300;
/// Largest number of signatures that are checked. The provider sends two or three while its secret
/// is being replaced.
const CHECKED_SIGNATURES_MAX: usize = 16;
const SIGNATURE_HEADER_BYTES_MAX: usize = 4096;

/// Why a signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadSignature {
    #[error("the signature header is missing or unreadable")]
    Unreadable,
    #[error("the notice is too old or from the future")]
    OutOfTime,
    #[error("no signature fits")]
    Forged,
}

/// Verifies a `Stripe-Signature` header (`t=…,v1=…,v1=…`) over a body as received.
///
/// # Errors
/// The event is not authentic: the caller answers 400 and does nothing else.
pub fn verify(
    body: &[u8],
    header: &str,
    secrets: &[String],
    now: Timestamp,
) -> Result<(), BadSignature> {
    if header.len() > SIGNATURE_HEADER_BYTES_MAX {
        return Err(BadSignature::Unreadable);
    }
    let fields = || {
        header
            .split(',')
            .filter_map(|field| field.trim().split_once('='))
    };
    let mut times = fields()
        .filter(|(name, _)| *name == "t")
        .map(|(_, value)| value);
    let (Some(time), None) = (times.next(), times.next()) else {
        return Err(BadSignature::Unreadable);
    };
    let seconds: i64 = time.parse().map_err(|_| BadSignature::Unreadable)?;
    let signatures: Vec<Vec<u8>> = fields()
        .filter(|(name, _)| *name == "v1")
        .take(CHECKED_SIGNATURES_MAX)
        .filter_map(|(_, value)| hex::decode(value).ok())
        .collect();
    if signatures.is_empty() {
        return Err(BadSignature::Unreadable);
    }
    // Every signature is compared with every secret in constant time, even after a match.
    let mut fits = false;
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
            continue;
        };
        mac.update(time.as_bytes());
        mac.update(b".");
        mac.update(body);
        for signature in &signatures {
            fits |= mac.clone().verify_slice(signature).is_ok();
        }
    }
    if !fits {
        return Err(BadSignature::Forged);
    }
    let age_seconds = i128::from(now.0.div_euclid(1000)) - i128::from(seconds);
    if age_seconds.abs() > i128::from(TIMESTAMP_TOLERANCE_SECONDS) {
        return Err(BadSignature::OutOfTime);
    }
    Ok(())
}

/// Signs a body as the provider does. For test servers and tests.
pub fn sign(body: &[u8], secret: &str, at: Timestamp) -> String {
    let seconds = at.0.div_euclid(1000);
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{seconds}.").as_bytes());
    mac.update(body);
    format!(
        "t={seconds},v1={}",
        hex::encode(mac.finalize().into_bytes())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_795_226_400_000);
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;

    fn v1_signature(secret: &str) -> String {
        sign(BODY, secret, NOW)
            .split_once(",v1=")
            .unwrap()
            .1
            .to_owned()
    }

    #[test]
    fn signature_is_accepted_for_any_secret_and_rejected_if_malformed() {
        let (ours, next, t) = (
            v1_signature("whsec_a"),
            v1_signature("whsec_b"),
            NOW.0 / 1000,
        );
        let altered = format!("{}0", &ours[..63]);
        let table = [
            ("one signature", format!("t={t},v1={ours}"), Ok(())),
            ("the second secret", format!("t={t},v1={next}"), Ok(())),
            (
                "two during a roll, ours first",
                format!("t={t},v1={ours},v1={}", v1_signature("whsec_new")),
                Ok(()),
            ),
            (
                "two during a roll, ours last",
                format!("t={t},v1={},v1={ours}", v1_signature("whsec_new")),
                Ok(()),
            ),
            (
                "with an old scheme beside it",
                format!("t={t},v0=00,v1={ours}"),
                Ok(()),
            ),
            ("with spaces", format!("t={t}, v1={ours}"), Ok(())),
            (
                "another secret",
                format!("t={t},v1={}", v1_signature("whsec_x")),
                Err(BadSignature::Forged),
            ),
            (
                "one digit changed",
                format!("t={t},v1={altered}"),
                Err(BadSignature::Forged),
            ),
            (
                "shortened",
                format!("t={t},v1={}", &ours[..62]),
                Err(BadSignature::Forged),
            ),
            (
                "the old scheme alone",
                format!("t={t},v0={ours}"),
                Err(BadSignature::Unreadable),
            ),
            (
                "another time",
                format!("t={},v1={ours}", t + 1),
                Err(BadSignature::Forged),
            ),
            (
                "two times",
                format!("t={t},t={t},v1={ours}"),
                Err(BadSignature::Unreadable),
            ),
            (
                "no time",
                format!("v1={ours}"),
                Err(BadSignature::Unreadable),
            ),
            (
                "no number",
                format!("t=now,v1={ours}"),
                Err(BadSignature::Unreadable),
            ),
            (
                "no hexadecimal",
                format!("t={t},v1=zz"),
                Err(BadSignature::Unreadable),
            ),
            ("nothing", String::new(), Err(BadSignature::Unreadable)),
            (
                "too long",
                format!("t={t},v1={ours},{}", "x".repeat(SIGNATURE_HEADER_BYTES_MAX)),
                Err(BadSignature::Unreadable),
            ),
        ];
        let secrets = ["whsec_a".to_owned(), "whsec_b".to_owned()];
        for (name, header, expected) in table {
            assert_eq!(verify(BODY, &header, &secrets, NOW), expected, "{name}");
        }
    }

    #[test]
    fn timestamp_is_accepted_within_five_minutes_either_way() {
        let (header, secrets) = (sign(BODY, "whsec_a", NOW), ["whsec_a".to_owned()]);
        for (seconds, expected) in [
            (-301, Err(BadSignature::OutOfTime)),
            (-300, Ok(())),
            (0, Ok(())),
            (300, Ok(())),
            (301, Err(BadSignature::OutOfTime)),
        ] {
            assert_eq!(
                verify(BODY, &header, &secrets, NOW.plus_seconds(seconds)),
                expected,
                "{seconds}"
            );
        }
    }

    #[test]
    fn changed_body_or_missing_secret_is_rejected() {
        let header = sign(BODY, "whsec_a", NOW);
        for place in 0..BODY.len() {
            let mut body = BODY.to_vec();
            body[place] ^= 1;
            assert_eq!(
                verify(&body, &header, &["whsec_a".to_owned()], NOW),
                Err(BadSignature::Forged)
            );
        }
        assert_eq!(verify(BODY, &header, &[], NOW), Err(BadSignature::Forged));
        let unsigned = sign(BODY, "", NOW);
        assert_eq!(
            verify(BODY, &unsigned, &[String::new()], NOW),
            Err(BadSignature::Forged),
            "an empty secret accepts nothing"
        );
    }
}
