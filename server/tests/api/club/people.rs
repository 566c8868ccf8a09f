//! The people behind a club's login: asked in, doing what their role does, shown out (decision G-17).

use domain::access::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::PASSWORD;
use crate::support::{Buyer, TestServer, club};

const SECRET: &str = "choose wisely 8";

/// A club, its own login's browser, and the address of its people.
async fn broncos(server: &TestServer) -> (Buyer, String) {
    let club = server.club("broncos").await;
    (
        club::club(server, "broncos").await,
        format!("/api/clubs/{}/users", club.id),
    )
}

fn ann(role: &str) -> Value {
    json!({ "email": "Ann@example.com", "name": " Ann Lee ", "role": role })
}

fn token(link: &str) -> String {
    link.split_once("token=").expect("a secret").1.to_string()
}

async fn chooses(server: &TestServer, token: &str) -> u16 {
    let body = json!({ "token": token, "newPassword": SECRET });
    server
        .bob()
        .post("/api/clubs/reset-password-confirm", body)
        .await
        .status
}

/// Asked in and joined; her id and her browser.
async fn joins(server: &TestServer, owner: &Buyer, people: &str, role: &str) -> (i64, Buyer) {
    let id = owner.post(people, ann(role)).await.ok()["id"]
        .as_i64()
        .expect("an id");
    let link = server.link(&server.mail("invitation").await);
    assert_eq!(chooses(server, &token(&link)).await, 200);
    let browser = server.alice();
    browser.signs_in("ann@example.com", SECRET).await.ok();
    (id, browser)
}

#[actix_web::test]
async fn somebody_is_asked_in_chooses_a_password_and_acts_for_the_club_by_name() {
    let server = TestServer::start().await;
    let (owner, people) = broncos(&server).await;
    let asked = owner.post(&people, ann("seller")).await.ok();
    assert_eq!(
        (
            &asked["name"],
            &asked["email"],
            &asked["role"],
            &asked["state"],
            &asked["isClubLogin"]
        ),
        (
            &json!("Ann Lee"),
            &json!("Ann@example.com"),
            &json!("seller"),
            &json!("invited"),
            &json!(false)
        )
    );
    let mail = server.mail("invitation").await;
    assert_eq!(mail.to, "Ann@example.com");
    let link = server.link(&mail);
    assert!(link.contains("/reset-password?invited=1&token="), "{link}");
    let first = token(&link);
    assert!(
        !mail.data.contains(&first),
        "the outbox must not hold what opens an account"
    );
    server
        .bob()
        .signs_in("ann@example.com", SECRET)
        .await
        .refused(401, "invalid-credentials");
    let again = owner.post(&people, ann("viewer")).await.ok();
    assert_eq!(
        (&again["id"], &again["role"]),
        (&asked["id"], &json!("viewer")),
        "the same person, as said now"
    );
    let second = token(&server.link(&server.mail("invitation").await));
    assert_eq!(
        chooses(&server, &first).await,
        400,
        "the older link opens nothing"
    );
    server.clock.push_seconds(72 * 3600 - 60);
    assert_eq!(
        chooses(&server, &second).await,
        200,
        "a weekend is no hindrance"
    );
    assert_eq!(chooses(&server, &second).await, 400, "once");
    let browser = server.alice();
    let user = browser.signs_in(" ann@Example.com ", SECRET).await.ok();
    let club = owner_is(&server, "broncos").await;
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
        "on the wire she is the club"
    );
    assert_eq!(user["memberEmail"], "Ann@example.com");
    let who = browser.get("/api/admin/whoami").await.ok();
    assert_eq!(
        (&who["role"], &who["user"]["role"]),
        (&json!("club-admin"), &json!("viewer"))
    );
    server.finish().await;
}

async fn owner_is(server: &TestServer, slug: &str) -> Value {
    let user = club::club(server, slug)
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
async fn an_invitation_ends_after_three_days_and_can_be_mailed_again() {
    let server = TestServer::start().await;
    let (owner, people) = broncos(&server).await;
    owner.post(&people, ann("seller")).await.ok();
    let late = token(&server.link(&server.mail("invitation").await));
    server.clock.push_seconds(72 * 3600);
    assert_eq!(chooses(&server, &late).await, 400);
    let owner = club::club(&server, "broncos").await;
    let rows = owner.get(&people).await.ok();
    let states: Vec<_> = rows
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (&row["id"], &row["state"]))
        .collect();
    assert_eq!(
        states,
        [
            (&json!(0), &json!("active")),
            (&rows[1]["id"], &json!("expired"))
        ],
        "the club's login first"
    );
    assert_eq!(
        (&rows[0]["isClubLogin"], &rows[0]["email"]),
        (&json!(true), &json!("broncos@demo.test"))
    );
    owner.post(&people, ann("seller")).await.ok();
    assert_eq!(
        chooses(
            &server,
            &token(&server.link(&server.mail("invitation").await))
        )
        .await,
        200
    );
    let joined = owner.post(&people, ann("viewer")).await.ok();
    assert_eq!(
        (&joined["state"], &joined["role"]),
        (&json!("active"), &json!("seller")),
        "who joined stays as they are"
    );
    assert_eq!(server.queued("invitation").await, 2);
    server.finish().await;
}

#[actix_web::test]
async fn a_refused_role_is_told_so_and_another_clubs_objects_are_not_there() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let club = server.club_named("broncos");
    server.club("storm").await;
    let seller = club::member(&server, club, Role::Seller).await;
    let viewer = club::member(&server, club, Role::Viewer).await;
    let other = club::member(&server, server.club_named("storm"), Role::Owner).await;
    let results = format!("/api/draws/{draw}/results");
    let refused = viewer
        .post(&results, json!({}))
        .await
        .refused(403, "role-not-allowed");
    assert_eq!(
        (&refused["role"], &refused["needs"]),
        (&json!("viewer"), &json!("seller"))
    );
    let bank = format!("/api/draws/{draw}/winner-bank");
    let refused = seller
        .call(Method::PUT, &bank, Some(&json!({})))
        .await
        .refused(403, "role-not-allowed");
    assert_eq!(refused["message"], "Only an owner of the club can do this.");
    other
        .get(&format!("/api/clubs/{club}/users"))
        .await
        .refused(404, "not-found");
    other
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .refused(404, "draw-not-found");
    seller
        .get(&format!("/api/clubs/{club}/users"))
        .await
        .refused(403, "role-not-allowed");
    server.finish().await;
}

#[actix_web::test]
async fn a_viewer_sees_counts_and_money_and_no_buyer_and_only_owners_see_bank_details() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let club = server.club_named("broncos");
    let owner = club::club(&server, "broncos").await;
    let seller = club::member(&server, club, Role::Seller).await;
    let viewer = club::member(&server, club, Role::Viewer).await;
    let bought = server.alice().buys(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    server.kick_off(draw).await;
    club::enters(&seller, draw, number("homeNumber"), number("awayNumber"))
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
        let told = viewer.get(page).await;
        assert_eq!(told.status, 200, "{page}");
        for buyer in [
            "Alice",
            "alice@example.com",
            "0411 000 001",
            "12345678",
            "••••",
        ] {
            assert!(
                !told.text.contains(buyer),
                "{page} tells a viewer {buyer}: {}",
                told.text
            );
        }
    }
    assert_eq!(viewer.get(&pages[5]).await.ok()["soldTickets"], 1);
    let winners = |told: Value| told["winningTickets"][0].clone();
    let (theirs, whole) = (
        winners(seller.get(&pages[1]).await.ok()),
        winners(owner.get(&pages[1]).await.ok()),
    );
    assert_eq!(
        (&theirs["buyerName"], &theirs["bank"]),
        (&json!("Alice"), &json!(null))
    );
    assert_eq!(
        (&whole["buyerName"], whole["bank"].is_object()),
        (&json!("Alice"), true)
    );
    assert!(
        seller
            .get(&pages[0])
            .await
            .text
            .contains("alice@example.com"),
        "who sells knows the buyers"
    );
    server.finish().await;
}

#[actix_web::test]
async fn another_role_and_a_removal_sign_the_person_out_at_once() {
    let server = TestServer::start().await;
    let (owner, people) = broncos(&server).await;
    let (id, browser) = joins(&server, &owner, &people, "seller").await;
    let path = format!("{people}/{id}");
    let patch = async |body: Value| owner.call(Method::PATCH, &path, Some(&body)).await;
    assert_eq!(
        patch(json!({ "name": "Ann Chen" })).await.ok()["name"],
        "Ann Chen"
    );
    assert_eq!(
        browser.get("/api/admin/whoami").await.ok()["user"]["memberName"],
        "Ann Chen",
        "a name ends nothing"
    );
    assert_eq!(
        patch(json!({ "role": "viewer" })).await.ok()["role"],
        "viewer"
    );
    browser
        .get("/api/admin/whoami")
        .await
        .refused(401, "unauthenticated");
    let user = browser.signs_in("ann@example.com", SECRET).await.ok();
    assert_eq!(user["role"], "viewer");
    patch(json!({ "role": "boss" }))
        .await
        .refused(400, "invalid");
    // A link that was asked for before does not bring her back.
    server
        .bob()
        .post(
            "/api/clubs/reset-password",
            json!({ "email": "ann@example.com" }),
        )
        .await
        .ok();
    let link = token(&server.link(&server.mail("reset").await));
    assert_eq!(owner.call(Method::DELETE, &path, None).await.status, 204);
    browser
        .get("/api/admin/whoami")
        .await
        .refused(401, "unauthenticated");
    browser
        .signs_in("ann@example.com", SECRET)
        .await
        .refused(401, "invalid-credentials");
    assert_eq!(chooses(&server, &link).await, 400);
    owner
        .call(Method::DELETE, &path, None)
        .await
        .refused(404, "not-found");
    patch(json!({ "role": "owner" }))
        .await
        .refused(404, "not-found");
    assert_eq!(
        owner.get(&people).await.ok().as_array().map(Vec::len),
        Some(1)
    );
    let back = owner.post(&people, ann("viewer")).await.ok();
    assert_ne!(
        back["id"],
        json!(id),
        "asked in anew, somebody new to the audit log"
    );
    server.finish().await;
}

#[actix_web::test]
async fn the_clubs_own_login_and_oneself_stay() {
    let server = TestServer::start().await;
    let (owner, people) = broncos(&server).await;
    let (id, second) = joins(&server, &owner, &people, "owner").await;
    for browser in [&owner, &second] {
        browser
            .call(Method::DELETE, &format!("{people}/0"), None)
            .await
            .refused(409, "club-login");
        let body = json!({ "role": "viewer" });
        browser
            .call(Method::PATCH, &format!("{people}/0"), Some(&body))
            .await
            .refused(409, "club-login");
    }
    let own = format!("{people}/{id}");
    second
        .call(Method::DELETE, &own, None)
        .await
        .refused(409, "own-account");
    second
        .call(Method::PATCH, &own, Some(&json!({ "role": "viewer" })))
        .await
        .refused(409, "own-account");
    let renamed = second
        .call(
            Method::PATCH,
            &own,
            Some(&json!({ "role": "owner", "name": "Ann" })),
        )
        .await
        .ok();
    assert_eq!(renamed["name"], "Ann", "that changes no role");
    assert_eq!(owner.call(Method::DELETE, &own, None).await.status, 204);
    server.finish().await;
}

#[actix_web::test]
async fn an_address_signs_in_one_place_and_nobody_learns_where() {
    let server = TestServer::start().await;
    let (owner, people) = broncos(&server).await;
    let storm = server.club("storm").await;
    server.operator().await;
    club::member(&server, storm.id, Role::Viewer).await;
    let mut words = Vec::new();
    for email in [
        "storm@demo.test",
        "Viewer.Storm@demo.test",
        "operator@demo.test",
        "broncos@demo.test",
    ] {
        let body = json!({ "email": email, "name": "Sam", "role": "viewer" });
        words.push(owner.post(&people, body).await.refused(409, "email-in-use")["message"].clone());
    }
    assert!(
        words.iter().all(|message| *message == words[0]),
        "{words:?}"
    );
    owner.post(&people, ann("viewer")).await.ok();
    let form = json!({ "name": "Jets", "email": "ANN@example.com", "password": "jets forever", "phone": "0400 111 222" });
    server
        .bob()
        .post("/api/clubs/register", form)
        .await
        .refused(409, "email-taken");
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
            owner.post(&people, body).await.refused(400, "invalid")["errors"][0]["field"],
            field
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_member_who_forgot_the_password_gets_a_link_and_is_slowed_down_like_everybody() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let member = club::member(&server, club.id, Role::Seller).await;
    let owner = club::club(&server, "broncos").await;
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
    let mail = server.mail("reset").await;
    assert_eq!(mail.to, "seller.broncos@demo.test");
    server.clock.push_seconds(30 * 60);
    assert_eq!(
        chooses(&server, &token(&server.link(&mail))).await,
        400,
        "half an hour, as for everybody"
    );
    ask("seller.broncos@demo.test").await.ok();
    assert_eq!(
        chooses(&server, &token(&server.link(&server.mail("reset").await))).await,
        200
    );
    member
        .get("/api/admin/whoami")
        .await
        .refused(401, "unauthenticated");
    assert_eq!(
        owner.get("/api/admin/whoami").await.status,
        200,
        "somebody else's password"
    );
    // And the club's own forgotten password signs none of its people out.
    member
        .signs_in("seller.broncos@demo.test", SECRET)
        .await
        .ok();
    ask("broncos@demo.test").await.ok();
    assert_eq!(
        chooses(&server, &token(&server.link(&server.mail("reset").await))).await,
        200
    );
    owner
        .get("/api/admin/whoami")
        .await
        .refused(401, "unauthenticated");
    assert_eq!(member.get("/api/admin/whoami").await.status, 200);
    for _ in 0..5 {
        member
            .signs_in("seller.broncos@demo.test", "wrong")
            .await
            .refused(401, "invalid-credentials");
    }
    member
        .signs_in("seller.broncos@demo.test", SECRET)
        .await
        .refused(429, "too-many-requests");
    server.finish().await;
}

#[actix_web::test]
async fn the_audit_log_names_the_person_and_not_the_club_alone() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    let club = server.club_named("broncos");
    let owner = club::club(&server, "broncos").await;
    let seller = club::member(&server, club, Role::Seller).await;
    club::enters(&seller, draw, 1, 2).await.ok();
    let people = format!("/api/clubs/{club}/users");
    let id = owner.get(&people).await.ok()[1]["id"].clone();
    owner
        .call(Method::DELETE, &format!("{people}/{id}"), None)
        .await;
    let operator = club::operator(&server).await;
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
        "also when they are gone"
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
async fn a_member_reads_whole_bank_details_for_their_own_password() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let club = server.club_named("broncos");
    let owner = club::member(&server, club, Role::Owner).await;
    let bought = server.alice().buys(draw, 1).await.1;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    server.kick_off(draw).await;
    club::enters(&owner, draw, number("homeNumber"), number("awayNumber"))
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
        .refused(400, "wrong-password");
    assert_eq!(
        owner
            .post(&reveal, json!({ "password": PASSWORD }))
            .await
            .ok()["accountNumber"],
        "12345678"
    );
    server.finish().await;
}
