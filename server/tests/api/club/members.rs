//! A club's members: invitation, roles and removal (decision G-17).

use domain::access::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const NEW_PASSWORD: &str = "choose wisely 8";

/// Signs in with the club's own login. Returns the browser and the path of the club's members.
async fn owner_browser_and_members_path(server: &TestServer) -> (Buyer, String) {
    let club = server.create_club("broncos").await;
    // Only a club with a confirmed e-mail address can invite members.
    server
        .database
        .execute_sql("update clubs set email_verified_at = now()")
        .await;
    (
        club::sign_in_as_club(server, "broncos").await,
        format!("/api/clubs/{}/users", club.id),
    )
}

fn invitation_for_ann(role: &str) -> Value {
    json!({ "email": "Ann@example.com", "name": " Ann Lee ", "role": role })
}

fn token_in_link(link: &str) -> String {
    link.split_once("token=").expect("a secret").1.to_string()
}

async fn choose_password(server: &TestServer, token: &str) -> u16 {
    let body = json!({ "token": token, "newPassword": NEW_PASSWORD });
    server
        .bob()
        .post("/api/clubs/reset-password-confirm", body)
        .await
        .status
}

/// Invites Ann and accepts the invitation in a new browser. Returns her id and her browser.
async fn invite_and_join(
    server: &TestServer,
    owner: &Buyer,
    members: &str,
    role: &str,
) -> (i64, Buyer) {
    let id = owner.post(members, invitation_for_ann(role)).await.ok()["id"]
        .as_i64()
        .expect("the id is a number");
    let link = server.mailed_link(&server.next_mail("invitation").await);
    assert_eq!(choose_password(server, &token_in_link(&link)).await, 200);
    let browser = server.alice();
    browser.sign_in("ann@example.com", NEW_PASSWORD).await.ok();
    (id, browser)
}

#[actix_web::test]
async fn invited_member_sets_password_and_acts_for_club() {
    let server = TestServer::start().await;
    let (owner, members) = owner_browser_and_members_path(&server).await;
    let invited = owner
        .post(&members, invitation_for_ann("seller"))
        .await
        .ok();
    assert_eq!(
        (
            &invited["name"],
            &invited["email"],
            &invited["role"],
            &invited["state"],
            &invited["isClubLogin"]
        ),
        (
            &json!("Ann Lee"),
            &json!("Ann@example.com"),
            &json!("seller"),
            &json!("invited"),
            &json!(false)
        )
    );
    let mail = server.next_mail("invitation").await;
    assert_eq!(mail.to, "Ann@example.com");
    let link = server.mailed_link(&mail);
    assert!(link.contains("/reset-password?invited=1&token="), "{link}");
    let first = token_in_link(&link);
    assert!(
        !mail.data.contains(&first),
        "the outbox must not hold the token in clear text"
    );
    server
        .bob()
        .sign_in("ann@example.com", NEW_PASSWORD)
        .await
        .expect_refusal(401, "invalid-credentials");
    let again = owner
        .post(&members, invitation_for_ann("viewer"))
        .await
        .ok();
    assert_eq!(
        (&again["id"], &again["role"]),
        (&invited["id"], &json!("viewer")),
        "the invitation is the same member with the new role"
    );
    let second = token_in_link(&server.mailed_link(&server.next_mail("invitation").await));
    assert_eq!(
        choose_password(&server, &first).await,
        400,
        "the older link opens nothing"
    );
    server.clock.advance_seconds(72 * 3600 - 60);
    assert_eq!(
        choose_password(&server, &second).await,
        200,
        "the link is valid for nearly three days"
    );
    assert_eq!(
        choose_password(&server, &second).await,
        400,
        "a reset link works once"
    );
    let browser = server.alice();
    let user = browser
        .sign_in(" ann@Example.com ", NEW_PASSWORD)
        .await
        .ok();
    let club = fetch_club_login_user(&server, "broncos").await;
    assert_eq!(
        (
            &user["id"],
            &user["name"],
            &user["isAdmin"],
            &user["clubSlug"],
            &user["role"],
            &user["memberName"]
        ),
        (
            &club["id"],
            &club["name"],
            &json!(false),
            &json!("broncos"),
            &json!("viewer"),
            &json!("Ann Lee")
        ),
        "the member's login answers with the club's id and name"
    );
    assert_eq!(user["memberEmail"], "Ann@example.com");
    let whoami = browser.get("/api/admin/whoami").await.ok();
    assert_eq!(
        (&whoami["role"], &whoami["user"]["role"]),
        (&json!("club-admin"), &json!("viewer"))
    );
    server.finish().await;
}

async fn fetch_club_login_user(server: &TestServer, slug: &str) -> Value {
    let user = club::sign_in_as_club(server, slug)
        .await
        .get("/api/admin/whoami")
        .await
        .ok()["user"]
        .clone();
    assert_eq!(
        (&user["role"], &user["memberName"], &user["memberEmail"]),
        (&json!("owner"), &json!(null), &json!(null))
    );
    user
}

#[actix_web::test]
async fn invitation_expires_after_three_days_and_can_be_resent() {
    let server = TestServer::start().await;
    let (owner, members) = owner_browser_and_members_path(&server).await;
    owner
        .post(&members, invitation_for_ann("seller"))
        .await
        .ok();
    let late = token_in_link(&server.mailed_link(&server.next_mail("invitation").await));
    server.clock.advance_seconds(72 * 3600);
    assert_eq!(choose_password(&server, &late).await, 400);
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let rows = owner.get(&members).await.ok();
    let states: Vec<_> = rows
        .as_array()
        .expect("a JSON list")
        .iter()
        .map(|row| (&row["id"], &row["state"]))
        .collect();
    assert_eq!(
        states,
        [
            (&json!(0), &json!("active")),
            (&rows[1]["id"], &json!("expired"))
        ],
        "the club's own login is listed first"
    );
    assert_eq!(
        (&rows[0]["isClubLogin"], &rows[0]["email"]),
        (&json!(true), &json!("broncos@demo.test"))
    );
    owner
        .post(&members, invitation_for_ann("seller"))
        .await
        .ok();
    assert_eq!(
        choose_password(
            &server,
            &token_in_link(&server.mailed_link(&server.next_mail("invitation").await))
        )
        .await,
        200
    );
    let joined = owner
        .post(&members, invitation_for_ann("viewer"))
        .await
        .ok();
    assert_eq!(
        (&joined["state"], &joined["role"]),
        (&json!("active"), &json!("seller")),
        "a repeated invitation does not change a member's role"
    );
    assert_eq!(server.count_queued_mails("invitation").await, 2);
    server.finish().await;
}

#[actix_web::test]
async fn call_beyond_role_gets_403_and_other_club_gets_404() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let club = server.club_id("broncos");
    server.create_club("storm").await;
    let seller = club::sign_in_as_member(&server, club, Role::Seller).await;
    let viewer = club::sign_in_as_member(&server, club, Role::Viewer).await;
    let other = club::sign_in_as_member(&server, server.club_id("storm"), Role::Owner).await;
    let results = format!("/api/draws/{draw}/results");
    let refused = viewer
        .post(&results, json!({}))
        .await
        .expect_refusal(403, "role-not-allowed");
    assert_eq!(
        (&refused["role"], &refused["needs"]),
        (&json!("viewer"), &json!("seller"))
    );
    let bank = format!("/api/draws/{draw}/winner-bank");
    let refused = seller
        .call(Method::PUT, &bank, Some(&json!({})))
        .await
        .expect_refusal(403, "role-not-allowed");
    assert_eq!(refused["message"], "Only an owner of the club can do this.");
    other
        .get(&format!("/api/clubs/{club}/users"))
        .await
        .expect_refusal(404, "not-found");
    other
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .expect_refusal(404, "draw-not-found");
    seller
        .get(&format!("/api/clubs/{club}/users"))
        .await
        .expect_refusal(403, "role-not-allowed");
    server.finish().await;
}

#[actix_web::test]
async fn viewer_sees_no_buyer_and_only_owner_sees_bank_details() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let club = server.club_id("broncos");
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let seller = club::sign_in_as_member(&server, club, Role::Seller).await;
    let viewer = club::sign_in_as_member(&server, club, Role::Viewer).await;
    let bought = server.alice().buy(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    server.start_game(draw).await;
    club::enter_result(&seller, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let bank =
        json!({ "accountName": "Alice Winner", "accountNumber": "12345678", "bsb": "123-456" });
    owner
        .call(
            Method::PUT,
            &format!("/api/draws/{draw}/winner-bank"),
            Some(&bank),
        )
        .await
        .ok();
    owner
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    let pages = [
        format!("/api/draws/{draw}/tickets"),
        format!("/api/draws/{draw}/winners"),
        format!("/api/draws/{draw}/payouts"),
        "/api/stripe-debug".to_string(),
        "/api/admin/payment-integrity-audit".to_string(),
        format!("/api/draws/{draw}/financials"),
        format!("/api/clubs/{club}/stats"),
        format!("/api/draws/{draw}"),
        "/api/stripe-debug/sums".to_string(),
    ];
    for page in &pages {
        let response = viewer.get(page).await;
        assert_eq!(response.status, 200, "{page}");
        for buyer in [
            "Alice",
            "alice@example.com",
            "0411 000 001",
            "12345678",
            "••••",
        ] {
            assert!(
                !response.text.contains(buyer),
                "{page} tells a viewer {buyer}: {}",
                response.text
            );
        }
    }
    assert_eq!(viewer.get(&pages[5]).await.ok()["soldTickets"], 1);
    let winners = |response: Value| response["winningTickets"][0].clone();
    let (for_seller, for_owner) = (
        winners(seller.get(&pages[1]).await.ok()),
        winners(owner.get(&pages[1]).await.ok()),
    );
    assert_eq!(
        (&for_seller["buyerName"], &for_seller["bank"]),
        (&json!("Alice"), &json!(null))
    );
    assert_eq!(
        (&for_owner["buyerName"], for_owner["bank"].is_object()),
        (&json!("Alice"), true)
    );
    assert!(
        seller
            .get(&pages[0])
            .await
            .text
            .contains("alice@example.com"),
        "a seller sees the buyers"
    );
    server.finish().await;
}

#[actix_web::test]
async fn role_change_and_removal_end_member_sessions() {
    let server = TestServer::start().await;
    let (owner, members) = owner_browser_and_members_path(&server).await;
    let (id, browser) = invite_and_join(&server, &owner, &members, "seller").await;
    let path = format!("{members}/{id}");
    let patch = async |body: Value| owner.call(Method::PATCH, &path, Some(&body)).await;
    assert_eq!(
        patch(json!({ "name": "Ann Chen" })).await.ok()["name"],
        "Ann Chen"
    );
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["user"]["memberName"],
        "Ann Chen",
        "a changed name does not end the session"
    );
    assert_eq!(
        patch(json!({ "role": "viewer" })).await.ok()["role"],
        "viewer"
    );
    browser
        .get("/api/admin/whoami")
        .await
        .expect_refusal(401, "unauthenticated");
    let user = browser.sign_in("ann@example.com", NEW_PASSWORD).await.ok();
    assert_eq!(user["role"], "viewer");
    patch(json!({ "role": "boss" }))
        .await
        .expect_refusal(400, "invalid");
    // A password reset that was requested before the removal does not make Ann a member again.
    server
        .bob()
        .post(
            "/api/clubs/reset-password",
            json!({ "email": "ann@example.com" }),
        )
        .await
        .ok();
    let link = token_in_link(&server.mailed_link(&server.next_mail("reset").await));
    assert_eq!(owner.call(Method::DELETE, &path, None).await.status, 204);
    browser
        .get("/api/admin/whoami")
        .await
        .expect_refusal(401, "unauthenticated");
    browser
        .sign_in("ann@example.com", NEW_PASSWORD)
        .await
        .expect_refusal(401, "invalid-credentials");
    assert_eq!(choose_password(&server, &link).await, 400);
    owner
        .call(Method::DELETE, &path, None)
        .await
        .expect_refusal(404, "not-found");
    patch(json!({ "role": "owner" }))
        .await
        .expect_refusal(404, "not-found");
    assert_eq!(
        owner.get(&members).await.ok().as_array().map(Vec::len),
        Some(1)
    );
    let back = owner
        .post(&members, invitation_for_ann("viewer"))
        .await
        .ok();
    assert_ne!(
        back["id"],
        json!(id),
        "a new invitation creates a new member id"
    );
    server.finish().await;
}

#[actix_web::test]
async fn club_login_and_own_account_cannot_be_removed() {
    let server = TestServer::start().await;
    let (owner, members) = owner_browser_and_members_path(&server).await;
    let (id, second) = invite_and_join(&server, &owner, &members, "owner").await;
    for browser in [&owner, &second] {
        browser
            .call(Method::DELETE, &format!("{members}/0"), None)
            .await
            .expect_refusal(409, "club-login");
        let body = json!({ "role": "viewer" });
        browser
            .call(Method::PATCH, &format!("{members}/0"), Some(&body))
            .await
            .expect_refusal(409, "club-login");
    }
    let own = format!("{members}/{id}");
    second
        .call(Method::DELETE, &own, None)
        .await
        .expect_refusal(409, "own-account");
    second
        .call(Method::PATCH, &own, Some(&json!({ "role": "viewer" })))
        .await
        .expect_refusal(409, "own-account");
    let renamed = second
        .call(
            Method::PATCH,
            &own,
            Some(&json!({ "role": "owner", "name": "Ann" })),
        )
        .await
        .ok();
    assert_eq!(renamed["name"], "Ann", "a member may change the own name");
    assert_eq!(owner.call(Method::DELETE, &own, None).await.status, 204);
    server.finish().await;
}

#[actix_web::test]
async fn email_in_use_elsewhere_is_refused_without_saying_where() {
    let server = TestServer::start().await;
    let (owner, members) = owner_browser_and_members_path(&server).await;
    let storm = server.create_club("storm").await;
    server.create_operator().await;
    club::sign_in_as_member(&server, storm.id, Role::Viewer).await;
    let mut messages = Vec::new();
    for email in [
        "storm@demo.test",
        "Viewer.Storm@demo.test",
        "operator@demo.test",
        "broncos@demo.test",
    ] {
        let body = json!({ "email": email, "name": "Sam", "role": "viewer" });
        messages.push(
            owner
                .post(&members, body)
                .await
                .expect_refusal(409, "email-in-use")["message"]
                .clone(),
        );
    }
    assert!(
        messages.iter().all(|message| *message == messages[0]),
        "{messages:?}"
    );
    owner
        .post(&members, invitation_for_ann("viewer"))
        .await
        .ok();
    let form = json!({ "name": "Jets", "email": "ANN@example.com", "password": "jets forever", "phone": "0400 111 222" });
    server
        .bob()
        .post("/api/clubs/register", form)
        .await
        .expect_refusal(409, "email-taken");
    for (body, field) in [
        (
            json!({ "email": "x", "name": "Sam", "role": "viewer" }),
            "email",
        ),
        (
            json!({ "email": "sam@example.com", "name": " ", "role": "viewer" }),
            "name",
        ),
        (
            json!({ "email": "sam@example.com", "name": "Sam", "role": "operator" }),
            "role",
        ),
    ] {
        assert_eq!(
            owner
                .post(&members, body)
                .await
                .expect_refusal(400, "invalid")["errors"][0]["field"],
            field
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn member_password_reset_is_limited_like_any_account() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let member = club::sign_in_as_member(&server, club.id, Role::Seller).await;
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let ask = async |email: &str| {
        server
            .bob()
            .post("/api/clubs/reset-password", json!({ "email": email }))
            .await
    };
    let (known, unknown) = (
        ask("Seller.Broncos@demo.test").await.text,
        ask("nobody@demo.test").await.text,
    );
    assert_eq!(known, unknown);
    let mail = server.next_mail("reset").await;
    assert_eq!(mail.to, "seller.broncos@demo.test");
    server.clock.advance_seconds(30 * 60);
    assert_eq!(
        choose_password(&server, &token_in_link(&server.mailed_link(&mail))).await,
        400,
        "a member's reset link expires after 30 minutes"
    );
    ask("seller.broncos@demo.test").await.ok();
    assert_eq!(
        choose_password(
            &server,
            &token_in_link(&server.mailed_link(&server.next_mail("reset").await))
        )
        .await,
        200
    );
    member
        .get("/api/admin/whoami")
        .await
        .expect_refusal(401, "unauthenticated");
    assert_eq!(
        owner.get("/api/admin/whoami").await.status,
        200,
        "the owner's session stays valid"
    );
    // A reset of the club's own password leaves the sessions of its members open.
    member
        .sign_in("seller.broncos@demo.test", NEW_PASSWORD)
        .await
        .ok();
    ask("broncos@demo.test").await.ok();
    assert_eq!(
        choose_password(
            &server,
            &token_in_link(&server.mailed_link(&server.next_mail("reset").await))
        )
        .await,
        200
    );
    owner
        .get("/api/admin/whoami")
        .await
        .expect_refusal(401, "unauthenticated");
    assert_eq!(member.get("/api/admin/whoami").await.status, 200);
    for _ in 0..5 {
        member
            .sign_in("seller.broncos@demo.test", "wrong")
            .await
            .expect_refusal(401, "invalid-credentials");
    }
    member
        .sign_in("seller.broncos@demo.test", NEW_PASSWORD)
        .await
        .expect_refusal(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn audit_log_names_acting_member() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    let club = server.club_id("broncos");
    let owner = club::sign_in_as_club(&server, "broncos").await;
    let seller = club::sign_in_as_member(&server, club, Role::Seller).await;
    club::enter_result(&seller, draw, 1, 2).await.ok();
    server
        .database
        .execute_sql("update clubs set email_verified_at = now()")
        .await;
    let members = format!("/api/clubs/{club}/users");
    let id = owner.get(&members).await.ok()[1]["id"].clone();
    owner
        .call(Method::DELETE, &format!("{members}/{id}"), None)
        .await;
    let operator = club::sign_in_as_operator(&server).await;
    let entry = async |object: &str| {
        operator
            .get(&format!("/api/admin/audit?object={object}"))
            .await
            .ok()["entries"][0]
            .clone()
    };
    let entered = entry(&format!("draw:{draw}")).await;
    assert_eq!(entered["actor"], format!("club {club} member {id}"));
    assert_eq!(
        entered["by"],
        format!("seller {club} <seller.broncos@demo.test>"),
        "the audit log keeps a removed member's name"
    );
    let removed = entry(&format!("club-user:{id}")).await;
    assert_eq!(
        (&removed["action"], &removed["actor"]),
        (&json!("remove-club-user"), &json!(format!("club {club}")))
    );
    assert_eq!(
        operator.get("/api/admin/audit").await.ok()["chain"]["verified"],
        true
    );
    server.finish().await;
}

#[actix_web::test]
async fn member_reveals_bank_details_with_own_password() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let club = server.club_id("broncos");
    let owner = club::sign_in_as_member(&server, club, Role::Owner).await;
    let bought = server.alice().buy(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    server.start_game(draw).await;
    club::enter_result(&owner, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let bank = json!({ "accountName": "Alice", "accountNumber": "12345678", "bsb": "123456" });
    owner
        .call(
            Method::PUT,
            &format!("/api/draws/{draw}/winner-bank"),
            Some(&bank),
        )
        .await
        .ok();
    let reveal = format!("/api/draws/{draw}/winner-bank/reveal");
    owner
        .post(&reveal, json!({ "password": "not mine" }))
        .await
        .expect_refusal(400, "wrong-password");
    assert_eq!(
        owner
            .post(&reveal, json!({ "password": PASSWORD }))
            .await
            .ok()["accountNumber"],
        "12345678"
    );
    server.finish().await;
}
