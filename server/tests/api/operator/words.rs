//! The error catalogue (C:303), as far as the server says it: byte for byte. The toasts' own titles are the console's.

use domain::DrawId;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestServer, club};

/// How a call is refused, and in which words.
struct Refusal(Method, String, Value, u16, &'static str, &'static str);

fn refusals(draw: DrawId, menu: i64) -> Vec<Refusal> {
    let post = |path: &str, body: Value, code: &'static str, words: &'static str| {
        Refusal(Method::POST, path.to_string(), body, 400, code, words)
    };
    let customer = |form: Value, words| {
        post(
            "/api/admin/payment-anomalies/resolve",
            form,
            "invalid",
            words,
        )
    };
    let undo = format!("/api/draws/{draw}/undo-results");
    let cancel = format!("/api/admin/draws/{draw}/cancel");
    let setting = "/api/admin/system-settings/club_registration_enabled";
    let unset = "/api/admin/system-settings/hide_test_draws".to_string();
    let recover = format!("/api/admin/tickets/FD-{draw}-001/recover");
    let missing = "Missing information: Please provide customer name and email";
    let typed = "Type the draw number to confirm.";
    let scan = "/api/admin/payment-anomalies/scan-historical";
    let known =
        json!({ "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400" });
    vec![
        post(
            "/api/admin/maintenance-mode",
            json!({}),
            "enabled-missing",
            "Failed to update maintenance mode",
        ),
        Refusal(
            Method::GET,
            unset,
            Value::Null,
            404,
            "setting-unset",
            "Failed to load setting",
        ),
        post(
            setting,
            json!({ "value": "x" }),
            "value-refused",
            "Failed to update club registration setting.",
        ),
        post(
            "/api/admin/footer-menus",
            json!({}),
            "invalid",
            "Heading is required",
        ),
        post(
            "/api/admin/footer-menu-items",
            json!({ "menuId": menu }),
            "invalid",
            "Label is required",
        ),
        customer(json!({}), "Customer name is required"),
        customer(json!({ "customerName": "Jo" }), "Valid email is required"),
        customer(known, "Valid phone number is required"),
        Refusal(
            Method::PATCH,
            recover,
            json!({ "name": "Jo" }),
            400,
            "invalid",
            missing,
        ),
        post(
            &undo,
            json!({ "drawNumber": draw.0 }),
            "reason-required",
            "Give a reason for undoing the results.",
        ),
        post(
            &undo,
            json!({ "reason": "x" }),
            "draw-number-mismatch",
            typed,
        ),
        post(
            &cancel,
            json!({ "drawNumber": draw.0 }),
            "reason-required",
            "Give a reason for cancelling the draw.",
        ),
        post(
            &cancel,
            json!({ "reason": "x", "drawNumber": 9 }),
            "draw-number-mismatch",
            typed,
        ),
        post(
            scan,
            json!({ "hoursBack": 0 }),
            "hours-out-of-range",
            "Choose between 1 and 720 hours.",
        ),
    ]
}

#[actix_web::test]
async fn what_goes_wrong_is_said_in_the_specified_words() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    let menu = json!({ "heading": "Help", "displayOrder": 1 });
    let menu = operator.post("/api/admin/footer-menus", menu).await.ok()["id"]
        .as_i64()
        .expect("an id");
    for Refusal(method, path, body, status, code, words) in refusals(draw, menu) {
        let body = Some(body).filter(|body| !body.is_null());
        let said = operator
            .call(method, &path, body.as_ref())
            .await
            .refused(status, code);
        assert_eq!(said["message"], words, "{path}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_paid_out_result_stands() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    let bought = server.alice().buys(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    server.kick_off(draw).await;
    club::enters(&broncos, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let told = broncos
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    assert_eq!(told["emailsSent"], 1);
    server.mail("winner").await;
    let path = format!("/api/draws/{draw}/undo-results");
    let meant = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    let undone = operator.post(&path, meant.clone()).await.ok();
    assert_eq!(
        (&undone["newStatus"], &undone["correctionsSent"]),
        (&json!("closed"), &json!(1)),
        "{undone}"
    );
    assert_eq!(server.mail("correction").await.to, "alice@example.com");
    club::enters(&broncos, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let payout = broncos
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    let settle = format!("/api/payouts/{}", payout["id"]);
    broncos
        .call(
            Method::PATCH,
            &settle,
            Some(&json!({ "status": "completed" })),
        )
        .await
        .ok();
    let said = operator
        .post(&path, meant)
        .await
        .refused(409, "payout-completed");
    assert_eq!(
        said["message"],
        "A payout of this draw is completed, so its result stands."
    );
    server.finish().await;
}
