//! A postponed game (decision E-9): only the operator moves a kick-off that has passed, with a fresh code and a reason.

use domain::DrawId;
use reqwest::Method;
use serde_json::{Value, json};
use server::wire::instant::rfc3339;

use crate::support::buyer::Answer;
use crate::support::{Buyer, TestServer, club};

async fn moves(browser: &Buyer, draw: DrawId, form: Value) -> Answer {
    browser
        .call(Method::PATCH, &format!("/api/draws/{draw}"), Some(&form))
        .await
}

#[actix_web::test]
async fn a_postponed_game_sells_again_after_the_operator_moved_its_kick_off() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    server.kick_off(draw).await;
    let tomorrow = rfc3339(server.now().plus_seconds(86_400));
    let said = moves(&broncos, draw, json!({ "gameDate": tomorrow }))
        .await
        .refused(409, "game-started");
    assert_eq!(
        said["message"],
        "This draw cannot be edited because the game has already started."
    );
    let said = moves(&operator, draw, json!({ "gameDate": tomorrow }))
        .await
        .refused(400, "reason-required");
    assert_eq!(said["message"], "Give a reason for changing the draw.");
    let form = json!({ "gameDate": tomorrow, "reason": "Lightning" });
    server.clock.push_seconds(601);
    moves(&operator, draw, form.clone())
        .await
        .refused(403, "reauthentication-required");
    assert_eq!(
        server.alice().get(&format!("/api/draws/{draw}")).await.ok()["status"],
        "closed",
        "nothing moved"
    );
    club::shows_code(&server, &operator, "/api/admin/reauthenticate").await;
    assert_eq!(moves(&operator, draw, form).await.ok()["status"], "active");
    server.alice().buys(draw, 1).await;
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
async fn a_draw_with_a_result_stays_as_it_is() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, broncos) = (
        club::operator(&server).await,
        club::club(&server, "broncos").await,
    );
    club::enters(&broncos, draw, 3, 11).await.ok();
    let before = server.records.audit_chain().await.expect("read").length;
    let form = json!({ "ticketPrice": "7.00", "reason": "Typed wrong" });
    assert_eq!(moves(&operator, draw, form).await.status, 409);
    assert_eq!(
        server.records.audit_chain().await.expect("read").length,
        before,
        "what was refused is no act"
    );
    server.finish().await;
}
