//! Missing tickets that can no longer be allocated. Each reason has its own message, and the
//! payment can be refunded (decision I-2).

use domain::{Command, GameResult};
use serde_json::{Value, json};

use crate::support::server::eventually;
use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{Buyer, TestServer, club};

fn order_id_ending_with(last: u8) -> String {
    format!("00000000-0000-4000-8000-0000000000{last:02x}")
}

async fn request_allocation(operator: &Buyer, payment: &str, code: &str) -> Value {
    let customer = json!({
        "paymentIntentId": payment, "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400 000 000",
    });
    operator
        .post("/api/admin/payment-anomalies/resolve", customer)
        .await
        .expect_refusal(409, code)
}

#[actix_web::test]
async fn refused_allocation_can_only_be_refunded() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, dashboard) = (
        club::sign_in_as_operator(&server).await,
        StripeDashboard::open(&server),
    );
    dashboard.set_faults(json!([])).await;
    let wrong = dashboard
        .take_payment(&order_id_ending_with(1), &format!("{draw}x2"), 2000)
        .await;
    let late = dashboard
        .take_payment(&order_id_ending_with(2), &format!("{draw}x1"), 500)
        .await;
    operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    let refusal = request_allocation(&operator, &wrong, "payment-mismatch").await;
    assert_eq!(
        refusal["message"],
        "The amount does not match the tickets. Refund the payment."
    );
    assert_eq!(
        (&refusal["refundable"], &refusal["orderId"]),
        (&json!(true), &Value::Null)
    );
    for count in [50, 50, 50, 19] {
        server.bob().buy(draw, count).await;
    }
    let refusal = request_allocation(&operator, &late, "draw-full").await;
    assert_eq!(
        (&refusal["message"], &refusal["refundable"]),
        (
            &json!("The draw is full. Refund the payment."),
            &json!(true)
        )
    );
    let result = GameResult::new(1, 1).expect("a result");
    server
        .engine
        .draws
        .execute(draw, Command::Complete { result }, None)
        .await
        .expect("completed");
    let refusal = request_allocation(&operator, &late, "result-entered").await;
    assert_eq!(
        refusal["message"],
        "The result is entered. Refund the payment."
    );
    // A payment that matches no order gets no tickets, but can still be refunded.
    let open = operator
        .get("/api/admin/payment-anomalies?status=unresolved")
        .await
        .ok();
    let anomaly = open
        .as_array()
        .into_iter()
        .flatten()
        .find(|row| row["paymentIntentId"] == json!(late));
    let path = format!(
        "/api/admin/payment-anomalies/{}/refund",
        anomaly.expect("open")["id"]
            .as_str()
            .expect("the id is text")
    );
    operator
        .post(&path, json!({ "reason": "No ticket left" }))
        .await
        .ok();
    assert_eq!(dashboard.ledger_row(&late).await["refunded"], 500);
    let refusal = request_allocation(&operator, &late, "already-refunded").await;
    assert_eq!(
        (&refusal["message"], &refusal["refundable"]),
        (&json!("This payment was refunded already."), &json!(false))
    );
    server.finish().await;
}

#[actix_web::test]
async fn payment_authorised_after_kick_off_gets_no_ticket() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (operator, dashboard) = (
        club::sign_in_as_operator(&server).await,
        StripeDashboard::open(&server),
    );
    dashboard.set_faults(json!([])).await;
    server.start_game(draw).await;
    // The provider's times are in whole seconds, so the kick-off is rounded too.
    let kick_off_seconds = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view")
        .closes_at
        .0
        / 1000;
    eventually("the next second has begun", async || {
        (server.now().0 / 1000 > kick_off_seconds).then_some(())
    })
    .await;
    let payment = dashboard
        .take_payment(&order_id_ending_with(3), &format!("{draw}x1"), 500)
        .await;
    operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    let refusal = request_allocation(&operator, &payment, "authorised-after-kick-off").await;
    assert_eq!(
        refusal["message"],
        "The payment was not authorised before kick-off. Refund the payment."
    );
    server.finish().await;
}
