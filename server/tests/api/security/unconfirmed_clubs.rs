//! A club whose e-mail address is not confirmed cannot send its own texts by mail. It also cannot
//! reserve names or e-mail addresses for long.

use reqwest::Method;
use serde_json::{Value, json};
use server::services::limits::accounts::REVEALED_ACCOUNTS_PER_HOUR_MAX;

use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const DAY_SECONDS: i64 = 86_400;
const WEEK_SECONDS: i64 = 7 * DAY_SECONDS;

async fn register(browser: &Buyer, name: &str, email: &str) -> Value {
    let form =
        json!({ "name": name, "email": email, "password": PASSWORD, "phone": "0400 111 333" });
    browser.post("/api/clubs/register", form).await.ok()
}

#[actix_web::test]
async fn unconfirmed_club_sends_no_invitation_or_custom_text() {
    let server = TestServer::start().await;
    let browser = server.alice();
    let user = register(&browser, "Win at evil", "stranger@club.test").await;
    for number in 0..28 {
        let body = json!({ "email": format!("s{number}@x.test"), "name": "Win at evil", "role": "seller" });
        let path = format!("/api/clubs/{}/users", user["id"]);
        browser
            .post(&path, body)
            .await
            .expect_refusal(403, "email-unconfirmed");
    }
    let waiting = json!({
        "clubName": "Win at evil", "contactName": "Win at evil", "contactEmail": "w@x.test", "contactPhone": "0400 111 333",
    });
    browser.post("/api/waitlist", waiting).await.ok();
    // Mails to the unconfirmed address itself contain no text of the club either.
    browser
        .post(
            "/api/clubs/reset-password",
            json!({ "email": "stranger@club.test" }),
        )
        .await
        .ok();
    server.next_mail("reset").await;
    server.clock.advance_seconds(DAY_SECONDS + 60);
    server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
    server.next_mail("connect-incomplete").await;
    let mails = "select coalesce(string_agg(m::text, ' '), '') from email_outbox m where $1 = ''";
    let mails = server.database.query_text(mails, "").await;
    assert!(
        mails.contains("stranger@club.test") && mails.contains("w@x.test"),
        "{mails}"
    );
    assert!(
        !mails.contains("Win at evil") && !mails.contains("s0@x.test"),
        "{mails}"
    );
    server
        .database
        .execute_sql("update clubs set email_verified_at = now()")
        .await;
    // The previous session has ended, because sessions last one day.
    browser.sign_in("stranger@club.test", PASSWORD).await.ok();
    let body = json!({ "email": "s0@x.test", "name": "Sam", "role": "seller" });
    browser
        .post(&format!("/api/clubs/{}/users", user["id"]), body)
        .await
        .ok();
    server.finish().await;
}

#[actix_web::test]
async fn unconfirmed_email_can_register_again_with_same_answer() {
    let server = TestServer::start().await;
    let first = register(&server.alice(), "First", "own@club.test").await;
    let second = register(&server.bob(), "Second", "Own@club.test").await;
    let fields = |answer: &Value| {
        answer
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(fields(&first), fields(&second));
    let clubs = "select string_agg(name, ',') from clubs where lower(email) = $1";
    assert_eq!(
        server.database.query_text(clubs, "own@club.test").await,
        "Second"
    );
    server.finish().await;
}

#[actix_web::test]
async fn unconfirmed_club_is_removed_after_a_week_unless_it_has_draws() {
    let server = TestServer::start().await;
    let idle = register(&server.alice(), "Idle", "idle@club.test").await;
    let busy = register(&server.bob(), "Busy", "busy@club.test").await;
    server
        .create_draw(domain::ClubId(
            busy["id"].as_i64().expect("the id is a number"),
        ))
        .await;
    let names = "select string_agg(name, ',' order by name) from clubs where $1 = ''";
    server.clock.advance_seconds(WEEK_SECONDS - 60);
    server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
    assert_eq!(
        server.database.query_text(names, "").await,
        "Busy,Idle",
        "{idle}"
    );
    server.clock.advance_seconds(120);
    server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
    assert_eq!(server.database.query_text(names, "").await, "Busy");
    let again = register(&server.alice(), "Idle", "idle@club.test").await;
    assert_eq!(
        again["clubSlug"], idle["clubSlug"],
        "the slug can be registered again"
    );
    server.finish().await;
}

/// A registration signs in at once (decision G-18). A refusal therefore reveals that the e-mail
/// address has an account. Such refusals are limited, and the holder of the account is mailed.
#[actix_web::test]
async fn registration_with_known_email_is_limited_and_holder_is_mailed() {
    let server = TestServer::start().await;
    for number in 0..=REVEALED_ACCOUNTS_PER_HOUR_MAX {
        server.create_club(&format!("club{number}")).await;
    }
    let register = async |network: &str, email: &str| {
        let request = server
            .bob()
            .bare_request(Method::POST, "/api/clubs/register")
            .header("origin", &server.url);
        let form = json!({ "name": "Win at evil", "email": email, "password": PASSWORD, "phone": "0400 111 333" });
        Buyer::send_request(request.header("x-forwarded-for", network).json(&form)).await
    };
    for number in 0..REVEALED_ACCOUNTS_PER_HOUR_MAX {
        register("203.0.113.9", &format!("Club{number}@demo.test"))
            .await
            .expect_refusal(409, "email-taken");
    }
    // Beyond the limit, known and new addresses get the same response, so it reveals nothing.
    for email in [
        format!("club{REVEALED_ACCOUNTS_PER_HOUR_MAX}@demo.test"),
        "new@club.test".to_string(),
    ] {
        register("203.0.113.9", &email)
            .await
            .expect_refusal(429, "too-many-requests");
    }
    for turn in 0..2 * REVEALED_ACCOUNTS_PER_HOUR_MAX {
        register("203.0.113.10", &format!("new{turn}@club.test"))
            .await
            .ok();
    }
    let notice = server.next_mail("registration-refused").await;
    assert_eq!(
        (notice.to.as_str(), notice.data.as_str()),
        ("club0@demo.test", "{}")
    );
    register("203.0.113.10", "club0@demo.test")
        .await
        .expect_refusal(409, "email-taken");
    assert_eq!(
        server.count_queued_mails("registration-refused").await,
        i64::from(REVEALED_ACCOUNTS_PER_HOUR_MAX),
        "once a day"
    );
    server.finish().await;
}

#[actix_web::test]
async fn invitations_of_emails_in_use_are_limited() {
    let server = TestServer::start().await;
    let broncos = server.create_club("broncos").await;
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let people = format!("/api/clubs/{}/users", broncos.id);
    for number in 0..=REVEALED_ACCOUNTS_PER_HOUR_MAX {
        server.create_club(&format!("club{number}")).await;
    }
    let invite = async |email: &str| {
        owner
            .post(
                &people,
                json!({ "email": email, "name": "Sam", "role": "viewer" }),
            )
            .await
    };
    invite("sam@club.test").await.ok();
    for number in 0..REVEALED_ACCOUNTS_PER_HOUR_MAX {
        invite(&format!("club{number}@demo.test"))
            .await
            .expect_refusal(409, "email-in-use");
    }
    for email in [
        format!("club{REVEALED_ACCOUNTS_PER_HOUR_MAX}@demo.test"),
        "ann@club.test".to_string(),
    ] {
        invite(&email)
            .await
            .expect_refusal(429, "too-many-requests");
    }
    server.finish().await;
}
