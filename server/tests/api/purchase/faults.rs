//! The ways through that do not go as planned.

use serde_json::json;
use server::sandbox::faults::{Fault, Faults, WebhookFaults};

use crate::support::server::eventually;
use crate::support::{BAD_CARD, CARD_WITH_3DS, GOOD_CARD, TestServer};

fn webhooks(lost: f64, doubled: f64, reordered: f64) -> Faults {
    Faults {
        webhook: WebhookFaults {
            lost,
            doubled,
            reordered,
            late_ms: 0,
        },
        ..Faults::default()
    }
}

#[actix_web::test]
async fn the_webhook_alone_is_enough() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    let order = alice.sees(&intent, "succeeded").await;
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        Some(2)
    );
    server.mail("tickets").await;
    server.finish().await;
}

#[actix_web::test]
async fn webhooks_doubled_and_out_of_order_change_nothing() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhooks(0.0, 1.0, 0.5));
    let draw = server.game().await;
    let alice = server.alice();
    for _ in 0..3 {
        alice.buys(draw, 1).await;
    }
    eventually("every event is delivered", async || {
        (server.sandbox.ledger()["events"]["pending"] == 0).then_some(())
    })
    .await;
    assert_eq!(
        server.engine.draws.view(draw).await.expect("a view").sold,
        3
    );
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 1500);
    server.finish().await;
}

#[actix_web::test]
async fn the_reconciler_alone_is_enough() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhooks(1.0, 0.0, 0.0));
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    server
        .engine
        .reconciler
        .scan(server.now().plus_seconds(-3600))
        .await
        .expect("scanned");
    alice.sees(&intent, "succeeded").await;
    server.finish().await;
}

#[actix_web::test]
async fn a_browser_that_dies_in_the_middle_of_its_call_has_its_tickets_all_the_same() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhooks(1.0, 0.0, 0.0));
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    // The provider is slow, so that the connection breaks while the call is under way.
    let mut slow = webhooks(1.0, 0.0, 0.0);
    slow.hang_ms = 300;
    server.sandbox.set_faults(slow);
    server.sandbox.fail_next("capture", Fault::Slow);
    {
        let mut call = Box::pin(alice.complete(draw, 2, &intent));
        let sold = eventually("the tickets are allocated", async || {
            let view = server.engine.draws.view(draw).await.ok()?;
            (view.sold == 2).then_some(())
        });
        tokio::select! {
            answer = &mut call => panic!("answered before it broke: {answer:?}"),
            () = sold => {}
        }
    }
    alice.sees(&intent, "succeeded").await;
    server.finish().await;
}

#[actix_web::test]
async fn a_declined_card_and_then_a_good_one_pay_the_same_intent() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 1).await;
    let declined = alice.confirm(&intent, BAD_CARD).await;
    assert_eq!(
        (declined.status, &declined.json()["error"]["code"]),
        (402, &json!("card_declined"))
    );
    let early = alice.complete(draw, 1, &intent).await.ok();
    assert_eq!(
        (&early["success"], &early["status"]),
        (&json!(false), &json!("requires_payment_method"))
    );
    assert_eq!(alice.intent(draw, 1).await.id(), intent.id());
    alice.authorise(&intent).await;
    assert_eq!(
        alice.complete(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

#[actix_web::test]
async fn three_d_secure_is_waited_for() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 1).await;
    assert_eq!(
        alice.confirm(&intent, CARD_WITH_3DS).await.ok()["status"],
        "requires_action"
    );
    assert_eq!(
        alice.complete(draw, 1, &intent).await.ok()["success"],
        false
    );
    assert_eq!(
        alice.authenticate(&intent, "complete").await.ok()["status"],
        "requires_capture"
    );
    assert_eq!(
        alice.complete(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

#[actix_web::test]
async fn who_fails_three_d_secure_is_not_charged_and_may_try_again() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 1).await;
    alice.confirm(&intent, CARD_WITH_3DS).await.ok();
    assert_eq!(
        alice.authenticate(&intent, "fail").await.ok()["status"],
        "requires_payment_method"
    );
    assert_eq!(
        alice.complete(draw, 1, &intent).await.ok()["success"],
        false
    );
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 0);
    assert_eq!(
        alice.confirm(&intent, GOOD_CARD).await.ok()["status"],
        "requires_capture"
    );
    assert_eq!(
        alice.complete(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

#[actix_web::test]
async fn who_paid_at_the_whistle_is_not_charged() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhooks(1.0, 0.0, 0.0));
    let draw = server.game().await;
    let alice = server.alice();
    let intent = alice.intent(draw, 2).await;
    alice.authorise(&intent).await;
    server.kick_off(draw).await;
    let refused = alice
        .complete(draw, 2, &intent)
        .await
        .refused(409, "not-charged");
    assert_eq!(refused["status"], "not_charged");
    assert_eq!(
        refused["message"],
        "This draw has closed as the game has started. No more tickets can be purchased. You have not been charged."
    );
    assert_eq!(
        alice.sees(&intent, "not_charged").await["state"],
        "released"
    );
    let ledger = server.sandbox.ledger();
    assert_eq!(
        (
            &ledger["total"]["captured"],
            &ledger["total"]["authorised_count"]
        ),
        (&json!(0), &json!(0))
    );
    alice.ask(draw, 1).await.refused(409, "draw-closed");
    server.finish().await;
}

#[actix_web::test]
async fn the_provider_failing_after_the_effect_takes_the_money_once() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    server.sandbox.fail_next(
        "POST /sandbox/stripe/v1/payment_intents",
        Fault::TimeoutAfter,
    );
    let first = alice.ask(draw, 1).await;
    if first.status != 200 {
        first.refused(503, "unavailable");
    }
    let intent = eventually("the intent is made", async || {
        let answer = alice.ask(draw, 1).await;
        (answer.status == 200).then(|| crate::support::buyer::Intent {
            body: answer.json(),
        })
    })
    .await;
    alice.authorise(&intent).await;
    server.sandbox.fail_next("/capture", Fault::Error500After);
    let answer = alice.complete(draw, 1, &intent).await;
    assert!(
        answer.status == 200 || answer.status == 503,
        "{} {}",
        answer.status,
        answer.text
    );
    alice.sees(&intent, "succeeded").await;
    let total = &server.sandbox.ledger()["total"];
    assert_eq!(
        (&total["captured"], &total["count"]),
        (&json!(500), &json!(1))
    );
    server.finish().await;
}

#[actix_web::test]
async fn maintenance_stops_new_payments_and_finishes_the_others() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let (alice, operator) = (
        server.alice(),
        crate::support::club::operator(&server).await,
    );
    let intent = alice.intent(draw, 1).await;
    operator
        .post(
            "/api/admin/maintenance-mode",
            json!({ "enabled": true, "updatedBy": "me" }),
        )
        .await
        .ok();
    assert_eq!(
        alice.get("/api/maintenance-mode").await.ok()["maintenanceMode"],
        true
    );
    let refused = alice.ask(draw, 1).await;
    assert_eq!(refused.header("retry-after"), Some("60"));
    let words =
        "System is doing some maintenance. We won't be long, check back in a couple of minutes.";
    assert_eq!(refused.refused(503, "maintenance")["message"], words);
    alice.authorise(&intent).await;
    assert_eq!(
        alice.complete(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": false }))
        .await
        .ok();
    alice.intent(draw, 1).await;
    server.finish().await;
}
