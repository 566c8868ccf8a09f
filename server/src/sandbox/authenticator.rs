//! Shows the one-time codes of the demo operators. In a demo, anyone may read the codes that an
//! authenticator app would show.

use actix_web::Responder;
use actix_web::web::{self, Data, Json, ServiceConfig};
use serde_json::json;

use super::Sandbox;
use crate::services::identity::second_factor::{STEP_SECONDS, authenticator};

/// The e-mail address of the demo's first operator.
pub const OPERATOR: &str = "operator@demo.test";

/// The secret of the demo operators' authenticators. It is public, so it gives no protection.
pub const OPERATOR_SECRET: &[u8; 20] = b"demo-operator-secret";

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/operator-code.json", web::get().to(operator_code));
}

/// Returns the current one-time code, the next one, and the remaining lifetime of the current one.
async fn operator_code(sandbox: Data<Sandbox>) -> impl Responder {
    let now = sandbox.clock.unix_seconds();
    let step = now.div_euclid(STEP_SECONDS);
    let code_at = |step: i64| {
        let totp = authenticator(OPERATOR_SECRET, OPERATOR).ok()?;
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
