//! Results, winners, and the bank details to which prizes are paid (club.md sections 2 and 4).

use domain::{Command, DrawId, GameResult};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::server::eventually;
use crate::support::{Buyer, TestServer, club};

/// Sells two tickets to Alice and enters a result for which her second ticket wins.
pub async fn create_draw_won_by_alice(server: &TestServer) -> (DrawId, Buyer) {
    let draw = server.create_club_with_draw().await;
    let bought = server.alice().buy(draw, 2).await.1;
    server.start_game(draw).await;
    let browser = club::sign_in_as_club(server, "broncos").await;
    let number = |name: &str| bought["tickets"][1][name].as_u64().expect("a JSON number") as u8;
    club::enter_result(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    (draw, browser)
}

pub fn bank_details() -> Value {
    json!({ "accountName": "Alice Example", "accountNumber": "12345678", "bsb": "062-123" })
}

pub async fn put_bank_details(
    browser: &Buyer,
    draw: DrawId,
    body: Value,
) -> crate::support::buyer::ApiResponse {
    browser
        .call(
            Method::PUT,
            &format!("/api/draws/{draw}/winner-bank"),
            Some(&body),
        )
        .await
}

pub async fn claim_token_from_next_mail(server: &TestServer) -> String {
    let link = server.mailed_link(&server.next_mail("winner").await);
    assert!(
        link.contains("/claim#"),
        "the token stands in the fragment, which no server receives: {link}"
    );
    link.rsplit_once('#').expect("a token").1.to_string()
}

#[actix_web::test]
async fn result_requires_both_jersey_numbers_and_determines_winner() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let path = format!("/api/draws/{draw}/results");
    let message = "Missing information: Please select first try scorer for both teams";
    for body in [json!({}), json!({ "homeFirstTryScorer": 7 })] {
        assert_eq!(
            browser
                .post(&path, body)
                .await
                .expect_refusal(400, "missing-information")["message"],
            message
        );
    }
    for home in [0, 14] {
        let body = json!({ "homeFirstTryScorer": home, "awayFirstTryScorer": 9 });
        browser
            .post(&path, body)
            .await
            .expect_refusal(400, "result-out-of-range");
    }
    browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .expect_refusal(409, "not-completed");
    browser
        .get(&format!("/api/draws/{draw}/payouts"))
        .await
        .expect_refusal(409, "not-completed");
    put_bank_details(&browser, draw, bank_details())
        .await
        .expect_refusal(409, "not-completed");
    server.start_game(draw).await;
    let done = club::enter_result(&browser, draw, 7, 9).await.ok();
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
        club::enter_result(&browser, draw, 7, 9).await.ok(),
        "the same result again"
    );
    club::enter_result(&browser, draw, 7, 8)
        .await
        .expect_refusal(409, "already-completed");
    assert_eq!(
        server.next_mail("results-submitted").await.to,
        "broncos@demo.test"
    );
    assert_eq!(server.count_queued_mails("results-submitted").await, 1);
    let unsold = put_bank_details(&browser, draw, bank_details())
        .await
        .expect_refusal(409, "winner-unsold");
    assert_eq!(
        unsold["message"],
        "This ticket was not sold - no winner contact information available"
    );
    let notified = browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    assert_eq!(notified, json!({ "emailsSent": 0, "totalWinners": 0 }));
    server.finish().await;
}

#[actix_web::test]
async fn winner_is_mailed_once_and_submits_bank_details_once() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
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
    assert_eq!(server.count_queued_mails("winner").await, 1);
    let token = claim_token_from_next_mail(&server).await;
    let stranger = server.bob();
    let open_claim = async || {
        stranger
            .post("/api/claims/look", json!({ "token": token }))
            .await
            .ok()
    };
    let page = open_claim().await;
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
    let submit_details = async |body: Value| {
        let mut body = body;
        body["token"] = json!(token);
        stranger.post("/api/claims", body).await
    };
    for (field, value, message) in [
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
        let mut body = bank_details();
        body[field] = json!(value);
        assert_eq!(
            submit_details(body).await.expect_refusal(400, "invalid")["message"],
            message
        );
    }
    assert_eq!(
        submit_details(bank_details()).await.ok()["state"],
        "received"
    );
    assert_eq!(
        submit_details(bank_details())
            .await
            .expect_refusal(409, "claim-used")["message"],
        "Your details have been received already."
    );
    assert_eq!(open_claim().await["state"], "received");
    let mail = server.next_mail("winner-details").await;
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
            .expect_refusal(404, "claim-unknown");
        assert_eq!(refused["message"], "This link is invalid or has expired.");
    }
    server.finish().await;
}

#[actix_web::test]
async fn failed_winner_mail_is_resent_with_new_link() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let notify = async || {
        browser
            .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
            .await
            .ok()
    };
    notify().await;
    let lost = claim_token_from_next_mail(&server).await;
    let sent_mails = "select count(*) from email_outbox where kind = $1 and state = 'sent'";
    eventually("the outbox shows the mail as sent", async || {
        (server.database.query_number(sent_mails, "winner").await == 1).then_some(())
    })
    .await;
    server
        .database
        .execute_sql(
            "update email_outbox set state = 'dead', attempts = 1600 where kind = 'winner'",
        )
        .await;
    assert_eq!(
        notify().await,
        json!({ "emailsSent": 1, "totalWinners": 1 })
    );
    let token = claim_token_from_next_mail(&server).await;
    assert_eq!(
        server.count_queued_mails("winner").await,
        1,
        "the resent mail replaces the dead one"
    );
    server
        .bob()
        .post("/api/claims/look", json!({ "token": lost }))
        .await
        .expect_refusal(404, "claim-unknown");
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
async fn claim_link_expires_after_seven_days() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let token = claim_token_from_next_mail(&server).await;
    server.clock.advance_seconds(7 * 86_400);
    let late = server
        .bob()
        .post("/api/claims/look", json!({ "token": token }))
        .await
        .ok();
    assert_eq!(late["state"], "expired");
    let mut body = bank_details();
    body["token"] = json!(token);
    let refused = server
        .bob()
        .post("/api/claims", body)
        .await
        .expect_refusal(410, "claim-expired");
    assert_eq!(
        refused["message"],
        "The 7 days to respond have passed. Please contact the club."
    );
    // The winner can tell the club the bank details by phone, so the club may enter them.
    let browser_again = club::sign_in_as_club(&server, "broncos").await;
    put_bank_details(&browser_again, draw, bank_details())
        .await
        .ok();
    server.finish().await;
}

#[actix_web::test]
async fn prize_status_goes_from_pending_through_details_to_completed() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let status = async || {
        let winners = browser
            .get(&format!("/api/draws/{draw}/winners"))
            .await
            .ok();
        winners["winningTickets"][0]["winnerPayoutStatus"].clone()
    };
    assert_eq!(status().await, "pending");
    let shown = put_bank_details(&browser, draw, bank_details()).await.ok();
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
    settle("paid").await.expect_refusal(400, "bad-status");
    assert_eq!(settle("completed").await.ok()["status"], "completed");
    assert_eq!(status().await, "completed");
    settle("failed").await.expect_refusal(409, "payout-settled");
    put_bank_details(&browser, draw, bank_details())
        .await
        .expect_refusal(409, "payout-settled");
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
async fn bank_details_need_password_and_are_purged_after_90_days() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let path = format!("/api/draws/{draw}/winner-bank/reveal");
    let reveal = async |password: &str| browser.post(&path, json!({ "password": password })).await;
    reveal(crate::support::server::PASSWORD)
        .await
        .expect_refusal(404, "not-found");
    put_bank_details(&browser, draw, bank_details()).await.ok();
    reveal("wrong").await.expect_refusal(400, "wrong-password");
    let revealed = reveal(crate::support::server::PASSWORD).await;
    assert_eq!(revealed.header("cache-control"), Some("no-store"));
    assert_eq!(
        revealed.ok(),
        json!({ "accountName": "Alice Example", "accountNumber": "12345678", "bsb": "062-123" })
    );
    let read = "select count(*) from audit_log where action = 'read-winner-bank' and object = $1";
    assert_eq!(
        server
            .database
            .query_number(read, &format!("draw:{draw}"))
            .await,
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
            .purge_expired_bank_details(now.plus_seconds(89 * 86_400))
            .await
            .expect("the sweep succeeds"),
        0
    );
    assert_eq!(
        server
            .records
            .purge_expired_bank_details(now.plus_seconds(91 * 86_400))
            .await
            .expect("the sweep succeeds"),
        1
    );
    reveal(crate::support::server::PASSWORD)
        .await
        .expect_refusal(404, "not-found");
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
async fn bank_details_are_never_stored_in_plain_text() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let details =
        json!({ "accountName": "Zebedee Quux", "accountNumber": "98765432", "bsb": "735-911" });
    put_bank_details(&browser, draw, details).await.ok();
    browser
        .post(&format!("/api/draws/{draw}/notify-winners"), json!({}))
        .await
        .ok();
    let everything = server.database.all_rows_as_text().await;
    assert!(
        everything.contains("alice@example.com"),
        "the dump holds the buyer"
    );
    for secret in ["98765432", "735-911", "735911", "Zebedee Quux"] {
        assert!(
            !everything.contains(secret),
            "{secret} is stored in plain text"
        );
        // The query prints binary columns in hexadecimal, so the secret's hexadecimal form is
        // searched too.
        assert!(
            !everything.contains(&hex::encode(secret)),
            "{secret} is stored unsealed"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn other_club_gets_404_and_archived_club_can_finish_its_draw() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_club("storm").await;
    let bought = server.alice().buy(draw, 1).await.1;
    let (browser, storm) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_club(&server, "storm").await,
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
        .expect("the club is archived");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let number = |name: &str| bought["tickets"][0][name].as_u64().expect("a JSON number") as u8;
    server.start_game(draw).await;
    club::enter_result(&browser, draw, number("homeNumber"), number("awayNumber"))
        .await
        .ok();
    put_bank_details(&browser, draw, bank_details()).await.ok();
    put_bank_details(&storm, draw, bank_details())
        .await
        .expect_refusal(404, "draw-not-found");
    for path in ["winners", "payouts", "financials"] {
        storm
            .get(&format!("/api/draws/{draw}/{path}"))
            .await
            .expect_refusal(404, "draw-not-found");
    }
    for path in ["results", "notify-winners", "winner-bank/reveal", "payouts"] {
        storm
            .post(&format!("/api/draws/{draw}/{path}"), json!({}))
            .await
            .expect_refusal(404, "draw-not-found");
    }
    server.finish().await;
}

#[actix_web::test]
async fn reminder_sweep_repeats_result_effects_lost_in_crash() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.alice().buy(draw, 2).await;
    let result = GameResult::new(3, 11).expect("jerseys");
    server
        .state
        .draws
        .execute(draw, Command::Complete { result }, None)
        .await
        .expect("completed");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let browser = club::sign_in_as_club(&server, "broncos").await;
    let payouts = async || {
        browser
            .get(&format!("/api/draws/{draw}/payouts"))
            .await
            .ok()
    };
    assert_eq!(
        payouts().await,
        json!([]),
        "the club share is not recorded yet"
    );
    for _ in 0..2 {
        server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
        assert_eq!(
            (
                payouts().await.as_array().map(Vec::len),
                &payouts().await[0]["type"]
            ),
            (Some(1), &json!("club_share"))
        );
    }
    assert_eq!(
        server.next_mail("results-submitted").await.to,
        "broncos@demo.test"
    );
    assert_eq!(server.count_queued_mails("results-submitted").await, 1);
    server.finish().await;
}

#[actix_web::test]
async fn club_is_reminded_once_of_due_result_and_disconnected_stripe() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.start_game(draw).await;
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    let sweep = async || {
        server::http::routes::club::reminders::run_periodic_club_tasks(&server.state).await;
    };
    sweep().await;
    assert_eq!(
        server.count_queued_mails("results-due").await,
        0,
        "no reminder during the game"
    );
    server.clock.advance_seconds(2 * 3600 + 60);
    sweep().await;
    sweep().await;
    assert_eq!(
        server.next_mail("results-due").await.to,
        "broncos@demo.test"
    );
    assert_eq!(server.count_queued_mails("results-due").await, 1);
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
        .update_connected_account_state(&account, false, false, false)
        .await
        .expect("the write succeeds");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    server.clock.advance_seconds(86_400);
    sweep().await;
    sweep().await;
    assert_eq!(server.count_queued_mails("connect-incomplete").await, 1);
    server.finish().await;
}

/// Returns every response that might reveal the winner of a draw that was completed before its
/// kick-off.
async fn responses_that_could_reveal_winner(browser: &Buyer, draw: DrawId) -> Vec<String> {
    let path = |end: &str| format!("/api/draws/{draw}/{end}");
    let mut responses = Vec::new();
    for end in ["winners", "payouts", "financials", "tickets", "tickets/csv"] {
        let answer = browser.get(&path(end)).await;
        assert_eq!(answer.status, 200, "{end}: {}", answer.text);
        // The last line of the CSV report is cut off, because it contains the current time.
        responses.push(
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
            .expect_refusal(409, "not-revealed");
        assert_eq!(
            refused["message"],
            "The winning ticket is shown after kick-off."
        );
    }
    put_bank_details(browser, draw, bank_details())
        .await
        .expect_refusal(409, "not-revealed");
    responses.push(browser.get(&format!("/api/draws/{draw}")).await.text);
    responses
}

/// A result that was entered before kick-off can be undone, and the draw is then on sale again.
/// Therefore the club must not learn any ticket's pair from the result (decisions E-6, F-1).
#[actix_web::test]
async fn result_before_kick_off_reveals_winner_to_nobody() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    server.create_operator().await;
    server.alice().buy(draw, 2).await;
    let (browser, operator) = (
        club::sign_in_as_club(&server, "broncos").await,
        club::sign_in_as_operator(&server).await,
    );
    let id = server.club_id("broncos");
    let mut earlier: Vec<Vec<String>> = Vec::new();
    // In each round another ticket wins: Alice's first, her second, and an unsold one.
    for number in [1, 2, 169] {
        let serial = domain::Serial::new(number).expect("a serial");
        let pair = server
            .engine
            .draws
            .cells(draw, &[serial])
            .await
            .expect("a pair")[0]
            .1;
        let entered = club::enter_result(&browser, draw, pair.home(), pair.away())
            .await
            .ok();
        assert_eq!(entered["winningTickets"], json!([]));
        assert_eq!(entered["revealedAt"], entered["draw"]["gameDate"]);
        let again = club::enter_result(&operator, draw, pair.home(), pair.away())
            .await
            .ok();
        assert_eq!(
            (&again["winningTickets"], &again["revealedAt"]),
            (&json!([]), &entered["draw"]["gameDate"])
        );
        let mut all = responses_that_could_reveal_winner(&browser, draw).await;
        all.extend(responses_that_could_reveal_winner(&operator, draw).await);
        for (browser, path) in [
            (&browser, format!("/api/clubs/{id}/stats")),
            (&browser, format!("/api/clubs/{id}/draws")),
            (&browser, format!("/api/clubs/{id}/to-do")),
            (&operator, "/api/admin/analytics".to_string()),
            (&operator, "/api/admin/draws".to_string()),
        ] {
            all.push(browser.get(&path).await.ok().to_string());
        }
        // The jersey numbers of both scorers are public. Revisions, ids and times differ after
        // every result. All of these are replaced before the comparison.
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
        for (text, before) in plain.iter().zip(earlier.first().into_iter().flatten()) {
            assert_eq!(
                text, before,
                "the responses depend on ticket {number} winning"
            );
        }
        earlier.push(plain);
        let confirmation = json!({ "reason": "Wrong player", "drawNumber": draw.0 });
        operator
            .post(&format!("/api/draws/{draw}/undo-results"), confirmation)
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
    server.start_game(draw).await;
    let entered = club::enter_result(&browser, draw, pair.home(), pair.away())
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

#[actix_web::test]
async fn winner_is_mailed_again_with_new_link_when_asked() {
    let server = TestServer::start().await;
    let (draw, browser) = create_draw_won_by_alice(&server).await;
    let notify = async |again: bool| {
        let path = format!("/api/draws/{draw}/notify-winners");
        browser.post(&path, json!({ "again": again })).await
    };
    notify(true).await.ok();
    let first = claim_token_from_next_mail(&server).await;
    let again = notify(true).await.ok();
    assert_eq!(again, json!({ "emailsSent": 1, "totalWinners": 1 }));
    let second = claim_token_from_next_mail(&server).await;
    assert_ne!(first, second);
    assert_eq!(
        notify(true).await.ok()["emailsSent"],
        0,
        "at most one mail a minute"
    );
    let stranger = server.bob();
    let look = async |token: &str| {
        stranger
            .post("/api/claims/look", json!({ "token": token }))
            .await
    };
    look(&first).await.expect_refusal(404, "claim-unknown");
    assert_eq!(look(&second).await.ok()["bank"], json!(null));
    let mut body = bank_details();
    body["token"] = json!(second);
    let received = stranger.post("/api/claims", body).await.ok();
    assert_eq!(
        (
            &received["bank"]["accountNumber"],
            &received["bank"]["accountName"]
        ),
        (&json!("••••678"), &json!("Alice Example"))
    );
    notify(true).await.expect_refusal(409, "claim-used");
    let winners = browser
        .get(&format!("/api/draws/{draw}/winners"))
        .await
        .ok();
    assert_eq!(winners["entered"]["by"], "your club’s login");
    assert!(winners["notifiedAt"].is_string());
    assert_eq!(winners["mailFailed"], false);
    server.finish().await;
}
