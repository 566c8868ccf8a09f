//! Error messages of the specification (A:260-291) that the server sends, compared byte for byte.

use domain::{Cents, DrawId};
use reqwest::Method;
use sandbox::faults::{Fault, Faults, WebhookFaults};
use serde_json::{Value, json};

use crate::support::buyer::{ApiResponse, cart_request_items};
use crate::support::server::eventually;
use crate::support::{Buyer, DECLINED_CARD, TestServer, club};

/// Returns status, error code and message of a response in one line.
fn refusal_status_code_and_message(answer: ApiResponse) -> String {
    let body = answer.json();
    let text = |name: &str| body[name].as_str().unwrap_or_default().to_string();
    format!("{} {}: {}", answer.status, text("code"), text("message"))
}

const DRAW_CLOSED_MESSAGE: &str =
    "This draw has closed as the game has started. No more tickets can be purchased.";

#[actix_web::test]
async fn refused_payment_opening_gives_specified_reason() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let storm = server.create_club("storm").await;
    let draw = server.create_draw(broncos.id).await;
    let other_draw = server.create_draw(storm.id).await;
    let cheap = server
        .create_draw_with(broncos.id, |draw| draw.price = Cents(20))
        .await;
    let later = server.now().plus_seconds(3600);
    let scheduled = server
        .create_draw_with(broncos.id, |draw| draw.opens_at = Some(later))
        .await;
    let closed = server.create_draw(broncos.id).await;
    server.start_game(closed).await;
    for _ in 0..3 {
        server.bob().open_intent(draw, 50).await;
    }
    let alice = server.alice();
    let full = "409 tickets-unavailable: Tickets No Longer Available: Only 19 tickets remaining. Please adjust your selection.";
    for (draw, count, expected) in [
        (draw, 20, full.to_string()),
        (
            DrawId(999_999),
            1,
            "404 draw-not-found: Draw Not Found".into(),
        ),
        (closed, 1, format!("409 draw-closed: {DRAW_CLOSED_MESSAGE}")),
        (
            scheduled,
            1,
            "409 draw-not-open: Ticket sales for this draw have not opened yet.".into(),
        ),
        (
            cheap,
            1,
            "400 below-minimum: The total must be at least $0.50 to pay by card.".into(),
        ),
    ] {
        assert_eq!(
            refusal_status_code_and_message(alice.request_intent(draw, count).await),
            expected
        );
        assert_eq!(
            refusal_status_code_and_message(alice.request_cart_intent(&[(draw, count)]).await),
            expected,
            "the cart call gives the same error"
        );
    }
    let mixed = "400 mixed-clubs: All tickets of a cart must be for games of the same club.";
    assert_eq!(
        refusal_status_code_and_message(
            alice
                .request_cart_intent(&[(draw, 1), (other_draw, 1)])
                .await
        ),
        mixed
    );
    assert_eq!(
        refusal_status_code_and_message(alice.request_cart_intent(&[]).await),
        "400 cart-size: A cart holds 1 to 20 draws."
    );
    let body = json!({ "drawNumber": draw.0, "ticketCount": 2, "expectedAmount": 999 });
    let changed = "409 amount-changed: The total has changed to $10.00. Please check it and try again. You have not been charged.";
    assert_eq!(
        refusal_status_code_and_message(alice.post("/api/create-payment-intent", body).await),
        changed
    );
    server.sandbox.fail_next(
        "POST /sandbox/stripe/v1/payment_intents",
        Fault::TimeoutBefore,
    );
    let busy = alice.request_intent(other_draw, 1).await;
    assert_eq!(busy.header("retry-after"), Some("1"));
    assert_eq!(
        refusal_status_code_and_message(busy),
        "503 unavailable: Please wait a moment and try again."
    );
    server.finish().await;
}

#[actix_web::test]
async fn refused_completion_says_whether_buyer_was_charged() {
    let server = TestServer::start().await;
    let lost = WebhookFaults {
        lost: 1.0,
        ..WebhookFaults::default()
    };
    server.sandbox.set_faults(Faults {
        webhook: lost,
        ..Faults::default()
    });
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let card = |method: &str| {
        json!({ "drawNumber": draw.0, "ticketCount": 1, "clientSecret": intent.secret(), "paymentMethodId": method,
            "customerInfo": {} })
    };
    for path in [
        "/api/payments/confirm-wallet",
        "/api/process-wallet-payment",
    ] {
        let declined = alice.post(path, card(DECLINED_CARD)).await;
        let body = declined.json();
        assert_eq!(
            refusal_status_code_and_message(declined),
            "402 declined: Your card was declined.",
            "{path}"
        );
        let more = [&body["success"], &body["status"], &body["errorType"]];
        assert_eq!(
            more,
            [
                &json!(false),
                &json!("requires_payment_method"),
                &json!("card_error")
            ],
            "{path}"
        );
        assert!(body["errorCode"].is_string(), "{path} {body}");
        let missing = "400 payment-method-missing: Please complete all payment information before proceeding.";
        assert_eq!(
            refusal_status_code_and_message(alice.post(path, card("4242424242424242")).await),
            missing,
            "{path}"
        );
    }
    let body = json!({ "drawNumber": draw.0, "ticketCount": 1, "paymentIntentId": "pi_nobody" });
    let unknown = "404 order-unknown: We could not find this payment.";
    assert_eq!(
        refusal_status_code_and_message(alice.post("/api/complete-card-payment", body).await),
        unknown
    );
    let early = alice.complete_card_purchase(draw, 1, &intent).await.ok();
    assert_eq!(
        (&early["status"], &early["message"]),
        (
            &json!("requires_payment_method"),
            &json!("The payment is not complete yet.")
        )
    );

    alice.authorise(&intent).await;
    server.start_game(draw).await;
    let closed_message =
        format!("409 not-charged: {DRAW_CLOSED_MESSAGE} You have not been charged.");
    assert_eq!(
        refusal_status_code_and_message(alice.complete_checkout_purchase(draw, 1, &intent).await),
        closed_message
    );
    assert_eq!(
        refusal_status_code_and_message(alice.complete_card_purchase(draw, 1, &intent).await),
        closed_message,
        "the repeated call gives the same error"
    );
    server.finish().await;
}

#[actix_web::test]
async fn purchase_validation_uses_form_messages() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let complete_form = json!({ "drawNumber": draw.0, "ticketCount": 1, "buyer": alice.details(), "ageConfirmation": true,
        "termsAgreement": true });
    for (change, message) in [
        (
            json!({ "ageConfirmation": false }),
            "You must be over 18 to purchase tickets",
        ),
        (
            json!({ "termsAgreement": null }),
            "You must agree to the terms and conditions",
        ),
        (
            json!({ "buyer": { "buyerName": " ", "buyerEmail": "a@b.au", "buyerPhone": "1" } }),
            "Full name is required",
        ),
        (
            json!({ "buyer": { "buyerName": "Jo", "buyerEmail": "", "buyerPhone": "1" } }),
            "Email is required",
        ),
        (
            json!({ "buyer": { "buyerName": "Jo", "buyerEmail": "jo.@x.au", "buyerPhone": "1" } }),
            "Valid email address is required",
        ),
        (
            json!({ "buyer": { "buyerName": "Jo", "buyerEmail": "a@b.au" } }),
            "Phone number is required",
        ),
    ] {
        let mut body = complete_form.clone();
        for (name, value) in change.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let checked = alice.post("/api/validate-purchase", body).await.ok();
        assert_eq!(checked, json!({ "valid": false, "errors": [message] }));
    }
    assert_eq!(
        alice
            .post("/api/validate-purchase", complete_form)
            .await
            .ok(),
        json!({ "valid": true, "errors": [] })
    );
    server.finish().await;
}

#[actix_web::test]
async fn ended_reservation_gets_specified_message() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    let path = format!(
        "/api/reservations/{}",
        intent.body["reservationId"]
            .as_str()
            .expect("the id is text")
    );
    let extend = async || {
        refusal_status_code_and_message(alice.post(&format!("{path}/extend"), json!({})).await)
    };
    for _ in 0..10 {
        assert_eq!(
            alice
                .post(&format!("{path}/extend"), json!({}))
                .await
                .status,
            200
        );
    }
    let used = "409 extensions-used-up: Your tickets cannot be kept any longer. Please complete your purchase.";
    assert_eq!(extend().await, used);
    assert_eq!(alice.call(Method::DELETE, &path, None).await.status, 204);
    assert_eq!(
        extend().await,
        "409 reservation-expired: Reservation expired"
    );
    let unknown = "/api/reservations/00000000-0000-4000-8000-000000000000/extend";
    assert_eq!(
        refusal_status_code_and_message(alice.post(unknown, json!({})).await),
        "404 not-found: Not found"
    );
    server.finish().await;
}

#[actix_web::test]
async fn missing_objects_get_specific_404_messages() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let alice = server.alice();
    let club = "404 club-not-found: Club page not found";
    for (path, expected) in [
        ("/api/clubs/slug/nobody", club),
        ("/api/clubs/nobody", club),
        ("/api/clubs/999", club),
        ("/api/clubs/nobody/meta", club),
        ("/api/clubs/nobody/draws", club),
        ("/api/clubs/nobody/bundles", club),
        (
            "/api/clubs/nobody/bundles/finals",
            "404 offer-not-found: Special Offer Not Found",
        ),
        (
            "/api/clubs/broncos/bundles/nothing",
            "404 offer-not-found: Special Offer Not Found",
        ),
        ("/api/draws/999999", "404 draw-not-found: Draw Not Found"),
        (
            "/api/draws/nothing/calendar.ics",
            "404 draw-not-found: Draw Not Found",
        ),
        (
            "/api/meta/draw/999999",
            "404 draw-not-found: Draw Not Found",
        ),
        (
            "/api/public/draws/999999/proof",
            "404 draw-not-found: Draw Not Found",
        ),
        (
            "/api/public/widget/draw/999999",
            "404 draw-not-found: Draw Not Found",
        ),
        (
            "/api/orders/00000000000000000000000000000000",
            "404 not-found: Not found",
        ),
        ("/api/terms/nothing", "404 not-found: Not found"),
        ("/api/nothing", "404 not-found: Not found"),
        ("/og/draw/999999", "404 draw-not-found: Draw Not Found"),
    ] {
        assert_eq!(
            refusal_status_code_and_message(alice.get(path).await),
            expected,
            "{path}"
        );
    }
    let answer = alice
        .post(
            "/api/resend-confirmation",
            json!({ "paymentIntentId": "pi_nobody" }),
        )
        .await
        .ok();
    assert_eq!(
        answer["message"],
        "If we know this payment, its confirmation is on the way again."
    );

    let operator = club::sign_in_as_operator(&server).await;
    operator
        .post("/api/admin/maintenance-mode", json!({ "enabled": true }))
        .await
        .ok();
    let message = "503 maintenance: System is doing some maintenance. We won't be long, check back in a couple of minutes.";
    assert_eq!(
        refusal_status_code_and_message(alice.request_intent(draw, 1).await),
        message
    );
    assert_eq!(
        refusal_status_code_and_message(alice.request_cart_intent(&[(draw, 1)]).await),
        message
    );
    server.finish().await;
}

/// After five declined cards the browser is blocked, whichever call tried the card (decision G-13).
#[actix_web::test]
async fn fifth_decline_releases_order_and_limits_browser() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (draw, other) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let alice = server.alice();
    let intent = alice.open_intent(draw, 1).await;
    for _ in 0..3 {
        assert_eq!(alice.confirm(&intent, DECLINED_CARD).await.status, 402);
    }
    for _ in 0..2 {
        let body = json!({ "clientSecret": intent.secret(), "paymentMethodId": DECLINED_CARD });
        alice
            .post("/api/payments/confirm-wallet", body)
            .await
            .expect_refusal(402, "declined");
    }
    alice.wait_for_status(&intent, "not_charged").await;
    eventually("the tickets are released", async || {
        (server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .held
            == 0)
            .then_some(())
    })
    .await;
    let refused = alice.request_intent(other, 1).await;
    assert!(refused.header("retry-after").is_some());
    assert_eq!(
        refusal_status_code_and_message(refused),
        "429 too-many-requests: Too many attempts. Please wait a moment and try again."
    );
    server.bob().buy(draw, 1).await;
    server.finish().await;
}

#[actix_web::test]
async fn fee_passthrough_draw_charges_shown_amount_after_setting_changes() {
    let server = TestServer::start_with_environment(&[
        ("FEE_PASSTHROUGH", "forbidden"),
        ("SURCHARGE_MODE", "per_charge"),
    ])
    .await;
    let club = server.create_club("broncos").await;
    let passing = server
        .create_draw_with(club.id, |draw| draw.pass_card_fee = true)
        .await;
    let second = server
        .create_draw_with(club.id, |draw| draw.pass_card_fee = true)
        .await;
    let alice = server.alice();
    let config = alice.get("/api/config").await.ok();
    assert_eq!(
        (&config["feePassthroughAllowed"], &config["surchargeMode"]),
        (&json!(false), &json!("per_charge"))
    );
    assert_eq!(
        alice.get(&format!("/api/draws/{passing}")).await.ok()["passStripeFees"],
        true,
        "the draw keeps its setting until the next edit"
    );
    let body = json!({ "drawNumber": passing.0, "ticketCount": 1, "expectedAmount": 500 + 9 + 30 });
    assert_eq!(
        alice.post("/api/create-payment-intent", body).await.ok()["amount"],
        539
    );
    let lines = cart_request_items(&[(passing, 1), (second, 1)]);
    let cart = json!({ "items": lines, "expectedAmount": 1000 + 17 + 30 });
    assert_eq!(
        alice
            .post("/api/cart/create-payment-intent", cart)
            .await
            .ok()["amount"],
        1047,
        "the fixed fee is charged once per cart"
    );
    server.finish().await;
}

#[actix_web::test]
async fn cross_site_payment_request_is_refused() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let body: Value = json!({ "drawNumber": draw.0, "ticketCount": 1 });
    for (header, value) in [
        ("origin", "https://evil.test"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let request = alice
            .bare_request(Method::POST, "/api/create-payment-intent")
            .header(header, value)
            .json(&body);
        assert_eq!(Buyer::send_request(request).await.status, 403, "{header}");
    }
    assert_eq!(
        server
            .engine
            .draws
            .view(draw)
            .await
            .expect("the draw has a view")
            .revision,
        0
    );
    server.finish().await;
}
