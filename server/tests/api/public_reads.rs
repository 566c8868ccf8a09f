//! Public GET calls: draws, clubs, proofs, widgets and calendars.

use domain::Cents;
use serde_json::{Value, json};

use crate::support::{TestServer, club};

#[actix_web::test]
async fn draw_list_shows_club_prize_and_remaining_tickets() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let listed = alice.get("/api/draws/active").await.ok();
    let listed = &listed[0];
    for (field, expected) in [
        ("id", json!(draw.0)),
        ("drawNumber", json!(draw.0)),
        ("serialNumber", json!(format!("FD-{draw}"))),
        ("clubSlug", json!("broncos")),
        ("ticketPrice", json!("5.00")),
        ("ticketsSold", json!(0)),
        ("ticketsAvailable", json!(169)),
        ("status", json!("active")),
        ("currentPrize", json!("0.00")),
        ("maxPrize", json!("422.50")),
        ("homeFirstTryScorer", Value::Null),
    ] {
        assert_eq!(listed[field], expected, "{field}");
    }
    assert!(
        listed.get("contactName").is_none(),
        "the list does not show the contact"
    );

    alice.buy(draw, 3).await;
    let alone = alice.get(&format!("/api/draws/{draw}")).await.ok();
    assert_eq!(
        (&alone["ticketsSold"], &alone["ticketsAvailable"]),
        (&json!(3), &json!(166))
    );
    assert_eq!(alone["currentPrize"], "7.50");
    assert_eq!(
        (&alone["contactName"], &alone["connectedAccountId"]),
        (&json!("Sam Contact"), &json!("acct_broncos"))
    );
    let listed = alice.get("/api/draws/active").await.ok();
    assert_eq!(listed[0]["ticketsSold"], 3, "the list shows a sale at once");
    server.finish().await;
}

#[actix_web::test]
async fn unchanged_draw_list_returns_304() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    for path in [
        "/api/draws/active".to_string(),
        format!("/api/draws/{draw}"),
        format!("/api/draws/{draw}/tickets"),
    ] {
        let first = alice.get(&path).await;
        let tag = first.header("etag").expect("a tag").to_string();
        let again = crate::support::Buyer::send_request(
            alice
                .bare_request(reqwest::Method::GET, &path)
                .header("if-none-match", &tag),
        )
        .await;
        assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
    }
    let before = alice
        .get("/api/draws/active")
        .await
        .header("etag")
        .map(str::to_string);
    alice.buy(draw, 1).await;
    assert_ne!(
        alice
            .get("/api/draws/active")
            .await
            .header("etag")
            .map(str::to_string),
        before
    );
    server.finish().await;
}

#[actix_web::test]
async fn game_goes_from_sale_to_awaiting_result_to_completed() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, broncos) = (
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
    );
    let (intent, bought) = alice.buy(draw, 2).await;
    server.start_game(draw).await;
    assert_eq!(alice.get("/api/draws/active").await.ok(), json!([]));
    assert_eq!(
        alice.get("/api/draws/awaiting-results").await.ok()[0]["status"],
        "closed"
    );
    assert_eq!(
        alice
            .get("/api/draws/awaiting-results?clubId=999")
            .await
            .ok(),
        json!([])
    );
    assert_eq!(
        alice
            .get(&format!("/api/public/draws/{draw}/proof"))
            .await
            .ok()["seed"],
        Value::Null
    );

    let ticket = &bought["tickets"][0];
    let (home, away) = (
        ticket["homeNumber"].as_u64().expect("a JSON number"),
        ticket["awayNumber"].as_u64().expect("a JSON number"),
    );
    let entered = club::enter_result(&broncos, draw, home as u8, away as u8)
        .await
        .ok();
    assert_eq!(
        entered["winningTickets"][0]["buyerEmail"],
        "alice@example.com"
    );
    assert_eq!(
        entered["winningTickets"][0]["ticketNumber"],
        ticket["ticketNumber"]
    );
    assert_eq!(entered["prize"], "5.00");
    let again = club::enter_result(&broncos, draw, home as u8, away as u8)
        .await
        .ok();
    assert_eq!(
        again["winningTickets"], entered["winningTickets"],
        "the repeated result answers the same"
    );
    club::enter_result(&broncos, draw, 14 - home as u8, away as u8 % 13 + 1)
        .await
        .expect_refusal(409, "already-completed");

    let completed = &alice.get("/api/draws/completed").await.ok()[0];
    assert_eq!(
        (
            &completed["winningTicketSold"],
            &completed["winningTicketSerial"]
        ),
        (&json!(true), &ticket["serialNumber"])
    );
    assert_eq!(
        alice.get("/api/draws/awaiting-results").await.ok(),
        json!([])
    );
    let order = alice.fetch_order_of(&intent).await;
    assert_eq!(order["lines"][0]["tickets"][0]["isWinner"], true);
    let rows = alice.get(&format!("/api/draws/{draw}/tickets")).await.ok();
    assert_eq!(rows[0]["isWinner"], json!(ticket["ticketNumber"] == 1));
    assert!(
        rows[168]["homeNumber"].as_u64().is_some(),
        "every pair is public after the reveal"
    );
    assert_eq!(rows[0]["buyerEmail"], "sold");
    server.finish().await;
}

#[actix_web::test]
async fn public_proof_verifies_deal_against_commitment() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, broncos) = (
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
    );
    alice.buy(draw, 1).await;
    let before = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert_eq!(
        (&before["revealed"], &before["seed"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(
        (&before["soldTickets"], &before["ticketMoves"]),
        (&json!([1]), &Value::Null)
    );
    server.start_game(draw).await;
    club::enter_result(&broncos, draw, 9, 9).await.ok();
    let proof = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert_eq!(
        (&proof["revealed"], &proof["commitment"]),
        (&json!(true), &before["commitment"])
    );
    assert_eq!(
        proof["ticketMoves"],
        json!([{ "ticket": 1, "returned": false }])
    );
    let seed: [u8; 32] = hex::decode(proof["seed"].as_str().expect("a seed"))
        .expect("hex")
        .try_into()
        .expect("32 bytes");
    let seed = domain::Seed(seed);
    assert_eq!(
        hex::encode(seed.commitment(draw)),
        before["commitment"].as_str().expect("hex")
    );
    let winner = domain::Deal::new(seed).serial(domain::Cell::new(9, 9).expect("a cell"));
    assert_eq!(proof["winningTicket"], json!(winner.number()));
    server.finish().await;
}

#[actix_web::test]
async fn completed_draw_before_kick_off_reveals_nothing() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let (alice, broncos) = (
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
    );
    alice.buy(draw, 1).await;
    club::enter_result(&broncos, draw, 9, 9).await.ok();
    let proof = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert_eq!(
        (&proof["revealed"], &proof["seed"]),
        (&json!(false), &Value::Null)
    );
    // The number of the winning ticket would reveal that ticket's pair, and pairs are secret before
    // kick-off.
    let listed = async || alice.get("/api/draws/completed").await.ok()[0].clone();
    let shown_draws = async || {
        [
            listed().await,
            alice.get(&format!("/api/draws/{draw}")).await.ok(),
        ]
    };
    assert_eq!(proof["winningTicket"], Value::Null);
    for shown in shown_draws().await {
        assert_eq!(
            (&shown["status"], &shown["homeFirstTryScorer"]),
            (&json!("completed"), &json!(9))
        );
        assert_eq!(
            (&shown["winningTicketSerial"], &shown["winningTicketSold"]),
            (&Value::Null, &Value::Null)
        );
    }
    let rows = alice.get(&format!("/api/draws/{draw}/tickets")).await.ok();
    assert_eq!(
        (&rows[0]["homeNumber"], &rows[0]["isWinner"]),
        (&Value::Null, &Value::Null)
    );
    let rows = broncos
        .get(&format!("/api/draws/{draw}/tickets"))
        .await
        .ok();
    assert_eq!(
        (&rows[0]["homeNumber"], &rows[0]["buyerEmail"]),
        (&Value::Null, &json!("alice@example.com"))
    );
    let kick_off = server
        .engine
        .draws
        .view(draw)
        .await
        .expect("the draw has a view")
        .closes_at;
    server
        .clock
        .advance_seconds(kick_off.ms_since(server.now()) / 1000 + 1);
    for shown in shown_draws().await {
        assert!(
            shown["winningTicketSerial"].is_string() && shown["winningTicketSold"].is_boolean(),
            "{shown}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn club_page_is_found_by_slug_in_any_case() {
    let server = TestServer::start().await;
    server.create_club_with_draw().await;
    let alice = server.alice();
    let page = alice.get("/api/clubs/slug/BRONCOS").await.ok();
    assert_eq!(
        (&page["slug"], &page["canonicalSlug"]),
        (&json!("BRONCOS"), &json!("broncos"))
    );
    assert_eq!(page["activeDraws"].as_array().map(Vec::len), Some(1));
    for secret in [
        "email",
        "password",
        "phone",
        "stripeConnectAccountId",
        "passwordResetToken",
    ] {
        assert!(page.get(secret).is_none(), "{secret}");
    }
    let id = page["id"].as_i64().expect("the id is a number");
    assert_eq!(
        alice.get(&format!("/api/clubs/{id}")).await.ok()["name"],
        "broncos RLFC"
    );
    assert_eq!(
        alice
            .get("/api/clubs/public-list")
            .await
            .ok()
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    assert_eq!(
        alice
            .get("/api/clubs/slug/nobody")
            .await
            .expect_refusal(404, "club-not-found")["message"],
        "Club page not found"
    );
    server
        .records
        .archive_club(domain::ClubId(id), true)
        .await
        .expect("the club is archived");
    server
        .state
        .catalogue
        .reload()
        .await
        .expect("the read succeeds");
    alice
        .get("/api/clubs/slug/broncos")
        .await
        .expect_refusal(404, "club-not-found");
    assert_eq!(alice.get("/api/draws/active").await.ok(), json!([]));
    server.finish().await;
}

#[actix_web::test]
async fn small_public_endpoints_return_specified_fields() {
    let server = TestServer::start().await;
    let draw = server.create_club_with_draw().await;
    let alice = server.alice();
    let config = alice.get("/api/config").await.ok();
    assert_eq!(
        (
            &config["currency"],
            &config["maxPerPurchase"],
            &config["demo"]
        ),
        (&json!("aud"), &json!(50), &json!(true))
    );
    assert_eq!(
        (&config["feeRateBps"], &config["feeCapCents"]),
        (&json!(350), &json!(1100))
    );
    assert_eq!(
        alice.get("/api/maintenance-mode").await.ok()["maintenanceMode"],
        false
    );
    let terms = alice.get("/api/terms/sale").await.ok();
    assert_eq!(
        (&terms["version"], terms["sha256"].as_str().map(str::len)),
        (&json!("1.0"), Some(64))
    );
    alice
        .get("/api/terms/nothing")
        .await
        .expect_refusal(404, "not-found");
    let widget = alice.get(&format!("/api/public/widget/draw/{draw}")).await;
    assert_eq!(widget.header("access-control-allow-origin"), Some("*"));
    assert_eq!(widget.ok()["ticketsCap"], 169);
    let meta = alice.get(&format!("/api/meta/draw/{draw}")).await.ok();
    assert!(
        meta["title"]
            .as_str()
            .is_some_and(|title| title == "Broncos v Cowboys – Football Doubles"),
        "{meta}"
    );
    assert!(
        meta["imageUrl"]
            .as_str()
            .is_some_and(|url| url.contains(&format!("/og/draw/{draw}?v="))),
        "{meta}"
    );
    let qr = alice
        .get(&format!("/api/qr.svg?url=/draw/{draw}%3Fsrc=widget"))
        .await;
    assert_eq!(
        (qr.status, qr.header("content-type")),
        (200, Some("image/svg+xml"))
    );
    for foreign in ["https://evil.test", "//evil.test", "/\\evil.test"] {
        alice
            .get(&format!("/api/qr.svg?url={foreign}"))
            .await
            .expect_refusal(400, "bad-url");
    }
    let availability = alice
        .get(&format!("/api/draws/{draw}/available-tickets"))
        .await
        .ok();
    assert_eq!(
        (&availability["available"], &availability["total"]),
        (&json!(169), &json!(169))
    );
    assert_eq!(
        availability["ticketNumbers"].as_array().map(Vec::len),
        Some(50)
    );
    assert_eq!(alice.get("/api/health/ready").await.ok()["ready"], true);
    assert!(alice.get("/api/openapi.json").await.ok()["components"]["schemas"]["Draw"].is_object());
    assert_eq!(
        alice
            .post("/api/debug-log", json!({ "level": "info", "message": "x" }))
            .await
            .status,
        204
    );
    assert_eq!(
        alice
            .post("/api/track", json!({ "event": "offer_view" }))
            .await
            .status,
        204
    );
    server.finish().await;
}

#[actix_web::test]
async fn draw_that_opens_later_is_scheduled_and_not_sold() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let opens_at = server.now().plus_seconds(3600);
    let draw = server
        .create_draw_with(club.id, |draw| draw.opens_at = Some(opens_at))
        .await;
    let alice = server.alice();
    assert_eq!(
        alice
            .get(&format!("/api/public/widget/draw/{draw}"))
            .await
            .ok()["status"],
        "scheduled"
    );
    alice
        .request_intent(draw, 1)
        .await
        .expect_refusal(409, "draw-not-open");
    server.finish().await;
}

#[actix_web::test]
async fn club_financials_show_passed_on_card_fee() {
    let server = TestServer::start().await;
    let club_row = server.create_club("broncos").await;
    let draw = server
        .create_draw_with(club_row.id, |draw| {
            (draw.pass_card_fee, draw.price) = (true, Cents(1000));
        })
        .await;
    let (alice, broncos) = (
        server.alice(),
        club::sign_in_as_club(&server, "broncos").await,
    );
    let (intent, _) = alice.buy(draw, 2).await;
    assert_eq!(
        intent.amount(),
        2000 + 34 + 30,
        "the card fee is 1.7 % plus 30 cents"
    );
    let shown_draws = broncos
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .ok();
    assert_eq!(
        (&shown_draws["soldTickets"], &shown_draws["totalRevenue"]),
        (&json!(2), &json!("20.00"))
    );
    assert_eq!(
        (&shown_draws["platformFee"], &shown_draws["prizePool"]),
        (&json!("0.70"), &json!("10.00"))
    );
    assert_eq!(shown_draws["actualTransactionCount"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn calendar_file_holds_one_or_several_games() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let (first, second) = (
        server.create_draw(club.id).await,
        server.create_draw(club.id).await,
    );
    let alice = server.alice();
    let answer = alice
        .get(&format!(
            "/api/draws/{first}/calendar.ics?also={second},{first}"
        ))
        .await;
    assert_eq!(
        answer.header("content-type"),
        Some("text/calendar; charset=utf-8; method=PUBLISH")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some(format!("attachment; filename=\"game-{first}.ics\"").as_str())
    );
    let lines: Vec<&str> = answer.text.split("\r\n").collect();
    assert_eq!(
        lines.iter().filter(|line| **line == "BEGIN:VEVENT").count(),
        2
    );
    for draw in [first, second] {
        assert!(
            lines.contains(&format!("UID:draw-{draw}@football-doubles").as_str()),
            "{}",
            answer.text
        );
    }
    assert!(lines.contains(&"SUMMARY:Broncos v Cowboys") && lines.last() == Some(&""));
    server.finish().await;
}

#[actix_web::test]
async fn club_without_tagline_gets_default_and_hidden_page_is_unlisted() {
    let server = TestServer::start().await;
    let club = server.create_club("broncos").await;
    let alice = server.alice();
    let tagline =
        "Support our club with Football Doubles - win cash prizes while helping fund our team!";
    assert_eq!(
        alice.get("/api/clubs/slug/broncos").await.ok()["homePageTagline"],
        tagline
    );
    assert_eq!(
        alice.get("/api/clubs/broncos/meta").await.ok()["tagline"],
        tagline
    );
    let page = alice.get("/club/broncos").await.text;
    assert!(
        page.contains(&format!("<p>{tagline}</p>"))
            && page.contains(&format!("og:description\" content=\"{tagline}\""))
    );
    let hidden_club = server.create_club("storm").await;
    let broncos = club::sign_in_as_club(&server, "storm").await;
    let listed = async || {
        alice
            .get("/api/clubs/public-list")
            .await
            .ok()
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(listed().await, Some(2));
    let switched = json!({ "homePageEnabled": false });
    broncos
        .call(
            reqwest::Method::PATCH,
            &format!("/api/clubs/{}/home-page", hidden_club.id),
            Some(&switched),
        )
        .await
        .ok();
    assert_eq!(
        listed().await,
        Some(1),
        "a club without a page is not listed"
    );
    alice
        .get("/api/clubs/slug/storm")
        .await
        .expect_refusal(404, "club-not-found");
    assert_eq!(club.id, server.club_id("broncos"));
    server.finish().await;
}
