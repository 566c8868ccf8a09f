//! Error messages of the specification (C:303) that the server sends, compared byte for byte.

use domain::DrawId;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{TestServer, club};

/// A call, and the status, error code and message with which the server refuses it.
struct ExpectedRefusal(Method, String, Value, u16, &'static str, &'static str);

fn expected_refusals(draw: DrawId, menu: i64) -> Vec<ExpectedRefusal> {
    let post = |path: &str, body: Value, code: &'static str, message: &'static str| {
        ExpectedRefusal(Method::POST, path.to_string(), body, 400, code, message)
    };
    let customer = |form: Value, message| {
        post(
            "/api/admin/payment-anomalies/resolve",
            form,
            "invalid",
            message,
        )
    };
    let undo = format!("/api/draws/{draw}/undo-results");
    let cancel = format!("/api/admin/draws/{draw}/cancel");
    let setting = "/api/admin/system-settings/club_registration_enabled";
    let unset = "/api/admin/system-settings/hide_test_draws".to_string();
    let recover = format!("/api/admin/tickets/FD-{draw}-001/recover");
    let missing = "Missing information: Please provide customer name and email";
    let type_number = "Type the draw number to confirm.";
    let scan = "/api/admin/payment-anomalies/scan-historical";
    let customer_form =
        json!({ "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400" });
    vec![
        post(
            "/api/admin/maintenance-mode",
            json!({}),
            "enabled-missing",
            "Failed to update maintenance mode",
        ),
        ExpectedRefusal(
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
        customer(customer_form, "Valid phone number is required"),
        ExpectedRefusal(
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
            type_number,
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
            type_number,
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
async fn operator_refusals_use_specified_messages() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let menu = json!({ "heading": "Help", "displayOrder": 1 });
    let menu = operator.post("/api/admin/footer-menus", menu).await.ok()["id"]
        .as_i64()
        .expect("the id is a number");
    for ExpectedRefusal(method, path, body, status, code, message) in expected_refusals(draw, menu)
    {
        let body = Some(body).filter(|body| !body.is_null());
        let response = operator
            .call(method, &path, body.as_ref())
            .await
            .expect_refusal(status, code);
        assert_eq!(response["message"], message, "{path}");
    }
    server.finish().await;
}

#[actix_web::test]
async fn paid_out_result_cannot_be_undone() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let bought = server.alice().buy(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    server.start_game(draw).await;
    club::enter_result(&broncos, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let notified = broncos
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    assert_eq!(notified["emailsSent"], 1);
    server.next_mail("winner").await;
    let path = format!("/api/draws/{draw}/undo-results");
    let confirmation = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
    let undone = operator.post(&path, confirmation.clone()).await.ok();
    assert_eq!(
        (&undone["newStatus"], &undone["correctionsSent"]),
        (&json!("closed"), &json!(1)),
        "{undone}"
    );
    assert_eq!(server.next_mail("correction").await.to, "alice@example.com");
    club::enter_result(&broncos, draw, number("homeNumber"), number("awayNumber"))
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
    let response = operator
        .post(&path, confirmation)
        .await
        .expect_refusal(409, "payout-completed");
    assert_eq!(
        response["message"],
        "A payout of this draw is completed, so its result stands."
    );
    server.finish().await;
}
