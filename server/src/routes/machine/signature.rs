//! The provider's signature over a notice: every `v1` of the header against every active secret, over the raw bytes.

use domain::Timestamp;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Older or newer than this is a replay, or a clock gone wrong (decision B-1).
const TOLERANCE_SECONDS: i64 = 300;

/// Whether `t=…,v1=…,v1=…` was made with one of the secrets for this body, now.
pub fn is_valid(header: &str, body: &[u8], secrets: &[&str], now: Timestamp) -> bool {
    let fields: Vec<(&str, &str)> = header.split(',').filter_map(|field| field.trim().split_once('=')).collect();
    let Some(at) = fields.iter().find(|(name, _)| *name == "t").map(|(_, value)| *value) else {
        return false;
    };
    let Ok(seconds) = at.parse::<i64>() else {
        return false;
    };
    if now.0.div_euclid(1000).abs_diff(seconds) > TOLERANCE_SECONDS as u64 {
        return false;
    }
    let said: Vec<Vec<u8>> =
        fields.iter().filter(|(name, _)| *name == "v1").filter_map(|(_, value)| hex::decode(value).ok()).collect();
    secrets.iter().any(|secret| said.iter().any(|said| matches(secret, at, body, said)))
}

fn matches(secret: &str, at: &str, body: &[u8], said: &[u8]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return false;
    };
    mac.update(at.as_bytes());
    mac.update(b".");
    mac.update(body);
    // Takes as long whichever byte is wrong.
    mac.verify_slice(said).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_795_165_800_000);
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;

    fn sign(secret: &str, seconds: i64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any key");
        mac.update(format!("{seconds}.").as_bytes());
        mac.update(body);
        hex::encode(mac.finalize().into_bytes())
    }

    fn header(secret: &str, seconds: i64) -> String {
        format!("t={seconds},v1={},v0=00", sign(secret, seconds, BODY))
    }

    #[test]
    fn every_signature_is_tried_with_every_secret() {
        let now = NOW.0 / 1000;
        assert!(is_valid(&header("whsec_a", now), BODY, &["whsec_a"], NOW));
        assert!(is_valid(&header("whsec_b", now), BODY, &["whsec_a", "whsec_b"], NOW));
        let two = format!("t={now},v1={},v1={}", sign("whsec_old", now, BODY), sign("whsec_new", now, BODY));
        assert!(is_valid(&two, BODY, &["whsec_old"], NOW) && is_valid(&two, BODY, &["whsec_new"], NOW));
    }

    #[test]
    fn forgeries_replays_and_changed_bytes_are_refused() {
        let now = NOW.0 / 1000;
        assert!(is_valid(&header("whsec_a", now - 300), BODY, &["whsec_a"], NOW));
        assert!(!is_valid(&header("whsec_a", now - 301), BODY, &["whsec_a"], NOW));
        assert!(!is_valid(&header("whsec_a", now + 301), BODY, &["whsec_a"], NOW));
        assert!(!is_valid(&header("whsec_b", now), BODY, &["whsec_a"], NOW));
        assert!(!is_valid(&header("whsec_a", now), br#"{"id":"evt_2"}"#, &["whsec_a"], NOW));
        for header in
            ["", "t=", "v1=00", "t=abc,v1=00", "t=1795165800", "t=1795165800,v1=zz", "t=9223372036854775807,v1=00"]
        {
            assert!(!is_valid(header, BODY, &["whsec_a"], NOW), "{header}");
        }
    }
}
