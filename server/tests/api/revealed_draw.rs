//! A draw whose pairs were revealed never sells again (decision M-4). Tests undo, postponement,
//! manual allocation and the proof, over HTTP.

use reqwest::Method;
use serde_json::{Value, json};
use server::api::time_format::rfc3339;

use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{TestServer, club};

const UNKNOWN_ORDER_ID: &str = "00000000-0000-4000-8000-000000000405";

#[actix_web::test]
async fn revealed_draw_stays_closed_and_its_proof_public() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, broncos) = (
        club::sign_in_as_operator(&server).await,
        club::sign_in_as_club(&server, "broncos").await,
    );
    let alice = server.alice();
    alice.buy(draw, 2).await;
    let dashboard = StripeDashboard::open(&server);
    dashboard.set_faults(json!([])).await;
    let payment = dashboard
        .take_payment(UNKNOWN_ORDER_ID, &format!("{draw}x1"), 500)
        .await;
    operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    server.start_game(draw).await;
    club::enter_result(&broncos, draw, 7, 9).await.ok();
    let proof = async || {
        alice
            .get(&format!("/api/public/draws/{draw}/proof"))
            .await
            .ok()
    };
    let revealed = proof().await;
    assert_eq!(
        (&revealed["revealed"], revealed["winningTicket"].is_u64()),
        (&json!(true), true)
    );

    let confirmation = json!({ "reason": "The game is replayed", "drawNumber": draw.0 });
    let undone = operator
        .post(&format!("/api/draws/{draw}/undo-results"), confirmation)
        .await
        .ok();
    assert_eq!(undone["newStatus"], "closed");
    let public = async || alice.get(&format!("/api/draws/{draw}")).await.ok();
    let before = public().await;
    let postponed = json!({ "gameDate": rfc3339(server.now().plus_seconds(86_400)), "reason": "The game is replayed" });
    let path = format!("/api/draws/{draw}");
    let refusal = operator
        .call(Method::PATCH, &path, Some(&postponed))
        .await
        .expect_refusal(409, "revealed");
    let message = "This draw was revealed, so it cannot sell again. Enter the result again, or cancel the draw.";
    assert_eq!(refusal["message"], message);
    alice
        .request_intent(draw, 1)
        .await
        .expect_refusal(409, "draw-closed");
    let customer = json!({ "paymentIntentId": payment, "customerName": "Jo", "customerEmail": "jo@x.test",
        "customerPhone": "0400 000 000" });
    let refusal = operator
        .post("/api/admin/payment-anomalies/resolve", customer)
        .await
        .expect_refusal(409, "revealed");
    assert_eq!(
        refusal["message"],
        "The draw was revealed, so it gives no more tickets. Refund the payment."
    );
    assert_eq!(refusal["refundable"], true);
    assert_eq!(public().await, before, "refused calls change nothing");

    let undone = proof().await;
    assert_eq!(
        (&undone["result"], &undone["winningTicket"]),
        (&Value::Null, &Value::Null)
    );
    for field in ["revealed", "seed", "commitment", "soldTickets"] {
        assert_eq!(undone[field], revealed[field], "{field}");
    }
    club::enter_result(&broncos, draw, 7, 9).await.ok();
    assert_eq!(
        proof().await,
        revealed,
        "the same result gives the same proof"
    );
    server.finish().await;
}
