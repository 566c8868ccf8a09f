//! A postponed game (decision E-9). Once its kick-off has passed, only the operator can move the
//! kick-off, with a recent authenticator code and a reason.

use domain::DrawId;
use reqwest::Method;
use serde_json::{Value, json};
use server::api::time_format::rfc3339;

use crate::support::buyer::ApiResponse;
use crate::support::{Buyer, TestServer, club};

async fn patch_draw(browser: &Buyer, draw: DrawId, form: Value) -> ApiResponse {
    browser
        .call(Method::PATCH, &format!("/api/draws/{draw}"), Some(&form))
        .await
}

#[actix_web::test]
async fn postponed_game_sells_again_after_operator_moves_kick_off() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    server.start_game(draw).await;
    let tomorrow = rfc3339(server.now().plus_seconds(86_400));
    let refusal = patch_draw(&broncos, draw, json!({ "gameDate": tomorrow }))
        .await
        .expect_refusal(409, "game-started");
    assert_eq!(
        refusal["message"],
        "This draw cannot be edited because the game has already started."
    );
    let refusal = patch_draw(&operator, draw, json!({ "gameDate": tomorrow }))
        .await
        .expect_refusal(400, "reason-required");
    assert_eq!(refusal["message"], "Give a reason for changing the draw.");
    let form = json!({ "gameDate": tomorrow, "reason": "Lightning" });
    server.clock.advance_seconds(601);
    patch_draw(&operator, draw, form.clone())
        .await
        .expect_refusal(403, "reauthentication-required");
    assert_eq!(
        server.alice().get(&format!("/api/draws/{draw}")).await.ok()["status"],
        "closed",
        "the refused edit changes nothing"
    );
    club::submit_unused_totp_code(&server, &operator, "/api/admin/reauthenticate").await;
    assert_eq!(
        patch_draw(&operator, draw, form).await.ok()["status"],
        "active"
    );
    server.alice().buy(draw, 1).await;
    let trail = operator
        .get(&format!("/api/admin/audit?object=draw:{draw}"))
        .await
        .ok();
    let entry = &trail["entries"][0];
    assert_eq!(
        (&entry["action"], &entry["by"]),
        (&json!("edit-draw"), &json!("Super Admin"))
    );
    assert_eq!(
        (&entry["detail"]["reason"], &entry["detail"]["status"]),
        (&json!("Lightning"), &json!("active"))
    );
    assert_eq!(entry["detail"]["after"], json!({ "gameDate": tomorrow }));
    assert!(entry["detail"]["before"]["gameDate"].is_string(), "{entry}");
    server.finish().await;
}

#[actix_web::test]
async fn draw_with_result_cannot_be_edited() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    club::enter_result(&broncos, draw, 3, 11).await.ok();
    let before = server
        .records
        .verify_audit_chain()
        .await
        .expect("the read succeeds")
        .length;
    let form = json!({ "ticketPrice": "7.00", "reason": "Typed wrong" });
    assert_eq!(patch_draw(&operator, draw, form).await.status, 409);
    assert_eq!(
        server
            .records
            .verify_audit_chain()
            .await
            .expect("the read succeeds")
            .length,
        before,
        "a refused edit is not audited"
    );
    server.finish().await;
}
