//! The operators' second factor: six digits from an authenticator, each good once (RFC 6238; decision G-5).

use domain::Timestamp;
use persistence::records::Records;
use persistence::records::admins::Admin;
use totp_rs::{Builder, Secret, Totp};

use super::random;
use crate::error::Problem;

pub const ISSUER: &str = "Football Doubles";
/// A code lives this long.
pub const STEP_SECONDS: i64 = 30;
/// Steps by which an authenticator's clock may be off.
const SKEW: u16 = 1;
/// How long a shown code counts for what has to be proved again.
pub const FRESH_MS: i64 = 10 * 60 * 1000;

/// A fresh shared secret: 160 bits, as the standard recommends.
pub fn fresh_secret() -> [u8; 20] {
    random()
}

/// The operator's authenticator, as both sides compute it.
///
/// # Errors
/// The e-mail cannot stand in an `otpauth:` address.
pub fn authenticator(secret: &[u8], email: &str) -> Result<Totp, Problem> {
    Builder::new()
        .with_secret(Secret::new(secret.into()))
        .with_skew(SKEW)
        .with_account_name(email.replace(':', ""))
        .with_issuer(Some(ISSUER))
        .build()
        .map_err(|_| Problem::unavailable())
}

/// What became of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Right,
    Wrong,
    /// Right, but it, or a later one, was shown before.
    Used,
}

/// Takes a code, spaces and all.
///
/// # Errors
/// The books could not be read or written.
pub async fn take(
    records: &Records,
    admin: &Admin,
    code: &str,
    now: Timestamp,
) -> Result<Shown, Problem> {
    let Some(factor) = records.second_factor(admin.id).await? else {
        return Ok(Shown::Wrong);
    };
    let digits: String = code
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let seconds = now.0.div_euclid(1000).unsigned_abs();
    let Some(step) = authenticator(&factor.secret, &admin.email)?.check(&digits, seconds) else {
        return Ok(Shown::Wrong);
    };
    let is_new = records.use_step(admin.id, step as i64, now).await?;
    Ok(if is_new { Shown::Right } else { Shown::Used })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_compute_the_standards_own_example() {
        // RFC 6238, appendix B, cut to six digits.
        let totp =
            authenticator(b"12345678901234567890", "a@example.com").expect("an authenticator");
        assert_eq!(totp.generate(59).to_string(), "287082");
        assert_eq!(
            totp.check("287082", 59 + 30),
            Some(1),
            "a clock may be one step behind"
        );
        assert_eq!(totp.check("287082", 59 + 90), None);
    }
}
