//! The demo operators' authenticator: in a demo anyone may read the code that a phone would show.

use actix_web::Responder;
use actix_web::web::{self, Json, ServiceConfig};
use serde_json::json;

use crate::demo::seed::OPERATOR;
use crate::identity::second_factor::{STEP_SECONDS, authenticator};

/// Known to everyone, so it protects nothing: the seeded operators of a demo have it, and nobody else.
pub const OPERATOR_SECRET: &[u8; 20] = b"demo-operator-secret";

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/operator-code.json", web::get().to(code));
}

/// The present code, the one after it, and how long the present one lives.
async fn code() -> impl Responder {
    let now = time::OffsetDateTime::now_utc().unix_timestamp();
    let step = now.div_euclid(STEP_SECONDS);
    let shown = |step: i64| {
        let totp = authenticator(OPERATOR_SECRET, OPERATOR).ok()?;
        Some(
            totp.generate((step * STEP_SECONDS).unsigned_abs())
                .to_string(),
        )
    };
    let left = (step + 1) * STEP_SECONDS - now;
    Json(
        json!({ "email": OPERATOR, "code": shown(step), "nextCode": shown(step + 1), "validForSeconds": left }),
    )
}
