//! Results, the winner, and where the prize is sent (club.md sections 2 and 4).

use domain::{Command, DrawId, GameResult};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// Alice's ticket wins, the game has begun.
pub async fn won(server: &TestServer) -> (DrawId, Buyer) {
    let draw = server.game().await;
    let bought = server.alice().buys(draw, 2).await.1;
    server.kick_off(draw).await;
    let browser = club::club(server, "broncos").await;
    let number = |name: &str| bought["tickets"][1][name].as_u64().expect("a number") as u8;
    club::enters(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    (draw, browser)
}

pub fn bank() -> Value {
    json!({ "accountName": "Alice Example", "accountNumber": "12345678", "bsb": "062-123" })
}

pub async fn put(browser: &Buyer, draw: DrawId, body: Value) -> crate::support::buyer::Answer {
    browser
        .call(
            Method::PUT,
            &format!("/api/draws/{draw}/winner-bank"),
            Some(&body),
        )
        .await
}

pub async fn claim_token(server: &TestServer) -> String {
    let link = server.link(&server.mail("winner").await);
    assert!(
        link.contains("/claim#"),
        "no server ever sees what follows the hash: {link}"
    );
    link.rsplit_once('#').expect("a token").1.to_string()
}

#[actix_web::test]
async fn a_result_needs_both_numbers_and_names_the_winner() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let browser = club::club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/results");
    let words = "Missing information: Please select first try scorer for both teams";
    for body in [json!({}), json!({ "homeFirstTryScorer": 7 })] {
        assert_eq!(
            browser
                .post(&path, body)
                .await
                .refused(400, "missing-information")["message"],
            words
        );
    }
    for home in [0, 14] {
        let body = json!({ "homeFirstTryScorer": home, "awayFirstTryScorer": 9 });
        browser
            .post(&path, body)
            .await
            .refused(400, "result-out-of-range");
    }
    browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .refused(409, "not-completed");
    browser
        .get(&format!("/api/draws/{draw}/payouts"))
        .await
        .refused(409, "not-completed");
    put(&browser, draw, bank())
        .await
        .refused(409, "not-completed");
    server.kick_off(draw).await;
    let done = club::enters(&browser, draw, 7, 9).await.ok();
    assert_eq!(done["winningTickets"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (
            &done["winningTickets"][0]["sold"],
            &done["winningTickets"][0]["winnerPayoutStatus"]
        ),
        (&json!(false), &json!(null))
    );
    assert_eq!(
        done,
        club::enters(&browser, draw, 7, 9).await.ok(),
        "the same result again"
    );
    club::enters(&browser, draw, 7, 8)
        .await
        .refused(409, "already-completed");
    assert_eq!(
        server.mail("results-submitted").await.to,
        "broncos@demo.test"
    );
    assert_eq!(server.queued("results-submitted").await, 1);
    let unsold = put(&browser, draw, bank())
        .await
        .refused(409, "winner-unsold");
    assert_eq!(
        unsold["message"],
        "This ticket was not sold - no winner contact information available"
    );
    let told = browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    assert_eq!(told, json!({ "emailsSent": 0, "totalWinners": 0 }));
    server.finish().await;
}

#[actix_web::test]
async fn the_winner_is_written_to_once_and_tells_where_to_pay_once() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    let notify = async || {
        browser
            .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
            .await
            .ok()
    };
    assert_eq!(
        notify().await,
        json!({ "emailsSent": 1, "totalWinners": 1 })
    );
    assert_eq!(
        notify().await,
        json!({ "emailsSent": 1, "totalWinners": 1 })
    );
    assert_eq!(server.queued("winner").await, 1);
    let token = claim_token(&server).await;
    let stranger = server.bob();
    let look = async || {
        stranger
            .post("/api/claims/look", json!({ "token": token }))
            .await
            .ok()
    };
    let page = look().await;
    for (field, value) in [
        ("state", json!("open")),
        ("winnerName", json!("Alice")),
        ("prize", json!("5.00")),
        ("serialNumber", json!(format!("FD-{draw}-002"))),
        ("clubName", json!("broncos RLFC")),
        ("contactPhone", json!("0400 333 444")),
    ] {
        assert_eq!(page[field], value, "{field}");
    }
    let tell = async |body: Value| {
        let mut body = body;
        body["token"] = json!(token);
        stranger.post("/api/claims", body).await
    };
    for (field, value, words) in [
        ("accountName", " ", "Account name is required"),
        (
            "accountNumber",
            "12345",
            "Account number must be 6 to 10 digits",
        ),
        (
            "accountNumber",
            "12345678901",
            "Account number must be 6 to 10 digits",
        ),
        ("bsb", "12345", "BSB must be 6 digits"),
    ] {
        let mut body = bank();
        body[field] = json!(value);
        assert_eq!(tell(body).await.refused(400, "invalid")["message"], words);
    }
    assert_eq!(tell(bank()).await.ok()["state"], "received");
    assert_eq!(
        tell(bank()).await.refused(409, "claim-used")["message"],
        "Your details have been received already."
    );
    assert_eq!(look().await["state"], "received");
    let mail = server.mail("winner-details").await;
    assert_eq!(mail.to, "broncos@demo.test");
    assert!(
        !mail.data.contains("12345678") && !mail.data.contains("062-123"),
        "no mail holds bank details"
    );
    let winners = browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .ok();
    assert_eq!(winners["notified"], true);
    let winner = &winners["winningTickets"][0];
    assert_eq!(winner["winnerPayoutStatus"], "details_received");
    assert_eq!(winner["bank"]["accountNumber"], "••••678");
    assert_eq!(winner["bank"]["bsb"], "•••-•23");
    assert_eq!(winner["bank"]["from"], "winner");
    for bad in ["", "zz", &"0".repeat(64)] {
        let refused = stranger
            .post("/api/claims/look", json!({ "token": bad }))
            .await
            .refused(404, "claim-unknown");
        assert_eq!(refused["message"], "This link is invalid or has expired.");
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_winners_mail_that_was_given_up_is_sent_again_with_a_link_of_its_own() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    let notify = async || {
        browser
            .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
            .await
            .ok()
    };
    notify().await;
    let lost = claim_token(&server).await;
    let left = "select count(*) from email_outbox where kind = $1 and state = 'sent'";
    eventually("the books know that it left", async || {
        (server.database.count(left, "winner").await == 1).then_some(())
    })
    .await;
    server
        .database
        .run("update email_outbox set state = 'dead', attempts = 1600 where kind = 'winner'")
        .await;
    assert_eq!(
        notify().await,
        json!({ "emailsSent": 1, "totalWinners": 1 })
    );
    let token = claim_token(&server).await;
    assert_eq!(server.queued("winner").await, 1, "one mail for a result");
    server
        .bob()
        .post("/api/claims/look", json!({ "token": lost }))
        .await
        .refused(404, "claim-unknown");
    assert_eq!(
        server
            .bob()
            .post("/api/claims/look", json!({ "token": token }))
            .await
            .ok()["state"],
        "open"
    );
    server.finish().await;
}

#[actix_web::test]
async fn the_link_takes_details_for_seven_days() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let token = claim_token(&server).await;
    server.clock.push_seconds(7 * 86_400);
    let late = server
        .bob()
        .post("/api/claims/look", json!({ "token": token }))
        .await
        .ok();
    assert_eq!(late["state"], "expired");
    let mut body = bank();
    body["token"] = json!(token);
    let refused = server
        .bob()
        .post("/api/claims", body)
        .await
        .refused(410, "claim-expired");
    assert_eq!(
        refused["message"],
        "The 7 days to respond have passed. Please contact the club."
    );
    // The club may still be told by phone.
    let browser_again = club::club(&server, "broncos").await;
    put(&browser_again, draw, bank()).await.ok();
    server.finish().await;
}

#[actix_web::test]
async fn a_prize_goes_from_pending_to_details_received_to_completed() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    let status = async || {
        let winners = browser
            .get(&format!("/api/draws/{draw}/winners"))
            .await
            .ok();
        winners["winningTickets"][0]["winnerPayoutStatus"].clone()
    };
    assert_eq!(status().await, "pending");
    let shown = put(&browser, draw, bank()).await.ok();
    assert_eq!(
        (&shown["accountNumber"], &shown["from"]),
        (&json!("••••678"), &json!("club"))
    );
    assert_eq!(status().await, "details_received");
    let payouts = format!("/api/draws/{draw}/payouts");
    let payout = browser
        .post(&payouts, json!({ "type": "winner" }))
        .await
        .ok();
    assert_eq!(
        (&payout["amount"], &payout["recipientEmail"]),
        (&json!("5.00"), &json!("alice@example.com"))
    );
    let path = format!("/api/payouts/{}", payout["id"]);
    let settle = async |status: &str| {
        browser
            .call(
                Method::PATCH,
                &path,
                Some(&json!({ "status": status, "note": "by transfer" })),
            )
            .await
    };
    settle("paid").await.refused(400, "bad-status");
    assert_eq!(settle("completed").await.ok()["status"], "completed");
    assert_eq!(status().await, "completed");
    settle("failed").await.refused(409, "payout-settled");
    put(&browser, draw, bank())
        .await
        .refused(409, "payout-settled");
    let kinds: Vec<_> = browser
        .get(&payouts)
        .await
        .ok()
        .as_array()
        .expect("payouts")
        .iter()
        .map(|p| p["type"].clone())
        .collect();
    assert_eq!(kinds, ["club_share", "winner"]);
    server.finish().await;
}

#[actix_web::test]
async fn bank_details_are_read_whole_only_with_the_password_and_emptied_in_time() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    let path = format!("/api/draws/{draw}/winner-bank/reveal");
    let reveal = async |password: &str| browser.post(&path, json!({ "password": password })).await;
    reveal(crate::support::server::PASSWORD)
        .await
        .refused(404, "not-found");
    put(&browser, draw, bank()).await.ok();
    reveal("wrong").await.refused(400, "wrong-password");
    let whole = reveal(crate::support::server::PASSWORD).await;
    assert_eq!(whole.header("cache-control"), Some("no-store"));
    assert_eq!(
        whole.ok(),
        json!({ "accountName": "Alice Example", "accountNumber": "12345678", "bsb": "062-123" })
    );
    let read = "select count(*) from audit_log where action = 'read-winner-bank' and object = $1";
    assert_eq!(
        server.database.count(read, &format!("draw:{draw}")).await,
        1
    );
    let payout = browser
        .post(
            &format!("/api/draws/{draw}/payouts"),
            json!({ "type": "winner" }),
        )
        .await
        .ok();
    let paid = format!("/api/payouts/{}", payout["id"]);
    browser
        .call(
            Method::PATCH,
            &paid,
            Some(&json!({ "status": "completed" })),
        )
        .await
        .ok();
    let now = server.now();
    assert_eq!(
        server
            .records
            .purge_claims(now.plus_seconds(89 * 86_400))
            .await
            .expect("swept"),
        0
    );
    assert_eq!(
        server
            .records
            .purge_claims(now.plus_seconds(91 * 86_400))
            .await
            .expect("swept"),
        1
    );
    reveal(crate::support::server::PASSWORD)
        .await
        .refused(404, "not-found");
    let winners = browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .ok();
    assert_eq!(
        (
            &winners["winningTickets"][0]["bank"],
            &winners["winningTickets"][0]["winnerPayoutStatus"]
        ),
        (&json!(null), &json!("completed"))
    );
    server.finish().await;
}

#[actix_web::test]
async fn bank_details_stand_nowhere_in_the_books() {
    let server = TestServer::start().await;
    let (draw, browser) = won(&server).await;
    let details =
        json!({ "accountName": "Zebedee Quux", "accountNumber": "98765432", "bsb": "735-911" });
    put(&browser, draw, details).await.ok();
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let everything = server.database.everything().await;
    assert!(
        everything.contains("alice@example.com"),
        "the books are read whole"
    );
    for secret in ["98765432", "735-911", "735911", "Zebedee Quux"] {
        assert!(
            !everything.contains(secret),
            "{secret} is stored in plain text"
        );
        // As bytes, too: a column of bytes is written in hexadecimal.
        assert!(
            !everything.contains(&hex::encode(secret)),
            "{secret} is stored unsealed"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn another_club_finds_nothing_and_an_archived_one_finishes_what_runs() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.club("storm").await;
    let bought = server.alice().buys(draw, 1).await.1;
    let (browser, storm) = (
        club::club(&server, "broncos").await,
        club::club(&server, "storm").await,
    );
    server
        .records
        .archive_club(
            server
                .state
                .catalogue
                .facts()
                .listing(draw)
                .expect("listed")
                .club,
            true,
        )
        .await
        .expect("archived");
    server.state.catalogue.reload().await.expect("read");
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a number") as u8;
    server.kick_off(draw).await;
    club::enters(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    put(&browser, draw, bank()).await.ok();
    put(&storm, draw, bank())
        .await
        .refused(404, "draw-not-found");
    for path in ["winners", "payouts", "financials"] {
        storm
            .get(&format!("/api/draws/{draw}/{path}"))
            .await
            .refused(404, "draw-not-found");
    }
    for path in ["results", "notify-winners", "winner-bank/reveal", "payouts"] {
        storm
            .post(&format!("/api/draws/{draw}/{path}"), json!({}))
            .await
            .refused(404, "draw-not-found");
    }
    server.finish().await;
}

#[actix_web::test]
async fn what_follows_from_a_result_is_made_up_when_the_server_ended_right_after_it() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.alice().buys(draw, 2).await;
    let result = GameResult::new(3, 11).expect("jerseys");
    server
        .state
        .draws
        .execute(draw, Command::Complete { result }, None)
        .await
        .expect("completed");
    server.state.catalogue.reload().await.expect("read");
    let browser = club::club(&server, "broncos").await;
    let payouts = async || {
        browser
            .get(&format!("/api/draws/{draw}/payouts"))
            .await
            .ok()
    };
    assert_eq!(payouts().await, json!([]), "nobody came to the share");
    for _ in 0..2 {
        server::routes::club::reminders::sweep(&server.state).await;
        assert_eq!(
            (
                payouts().await.as_array().map(Vec::len),
                &payouts().await[0]["type"]
            ),
            (Some(1), &json!("club_share"))
        );
    }
    assert_eq!(
        server.mail("results-submitted").await.to,
        "broncos@demo.test"
    );
    assert_eq!(server.queued("results-submitted").await, 1);
    server.finish().await;
}

#[actix_web::test]
async fn a_club_is_reminded_once_that_a_result_is_due_and_that_it_is_not_connected() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.kick_off(draw).await;
    server.state.catalogue.reload().await.expect("read");
    let sweep = async || server::routes::club::reminders::sweep(&server.state).await;
    sweep().await;
    assert_eq!(
        server.queued("results-due").await,
        0,
        "the game is still on"
    );
    server.clock.push_seconds(2 * 3600 + 60);
    sweep().await;
    sweep().await;
    assert_eq!(server.mail("results-due").await.to, "broncos@demo.test");
    assert_eq!(server.queued("results-due").await, 1);
    let account = server
        .state
        .catalogue
        .facts()
        .clubs()
        .next()
        .and_then(|club| club.account.clone())
        .expect("one");
    server
        .records
        .account_updated(&account, false, false, false)
        .await
        .expect("written");
    server.state.catalogue.reload().await.expect("read");
    server.clock.push_seconds(86_400);
    sweep().await;
    sweep().await;
    assert_eq!(server.queued("connect-incomplete").await, 1);
    server.finish().await;
}

/// What the club or the operator is told of a draw completed before its kick-off, wherever a winner could be named.
async fn told(browser: &Buyer, draw: DrawId) -> Vec<String> {
    let path = |end: &str| format!("/api/draws/{draw}/{end}");
    let mut told = Vec::new();
    for end in ["winners", "payouts", "financials", "tickets", "tickets/csv"] {
        let answer = browser.get(&path(end)).await;
        assert_eq!(answer.status, 200, "{end}: {}", answer.text);
        // A table says at its end when it was made.
        told.push(
            answer
                .text
                .split("\r\nGenerated")
                .next()
                .unwrap_or_default()
                .to_string(),
        );
    }
    for (end, body) in [
        ("notify-winners", json!({})),
        ("payouts", json!({ "type": "winner" })),
        (
            "winner-bank/reveal",
            json!({ "password": crate::support::server::PASSWORD }),
        ),
    ] {
        let refused = browser
            .post(&path(end), body)
            .await
            .refused(409, "not-revealed");
        assert_eq!(
            refused["message"],
            "The winning ticket is shown after kick-off."
        );
    }
    put(browser, draw, bank())
        .await
        .refused(409, "not-revealed");
    told.push(browser.get(&format!("/api/draws/{draw}")).await.text);
    told
}

/// It can be undone until kick-off, and the draw sells on: then its own club would know a pair (decisions E-6, F-1).
#[actix_web::test]
async fn a_result_before_kick_off_tells_not_even_its_club_who_won() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    server.operator().await;
    server.alice().buys(draw, 2).await;
    let (browser, operator) = (
        club::club(&server, "broncos").await,
        club::operator(&server).await,
    );
    let id = server.club_named("broncos");
    let mut seen: Vec<Vec<String>> = Vec::new();
    // Her first ticket, her second, and one that nobody bought.
    for number in [1, 2, 169] {
        let serial = domain::Serial::new(number).expect("a serial");
        let pair = server
            .engine
            .draws
            .cells(draw, &[serial])
            .await
            .expect("a pair")[0]
            .1;
        let entered = club::enters(&browser, draw, pair.home(), pair.away())
            .await
            .ok();
        assert_eq!(entered["winningTickets"], json!([]));
        assert_eq!(entered["revealedAt"], entered["draw"]["gameDate"]);
        let again = club::enters(&operator, draw, pair.home(), pair.away())
            .await
            .ok();
        assert_eq!(
            (&again["winningTickets"], &again["revealedAt"]),
            (&json!([]), &entered["draw"]["gameDate"])
        );
        let mut all = told(&browser, draw).await;
        all.extend(told(&operator, draw).await);
        for (browser, path) in [
            (&browser, format!("/api/clubs/{id}/stats")),
            (&browser, format!("/api/clubs/{id}/draws")),
            (&operator, "/api/admin/analytics".to_string()),
            (&operator, "/api/admin/draws".to_string()),
        ] {
            all.push(browser.get(&path).await.ok().to_string());
        }
        // The two scorers themselves are public, a draw counts its commits, and the club's share is recorded anew each time.
        let scorers = [("home", pair.home()), ("away", pair.away())];
        let plain = all.into_iter().map(|text| {
            let text = scorers.iter().fold(text, |text, (side, jersey)| {
                text.replace(
                    &format!("\"{side}FirstTryScorer\":{jersey}"),
                    &format!("\"{side}FirstTryScorer\":0"),
                )
            });
            let counts = |part: &&str| {
                ["\"revision\"", "\"id\"", "edAt\""]
                    .iter()
                    .any(|name| part.contains(name))
            };
            text.split(',')
                .filter(|part| !counts(part))
                .collect::<Vec<_>>()
                .join(",")
        });
        let plain: Vec<String> = plain.collect();
        for (text, before) in plain.iter().zip(seen.first().into_iter().flatten()) {
            assert_eq!(text, before, "ticket {number} wins");
        }
        seen.push(plain);
        let meant = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
        operator
            .post(&format!("/api/draws/{draw}/undo-results"), meant)
            .await
            .ok();
    }
    let pair = server
        .engine
        .draws
        .cells(draw, &[domain::Serial::new(1).expect("a serial")])
        .await
        .expect("a pair")[0]
        .1;
    server.kick_off(draw).await;
    let entered = club::enters(&browser, draw, pair.home(), pair.away())
        .await
        .ok();
    assert_eq!(
        (
            &entered["winningTickets"][0]["ticketNumber"],
            &entered["revealedAt"]
        ),
        (&json!(1), &json!(null))
    );
    server.finish().await;
}
