//! The five kinds of payment anomalies. The provider's webhooks are lost, so the reconciler finds
//! each anomaly.

use domain::DrawId;
use sandbox::faults::{Fault, Faults, ScriptedFault};
use serde_json::{Value, json};

use crate::support::buyer::Intent;
use crate::support::server::eventually;
use crate::support::stripe_dashboard::StripeDashboard;
use crate::support::{Buyer, TestServer, club};

const ANOMALIES_PATH: &str = "/api/admin/payment-anomalies";

/// An order id that is not in the database.
const UNKNOWN_ORDER_ID: &str = "00000000-0000-4000-8000-000000000404";

/// Starts a server with a draw, a signed-in operator and a provider that sends no webhooks.
async fn start_server_with_operator() -> (TestServer, DrawId, Buyer) {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    StripeDashboard::open(&server).set_faults(json!([])).await;
    (server, draw, operator)
}

/// Runs the reconciliation and returns the only open anomaly, which must be of this kind.
async fn find_anomaly(operator: &Buyer, kind: &str) -> Value {
    operator
        .post(&format!("{ANOMALIES_PATH}/check"), json!({}))
        .await
        .ok();
    let open = operator
        .get(&format!("{ANOMALIES_PATH}?status=unresolved"))
        .await
        .ok();
    let open = open.as_array().expect("a list");
    assert_eq!(
        open.iter()
            .map(|anomaly| &anomaly["type"])
            .collect::<Vec<_>>(),
        [kind]
    );
    open[0].clone()
}

async fn assert_no_open_anomaly(operator: &Buyer) {
    let checked = operator
        .post(&format!("{ANOMALIES_PATH}/check"), json!({}))
        .await
        .ok();
    assert_eq!(
        checked["newAnomalies"], 0,
        "resolved anomalies are not raised again"
    );
    let stats = operator.get(&format!("{ANOMALIES_PATH}/stats")).await.ok();
    assert_eq!(
        (&stats["unresolved"], &stats["total"]),
        (&json!(0), &stats["resolved"])
    );
}

/// Returns the actions that the audit log records for an object, newest first.
async fn audited_actions(operator: &Buyer, object: &str) -> Vec<String> {
    let trail = operator
        .get(&format!("/api/admin/audit?object={object}"))
        .await
        .ok();
    let entries = trail["entries"].as_array().expect("entries");
    entries
        .iter()
        .map(|entry| entry["action"].as_str().expect("an action").to_string())
        .collect()
}

fn anomaly_path(anomaly: &Value, verb: &str) -> String {
    format!(
        "{ANOMALIES_PATH}/{}/{verb}",
        anomaly["id"].as_str().expect("the id is text")
    )
}

fn audit_object_of_anomaly(anomaly: &Value) -> String {
    format!(
        "anomaly:{}",
        anomaly["id"].as_str().expect("the id is text")
    )
}

/// Returns four sums of the sandbox in cents: captured, refunded, application fees, refunded fees.
fn sandbox_ledger_totals(server: &TestServer) -> [i64; 4] {
    let ledger = server.sandbox.ledger();
    ["captured", "refunded", "fees", "fees_refunded"]
        .map(|name| ledger["total"][name].as_i64().expect("cents"))
}

async fn order_id_of_intent(server: &TestServer, intent: &Intent) -> String {
    let record = server
        .state
        .payments
        .order_by_token(intent.token())
        .await
        .expect("the read succeeds")
        .expect("an order");
    record.order.id.to_string()
}

#[actix_web::test]
async fn payment_of_unknown_order_gets_tickets_from_operator() {
    let (server, draw, operator) = start_server_with_operator().await;
    let payment = StripeDashboard::open(&server)
        .take_payment_with_fee(UNKNOWN_ORDER_ID, &format!("{draw}x2"), 1_000)
        .await;
    let missing = find_anomaly(&operator, "missing_ticket").await;
    assert_eq!(
        (&missing["amount"], &missing["paymentIntentId"]),
        (&json!("10.00"), &json!(payment))
    );
    operator
        .post(&anomaly_path(&missing, "resolve"), json!({}))
        .await
        .expect_refusal(409, "needs-customer");
    let customer = json!({ "paymentIntentId": payment, "customerName": "Jo Lost", "customerEmail": "jo@x.test",
        "customerPhone": "0400 123 456" });
    let allocated = operator
        .post(&format!("{ANOMALIES_PATH}/resolve"), customer.clone())
        .await
        .ok();
    assert_eq!(
        allocated["allocatedTickets"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(
        operator
            .post(&format!("{ANOMALIES_PATH}/resolve"), customer)
            .await
            .ok(),
        allocated,
        "the repeated call returns the same tickets"
    );
    assert_eq!(server.next_mail("tickets").await.to, "jo@x.test");
    assert_no_open_anomaly(&operator).await;
    let resolved = operator.get(ANOMALIES_PATH).await.ok();
    assert_eq!(
        (&resolved[0]["resolvedBy"], &resolved[0]["resolvedByEmail"]),
        (&json!("Super Admin"), &json!("operator@demo.test"))
    );
    assert_eq!(
        (
            server
                .engine
                .draws
                .view(draw)
                .await
                .expect("the draw has a view")
                .sold,
            sandbox_ledger_totals(&server)
        ),
        (2, [1000, 0, 35, 0])
    );
    server.finish().await;
}

#[actix_web::test]
async fn duplicate_payment_is_refunded_and_first_keeps_its_tickets() {
    let (server, draw, operator) = start_server_with_operator().await;
    let alice = server.alice();
    let (intent, _) = alice.buy(draw, 2).await;
    let order = order_id_of_intent(&server, &intent).await;
    let second = StripeDashboard::open(&server)
        .take_payment_with_fee(&order, &format!("{draw}x2"), 1_000)
        .await;
    let duplicate = find_anomaly(&operator, "duplicate_payment").await;
    assert_eq!(duplicate["paymentIntentId"], json!(second));
    assert_eq!(sandbox_ledger_totals(&server), [2000, 0, 70, 0]);
    for _ in 0..2 {
        let refunded = operator
            .post(
                &anomaly_path(&duplicate, "refund"),
                json!({ "reason": "Paid twice" }),
            )
            .await
            .ok();
        assert_eq!(
            (&refunded["resolved"], &refunded["resolution"]),
            (&json!(true), &json!("Refunded by hand"))
        );
        assert_eq!(
            sandbox_ledger_totals(&server),
            [2000, 1000, 70, 35],
            "the repeated call refunds once"
        );
    }
    let order = alice.fetch_order_of(&intent).await;
    assert_eq!(
        (
            &order["status"],
            order["lines"][0]["tickets"].as_array().map(Vec::len)
        ),
        (&json!("succeeded"), Some(2))
    );
    assert_eq!(
        audited_actions(&operator, &audit_object_of_anomaly(&duplicate)).await,
        ["resolve-anomaly", "refund-payment"]
    );
    assert_no_open_anomaly(&operator).await;
    server.finish().await;
}

#[actix_web::test]
async fn uncancellable_authorisation_is_anomaly_that_resolves_itself() {
    let (server, draw, operator) = start_server_with_operator().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    server.start_game(draw).await;
    let failing_cancel = ScriptedFault {
        on: "/cancel".into(),
        fault: Fault::TimeoutBefore,
        times: 1_000,
    };
    server.sandbox.set_faults(Faults {
        next: vec![failing_cancel],
        ..Faults::default()
    });
    alice
        .complete_card_purchase(draw, 2, &intent)
        .await
        .expect_refusal(409, "not-charged");
    let open = format!("{ANOMALIES_PATH}?status=unresolved&type=failed_allocation");
    let failed = eventually("the failed allocation is listed", async || {
        let open = operator.get(&open).await.ok();
        open[0].is_object().then(|| open[0].clone())
    })
    .await;
    assert_eq!(failed["paymentIntentId"], json!(intent.id()));
    server.sandbox.set_faults(Faults::default());
    eventually("the authorisation is cancelled", async || {
        // The server retries the cancellation only after some seconds, so the clock moves.
        server.clock.advance_seconds(10);
        (operator.get(&open).await.ok() == json!([])).then_some(())
    })
    .await;
    let healed = operator
        .get(&format!("{ANOMALIES_PATH}?type=failed_allocation"))
        .await
        .ok();
    assert_eq!(
        (&healed[0]["resolvedBy"], sandbox_ledger_totals(&server)),
        (&json!("System"), [0, 0, 0, 0])
    );
    server.finish().await;
}

#[actix_web::test]
async fn dispute_after_game_is_anomaly_that_operator_closes() {
    let (server, draw, operator) = start_server_with_operator().await;
    let alice = server.alice();
    let (intent, _) = alice.buy(draw, 2).await;
    server.start_game(draw).await;
    alice
        .post("/sandbox/dispute", json!({ "paymentIntent": intent.id() }))
        .await
        .ok();
    let mismatch = find_anomaly(&operator, "dispute").await;
    assert_eq!(
        mismatch["details"]["note"],
        "the buyer's bank disputes the payment"
    );
    let resolved = operator
        .post(
            &anomaly_path(&mismatch, "resolve"),
            json!({ "note": "Sent the bank our proof" }),
        )
        .await
        .ok();
    assert_eq!(resolved["resolution"], "Sent the bank our proof");
    assert_eq!(
        audited_actions(&operator, &audit_object_of_anomaly(&mismatch)).await,
        ["resolve-anomaly"]
    );
    assert_eq!(
        alice.fetch_order_of(&intent).await["status"],
        "succeeded",
        "the tickets stay valid"
    );
    assert_no_open_anomaly(&operator).await;
    server.finish().await;
}

#[actix_web::test]
async fn tickets_refunded_at_provider_are_orphaned_until_operator_resolves() {
    let (server, draw, operator) = start_server_with_operator().await;
    let (intent, _) = server.alice().buy(draw, 2).await;
    StripeDashboard::open(&server).refund(intent.id()).await;
    let orphaned = find_anomaly(&operator, "orphaned_ticket").await;
    assert_eq!(orphaned["details"]["providerRefunded"], "10.00");
    operator
        .post(&anomaly_path(&orphaned, "resolve"), json!({}))
        .await
        .ok();
    assert_eq!(
        audited_actions(&operator, &audit_object_of_anomaly(&orphaned)).await,
        ["resolve-anomaly"]
    );
    assert_no_open_anomaly(&operator).await;
    server.finish().await;
}

#[actix_web::test]
async fn failed_refund_is_retried_and_found_already_done() {
    let (server, draw, operator) = start_server_with_operator().await;
    let (intent, _) = server.alice().buy(draw, 2).await;
    let order_path = format!(
        "/api/admin/orders/{}",
        order_id_of_intent(&server, &intent).await
    );
    let refund = async || {
        operator
            .post(
                &format!("{order_path}/refund"),
                json!({ "reason": "Proven fraud" }),
            )
            .await
            .ok()
    };
    let wait_for_refund = async || {
        eventually("the refund succeeded", async || {
            let shown = operator.get(&order_path).await.ok();
            (shown["refund"]["state"] == "succeeded").then_some(shown)
        })
        .await
    };
    refund().await;
    wait_for_refund().await;
    // Simulates that the provider refused the server's refund, and that a person refunded the
    // payment at the provider instead.
    let refused = "update payment_ops set state = 'failed' where kind = 'refund'; update refunds set state = 'failed';
         update payments set amount_refunded_cents = 0";
    server.database.execute_sql(refused).await;
    let shown = operator.get(&order_path).await.ok();
    assert_eq!(
        (&shown["refundable"], &shown["whyNot"]),
        (&json!(true), &Value::Null),
        "{shown}"
    );
    assert_eq!(refund().await["state"], "pending");
    assert_eq!(
        wait_for_refund().await["whyNot"],
        "This payment was refunded already."
    );
    assert_eq!(
        sandbox_ledger_totals(&server)[..2],
        [1000, 1000],
        "the payment is refunded once"
    );
    server.finish().await;
}
