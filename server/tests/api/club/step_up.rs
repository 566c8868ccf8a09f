//! Calls that need a recent password. The winner is mailed when bank details change. To change
//! details that the winner submitted, two people are needed.

use domain::DrawId;
use domain::access::{Audience, Role};
use reqwest::Method;
use serde_json::{Value, json};
use server::http::routes::{ROUTES, Verb};

use super::winners::{
    bank_details, claim_token_from_next_mail, create_draw_won_by_alice, put_bank_details,
};
use crate::access::http_method_of;
use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const STALE_SESSION_SECONDS: i64 = 601;

fn bank_details_of_mallory() -> Value {
    json!({ "accountName": "Mallory Example", "accountNumber": "87654321", "bsb": "484-799" })
}

/// Submits bank details through the link in the winner's mail.
async fn submit_bank_details_through_claim_link(
    server: &TestServer,
    draw: DrawId,
    browser: &Buyer,
) {
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let mut body = bank_details();
    body["token"] = json!(claim_token_from_next_mail(server).await);
    server.bob().post("/api/claims", body).await.ok();
    assert_eq!(
        server.next_mail("winner-bank").await.to,
        "alice@example.com"
    );
}

async fn fetch_winner_bank_details(browser: &Buyer, draw: DrawId) -> Value {
    browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .ok()["winningTickets"][0]["bank"]
        .clone()
}

async fn count_audit_entries(server: &TestServer, action: &str) -> i64 {
    server
        .database
        .query_number("select count(*) from audit_log where action = $1", action)
        .await
}

#[actix_web::test]
async fn stale_session_changes_nothing_until_password_is_confirmed() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let users = format!("/api/clubs/{}/users", server.club_id("broncos"));
    let member = club::sign_in_as_member(&server, server.club_id("broncos"), Role::Seller).await;
    let id = browser.get(&users).await.ok()[1]["id"].clone();
    let payout = browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    server.clock.advance_seconds(STALE_SESSION_SECONDS);
    let path = |end: &str| format!("/api/draws/{draw}/{end}");
    let calls = [
        (Method::PUT, path("winner-bank"), bank_details()),
        (
            Method::POST,
            path("winner-bank/reveal"),
            json!({ "password": PASSWORD }),
        ),
        (Method::POST, path("payouts"), json!({ "type": "winner" })),
        (
            Method::PATCH,
            format!("/api/payouts/{}", payout["id"]),
            json!({ "status": "completed" }),
        ),
        (
            Method::POST,
            users.clone(),
            json!({ "email": "ann@example.com", "name": "Ann", "role": "owner" }),
        ),
        (
            Method::PATCH,
            format!("{users}/{id}"),
            json!({ "role": "owner" }),
        ),
        (Method::DELETE, format!("{users}/{id}"), json!({})),
    ];
    for (method, path, body) in &calls {
        let refused = browser
            .call(method.clone(), path, Some(body))
            .await
            .expect_refusal(403, "reauthentication-required");
        assert_eq!(
            refused["message"], "Confirm that it is you: enter your password.",
            "{path}"
        );
    }
    club::enter_result(&member, draw, 1, 2)
        .await
        .expect_refusal(403, "reauthentication-required");
    assert_eq!(fetch_winner_bank_details(&browser, draw).await, json!(null));
    assert_eq!(browser.get(&users).await.ok()[1]["role"], "seller");
    club::reauthenticate(&browser).await;
    assert!(browser.get("/api/admin/whoami").await.ok()["reauthenticatedUntil"].is_string());
    for (method, path, body) in &calls {
        let answer = browser.call(method.clone(), path, Some(body)).await;
        assert!(
            (200..300).contains(&answer.status),
            "{path}: {}",
            answer.text
        );
    }
    server.clock.advance_seconds(STALE_SESSION_SECONDS);
    put_bank_details(&browser, draw, bank_details_of_mallory())
        .await
        .expect_refusal(403, "reauthentication-required");
    server.finish().await;
}

#[actix_web::test]
async fn wrong_reauthentication_password_is_limited_and_audited() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let operator = club::sign_in_as_operator(&server).await;
    server.clock.advance_seconds(STALE_SESSION_SECONDS);
    let confirm_password = async |who: &Buyer, password: &str| {
        who.post("/api/auth/reauthenticate", json!({ "password": password }))
            .await
    };
    confirm_password(&server.bob(), PASSWORD)
        .await
        .expect_refusal(401, "unauthenticated");
    confirm_password(&operator, PASSWORD)
        .await
        .expect_refusal(403, "forbidden");
    put_bank_details(&operator, draw, bank_details())
        .await
        .expect_refusal(403, "reauthentication-required");
    for _ in 0..5 {
        assert_eq!(
            confirm_password(&browser, "wrong")
                .await
                .expect_refusal(400, "wrong-password")["message"],
            "Invalid credentials"
        );
    }
    confirm_password(&browser, PASSWORD)
        .await
        .expect_refusal(429, "too-many-requests");
    put_bank_details(&browser, draw, bank_details())
        .await
        .expect_refusal(403, "reauthentication-required");
    assert_eq!(
        count_audit_entries(&server, "reauthenticate").await,
        5,
        "a call over the limit writes nothing"
    );
    server.finish().await;
}

#[actix_web::test]
async fn winner_is_mailed_every_bank_change_and_audit_log_is_masked() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    put_bank_details(&browser, draw, bank_details()).await.ok();
    put_bank_details(&browser, draw, bank_details()).await.ok();
    put_bank_details(&browser, draw, bank_details_of_mallory())
        .await
        .ok();
    for account in ["••••678", "••••321"] {
        let mail = server.next_mail("winner-bank").await;
        assert_eq!(mail.to, "alice@example.com");
        let data: Value = serde_json::from_str(&mail.data).expect("valid JSON");
        assert_eq!(
            data,
            json!({ "draw": draw.0, "account": account, "by": "club" })
        );
    }
    assert_eq!(
        server.count_queued_mails("winner-bank").await,
        2,
        "the same details again are no change"
    );
    let masked = "select count(*) from audit_log where action = 'enter-winner-bank' and object = $1
        and detail->'before'->>'accountNumber' = '••••678' and detail->'after'->>'accountNumber' = '••••321'";
    assert_eq!(
        server
            .database
            .query_number(masked, &format!("draw:{draw}"))
            .await,
        1
    );
    let everything = server.database.all_rows_as_text().await;
    for secret in ["12345678", "87654321", "Mallory"] {
        assert!(
            !everything.contains(secret),
            "{secret} is stored in plain text"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn winners_own_bank_details_are_replaced_only_by_two_people() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    submit_bank_details_through_claim_link(&server, draw, &browser).await;
    let second = club::sign_in_as_member(&server, server.club_id("broncos"), Role::Owner).await;
    for _ in 0..2 {
        let pending = put_bank_details(&browser, draw, bank_details_of_mallory()).await;
        assert_eq!(pending.status, 202, "{}", pending.text);
        let pending = pending.json();
        assert_eq!(
            (&pending["accountNumber"], &pending["from"]),
            (&json!("••••678"), &json!("winner"))
        );
        assert_eq!(pending["pendingApproval"]["accountNumber"], "••••321");
        assert_eq!(pending["pendingApproval"]["isOwn"], true);
    }
    assert_eq!(
        server.next_mail("winner-bank-proposed").await.to,
        "alice@example.com"
    );
    assert_eq!(
        count_audit_entries(&server, "propose-winner-bank").await,
        1,
        "the same member cannot approve the own proposal"
    );
    assert_eq!(
        fetch_winner_bank_details(&second, draw).await["pendingApproval"]["isOwn"],
        false
    );
    let mut different = bank_details_of_mallory();
    different["bsb"] = json!("484-798");
    assert_eq!(
        put_bank_details(&second, draw, different).await.status,
        202,
        "other details are a new proposal"
    );
    assert_eq!(
        put_bank_details(&browser, draw, bank_details_of_mallory())
            .await
            .status,
        202
    );
    let changed = put_bank_details(&second, draw, bank_details_of_mallory()).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json();
    assert_eq!(
        (&changed["accountNumber"], &changed["pendingApproval"]),
        (&json!("••••321"), &json!(null))
    );
    assert_eq!(
        server.next_mail("winner-bank").await.to,
        "alice@example.com"
    );
    assert_eq!(count_audit_entries(&server, "approve-winner-bank").await, 1);
    assert_eq!(
        put_bank_details(&second, draw, bank_details()).await.status,
        202,
        "one person cannot change them again either"
    );
    server.finish().await;
}

#[actix_web::test]
async fn declined_proposal_keeps_winners_own_bank_details() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    submit_bank_details_through_claim_link(&server, draw, &browser).await;
    let second = club::sign_in_as_member(&server, server.club_id("broncos"), Role::Owner).await;
    let path = format!("/api/draws/{draw}/winner-bank/proposal");
    assert_eq!(
        second.call(Method::DELETE, &path, None).await.status,
        204,
        "declining without a proposal is accepted"
    );
    assert_eq!(
        put_bank_details(&browser, draw, bank_details_of_mallory())
            .await
            .status,
        202
    );
    for _ in 0..2 {
        assert_eq!(second.call(Method::DELETE, &path, None).await.status, 204);
        let bank_details = fetch_winner_bank_details(&browser, draw).await;
        assert_eq!(
            (
                &bank_details["accountNumber"],
                &bank_details["pendingApproval"]
            ),
            (&json!("••••678"), &json!(null))
        );
    }
    assert_eq!(count_audit_entries(&server, "decline-winner-bank").await, 1);
    assert_eq!(
        put_bank_details(&second, draw, bank_details_of_mallory())
            .await
            .status,
        202,
        "a declined proposal cannot be approved"
    );
    server.finish().await;
}

/// Path parts that select the routes of the test below: calls about prizes, winners, refunds, roles
/// and settings.
const PRIZE_AND_ROLE_PATHS: [&str; 14] = [
    "/results",
    "/undo-results",
    "/winner-bank",
    "/payout",
    "/users",
    "/stripe-connect",
    "/refund",
    "/cancel",
    "/resolve",
    "/recover",
    "/maintenance-mode",
    "/system-settings",
    "/admin/orders",
    "/admin/tickets",
];

#[actix_web::test]
async fn every_prize_and_role_route_refuses_stale_session() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let operator = club::sign_in_as_operator(&server).await;
    server.clock.advance_seconds(STALE_SESSION_SECONDS);
    let id = server.club_id("broncos").to_string();
    let (mut unguarded, mut stale) = (Vec::new(), 0);
    for route in ROUTES.iter().filter(|route| route.method != Verb::Get) {
        let is_sensitive = PRIZE_AND_ROLE_PATHS
            .iter()
            .any(|part| route.path.contains(part));
        if !route.audience.needs_recent_authentication() {
            unguarded.extend(is_sensitive.then_some((route.method, route.path)));
            continue;
        }
        let path = route
            .path
            .replace("{draw}", &draw.to_string())
            .replace("{club}", &id);
        let path: Vec<&str> = path
            .split('/')
            .map(|part| if part.starts_with('{') { "1" } else { part })
            .collect();
        let callers = if route.audience == Audience::ProvenOperator {
            &[&operator][..]
        } else {
            &[&browser, &operator]
        };
        for caller in callers {
            let answer = caller
                .call(http_method_of(route), &path.join("/"), Some(&json!({})))
                .await;
            answer.expect_refusal(403, "reauthentication-required");
            stale += 1;
        }
    }
    assert!(unguarded.is_empty(), "without a fresh proof: {unguarded:?}");
    assert!(stale >= 25, "{stale} calls were made");
    server.finish().await;
}

#[actix_web::test]
async fn proposed_bank_details_expire_after_seven_days() {
    let server = TestServer::start().await;
    server.create_operator().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    submit_bank_details_through_claim_link(&server, draw, &browser).await;
    assert_eq!(
        put_bank_details(&browser, draw, bank_details_of_mallory())
            .await
            .status,
        202
    );
    server.clock.advance_seconds(7 * 86_400);
    let operator = club::sign_in_as_operator(&server).await;
    assert_eq!(
        fetch_winner_bank_details(&operator, draw).await["pendingApproval"],
        json!(null)
    );
    assert_eq!(
        put_bank_details(&operator, draw, bank_details_of_mallory())
            .await
            .status,
        202,
        "an expired proposal cannot be approved"
    );
    let browser = club::sign_in_as_club(&server, "broncos").await;
    assert_eq!(
        put_bank_details(&browser, draw, bank_details_of_mallory())
            .await
            .status,
        200,
        "the operator and the club are two people"
    );
    server.finish().await;
}
