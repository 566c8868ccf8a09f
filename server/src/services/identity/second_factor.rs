//! The operators' second factor: six-digit one-time codes of an authenticator app (RFC 6238;
//! decision G-5).

use domain::Timestamp;
use persistence::records::Records;
use persistence::records::admins::Admin;
use totp_rs::{Builder, Secret, Totp};

use super::random;
use crate::api::error::Problem;

/// The issuer that authenticator apps display.
pub const TOTP_ISSUER: &str = "Football Doubles";
/// Validity of one second-factor code in seconds.
pub const TOTP_STEP_SECONDS: i64 = 30;
/// Maximum number of 30-second steps by which the clock of an authenticator app may be off.
const CLOCK_SKEW_STEPS_MAX: u16 = 1;
/// How long an entered code or password counts as recent proof of identity, in milliseconds.
pub const IDENTITY_PROOF_LIFETIME_MS: i64 = 10 * 60 * 1000;

/// Generates the secret that the server and an operator's authenticator app share: 160 bits, as RFC
/// 4226 recommends.
pub fn generate_secret() -> [u8; 20] {
    random()
}

/// Builds the code generator of an operator, which computes the same codes as the operator's app.
///
/// # Errors
///
/// The e-mail cannot be part of an `otpauth:` address.
pub fn authenticator(secret: &[u8], email: &str) -> Result<Totp, Problem> {
    Builder::new()
        .with_secret(Secret::new(secret.into()))
        .with_skew(CLOCK_SKEW_STEPS_MAX)
        .with_account_name(email.replace(':', ""))
        .with_issuer(Some(TOTP_ISSUER))
        .build()
        .map_err(|_| Problem::unavailable())
}

/// The result of checking a second-factor code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeCheckResult {
    Right,
    Wrong,
    /// The code is correct, but this code or a later one was used before.
    Used,
}

/// Checks an operator's second-factor code, and marks a correct code as used. Spaces are ignored.
///
/// # Errors
///
/// The database could not be read or written.
pub async fn check_and_consume_code(
    records: &Records,
    admin: &Admin,
    code: &str,
    now: Timestamp,
) -> Result<CodeCheckResult, Problem> {
    let Some(factor) = records.second_factor(admin.id).await? else {
        return Ok(CodeCheckResult::Wrong);
    };
    let digits: String = code
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let seconds = now.0.div_euclid(1000).unsigned_abs();
    let Some(step) = authenticator(&factor.secret, &admin.email)?.check(&digits, seconds) else {
        return Ok(CodeCheckResult::Wrong);
    };
    let is_new = records
        .mark_code_step_used(admin.id, step as i64, now)
        .await?;
    Ok(if is_new {
        CodeCheckResult::Right
    } else {
        CodeCheckResult::Used
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_matches_the_example_of_rfc_6238() {
        // Test vectors of RFC 6238, appendix B, cut to six digits.
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
