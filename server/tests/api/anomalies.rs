//! The five kinds of odd payments, made at the provider without a notice: found by looking, worked on by the operator, written
//! down, and true to the cent afterwards.

use domain::DrawId;
use serde_json::{Value, json};
use server::sandbox::faults::{Fault, Faults, Scripted};

use crate::support::buyer::Intent;
use crate::support::dashboard::Dashboard;
use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

const ALL: &str = "/api/admin/payment-anomalies";

/// An order that our books do not know.
const FORGOTTEN: &str = "00000000-0000-4000-8000-000000000404";

/// A game, its operator at work, and a provider that tells us nothing.
async fn scene() -> (TestServer, DrawId, Buyer) {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let operator = club::operator(&server).await;
    Dashboard::of(&server).breaks(json!([])).await;
    (server, draw, operator)
}

/// Looks now, and shows the one anomaly of this kind that is open.
async fn found(operator: &Buyer, kind: &str) -> Value {
    operator.post(&format!("{ALL}/check"), json!({})).await.ok();
    let open = operator.get(&format!("{ALL}?status=unresolved")).await.ok();
    let open = open.as_array().expect("a list");
    assert_eq!(
        open.iter()
            .map(|anomaly| &anomaly["type"])
            .collect::<Vec<_>>(),
        [kind]
    );
    open[0].clone()
}

async fn none_is_open(operator: &Buyer) {
    let checked = operator.post(&format!("{ALL}/check"), json!({})).await.ok();
    assert_eq!(
        checked["newAnomalies"], 0,
        "what is settled does not come back"
    );
    let stats = operator.get(&format!("{ALL}/stats")).await.ok();
    assert_eq!(
        (&stats["unresolved"], &stats["total"]),
        (&json!(0), &stats["resolved"])
    );
}

/// What the trail says was done to an object, newest first.
async fn trail(operator: &Buyer, object: &str) -> Vec<String> {
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

fn path(anomaly: &Value, verb: &str) -> String {
    format!("{ALL}/{}/{verb}", anomaly["id"].as_str().expect("an id"))
}

fn object(anomaly: &Value) -> String {
    format!("anomaly:{}", anomaly["id"].as_str().expect("an id"))
}

/// Cents: taken, given back, the platform's part, what of it was given back.
fn money(server: &TestServer) -> [i64; 4] {
    let ledger = server.sandbox.ledger();
    ["captured", "refunded", "fees", "fees_refunded"]
        .map(|name| ledger["total"][name].as_i64().expect("cents"))
}

async fn order_of(server: &TestServer, intent: &Intent) -> String {
    let record = server
        .state
        .payments
        .order_by_token(intent.token())
        .await
        .expect("read")
        .expect("an order");
    record.order.id.to_string()
}

#[actix_web::test]
async fn a_payment_of_a_forgotten_order_gets_its_tickets_by_hand() {
    let (server, draw, operator) = scene().await;
    let payment = Dashboard::of(&server)
        .takes_with_fee(FORGOTTEN, &format!("{draw}x2"), 1_000)
        .await;
    let missing = found(&operator, "missing_ticket").await;
    assert_eq!(
        (&missing["amount"], &missing["paymentIntentId"]),
        (&json!("10.00"), &json!(payment))
    );
    operator
        .post(&path(&missing, "resolve"), json!({}))
        .await
        .refused(409, "needs-customer");
    let customer = json!({ "paymentIntentId": payment, "customerName": "Jo Lost", "customerEmail": "jo@x.test",
        "customerPhone": "0400 123 456" });
    let given = operator
        .post(&format!("{ALL}/resolve"), customer.clone())
        .await
        .ok();
    assert_eq!(given["allocatedTickets"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        operator
            .post(&format!("{ALL}/resolve"), customer)
            .await
            .ok(),
        given,
        "the same, once"
    );
    assert_eq!(server.mail("tickets").await.to, "jo@x.test");
    none_is_open(&operator).await;
    assert_eq!(
        (
            server.engine.draws.view(draw).await.expect("a view").sold,
            money(&server)
        ),
        (2, [1000, 0, 35, 0])
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_second_payment_for_one_order_goes_back_and_the_first_keeps_its_tickets() {
    let (server, draw, operator) = scene().await;
    let alice = server.alice();
    let (intent, _) = alice.buys(draw, 2).await;
    let order = order_of(&server, &intent).await;
    let second = Dashboard::of(&server)
        .takes_with_fee(&order, &format!("{draw}x2"), 1_000)
        .await;
    let duplicate = found(&operator, "duplicate_payment").await;
    assert_eq!(duplicate["paymentIntentId"], json!(second));
    assert_eq!(money(&server), [2000, 0, 70, 0]);
    for _ in 0..2 {
        let refunded = operator
            .post(
                &path(&duplicate, "refund"),
                json!({ "reason": "Paid twice" }),
            )
            .await
            .ok();
        assert_eq!(
            (&refunded["resolved"], &refunded["resolution"]),
            (&json!(true), &json!("Refunded by hand"))
        );
        assert_eq!(
            money(&server),
            [2000, 1000, 70, 35],
            "asked twice, done once"
        );
    }
    let order = alice.order(&intent).await;
    assert_eq!(
        (
            &order["status"],
            order["lines"][0]["tickets"].as_array().map(Vec::len)
        ),
        (&json!("succeeded"), Some(2))
    );
    assert_eq!(
        trail(&operator, &object(&duplicate)).await,
        ["resolve-anomaly", "refund-payment"]
    );
    none_is_open(&operator).await;
    server.finish().await;
}

#[actix_web::test]
async fn an_authorisation_that_cannot_be_cancelled_is_shown_and_heals_by_itself() {
    let (server, draw, operator) = scene().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    server.kick_off(draw).await;
    let stuck = Scripted {
        on: "/cancel".into(),
        fault: Fault::TimeoutBefore,
        times: 1_000,
    };
    server.sandbox.set_faults(Faults {
        next: vec![stuck],
        ..Faults::default()
    });
    alice
        .complete(draw, 2, &intent)
        .await
        .refused(409, "not-charged");
    let open = format!("{ALL}?status=unresolved&type=failed_allocation");
    let failed = eventually("the operator sees it", async || {
        let open = operator.get(&open).await.ok();
        open[0].is_object().then(|| open[0].clone())
    })
    .await;
    assert_eq!(failed["paymentIntentId"], json!(intent.id()));
    server.sandbox.set_faults(Faults::default());
    eventually("it is cancelled after all", async || {
        // The next attempt is some seconds away.
        server.clock.push_seconds(10);
        (operator.get(&open).await.ok() == json!([])).then_some(())
    })
    .await;
    let healed = operator
        .get(&format!("{ALL}?type=failed_allocation"))
        .await
        .ok();
    assert_eq!(
        (&healed[0]["resolvedBy"], money(&server)),
        (&json!("System"), [0, 0, 0, 0])
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_dispute_after_the_game_is_the_banks_and_a_person_closes_it() {
    let (server, draw, operator) = scene().await;
    let alice = server.alice();
    let (intent, _) = alice.buys(draw, 2).await;
    server.kick_off(draw).await;
    alice
        .post("/sandbox/dispute", json!({ "paymentIntent": intent.id() }))
        .await
        .ok();
    let mismatch = found(&operator, "mismatched_amount").await;
    assert_eq!(
        mismatch["details"]["note"],
        "the buyer's bank disputes the payment"
    );
    let resolved = operator
        .post(
            &path(&mismatch, "resolve"),
            json!({ "note": "Sent the bank our proof" }),
        )
        .await
        .ok();
    assert_eq!(resolved["resolution"], "Sent the bank our proof");
    assert_eq!(
        trail(&operator, &object(&mismatch)).await,
        ["resolve-anomaly"]
    );
    assert_eq!(
        alice.order(&intent).await["status"],
        "succeeded",
        "the tickets were in the game"
    );
    none_is_open(&operator).await;
    server.finish().await;
}

#[actix_web::test]
async fn tickets_whose_money_went_back_past_us_are_orphaned_until_somebody_has_looked() {
    let (server, draw, operator) = scene().await;
    let (intent, _) = server.alice().buys(draw, 2).await;
    Dashboard::of(&server).gives_back(intent.id()).await;
    let orphaned = found(&operator, "orphaned_ticket").await;
    assert_eq!(orphaned["details"]["providerRefunded"], "10.00");
    operator
        .post(&path(&orphaned, "resolve"), json!({}))
        .await
        .ok();
    assert_eq!(
        trail(&operator, &object(&orphaned)).await,
        ["resolve-anomaly"]
    );
    none_is_open(&operator).await;
    server.finish().await;
}

#[actix_web::test]
async fn a_refund_that_the_provider_refused_is_asked_for_again_and_found_done() {
    let (server, draw, operator) = scene().await;
    let (intent, _) = server.alice().buys(draw, 2).await;
    let path = format!("/api/admin/orders/{}", order_of(&server, &intent).await);
    let refund = async || {
        operator
            .post(
                &format!("{path}/refund"),
                json!({ "reason": "Proven fraud" }),
            )
            .await
            .ok()
    };
    let gone_back = async || {
        eventually("the money is back", async || {
            let shown = operator.get(&path).await.ok();
            (shown["refund"]["state"] == "succeeded").then_some(shown)
        })
        .await
    };
    refund().await;
    gone_back().await;
    // As if the provider had refused, and somebody had then paid it back there.
    let refused = "update payment_ops set state = 'failed' where kind = 'refund'; update refunds set state = 'failed';
         update payments set amount_refunded_cents = 0";
    server.database.run(refused).await;
    let shown = operator.get(&path).await.ok();
    assert_eq!(
        (&shown["refundable"], &shown["whyNot"]),
        (&json!(true), &Value::Null),
        "{shown}"
    );
    assert_eq!(refund().await["state"], "pending");
    assert_eq!(
        gone_back().await["whyNot"],
        "This payment was refunded already."
    );
    assert_eq!(money(&server)[..2], [1000, 1000], "once");
    server.finish().await;
}
