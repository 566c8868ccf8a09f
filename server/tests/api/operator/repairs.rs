//! When a missing ticket cannot be given any more: each reason in its own words, and the money can go back (decision I-2).

use domain::{Command, GameResult};
use serde_json::{Value, json};

use crate::support::dashboard::Dashboard;
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

fn order(last: u8) -> String {
    format!("00000000-0000-4000-8000-0000000000{last:02x}")
}

async fn asks(operator: &Buyer, payment: &str, code: &str) -> Value {
    let customer = json!({
        "paymentIntentId": payment, "customerName": "Jo", "customerEmail": "jo@x.test", "customerPhone": "0400 000 000",
    });
    operator
        .post("/api/admin/payment-anomalies/resolve", customer)
        .await
        .refused(409, code)
}

#[actix_web::test]
async fn a_full_draw_a_wrong_amount_and_an_entered_result_each_leave_the_refund() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, dashboard) = (club::operator(&server).await, Dashboard::of(&server));
    dashboard.breaks(json!([])).await;
    let wrong = dashboard.takes(&order(1), &format!("{draw}x2"), 2000).await;
    let late = dashboard.takes(&order(2), &format!("{draw}x1"), 500).await;
    operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    let said = asks(&operator, &wrong, "payment-mismatch").await;
    assert_eq!(
        said["message"],
        "The amount does not match the tickets. Refund the payment."
    );
    assert_eq!(
        (&said["refundable"], &said["orderId"]),
        (&json!(true), &Value::Null)
    );
    for count in [50, 50, 50, 19] {
        server.bob().buys(draw, count).await;
    }
    let said = asks(&operator, &late, "draw-full").await;
    assert_eq!(
        (&said["message"], &said["refundable"]),
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
    let said = asks(&operator, &late, "result-entered").await;
    assert_eq!(
        said["message"],
        "The result is entered. Refund the payment."
    );
    // The refund that is left, of a payment no order knows.
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
        anomaly.expect("open")["id"].as_str().expect("an id")
    );
    operator
        .post(&path, json!({ "reason": "No ticket left" }))
        .await
        .ok();
    assert_eq!(dashboard.shows(&late).await["refunded"], 500);
    let said = asks(&operator, &late, "already-refunded").await;
    assert_eq!(
        (&said["message"], &said["refundable"]),
        (&json!("This payment was refunded already."), &json!(false))
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_payment_authorised_after_kick_off_gets_no_ticket() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (operator, dashboard) = (club::operator(&server).await, Dashboard::of(&server));
    dashboard.breaks(json!([])).await;
    server.kick_off(draw).await;
    // The provider tells whole seconds.
    let whistle = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("a view")
        .closes_at
        .0
        / 1000;
    eventually("a second is over", async || {
        (server.now().0 / 1000 > whistle).then_some(())
    })
    .await;
    let payment = dashboard.takes(&order(3), &format!("{draw}x1"), 500).await;
    operator
        .post("/api/admin/payment-anomalies/check", json!({}))
        .await
        .ok();
    let said = asks(&operator, &payment, "authorised-after-kick-off").await;
    assert_eq!(
        said["message"],
        "The payment was not authorised before kick-off. Refund the payment."
    );
    server.finish().await;
}
