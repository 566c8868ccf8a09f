//! Registration, e-mail confirmation, password reset and sign-in of a club (club.md section 2).

use persistence::records::settings::CLUB_REGISTRATION_ENABLED;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::{PASSWORD, eventually};
use crate::support::{Buyer, TestServer, club};

fn registration_form(name: &str, email: &str) -> Value {
    json!({ "name": name, "email": email, "password": "sharks-forever", "location": "Redcliffe", "phone": "07 3000 1234" })
}

/// Returns the secret token that a mailed link contains.
fn token_in_link(link: &str) -> String {
    link.rsplit_once("token=").expect("a token").1.to_string()
}

#[actix_web::test]
async fn registered_club_is_signed_in_with_unique_slug() {
    let server = TestServer::start().await;
    let browser = server.alice();
    assert_eq!(
        browser.get("/api/settings/club-registration").await.ok(),
        json!({ "enabled": true })
    );
    let form = registration_form("  St. Mary's Saints ", "Saints@Example.com");
    let answer = browser.post("/api/clubs/register", form).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert!(
        answer
            .header("set-cookie")
            .is_some_and(|cookie| cookie.contains("fd_login"))
    );
    let user = answer.json();
    assert_eq!(
        (&user["clubSlug"], &user["isAdmin"]),
        (&json!("st-marys-saints"), &json!(false))
    );
    assert_eq!(user["emailVerified"], false);
    server
        .database
        .execute_sql("update clubs set email_verified_at = now()")
        .await;
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["clubSlug"],
        "st-marys-saints"
    );
    let preview = browser
        .get("/api/clubs/slug-preview?name=St%20Marys%20Saints")
        .await
        .ok();
    assert_eq!(preview["slug"], "st-marys-saints-2");
    let twin = server
        .bob()
        .post(
            "/api/clubs/register",
            registration_form("St Marys Saints", "b@example.com"),
        )
        .await
        .ok();
    assert_eq!(twin["clubSlug"], "st-marys-saints-2");
    let third = server
        .bob()
        .post(
            "/api/clubs/register",
            registration_form("St Marys Saints", "c@example.com"),
        )
        .await
        .ok();
    assert_eq!(third["clubSlug"], "st-marys-saints-3");
    let again = registration_form("Other", "saints@example.COM");
    server
        .bob()
        .post("/api/clubs/register", again)
        .await
        .expect_refusal(409, "email-taken");
    server.finish().await;
}

#[actix_web::test]
async fn concurrent_registrations_of_one_name_get_different_slugs() {
    let server = TestServer::start().await;
    let (one, other) = (server.alice(), server.bob());
    let (a, b) = futures_util::join!(
        one.post(
            "/api/clubs/register",
            registration_form("Jets", "a@example.com")
        ),
        other.post(
            "/api/clubs/register",
            registration_form("Jets", "b@example.com")
        ),
    );
    let mut slugs =
        [a.ok()["clubSlug"].clone(), b.ok()["clubSlug"].clone()].map(|slug| slug.to_string());
    slugs.sort();
    assert_eq!(slugs, ["\"jets\"", "\"jets-2\""]);
    server.finish().await;
}

#[actix_web::test]
async fn registration_lists_missing_fields_and_can_be_disabled() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let body = browser
        .post(
            "/api/clubs/register",
            json!({ "email": "x", "password": "1234567" }),
        )
        .await;
    let body = body.expect_refusal(400, "invalid");
    let messages: Vec<_> = body["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|e| e["message"].clone())
        .collect();
    let expected = [
        "Club name is required",
        "Valid email is required",
        "Phone is required",
        "Password must be at least 8 characters",
    ];
    assert_eq!(messages, expected);
    server
        .records
        .set_setting(CLUB_REGISTRATION_ENABLED, "false", "test")
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(
        browser.get("/api/settings/club-registration").await.ok(),
        json!({ "enabled": false })
    );
    let refused = browser
        .post(
            "/api/clubs/register",
            registration_form("Jets", "jets@example.com"),
        )
        .await;
    refused.expect_refusal(403, "registration-off");
    server.finish().await;
}

#[actix_web::test]
async fn complete_waitlist_entry_is_confirmed_by_one_mail() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let complete_entry = json!({ "clubName": "Jets", "contactName": "Sam", "contactEmail": "sam@example.com",
        "contactPhone": "0400 111 222" });
    for (field, typed, message) in [
        ("clubName", "  ", "Club name is required"),
        ("contactName", "  ", "Contact name is required"),
        ("contactEmail", "  ", "Valid email is required"),
        ("contactPhone", "  ", "Contact phone is required"),
        (
            "contactPhone",
            "ask for Sam",
            "Contact phone must be a phone number",
        ),
    ] {
        let mut form = complete_entry.clone();
        form[field] = json!(typed);
        let body = browser
            .post("/api/waitlist", form)
            .await
            .expect_refusal(400, "invalid");
        assert_eq!(
            (&body["message"], &body["errors"][0]["field"]),
            (&json!(message), &json!(field))
        );
    }
    let answer = browser.post("/api/waitlist", complete_entry.clone()).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.json()["success"], true);
    assert_eq!(server.next_mail("waitlist").await.to, "sam@example.com");
    browser.post("/api/waitlist", complete_entry).await.ok();
    assert_eq!(
        server
            .records
            .waitlist()
            .await
            .expect("the read succeeds")
            .len(),
        2
    );
    assert_eq!(
        server.count_queued_mails("waitlist").await,
        1,
        "a second entry sends no second mail"
    );
    server.finish().await;
}

#[actix_web::test]
async fn newest_mailed_link_confirms_email_once() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let user = browser
        .post(
            "/api/clubs/register",
            registration_form("Jets", "jets@example.com"),
        )
        .await
        .ok();
    let first = token_in_link(&server.mailed_link(&server.next_mail("verify").await));
    let again = format!("/api/clubs/{}/verification-email", user["id"]);
    assert_eq!(browser.post(&again, json!({})).await.status, 202);
    let second = token_in_link(&server.mailed_link(&server.next_mail("verify").await));
    let refused = browser
        .post("/api/clubs/verify-email", json!({ "token": first }))
        .await;
    let message = refused.expect_refusal(400, "invalid-link")["message"].clone();
    assert_eq!(message, "This link is invalid or has expired.");
    let anyone = server.bob();
    assert_eq!(
        anyone
            .post("/api/clubs/verify-email", json!({ "token": second }))
            .await
            .ok()["verified"],
        true
    );
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["user"]["emailVerified"],
        true
    );
    assert_eq!(
        anyone
            .post("/api/clubs/verify-email", json!({ "token": second }))
            .await
            .ok()["verified"],
        true,
        "a second click on the link shows the same success"
    );
    let confirmed = browser.post(&again, json!({})).await;
    assert_eq!(
        (confirmed.status, confirmed.ok()),
        (200, json!({ "message": "This address is confirmed." }))
    );
    assert_eq!(
        server.count_queued_mails("verify").await,
        2,
        "a confirmed address gets no further link"
    );
    server.finish().await;
}

#[actix_web::test]
async fn rate_limited_verification_mail_is_reported_as_refused() {
    let server = TestServer::start().await;
    let broncos = server.create_unconfirmed_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let again = async || {
        browser
            .post(
                &format!("/api/clubs/{}/verification-email", broncos.id),
                json!({}),
            )
            .await
    };
    for _ in 0..3 {
        assert_eq!(again().await.status, 202);
    }
    let refused = again().await;
    assert_eq!(refused.header("retry-after"), Some("3600"));
    let message = "Too many attempts. Please wait a moment and try again.";
    assert_eq!(
        refused.expect_refusal(429, "too-many-requests")["message"],
        message
    );
    assert_eq!(server.count_queued_mails("verify").await, 3);
    server.finish().await;
}

#[actix_web::test]
async fn password_reset_works_once_and_ends_all_sessions() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let (signed_in, browser) = (
        club::sign_in_as_club(&server, "broncos").await,
        server.bob(),
    );
    let answer = browser
        .post(
            "/api/clubs/reset-password",
            json!({ "email": " Broncos@demo.test " }),
        )
        .await
        .ok();
    let message = "If an account exists with this email, a reset link has been sent.";
    assert_eq!(answer, json!({ "message": message }));
    let mail = server.next_mail("reset").await;
    assert_eq!(mail.to, "broncos@demo.test");
    let token = token_in_link(&server.mailed_link(&mail));
    assert!(
        !mail.data.contains(&token),
        "the outbox must not hold the token in clear text"
    );
    let confirm = |token: Value, password: &str| json!({ "token": token, "newPassword": password });
    for (body, code, message) in [
        (
            json!({ "newPassword": "long enough" }),
            "token-required",
            "Reset token is required",
        ),
        (
            confirm(json!(token), "1234567"),
            "password-too-short",
            "Password must be at least 8 characters",
        ),
        (
            confirm(json!("00".repeat(32)), "long enough"),
            "invalid-link",
            "This password reset link is invalid or has expired.",
        ),
        (
            confirm(json!("zz"), "long enough"),
            "invalid-link",
            "This password reset link is invalid or has expired.",
        ),
    ] {
        let refused = browser
            .post("/api/clubs/reset-password-confirm", body)
            .await
            .expect_refusal(400, code);
        assert_eq!(refused["message"], message);
    }
    let done = browser
        .post(
            "/api/clubs/reset-password-confirm",
            confirm(json!(token), "a new secret"),
        )
        .await
        .ok();
    assert_eq!(done["message"], "Password reset successful");
    signed_in
        .get("/api/admin/whoami")
        .await
        .expect_refusal(401, "unauthenticated");
    browser
        .sign_in("broncos@demo.test", PASSWORD)
        .await
        .expect_refusal(401, "invalid-credentials");
    browser
        .sign_in("broncos@demo.test", "a new secret")
        .await
        .ok();
    let again = browser
        .post(
            "/api/clubs/reset-password-confirm",
            confirm(json!(token), "another one"),
        )
        .await;
    again.expect_refusal(400, "invalid-link");
    let notice = server.next_mail("password-changed").await;
    assert_eq!(
        (notice.to.as_str(), notice.data.contains("a new secret")),
        ("broncos@demo.test", false)
    );
    assert_eq!(
        server.count_queued_mails("password-changed").await,
        1,
        "one mail for the successful reset, none for the refused ones"
    );
    server.finish().await;
}

#[actix_web::test]
async fn reset_link_expires_after_30_minutes_or_when_replaced() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let browser = server.alice();
    let ask = async || {
        browser
            .post(
                "/api/clubs/reset-password",
                json!({ "email": "operator@demo.test" }),
            )
            .await
            .ok();
        token_in_link(&server.mailed_link(&server.next_mail("reset").await))
    };
    let (old, new) = (ask().await, ask().await);
    let confirm = async |token: &str| {
        let body = json!({ "token": token, "newPassword": "a new secret" });
        browser
            .post("/api/clubs/reset-password-confirm", body)
            .await
    };
    confirm(&old).await.expect_refusal(400, "invalid-link");
    server.clock.advance_seconds(30 * 60);
    confirm(&new).await.expect_refusal(400, "invalid-link");
    let fresh = ask().await;
    server.clock.advance_seconds(30 * 60 - 60);
    confirm(&fresh).await.ok();
    assert_eq!(
        browser
            .sign_in("operator@demo.test", "a new secret")
            .await
            .ok()["isAdmin"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn password_reset_hides_accounts_and_mails_three_links_an_hour() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.alice();
    let ask = async |email: &str| {
        browser
            .post("/api/clubs/reset-password", json!({ "email": email }))
            .await
    };
    let bad = ask("broncos").await.expect_refusal(400, "invalid");
    assert_eq!(bad["message"], "Valid email address is required");
    let unknown = ask("nobody@demo.test").await;
    let (status, text) = (unknown.status, unknown.text);
    for _ in 0..5 {
        let known = ask("broncos@demo.test").await;
        assert_eq!((known.status, &known.text), (status, &text));
    }
    eventually("three links are queued", async || {
        (server.count_queued_mails("reset").await >= 3).then_some(())
    })
    .await;
    for _ in 0..3 {
        assert_eq!(server.next_mail("reset").await.to, "broncos@demo.test");
    }
    assert_eq!(server.count_queued_mails("reset").await, 3);
    server.finish().await;
}

#[actix_web::test]
async fn archived_club_can_sign_in_but_not_verify_its_email() {
    let server = TestServer::start().await;
    let broncos = server.create_unconfirmed_club("broncos").await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    server
        .records
        .archive_club(broncos.id, true)
        .await
        .expect("the club is archived");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["user"]["archived"],
        true
    );
    let again = format!("/api/clubs/{}/verification-email", broncos.id);
    browser
        .post(&again, json!({}))
        .await
        .expect_refusal(403, "club-archived");
    let fresh = server.bob();
    assert_eq!(
        fresh.sign_in("broncos@demo.test", PASSWORD).await.ok()["archived"],
        true
    );
    server
        .records
        .archive_club(broncos.id, false)
        .await
        .expect("restored");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    assert_eq!(browser.post(&again, json!({})).await.status, 202);
    server.finish().await;
}

#[actix_web::test]
async fn new_sign_in_ends_previous_session_of_browser() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let browser = server.alice();
    let cookie = |answer: &crate::support::buyer::ApiResponse| {
        answer
            .header("set-cookie")
            .and_then(|cookie| cookie.split(';').next())
            .expect("a cookie")
            .to_string()
    };
    let first = cookie(&browser.sign_in("broncos@demo.test", PASSWORD).await);
    let second = cookie(&browser.sign_in("broncos@demo.test", PASSWORD).await);
    assert_ne!(first, second);
    let with = |cookie: String| {
        server
            .bob()
            .bare_request(Method::GET, "/api/admin/whoami")
            .header("cookie", cookie)
    };
    Buyer::send_request(with(first))
        .await
        .expect_refusal(401, "unauthenticated");
    Buyer::send_request(with(second)).await.ok();
    server.finish().await;
}
