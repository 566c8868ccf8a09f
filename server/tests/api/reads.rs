//! What everyone may read.

use domain::Cents;
use serde_json::{Value, json};

use crate::support::{TestServer, club};

#[actix_web::test]
async fn a_draw_is_listed_with_its_club_its_prize_and_what_is_left() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    let listed = alice.get("/api/draws/active").await.ok();
    let listed = &listed[0];
    for (field, wanted) in [
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
        assert_eq!(listed[field], wanted, "{field}");
    }
    assert!(
        listed.get("contactName").is_none(),
        "whom to ask stands on the draw's own page only"
    );

    alice.buys(draw, 3).await;
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
async fn a_list_that_did_not_change_is_not_sent_again() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let alice = server.alice();
    for path in [
        "/api/draws/active".to_string(),
        format!("/api/draws/{draw}"),
        format!("/api/draws/{draw}/tickets"),
    ] {
        let first = alice.get(&path).await;
        let tag = first.header("etag").expect("a tag").to_string();
        let again = crate::support::Buyer::sent(
            alice
                .raw(reqwest::Method::GET, &path)
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
    alice.buys(draw, 1).await;
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
async fn a_game_goes_from_sale_to_awaiting_to_completed() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, broncos) = (server.alice(), club::club(&server, "broncos").await);
    let (intent, bought) = alice.buys(draw, 2).await;
    server.kick_off(draw).await;
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
        ticket["homeNumber"].as_u64().expect("a number"),
        ticket["awayNumber"].as_u64().expect("a number"),
    );
    let entered = club::enters(&broncos, draw, home as u8, away as u8)
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
    let again = club::enters(&broncos, draw, home as u8, away as u8)
        .await
        .ok();
    assert_eq!(
        again["winningTickets"], entered["winningTickets"],
        "the same result again answers the same"
    );
    club::enters(&broncos, draw, 14 - home as u8, away as u8 % 13 + 1)
        .await
        .refused(409, "already-completed");

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
    let order = alice.order(&intent).await;
    assert_eq!(order["lines"][0]["tickets"][0]["isWinner"], true);
    let rows = alice.get(&format!("/api/draws/{draw}/tickets")).await.ok();
    assert_eq!(rows[0]["isWinner"], json!(ticket["ticketNumber"] == 1));
    assert!(
        rows[168]["homeNumber"].as_u64().is_some(),
        "everybody sees every pair now"
    );
    assert_eq!(rows[0]["buyerEmail"], "sold");
    server.finish().await;
}

#[actix_web::test]
async fn anyone_can_check_that_the_deal_was_fair() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, broncos) = (server.alice(), club::club(&server, "broncos").await);
    alice.buys(draw, 1).await;
    let before = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert_eq!(
        (&before["revealed"], &before["seed"]),
        (&json!(false), &Value::Null)
    );
    server.kick_off(draw).await;
    club::enters(&broncos, draw, 9, 9).await.ok();
    let proof = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert_eq!(
        (&proof["revealed"], &proof["commitment"]),
        (&json!(true), &before["commitment"])
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
async fn a_completed_draw_before_its_kick_off_reveals_nothing() {
    let server = TestServer::start().await;
    let draw = server.game().await;
    let (alice, broncos) = (server.alice(), club::club(&server, "broncos").await);
    alice.buys(draw, 1).await;
    club::enters(&broncos, draw, 9, 9).await.ok();
    let proof = alice
        .get(&format!("/api/public/draws/{draw}/proof"))
        .await
        .ok();
    assert_eq!(
        (&proof["revealed"], &proof["seed"]),
        (&json!(false), &Value::Null)
    );
    // The result is a pair: which ticket has it is as secret as all the others.
    let listed = async || alice.get("/api/draws/completed").await.ok()[0].clone();
    let told = async || {
        [
            listed().await,
            alice.get(&format!("/api/draws/{draw}")).await.ok(),
        ]
    };
    assert_eq!(proof["winningTicket"], Value::Null);
    for shown in told().await {
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
        .expect("a view")
        .closes_at;
    server
        .clock
        .push_seconds(kick_off.ms_since(server.now()) / 1000 + 1);
    for shown in told().await {
        assert!(
            shown["winningTicketSerial"].is_string() && shown["winningTicketSold"].is_boolean(),
            "{shown}"
        );
    }
    server.finish().await;
}

#[actix_web::test]
async fn a_clubs_page_is_found_by_its_slug_whatever_the_case() {
    let server = TestServer::start().await;
    server.game().await;
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
    let id = page["id"].as_i64().expect("an id");
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
            .refused(404, "club-not-found")["message"],
        "Club page not found"
    );
    server
        .records
        .archive_club(domain::ClubId(id), true)
        .await
        .expect("archived");
    server.state.catalogue.reload().await.expect("read");
    alice
        .get("/api/clubs/slug/broncos")
        .await
        .refused(404, "club-not-found");
    assert_eq!(alice.get("/api/draws/active").await.ok(), json!([]));
    server.finish().await;
}

#[actix_web::test]
async fn the_small_answers_are_there() {
    let server = TestServer::start().await;
    let draw = server.game().await;
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
        .refused(404, "not-found");
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
            .refused(400, "bad-url");
    }
    let left = alice
        .get(&format!("/api/draws/{draw}/available-tickets"))
        .await
        .ok();
    assert_eq!(
        (&left["available"], &left["total"]),
        (&json!(169), &json!(169))
    );
    assert_eq!(left["ticketNumbers"].as_array().map(Vec::len), Some(50));
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
async fn a_draw_that_opens_later_is_scheduled_on_boards_and_not_sold() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let opens_at = server.now().plus_seconds(3600);
    let draw = server
        .draw_with(club.id, |draw| draw.opens_at = Some(opens_at))
        .await;
    let alice = server.alice();
    assert_eq!(
        alice
            .get(&format!("/api/public/widget/draw/{draw}"))
            .await
            .ok()["status"],
        "scheduled"
    );
    alice.ask(draw, 1).await.refused(409, "draw-not-open");
    server.finish().await;
}

#[actix_web::test]
async fn a_clubs_money_is_told_to_the_club() {
    let server = TestServer::start().await;
    let club_row = server.club("broncos").await;
    let draw = server
        .draw_with(club_row.id, |draw| {
            (draw.pass_card_fee, draw.price) = (true, Cents(1000))
        })
        .await;
    let (alice, broncos) = (server.alice(), club::club(&server, "broncos").await);
    let (intent, _) = alice.buys(draw, 2).await;
    assert_eq!(intent.amount(), 2000 + 34 + 30, "1.7 % and 30 c on top");
    let told = broncos
        .get(&format!("/api/draws/{draw}/financials"))
        .await
        .ok();
    assert_eq!(
        (&told["soldTickets"], &told["totalRevenue"]),
        (&json!(2), &json!("20.00"))
    );
    assert_eq!(
        (&told["platformFee"], &told["prizePool"]),
        (&json!("0.70"), &json!("10.00"))
    );
    assert_eq!(told["actualTransactionCount"], 1);
    server.finish().await;
}

#[actix_web::test]
async fn a_game_goes_into_a_calendar_and_a_cart_of_games_into_one_file() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let (first, second) = (server.draw(club.id).await, server.draw(club.id).await);
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
async fn a_club_that_says_nothing_says_the_specified_words_and_one_without_a_page_is_not_listed() {
    let server = TestServer::start().await;
    let club = server.club("broncos").await;
    let alice = server.alice();
    let words =
        "Support our club with Football Doubles - win cash prizes while helping fund our team!";
    assert_eq!(
        alice.get("/api/clubs/slug/broncos").await.ok()["homePageTagline"],
        words
    );
    assert_eq!(
        alice.get("/api/clubs/broncos/meta").await.ok()["tagline"],
        words
    );
    let page = alice.get("/club/broncos").await.text;
    assert!(
        page.contains(&format!("<p>{words}</p>"))
            && page.contains(&format!("og:description\" content=\"{words}\""))
    );
    let off = server.club("storm").await;
    let broncos = club::club(&server, "storm").await;
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
            &format!("/api/clubs/{}/home-page", off.id),
            Some(&switched),
        )
        .await
        .ok();
    assert_eq!(
        listed().await,
        Some(1),
        "a tile must not lead to a page that is off"
    );
    alice
        .get("/api/clubs/slug/storm")
        .await
        .refused(404, "club-not-found");
    assert_eq!(club.id, server.club_named("broncos"));
    server.finish().await;
}
