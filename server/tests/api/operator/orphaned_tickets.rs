//! Orphaned tickets: sold tickets whose buyer is unknown. If a winning ticket is among them, two
//! operators must agree on its buyer (decision I-8).

use serde_json::{Value, json};
use server::services::identity::password;
use server::services::identity::second_factor::authenticator;

use crate::support::buyer::ApiResponse;
use crate::support::server::PASSWORD;
use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{Buyer, TestServer, club};

const SECOND_TEST_OPERATOR_EMAIL: &str = "second@demo.test";
const SECOND_OPERATOR_TOTP_SECRET: &[u8] = b"another authenticator of test";

async fn recover_ticket(operator: &Buyer, ticket: &str, approval: Option<Value>) -> ApiResponse {
    let form = json!({ "name": "Jo", "email": "jo@x.test", "secondApproval": approval });
    operator
        .call(
            reqwest::Method::PATCH,
            &format!("/api/admin/tickets/{ticket}/recover"),
            Some(&form),
        )
        .await
}

#[actix_web::test]
async fn recovery_in_winning_order_needs_second_operator() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let id = server
        .records
        .create_admin(
            SECOND_TEST_OPERATOR_EMAIL,
            "Second",
            &password::hash(PASSWORD),
        )
        .await
        .expect("an operator");
    server
        .records
        .begin_second_factor(id, SECOND_OPERATOR_TOTP_SECRET)
        .await
        .expect("the call succeeds");
    server
        .records
        .mark_code_step_used(id, 1, server.now())
        .await
        .expect("the operator is enrolled");
    let operator = club::sign_in_as_operator(&server).await;
    server.alice().buy_without_details(draw, 2).await;
    let one = domain::Serial::new(1).expect("a serial");
    let pair = server
        .engine
        .draws
        .cells(draw, &[one])
        .await
        .expect("a pair")[0]
        .1;
    server.start_game(draw).await;
    club::enter_result(&operator, draw, pair.home(), pair.away())
        .await
        .ok();
    let loser = format!("FD-{draw}-002");
    let refusal = recover_ticket(&operator, &loser, None)
        .await
        .expect_refusal(409, "second-approval-required");
    assert!(
        refusal["message"]
            .as_str()
            .is_some_and(|words| words.contains("second operator")),
        "{refusal}"
    );
    let own_approval =
        json!({ "email": "operator@demo.test", "code": club::totp_code(&server, 0) });
    recover_ticket(&operator, &loser, Some(own_approval))
        .await
        .expect_refusal(403, "second-approval-wrong");
    let seconds = (server.now().0 / 1000) as u64;
    let code = authenticator(SECOND_OPERATOR_TOTP_SECRET, SECOND_TEST_OPERATOR_EMAIL)
        .expect("an authenticator")
        .generate(seconds)
        .to_string();
    let approval = json!({ "email": SECOND_TEST_OPERATOR_EMAIL, "code": code });
    assert_eq!(
        recover_ticket(&operator, &loser, Some(approval)).await.ok()["recovered"],
        2
    );
    let order = operator
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok()[0]["orderId"]
        .clone();
    let trail = operator
        .get(&format!(
            "/api/admin/audit?object=order:{}",
            order.as_str().expect("the id is text")
        ))
        .await
        .ok();
    assert_eq!(
        trail["entries"][0]["detail"]["approvedBy"],
        json!(format!("operator {id}"))
    );
    server.finish().await;
}

#[actix_web::test]
async fn order_without_buyer_is_anomaly_after_10_minutes_until_recovered() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    StripeDashboard::open(&server).set_faults(json!([])).await;
    let check = async || {
        operator
            .post("/api/admin/payment-anomalies/check", json!({}))
            .await
            .ok()
    };
    server.alice().buy_without_details(draw, 2).await;
    assert_eq!(
        check().await["newAnomalies"],
        0,
        "no anomaly within ten minutes"
    );
    server.clock.advance_seconds(601);
    check().await;
    let anomaly = operator
        .get("/api/admin/payment-anomalies?status=unresolved")
        .await
        .ok()[0]
        .clone();
    assert_eq!(
        (&anomaly["type"], &anomaly["ticketCount"]),
        (&json!("orphaned_ticket"), &json!(2))
    );
    let ticket = operator.get("/api/admin/orphaned-tickets").await.ok()[0]["id"]
        .as_str()
        .expect("the id is text")
        .to_string();
    club::submit_unused_totp_code(&server, &operator, "/api/admin/reauthenticate").await;
    let recovered = recover_ticket(&operator, &ticket, None).await.ok();
    assert_eq!(
        (&recovered["recovered"], &recovered["notified"]),
        (&json!(2), &json!(true))
    );
    assert_eq!(
        server.next_mail("tickets").await.to,
        "jo@x.test",
        "the waiting mail is sent to the new buyer"
    );
    let healed = operator
        .get("/api/admin/payment-anomalies?status=resolved")
        .await
        .ok()[0]
        .clone();
    assert_eq!(
        (
            &healed["id"],
            &healed["resolution"],
            &healed["resolvedBy"],
            &healed["resolvedByName"]
        ),
        (
            &anomaly["id"],
            &json!("Buyer assigned by hand"),
            &json!("Super Admin"),
            &json!("Operator")
        )
    );
    let order = anomaly["orderId"].as_str().expect("an order");
    let trail = operator
        .get(&format!("/api/admin/audit?object=order:{order}"))
        .await
        .ok();
    assert_eq!(trail["entries"][0]["action"], "recover-ticket");
    let stats = operator
        .get("/api/admin/payment-anomalies/stats")
        .await
        .ok();
    assert_eq!(
        (&stats["total"], &stats["resolved"]),
        (&json!(1), &json!(1))
    );
    server.finish().await;
}
