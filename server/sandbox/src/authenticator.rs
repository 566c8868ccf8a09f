//! Shows the one-time codes of the demo operators. In a demo, anyone may read the codes that an
//! authenticator app would show.

use actix_web::Responder;
use actix_web::web::{self, Data, Json, ServiceConfig};
use serde_json::json;
use totp_rs::{Builder, Secret};

use super::Sandbox;
/// The address of the demo's first operator.
pub const OPERATOR: &str = "operator@demo.test";

/// Validity of one code in seconds: the default of RFC 6238.
const STEP_SECONDS: i64 = 30;

/// The second-factor secret of the seeded demo operators. It is public, so it protects nothing.
pub const OPERATOR_SECRET: &[u8; 20] = b"demo-operator-secret";

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/operator-code.json", web::get().to(operator_code));
}

/// Returns the current one-time code, the next one, and the remaining lifetime of the current one.
async fn operator_code(sandbox: Data<Sandbox>) -> impl Responder {
    let now = sandbox.clock.unix_seconds();
    let step = now.div_euclid(STEP_SECONDS);
    let code_at = |step: i64| {
        let totp = Builder::new()
            .with_secret(Secret::new(OPERATOR_SECRET.as_slice().into()))
            .with_account_name(OPERATOR)
            .build()
            .ok()?;
        Some(
            totp.generate((step * STEP_SECONDS).unsigned_abs())
                .to_string(),
        )
    };
    let left = (step + 1) * STEP_SECONDS - now;
    Json(
        json!({ "email": OPERATOR, "code": code_at(step), "nextCode": code_at(step + 1), "validForSeconds": left }),
    )
}
