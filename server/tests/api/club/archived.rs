//! An archived club looks on; what runs finishes and pays; nothing new begins (decision H-3).

use domain::access::Audience;
use reqwest::Method;
use serde_json::{Value, json};
use server::routes::{ROUTES, Verb};

use crate::access::{concrete, method};
use crate::support::{Buyer, TestServer, club};

async fn archive(server: &TestServer, archived: bool) {
    let id = server.club_named("broncos");
    server
        .records
        .archive_club(id, archived)
        .await
        .expect("written");
    server.state.catalogue.reload().await.expect("read");
}

/// What it may still write, by the address's end.
const FINISHING: [&str; 6] = [
    "results",
    "notify-winners",
    "payouts",
    "winner-bank",
    "winner-bank/reveal",
    "{payout}",
];

#[actix_web::test]
async fn every_address_knows_an_archived_club() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.offer("finals", draw).await;
    let bought = server.alice().buys(draw, 1).await.1;
    let browser = club::club(&server, "broncos").await;
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    server.kick_off(draw).await;
    club::enters(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    let payout = browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    let id = browser.get("/api/admin/whoami").await.ok()["user"]["id"]
        .as_i64()
        .expect("a number");
    archive(&server, true).await;
    let mut wrong = Vec::new();
    let apart = [
        "/ws",
        "/api/clubs/login",
        "/api/auth/logout",
        "/api/clubs/logout",
        "/api/admin/logout",
    ];
    for route in ROUTES.iter().filter(|route| !apart.contains(&route.path)) {
        let path = concrete(route, draw, id, payout["id"].as_i64().expect("a number"));
        let body = (route.method != Verb::Get).then(|| json!({}));
        let answer = browser.call(method(route), &path, body.as_ref()).await;
        let told = serde_json::from_str::<Value>(&answer.text).unwrap_or_default();
        let stopped = answer.status == 403 && told["code"] == "club-archived";
        let admitted = !matches!(answer.status, 401 | 403) && answer.status < 500;
        let finishing = FINISHING.iter().any(|end| route.path.ends_with(end));
        let as_it_should = match route.audience {
            Audience::Operator | Audience::ProvenOperator => answer.status == 403 && !stopped,
            Audience::Club | Audience::Seller | Audience::Owner if route.method == Verb::Get => {
                admitted && answer.status != 404
            }
            Audience::Seller | Audience::Owner if finishing => admitted && answer.status != 404,
            Audience::Club | Audience::Seller | Audience::Owner => stopped,
            // What only an operator may do there is the call's own matter.
            Audience::SignedIn => admitted || stopped,
            _ => admitted,
        };
        if !as_it_should {
            wrong.push(format!(
                "{:?} {}: {} {}",
                route.method, route.path, answer.status, answer.text
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    server.finish().await;
}

#[actix_web::test]
async fn a_payment_under_way_gets_its_tickets_and_no_new_one_begins() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, bob) = (server.alice(), server.bob());
    let paid = alice.intent(draw, 2).await;
    alice.authorise(&paid).await;
    archive(&server, true).await;
    for body in [
        json!({ "drawNumber": draw.0, "ticketCount": 1 }),
        json!({ "drawNumber": draw.0, "ticketCount": 3 }),
    ] {
        let refused = bob
            .post("/api/create-payment-intent", body)
            .await
            .refused(409, "club-not-selling");
        assert_eq!(
            refused["message"],
            "This club is not selling tickets at the moment."
        );
    }
    bob.ask_for_cart(&[(draw, 1)])
        .await
        .refused(409, "club-not-selling");
    assert_eq!(
        alice.purchase(draw, 2, &paid).await.ok()["status"],
        "succeeded"
    );
    let seen = bob.get(&format!("/api/draws/{draw}")).await.ok();
    assert_eq!(
        (&seen["ticketsSold"], &seen["status"]),
        (&json!(2), &json!("active"))
    );
    assert_eq!(
        seen["clubSelling"], false,
        "the page says so before anybody fills in a form"
    );
    let page = bob.get(&format!("/draw/{draw}")).await.text;
    assert!(
        page.contains("This club is not selling tickets at the moment.")
            && !page.contains("form-skeleton"),
        "{page}"
    );
    assert_eq!(
        bob.get("/api/draws/active").await.ok(),
        json!([]),
        "hidden from lists"
    );
    bob.get("/api/clubs/slug/broncos")
        .await
        .refused(404, "club-not-found");
    let browser = club::club(&server, "broncos").await;
    let again = club::enters(&browser, draw, 1, 1).await.ok();
    assert_eq!(again["draw"]["status"], "completed", "it finishes");
    let kept = browser
        .call(
            Method::PATCH,
            &format!("/api/draws/{draw}/archive"),
            Some(&json!({})),
        )
        .await;
    kept.refused(403, "club-archived");
    archive(&server, false).await;
    let next = server.draw(server.club_named("broncos")).await;
    assert_eq!(
        bob.buys(next, 1).await.1["status"],
        "succeeded",
        "restored, it sells"
    );
    server.finish().await;
}

#[actix_web::test]
async fn the_owner_alone_reads_an_archived_clubs_facts() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    archive(&server, true).await;
    let path = format!("/api/clubs/{}", server.club_named("broncos"));
    let browser: Buyer = club::club(&server, "broncos").await;
    assert_eq!(browser.get(&path).await.ok()["archived"], true);
    server
        .alice()
        .get(&path)
        .await
        .refused(404, "club-not-found");
    server.finish().await;
}

#[actix_web::test]
async fn an_archived_club_is_reminded_of_the_result_that_its_last_draw_waits_for() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.kick_off(draw).await;
    archive(&server, true).await;
    server.clock.push_seconds(2 * 3600 + 60);
    for _ in 0..2 {
        server::routes::club::reminders::sweep(&server.state).await;
    }
    assert_eq!(server.mail("results-due").await.to, "broncos@demo.test");
    assert_eq!(server.queued("results-due").await, 1);
    let browser = club::club(&server, "broncos").await;
    club::enters(&browser, draw, 1, 1).await.ok();
    server.finish().await;
}
