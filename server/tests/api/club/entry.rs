//! Getting in, and getting back in (club.md section 2, first screens).

use persistence::records::settings::CLUB_REGISTRATION_ENABLED;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::{PASSWORD, eventually};
use crate::support::{Buyer, TestServer, club};

fn registration(name: &str, email: &str) -> Value {
    json!({ "name": name, "email": email, "password": "sharks-forever", "location": "Redcliffe", "phone": "07 3000 1234" })
}

/// The token of a mailed link.
fn token(link: &str) -> String {
    link.rsplit_once("token=").expect("a token").1.to_string()
}

#[actix_web::test]
async fn a_club_registers_is_signed_in_and_gets_a_slug_of_its_own() {
    let server = TestServer::start().await;
    let browser = server.alice();
    assert_eq!(
        browser.get("/api/settings/club-registration").await.ok(),
        json!({ "enabled": true })
    );
    let form = registration("  St. Mary's Saints ", "Saints@Example.com");
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
            registration("St Marys Saints", "b@example.com"),
        )
        .await
        .ok();
    assert_eq!(twin["clubSlug"], "st-marys-saints-2");
    let third = server
        .bob()
        .post(
            "/api/clubs/register",
            registration("St Marys Saints", "c@example.com"),
        )
        .await
        .ok();
    assert_eq!(third["clubSlug"], "st-marys-saints-3");
    let again = registration("Other", "saints@example.COM");
    server
        .bob()
        .post("/api/clubs/register", again)
        .await
        .refused(409, "email-taken");
    server.finish().await;
}

#[actix_web::test]
async fn two_clubs_of_one_name_register_at_once_and_both_get_a_page() {
    let server = TestServer::start().await;
    let (one, other) = (server.alice(), server.bob());
    let (a, b) = futures_util::join!(
        one.post("/api/clubs/register", registration("Jets", "a@example.com")),
        other.post("/api/clubs/register", registration("Jets", "b@example.com")),
    );
    let mut slugs =
        [a.ok()["clubSlug"].clone(), b.ok()["clubSlug"].clone()].map(|slug| slug.to_string());
    slugs.sort();
    assert_eq!(slugs, ["\"jets\"", "\"jets-2\""]);
    server.finish().await;
}

#[actix_web::test]
async fn every_missing_field_of_a_registration_is_named_and_the_switch_is_obeyed() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let body = browser
        .post(
            "/api/clubs/register",
            json!({ "email": "x", "password": "1234567" }),
        )
        .await;
    let body = body.refused(400, "invalid");
    let words: Vec<_> = body["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|e| e["message"].clone())
        .collect();
    let wanted = [
        "Club name is required",
        "Valid email is required",
        "Phone is required",
        "Password must be at least 8 characters",
    ];
    assert_eq!(words, wanted);
    server
        .records
        .set_setting(CLUB_REGISTRATION_ENABLED, "false", "test")
        .await
        .expect("written");
    server.state.catalogue.reload().await.expect("read");
    assert_eq!(
        browser.get("/api/settings/club-registration").await.ok(),
        json!({ "enabled": false })
    );
    let refused = browser
        .post(
            "/api/clubs/register",
            registration("Jets", "jets@example.com"),
        )
        .await;
    refused.refused(403, "registration-off");
    server.finish().await;
}

#[actix_web::test]
async fn the_waitlist_takes_whole_entries_and_says_so_once_by_mail() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let whole = json!({ "clubName": "Jets", "contactName": "Sam", "contactEmail": "sam@example.com",
        "contactPhone": "0400 111 222" });
    for (field, typed, words) in [
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
        let mut form = whole.clone();
        form[field] = json!(typed);
        let body = browser
            .post("/api/waitlist", form)
            .await
            .refused(400, "invalid");
        assert_eq!(
            (&body["message"], &body["errors"][0]["field"]),
            (&json!(words), &json!(field))
        );
    }
    let answer = browser.post("/api/waitlist", whole.clone()).await;
    assert_eq!(answer.status, 201);
    assert_eq!(answer.json()["success"], true);
    assert_eq!(server.mail("waitlist").await.to, "sam@example.com");
    browser.post("/api/waitlist", whole).await.ok();
    assert_eq!(server.records.waitlist().await.expect("read").len(), 2);
    assert_eq!(
        server.queued("waitlist").await,
        1,
        "nobody is flooded with mails by others"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_mailed_link_confirms_the_address_once() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let user = browser
        .post(
            "/api/clubs/register",
            registration("Jets", "jets@example.com"),
        )
        .await
        .ok();
    let first = token(&server.link(&server.mail("verify").await));
    let again = format!("/api/clubs/{}/verification-email", user["id"]);
    assert_eq!(browser.post(&again, json!({})).await.status, 202);
    let second = token(&server.link(&server.mail("verify").await));
    let refused = browser
        .post("/api/clubs/verify-email", json!({ "token": first }))
        .await;
    let words = refused.refused(400, "invalid-link")["message"].clone();
    assert_eq!(words, "This link is invalid or has expired.");
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
    anyone
        .post("/api/clubs/verify-email", json!({ "token": second }))
        .await
        .refused(400, "invalid-link");
    let confirmed = browser.post(&again, json!({})).await;
    assert_eq!(
        (confirmed.status, confirmed.ok()),
        (200, json!({ "message": "This address is confirmed." }))
    );
    assert_eq!(
        server.queued("verify").await,
        2,
        "nothing more is sent there"
    );
    server.finish().await;
}

#[actix_web::test]
async fn nobody_reads_that_a_link_was_sent_when_none_was() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
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
    let words = "Too many attempts. Please wait a moment and try again.";
    assert_eq!(refused.refused(429, "too-many-requests")["message"], words);
    assert_eq!(server.queued("verify").await, 3);
    server.finish().await;
}

#[actix_web::test]
async fn a_forgotten_password_is_replaced_once_and_signs_every_browser_out() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let (signed_in, forgetful) = (club::club(&server, "broncos").await, server.bob());
    let asked = forgetful
        .post(
            "/api/clubs/reset-password",
            json!({ "email": " Broncos@demo.test " }),
        )
        .await
        .ok();
    let words = "If an account exists with this email, a reset link has been sent.";
    assert_eq!(asked, json!({ "message": words }));
    let mail = server.mail("reset").await;
    assert_eq!(mail.to, "broncos@demo.test");
    let token = token(&server.link(&mail));
    assert!(
        !mail.data.contains(&token),
        "the outbox must not hold what opens an account"
    );
    let confirm = |token: Value, password: &str| json!({ "token": token, "newPassword": password });
    for (body, code, words) in [
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
        let refused = forgetful
            .post("/api/clubs/reset-password-confirm", body)
            .await
            .refused(400, code);
        assert_eq!(refused["message"], words);
    }
    let done = forgetful
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
        .refused(401, "unauthenticated");
    forgetful
        .signs_in("broncos@demo.test", PASSWORD)
        .await
        .refused(401, "invalid-credentials");
    forgetful
        .signs_in("broncos@demo.test", "a new secret")
        .await
        .ok();
    let again = forgetful
        .post(
            "/api/clubs/reset-password-confirm",
            confirm(json!(token), "another one"),
        )
        .await;
    again.refused(400, "invalid-link");
    let told = server.mail("password-changed").await;
    assert_eq!(
        (told.to.as_str(), told.data.contains("a new secret")),
        ("broncos@demo.test", false)
    );
    assert_eq!(
        server.queued("password-changed").await,
        1,
        "once, and not for what was refused"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_reset_link_lives_for_half_an_hour_and_a_newer_one_replaces_it() {
    let server = TestServer::start().await;
    server.operator().await;
    let browser = server.alice();
    let ask = async || {
        browser
            .post(
                "/api/clubs/reset-password",
                json!({ "email": "operator@demo.test" }),
            )
            .await
            .ok();
        token(&server.link(&server.mail("reset").await))
    };
    let (old, new) = (ask().await, ask().await);
    let confirm = async |token: &str| {
        let body = json!({ "token": token, "newPassword": "a new secret" });
        browser
            .post("/api/clubs/reset-password-confirm", body)
            .await
    };
    confirm(&old).await.refused(400, "invalid-link");
    server.clock.push_seconds(30 * 60);
    confirm(&new).await.refused(400, "invalid-link");
    let fresh = ask().await;
    server.clock.push_seconds(30 * 60 - 60);
    confirm(&fresh).await.ok();
    assert_eq!(
        browser
            .signs_in("operator@demo.test", "a new secret")
            .await
            .ok()["isAdmin"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn an_unknown_address_reads_the_same_and_gets_no_mail_and_a_known_one_at_most_three_an_hour()
{
    let server = TestServer::start().await;
    server.club("broncos").await;
    let browser = server.alice();
    let ask = async |email: &str| {
        browser
            .post("/api/clubs/reset-password", json!({ "email": email }))
            .await
    };
    let bad = ask("broncos").await.refused(400, "invalid");
    assert_eq!(bad["message"], "Valid email address is required");
    let unknown = ask("nobody@demo.test").await;
    let (status, text) = (unknown.status, unknown.text);
    for _ in 0..5 {
        let known = ask("broncos@demo.test").await;
        assert_eq!((known.status, &known.text), (status, &text));
    }
    eventually("three links are queued", async || {
        (server.queued("reset").await >= 3).then_some(())
    })
    .await;
    for _ in 0..3 {
        assert_eq!(server.mail("reset").await.to, "broncos@demo.test");
    }
    assert_eq!(server.queued("reset").await, 3);
    server.finish().await;
}

#[actix_web::test]
async fn an_archived_club_looks_on_and_starts_nothing() {
    let server = TestServer::start().await;
    let broncos = server.club("broncos").await;
    let browser = club::club(&server, "broncos").await;
    server
        .records
        .archive_club(broncos.id, true)
        .await
        .expect("archived");
    server.state.catalogue.reload().await.expect("read");
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["user"]["archived"],
        true
    );
    let again = format!("/api/clubs/{}/verification-email", broncos.id);
    browser
        .post(&again, json!({}))
        .await
        .refused(403, "club-archived");
    let fresh = server.bob();
    assert_eq!(
        fresh.signs_in("broncos@demo.test", PASSWORD).await.ok()["archived"],
        true
    );
    server
        .records
        .archive_club(broncos.id, false)
        .await
        .expect("restored");
    server.state.catalogue.reload().await.expect("read");
    assert_eq!(browser.post(&again, json!({})).await.status, 202);
    server.finish().await;
}

#[actix_web::test]
async fn a_new_sign_in_ends_the_session_the_browser_came_with() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let browser = server.alice();
    let cookie = |answer: &crate::support::buyer::Answer| {
        answer
            .header("set-cookie")
            .and_then(|cookie| cookie.split(';').next())
            .expect("a cookie")
            .to_string()
    };
    let first = cookie(&browser.signs_in("broncos@demo.test", PASSWORD).await);
    let second = cookie(&browser.signs_in("broncos@demo.test", PASSWORD).await);
    assert_ne!(first, second);
    let with = |cookie: String| {
        server
            .bob()
            .raw(Method::GET, "/api/admin/whoami")
            .header("cookie", cookie)
    };
    Buyer::sent(with(first))
        .await
        .refused(401, "unauthenticated");
    Buyer::sent(with(second)).await.ok();
    server.finish().await;
}
