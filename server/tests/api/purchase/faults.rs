//! Purchases with lost webhooks, declined cards, 3-D Secure, a kick-off in between, and faults of
//! the provider.

use sandbox::faults::{Fault, Faults, ScriptedFault, WebhookFaults};
use serde_json::json;

use crate::support::schema_check::contains_jersey_number;
use crate::support::server::eventually;
use crate::support::socket::Socket;
use crate::support::{CARD_WITH_3DS, DECLINED_CARD, GOOD_CARD, TestServer};

fn webhook_faults(lost: f64, doubled: f64, reordered: f64) -> Faults {
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
async fn webhook_alone_fulfils_order() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    let order = alice.wait_for_status(&intent, "succeeded").await;
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        Some(2)
    );
    server.next_mail("tickets").await;
    server.finish().await;
}

#[actix_web::test]
async fn duplicate_and_reordered_webhooks_change_nothing() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhook_faults(0.0, 1.0, 0.5));
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for _ in 0..3 {
        alice.buy(draw, 1).await;
    }
    eventually("every event is delivered", async || {
        (server.sandbox.ledger()["events"]["pending"] == 0).then_some(())
    })
    .await;
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .sold,
        3
    );
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 1500);
    server.finish().await;
}

#[actix_web::test]
async fn reconciler_alone_fulfils_order() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhook_faults(1.0, 0.0, 0.0));
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    server
        .engine
        .reconciler
        .scan_payments(server.now().plus_seconds(-3600))
        .await
        .expect("the scan succeeds");
    alice.wait_for_status(&intent, "succeeded").await;
    server.finish().await;
}

#[actix_web::test]
async fn disconnected_completion_call_still_fulfils_order() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhook_faults(1.0, 0.0, 0.0));
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    // The provider's response is slow, so that the connection breaks during the call.
    let mut slow = webhook_faults(1.0, 0.0, 0.0);
    slow.hang_ms = 300;
    server.sandbox.set_faults(slow);
    server.sandbox.fail_next("capture", Fault::Slow);
    {
        let mut call = Box::pin(alice.complete_card_purchase(draw, 2, &intent));
        let sold = eventually("the tickets are allocated", async || {
            let view = server.engine.draws.view(draw).await.ok()?;
            (view.sold == 2).then_some(())
        });
        tokio::select! {
            answer = &mut call => panic!("the call answered before the connection broke: {answer:?}"),
            () = sold => {}
        }
    }
    alice.wait_for_status(&intent, "succeeded").await;
    server.finish().await;
}

#[actix_web::test]
async fn allocated_order_shows_no_pair_until_its_capture() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    let mut held = webhook_faults(1.0, 0.0, 0.0);
    held.next.push(ScriptedFault {
        on: "/capture".into(),
        fault: Fault::TimeoutBefore,
        times: u32::MAX,
    });
    server.sandbox.set_faults(held);
    alice.authorise(&intent).await;
    let path = format!("/api/orders/{}", intent.token());
    let allocated = eventually("the order is allocated", async || {
        let answer = alice.complete_card_purchase(draw, 2, &intent).await;
        if answer.status == 200 {
            assert_eq!(answer.json()["tickets"], json!([]), "{}", answer.text);
        }
        let order = alice.get(&path).await.ok();
        (order["state"] == "allocated").then_some(order)
    })
    .await;
    assert_eq!(
        (
            &allocated["lines"][0]["tickets"],
            &allocated["lines"][0]["ticketCount"]
        ),
        (&json!([]), &json!(2))
    );
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .sold,
        2,
        "the tickets are allocated"
    );
    let mut page = Socket::open(
        &server,
        &format!("order:{},draw:{draw},draws,public", intent.token()),
    )
    .await;
    assert_eq!(
        page.next_frame("order").await["data"]["lines"][0]["tickets"],
        json!([])
    );
    let resend = json!({ "paymentIntentId": intent.id(), "orderToken": intent.token() });
    alice.post("/api/resend-confirmation", resend).await.ok();
    assert_eq!(server.count_queued_mails("resend").await, 0);
    alice
        .post("/api/my-tickets", json!({ "email": alice.email }))
        .await
        .ok();
    let link = server.mailed_link(&server.next_mail("my-tickets").await);
    let secret = json!({ "token": link.rsplit_once('#').expect("a secret").1 });
    let opened = alice
        .post("/api/my-tickets/look", secret.clone())
        .await
        .ok();
    assert_eq!(opened["orders"][0]["lines"][0]["tickets"], json!([]));
    let html = alice.get(&format!("/my/{}", intent.token())).await.text;
    assert!(!html.contains("homeNumber"), "{html}");
    assert_eq!(server.count_queued_mails("tickets").await, 0);

    server.sandbox.set_faults(Faults::default());
    eventually("the payment is captured", async || {
        server.clock.advance_seconds(60);
        let answer = alice.complete_card_purchase(draw, 2, &intent).await;
        (answer.status == 200 && answer.json()["status"] == "succeeded").then_some(())
    })
    .await;
    let order = alice.fetch_order_of(&intent).await;
    assert_eq!(
        order["lines"][0]["tickets"].as_array().map(Vec::len),
        Some(2)
    );
    server.next_mail("tickets").await;
    // No frame may show a pair before the order is captured. Reads frames until one has a pair.
    loop {
        let frame = page.next_frame_of_any_type("the captured order").await;
        if contains_jersey_number(&frame) {
            assert_eq!(
                (&frame["type"], &frame["data"]["state"]),
                (&json!("order"), &json!("captured")),
                "{frame}"
            );
            break;
        }
    }
    server.finish().await;
}

#[actix_web::test]
async fn good_card_after_declined_card_pays_same_intent() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let declined = alice.confirm(&intent, DECLINED_CARD).await;
    assert_eq!(
        (declined.status, &declined.json()["error"]["code"]),
        (402, &json!("card_declined"))
    );
    let early = alice.complete_card_purchase(draw, 1, &intent).await.ok();
    assert_eq!(
        (&early["success"], &early["status"]),
        (&json!(false), &json!("requires_payment_method"))
    );
    assert_eq!(alice.open_intent(draw, 1).await.id(), intent.id());
    alice.authorise(&intent).await;
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

#[actix_web::test]
async fn order_waits_for_three_d_secure() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    assert_eq!(
        alice.confirm(&intent, CARD_WITH_3DS).await.ok()["status"],
        "requires_action"
    );
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &intent).await.ok()["success"],
        false
    );
    assert_eq!(
        alice.answer_3ds_challenge(&intent, "complete").await.ok()["status"],
        "requires_capture"
    );
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

#[actix_web::test]
async fn failed_three_d_secure_is_not_charged_and_can_be_retried() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    alice.confirm(&intent, CARD_WITH_3DS).await.ok();
    assert_eq!(
        alice.answer_3ds_challenge(&intent, "fail").await.ok()["status"],
        "requires_payment_method"
    );
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &intent).await.ok()["success"],
        false
    );
    assert_eq!(server.sandbox.ledger()["total"]["captured"], 0);
    assert_eq!(
        alice.confirm(&intent, GOOD_CARD).await.ok()["status"],
        "requires_capture"
    );
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    server.finish().await;
}

#[actix_web::test]
async fn payment_completed_after_kick_off_is_not_charged() {
    let server = TestServer::start().await;
    server.sandbox.set_faults(webhook_faults(1.0, 0.0, 0.0));
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 2).await;
    alice.authorise(&intent).await;
    server.start_game(draw).await;
    let refused = alice
        .complete_card_purchase(draw, 2, &intent)
        .await
        .expect_refusal(409, "not-charged");
    assert_eq!(refused["status"], "not_charged");
    assert_eq!(
        refused["message"],
        "This draw has closed as the game has started. No more tickets can be purchased. You have not been charged."
    );
    assert_eq!(
        alice.wait_for_status(&intent, "not_charged").await["state"],
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
    alice
        .request_intent(draw, 1)
        .await
        .expect_refusal(409, "draw-closed");
    server.finish().await;
}

#[actix_web::test]
async fn provider_failure_after_effect_charges_once() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    server.sandbox.fail_next(
        "POST /sandbox/stripe/v1/payment_intents",
        Fault::TimeoutAfter,
    );
    let first = alice.request_intent(draw, 1).await;
    if first.status != 200 {
        first.expect_refusal(503, "unavailable");
    }
    let intent = eventually("the intent is created", async || {
        let answer = alice.request_intent(draw, 1).await;
        (answer.status == 200).then(|| crate::support::buyer::Intent {
            body: answer.json(),
        })
    })
    .await;
    alice.authorise(&intent).await;
    server.sandbox.fail_next("/capture", Fault::Error500After);
    let answer = alice.complete_card_purchase(draw, 1, &intent).await;
    assert!(
        answer.status == 200 || answer.status == 503,
        "{} {}",
        answer.status,
        answer.text
    );
    alice.wait_for_status(&intent, "succeeded").await;
    let total = &server.sandbox.ledger()["total"];
    assert_eq!(
        (&total["captured"], &total["count"]),
        (&json!(500), &json!(1))
    );
    server.finish().await;
}

#[actix_web::test]
async fn maintenance_refuses_new_payments_and_finishes_open_ones() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let (alice, operator) = (
        server.alice(),
        crate::support::club::sign_in_as_operator(&server).await,
    );
    let intent = alice.open_intent(draw, 1).await;
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
    let refused = alice.request_intent(draw, 1).await;
    assert_eq!(refused.header("retry-after"), Some("60"));
    let message =
        "System is doing some maintenance. We won't be long, check back in a couple of minutes.";
    assert_eq!(
        refused.expect_refusal(503, "maintenance")["message"],
        message
    );
    alice.authorise(&intent).await;
    assert_eq!(
        alice.complete_card_purchase(draw, 1, &intent).await.ok()["status"],
        "succeeded"
    );
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": false }))
        .await
        .ok();
    alice.open_intent(draw, 1).await;
    server.finish().await;
}
