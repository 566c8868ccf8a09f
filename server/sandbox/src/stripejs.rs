//! The sandbox's own Stripe.js for the browser. It uses plain inputs instead of iframes, and
//! dialogs instead of wallets and bank pages.

use actix_web::http::header;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};

/// The script, concatenated from its parts in order. One function encloses all parts.
const STRIPE_JS_SOURCE: &str = concat!(
    "/* The sandbox's stand-in for Stripe.js. It reaches no other host. */\n(function () {\n\"use strict\";\n",
    include_str!("stripejs/0_option_shapes.js"),
    include_str!("stripejs/0_option_check.js"),
    include_str!("stripejs/1_wire.js"),
    include_str!("stripejs/2_card.js"),
    include_str!("stripejs/3_style.js"),
    include_str!("stripejs/4_fields.js"),
    include_str!("stripejs/5_element.js"),
    include_str!("stripejs/6_dialog.js"),
    include_str!("stripejs/7_express.js"),
    include_str!("stripejs/8_elements.js"),
    include_str!("stripejs/9_stripe.js"),
    "})();\n"
);

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.route("/stripe.js", web::get().to(serve_script));
}

async fn serve_script() -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/javascript; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .body(STRIPE_JS_SOURCE)
}
