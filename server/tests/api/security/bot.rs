//! Programs that buy instead of people: one takes no more than a person could, tries no row of cards, guesses no password
//! (decisions C-2, G-13).

use domain::DrawId;
use reqwest::Method;
use serde_json::json;
use server::config::Stage;
use server::limits::Limits;

use crate::club::winners::{bank, put, won};
use crate::support::buyer::Answer;
use crate::support::server::PASSWORD;
use crate::support::{BAD_CARD, Buyer, TestServer, club};

/// Somewhere else than the demo's own machine, which is not counted.
const ELSEWHERE: &str = "203.0.113.9";

async fn held(server: &TestServer, draws: &[DrawId]) -> u16 {
    let mut held = 0;
    for draw in draws {
        let view = server.engine.draws.view(*draw).await.expect("a view");
        held += view.held + view.sold;
    }
    held
}

async fn tries(server: &TestServer, browser: &Buyer, draw: DrawId, count: u16) -> Answer {
    let body = json!({ "drawNumber": draw.0, "ticketCount": count });
    let request = browser
        .raw(Method::POST, "/api/create-payment-intent")
        .header("origin", &server.url);
    Buyer::sent(request.header("x-forwarded-for", ELSEWHERE).json(&body)).await
}

#[actix_web::test]
async fn a_bot_that_tries_ten_thousand_times_reserves_fifty_tickets_and_opens_ten_payments() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let mut draws = Vec::new();
    for _ in 0..20 {
        draws.push(server.draw(club.id).await);
    }
    let bot = server.bob();
    bot.get("/api/config").await;
    let (mut opened, mut most) = (0, 0);
    // One after the other and many at once, as many tickets as it likes, of one draw and of all.
    for round in 0..250u16 {
        let calls = (0..40u16).map(|turn| {
            tries(
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
        most = most.max(held(&server, &draws).await);
    }
    assert!(opened > 0, "it does get something");
    assert!(
        (1..=50).contains(&most),
        "{most} tickets kept from everybody else"
    );
    let intents = server
        .database
        .count("select count(*) from orders where $1 = ''", "")
        .await;
    assert!(
        (1..=30).contains(&intents),
        "{intents} payments opened by 10,000 tries"
    );
    server.finish().await;
}

#[actix_web::test]
async fn a_bot_that_keeps_no_cookie_reserves_no_more_than_a_browser_may() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let draws = [server.draw(club.id).await, server.draw(club.id).await];
    let mut answers = Vec::new();
    for turn in 0..200 {
        // Each call a new browser: nothing of the last one is left.
        let answer = tries(&server, &server.bob(), draws[turn % 2], 50).await;
        assert!(
            matches!(answer.status, 200 | 429),
            "{}: {}",
            answer.status,
            answer.text
        );
        answers.push(answer);
    }
    let refused = answers.pop().expect("an answer");
    assert!(
        refused
            .header("retry-after")
            .is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|s| (1..=151).contains(&s)))
    );
    assert_eq!(held(&server, &draws).await, 50);
    // A person at the same address, whose browser was given its cookie by the page, is not kept out by it.
    let alice = server.alice();
    assert_eq!(
        alice
            .raw(Method::GET, "/")
            .send()
            .await
            .expect("a page")
            .status(),
        200
    );
    assert_eq!(tries(&server, &alice, draws[0], 2).await.status, 200);
    server.finish().await;
}

#[actix_web::test]
async fn who_tries_cards_is_stopped_after_five() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let thief = server.bob();
    thief.get("/api/config").await;
    let mut declined = 0;
    for _ in 0..20 {
        let opened = thief.ask(draw, 1).await;
        if opened.status != 200 {
            assert_eq!(opened.status, 429, "{}", opened.text);
            break;
        }
        let intent = crate::support::buyer::Intent { body: opened.ok() };
        // Between the opening and the card it may have been given up: then no card was tried.
        if thief.confirm(&intent, BAD_CARD).await.status != 402 {
            continue;
        }
        declined += 1;
        crate::support::server::eventually("the decline is known", async || {
            let known = "select count(*) from webhook_events where kind = $1";
            (server
                .database
                .count(known, "payment_intent.payment_failed")
                .await
                >= declined)
                .then_some(())
        })
        .await;
    }
    assert!((5..=7).contains(&declined), "{declined} cards tried");
    server.finish().await;
}

/// Slowed down by account and address together, by address, and by account from everywhere, never locked out for good; and nobody learns which accounts there are.
#[actix_web::test]
async fn guessing_passwords_is_slow_from_one_address_and_against_one_account() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    let guesses = async |email: String, from: String| {
        let request = server
            .bob()
            .raw(Method::POST, "/api/clubs/login")
            .header("origin", &server.url);
        let body = json!({ "email": email, "password": "guess" });
        Buyer::sent(request.header("x-forwarded-for", from).json(&body)).await
    };
    // One account from one address (decision G-6), however it is written.
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
        .refused(429, "too-many-requests");
    // Its owner, somewhere else, is not kept out by them: the address of a club's login stands in its mails.
    let owner = Buyer::new(&server.url, "Club", "club@example.com", "0400 111 222");
    owner.signs_in("broncos@demo.test", PASSWORD).await.ok();
    // One account, from as many addresses as one likes: ten times as often and no more.
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
        .refused(429, "too-many-requests");
    // One address, as many accounts as one likes; what is refused is said of accounts that are not there, too.
    for turn in 0..20 {
        assert_eq!(
            guesses(format!("{turn}@demo.test"), ELSEWHERE.into())
                .await
                .status,
            401,
            "{turn}"
        );
    }
    guesses("another@demo.test".into(), ELSEWHERE.into())
        .await
        .refused(429, "too-many-requests");
    // Whoever is in stays in.
    owner.get("/api/admin/whoami").await.ok();
    server.club("storm").await;
    club::club(&server, "storm")
        .await
        .get("/api/admin/whoami")
        .await
        .ok();
    server.finish().await;
}

/// Who guesses at the door keeps nobody from the prize, and who guesses inside is slowed down as well.
#[actix_web::test]
async fn the_password_for_bank_details_is_guessed_five_times_and_counted_apart_from_signing_in() {
    let server = TestServer::start().await;
    let (draw, owner) = won(&server).await;
    put(&owner, draw, bank()).await.ok();
    let path = format!("/api/draws/{draw}/winner-bank/reveal");
    let reveal = async |password: &str| owner.post(&path, json!({ "password": password })).await;
    let stranger = server.bob();
    for _ in 0..5 {
        stranger
            .signs_in("broncos@demo.test", "guess")
            .await
            .refused(401, "invalid-credentials");
    }
    stranger
        .signs_in("broncos@demo.test", PASSWORD)
        .await
        .refused(429, "too-many-requests");
    reveal(PASSWORD).await.ok();
    for _ in 0..5 {
        reveal("guess").await.refused(400, "wrong-password");
    }
    reveal(PASSWORD).await.refused(429, "too-many-requests");
    server.finish().await;
}

/// A thousand guesses at once are no more than one after the other.
#[actix_web::test]
async fn guesses_at_once_add_up() {
    let server = TestServer::start().await;
    server.club("broncos").await;
    server.operator().await;
    let guess = |_| async {
        server
            .bob()
            .signs_in("broncos@demo.test", "guess")
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
    let half = server.bob();
    half.signs_in("operator@demo.test", PASSWORD).await.ok();
    let code = |turn: u32| {
        let half = &half;
        async move {
            half.post(
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

/// Three links an hour. A node that was never asked knows it from the books alone.
#[actix_web::test]
async fn a_mailbox_fills_no_faster_at_several_nodes() {
    let server = TestServer::start().await;
    let (one, other) = (
        Limits::new(Stage::Production),
        Limits::new(Stage::Production),
    );
    let (records, now) = (&server.records, server.now());
    for _ in 0..3 {
        assert!(
            one.may_mail(records, "broncos@demo.test", now)
                .await
                .expect("counted")
        );
        assert!(
            one.may_mail_tickets(records, "broncos@demo.test", now)
                .await
                .expect("counted")
        );
    }
    assert!(
        !other
            .may_mail(records, " Broncos@Demo.test", now)
            .await
            .expect("counted")
    );
    assert!(
        !other
            .may_mail_tickets(records, " Broncos@Demo.test", now)
            .await
            .expect("counted")
    );
    assert!(
        other
            .may_mail(records, "storm@demo.test", now)
            .await
            .expect("counted"),
        "another's mailbox"
    );
    assert!(
        other
            .may_mail(records, "broncos@demo.test", now.plus_seconds(3600))
            .await
            .expect("counted"),
        "later"
    );
    server.finish().await;
}
