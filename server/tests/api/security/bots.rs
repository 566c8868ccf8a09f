//! Limits for automated clients. A bot can reserve no more tickets than a person. Card testing and
//! password guessing are stopped (decisions C-2, G-13).

use domain::DrawId;
use reqwest::Method;
use serde_json::json;
use server::config::Stage;
use server::services::limits::Limits;

use crate::club::winners::{bank_details, create_draw_won_by_alice, put_bank_details};
use crate::support::buyer::{ApiResponse, Intent};
use crate::support::server::PASSWORD;
use crate::support::{Buyer, CARD_WITH_3DS, DECLINED_CARD, TestServer, club};

/// A public client address. The local address has no limits in a demo, so tests of limits use this
/// one.
const BOT_ADDRESS: &str = "203.0.113.9";

async fn count_held_and_sold_tickets(server: &TestServer, draws: &[DrawId]) -> u16 {
    let mut tickets_taken = 0;
    for draw in draws {
        let view = server
            .engine
            .draws
            .view(*draw)
            .await
            .expect("the draw has a view");
        tickets_taken += view.held + view.sold;
    }
    tickets_taken
}

async fn request_ticket_reservation(
    server: &TestServer,
    browser: &Buyer,
    draw: DrawId,
    count: u16,
) -> ApiResponse {
    let body = json!({ "drawNumber": draw.0, "ticketCount": count });
    let request = browser
        .bare_request(Method::POST, "/api/create-payment-intent")
        .header("origin", &server.url);
    Buyer::send_request(request.header("x-forwarded-for", BOT_ADDRESS).json(&body)).await
}

#[actix_web::test]
async fn bot_with_10_000_requests_reserves_at_most_100_tickets() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let mut draws = Vec::new();
    for _ in 0..20 {
        draws.push(server.create_draw(club.id).await);
    }
    let bot = server.bob();
    bot.get("/api/config").await;
    let (mut opened, mut most) = (0, 0);
    // The bot sends 250 rounds of 40 concurrent calls, each for 1 to 50 tickets of one of 20 draws.
    for round in 0..250u16 {
        let calls = (0..40u16).map(|turn| {
            request_ticket_reservation(
                &server,
                &bot,
                draws[usize::from((round + turn) % 20)],
                1 + (round * 7 + turn) % 50,
            )
        });
        for answer in futures_util::future::join_all(calls).await {
            opened += u32::from(answer.status == 200);
            assert!(
                matches!(answer.status, 200 | 409 | 429 | 503),
                "{}: {}",
                answer.status,
                answer.text
            );
        }
        most = most.max(count_held_and_sold_tickets(&server, &draws).await);
    }
    assert!(opened > 0, "at least one payment is opened");
    assert!((1..=100).contains(&most), "the bot holds {most} tickets");
    let intents = server
        .database
        .query_number("select count(*) from orders where $1 = ''", "")
        .await;
    assert!(
        (1..=30).contains(&intents),
        "{intents} payments opened by 10,000 tries"
    );
    server.finish().await;
}

/// An order in a 3-D Secure step is not abandoned, so its tickets still count.
#[actix_web::test]
async fn order_in_three_d_secure_counts_towards_100_tickets() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let draws = [
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    ];
    let bot = server.bob();
    bot.get("/api/config").await;
    let lines = [(draws[0], 50), (draws[1], 30)];
    let cart = Intent {
        body: bot.request_cart_intent(&lines).await.ok(),
    };
    let confirmed = bot.confirm(&cart, CARD_WITH_3DS).await.ok();
    assert_eq!(confirmed["status"], "requires_action");
    bot.request_intent(draws[0], 21)
        .await
        .expect_refusal(409, "too-many-reserved");
    assert_eq!(count_held_and_sold_tickets(&server, &draws).await, 80);
    bot.open_intent(draws[0], 20).await;
    assert_eq!(count_held_and_sold_tickets(&server, &draws).await, 100);
    server.finish().await;
}

#[actix_web::test]
async fn bot_without_cookie_reserves_no_more_than_one_browser() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let draws = [
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    ];
    let mut answers = Vec::new();
    for turn in 0..200 {
        // Each call comes from a new browser without cookies.
        let answer = request_ticket_reservation(&server, &server.bob(), draws[turn % 2], 50).await;
        assert!(
            matches!(answer.status, 200 | 429),
            "{}: {}",
            answer.status,
            answer.text
        );
        answers.push(answer);
    }
    let refused = answers.pop().expect("the server answers");
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|s| (1..=151).contains(&s)))
    );
    assert_eq!(count_held_and_sold_tickets(&server, &draws).await, 50);
    // A person at the bot's address is not blocked, because the person's browser has a cookie.
    let alice = server.alice();
    assert_eq!(
        alice
            .bare_request(Method::GET, "/")
            .send()
            .await
            .expect("a page")
            .status(),
        200
    );
    assert_eq!(
        request_ticket_reservation(&server, &alice, draws[0], 2)
            .await
            .status,
        200
    );
    server.finish().await;
}

#[actix_web::test]
async fn card_testing_is_stopped_after_five_declines() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let card_tester = server.bob();
    card_tester.get("/api/config").await;
    let mut declined = 0;
    for _ in 0..20 {
        let opened = card_tester.request_intent(draw, 1).await;
        if opened.status != 200 {
            assert_eq!(opened.status, 429, "{}", opened.text);
            break;
        }
        let intent = Intent { body: opened.ok() };
        // If the order was already released, the server did not try the card. The loop then opens a
        // new order.
        if card_tester.confirm(&intent, DECLINED_CARD).await.status != 402 {
            continue;
        }
        declined += 1;
        crate::support::server::eventually("the decline is known", async || {
            let query = "select count(*) from webhook_events where kind = $1";
            (server
                .database
                .query_number(query, "payment_intent.payment_failed")
                .await
                >= declined)
                .then_some(())
        })
        .await;
    }
    assert!((5..=7).contains(&declined), "{declined} cards were tried");
    server.finish().await;
}

/// Failed sign-ins are limited for each account and address, for each address, and for each account
/// over all addresses. No account is blocked forever, and no response tells which accounts exist.
#[actix_web::test]
async fn password_guessing_is_limited_by_address_and_by_account() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    let guesses = async |email: String, from: String| {
        let request = server
            .bob()
            .bare_request(Method::POST, "/api/clubs/login")
            .header("origin", &server.url);
        let body = json!({ "email": email, "password": "guess" });
        Buyer::send_request(request.header("x-forwarded-for", from).json(&body)).await
    };
    // Five attempts on one account from one address. Upper and lower case count as the same account
    // (decision G-6).
    for turn in 0..5 {
        assert_eq!(
            guesses("Broncos@demo.test".into(), "203.0.113.1".into())
                .await
                .status,
            401,
            "{turn}"
        );
    }
    guesses("broncos@demo.test ".into(), "203.0.113.1".into())
        .await
        .expect_refusal(429, "too-many-requests");
    // The owner can still sign in from another address. An attacker may know the login, because the
    // club's mails contain it.
    let owner = Buyer::new(&server.url, "Club", "club@example.com", "0400 111 222");
    owner.sign_in("broncos@demo.test", PASSWORD).await.ok();
    // Attempts on one account from many addresses: the limit is ten times that of one address.
    for turn in 5..50 {
        let from = format!("198.51.100.{}", turn / 5);
        assert_eq!(
            guesses("broncos@demo.test".into(), from).await.status,
            401,
            "{turn}"
        );
    }
    guesses("broncos@demo.test".into(), "198.51.100.100".into())
        .await
        .expect_refusal(429, "too-many-requests");
    // Attempts on many accounts from one address. Unknown accounts get the same 401 as known ones.
    for turn in 0..20 {
        assert_eq!(
            guesses(format!("{turn}@demo.test"), BOT_ADDRESS.into())
                .await
                .status,
            401,
            "{turn}"
        );
    }
    guesses("another@demo.test".into(), BOT_ADDRESS.into())
        .await
        .expect_refusal(429, "too-many-requests");
    // Sessions that were opened before the attack stay valid.
    owner.get("/api/admin/whoami").await.ok();
    server.create_club("storm").await;
    club::sign_in_as_club(&server, "storm")
        .await
        .get("/api/admin/whoami")
        .await
        .ok();
    server.finish().await;
}

/// The call that reveals bank details asks for a password. It has its own limit of wrong passwords,
/// and failed sign-ins do not block it.
#[actix_web::test]
async fn bank_detail_password_limit_is_separate_from_sign_in_limit() {
    let server = TestServer::start().await;
    let (draw, owner) = create_draw_won_by_alice(&server).await;
    put_bank_details(&owner, draw, bank_details()).await.ok();
    let path = format!("/api/draws/{draw}/winner-bank/reveal");
    let reveal = async |password: &str| owner.post(&path, json!({ "password": password })).await;
    let stranger = server.bob();
    for _ in 0..5 {
        stranger
            .sign_in("broncos@demo.test", "guess")
            .await
            .expect_refusal(401, "invalid-credentials");
    }
    stranger
        .sign_in("broncos@demo.test", PASSWORD)
        .await
        .expect_refusal(429, "too-many-requests");
    reveal(PASSWORD).await.ok();
    for _ in 0..5 {
        reveal("guess").await.expect_refusal(400, "wrong-password");
    }
    reveal(PASSWORD)
        .await
        .expect_refusal(429, "too-many-requests");
    server.finish().await;
}

/// Concurrent attempts count toward the limit like consecutive ones.
#[actix_web::test]
async fn concurrent_guesses_count_toward_limit() {
    let server = TestServer::start().await;
    server.create_club("broncos").await;
    server.create_operator().await;
    let guess = |_| async {
        server
            .bob()
            .sign_in("broncos@demo.test", "guess")
            .await
            .status
    };
    let answers = futures_util::future::join_all((0..60).map(guess)).await;
    assert_eq!(
        answers.iter().filter(|status| **status == 401).count(),
        5,
        "{answers:?}"
    );
    assert_eq!(answers.iter().filter(|status| **status == 429).count(), 55);
    let half_signed_in = server.bob();
    half_signed_in
        .sign_in("operator@demo.test", PASSWORD)
        .await
        .ok();
    let code = |turn: u32| {
        let half_signed_in = &half_signed_in;
        async move {
            half_signed_in
                .post(
                    "/api/admin/totp/verify",
                    json!({ "code": format!("{:06}", 900_000 + turn) }),
                )
                .await
                .status
        }
    };
    let answers = futures_util::future::join_all((0..60).map(code)).await;
    assert_eq!(
        answers.iter().filter(|status| **status == 401).count(),
        5,
        "{answers:?}"
    );
    server.finish().await;
}

/// An e-mail address is sent at most three mails of each kind an hour: password links and ticket
/// links. All nodes count them together, in the database.
#[actix_web::test]
async fn mail_limit_per_email_holds_across_nodes() {
    let server = TestServer::start().await;
    let (one, other) = (
        Limits::new(Stage::Production),
        Limits::new(Stage::Production),
    );
    let (records, now) = (&server.records, server.now());
    for _ in 0..3 {
        assert!(
            one.may_mail_account_link(records, "broncos@demo.test", now)
                .await
                .expect("the count succeeds")
        );
        assert!(
            one.may_mail_ticket_link(records, "broncos@demo.test", now)
                .await
                .expect("the count succeeds")
        );
    }
    assert!(
        !other
            .may_mail_account_link(records, " Broncos@Demo.test", now)
            .await
            .expect("the count succeeds")
    );
    assert!(
        !other
            .may_mail_ticket_link(records, " Broncos@Demo.test", now)
            .await
            .expect("the count succeeds")
    );
    assert!(
        other
            .may_mail_account_link(records, "storm@demo.test", now)
            .await
            .expect("the count succeeds"),
        "another address has its own limit"
    );
    assert!(
        other
            .may_mail_account_link(records, "broncos@demo.test", now.plus_seconds(3600))
            .await
            .expect("the count succeeds"),
        "the limit ends after an hour"
    );
    server.finish().await;
}
