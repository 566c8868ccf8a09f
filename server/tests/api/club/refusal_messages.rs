//! Error messages shown to a club, compared byte for byte. Contains those that no other test
//! covers.

use reqwest::Method;
use serde_json::{Value, json};

use super::draws::{accept_terms, new_draw_form};
use super::winners::create_draw_won_by_alice;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

#[actix_web::test]
async fn invalid_result_and_payout_get_specified_messages() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let results = format!("/api/draws/{draw}/results");
    let body = json!({ "homeFirstTryScorer": 14, "awayFirstTryScorer": 1 });
    let refused = browser
        .post(&results, body)
        .await
        .expect_refusal(400, "result-out-of-range");
    assert_eq!(
        refused["message"],
        "First try scorers are jersey numbers from 1 to 13."
    );
    let payouts = format!("/api/draws/{draw}/payouts");
    let refused = browser
        .post(&payouts, json!({ "type": "club_share" }))
        .await
        .expect_refusal(400, "bad-type");
    assert_eq!(
        refused["message"],
        "Only a winner's payout can be recorded."
    );
    let payout = browser
        .post(&payouts, json!({ "type": "winner" }))
        .await
        .ok();
    let path = format!("/api/payouts/{}", payout["id"]);
    let paid = browser
        .call(Method::PATCH, &path, Some(&json!({ "status": "paid" })))
        .await;
    assert_eq!(
        paid.expect_refusal(400, "bad-status")["message"],
        "A payout becomes completed or failed."
    );
    let reveal = format!("/api/draws/{draw}/winner-bank/reveal");
    let wrong = browser
        .post(&reveal, json!({ "password": "wrong" }))
        .await
        .expect_refusal(400, "wrong-password");
    assert_eq!(wrong["message"], "Invalid credentials");
    server.finish().await;
}

#[actix_web::test]
async fn invalid_registration_gets_specified_messages() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.alice();
    let form = |field: &str, value: String| {
        let mut form = json!({ "name": "Jets", "email": "jets@example.com", "password": "jets forever",
            "phone": "0400 111 222" });
        form[field] = json!(value);
        form
    };
    for (field, value, message) in [
        ("name", "x".repeat(101), "Must be at most 100 characters"),
        (
            "location",
            "x".repeat(101),
            "Must be at most 100 characters",
        ),
        (
            "phone",
            "call Sam".to_string(),
            "Phone must be a phone number",
        ),
        (
            "password",
            "x".repeat(129),
            "Password must be at most 128 characters",
        ),
    ] {
        let refused = browser
            .post("/api/clubs/register", form(field, value))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&refused["message"], &refused["errors"][0]["field"]),
            (&json!(message), &json!(field))
        );
    }
    let refused = browser
        .post(
            "/api/clubs/register",
            form("email", "broncos@demo.test".into()),
        )
        .await;
    let message = "This email already has an account. Log in, or reset your password.";
    assert_eq!(
        refused.expect_refusal(409, "email-taken")["message"],
        message
    );
    let user = browser
        .post("/api/clubs/register", form("name", "Jets".into()))
        .await
        .ok();
    let again = format!("/api/clubs/{}/verification-email", user["id"]);
    assert_eq!(
        browser.post(&again, json!({})).await.ok()["message"],
        "We have sent you a new link."
    );
    let key = persistence::records::settings::CLUB_REGISTRATION_ENABLED;
    server
        .records
        .set_setting(key, "false", "test")
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let closed = server
        .bob()
        .post("/api/clubs/register", form("name", "Eels".into()))
        .await;
    assert_eq!(
        closed.expect_refusal(403, "registration-off")["message"],
        "Club registration is not open at the moment."
    );
    server.finish().await;
}

#[actix_web::test]
async fn too_long_password_gets_specified_messages() {
    let server = TestServer::start().await;
    let body = json!({ "token": "00".repeat(32), "newPassword": "x".repeat(129) });
    let refused = server
        .alice()
        .post("/api/clubs/reset-password-confirm", body)
        .await;
    let message = "Password must be at most 128 characters";
    assert_eq!(
        refused.expect_refusal(400, "password-too-long")["message"],
        message
    );
    server.create_club("broncos").await;
    let browser = server.bob();
    for password in ["", &"x".repeat(129)] {
        let refused = browser
            .sign_in("broncos@demo.test", password)
            .await
            .expect_refusal(401, "invalid-credentials");
        assert_eq!(refused["message"], "Invalid credentials");
    }
    browser.sign_in("broncos@demo.test", PASSWORD).await.ok();
    server.finish().await;
}

/// A unit test beside `is_easy_to_guess` checks the list of easy passwords. This test checks that
/// registration and password reset use the list.
#[actix_web::test]
async fn easy_password_is_refused_at_registration_and_reset() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.alice();
    let message = "Password is too easy to guess. Please use a longer one, or other words.";
    let form = |password: &str| json!({ "name": "Norths Devils", "email": "secretary@norths.com.au", "password": password, "phone": "0400 111 222" });
    for password in [
        "password1",
        "Football1",
        "norths-devils",
        "NorthsDevils",
        "secretary1",
        "footballdoubles",
    ] {
        let refused = browser
            .post("/api/clubs/register", form(password))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&refused["message"], &refused["errors"][0]["field"]),
            (&json!(message), &json!("password")),
            "{password}"
        );
    }
    browser
        .post("/api/clubs/register", form("devils at dawn"))
        .await
        .ok();
    browser
        .post(
            "/api/clubs/reset-password",
            json!({ "email": "broncos@demo.test" }),
        )
        .await
        .ok();
    let link = server.mailed_link(&server.next_mail("reset").await);
    let token = link.rsplit_once("token=").expect("a token").1;
    let confirm = async |password: &str| {
        let body = json!({ "token": token, "newPassword": password });
        server
            .bob()
            .post("/api/clubs/reset-password-confirm", body)
            .await
    };
    for password in ["password1", "broncosrlfc", "Broncos2026"] {
        assert_eq!(
            confirm(password)
                .await
                .expect_refusal(400, "password-too-easy")["message"],
            message,
            "{password}"
        );
    }
    confirm("a new secret").await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn invalid_draw_and_fixture_import_get_specified_messages() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    accept_terms(&browser).await;
    let key = "fee_passthrough_allowed";
    server
        .records
        .set_setting(key, "false", "test")
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let refused = browser
        .post("/api/draws", new_draw_form())
        .await
        .expect_refusal(422, "fee-passthrough-off");
    assert_eq!(
        refused["message"],
        "Passing the card fee on to buyers is not allowed at the moment."
    );
    let path = format!("/api/clubs/{}/fixtures", broncos.id);
    for (query, message) in [
        ("price=0", "Ticket price is required"),
        ("price=free", "Ticket price is required"),
        ("price=10000.01", "Ticket price must be at most $10,000.00"),
        ("prize=0", "The prize percentage is between 1 and 100."),
        ("prize=101", "The prize percentage is between 1 and 100."),
    ] {
        let request = browser
            .bare_request(Method::POST, &format!("{path}?dryRun=true&{query}"))
            .header("origin", &server.url);
        let refused = Buyer::send_request(request.body("date,kick-off,zone,home,away\n"))
            .await
            .expect_refusal(400, "bad-price");
        assert_eq!(refused["message"], message, "{query}");
    }
    for (query, message) in [
        ("contactName=", "Contact name is required"),
        ("contactPhone=%20", "Contact phone is required"),
        (
            "contactPhone=call%20Sam",
            "Contact phone must be a phone number",
        ),
        (
            &format!("contactName={}", "x".repeat(101)),
            "Must be at most 100 characters",
        ),
    ] {
        let request = browser
            .bare_request(Method::POST, &format!("{path}?dryRun=true&{query}"))
            .header("origin", &server.url);
        let refused = Buyer::send_request(request.body("date,kick-off,zone,home,away\n"))
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(refused["message"], message, "{query}");
    }
    let later = "date,kick-off,zone,home,away\n2036-03-07,20:00,Nowhere,Knights,Raiders\n";
    let request = browser
        .bare_request(Method::POST, &format!("{path}?dryRun=true"))
        .header("origin", &server.url);
    let refused = Buyer::send_request(request.body(later))
        .await
        .expect_refusal(422, "fixtures-refused");
    assert_eq!(
        refused["message"],
        "1 of the table's lines cannot be read; nothing was created."
    );
    server.finish().await;
}

#[actix_web::test]
async fn operator_without_club_id_is_refused() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    server.create_operator().await;
    let operator = club::sign_in_as_operator(&server).await;
    let refused = operator
        .post("/api/terms/accept", json!({}))
        .await
        .expect_refusal(400, "club-required");
    assert_eq!(refused["message"], "Say for which club.");
    let accepted: Value = operator
        .post("/api/terms/accept", json!({ "clubId": broncos.id.0 }))
        .await
        .ok();
    assert_eq!(accepted["termsVersion"], "1.0");
    server.finish().await;
}
