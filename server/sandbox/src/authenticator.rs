//! Shows the one-time codes of the demo operators. In a demo, anyone may read the codes that an
//! authenticator app would show.

use actix_web::Responder;
use actix_web::web::{self, Data, Json, ServiceConfig};
use serde_json::json;
use totp_rs::{Builder, Secret};

use super::Sandbox;

/// The e-mail address of the demo's first operator.
pub const DEMO_OPERATOR_EMAIL: &str = "operator@demo.test";

/// How long a one-time code is valid, in seconds: the default of RFC 6238.
const TOTP_CODE_LIFETIME_SECONDS: i64 = 30;

/// The second-factor secret of the seeded demo operators. It is public, so it protects nothing.
pub const DEMO_OPERATOR_TOTP_SECRET: &[u8; 20] = b"demo-operator-secret";

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route(
        "/operator-code.json",
        web::get().to(show_operator_totp_code),
    );
}

/// Returns the current one-time code, the next code, and the remaining lifetime of the current
/// code.
async fn show_operator_totp_code(sandbox: Data<Sandbox>) -> impl Responder {
    let now = sandbox.clock.unix_seconds();
    let step = now.div_euclid(TOTP_CODE_LIFETIME_SECONDS);
    let code_at = |step: i64| {
        let totp = Builder::new()
            .with_secret(Secret::new(DEMO_OPERATOR_TOTP_SECRET.as_slice().into()))
            .with_account_name(DEMO_OPERATOR_EMAIL)
            .build()
            .ok()?;
        Some(
            totp.generate((step * TOTP_CODE_LIFETIME_SECONDS).unsigned_abs())
                .to_string(),
        )
    };
    let left = (step + 1) * TOTP_CODE_LIFETIME_SECONDS - now;
    Json(
        json!({ "email": DEMO_OPERATOR_EMAIL, "code": code_at(step), "nextCode": code_at(step + 1), "validForSeconds": left }),
    )
}
